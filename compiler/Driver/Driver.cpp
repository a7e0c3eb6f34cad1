#include "compiler/Driver/Driver.h"
#include "compiler/Driver/Backend.h"
#include "compiler/Driver/GraphState.h"
#include "compiler/Driver/Manifest.h"
#include "compiler/Emit/Names.h"
#include "compiler/Pipeline/Pipeline.h"
#include "compiler/Toolchain/Clang.h"
#include "compiler/Toolchain/Nvrtc.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

#include <cstdlib>

using namespace mlir;
using namespace quernel;

namespace {

/// Whether the IR is verified after each pass: in builds with assertions, and where tests ask for it.
bool verifiesPasses() {
#ifdef NDEBUG
  static const bool asked = std::getenv("QUERNEL_VERIFY_PASSES") != nullptr;
  return asked;
#else
  return true;
#endif
}

const char *nameOf(Stage stage) {
  switch (stage) {
  case Stage::quernel:
    return "quernel";
  case Stage::kernels:
    return "kernels";
  case Stage::loops:
    return "loops";
  }
}

/// A copy of the graph's module, lowered stage by stage; what goes wrong becomes text.
class Lowering {
public:
  Lowering(const Graph &graph, const TargetInfo &target)
      : state(graph.state()), module(cast<ModuleOp>(state.module->getOperation()->clone())), target(target),
        diagnostics(&state.context, [this](Diagnostic &diagnostic) {
          messages += diagnostic.str() + "\n";
          return success();
        }) {
    setTarget(*module, target);
  }

  bool to(Stage last) {
    for (Stage stage : {Stage::quernel, Stage::kernels, Stage::loops}) {
      if (stage > last)
        break;
      PassManager passes(&state.context);
      passes.enableVerifier(verifiesPasses());
      buildStage(passes, stage, target);
      // A wrong module is an error of the compiler's, never one of whoever reads it next.
      if (failed(passes.run(*module)) || failed(verify(*module)))
        return false;
      stopwatch.lap(nameOf(stage));
    }
    return true;
  }

  std::string text() {
    std::string result;
    llvm::raw_string_ostream stream(result);
    module->print(stream);
    return result;
  }

  bool emit(const Backend &backend, std::string &source) {
    llvm::raw_string_ostream stream(source);
    LogicalResult done = backend.emit(*module, stream);
    stopwatch.lap(backend.textStage().str());
    return succeeded(done);
  }

  GraphState &state;
  OwningOpRef<ModuleOp> module;
  std::string messages;
  Stopwatch stopwatch;

private:
  TargetInfo target;
  ScopedDiagnosticHandler diagnostics;
};

bool report(llvm::Error failure, DriverError &error) {
  error.message = llvm::toString(std::move(failure));
  return false;
}

bool report(Lowering &lowering, DriverError &error) {
  error.message = "the compiler failed: " + lowering.messages;
  return false;
}

/// Source text for a target, with the lowered module beside it.
struct SourceText {
  std::unique_ptr<Lowering> lowering;
  std::string source;
};

bool emitSource(const Graph &graph, const Backend &backend, SourceText &result, DriverError &error) {
  result.lowering = std::make_unique<Lowering>(graph, backend.info());
  Lowering &lowering = *result.lowering;
  if (!lowering.to(Stage::loops))
    return report(lowering, error);
  if (!backend.supports(*lowering.module, error))
    return false;
  addShapesFunction(graph.state(), *lowering.module);
  return lowering.emit(backend, result.source) || report(lowering, error);
}

bool checkFinished(const Graph &graph, DriverError &error) {
  if (!graph.state().finished)
    error.message = "the graph isn't finished";
  return graph.state().finished;
}

} // namespace

