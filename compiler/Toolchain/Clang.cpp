#include "compiler/Toolchain/Clang.h"
#include "compiler/Toolchain/ModuleParts.h"
#include "compiler/Toolchain/SkippedPasses.h"
#include "compiler/Toolchain/Thread.h"

#include "clang/CodeGen/BackendUtil.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Frontend/Utils.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/IPO/Internalize.h"

#include <array>
#include <atomic>
#include <chrono>
#include <mutex>

using llvm::StringRef;

namespace quernel {

/// How many accesses to memory of one block LLVM's scheduler compares with each other. It takes time for each pair, so
/// that of 1000, which is LLVM's own number, a block of unrolled loops took three times as long as all else.
static constexpr unsigned comparedAccesses = 200;

/// Sets an option that LLVM has for its command line alone, so that it is this also where LLD resets all of them.
static void setDefault(StringRef name, unsigned value) {
  auto found = llvm::cl::getRegisteredOptions().find(name);
  if (found != llvm::cl::getRegisteredOptions().end())
    static_cast<llvm::cl::opt<unsigned> *>(found->second)->setInitialValue(value);
}

static void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    setDefault("dag-maps-huge-region", comparedAccesses);
  });
}

/// What the driver would hand to `clang -cc1`, for a text of the user's or one that was printed.
static std::vector<std::string> arguments(const Target &target, const CompileOptions &options, const std::string &path,
                                          const UserText *user) {
  std::vector<std::string> result = {
      "-triple", llvm::sys::getDefaultTargetTriple(), "-target-cpu", target.cpu, options.optimize ? "-O3" : "-O0",
      user ? "-std=c++20" : "-std=c++17", "-x", "c++", user ? "-fopenmp-simd" : "-fopenmp", "-D", "QUERNEL_RUNTIME",
      "-vectorize-loops", "-mrelocation-model", "pic", "-pic-level", "2", "-nobuiltininc", "-nostdsysteminc", "-w",
      "-disable-llvm-verifier", "-discard-value-names",
      // LLVM aligns the stack for vectors that it spills only where a register is kept for the frame. Otherwise each
      // spill around a call crosses cache lines, or not, as the caller's stack happens to lie: half the speed.
      "-mframe-pointer=all",
      // Some processors prefer half of their width; the text was vectorised for all of it.
      "-mprefer-vector-width=" + std::to_string(target.info.vectorBytes * 8)};
  for (const std::string &feature : target.features) {
    result.push_back("-target-feature");
    result.push_back(feature);
  }
  if (user)
    for (const std::string &folder : user->systemFolders)
      for (const std::string &argument : {std::string("-internal-isystem"), folder})
        result.push_back(argument);
  if (options.fastMath && !user)
    for (const char *flag : {"-ffp-contract=fast", "-mreassociate", "-freciprocal-math", "-fno-signed-zeros"})
      result.push_back(flag);
  else
    result.push_back("-ffp-contract=off");
  result.push_back(path);
  return result;
}

/// Notes when the optimizer's passes begin and end, by passes of its own at both places; the gate begins where they
/// end.
class StageMarks {
public:
  explicit StageMarks(CodeGenerationGate &gate) : gate(gate) {}

  void watch(llvm::PassBuilder &builder) {
    builder.registerPipelineStartEPCallback(
        [this](llvm::ModulePassManager &passes, auto &&...) { passes.addPass(Mark{at[1], nullptr}); });
    builder.registerOptimizerLastEPCallback(
        [this](llvm::ModulePassManager &passes, auto &&...) { passes.addPass(Mark{at[2], &gate}); });
  }

  ClangTimes times() const {
    Clock::time_point end = Clock::now();
    return {seconds(at[0], at[1]), seconds(at[1], at[2]), seconds(at[2], end)};
  }

private:
  using Clock = std::chrono::steady_clock;

  struct Mark : llvm::PassInfoMixin<Mark> {
    Mark(Clock::time_point &at, CodeGenerationGate *ended) : at(at), ended(ended) {}

    llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &) {
      at = Clock::now();
      if (ended)
        ended->begin();
      return llvm::PreservedAnalyses::all();
    }

    static bool isRequired() { return true; }

    Clock::time_point &at;
    CodeGenerationGate *ended;
  };

  static double seconds(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
  }

  CodeGenerationGate &gate;
  std::array<Clock::time_point, 3> at{Clock::now(), Clock::now(), Clock::now()};
};

/// A run of Clang for one text, or of its backend for a part of the module that it has made.
class Run {
public:
  Run(StringRef source, const Target &target, const CompileOptions &options)
      : Run(source, "/" + options.fileName, target, options, nullptr, nullptr) {}

  /// A text of the user's, which becomes part of another module where there is one.
  Run(const UserText &user, const Target &target, const CompileOptions &options, llvm::LLVMContext *shared = nullptr)
      : Run(user.text, user.path, target, options, &user, shared) {}

  /// The text's module, not optimised yet; null if Clang refuses the text.
  std::unique_ptr<llvm::Module> module() {
    FrontEnd action(context, included.get());
    if (!isValid || !instance->ExecuteAction(action) || instance->getDiagnostics().hasErrorOccurred())
      return nullptr;
    return std::move(action.module);
  }

  /// The same with the user's texts, of which nothing can be seen from outside.
  std::unique_ptr<llvm::Module> moduleWith(llvm::ArrayRef<UserText> texts, const Target &target,
                                           const CompileOptions &options) {
    std::unique_ptr<llvm::Module> whole = module();
    for (const UserText &text : texts) {
      Run run(text, target, options, &context);
      std::unique_ptr<llvm::Module> part = run.module();
      if (part)
        keepEntries(*part, text);
      if (!part || !whole || llvm::Linker::linkModules(*whole, std::move(part))) {
        report += run.report;
        return nullptr;
      }
      for (const std::string &entry : text.entries)
        if (llvm::Function *function = whole->getFunction(entry))
          function->setLinkage(llvm::GlobalValue::InternalLinkage);
    }
    return whole;
  }

  /// What else the text defines is its own, whatever others call it.
  static void keepEntries(llvm::Module &module, const UserText &text) {
    llvm::internalizeModule(
        module, [&](const llvm::GlobalValue &value) { return llvm::is_contained(text.entries, value.getName()); });
  }

  /// The files that a text of the user's has included.
  std::vector<std::string> includes() const {
    return included ? std::vector<std::string>(included->getDependencies()) : std::vector<std::string>();
  }

  const std::string &diagnosticText() const { return report; }

  /// A part's module; null if it can't be read, which is a fault of the compiler's.
  std::unique_ptr<llvm::Module> module(StringRef bitcode) {
    auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bitcode, "part"), context);
    if (module && isValid && instance->createTarget())
      return std::move(*module);
    stream << llvm::toString(module.takeError());
    return nullptr;
  }

  /// Machine code of a module, or its text; an error if there is no module.
  llvm::Expected<std::string> compile(std::unique_ptr<llvm::Module> module, clang::BackendAction action) {
    llvm::SmallString<0> output;
    if (module)
      clang::emitBackendOutput(*instance, instance->getCodeGenOpts(), module->getDataLayoutStr(), module.get(), action,
                               files, std::make_unique<llvm::raw_svector_ostream>(output));
    if (!module || hasFailed || instance->getDiagnostics().hasErrorOccurred())
      return llvm::createStringError("Clang cannot compile the generated text:\n" + report);
    return std::string(output.str());
  }

  ClangTimes times() const { return marks.times(); }

