// A stand-in for NVRTC: compiles CUDA text as C++ for the host, with the compiler that the environment variable CXX
// names, or g++. What it gives as cubin is a shared object for the emulator's driver, and as PTX the same behind a line
// that says so.
//
// Compiled objects are kept in the folder EMULATOR_CACHE, where that is set, by what they were made from. Options that
// don't concern the text are accepted and ignored, those unknown too. With EMULATOR_NVRTC, the path of NVIDIA's
// library, a text that it refuses, or warns of, is an error.
#include "Nvidia.h"
#include "Settings.h"
#include "Text.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

extern char **environ;

namespace fs = std::filesystem;

namespace {

enum Result { Success = 0, OutOfMemory = 1, InvalidInput = 3, InvalidProgram = 4, Compilation = 6, Internal = 11 };

struct Program {
  std::string text, name, log, image;
  std::vector<std::string> kernels; ///< whose names are asked for
};

std::string contents(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// The folder of this library, wherever links to it lie.
fs::path ownFolder() {
  Dl_info info;
  dladdr(reinterpret_cast<void *>(&ownFolder), &info);
  return fs::canonical(info.dli_fname).parent_path();
}

/// Where the prelude lies.
fs::path includeFolder() { return ownFolder().parent_path() / "include"; }

/// What each text is linked with.
fs::path callbacks() { return ownFolder() / "callbacks.o"; }

/// A folder that goes with its owner.
struct TemporaryFolder {
  fs::path path;

  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "quernel-emulator-XXXXXX").string();
    if (mkdtemp(pattern.data()))
      path = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path.empty())
      fs::remove_all(path, ignored);
  }
};

std::vector<std::string> compilerCommand() {
  const char *variable = getenv("CXX");
  std::string text = variable && *variable ? variable : "g++";
  std::vector<std::string> words(1);
  for (char c : text)
    if (c != ' ')
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  return words;
}

/// Runs a command with its messages in a file. Whether it ended well.
bool run(const std::vector<std::string> &command, const fs::path &messages) {
  std::vector<char *> arguments;
  for (const std::string &word : command)
    if (!word.empty())
      arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, messages.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  int code = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) {
    write(messages, std::string("cannot run ") + arguments[0] + ": " + strerror(code) + "\n");
    return false;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Only libm and libc are linked: what else an instrumented text calls is missing when it is linked, not when it runs. A
// kernel may have the name of a function of theirs, so the object's own names count first. The flags that texts are
// compiled with are those of the prelude, which the build precompiles.
const std::vector<std::string> compileFlags = {"-xc++", EMULATOR_COMPILE_FLAGS};
const std::vector<std::string> linkFlags = {"-shared", "-nostdlib", "-Wl,-Bsymbolic", "-Wl,-z,defs", "-Wl,-z,now",
                                            "-lm",     "-lc",       "-lgcc"};

std::string digest(const std::string &bytes) {
  std::string text;
  for (uint64_t hash : {0xcbf29ce484222325ull, 0x9ae16a3b2f90404full}) {
    for (unsigned char c : bytes)
      hash = (hash ^ c) * 0x100000001b3ull, hash ^= hash >> 32;
    char hex[20];
    snprintf(hex, sizeof(hex), "%016llx", static_cast<unsigned long long>(hash));
    text += hex;
  }
  return text;
}

/// What decides how the object comes out, and whether there is one.
std::string cacheKey(const std::string &text, const std::vector<std::string> &options) {
  std::string all = text;
  for (const char *name : {"EMULATOR_NVRTC", "EMULATOR_ARCHITECTURES"})
    all += '\0' + emulator::variable(name, "");
  for (const std::vector<std::string> &words : {compilerCommand(), compileFlags, linkFlags, options})
    for (const std::string &word : words)
      all += '\0' + word;
  std::vector<fs::path> headers;
  for (const auto &entry : fs::directory_iterator(includeFolder()))
    if (entry.path().extension() == ".h") // what is precompiled follows from those
      headers.push_back(entry.path());
  std::sort(headers.begin(), headers.end());
  for (const fs::path &header : headers)
    all += '\0' + contents(header);
  return digest(all + '\0' + contents(callbacks()));
}

bool build(Program &program, const std::string &text, const std::vector<std::string> &options) {
  TemporaryFolder folder;
  // The text's own name, which the line tables repeat.
  fs::path source = folder.path / fs::path(program.name).filename(), object = folder.path / "object.o",
           image = folder.path / "image.so", messages = folder.path / "log";
  if (folder.path.empty())
    return false;
  write(source, text);
  std::vector<std::string> compile = compilerCommand(), link = compile;
  compile.insert(compile.end(), compileFlags.begin(), compileFlags.end());
  compile.insert(compile.end(), options.begin(), options.end());
  for (const std::string &word :
       {"-iquote" + includeFolder().string(), std::string("-c"), source.string(), std::string("-o"), object.string()})
    compile.push_back(word);
  link.insert(link.end(), {object.string(), callbacks().string(), "-o", image.string()});
  link.insert(link.end(), linkFlags.begin(), linkFlags.end());
  bool well = run(compile, messages) && run(link, messages);
  program.log = contents(messages);
  if (well)
    program.image = contents(image);
  return well;
}

/// What is compiled.
struct Source {
  std::string text, complete;       ///< as it was given, and with the prelude
  std::vector<std::string> options; ///< for the host's compiler
  std::vector<std::string> others;  ///< those that were given, without the architecture
};

/// Compiles a text that NVIDIA's library, where it is asked, has nothing to say about.
bool check(Program &program, const Source &source) {
  program.log = emulator::complaints(source.text, program.name, source.others);
  return program.log.empty() && build(program, source.complete, source.options);
}

/// Compiles, or takes what is kept.
bool make(Program &program, const Source &source) {
  const char *cache = getenv("EMULATOR_CACHE");
  if (!cache || !*cache)
    return check(program, source);
  fs::path kept = fs::path(cache) / (cacheKey(source.complete, source.options) + ".so");
  program.image = contents(kept);
  if (!program.image.empty())
    return true;
  if (!check(program, source))
    return false;
  std::error_code ignored;
  fs::create_directories(cache, ignored);
  fs::path written = kept.string() + "." + std::to_string(getpid());
  write(written, program.image);
  fs::rename(written, kept, ignored);
  return true;
}

int get(const std::string &from, char *to) {
  memcpy(to, from.c_str(), from.size() + 1);
  return Success;
}

} // namespace

