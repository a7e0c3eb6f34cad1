#include "runtime/DiskCache.h"
#include "Processes.h"
#include <chrono>
#include <csignal>
#include <functional>
#include <set>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>

using namespace quernel::runtime;
using namespace quernel::test;

namespace {

constexpr uid_t nobody = 65534;

const std::string key = "ab12cd",
                  object = std::string("\x7f"
                                       "ELF, say") +
                           std::string(5000, 'x'),
                  manifest = R"({"entry": "f", "manifest": 1})";

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

class DiskCacheTest : public testing::Test {
protected:
  std::string file(const std::string &name = key, const char *kind = "program") const {
    return folder / ("cache/" + name.substr(0, 2) + "/" + name + "." + kind);
  }

  std::string store(const std::string &name = key) const {
    return cache.store(RecordKind::program, name, manifest, object);
  }
  CacheLoad load(const std::string &name = key) const { return cache.load(RecordKind::program, name); }

  void expectHit() {
    const CacheLoad loaded = load();
    EXPECT_TRUE(loaded.hit) << loaded.reason;
    EXPECT_EQ(loaded.text, manifest);
    EXPECT_EQ(loaded.bytes, object);
    EXPECT_EQ(loaded.reason, "");
  }

  /// The record is refused for a reason that says `text`, verify knows it, and storing again repairs it.
  void expectRefusedThenReplaced(const std::string &text) {
    const CacheLoad loaded = load();
    EXPECT_FALSE(loaded.hit);
    EXPECT_EQ(loaded.text + loaded.bytes, "");
    EXPECT_TRUE(contains(loaded.reason, text)) << loaded.reason;
    ASSERT_EQ(cache.verify().size(), 1U);
    EXPECT_EQ(cache.verify()[0].key, key);
    EXPECT_TRUE(contains(cache.verify()[0].reason, text)) << cache.verify()[0].reason;
    EXPECT_EQ(store(), "");
    expectHit();
    EXPECT_TRUE(cache.verify().empty());
  }

  TemporaryFolder folder;
  DiskCache cache{folder / "cache"};
};

/// In a child process, whose files may have a thousand bytes at most.
bool withFullDisk(const std::function<bool()> &work) {
  return succeeded(start([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    return work();
  }));
}

} // namespace

