#include "compiler/Toolchain/Clang.h"

#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstring>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using llvm::StringRef;

namespace quernel {

namespace {
/// A file without a name in any folder, which LLD can still open by a path.
class MemoryFile {
public:
  explicit MemoryFile(const char *name) : descriptor(memfd_create(name, MFD_CLOEXEC)) {}
  ~MemoryFile() {
    if (descriptor >= 0)
      close(descriptor);
  }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor); }

  llvm::Error write(StringRef bytes) {
    while (!bytes.empty()) {
      ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR)
        continue;
      if (count < 0)
        return llvm::createStringError(llvm::Twine("cannot write an object for the linker: ") + strerror(errno));
      bytes = bytes.drop_front(count);
    }
    return llvm::Error::success();
  }

private:
  int descriptor;
};

/// A file that goes away with its scope. LLD renames its result into place, so that needs a folder.
class TemporaryFile {
public:
  TemporaryFile() {
    llvm::SmallString<0> found;
    if (!llvm::sys::fs::createTemporaryFile("quernel", "so", found) ||
        !llvm::sys::fs::createUniqueFile("/dev/shm/quernel-%%%%%%%%.so", found))
      name = found.str();
  }
  ~TemporaryFile() {
    if (!name.empty())
      llvm::sys::fs::remove(name);
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  const std::string &path() const { return name; }

private:
  std::string name;
};
} // namespace

static std::vector<std::string> arguments(const std::string &input, const std::string &output,
                                          const LinkOptions &options) {
  std::vector<std::string> result = {"ld.lld",        "-shared",    "--threads=1", "-Bsymbolic", "--hash-style=gnu",
                                     "--gc-sections", "-z",         "noexecstack", input,        "-o",
                                     output,          "--as-needed"};
  if (!options.soname.empty())
    result.push_back("--soname=" + options.soname);
  result.insert(result.end(), options.libraries.begin(), options.libraries.end());
  return result;
}

llvm::Expected<std::string> linkShared(StringRef object, const LinkOptions &options) {
  // LLD keeps its state in globals.
  static std::mutex mutex;
  static bool usable = true;
  std::lock_guard<std::mutex> lock(mutex);
  if (!usable)
    return llvm::createStringError("LLD broke in an earlier call and cannot run again");

  MemoryFile input("quernel-object");
  if (llvm::Error error = input.write(object))
    return std::move(error);
  TemporaryFile output;
  if (output.path().empty())
    return llvm::createStringError("cannot write a temporary file for the linker, neither in TMPDIR nor in /dev/shm");
  std::vector<std::string> texts = arguments(input.path(), output.path(), options);
  std::vector<const char *> pointers;
  for (const std::string &text : texts)
    pointers.push_back(text.c_str());

  std::string report;
  llvm::raw_string_ostream stream(report);
  lld::Result result = lld::lldMain(pointers, stream, stream, {{lld::Gnu, &lld::elf::link}});
  usable = result.canRunAgain;
  if (result.retCode != 0)
    return llvm::createStringError("LLD cannot link the generated code:\n" + report);
  auto library = llvm::MemoryBuffer::getFile(output.path(), /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!library)
    return llvm::createStringError("cannot read what LLD has linked: " + library.getError().message());
  return (*library)->getBuffer().str();
}

} // namespace quernel
