#include "compiler/Toolchain/Nvrtc.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <optional>

using llvm::StringRef;

namespace quernel {

namespace {
/// The functions of nvrtc.h that are used. All return 0 if all is well.
struct Nvrtc {
  using Program = struct ProgramTag *;
  int (*version)(int *, int *);
  int (*countArchitectures)(int *);
  int (*listArchitectures)(int *);
  const char *(*errorString)(int);
  int (*createProgram)(Program *, const char *, const char *, int, const char *const *, const char *const *);
  int (*destroyProgram)(Program *);
  int (*addNameExpression)(Program, const char *);
  int (*getLoweredName)(Program, const char *, const char **);
  int (*compileProgram)(Program, int, const char *const *);
  int (*getLogSize)(Program, size_t *);
  int (*getLog)(Program, char *);
  int (*getCubinSize)(Program, size_t *);
  int (*getCubin)(Program, char *);
  int (*getPtxSize)(Program, size_t *);
  int (*getPtx)(Program, char *);
};
} // namespace

static const char *const libraryNames[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};

static std::vector<std::string> folders(const CudaOptions &options) {
  std::vector<std::string> result;
  for (const char *variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char *root = getenv(variable); root && *root)
      result.push_back(std::string(root) + "/lib64");
  llvm::append_range(result, options.searchPath);
  // The empty folder asks the dynamic loader.
  result.insert(result.end(), {"", "/usr/local/cuda/lib64"});
  return result;
}

template <typename Function> static bool resolve(void *handle, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  return function != nullptr;
}

static std::optional<Nvrtc> resolveAll(void *handle) {
  Nvrtc nvrtc;
  bool complete = resolve(handle, "nvrtcVersion", nvrtc.version) &&
                  resolve(handle, "nvrtcGetNumSupportedArchs", nvrtc.countArchitectures) &&
                  resolve(handle, "nvrtcGetSupportedArchs", nvrtc.listArchitectures) &&
                  resolve(handle, "nvrtcGetErrorString", nvrtc.errorString) &&
                  resolve(handle, "nvrtcCreateProgram", nvrtc.createProgram) &&
                  resolve(handle, "nvrtcDestroyProgram", nvrtc.destroyProgram) &&
                  resolve(handle, "nvrtcAddNameExpression", nvrtc.addNameExpression) &&
                  resolve(handle, "nvrtcGetLoweredName", nvrtc.getLoweredName) &&
                  resolve(handle, "nvrtcCompileProgram", nvrtc.compileProgram) &&
                  resolve(handle, "nvrtcGetProgramLogSize", nvrtc.getLogSize) &&
                  resolve(handle, "nvrtcGetProgramLog", nvrtc.getLog) &&
                  resolve(handle, "nvrtcGetCUBINSize", nvrtc.getCubinSize) &&
                  resolve(handle, "nvrtcGetCUBIN", nvrtc.getCubin) &&
                  resolve(handle, "nvrtcGetPTXSize", nvrtc.getPtxSize) && resolve(handle, "nvrtcGetPTX", nvrtc.getPtx);
  return complete ? std::optional(nvrtc) : std::nullopt;
}

/// The library in the first folder that has it; it stays open until the process ends.
static llvm::Expected<Nvrtc> open(const CudaOptions &options) {
  static std::mutex mutex;
  static std::map<std::vector<std::string>, Nvrtc> opened;
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<std::string> places = folders(options);
  if (auto found = opened.find(places); found != opened.end())
    return found->second;
  for (const std::string &folder : places)
    for (const char *name : libraryNames) {
      void *handle = dlopen((folder.empty() ? name : folder + "/" + name).c_str(), RTLD_NOW | RTLD_LOCAL);
      if (!handle)
        continue;
      if (std::optional<Nvrtc> nvrtc = resolveAll(handle))
        return opened.emplace(places, *nvrtc).first->second;
      dlclose(handle);
    }
  std::vector<std::string> named;
  for (const std::string &folder : places)
    named.push_back(folder.empty() ? "the loader's folders" : folder);
  return llvm::createStringError("NVRTC is not installed: there is no libnvrtc.so.13 or .12 in " +
                                 llvm::join(named, ", ") +
                                 ". Install the CUDA toolkit, or the package nvidia-cuda-nvrtc from PyPI.");
}

using Getter = int (*)(Nvrtc::Program, char *);
using SizeGetter = int (*)(Nvrtc::Program, size_t *);

static std::string fetch(Nvrtc::Program program, SizeGetter getSize, Getter get) {
  size_t size = 0;
  if (getSize(program, &size) != 0)
    return {};
  std::string bytes(size, '\0');
  return get(program, bytes.data()) == 0 ? bytes : std::string();
}

static std::vector<std::string> arguments(StringRef architecture, const CudaOptions &options, const UserText *user) {
  // Contraction would give other bits than the CPU's.
  std::vector<std::string> result = {"--gpu-architecture=" + architecture.str(), "--std=c++17",
                                     options.fastMath && !user ? "--fmad=true" : "--fmad=false"};
  if (!user)
    return result;
  for (const std::string &folder : user->systemFolders)
    result.push_back("--include-path=" + folder);
  return result;
}

/// What is left of a program, whatever becomes of it.
struct ProgramGuard {
  const Nvrtc &nvrtc;
  Nvrtc::Program program = nullptr;
  ~ProgramGuard() {
    if (program)
      nvrtc.destroyProgram(&program);
  }
};

/// The names of the user's kernels in the image.
static std::vector<std::string> namesInImage(const Nvrtc &nvrtc, Nvrtc::Program program, const UserText &user) {
  std::vector<std::string> names;
  for (const UserKernel &kernel : user.kernels) {
    const char *name = nullptr;
    if (nvrtc.getLoweredName(program, ("::" + kernel.name).c_str(), &name) == 0)
      names.push_back(name);
  }
  return names;
}

static llvm::Expected<CudaImage> compiled(const std::string &text, const std::string &name, StringRef architecture,
                                          const CudaOptions &options, const UserText *user) {
  if (!architecture.starts_with("sm_"))
    return llvm::createStringError("unknown CUDA target '" + architecture + "'; it has to be like sm_90");
  llvm::Expected<Nvrtc> nvrtc = open(options);
  if (!nvrtc)
    return nvrtc.takeError();
  ProgramGuard guard{*nvrtc};
  if (int code = nvrtc->createProgram(&guard.program, text.c_str(), name.c_str(), 0, nullptr, nullptr))
    return llvm::createStringError(std::string("NVRTC cannot start: ") + nvrtc->errorString(code));
  Nvrtc::Program program = guard.program;
  if (user)
    for (const UserKernel &kernel : user->kernels)
      nvrtc->addNameExpression(program, ("::" + kernel.name).c_str());
  std::vector<std::string> texts = arguments(architecture, options, user);
  std::vector<const char *> pointers;
  for (const std::string &argument : texts)
    pointers.push_back(argument.c_str());
  int code = nvrtc->compileProgram(program, static_cast<int>(pointers.size()), pointers.data());
  CudaImage image;
  // The log ends with a zero.
  image.log = StringRef(fetch(program, nvrtc->getLogSize, nvrtc->getLog)).rtrim(StringRef("\0\n", 2)).str();
  if (code != 0 && user)
    return llvm::createStringError(image.log.empty() ? nvrtc->errorString(code) : image.log);
  if (code != 0)
    return llvm::createStringError(std::string("NVRTC cannot compile the generated text: ") + nvrtc->errorString(code) +
                                   "\n" + image.log);
  image.cubin = fetch(program, nvrtc->getCubinSize, nvrtc->getCubin);
  image.ptx = fetch(program, nvrtc->getPtxSize, nvrtc->getPtx);
  if (!image.ptx.empty()) // it ends with a zero, too
    image.ptx.pop_back();
  if (user)
    image.kernels = namesInImage(*nvrtc, program, *user);
  return image;
}

llvm::Expected<CudaImage> compileCuda(StringRef source, StringRef architecture, const CudaOptions &options) {
  return compiled(source.str(), "kernels.cu", architecture, options, nullptr);
}

llvm::Expected<CudaImage> compileCuda(const UserText &text, StringRef architecture, const CudaOptions &options) {
  return compiled(text.cuda, text.path, architecture, options, &text);
}

llvm::Expected<std::vector<std::string>> nvrtcArchitectures(const CudaOptions &options) {
  llvm::Expected<Nvrtc> nvrtc = open(options);
  if (!nvrtc)
    return nvrtc.takeError();
  int count = 0;
  if (nvrtc->countArchitectures(&count) != 0)
    count = 0;
  std::vector<int> numbers(count);
  if (count && nvrtc->listArchitectures(numbers.data()) != 0)
    numbers.clear();
  std::vector<std::string> names;
  for (int number : numbers)
    names.push_back("sm_" + std::to_string(number));
  return names;
}

llvm::Expected<std::string> nvrtcVersion(const CudaOptions &options) {
  llvm::Expected<Nvrtc> nvrtc = open(options);
  if (!nvrtc)
    return nvrtc.takeError();
  int major = 0, minor = 0;
  nvrtc->version(&major, &minor);
  return std::to_string(major) + "." + std::to_string(minor);
}

} // namespace quernel
