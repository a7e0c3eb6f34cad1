#include "Nvidia.h"

#include "Settings.h"

#include <dlfcn.h>
#include <functional>

namespace {

using Program = struct ProgramTag *;

/// The functions of NVRTC that are needed, and why they can't be had.
struct Library {
  int (*version)(int *, int *) = nullptr;
  int (*createProgram)(Program *, const char *, const char *, int, const char *const *, const char *const *) = nullptr;
  int (*destroyProgram)(Program *) = nullptr;
  int (*compileProgram)(Program, int, const char *const *) = nullptr;
  int (*getLogSize)(Program, size_t *) = nullptr;
  int (*getLog)(Program, char *) = nullptr;
  std::string missing;

  explicit Library(const std::string &path) {
    handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      missing = dlerror();
      return;
    }
    find("nvrtcVersion", version);
    find("nvrtcCreateProgram", createProgram);
    find("nvrtcDestroyProgram", destroyProgram);
    find("nvrtcCompileProgram", compileProgram);
    find("nvrtcGetProgramLogSize", getLogSize);
    find("nvrtcGetProgramLog", getLog);
  }

  /// Whether it has a way to compile in less time, with code that nobody runs.
  bool compilesFast() const {
    int major = 0, minor = 0;
    return version(&major, &minor) == 0 && major >= 13;
  }

private:
  void *handle;

  template <typename Function> void find(const char *name, Function &function) {
    function = reinterpret_cast<Function>(dlsym(handle, name));
    if (!function)
      missing += std::string(name) + " is missing\n";
  }
};

std::string compile(const Library &library, const std::string &text, const std::string &name,
                    const std::vector<std::string> &options) {
  Program program;
  if (library.createProgram(&program, text.c_str(), name.c_str(), 0, nullptr, nullptr) != 0)
    return "it can't start\n";
  std::vector<const char *> words;
  for (const std::string &option : options)
    words.push_back(option.c_str());
  const int code = library.compileProgram(program, static_cast<int>(words.size()), words.data());
  size_t size = 0;
  library.getLogSize(program, &size);
  std::string log(size, '\0');
  library.getLog(program, log.data());
  library.destroyProgram(&program);
  log = log.c_str();
  return code != 0 && log.empty() ? "it fails without a word\n" : log;
}

} // namespace

std::string emulator::complaints(const std::string &text, const std::string &name,
                                 const std::vector<std::string> &options) {
  const std::string path = variable("EMULATOR_NVRTC", "");
  if (path.empty())
    return {};
  static const Library library(path);
  if (!library.missing.empty())
    return "EMULATOR_NVRTC: " + library.missing;
  std::string all;
  const std::vector<std::string> every = {"75", "80", "90", "100"};
  const size_t chosen = std::hash<std::string>()(text) % every.size();
  const bool isEach = variable("EMULATOR_ARCHITECTURES", "") == "all";
  for (const std::string &number : isEach ? every : std::vector<std::string>{every[chosen]}) {
    const std::string architecture = (isEach ? "sm_" : "compute_") + number;
    std::vector<std::string> words = {"--gpu-architecture=" + architecture};
    if (!isEach && library.compilesFast())
      words.emplace_back("--Ofast-compile=max");
    words.insert(words.end(), options.begin(), options.end());
    if (std::string log = compile(library, text, name, words); !log.empty())
      all += "NVRTC for " + architecture + ": " + log;
  }
  return all;
}