TEST_F(DiskCacheTest, GivesBackWhatWasStored) {
  EXPECT_EQ(store(), "");
  expectHit();
  struct stat status;
  ASSERT_EQ(stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644U);
  ASSERT_EQ(stat((folder / "cache/ab").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
  EXPECT_EQ(cache.info().programs, 1U);
}

TEST_F(DiskCacheTest, IsPrivateWhateverTheUmask) {
  EXPECT_TRUE(succeeded(start([&] {
    umask(0);
    struct stat status;
    return store().empty() && stat(file().c_str(), &status) == 0 && (status.st_mode & 0777) == 0644 &&
           stat((folder / "cache/ab").c_str(), &status) == 0 && (status.st_mode & 0777) == 0700;
  })));
  expectHit();
}

TEST_F(DiskCacheTest, KeepsKindsApart) {
  store();
  EXPECT_FALSE(cache.load(RecordKind::index, key).hit);
  EXPECT_EQ(cache.store(RecordKind::index, key, "[]"), "");
  EXPECT_EQ(cache.load(RecordKind::index, key).text, "[]");
  EXPECT_EQ(cache.load(RecordKind::index, key).bytes, "");
  expectHit();
  EXPECT_EQ(cache.info().programs, 1U);
  cache.drop(RecordKind::index, key);
  EXPECT_FALSE(cache.load(RecordKind::index, key).hit);
  expectHit();
}

TEST_F(DiskCacheTest, StartsARecordWithItsKeyAndDigest) {
  store();
  const std::string sizes = std::to_string(manifest.size()) + " " + std::to_string(object.size());
  const std::string start = "quernel 1 program " + key + " " + sizes + " " + digest(manifest + object) + "\n";
  EXPECT_EQ(readFile(file()), start + manifest + object);
}

TEST_F(DiskCacheTest, MissesSilently) {
  EXPECT_FALSE(load().hit);
  EXPECT_EQ(load().reason, "");
  store("ab99");
  EXPECT_EQ(load().reason, "");
  EXPECT_FALSE(load().hit);
  cache.drop(RecordKind::program, key);
}

TEST_F(DiskCacheTest, TakesNoOtherKeys) {
  for (const char *bad : {"", "ab", "../../etc/passwd", "ab/cd", "ab.cd", "a\n12"}) {
    EXPECT_TRUE(contains(load(bad).reason, "isn't a key")) << bad;
    EXPECT_TRUE(contains(store(bad), "isn't a key")) << bad;
    EXPECT_TRUE(cache.tryToLock(bad)) << bad;
    cache.drop(RecordKind::program, bad);
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "cache"));
}

TEST_F(DiskCacheTest, TakesEmptyContents) {
  EXPECT_EQ(cache.store(RecordKind::program, key, "", ""), "");
  EXPECT_TRUE(load().hit);
}

TEST_F(DiskCacheTest, ReplacesADamagedRecord) {
  store();
  const std::string whole = readFile(file());
  for (size_t at : {whole.find('\n') - 3, whole.find('\n') + 3, size_t(3000), whole.size() - 1}) {
    std::string changed = whole;
    changed[at] ^= 1;
    writeFile(file(), changed);
    expectRefusedThenReplaced("the record is damaged");
  }
  for (size_t size : {whole.find('\n') + 1, size_t(100), whole.size() - 1}) {
    writeFile(file(), whole.substr(0, size));
    expectRefusedThenReplaced("the record is damaged");
  }
  writeFile(file(), whole + "x");
  expectRefusedThenReplaced("the record is damaged");
  const std::string start = "quernel 1 program " + key + " ";
  for (const std::string &line : {start + "\n", start + "99999999999999999999999 0 0\n", start + "-1 5 0\n" + object}) {
    writeFile(file(), line);
    expectRefusedThenReplaced("the record is damaged");
  }
}

TEST_F(DiskCacheTest, ReplacesWhatIsNoRecordOfItsName) {
  store();
  const std::string whole = readFile(file());
  for (const std::string &content : {std::string(), std::string("{}\n"), whole.substr(0, 20),
                                     "quernel 2" + whole.substr(9), std::string(200, '\0')}) {
    writeFile(file(), content);
    expectRefusedThenReplaced("this isn't the record of its name");
  }
}

TEST_F(DiskCacheTest, RefusesExchangedRecords) {
  store();
  cache.store(RecordKind::program, "ab77", "{}", "another");
  cache.store(RecordKind::index, key, manifest, object);
  std::filesystem::rename(file("ab77"), file());
  expectRefusedThenReplaced("this isn't the record of its name");
  std::filesystem::rename(file(key, "index"), file());
  expectRefusedThenReplaced("this isn't the record of its name");
}

TEST_F(DiskCacheTest, RefusesAFileThatOthersMayWrite) {
  for (mode_t mode : {0666, 0664}) {
    store();
    chmod(file().c_str(), mode);
    expectRefusedThenReplaced("other users may write this file");
  }
}

TEST_F(DiskCacheTest, RefusesLinksPipesAndFolders) {
  store();
  std::filesystem::rename(file(), folder / "elsewhere");
  std::filesystem::create_symlink(folder / "elsewhere", file());
  expectRefusedThenReplaced(key + ".program: ");
  std::filesystem::remove(file());
  ASSERT_EQ(mkfifo(file().c_str(), 0644), 0);
  expectRefusedThenReplaced("not a file");
  std::filesystem::remove(file());
  std::filesystem::create_directory(file());
  expectRefusedThenReplaced("not a file");
  std::filesystem::remove(file());
  writeFile(file() + "/notes.txt", "mine");
  EXPECT_FALSE(load().hit);
  EXPECT_TRUE(contains(store(), "Directory not empty"));
  EXPECT_TRUE(contains(cache.clear().reason, "Directory not empty"));
}

TEST_F(DiskCacheTest, RefusesForeignFiles) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give files away";
  store();
  ASSERT_EQ(chown(file().c_str(), nobody, nobody), 0);
  expectRefusedThenReplaced("this file belongs to another user");
}

TEST_F(DiskCacheTest, RefusesFoldersOfOthers) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give folders away";
  store();
  for (const std::string &path : {folder / "", folder / "cache", folder / "cache/ab"}) {
    ASSERT_EQ(chown(path.c_str(), nobody, nobody), 0);
    EXPECT_TRUE(contains(load().reason, "this folder belongs to another user")) << path;
    EXPECT_TRUE(contains(store(), "this folder belongs to another user")) << path;
    ASSERT_EQ(chown(path.c_str(), 0, 0), 0);
  }
  expectHit();
}