private:
  Run(StringRef source, const std::string &path, const Target &target, const CompileOptions &options,
      const UserText *user, llvm::LLVMContext *shared)
      : files(filesFor(source, path, user)), stream(report), marks(gate),
        own(shared ? nullptr : std::make_unique<llvm::LLVMContext>()), context(shared ? *shared : *own) {
    diagnosticOptions.ShowPresumedLoc = true; // as `#line` says
    auto diagnostics = clang::CompilerInstance::createDiagnostics(
        *files, diagnosticOptions, new clang::TextDiagnosticPrinter(stream, diagnosticOptions));
    std::vector<std::string> texts = arguments(target, options, path, user);
    std::vector<const char *> pointers;
    for (const std::string &text : texts)
      pointers.push_back(text.c_str());
    auto invocation = std::make_shared<clang::CompilerInvocation>();
    isValid = clang::CompilerInvocation::CreateFromArgs(*invocation, pointers, *diagnostics);
    instance = std::make_unique<clang::CompilerInstance>(std::move(invocation));
    if (user)
      included = std::make_shared<clang::DependencyCollector>();
    if (own) {
      context.setOptPassGate(gate);
      context.setDiagnosticHandlerCallBack(
          [](const llvm::DiagnosticInfo *info, void *self) { static_cast<Run *>(self)->note(*info); }, this);
    }
    instance->getCodeGenOpts().PassBuilderCallbacks.push_back(skipPasses);
    instance->getCodeGenOpts().PassBuilderCallbacks.push_back(
        [&](llvm::PassBuilder &builder) { marks.watch(builder); });
    instance->createVirtualFileSystem(files);
    instance->setDiagnostics(diagnostics);
    instance->setVerboseOutputStream(stream);
  }

  /// Clang without its backend.
  struct FrontEnd : clang::ASTFrontendAction {
    FrontEnd(llvm::LLVMContext &context, clang::DependencyCollector *included) : context(context), included(included) {}

    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &instance, StringRef file) override {
      if (included)
        included->attachToPreprocessor(instance.getPreprocessor());
      auto made = clang::CreateLLVMCodeGen(instance, file, context);
      generator = made.get();
      return made;
    }

    void EndSourceFileAction() override { module = generator->ReleaseModule(); }

    llvm::LLVMContext &context;
    clang::DependencyCollector *included;
    clang::CodeGenerator *generator = nullptr;
    std::unique_ptr<llvm::Module> module;
  };

  /// A printed text alone, which includes nothing; beside a user's text are the machine's files.
  static llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> filesFor(StringRef source, const std::string &path,
                                                                  const UserText *user) {
    auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    memory->addFile(path, 0, llvm::MemoryBuffer::getMemBuffer(source, path, /*RequiresNullTerminator=*/false));
    if (!user)
      return memory;
    auto all = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
    all->pushOverlay(memory);
    return all;
  }

  void note(const llvm::DiagnosticInfo &info) {
    if (info.getSeverity() != llvm::DS_Error)
      return;
    hasFailed = true;
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    stream << "\n";
  }

  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files;
  std::string report;
  llvm::raw_string_ostream stream;
  clang::DiagnosticOptions diagnosticOptions;
  CodeGenerationGate gate;
  StageMarks marks;
  std::unique_ptr<llvm::LLVMContext> own;
  llvm::LLVMContext &context;
  std::shared_ptr<clang::DependencyCollector> included;
  std::unique_ptr<clang::CompilerInstance> instance;
  bool isValid = false, hasFailed = false;
};

/// The parts of a long text, which threads compile one after the other each.
class Parts {
public:
  Parts(llvm::ArrayRef<std::string> bitcodes, const Target &target, const CompileOptions &options)
      : bitcodes(bitcodes), target(target), options(options), results(bitcodes.size()) {}

  /// Compiles all parts, with as many threads as can be had.
  llvm::Expected<std::vector<std::string>> compile() {
    auto begin = std::chrono::steady_clock::now();
    std::vector<pthread_t> helpers;
    while (helpers.size() + 1 < std::min<size_t>(options.threads, bitcodes.size()))
      if (!startThread(helpers.emplace_back(), runAll, this)) {
        helpers.pop_back();
        break;
      }
    run();
    for (pthread_t helper : helpers)
      pthread_join(helper, nullptr);
    std::chrono::duration<double> whole = std::chrono::steady_clock::now() - begin;
    std::vector<std::string> objects;
    llvm::Error error = llvm::Error::success();
    for (Result &result : results) {
      if (result.isObject)
        objects.push_back(std::move(result.bytes));
      else
        error = llvm::joinErrors(std::move(error), llvm::createStringError(result.bytes));
    }
    if (error)
      return std::move(error);
    share(whole.count());
    return objects;
  }

