#include "runtime/CacheFiles.h"
#define XXH_INLINE_ALL
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <fcntl.h>
#include <grp.h>
#include <memory>
#include <pwd.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <xxhash.h>

using namespace quernel::runtime;

constexpr int mostLinks = 40; // as many as the system follows

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

static bool isFolderTrusted(const std::string &path, const struct stat &status, bool strict, std::string &reason) {
  const bool sticky = status.st_mode & S_ISVTX;
  const bool open = strict ? status.st_mode & (S_IWGRP | S_IWOTH) : status.st_mode & S_IWOTH && !sticky;
  if (!open && isOwn(status))
    return true;
  reason = path + (open ? ": other users may write in this folder" : ": this folder belongs to another user");
  return false;
}

Descriptor quernel::runtime::openFolder(const std::string &path, bool strict, std::string &reason) {
  // The cache's own folder may be a link; those inside may not.
  Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | (strict ? O_NOFOLLOW : 0)));
  struct stat status;
  if (!folder || fstat(folder.get(), &status) != 0) {
    reason = path + ": " + errorText(errno);
    return Descriptor();
  }
  return isFolderTrusted(path, status, strict, reason) ? std::move(folder) : Descriptor();
}

static std::string targetOf(const std::string &link) {
  char target[PATH_MAX];
  const ssize_t size = readlink(link.c_str(), target, sizeof target);
  return std::string(target, std::max<ssize_t>(size, 0));
}

bool quernel::runtime::isWayTrusted(const std::string &path, std::string &reason) {
  // As the system walks it: `at` is where it is, free of links, and `rest` is yet to go. What can't be walked is
  // trusted, since opening it says so.
  std::string at, rest = path;
  if (!path.starts_with('/')) {
    const std::unique_ptr<char, void (*)(void *)> here(getcwd(nullptr, 0), free);
    rest = std::string(here ? here.get() : "") + "/" + path;
  }
  struct stat status;
  for (int links = 0;;) {
    const std::string folder = at.empty() ? "/" : at;
    if (stat(folder.c_str(), &status) != 0)
      return true;
    if (!isFolderTrusted(folder, status, false, reason))
      return false;
    const size_t begin = rest.find_first_not_of('/');
    if (begin == std::string::npos)
      return true;
    const std::string name = rest.substr(begin, rest.find('/', begin) - begin);
    rest.erase(0, begin + name.size());
    if (name == "..")
      at.erase(std::min(at.rfind('/'), at.size()));
    if (name == "." || name == "..")
      continue;
    const std::string next = at + "/" + name;
    if (lstat(next.c_str(), &status) != 0)
      return true;
    if (!S_ISLNK(status.st_mode)) {
      if (rest.empty()) // the file itself, or the folder, is looked at when it is opened
        return true;
      at = next;
      continue;
    }
    if (!isOwn(status)) {
      reason = next + ": this link belongs to another user";
      return false;
    }
    const std::string target = targetOf(next);
    if (target.empty() || ++links > mostLinks)
      return true;
    rest.insert(0, target);
    if (target.starts_with('/'))
      at.clear();
  }
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

/// Whether a group is its user's alone: it has his name, and no other member. Where each user has such a group, what he
/// installs is usually the group's to write (umask 002).
static bool isOwnGroup(uid_t user, gid_t group) {
  char userText[1024], groupText[4096];
  passwd userEntry, *foundUser = nullptr;
  ::group groupEntry, *foundGroup = nullptr;
  // A group whose text is longer has many members.
  if (getpwuid_r(user, &userEntry, userText, sizeof userText, &foundUser) != 0 || !foundUser ||
      getgrgid_r(group, &groupEntry, groupText, sizeof groupText, &foundGroup) != 0 || !foundGroup)
    return false;
  const std::string_view name = userEntry.pw_name;
  for (char **member = groupEntry.gr_mem; *member; ++member)
    if (*member != name)
      return false;
  return groupEntry.gr_name == name && userEntry.pw_gid == group;
}

/// The same file, or nothing where others could have written it.
static Descriptor ifTrusted(Descriptor file, const std::string &name, bool strict, std::string &reason) {
  struct stat status;
  if (!file || fstat(file.get(), &status) != 0) {
    reason = name + ": " + errorText(errno);
    return Descriptor();
  }
  const bool open =
      status.st_mode & S_IWOTH || (status.st_mode & S_IWGRP && (strict || !isOwnGroup(status.st_uid, status.st_gid)));
  if (S_ISREG(status.st_mode) && isOwn(status) && !open)
    return file;
  reason = name + ": " +
           (!S_ISREG(status.st_mode) ? "not a file"
            : isOwn(status)          ? "other users may write this file"
                                     : "this file belongs to another user");
  return Descriptor();
}

// Without O_NONBLOCK a pipe of that name would wait for a writer.
constexpr int forReading = O_RDONLY | O_CLOEXEC | O_NONBLOCK;

Descriptor quernel::runtime::openTrusted(const std::string &path, std::string &reason) {
  if (!isWayTrusted(path, reason))
    return Descriptor();
  return ifTrusted(Descriptor(open(path.c_str(), forReading)), path, false, reason);
}

bool quernel::runtime::readTrusted(int folder, const std::string &name, std::string &content, std::string &reason) {
  const Descriptor file =
      ifTrusted(Descriptor(openat(folder, name.c_str(), forReading | O_NOFOLLOW)), name, true, reason);
  struct stat status;
  if (!file)
    return false;
  if (fstat(file.get(), &status) == 0) {
    content.resize(status.st_size);
    if (readAll(file.get(), content))
      return true;
  }
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
