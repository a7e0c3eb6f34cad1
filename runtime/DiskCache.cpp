#include "runtime/DiskCache.h"
#include "runtime/CacheFiles.h"
#include <algorithm>
#include <cerrno>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <map>
#include <memory>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace quernel::runtime;

/// The files of one key, or one file of a writer that didn't finish (then `key` is empty).
struct DiskCache::Entry {
  std::string shard;
  std::string key;
  std::vector<std::string> files;
  uint64_t bytes = 0;
  int64_t used = 0;
};

namespace {

constexpr int64_t writersPatience = 3600;
constexpr int mostAttempts = 16;

bool isKey(std::string_view key) {
  auto allowed = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  };
  return key.size() >= 3 && key.size() <= 200 && std::all_of(key.begin(), key.end(), allowed);
}

std::string measure(std::string_view content) {
  return "{\"digest\": \"" + digest(content) + "\", \"size\": " + std::to_string(content.size()) + "}";
}

std::string headOf(std::string_view object, std::string_view manifest) {
  return "{\"object\": " + measure(object) + ", \"text\": " + measure(manifest) + ", \"manifest\": ";
}

/// The manifest inside a json file, or nothing where that is damaged or tells of another object.
/// The head is a function of both contents, so comparing it checks sizes and digests at once.
bool unpack(const std::string &json, const std::string &object, std::string &manifest, std::string &reason) {
  constexpr std::string_view mark = ", \"manifest\": ", end = "}\n";
  const size_t found = json.find(mark);
  if (found == std::string::npos || !json.ends_with(end) || json.size() < found + mark.size() + end.size()) {
    reason = "the description is damaged";
    return false;
  }
  const size_t start = found + mark.size();
  manifest = json.substr(start, json.size() - start - end.size());
  if (json.starts_with(headOf(object, manifest)))
    return true;
  const bool own = json.find("\"text\": " + measure(manifest)) < found;
  reason = own ? "the object isn't the one described" : "the description is damaged";
  return false;
}

/// Keeps two processes from mixing the halves of an entry. Where the file system has no locks, digests tell.
class FolderLock {
public:
  FolderLock(int folder, int kind) : folder(folder) { flock(folder, kind); }
  ~FolderLock() { flock(folder, LOCK_UN); }
  FolderLock(const FolderLock &) = delete;
  FolderLock &operator=(const FolderLock &) = delete;

private:
  int folder;
};

/// Both halves of an entry, where they can be trusted and belong together.
bool readPair(int folder, const std::string &key, std::string &manifest, std::string &reason) {
  std::string description, code;
  reason.clear();
  if (readTrusted(folder, key + ".json", description, reason) && readTrusted(folder, key + ".so", code, reason) &&
      unpack(description, code, manifest, reason))
    return true;
  manifest.clear();
  return false;
}

bool isThere(int folder, const std::string &name) {
  struct stat status;
  return fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
}

/// Reads where a writer may have been between the two halves.
bool readPairAgain(int folder, const std::string &key, std::string &manifest, std::string &reason) {
  FolderLock lock(folder, LOCK_SH);
  return readPair(folder, key, manifest, reason);
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

/// The key that a file belongs to; empty for a file that isn't the cache's.
std::string keyOf(const std::string &name, const std::string &shard) {
  const std::string key = name.substr(0, name.find('.'));
  const std::string rest = name.substr(key.size());
  const bool temporary = rest.ends_with(".tmp") && (rest.starts_with(".so.") || rest.starts_with(".json."));
  return isKey(key) && key.starts_with(shard) && (rest == ".so" || rest == ".json" || temporary) ? key : "";
}

} // namespace

