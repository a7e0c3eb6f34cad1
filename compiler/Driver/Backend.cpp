#include "compiler/Driver/Backend.h"
#include "compiler/Dialect/UserLines.h"
#include "compiler/Emit/Emit.h"
#include "compiler/Toolchain/Clang.h"
#include "compiler/Toolchain/Nvrtc.h"

using namespace mlir;
using namespace quernel;

namespace {

/// A shared object of C++ text, by Clang and LLD in the process.
llvm::Expected<std::string> compileAndLink(StringRef source, const Target &target, const DriverOptions &options,
                                           ArrayRef<UserText> userTexts, Stopwatch &stopwatch) {
  ClangTimes times;
  auto objects = compileToObjects(source, target,
                                  {.fastMath = options.fastMath,
                                   .optimize = options.optimize,
                                   .threads = options.threads,
                                   .userTexts = userTexts,
                                   .times = &times});
  if (!objects)
    return objects.takeError();
  stopwatch.lap(times);
  auto shared = linkShared(*objects, {.soname = "", .libraries = options.libraries});
  stopwatch.lap("link");
  return shared;
}

/// Text that has the bytes of an image, as runtime/abi.h says.
std::string imageText(StringRef image, StringRef program) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "extern \"C\" {\nextern const char " << program << "_image[];\nextern const long long " << program
      << "_image_bytes;\nalignas(64) const char " << program << "_image[] = \"";
  for (unsigned char byte : image) // always three digits, so that a digit may follow
    out << '\\' << char('0' + (byte >> 6)) << char('0' + (byte >> 3 & 7)) << char('0' + (byte & 7));
  out << "\";\nconst long long " << program << "_image_bytes = " << image.size() << ";\n}\n";
  return text;
}

/// C++ by Clang and LLD, in the process.
class CpuBackend : public Backend {
  /// What -march has to say, for other compilers: of this machine its level.
  std::string machine() const { return (target.name == "host" ? Target::hostLevel() : StringRef(target.cpu)).str(); }

public:
  CpuBackend(Target target, const DriverOptions &options, ArrayRef<UserText> userTexts)
      : Backend(std::move(target), options, userTexts) {}

  StringRef textStage() const override { return "cpp"; }
  StringRef assemblyStage() const override { return "asm"; }

  LogicalResult emit(ModuleOp module, llvm::raw_ostream &out) const override {
    return emitCpp(module, out,
                   {.vectorBytes = static_cast<unsigned>(target.info.vectorBytes),
                    .mathIsa = target.mathIsa,
                    .svml = target.svml,
                    .machine = machine()});
  }

  llvm::Expected<std::string> compile(StringRef source, StringRef, Stopwatch &stopwatch) const override {
    return compileAndLink(source, target, options, userTexts, stopwatch);
  }

  llvm::Expected<std::string> assembly(StringRef source) const override {
    return compileToAssembly(source, target,
                             {.fastMath = options.fastMath, .optimize = options.optimize, .userTexts = userTexts});
  }
};

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

/// The host's part of programs for devices is for every processor.
constexpr StringLiteral hostOfDevices = "x86-64";

/// CUDA C++ by NVRTC; the program that launches the kernels by Clang, with what NVRTC gave inside.
class CudaBackend : public Backend {
public:
  CudaBackend(Target target, const DriverOptions &options, ArrayRef<UserText> userTexts)
      : Backend(std::move(target), options, userTexts) {}

  StringRef textStage() const override { return "cuda"; }
  StringRef assemblyStage() const override { return "ptx"; }

  /// A function of the user's in C++ runs on the host alone.
  bool supports(ModuleOp module, DriverError &error) const override {
    std::optional<GridObstacle> obstacle = findGridObstacle(module);
    if (!obstacle)
      return true;
    std::string lines = linesOf(obstacle->op);
    error.isUnsupported = true;
    error.message = obstacle->what + (lines.empty() ? "" : " (" + lines + ")") + ", which CUDA targets don't have";
    return false;
  }

  LogicalResult emit(ModuleOp module, llvm::raw_ostream &out) const override { return emitCuda(module, out, {}); }

  llvm::Expected<std::string> compile(StringRef source, StringRef program, Stopwatch &stopwatch) const override {
    auto image = nvrtc(source, false);
    if (!image)
      return image.takeError();
    stopwatch.lap("NVRTC");
    auto host = Target::parse(hostOfDevices);
    if (!host)
      return host.takeError();
    return compileAndLink(source.str() + imageText(*image, program), *host, options, userTexts, stopwatch);
  }

  llvm::Expected<std::string> assembly(StringRef source) const override { return nvrtc(source, true); }

private:
  llvm::Expected<std::string> nvrtc(StringRef source, bool ptx) const {
    auto image =
        compileCuda(source, target.name, {.searchPath = options.nvrtcPath, .ptx = ptx, .fastMath = options.fastMath});
    if (!image)
      return image.takeError();
    return std::move(image->bytes);
  }
};

} // namespace

llvm::Expected<std::unique_ptr<Backend>> Backend::of(StringRef name, const DriverOptions &options,
                                                     ArrayRef<UserText> userTexts) {
  auto target = Target::parse(name);
  if (!target)
    return target.takeError();
  if (target->isGpu())
    return std::make_unique<CudaBackend>(std::move(*target), options, userTexts);
  return std::make_unique<CpuBackend>(std::move(*target), options, userTexts);
}

llvm::Expected<std::unique_ptr<Backend>>
Backend::withStage(StringRef stage, StringRef name, const DriverOptions &options, ArrayRef<UserText> userTexts) {
  auto backend = of(name, options, userTexts);
  if (!backend || (*backend)->textStage() == stage || (*backend)->assemblyStage() == stage)
    return backend;
  const bool isGpu = (*backend)->info().kind == TargetKind::gpu;
  auto other = of(isGpu ? "host" : "sm_80", options, userTexts);
  if (other && (*other)->textStage() != stage && (*other)->assemblyStage() != stage)
    return backend;
  return other;
}