TEST_F(DiskCacheTest, RefusesFoldersThatOthersMayWrite) {
  store();
  for (const std::string &path : {folder / "", folder / "cache", folder / "cache/ab"}) {
    chmod(path.c_str(), 0777);
    EXPECT_TRUE(contains(load().reason, "other users may write in this folder")) << path;
    EXPECT_TRUE(contains(store(), "other users may write in this folder")) << path;
    chmod(path.c_str(), 0755);
  }
  for (const std::string &path : {folder / "", folder / "cache"}) {
    chmod(path.c_str(), 01777);
    expectHit();
    chmod(path.c_str(), 0755);
  }
}

TEST_F(DiskCacheTest, LooksAtTheFoldersBehindALink) {
  std::filesystem::create_directories(folder / "open/real");
  std::filesystem::create_directory_symlink(folder / "open/real", folder / "cache");
  EXPECT_EQ(store(), "");
  expectHit();
  chmod((folder / "open").c_str(), 0777);
  EXPECT_TRUE(contains(load().reason, "other users may write in this folder"));
  EXPECT_TRUE(contains(store(), "open: other users may write in this folder"));
}

TEST_F(DiskCacheTest, LooksAtTheFoldersThatLinksAreIn) {
  store();
  std::filesystem::create_directories(folder / "open/links");
  std::filesystem::create_directory_symlink("../../cache", folder / "open/links/cache");
  std::filesystem::create_directory_symlink("./open/links/../links/cache", folder / "first");
  const DiskCache linked(folder / "first");
  EXPECT_TRUE(linked.load(RecordKind::program, key).hit);
  for (const char *path : {"open", "open/links"}) {
    chmod((folder / path).c_str(), 0777);
    const CacheLoad loaded = linked.load(RecordKind::program, key);
    EXPECT_TRUE(contains(loaded.reason, std::string(path) + ": other users may write in this folder"));
    chmod((folder / path).c_str(), 01777);
    EXPECT_TRUE(linked.load(RecordKind::program, key).hit);
  }
  if (geteuid() != 0)
    return; // only root can give links away
  ASSERT_EQ(lchown((folder / "open/links/cache").c_str(), nobody, nobody), 0);
  EXPECT_TRUE(contains(linked.load(RecordKind::program, key).reason, "cache: this link belongs to another user"));
}

TEST_F(DiskCacheTest, LinksInACircleLeadNowhere) {
  std::filesystem::create_directory_symlink(folder / "first", folder / "second");
  std::filesystem::create_directory_symlink(folder / "second", folder / "first");
  std::string reason;
  EXPECT_TRUE(isWayTrusted(folder / "first", reason));
  EXPECT_FALSE(openTrusted(folder / "first", reason));
  EXPECT_TRUE(contains(reason, "Too many levels of symbolic links")) << reason;
}

TEST_F(DiskCacheTest, ReadsRootsCacheAsAnotherUser) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can become another user";
  store();
  for (const char *path : {"", "cache", "cache/ab"})
    chmod((folder / path).c_str(), 0755);
  EXPECT_TRUE(succeeded(start([&] {
    if (setgid(nobody) != 0 || setuid(nobody) != 0)
      return false;
    return load().hit && contains(store("ab77"), "Permission denied") && contains(store("xy77"), "Permission denied") &&
           contains(cache.clear().reason, "Permission denied") && load().hit && cache.tryToLock("ab77") &&
           cache.tryToLock("xy77");
  })));
}

TEST_F(DiskCacheTest, SaysWhyAFolderCannotBeMade) {
  writeFile(folder / "file", "");
  const std::string reason = DiskCache(folder / "file/cache").store(RecordKind::program, key, manifest, object);
  EXPECT_TRUE(contains(reason, "Not a directory")) << reason;
  EXPECT_NE(DiskCache("/proc/quernel").store(RecordKind::program, key, manifest, object), "");
  EXPECT_EQ(DiskCache("/proc/quernel").load(RecordKind::program, key).reason, "");
  EXPECT_TRUE(DiskCache("/proc/quernel").tryToLock(key));
  EXPECT_TRUE(contains(DiskCache(folder / "file").info().reason, "Not a directory"));
  EXPECT_NE(DiskCache("").store(RecordKind::program, key, manifest, object), "");
}

