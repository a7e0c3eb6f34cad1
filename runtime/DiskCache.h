// The compiled programs of all processes, on disk, and what is known of them.
//
// A record is one file, <path>/<key's first two characters>/<key>.<kind>: a line, a text, and bytes. The line has the
// form of records, the kind, the key, the sizes of both and the digest of both:
//   quernel 1 program ab12… 345 6789 99aa06d3…
// A record of the kind `program` has a manifest and an object; one of the kind `index` has the entries of a function
// and a kind of call, and no bytes. Nothing here throws for the sake of the disk: a cache that is missing, full,
// read-only or damaged costs time only.
#ifndef QUERNEL_RUNTIME_DISKCACHE_H
#define QUERNEL_RUNTIME_DISKCACHE_H

#include "runtime/CacheFiles.h"
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quernel::runtime {

enum class RecordKind { program, index };

/// What `load` found. `reason` is empty for a hit, and for a plain miss; else it says why the record isn't used.
struct CacheLoad {
  bool hit = false;
  std::string text;
  std::string bytes;
  std::string reason;
};

/// Takes the content of a record apart, where it is whole and of this kind and key.
CacheLoad unpackRecord(RecordKind kind, const std::string &key, std::string_view content);

/// How much a cache holds: programs, and the bytes of all records. `reason` says why it can't be read, if so; a missing
/// folder is empty.
struct CacheInfo {
  std::string path;
  uint64_t programs = 0;
  uint64_t bytes = 0;
  std::string reason;
};

/// A record that `load` would refuse.
struct CacheFault {
  std::string key;
  std::string reason;
};

/// What `prune` and `clear` removed, and the first trouble that they had.
struct CacheRemoval {
  uint64_t programs = 0;
  uint64_t bytes = 0;
  std::string reason;
};

/// A lock of a key among the processes that share a cache, given back when it is destroyed. It keeps them from doing
/// the same work; records are whole without it.
class CacheLock {
public:
  CacheLock(Descriptor file, std::string path) : file(std::move(file)), path(std::move(path)) {}
  CacheLock(CacheLock &&other) noexcept = default;
  ~CacheLock();

private:
  Descriptor file;
  std::string path;
};

/// Any thread and any process may use the same folder at the same time.
class DiskCache {
public:
  static constexpr uint64_t usualBytes = uint64_t(1) << 30;

  /// A cache in a folder, which is made when something is stored.
  /// @param most  of bytes; now and then a record that is stored has those removed that were used longest ago
  explicit DiskCache(std::string path, uint64_t most = usualBytes) : root(std::move(path)), most(most) {}

  const std::string &path() const { return root; }

  /// Looks for a record. Used is what belongs to the user or to root, can be written by nobody else, has the digest,
  /// and says that it is of this key. What is handed over is what was checked. A hit makes the record young for
  /// `prune`.
  CacheLoad load(RecordKind kind, const std::string &key) const;

  /// Puts a record in place, whatever is there. Returns why it can't, or nothing.
  /// @param key  at least three letters, digits, '-' or '_'
  std::string store(RecordKind kind, const std::string &key, std::string_view text, std::string_view bytes = {}) const;

  /// Removes a record that turned out to be of no use.
  void drop(RecordKind kind, const std::string &key) const;

  /// The lock of a key; nothing where another process or thread has it. Where the cache can't be written, the lock that
  /// is handed over keeps nobody out.
  std::optional<CacheLock> tryToLock(const std::string &key) const;

  /// Counts what is there.
  CacheInfo info() const;

  /// Every record that `load` would refuse.
  std::vector<CacheFault> verify() const;

  /// Removes the records that were used longest ago until at most `maxBytes` are left, and what dead writers left.
  CacheRemoval prune(uint64_t maxBytes) const;

  /// Removes every record. Files that aren't the cache's own stay, and so do folders, which others may be writing to.
  CacheRemoval clear() const;

private:
  struct Entry;

  std::string shard(const std::string &key) const { return root + "/" + key.substr(0, 2); }
  Descriptor openShard(const std::string &key, std::string &reason) const;
  std::string tryToStore(RecordKind kind, const std::string &key, std::string_view content, bool isLasting) const;
  std::vector<Entry> entries(std::string &reason) const;
  CacheRemoval remove(const std::vector<Entry> &victims, std::string reason) const;

  std::string root;
  uint64_t most;
};

} // namespace quernel::runtime

#endif