CacheLoad DiskCache::load(const std::string &key) const {
  CacheLoad result;
  if (!isKey(key)) {
    result.reason = "'" + key + "' isn't a key";
    return result;
  }
  const std::string folder = shard(key), json = key + ".json";
  struct stat status;
  if (stat(folder.c_str(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR))
    return result;
  const bool isTrusted = bool(openFolder(root, false, result.reason));
  Descriptor place = isTrusted ? openFolder(folder, true, result.reason) : Descriptor();
  if (!place) {
    // Removed in between, as below.
    if (stat(folder.c_str(), &status) != 0 && errno == ENOENT)
      result.reason.clear();
    return result;
  }
  if (!isThere(place.get(), json))
    return result;
  if (!readPair(place.get(), key, result.manifest, result.reason) &&
      !readPairAgain(place.get(), key, result.manifest, result.reason)) {
    // Removed in between: nothing is wrong with it.
    if (!isThere(place.get(), json))
      result.reason.clear();
    return result;
  }
  utimensat(place.get(), json.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  result.hit = true;
  result.object = folder + "/" + key + ".so";
  return result;
}

CacheStore DiskCache::store(const std::string &key, std::string_view object, std::string_view manifest) const {
  CacheStore result;
  if (!isKey(key)) {
    result.reason = "'" + key + "' isn't a key";
    return result;
  }
  for (int attempt = 0; attempt < mostAttempts; ++attempt) {
    result = tryToStore(key, object, manifest);
    // Others may remove the folder, or the file that is written there, at any time.
    if (!std::string_view(result.reason).ends_with(errorText(ENOENT)))
      break;
  }
  return result;
}

CacheStore DiskCache::tryToStore(const std::string &key, std::string_view object, std::string_view manifest) const {
  CacheStore result;
  const std::string folder = shard(key);
  if (!makeFolders(folder, result.reason) || !openFolder(root, false, result.reason))
    return result;
  Descriptor place = openFolder(folder, true, result.reason);
  if (!place)
    return result;
  FolderLock lock(place.get(), LOCK_EX);
  std::string present, ignored;
  if (readPair(place.get(), key, present, ignored)) {
    if (present == manifest)
      result.object = folder + "/" + key + ".so";
    return result;
  }
  const std::string description = headOf(object, manifest) + std::string(manifest) + "}\n";
  if (writeWhole(place.get(), key + ".so", object, result.reason) &&
      writeWhole(place.get(), key + ".json", description, result.reason))
    result.object = folder + "/" + key + ".so";
  return result;
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
    std::map<std::string, Entry> found;
    int ignored = 0;
    for (const std::string &name : namesIn(folder, ignored)) {
      const std::string key = keyOf(name, shard);
      std::string path = folder + "/";
      path += name;
      if (key.empty() || lstat(path.c_str(), &status) != 0)
        continue;
      const bool temporary = name.ends_with(".tmp");
      Entry &entry = found[temporary ? name : key];
      entry.shard = folder;
      entry.key = temporary ? "" : key;
      entry.files.push_back(name);
      entry.bytes += status.st_size;
      entry.used = std::max<int64_t>(entry.used, status.st_mtim.tv_sec * 1000000000LL + status.st_mtim.tv_nsec);
    }
    for (auto &[name, entry] : found)
      result.push_back(std::move(entry));
  }
  if (error && error != ENOENT)
    reason = root + ": " + errorText(error);
  return result;
}

CacheInfo DiskCache::info() const {
  CacheInfo result{root, 0, 0, ""};
  for (const Entry &entry : entries(result.reason)) {
    result.entries += !entry.key.empty();
    result.bytes += entry.bytes;
  }
  return result;
}

std::vector<CacheFault> DiskCache::verify() const {
  std::vector<CacheFault> faults;
  std::string reason;
  for (const Entry &entry : entries(reason)) {
    if (entry.key.empty())
      continue;
    CacheLoad loaded = load(entry.key);
    if (!loaded.hit)
      faults.push_back({entry.key, loaded.reason.empty() ? "the description is missing" : loaded.reason});
  }
  return faults;
}

CacheRemoval DiskCache::remove(const std::vector<Entry> &victims, std::string reason) const {
  CacheRemoval result{0, 0, std::move(reason)};
  for (const Entry &entry : victims) {
    bool gone = true;
    Descriptor place(open(entry.shard.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    FolderLock lock(place.get(), LOCK_EX);
    for (const std::string &name : entry.files) {
      const std::string file = entry.shard + "/" + name;
      if (unlink(file.c_str()) == 0 || errno == ENOENT)
        continue;
      gone = false;
      if (result.reason.empty())
        result.reason = file + ": " + errorText(errno);
    }
    result.entries += gone && !entry.key.empty();
    result.bytes += gone ? entry.bytes : 0;
  }
  return result;
}

CacheRemoval DiskCache::prune(uint64_t maxBytes) const {
  std::string reason;
  std::vector<Entry> all = entries(reason), victims;
  std::sort(all.begin(), all.end(), [](const Entry &left, const Entry &right) { return left.used < right.used; });
  uint64_t bytes = 0;
  for (const Entry &entry : all)
    bytes += entry.key.empty() ? 0 : entry.bytes;
  const int64_t abandoned = (int64_t(time(nullptr)) - writersPatience) * 1000000000LL;
  for (Entry &entry : all) {
    const bool temporary = entry.key.empty();
    if (temporary ? entry.used > abandoned : bytes <= maxBytes)
      continue;
    bytes -= temporary ? 0 : entry.bytes;
    victims.push_back(std::move(entry));
  }
  return remove(victims, std::move(reason));
}

CacheRemoval DiskCache::clear() const {
  std::string reason;
  std::vector<Entry> all = entries(reason);
  return remove(all, std::move(reason));
}