TEST_F(DiskCacheTest, LeavesNothingWhereTheDiskIsFull) {
  EXPECT_TRUE(withFullDisk([&] { return contains(store(), "File too large"); }));
  EXPECT_TRUE(std::filesystem::is_empty(folder / "cache/ab"));
  EXPECT_EQ(store(), "");
  expectHit();
}

TEST_F(DiskCacheTest, KeepsTheOldRecordWhereTheDiskIsFull) {
  store();
  EXPECT_TRUE(withFullDisk([&] { return contains(store(), "File too large"); }));
  expectHit();
}

TEST_F(DiskCacheTest, ManyProcessesStoreAtOnce) {
  auto writer = [&](char letter) {
    return start([this, letter] {
      bool right = true;
      for (int k = 0; k < 60; ++k) {
        const std::string name = "ab" + std::to_string(k), mine = std::string(1, letter);
        right &= cache.store(RecordKind::program, name, mine, std::string(20000, letter)).empty();
        const CacheLoad loaded = load(name);
        right &= loaded.hit && loaded.reason.empty() && loaded.bytes == std::string(20000, loaded.text[0]);
      }
      return right;
    });
  };
  std::vector<pid_t> writers;
  for (char letter : {'a', 'b', 'c', 'd'})
    writers.push_back(writer(letter));
  for (pid_t process : writers)
    EXPECT_TRUE(succeeded(process));
  EXPECT_EQ(cache.info().programs, 60U);
  EXPECT_TRUE(cache.verify().empty());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "cache/ab"), {}), 60);
}

TEST_F(DiskCacheTest, IsWholeWhereverAWriterIsKilled) {
  for (int turn = 0; turn < 200; ++turn) {
    const pid_t writer = start([&] {
      for (int k = 0;; ++k)
        store("ab" + std::to_string(100 + k % 50));
      return true;
    });
    usleep(turn % 40 * 100);
    kill(writer, SIGKILL);
    EXPECT_FALSE(succeeded(writer));
  }
  EXPECT_TRUE(cache.verify().empty());
  for (const auto &entry : std::filesystem::directory_iterator(folder / "cache/ab"))
    std::filesystem::last_write_time(entry, std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
  cache.prune(0);
  EXPECT_TRUE(std::filesystem::is_empty(folder / "cache/ab"));
}

TEST_F(DiskCacheTest, LocksAKeyAmongProcesses) {
  {
    const std::optional<CacheLock> lock = cache.tryToLock(key);
    EXPECT_TRUE(lock);
    EXPECT_FALSE(cache.tryToLock(key));
    EXPECT_TRUE(cache.tryToLock("ab99"));
    EXPECT_TRUE(succeeded(start([&] { return !cache.tryToLock(key); })));
  }
  EXPECT_TRUE(succeeded(start([&] { return bool(cache.tryToLock(key)); })));
  EXPECT_TRUE(std::filesystem::is_empty(folder / "cache/ab"));
}

TEST_F(DiskCacheTest, ADeadProcessHasNoLock) {
  const pid_t holder = start([&] {
    const std::optional<CacheLock> lock = cache.tryToLock(key);
    pause();
    return true;
  });
  while (cache.tryToLock(key))
    usleep(1000);
  kill(holder, SIGKILL);
  EXPECT_FALSE(succeeded(holder));
  EXPECT_TRUE(cache.tryToLock(key));
}

TEST_F(DiskCacheTest, NoPipeKeepsALockWaiting) {
  std::filesystem::create_directories(folder / "cache/ab");
  chmod((folder / "cache/ab").c_str(), 0700);
  ASSERT_EQ(mkfifo(file(key, "lock").c_str(), 0600), 0);
  EXPECT_TRUE(cache.tryToLock(key));
}

TEST_F(DiskCacheTest, MissesSilentlyWhileOthersClear) {
  const pid_t other = start([&] {
    bool right = true;
    for (int k = 0; k < 300; ++k) {
      right &= store().empty();
      right &= cache.clear().reason.empty();
    }
    return right;
  });
  std::set<std::string> reasons;
  siginfo_t ended{};
  while (waitid(P_PID, other, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0) {
    reasons.insert(load().reason);
    reasons.insert(store());
  }
  EXPECT_TRUE(succeeded(other));
  EXPECT_EQ(reasons, std::set<std::string>{""});
}

namespace {

void makeOld(const std::string &path, int hours) {
  timeval times[2] = {};
  gettimeofday(&times[0], nullptr);
  times[0].tv_sec -= hours * 3600;
  times[1] = times[0];
  ASSERT_EQ(utimes(path.c_str(), times), 0);
}

} // namespace

TEST_F(DiskCacheTest, PrunesWhatWasUsedLongestAgo) {
  for (int k = 0; k < 3; ++k) {
    const std::string name = "ab" + std::to_string(k);
    store(name);
    makeOld(file(name), 10 - k);
  }
  EXPECT_TRUE(load("ab0").hit);
  const uint64_t each = cache.info().bytes / 3;
  CacheRemoval removed = cache.prune(2 * each);
  EXPECT_EQ(removed.programs, 1U);
  EXPECT_EQ(removed.bytes, each);
  EXPECT_EQ(removed.reason, "");
  EXPECT_TRUE(load("ab0").hit);
  EXPECT_FALSE(load("ab1").hit);
  EXPECT_TRUE(load("ab2").hit);
  EXPECT_EQ(cache.prune(2 * each).programs, 0U);
}

TEST_F(DiskCacheTest, PrunesIndexesToo) {
  store();
  cache.store(RecordKind::index, key, manifest);
  makeOld(file(key, "index"), 10);
  const uint64_t all = cache.info().bytes;
  const CacheRemoval removed = cache.prune(all - 1);
  EXPECT_EQ(removed.programs, 0U);
  EXPECT_GT(removed.bytes, manifest.size());
  EXPECT_FALSE(cache.load(RecordKind::index, key).hit);
  expectHit();
}

TEST_F(DiskCacheTest, PrunesByItselfNowAndThen) {
  const DiskCache small(folder / "cache", 20 * object.size());
  for (int k = 0; k < 2000; ++k)
    EXPECT_EQ(small.store(RecordKind::program, "ab" + std::to_string(k), manifest, object), "");
  EXPECT_LT(small.info().programs, 1800U);
}

TEST_F(DiskCacheTest, PrunesWhatDeadWritersLeft) {
  store();
  for (const char *name : {"ab77.program.0123.tmp", "ab78.index.0124.tmp", "ab79.lock", "ab80.lock", "ab81.lock"})
    writeFile(folder / ("cache/ab/" + std::string(name)), "half");
  makeOld(folder / "cache/ab/ab77.program.0123.tmp", 2);
  makeOld(folder / "cache/ab/ab79.lock", 2);
  makeOld(folder / "cache/ab/ab81.lock", -2); // written before the clock was set back
  EXPECT_EQ(cache.prune(UINT64_MAX).bytes, 12U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "cache/ab"), {}), 3);
  EXPECT_TRUE(std::filesystem::exists(folder / "cache/ab/ab78.index.0124.tmp"));
  EXPECT_TRUE(std::filesystem::exists(folder / "cache/ab/ab80.lock"));
  expectHit();
}

