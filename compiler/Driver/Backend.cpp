#include "compiler/Driver/Backend.h"
#include "compiler/Dialect/Quernel.h"
#include "compiler/Dialect/UserLines.h"
#include "compiler/Emit/Emit.h"
#include "compiler/Toolchain/Clang.h"
#include "compiler/Toolchain/Nvrtc.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

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

/// The compute capability that an architecture like `sm_90` has as a number, and whether its name says more: then its
/// PTX isn't for later devices.
std::pair<unsigned, bool> capabilityOf(StringRef architecture) {
  unsigned number = 0;
  architecture.consume_front("sm_");
  (void)architecture.consumeInteger(10, number);
  return {number, !architecture.empty()};
}

/// The text of the images of a program for a device, as runtime/abi.h says.
class ImagesText {
public:
  ImagesText(StringRef program, StringRef source, StringRef architecture)
      : program(program), source(source), architecture(architecture), out(text) {
    out << "namespace quernel {\nstruct qn_binary {\n  const void *bytes;\n  long long size;\n  int capability, "
           "is_ptx;\n};\nstruct qn_image {\n  const qn_binary *binaries;\n  const char *const *kernels;\n};\n";
  }

  /// Another image; the kernels of the program's own are listed in the source already.
  void add(const CudaImage &image, const std::string &kernels) {
    const std::string name = (program + "_image_" + Twine(count++)).str();
    const auto [capability, isSpecial] = capabilityOf(architecture);
    std::string binaries = binary(image.cubin, name + "_cubin", capability, false);
    if (!isSpecial)
      binaries += binary(image.ptx, name + "_ptx", capability, true);
    out << "static const qn_binary " << name << "[] = {" << binaries << "{nullptr, 0, 0, 0}};\n";
    table += "{" + name + ", " + kernels + "}, ";
  }

  /// The image of a text of the user's, whose kernels are numbered behind those before.
  void add(const UserText &user, const CudaImage &image) {
    const std::string names = (program + "_kernels_" + Twine(count)).str();
    out << "static const char *const " << names << "[] = {\"" << llvm::join(image.kernels, "\", \"")
        << "\", nullptr};\n";
    for (const UserKernel &kernel : user.kernels)
      out << "extern \"C\" const int " << kernel.entry << "_kernel;\nconst int " << kernel.entry << "_kernel = sizeof "
          << program << "_kernels / sizeof *" << program << "_kernels - 1 + " << numbered++ << ";\n";
    add(image, names);
  }

  std::string str() {
    out << "extern \"C\" const qn_image " << program << "_images[];\nconst qn_image " << program << "_images[] = {"
        << table << "{nullptr, nullptr}};\n}\n";
    return source.str() + text;
  }

private:
  /// The bytes of a binary, which the driver may read to the zero behind them, as an array; gives its row of the table.
  std::string binary(StringRef bytes, const std::string &name, unsigned capability, bool isPtx) {
    out << "alignas(64) static const char " << name << "[] = \"";
    for (unsigned char byte : bytes)
      if (llvm::isPrint(byte) && byte != '"' && byte != '\\')
        out << char(byte);
      else // always three digits, so that a digit may follow
        out << '\\' << char('0' + (byte >> 6)) << char('0' + (byte >> 3 & 7)) << char('0' + (byte & 7));
    out << "\";\n";
    return "{" + name + ", " + std::to_string(bytes.size()) + ", " + std::to_string(capability) + ", " +
           std::to_string(isPtx) + "}, ";
  }

  const StringRef program, source, architecture;
  size_t count = 0, numbered = 0; ///< of the images, and of the user's kernels
  std::string table, text;
  llvm::raw_string_ostream out;
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

/// C++ by Clang and LLD, in the process.
class CpuBackend : public Backend {
  /// What -march has to say, for other compilers: of this machine its level.
  std::string machine() const { return (target.name == "host" ? Target::hostLevel() : StringRef(target.cpu)).str(); }

public:
  CpuBackend(Target target, const DriverOptions &options, ArrayRef<UserText> userTexts)
      : Backend(std::move(target), options, userTexts, /*isCuda=*/false) {}

  StringRef textStage() const override { return "cpp"; }
  StringRef assemblyStage() const override { return "asm"; }

  bool supports(ModuleOp module, DriverError &error) const override {
    return hasOwnCallsAlone(module, "a kernel in CUDA C++", "which CPUs don't run", error);
  }

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

/// The host's part of programs for devices is for every processor.
constexpr StringLiteral hostOfDevices = "x86-64";

/// CUDA C++ by NVRTC; the program that launches the kernels by Clang, with what NVRTC gave inside.
class CudaBackend : public Backend {
public:
  CudaBackend(Target target, const DriverOptions &options, ArrayRef<UserText> userTexts)
      : Backend(std::move(target), options, userTexts, /*isCuda=*/true) {}

  StringRef textStage() const override { return "cuda"; }
  StringRef assemblyStage() const override { return "ptx"; }

  bool supports(ModuleOp module, DriverError &error) const override {
    return hasOwnCallsAlone(module, "a function in C++", "which CUDA targets don't have", error);
  }

  LogicalResult emit(ModuleOp module, llvm::raw_ostream &out) const override { return emitCuda(module, out, {}); }

  llvm::Expected<std::string> compile(StringRef source, StringRef program, Stopwatch &stopwatch) const override {
    ImagesText images(program, source, target.name);
    auto own = nvrtc(source);
    if (!own)
      return own.takeError();
    images.add(*own, (program + "_kernels").str());
    for (const UserText &user : userTexts) {
      auto image = compileCuda(user, target.name, {.searchPath = options.nvrtcPath});
      if (!image)
        return image.takeError();
      images.add(user, *image);
    }
    stopwatch.lap("NVRTC");
    auto host = Target::parse(hostOfDevices);
    if (!host)
      return host.takeError();
    return compileAndLink(images.str(), *host, options, userTexts, stopwatch);
  }

  llvm::Expected<std::string> assembly(StringRef source) const override {
    auto image = nvrtc(source);
    if (!image)
      return image.takeError();
    return std::move(image->ptx);
  }

private:
  llvm::Expected<CudaImage> nvrtc(StringRef source) const {
    return compileCuda(source, target.name, {.searchPath = options.nvrtcPath, .fastMath = options.fastMath});
  }
};

} // namespace

bool Backend::hasOwnCallsAlone(ModuleOp module, StringRef other, StringRef why, DriverError &error) const {
  func::CallOp found;
  module.walk([&](func::CallOp call) {
    Operation *callee = SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr());
    const bool isOwn = llvm::any_of(
        userTexts, [&](const UserText &text) { return llvm::is_contained(text.entries, call.getCallee()); });
    if (!callee || !hasRole(callee, FunctionRole::user) || isOwn)
      return WalkResult::advance();
    found = call;
    return WalkResult::interrupt();
  });
  if (!found)
    return true;
  const std::string lines = linesOf(found);
  error.isUnsupported = true;
  error.message =
      ("`" + found.getCallee() + "`, " + other + (lines.empty() ? "" : " (" + lines + ")") + ", " + why).str();
  return false;
}

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
