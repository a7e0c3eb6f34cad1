#include "runtime/DiskCache.h"
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace quernel::runtime;

/// A file of the cache: a record, or what a process needs for a while (then `isRecord` is false).
struct DiskCache::Entry {
  std::string shard, name, key;
  RecordKind kind = RecordKind::program;
  bool isRecord = false;
  uint64_t bytes = 0;
  int64_t used = 0;
};

namespace {

constexpr int64_t writersPatience = 3600;
constexpr int mostAttempts = 64, lastingAttempts = 4;
constexpr int64_t second = 1000000000;
constexpr std::string_view kindNames[] = {"program", "index"};

std::string_view nameOf(RecordKind kind) { return kindNames[static_cast<int>(kind)]; }

std::string fileOf(RecordKind kind, const std::string &key) { return key + "." + std::string(nameOf(kind)); }

bool isKey(std::string_view key) {
  auto allowed = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  };
  return key.size() >= 3 && key.size() <= 200 && std::all_of(key.begin(), key.end(), allowed);
}

std::string noKey(const std::string &key) { return "'" + key + "' isn't a key"; }

/// The line before a text of so many bytes and what follows it.
std::string headOf(RecordKind kind, const std::string &key, size_t textBytes, std::string_view body) {
  return "quernel 1 " + std::string(nameOf(kind)) + " " + key + " " + std::to_string(textBytes) + " " +
         std::to_string(body.size() - textBytes) + " " + digest(body) + "\n";
}

bool isThere(int folder, const std::string &name) {
  struct stat status;
  return fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
}

std::vector<std::string> namesIn(const std::string &path, int &error) {
  std::vector<std::string> names;
  std::unique_ptr<DIR, int (*)(DIR *)> folder(opendir(path.c_str()), closedir);
  error = folder ? 0 : errno;
  while (folder) {
    const dirent *entry = readdir(folder.get());
    if (!entry)
      break;
    if (entry->d_name[0] != '.')
      names.emplace_back(entry->d_name);
  }
  return names;
}

/// Whether a store is one of those that look at how much there is: one in 256, whichever process it is in.
bool isTimeToPrune(std::string_view key) { return digest(key).ends_with("00"); }

} // namespace

CacheLoad quernel::runtime::unpackRecord(RecordKind kind, const std::string &key, std::string_view content) {
  CacheLoad result;
  const std::string start = "quernel 1 " + std::string(nameOf(kind)) + " " + key + " ";
  const size_t line = content.find('\n');
  const bool isOfKey = line != std::string_view::npos && content.starts_with(start);
  if (isOfKey) {
    const std::string_view body = content.substr(line + 1);
    size_t textBytes = 0;
    std::from_chars(content.data() + start.size(), content.data() + line, textBytes);
    if (textBytes <= body.size() && content.starts_with(headOf(kind, key, textBytes, body))) {
      result.text = body.substr(0, textBytes);
      result.bytes = body.substr(textBytes);
      result.hit = true;
      return result;
    }
  }
  result.reason = fileOf(kind, key) + ": " + (isOfKey ? "the record is damaged" : "this isn't the record of its name");
  return result;
}

CacheLock::~CacheLock() {
  if (!file)
    return;
  unlink(path.c_str());
  flock(file.get(), LOCK_UN); // also for a forked child, which has the same descriptor
}