TEST_F(DiskCacheTest, ClearsItsOwnFilesOnly) {
  store();
  store("zz12");
  const auto others = {"cache/notes.txt", "cache/ab/notes.txt", "cache/ab/ab12.so", "cache/ab/zz1.program",
                       "cache/other/ab1.program"};
  for (const char *name : others)
    writeFile(folder / name, "mine");
  CacheRemoval removed = cache.clear();
  EXPECT_EQ(removed.programs, 2U);
  EXPECT_EQ(removed.reason, "");
  EXPECT_FALSE(load().hit);
  EXPECT_TRUE(std::filesystem::is_empty(folder / "cache/zz"));
  for (const char *name : others)
    EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
}

TEST_F(DiskCacheTest, ClearsNothingBehindALink) {
  writeFile(folder / "elsewhere/ab12.program", "mine");
  std::filesystem::create_directories(folder / "cache");
  std::filesystem::create_directory_symlink(folder / "elsewhere", folder / "cache/ab");
  EXPECT_EQ(cache.clear().programs, 0U);
  EXPECT_TRUE(std::filesystem::exists(folder / "elsewhere/ab12.program"));
  EXPECT_NE(store(), "");
}

TEST_F(DiskCacheTest, AMissingFolderIsEmpty) {
  EXPECT_EQ(cache.info().programs, 0U);
  EXPECT_EQ(cache.info().reason, "");
  EXPECT_TRUE(cache.verify().empty());
  EXPECT_EQ(cache.prune(0).reason, "");
  EXPECT_EQ(cache.clear().reason, "");
}

TEST(Digest, IsXXH3) {
  EXPECT_EQ(digest(""), "99aa06d3014798d86001c324468d497f");
  EXPECT_NE(digest("a"), digest("b"));
}
