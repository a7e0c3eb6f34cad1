#include "runtime/CacheFiles.h"
#define XXH_INLINE_ALL
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <sys/random.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <xxhash.h>

using namespace quernel::runtime;

template <size_t count> static std::string hexadecimal(const unsigned char (&bytes)[count]) {
  std::string text;
  for (unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::string quernel::runtime::digest(std::string_view bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  return hexadecimal(canonical.digest);
}

std::string quernel::runtime::errorText(int error) { return std::generic_category().message(error); }

Descriptor::~Descriptor() {
  if (number >= 0)
    close(number);
}

static bool isOwn(const struct stat &status) { return status.st_uid == geteuid() || status.st_uid == 0; }

Descriptor quernel::runtime::openFolder(const std::string &path, bool strict, std::string &reason) {
  // The cache's own folder may be a link; those inside may not.
  Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | (strict ? O_NOFOLLOW : 0)));
  struct stat status;
  if (!folder || fstat(folder.get(), &status) != 0) {
    reason = path + ": " + errorText(errno);
    return Descriptor();
  }
  const bool sticky = status.st_mode & S_ISVTX;
  const bool open = strict ? status.st_mode & (S_IWGRP | S_IWOTH) : status.st_mode & S_IWOTH && !sticky;
  if (!open && isOwn(status))
    return folder;
  reason = path + (open ? ": other users may write in this folder" : ": this folder belongs to another user");
  return Descriptor();
}

static bool isPartTrusted(const std::string &part, std::string &reason) {
  struct stat status;
  if (stat(part.c_str(), &status) != 0)
    return true; // opening the folder says so
  const bool open = status.st_mode & S_IWOTH && !(status.st_mode & S_ISVTX);
  if (!open && isOwn(status))
    return true;
  reason = part + (open ? ": other users may write in this folder" : ": this folder belongs to another user");
  return false;
}

bool quernel::runtime::isWayTrusted(const std::string &path, std::string &reason) {
  const std::unique_ptr<char, void (*)(void *)> real(realpath(path.c_str(), nullptr), free);
  for (const std::string &way : {path, std::string(real ? real.get() : "")})
    for (size_t end = way.find('/', 1); end != std::string::npos; end = way.find('/', end + 1))
      if (!isPartTrusted(way.substr(0, end), reason))
        return false;
  return isPartTrusted("/", reason);
}

static bool readAll(int file, std::string &content) {
  for (size_t have = 0; have < content.size();) {
    const ssize_t got = read(file, content.data() + have, content.size() - have);
    if (got > 0)
      have += got;
    else if (got == 0)
      content.resize(have);
    else if (errno != EINTR)
      return false;
  }
  return true;
}

bool quernel::runtime::readTrusted(int folder, const std::string &name, std::string &content, std::string &reason) {
  // Without O_NONBLOCK a pipe of that name would wait for a writer.
  Descriptor file(openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status;
  if (!file || fstat(file.get(), &status) != 0) {
    reason = name + ": " + errorText(errno);
    return false;
  }
  if (!S_ISREG(status.st_mode) || !isOwn(status) || status.st_mode & (S_IWGRP | S_IWOTH)) {
    reason = name + ": " +
             (!S_ISREG(status.st_mode) ? "not a file"
              : isOwn(status)          ? "other users may write this file"
                                       : "this file belongs to another user");
    return false;
  }
  content.resize(status.st_size);
  if (readAll(file.get(), content))
    return true;
  reason = name + ": " + errorText(errno);
  return false;
}

static bool writeAll(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = write(file, content.data(), content.size());
    if (written >= 0)
      content.remove_prefix(written);
    else if (errno != EINTR)
      return false;
  }
  return true;
}

bool quernel::runtime::writeWhole(int folder, const std::string &name, std::string_view content, bool isLasting,
                                  std::string &reason) {
  unsigned char chance[8];
  if (getrandom(chance, sizeof chance, 0) != sizeof chance) {
    reason = name + ": " + errorText(errno);
    return false;
  }
  const std::string temporary = name + "." + hexadecimal(chance) + ".tmp";
  Descriptor file(openat(folder, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) {
    reason = temporary + ": " + errorText(errno);
    return false;
  }
  if (writeAll(file.get(), content) && fchmod(file.get(), 0644) == 0 && (!isLasting || fdatasync(file.get()) == 0) &&
      renameat(folder, temporary.c_str(), folder, name.c_str()) == 0)
    return true;
  reason = name + ": " + errorText(errno);
  unlinkat(folder, temporary.c_str(), 0);
  return false;
}

bool quernel::runtime::makeFolders(const std::string &path, std::string &reason) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    struct stat status;
    if (mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) {
      // On a read-only file system mkdir says so even of a folder that is there.
      const int error = errno;
      if (stat(part.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
        reason = part + ": " + errorText(error);
        return false;
      }
    }
    if (end == std::string::npos)
      return true;
  }
}