  /// What the stages took, as shares of the time until all parts were done.
  ClangTimes times;

private:
  struct Result {
    bool isObject = false;
    std::string bytes; // or the error
    ClangTimes times;
  };

  static void *runAll(void *object) {
    static_cast<Parts *>(object)->run();
    return nullptr;
  }

  /// Compiles parts that nobody has begun.
  void run() {
    for (size_t part = next++; part < bitcodes.size(); part = next++) {
      Run run("", target, options);
      auto object = run.compile(run.module(bitcodes[part]), clang::Backend_EmitObj);
      Result &result = results[part];
      result.isObject = static_cast<bool>(object);
      result.bytes = object ? std::move(*object) : llvm::toString(object.takeError());
      result.times = run.times();
    }
  }

  void share(double whole) {
    for (const Result &result : results) {
      times.optimizer += result.times.optimizer;
      times.codeGeneration += result.times.codeGeneration;
    }
    const double scale = whole / std::max(times.optimizer + times.codeGeneration, 1e-9);
    times.optimizer *= scale;
    times.codeGeneration *= scale;
  }

  llvm::ArrayRef<std::string> bitcodes;
  const Target &target;
  const CompileOptions &options;
  std::vector<Result> results;
  std::atomic<size_t> next = 0;
};

static llvm::Error checkGenerator(const Target &target) {
  if (!target.textOnly)
    return llvm::Error::success();
  return llvm::createStringError("there is text alone for " + target.name +
                                 ": a C++ compiler for it makes machine code of that");
}

llvm::Expected<std::vector<std::string>> compileToObjects(StringRef source, const Target &target,
                                                          const CompileOptions &options) {
  if (llvm::Error error = checkGenerator(target))
    return error;
  initializeTargets();
  auto begin = std::chrono::steady_clock::now();
  Run run(source, target, options);
  std::unique_ptr<llvm::Module> module = run.moduleWith(options.userTexts, target, options);
  if (module)
    if (std::vector<std::string> parts = splitModule(*module); !parts.empty()) {
      std::chrono::duration<double> frontEnd = std::chrono::steady_clock::now() - begin;
      Parts all(parts, target, options);
      auto objects = all.compile();
      if (options.times)
        *options.times = {frontEnd.count(), all.times.optimizer, all.times.codeGeneration};
      return objects;
    }
  auto object = run.compile(std::move(module), clang::Backend_EmitObj);
  if (!object)
    return object.takeError();
  if (options.times)
    *options.times = run.times();
  return std::vector<std::string>{std::move(*object)};
}

llvm::Expected<std::string> compileToAssembly(StringRef source, const Target &target, const CompileOptions &options) {
  if (llvm::Error error = checkGenerator(target))
    return error;
  initializeTargets();
  Run run(source, target, options);
  return run.compile(run.moduleWith(options.userTexts, target, options), clang::Backend_EmitAssembly);
}

llvm::Expected<std::vector<std::string>> compileUserText(const UserText &text, const Target &target,
                                                         std::vector<std::string> &includes) {
  if (llvm::Error error = checkGenerator(target))
    return error;
  initializeTargets();
  Run run(text, target, CompileOptions());
  std::unique_ptr<llvm::Module> module = run.module();
  if (!module)
    return llvm::createStringError(run.diagnosticText());
  Run::keepEntries(*module, text);
  includes = run.includes();
  auto object = run.compile(std::move(module), clang::Backend_EmitObj);
  if (!object)
    return object.takeError();
  return std::vector<std::string>{std::move(*object)};
}

} // namespace quernel
