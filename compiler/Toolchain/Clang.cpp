#include "compiler/Toolchain/Clang.h"
#include "compiler/Toolchain/SkippedPasses.h"

#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/TargetParser/Host.h"

#include <array>
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

/// What the driver would hand to `clang -cc1`.
static std::vector<std::string> arguments(const Target &target, const CompileOptions &options,
                                          const std::string &path) {
  std::vector<std::string> result = {
      "-triple", llvm::sys::getDefaultTargetTriple(), "-target-cpu", target.cpu, options.optimize ? "-O3" : "-O0",
      "-std=c++17", "-x", "c++", "-fopenmp", "-D", "QUERNEL_RUNTIME", "-vectorize-loops", "-mrelocation-model", "pic",
      "-pic-level", "2", "-nobuiltininc", "-nostdsysteminc", "-w", "-disable-llvm-verifier", "-discard-value-names",
      // LLVM aligns the stack for vectors that it spills only where a register is kept for the frame. Otherwise each
      // spill around a call crosses cache lines, or not, as the caller's stack happens to lie: half the speed.
      "-mframe-pointer=all",
      // Some processors prefer half of their width; the text was vectorised for all of it.
      "-mprefer-vector-width=" + std::to_string(target.info.vectorBytes * 8)};
  for (const std::string &feature : target.features) {
    result.push_back("-target-feature");
    result.push_back(feature);
  }
  if (options.fastMath)
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

template <typename Action>
static llvm::Expected<std::string> compile(StringRef source, const Target &target, const CompileOptions &options) {
  initializeTargets();
  std::string path = "/" + options.fileName;
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  files->addFile(path, 0, llvm::MemoryBuffer::getMemBuffer(source, path, /*RequiresNullTerminator=*/false));

  std::string report;
  llvm::raw_string_ostream reportStream(report);
  clang::DiagnosticOptions diagnosticOptions;
  auto diagnostics = clang::CompilerInstance::createDiagnostics(
      *files, diagnosticOptions, new clang::TextDiagnosticPrinter(reportStream, diagnosticOptions));

  std::vector<std::string> texts = arguments(target, options, path);
  std::vector<const char *> pointers;
  for (const std::string &text : texts)
    pointers.push_back(text.c_str());
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  bool valid = clang::CompilerInvocation::CreateFromArgs(*invocation, pointers, *diagnostics);

  clang::CompilerInstance instance(std::move(invocation));
  CodeGenerationGate gate;
  llvm::LLVMContext context;
  context.setOptPassGate(gate);
  StageMarks marks(gate);
  instance.getCodeGenOpts().PassBuilderCallbacks.push_back(skipPasses);
  instance.getCodeGenOpts().PassBuilderCallbacks.push_back([&](llvm::PassBuilder &builder) { marks.watch(builder); });
  instance.createVirtualFileSystem(files);
  instance.setDiagnostics(diagnostics);
  instance.setVerboseOutputStream(reportStream);
  llvm::SmallString<0> output;
  instance.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(output));
  Action action(&context);
  if (!valid || !instance.ExecuteAction(action) || diagnostics->hasErrorOccurred())
    return llvm::createStringError("Clang cannot compile the generated text:\n" + report);
  if (options.times)
    *options.times = marks.times();
  return std::string(output.str());
}

llvm::Expected<std::string> compileToObject(StringRef source, const Target &target, const CompileOptions &options) {
  return compile<clang::EmitObjAction>(source, target, options);
}

llvm::Expected<std::string> compileToAssembly(StringRef source, const Target &target, const CompileOptions &options) {
  return compile<clang::EmitAssemblyAction>(source, target, options);
}

} // namespace quernel
