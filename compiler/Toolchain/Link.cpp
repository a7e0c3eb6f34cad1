#include "compiler/Toolchain/Clang.h"
#include "compiler/Toolchain/Thread.h"

#include "lld/Common/Driver.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

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

/// What LLD writes, read from a pipe. For an output that is a file it makes a temporary one beside it, and has
/// LLVM's handlers installed for the process's signals so as to remove that; what it writes to a pipe it keeps in
/// memory.
class OutputPipe {
public:
  OutputPipe() {
    if (pipe2(ends, O_CLOEXEC) != 0)
      return;
    isRead = startThread(reader, readAll, this);
  }
  ~OutputPipe() {
    finish();
    for (int end : ends)
      if (end >= 0)
        close(end);
  }
  OutputPipe(const OutputPipe &) = delete;
  OutputPipe &operator=(const OutputPipe &) = delete;

  explicit operator bool() const { return isRead; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(ends[1]); }

  /// Everything that was written, once the writers are done.
  const std::string &finish() {
    if (!isRead)
      return bytes;
    close(std::exchange(ends[1], -1));
    pthread_join(reader, nullptr);
    isRead = false;
    return bytes;
  }

private:
  static void *readAll(void *object) {
    auto *self = static_cast<OutputPipe *>(object);
    std::vector<char> buffer(1 << 16);
    for (;;) {
      ssize_t count = read(self->ends[0], buffer.data(), buffer.size());
      if (count > 0)
        self->bytes.append(buffer.data(), count);
      else if (count == 0 || errno != EINTR)
        return nullptr;
    }
  }

  int ends[2] = {-1, -1};
  pthread_t reader{};
  bool isRead = false;
  std::string bytes;
};
} // namespace

static std::vector<std::string> arguments(llvm::ArrayRef<std::unique_ptr<MemoryFile>> inputs, const std::string &output,
                                          const LinkOptions &options) {
  std::vector<std::string> result = {"ld.lld",        "-shared", "--threads=1", "-Bsymbolic", "--hash-style=gnu",
                                     "--gc-sections", "-z",      "noexecstack", "-o",         output,
                                     "--as-needed"};
  for (const auto &input : inputs)
    result.push_back(input->path());
  if (!options.soname.empty())
    result.push_back("--soname=" + options.soname);
  result.insert(result.end(), options.libraries.begin(), options.libraries.end());
  return result;
}

llvm::Expected<std::string> linkShared(llvm::ArrayRef<std::string> objects, const LinkOptions &options) {
  // LLD keeps its state in globals.
  static std::mutex mutex;
  static bool usable = true;
  std::lock_guard<std::mutex> lock(mutex);
  if (!usable)
    return llvm::createStringError("LLD broke in an earlier call and cannot run again");

  std::vector<std::unique_ptr<MemoryFile>> inputs;
  for (const std::string &object : objects) {
    inputs.push_back(std::make_unique<MemoryFile>("quernel-object"));
    if (llvm::Error error = inputs.back()->write(object))
      return std::move(error);
  }
  OutputPipe output;
  if (!output)
    return llvm::createStringError("cannot read from the linker: no pipe, or no thread, can be had");
  std::vector<std::string> texts = arguments(inputs, output.path(), options);
  std::vector<const char *> pointers;
  for (const std::string &text : texts)
    pointers.push_back(text.c_str());

  std::string report;
  llvm::raw_string_ostream stream(report);
  lld::Result result = lld::lldMain(pointers, stream, stream, {{lld::Gnu, &lld::elf::link}});
  usable = result.canRunAgain;
  if (result.retCode != 0)
    return llvm::createStringError("LLD cannot link the generated code:\n" + report);
  std::string library = output.finish();
  if (library.empty())
    return llvm::createStringError("LLD has written nothing");
  return library;
}

} // namespace quernel
