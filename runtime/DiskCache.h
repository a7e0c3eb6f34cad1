// The compiled programs of all processes, on disk: <path>/<key's first two characters>/<key>.so and <key>.json.
//
// The json starts with the digests and sizes of the object and of the manifest, which is the rest of it:
//   {"object": {"digest": "…", "size": 123}, "text": {"digest": "…", "size": 45}, "manifest": {…}}
// Nothing here throws for the sake of the disk: a cache that is missing, full, read-only or damaged costs time only.
#ifndef QUERNEL_RUNTIME_DISKCACHE_H
#define QUERNEL_RUNTIME_DISKCACHE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quernel::runtime {

/// What `load` found. `reason` is empty for a hit, and for a plain miss; else it says why the entry isn't used.
struct CacheLoad {
  bool hit = false;
  std::string object; ///< path of the object
  std::string manifest;
  std::string reason;
};

/// What `store` did: the path of an object that the manifest describes, or the reason why there is none on disk.
/// Both are empty where the key's entry is another writer's, with another manifest: that one isn't to be mixed with.
struct CacheStore {
  std::string object;
  std::string reason;
};

/// How much a cache holds. `reason` says why it can't be read, if so; a missing folder is empty.
struct CacheInfo {
  std::string path;
  uint64_t entries = 0;
  uint64_t bytes = 0;
  std::string reason;
};

/// An entry that `load` would refuse.
struct CacheFault {
  std::string key;
  std::string reason;
};

/// What `prune` and `clear` removed, and the first trouble that they had.
struct CacheRemoval {
  uint64_t entries = 0;
  uint64_t bytes = 0;
  std::string reason;
};

/// Any thread and any process may use the same folder at the same time.
class DiskCache {
public:
  /// A cache in a folder, which is made when something is stored.
  explicit DiskCache(std::string path) : root(std::move(path)) {}

  const std::string &path() const { return root; }

  /// Looks for an entry. Used is what belongs to the user or to root, can be written by nobody else, and has the right
  /// size and digest. A hit makes the entry young for `prune`.
  CacheLoad load(const std::string &key) const;

  /// Puts an entry in place, unless `load` would find one: an object that others may be about to load never changes.
  /// @param key  at least three letters, digits, '-' or '_'
  CacheStore store(const std::string &key, std::string_view object, std::string_view manifest) const;

  /// Counts what is there.
  CacheInfo info() const;

  /// Every entry that `load` would refuse, and every half of one.
  std::vector<CacheFault> verify() const;

  /// Removes the entries that were used longest ago until at most `maxBytes` are left, and what dead writers left.
  CacheRemoval prune(uint64_t maxBytes) const;

  /// Removes every entry. Files that aren't the cache's own stay, and so do folders, which others may be writing to.
  CacheRemoval clear() const;

private:
  struct Entry;

  std::string shard(const std::string &key) const { return root + "/" + key.substr(0, 2); }
  CacheStore tryToStore(const std::string &key, std::string_view object, std::string_view manifest) const;
  std::vector<Entry> entries(std::string &reason) const;
  CacheRemoval remove(const std::vector<Entry> &victims, std::string reason) const;

  std::string root;
};

} // namespace quernel::runtime

#endif
