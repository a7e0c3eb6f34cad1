#include "compiler/Driver/Driver.h"
#include "compiler/Dialect/UserLines.h"
#include "compiler/Driver/GraphState.h"
#include "compiler/Driver/Manifest.h"
#include "compiler/Driver/Stopwatch.h"
#include "compiler/Emit/Emit.h"
#include "compiler/Pipeline/Pipeline.h"
#include "compiler/Toolchain/Clang.h"
#include "compiler/Toolchain/Nvrtc.h"
#include "mlir/Pass/PassManager.h"

#include <cstdlib>

using namespace mlir;
using namespace quernel;

namespace {

bool isCuda(StringRef target) { return target.starts_with("sm_") || target.starts_with("compute_"); }

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
  Lowering(const Graph &graph, bool gpu, int64_t vectorBytes)
      : state(graph.state()), module(cast<ModuleOp>(state.module->getOperation()->clone())),
        // Every level of x86-64 with vectors of 32 bytes has fused multiply-add.
        options{.gpu = gpu, .vectorBytes = vectorBytes, .fma = !gpu && vectorBytes > 16},
        diagnostics(&state.context, [this](Diagnostic &diagnostic) {
          messages += diagnostic.str() + "\n";
          return success();
        }) {}

  bool to(Stage last) {
    for (Stage stage : {Stage::quernel, Stage::kernels, Stage::loops}) {
      if (stage > last)
        break;
      PassManager passes(&state.context);
      passes.enableVerifier(verifiesPasses());
      buildStage(passes, stage, options);
      if (failed(passes.run(*module)))
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

  bool emit(bool cuda, const EmitOptions &emitOptions, std::string &source) {
    llvm::raw_string_ostream stream(source);
    LogicalResult done = cuda ? emitCuda(*module, stream, emitOptions) : emitCpp(*module, stream, emitOptions);
    stopwatch.lap(cuda ? "cuda" : "cpp");
    return succeeded(done);
  }

  GraphState &state;
  OwningOpRef<ModuleOp> module;
  std::string messages;
  Stopwatch stopwatch;

private:
  PipelineOptions options;
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

bool emitCppSource(const Graph &graph, const Target &target, SourceText &result, DriverError &error) {
  result.lowering = std::make_unique<Lowering>(graph, false, target.vectorBytes);
  if (!result.lowering->to(Stage::loops))
    return report(*result.lowering, error);
  addShapesFunction(graph.state(), *result.lowering->module);
  EmitOptions options{.vectorBytes = target.vectorBytes, .mathIsa = target.mathIsa};
  return result.lowering->emit(false, options, result.source) || report(*result.lowering, error);
}

/// The user's lines of an operation; of a loop without a place those inside.
std::string linesOf(Operation *op) {
  auto lines = userLines(op->getLoc());
  if (lines.empty()) {
    SmallVector<Location> inside;
    op->walk([&](Operation *inner) { inside.push_back(inner->getLoc()); });
    lines = userLines(inside);
  }
  return llvm::join(lines, ", ");
}

/// A GPU's grid runs kernels; what a program does between them has to be nothing but calls.
bool checkRunsOnGrid(ModuleOp module, DriverError &error) {
  std::optional<GridObstacle> obstacle = findGridObstacle(module);
  if (!obstacle)
    return true;
  std::string lines = linesOf(obstacle->op);
  error.isUnsupported = true;
  error.message = obstacle->what + (lines.empty() ? "" : " (" + lines + ")") + ", which CUDA targets don't have";
  return false;
}

bool emitCudaSource(const Graph &graph, SourceText &result, DriverError &error) {
  result.lowering = std::make_unique<Lowering>(graph, true, 16);
  if (!result.lowering->to(Stage::loops))
    return report(*result.lowering, error);
  if (!checkRunsOnGrid(*result.lowering->module, error))
    return false;
  return result.lowering->emit(true, {}, result.source) || report(*result.lowering, error);
}

/// Machine code of C++ text, linked.
llvm::Expected<std::string> sharedObject(StringRef source, const Target &target, const DriverOptions &options,
                                         Stopwatch &stopwatch) {
  ClangTimes times;
  auto object =
      compileToObject(source, target, {.fastMath = options.fastMath, .optimize = options.optimize, .times = &times});
  if (!object)
    return object;
  stopwatch.lap(times);
  auto shared = linkShared(*object, {.soname = "", .libraries = options.libraries});
  stopwatch.lap("link");
  return shared;
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
  if (isCuda(targetName)) {
    if (!emitCudaSource(graph, text, error))
      return false;
    auto image = compileCuda(text.source, targetName, {.searchPath = options.nvrtcPath, .fastMath = options.fastMath});
    if (!image)
      return report(image.takeError(), error);
    text.lowering->stopwatch.lap("NVRTC");
    result.object = std::move(image->bytes);
  } else {
    auto target = Target::parse(targetName);
    if (!target)
      return report(target.takeError(), error);
    if (!emitCppSource(graph, *target, text, error))
      return false;
    auto shared = sharedObject(text.source, *target, options, text.lowering->stopwatch);
    if (!shared)
      return report(shared.takeError(), error);
    result.object = std::move(*shared);
  }
  result.manifest = manifestOf(graph.state(), *text.lowering->module);
  result.source = std::move(text.source);
  text.lowering->stopwatch.lap("manifest");
  result.times = std::move(text.lowering->stopwatch.times);
  return true;
}

bool quernel::lowerGraph(const Graph &graph, const std::string &stage, const std::string &targetName,
                         const DriverOptions &options, std::string &text, DriverError &error) {
  if (!checkFinished(graph, error))
    return false;
  if (stage == "cuda" || stage == "ptx") {
    SourceText source;
    if (!emitCudaSource(graph, source, error))
      return false;
    text = source.source;
    if (stage == "cuda")
      return true;
    auto image = compileCuda(text, isCuda(targetName) ? targetName : "sm_80",
                             {.searchPath = options.nvrtcPath, .ptx = true, .fastMath = options.fastMath});
    if (!image)
      return report(image.takeError(), error);
    text = std::move(image->bytes);
    return true;
  }
  auto target = Target::parse(isCuda(targetName) ? "host" : targetName);
  if (!target)
    return report(target.takeError(), error);
  if (stage == "cpp" || stage == "asm") {
    SourceText source;
    if (!emitCppSource(graph, *target, source, error))
      return false;
    text = source.source;
    if (stage == "cpp")
      return true;
    auto assembly = compileToAssembly(text, *target, {.fastMath = options.fastMath, .optimize = options.optimize});
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
  Lowering lowering(graph, isCuda(targetName), target->vectorBytes);
  if (!lowering.to(*last))
    return report(lowering, error);
  text = lowering.text();
  return true;
}

std::vector<std::string> quernel::targetNames() {
  std::vector<std::string> names{"host"};
  for (StringRef level : Target::levels())
    names.push_back(level.str());
  return names;
}

std::string quernel::hostTargetName() { return Target::hostLevel().str(); }

std::string quernel::targetKey(const std::string &name, std::string &error) {
  if (isCuda(name))
    return name;
  auto target = Target::parse(name);
  if (target)
    return target->key();
  error = llvm::toString(target.takeError());
  return "";
}

std::string quernel::nvrtcDescription(const DriverOptions &options) {
  auto version = nvrtcVersion({.searchPath = options.nvrtcPath});
  return version ? *version : llvm::toString(version.takeError());
}