EXPORT int nvrtcVersion(int *major, int *minor) {
  *major = 13, *minor = 0;
  return Success;
}

EXPORT int nvrtcGetNumSupportedArchs(int *count) {
  *count = 4;
  return Success;
}

EXPORT int nvrtcGetSupportedArchs(int *architectures) {
  for (int number : {75, 80, 90, 100})
    *architectures++ = number;
  return Success;
}

EXPORT const char *nvrtcGetErrorString(int code) {
  switch (code) {
  case Success:
    return "NVRTC_SUCCESS";
  case OutOfMemory:
    return "NVRTC_ERROR_OUT_OF_MEMORY";
  case InvalidInput:
    return "NVRTC_ERROR_INVALID_INPUT";
  case InvalidProgram:
    return "NVRTC_ERROR_INVALID_PROGRAM";
  case Compilation:
    return "NVRTC_ERROR_COMPILATION";
  default:
    return "NVRTC_ERROR_INTERNAL_ERROR";
  }
}

EXPORT int nvrtcCreateProgram(Program **program, const char *text, const char *name, int headers,
                              const char *const *headerTexts, const char *const *headerNames) {
  if (headers != 0)
    return InvalidInput;
  *program = new Program{text, name && *name ? name : "default_program", "", "", {}};
  return Success;
}

EXPORT int nvrtcDestroyProgram(Program **program) {
  delete *program;
  *program = nullptr;
  return Success;
}

EXPORT int nvrtcCompileProgram(Program *program, int count, const char *const *options) {
  if (!program)
    return InvalidProgram;
  std::string architecture = "compute_75";
  std::vector<std::string> passed, others;
  for (int i = 0; i < count; ++i) {
    std::string option = options[i];
    bool isOther = true;
    for (const char *name : {"--gpu-architecture=", "-arch="})
      if (option.rfind(name, 0) == 0) {
        architecture = option.substr(strlen(name));
        isOther = false;
      }
    if (isOther)
      others.push_back(option);
    if (option.rfind("-D", 0) == 0)
      passed.push_back(option);
    if (option.rfind("--define-macro=", 0) == 0)
      passed.push_back("-D" + option.substr(15));
    if (option.rfind("--include-path=", 0) == 0)
      passed.push_back("-I" + option.substr(15));
  }
  const Source source = {program->text, emulator::complete(program->text, program->name, architecture), passed, others};
  return make(*program, source) ? Success : Compilation;
}

/// Kernels are found by the names that the text has for them.
EXPORT int nvrtcAddNameExpression(Program *program, const char *name) {
  program->kernels.push_back(name);
  return Success;
}
EXPORT int nvrtcGetLoweredName(Program *program, const char *name, const char **lowered) {
  for (const std::string &kernel : program->kernels)
    if (kernel == name) {
      *lowered = kernel.c_str() + (kernel.rfind("::", 0) == 0 ? 2 : 0);
      return Success;
    }
  return InvalidInput;
}

EXPORT int nvrtcGetProgramLogSize(Program *program, size_t *size) {
  *size = program->log.size() + 1;
  return Success;
}
EXPORT int nvrtcGetProgramLog(Program *program, char *log) { return get(program->log, log); }

EXPORT int nvrtcGetCUBINSize(Program *program, size_t *size) {
  *size = program->image.size();
  return Success;
}
EXPORT int nvrtcGetCUBIN(Program *program, char *image) {
  memcpy(image, program->image.data(), program->image.size());
  return Success;
}

// PTX ends with a zero.
EXPORT int nvrtcGetPTXSize(Program *program, size_t *size) {
  *size = strlen(emulator::ptxLine) + program->image.size() + 1;
  return Success;
}
EXPORT int nvrtcGetPTX(Program *program, char *image) { return get(emulator::ptxLine + program->image, image); }
