// Compiles printed text with compiler/Toolchain: `quernel-compile --target=host kernels.cpp -o kernels.so`.
#include "compiler/Toolchain/Clang.h"
#include "compiler/Toolchain/Nvrtc.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;

static cl::opt<std::string> input(cl::Positional, cl::desc("<text>"), cl::init("-"));
static cl::opt<std::string> output("o", cl::desc("The result"), cl::init("-"));
static cl::opt<std::string> targetName("target", cl::desc("host, x86-64-v2, …, or sm_90, …"), cl::init("host"));
static cl::list<std::string> libraries("library", cl::desc("A shared library to link against"));
static cl::opt<bool> assembly("S", cl::desc("Print assembly"));
static cl::opt<bool> fastMath("fast-math", cl::desc("Let the compiler contract and reassociate"));
static cl::opt<bool> probe("probe-nvrtc", cl::desc("Print NVRTC's version"));

static Expected<std::string> compileFor(StringRef source) {
  if (StringRef(targetName).starts_with("sm_")) {
    Expected<quernel::CudaImage> image = quernel::compileCuda(source, targetName);
    if (!image)
      return image.takeError();
    return image->cubin;
  }
  Expected<quernel::Target> target = quernel::Target::parse(targetName);
  if (!target)
    return target.takeError();
  quernel::CompileOptions options;
  options.fastMath = fastMath;
  if (assembly)
    return quernel::compileToAssembly(source, *target, options);
  Expected<std::vector<std::string>> objects = quernel::compileToObjects(source, *target, options);
  if (!objects)
    return objects.takeError();
  return quernel::linkShared(*objects, {"", {libraries.begin(), libraries.end()}});
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv);
  ExitOnError check("quernel-compile: ");
  if (probe) {
    outs() << check(quernel::nvrtcVersion()) << "\n";
    return 0;
  }
  // LLD forgets the options that it doesn't know.
  std::string path = output;
  auto buffer = check(errorOrToExpected(MemoryBuffer::getFileOrSTDIN(input)));
  std::string result = check(compileFor(buffer->getBuffer()));
  std::error_code error;
  ToolOutputFile file(path, error, sys::fs::OF_None);
  check(errorCodeToError(error));
  file.os() << result;
  file.keep();
  return 0;
}