/// The folder of a key, where nobody else can have put anything; nothing, and maybe no reason, where there is none.
Descriptor DiskCache::openShard(const std::string &key, std::string &reason) const {
  const std::string folder = shard(key);
  struct stat status;
  const auto isMissing = [&] { return stat(folder.c_str(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR); };
  if (isMissing())
    return Descriptor();
  const bool isTrusted = isWayTrusted(root, reason) && openFolder(root, false, reason);
  Descriptor place = isTrusted ? openFolder(folder, true, reason) : Descriptor();
  if (!place && isMissing()) // removed in between
    reason.clear();
  return place;
}

CacheLoad DiskCache::load(RecordKind kind, const std::string &key) const {
  CacheLoad result;
  if (!isKey(key)) {
    result.reason = noKey(key);
    return result;
  }
  const Descriptor place = openShard(key, result.reason);
  const std::string name = fileOf(kind, key);
  std::string content;
  if (!place || !isThere(place.get(), name))
    return result;
  if (!readTrusted(place.get(), name, content, result.reason)) {
    if (!isThere(place.get(), name)) // removed in between
      result.reason.clear();
    return result;
  }
  result = unpackRecord(kind, key, content);
  if (result.hit)
    utimensat(place.get(), name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  return result;
}

std::string DiskCache::store(RecordKind kind, const std::string &key, std::string_view text,
                             std::string_view bytes) const {
  if (!isKey(key))
    return noKey(key);
  std::string body(text), reason;
  body += bytes;
  const std::string content = headOf(kind, key, text.size(), body) + body;
  for (int attempt = 0; attempt < mostAttempts; ++attempt) {
    // Others may remove the folder, or the file that is written there, at any time. Where they do so again and again,
    // nothing lasts, and a disk would only give them time for it.
    reason = tryToStore(kind, key, content, attempt < lastingAttempts);
    if (!std::string_view(reason).ends_with(errorText(ENOENT)))
      break;
  }
  if (reason.empty() && isTimeToPrune(key))
    prune(most);
  return reason;
}

std::string DiskCache::tryToStore(RecordKind kind, const std::string &key, std::string_view content,
                                  bool isLasting) const {
  std::string reason;
  const std::string folder = shard(key), name = fileOf(kind, key);
  if (!isWayTrusted(root, reason) || !makeFolders(folder, reason) || !openFolder(root, false, reason))
    return reason;
  const Descriptor place = openFolder(folder, true, reason);
  if (!place)
    return reason;
  if (!writeWhole(place.get(), name, content, isLasting, reason) && reason.ends_with(errorText(EISDIR))) {
    // Only an empty folder is in nobody's way.
    reason.clear();
    if (unlinkat(place.get(), name.c_str(), AT_REMOVEDIR) != 0)
      return name + ": " + errorText(errno);
    writeWhole(place.get(), name, content, isLasting, reason);
  }
  return reason;
}

void DiskCache::drop(RecordKind kind, const std::string &key) const {
  std::string ignored;
  if (!isKey(key))
    return;
  if (const Descriptor place = openShard(key, ignored))
    unlinkat(place.get(), fileOf(kind, key).c_str(), 0);
}

std::optional<CacheLock> DiskCache::tryToLock(const std::string &key) const {
  std::string ignored;
  const std::string folder = shard(key), name = key + ".lock";
  if (!isKey(key) || !isWayTrusted(root, ignored) || !makeFolders(folder, ignored))
    return CacheLock(Descriptor(), "");
  const Descriptor place = openFolder(folder, true, ignored);
  Descriptor file(
      place ? openat(place.get(), name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600) : -1);
  if (file && flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return std::nullopt;
  return CacheLock(std::move(file), folder + "/" + name);
}

std::vector<DiskCache::Entry> DiskCache::entries(std::string &reason) const {
  std::vector<Entry> result;
  int error = 0;
  for (const std::string &shard : namesIn(root, error)) {
    const std::string folder = root + "/" + shard;
    struct stat status;
    // What a link leads to isn't the cache's to remove.
    if (shard.size() != 2 || lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
      continue;
    int ignored = 0;
    for (const std::string &name : namesIn(folder, ignored)) {
      Entry entry{folder, name, name.substr(0, name.find('.'))};
      const std::string rest = name.substr(entry.key.size());
      if (!isKey(entry.key) || !entry.key.starts_with(shard) || lstat((folder + "/" + name).c_str(), &status) != 0)
        continue;
      bool isOurs = rest == ".lock";
      for (RecordKind kind : {RecordKind::program, RecordKind::index}) {
        const std::string end = "." + std::string(nameOf(kind));
        if (rest == end)
          entry.kind = kind, entry.isRecord = true;
        isOurs |= rest.starts_with(end + ".") && rest.ends_with(".tmp");
      }
      if (!isOurs && !entry.isRecord)
        continue;
      entry.bytes = status.st_size;
      entry.used = status.st_mtim.tv_sec * second + status.st_mtim.tv_nsec;
      result.push_back(std::move(entry));
    }
  }
  if (error && error != ENOENT)
    reason = root + ": " + errorText(error);
  return result;
}

CacheInfo DiskCache::info() const {
  CacheInfo result{root, 0, 0, ""};
  for (const Entry &entry : entries(result.reason)) {
    result.programs += entry.isRecord && entry.kind == RecordKind::program;
    result.bytes += entry.bytes;
  }
  return result;
}

std::vector<CacheFault> DiskCache::verify() const {
  std::vector<CacheFault> faults;
  std::string reason;
  for (const Entry &entry : entries(reason)) {
    if (!entry.isRecord)
      continue;
    const CacheLoad loaded = load(entry.kind, entry.key);
    if (!loaded.hit && !loaded.reason.empty()) // else it has just been removed
      faults.push_back({entry.key, loaded.reason});
  }
  return faults;
}

CacheRemoval DiskCache::remove(const std::vector<Entry> &victims, std::string reason) const {
  CacheRemoval result{0, 0, std::move(reason)};
  for (const Entry &entry : victims) {
    const std::string file = entry.shard + "/" + entry.name;
    if (unlink(file.c_str()) == 0 || errno == ENOENT || (errno == EISDIR && rmdir(file.c_str()) == 0)) {
      result.programs += entry.isRecord && entry.kind == RecordKind::program;
      result.bytes += entry.bytes;
    } else if (result.reason.empty()) {
      result.reason = file + ": " + errorText(errno);
    }
  }
  return result;
}

CacheRemoval DiskCache::prune(uint64_t maxBytes) const {
  std::string reason;
  std::vector<Entry> all = entries(reason), victims;
  std::sort(all.begin(), all.end(), [](const Entry &left, const Entry &right) { return left.used < right.used; });
  uint64_t bytes = 0;
  for (const Entry &entry : all)
    bytes += entry.isRecord ? entry.bytes : 0;
  const int64_t now = int64_t(time(nullptr)) * second, patience = writersPatience * second;
  for (Entry &entry : all) {
    // A clock may have been set back since.
    const bool isAbandoned = entry.used <= now - patience || entry.used > now + patience;
    if (entry.isRecord ? bytes <= maxBytes : !isAbandoned)
      continue;
    bytes -= entry.isRecord ? entry.bytes : 0;
    victims.push_back(std::move(entry));
  }
  return remove(victims, std::move(reason));
}

CacheRemoval DiskCache::clear() const {
  std::string reason;
  const std::vector<Entry> all = entries(reason);
  return remove(all, std::move(reason));
}
