#include "runtime/Loader.h"
#include "runtime/VectorMath.h"
#include <atomic>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace quernel::runtime;

namespace {

[[noreturn]] void fail(const std::string &path, const std::string &why) {
  throw std::runtime_error("can't load the compiled program " + path + ": " + why);
}

/// dlerror's text without the path that `fail` says already.
std::string loaderError(const std::string &path) {
  const char *text = dlerror();
  std::string error = text ? text : "unknown error";
  const std::string start = path + ": ";
  return error.starts_with(start) ? error.substr(start.size()) : error;
}

struct File {
  int descriptor;
  ~File() {
    if (descriptor >= 0)
      close(descriptor);
  }
};

/// Whether every segment lies inside the file: the loader maps what is missing, and touching it is a SIGBUS.
void checkComplete(const std::string &path) {
  File file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat status;
  if (file.descriptor < 0 || fstat(file.descriptor, &status) != 0)
    fail(path, std::strerror(errno));
  ElfW(Ehdr) header;
  if (pread(file.descriptor, &header, sizeof header, 0) != sizeof header ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    fail(path, "not a shared object");
  for (int k = 0; k < header.e_phnum; ++k) {
    ElfW(Phdr) segment;
    const off_t place = off_t(header.e_phoff) + off_t(k) * header.e_phentsize;
    if (pread(file.descriptor, &segment, sizeof segment, place) != sizeof segment ||
        segment.p_filesz > size_t(status.st_size) || segment.p_offset > size_t(status.st_size) - segment.p_filesz)
      fail(path, "the file is truncated");
  }
}

int memoryFileOf(std::string_view object) {
  int file = memfd_create("quernel", MFD_CLOEXEC);
  while (file >= 0 && !object.empty()) {
    ssize_t written = write(file, object.data(), object.size());
    if (written > 0) {
      object.remove_prefix(written);
    } else if (errno != EINTR) {
      const int error = errno;
      close(file);
      errno = error;
      return -1;
    }
  }
  return file;
}

/// A path of a descriptor that was never used before. The loader knows libraries by the texts of their paths, and
/// descriptors' numbers are used again; so each path spells the folder in another way.
std::string newPathOf(int file) {
  static std::atomic<uint64_t> counter = 0;
  std::string path = "/proc/self/fd";
  for (uint64_t rest = counter.fetch_add(1); rest; rest /= 2)
    path += rest % 2 ? "/." : "/";
  return path + "/" + std::to_string(file);
}

} // namespace

Program::Program(const std::string &path, const std::string &entry, const std::string &shapes) : objectPath(path) {
  try {
    checkComplete(path);
    handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      fail(path, loaderError(path));
    entryFunction = reinterpret_cast<qn_entry>(symbol(entry));
    if (!shapes.empty())
      shapesFunction = reinterpret_cast<qn_shapes>(symbol(shapes));
    kernelImages = static_cast<qn_images>(dlsym(handle, (entry + "_images").c_str()));
  } catch (...) {
    unload();
    throw;
  }
}

Program Program::fromBytes(std::string_view object, const std::string &entry, const std::string &shapes) {
  const File file{memoryFileOf(object)};
  if (file.descriptor < 0)
    throw std::runtime_error(std::string("can't make a memory file for a compiled program: ") + std::strerror(errno));
  return Program(newPathOf(file.descriptor), entry, shapes);
}

Program::Program(Program &&other) noexcept
    : objectPath(std::move(other.objectPath)), handle(std::exchange(other.handle, nullptr)),
      entryFunction(std::exchange(other.entryFunction, nullptr)),
      shapesFunction(std::exchange(other.shapesFunction, nullptr)),
      kernelImages(std::exchange(other.kernelImages, nullptr)) {}

Program &Program::operator=(Program &&other) noexcept {
  if (this != &other) {
    unload();
    objectPath = std::move(other.objectPath);
    handle = std::exchange(other.handle, nullptr);
    entryFunction = std::exchange(other.entryFunction, nullptr);
    shapesFunction = std::exchange(other.shapesFunction, nullptr);
    kernelImages = std::exchange(other.kernelImages, nullptr);
  }
  return *this;
}

Program::~Program() { unload(); }

void *Program::symbol(const std::string &name) const {
  void *address = name.empty() ? nullptr : dlsym(handle, name.c_str());
  if (!address)
    fail(objectPath, "it has no symbol '" + name + "'");
  return address;
}

void Program::unload() {
  if (handle)
    dlclose(std::exchange(handle, nullptr));
}

void quernel::runtime::preload(const std::vector<std::string> &paths) {
  // Local: other packages' libraries must not find their functions there.
  for (const std::string &path : paths) {
    if (!dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE))
      throw std::runtime_error("can't load the library " + path + ": " + loaderError(path));
    bindVectorMath(path.c_str());
  }
}