bool quernel::compileGraph(const Graph &graph, const std::string &targetName, const DriverOptions &options,
                           Compiled &result, DriverError &error) {
  SourceText text;
  if (!checkFinished(graph, error))
    return false;
  auto backend = Backend::of(targetName, options, graph.state().userTexts);
  if (!backend)
    return report(backend.takeError(), error);
  if (!emitSource(graph, **backend, text, error))
    return false;
  if (!options.textOnly) {
    auto image = (*backend)->compile(text.source, graph.state().function.getName(), text.lowering->stopwatch);
    if (!image)
      return report(image.takeError(), error);
    result.object = std::move(*image);
  }
  result.manifest = manifestOf(graph.state(), *text.lowering->module);
  result.source = std::move(text.source);
  text.lowering->stopwatch.lap("manifest");
  result.times = std::move(text.lowering->stopwatch.times);
  return true;
}

bool quernel::compileText(const UserText &text, const std::string &targetName, const DriverOptions &options,
                          CompiledText &result, DriverError &error) {
  auto target = Target::parse(targetName);
  if (!target)
    return report(target.takeError(), error);
  if (target->isGpu() != text.isCuda()) {
    error = {(text.isCuda() ? "texts in CUDA C++ are for devices, not for " : "texts in C++ are for CPUs, not for ") +
                 targetName,
             /*isUnsupported=*/true};
    return false;
  }
  if (text.isCuda()) {
    auto image = compileCuda(text, target->name, {.searchPath = options.nvrtcPath});
    if (!image)
      return report(image.takeError(), error);
    result.object = std::move(image->cubin);
    return true;
  }
  auto objects = compileUserText(text, *target, result.includes);
  if (!objects)
    return report(objects.takeError(), error);
  auto shared = linkShared(*objects);
  if (!shared)
    return report(shared.takeError(), error);
  result.object = std::move(*shared);
  return true;
}

bool quernel::lowerGraph(const Graph &graph, const std::string &stage, const std::string &targetName,
                         const DriverOptions &options, std::string &text, DriverError &error) {
  if (!checkFinished(graph, error))
    return false;
  auto backend = Backend::withStage(stage, targetName, options, graph.state().userTexts);
  if (!backend)
    return report(backend.takeError(), error);
  if (stage == (*backend)->textStage() || stage == (*backend)->assemblyStage()) {
    SourceText source;
    if (!emitSource(graph, **backend, source, error))
      return false;
    text = std::move(source.source);
    if (stage == (*backend)->textStage())
      return true;
    auto assembly = (*backend)->assembly(text);
    if (!assembly)
      return report(assembly.takeError(), error);
    text = std::move(*assembly);
    return true;
  }
  auto last = llvm::StringSwitch<std::optional<Stage>>(stage)
                  .Case("quernel", Stage::quernel)
                  .Case("kernels", Stage::kernels)
                  .Case("loops", Stage::loops)
                  .Default(std::nullopt);
  if (!last) {
    error.message = "unknown stage '" + stage + "'; the stages are quernel kernels loops cpp cuda asm ptx";
    return false;
  }
  Lowering lowering(graph, (*backend)->info());
  if (!lowering.to(*last))
    return report(lowering, error);
  text = lowering.text();
  return true;
}

std::vector<std::string> quernel::textTargetNames() { return Target::textNames(); }

std::string quernel::cName(const std::string &text) { return sanitizeName(text); }

std::vector<std::string> quernel::targetNames() {
  std::vector<std::string> names{"host"};
  llvm::append_range(names, Target::names());
  return names;
}

std::string quernel::targetKey(const std::string &name, std::string &error) {
  auto target = Target::parse(name);
  if (target)
    return target->key();
  error = llvm::toString(target.takeError());
  return "";
}

std::vector<std::string> quernel::deviceTargetNames(const DriverOptions &options, std::string &error) {
  auto names = nvrtcArchitectures({.searchPath = options.nvrtcPath});
  if (names)
    return *names;
  error = llvm::toString(names.takeError());
  return {};
}

std::string quernel::nvrtcDescription(const DriverOptions &options) {
  auto version = nvrtcVersion({.searchPath = options.nvrtcPath});
  return version ? *version : llvm::toString(version.takeError());
}
