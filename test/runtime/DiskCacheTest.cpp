#include "runtime/DiskCache.h"
#include "Processes.h"
#include "runtime/CacheFiles.h"
#include <csignal>
#include <fcntl.h>
#include <set>
#include <sys/file.h>
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
  std::string file(const std::string &suffix) const { return folder / ("cache/ab/" + key + suffix); }

  void expectHit() {
    CacheLoad loaded = cache.load(key);
    EXPECT_TRUE(loaded.hit) << loaded.reason;
    EXPECT_EQ(loaded.manifest, manifest);
    EXPECT_EQ(loaded.reason, "");
    EXPECT_EQ(readFile(loaded.object), object);
  }

  /// The entry is refused for a reason that says `text`, verify knows it, and storing again repairs it.
  void expectRefusedThenReplaced(const std::string &text) {
    CacheLoad loaded = cache.load(key);
    EXPECT_FALSE(loaded.hit);
    EXPECT_EQ(loaded.object + loaded.manifest, "");
    EXPECT_TRUE(contains(loaded.reason, text)) << loaded.reason;
    ASSERT_EQ(cache.verify().size(), 1U);
    EXPECT_EQ(cache.verify()[0].key, key);
    EXPECT_TRUE(contains(cache.verify()[0].reason, text)) << cache.verify()[0].reason;
    EXPECT_EQ(cache.store(key, object, manifest).reason, "");
    expectHit();
    EXPECT_TRUE(cache.verify().empty());
  }

  TemporaryFolder folder;
  DiskCache cache{folder / "cache"};
};

} // namespace

TEST_F(DiskCacheTest, GivesBackWhatWasStored) {
  CacheStore stored = cache.store(key, object, manifest);
  EXPECT_EQ(stored.reason, "");
  EXPECT_EQ(stored.object, file(".so"));
  expectHit();
  struct stat status;
  ASSERT_EQ(stat(file(".so").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644U);
  EXPECT_EQ(cache.info().entries, 1U);
}

TEST_F(DiskCacheTest, StartsTheDescriptionWithTheDigest) {
  cache.store(key, object, manifest);
  const std::string start = "{\"object\": {\"digest\": \"" + digest(object) + "\", \"size\": 5009}";
  EXPECT_TRUE(readFile(file(".json")).starts_with(start)) << readFile(file(".json"));
}

TEST_F(DiskCacheTest, MissesSilently) {
  CacheLoad loaded = cache.load(key);
  EXPECT_FALSE(loaded.hit);
  EXPECT_EQ(loaded.reason, "");
  cache.store("ab99", object, manifest);
  EXPECT_EQ(cache.load(key).reason, "");
  EXPECT_FALSE(cache.load(key).hit);
}

TEST_F(DiskCacheTest, TakesNoOtherKeys) {
  for (const char *bad : {"", "ab", "../../etc/passwd", "ab/cd", "ab.cd", "a\n12"}) {
    EXPECT_TRUE(contains(cache.load(bad).reason, "isn't a key")) << bad;
    EXPECT_TRUE(contains(cache.store(bad, object, manifest).reason, "isn't a key")) << bad;
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "cache"));
}

TEST_F(DiskCacheTest, TakesEmptyContents) {
  EXPECT_EQ(cache.store(key, "", "").reason, "");
  EXPECT_TRUE(cache.load(key).hit);
}

TEST_F(DiskCacheTest, ReplacesATruncatedObject) {
  cache.store(key, object, manifest);
  std::filesystem::resize_file(file(".so"), 100);
  expectRefusedThenReplaced("the object isn't the one described");
}

TEST_F(DiskCacheTest, ReplacesAnObjectWithAnotherDigest) {
  cache.store(key, object, manifest);
  std::string changed = object;
  changed[3000] = 'y';
  writeFile(file(".so"), changed);
  expectRefusedThenReplaced("the object isn't the one described");
}

TEST_F(DiskCacheTest, ReplacesADamagedDescription) {
  cache.store(key, object, manifest);
  const std::string json = readFile(file(".json"));
  std::string changed = json;
  changed[changed.size() - 5] = '2';
  for (const std::string &damaged : {std::string(), std::string("{}\n"), json.substr(0, json.size() - 4), changed,
                                     std::string(", \"manifest\": }\n"), std::string(200, '\0')}) {
    writeFile(file(".json"), damaged);
    expectRefusedThenReplaced("the description is damaged");
  }
}

TEST_F(DiskCacheTest, ReplacesHalfAnEntry) {
  cache.store(key, object, manifest);
  std::filesystem::remove(file(".so"));
  expectRefusedThenReplaced("No such file");
  std::filesystem::remove(file(".json"));
  EXPECT_EQ(cache.load(key).reason, "");
  EXPECT_FALSE(cache.load(key).hit);
  ASSERT_EQ(cache.verify().size(), 1U);
  EXPECT_EQ(cache.verify()[0].reason, "the description is missing");
}

TEST_F(DiskCacheTest, RefusesAFileThatOthersMayWrite) {
  for (const char *suffix : {".so", ".json"})
    for (mode_t mode : {0666, 0664}) {
      cache.store(key, object, manifest);
      chmod(file(suffix).c_str(), mode);
      expectRefusedThenReplaced("other users may write this file");
    }
}

TEST_F(DiskCacheTest, RefusesLinksAndPipes) {
  cache.store(key, object, manifest);
  std::filesystem::rename(file(".so"), folder / "elsewhere");
  std::filesystem::create_symlink(folder / "elsewhere", file(".so"));
  expectRefusedThenReplaced(key + ".so: ");
  std::filesystem::remove(file(".so"));
  ASSERT_EQ(mkfifo(file(".so").c_str(), 0644), 0);
  expectRefusedThenReplaced("not a file");
}

TEST_F(DiskCacheTest, RefusesForeignFiles) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give files away";
  cache.store(key, object, manifest);
  ASSERT_EQ(chown(file(".so").c_str(), nobody, nobody), 0);
  expectRefusedThenReplaced("this file belongs to another user");
}

TEST_F(DiskCacheTest, RefusesFoldersOfOthers) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give folders away";
  cache.store(key, object, manifest);
  for (const std::string &path : {folder / "cache", folder / "cache/ab"}) {
    ASSERT_EQ(chown(path.c_str(), nobody, nobody), 0);
    EXPECT_TRUE(contains(cache.load(key).reason, "this folder belongs to another user"));
    EXPECT_TRUE(contains(cache.store(key, object, manifest).reason, "this folder belongs to another user"));
    ASSERT_EQ(chown(path.c_str(), 0, 0), 0);
  }
  expectHit();
}

TEST_F(DiskCacheTest, RefusesFoldersThatOthersMayWrite) {
  cache.store(key, object, manifest);
  for (const std::string &path : {folder / "cache", folder / "cache/ab"}) {
    chmod(path.c_str(), 0777);
    EXPECT_TRUE(contains(cache.load(key).reason, "other users may write in this folder"));
    EXPECT_TRUE(contains(cache.store(key, object, manifest).reason, "other users may write in this folder"));
    chmod(path.c_str(), 0755);
  }
  chmod((folder / "cache").c_str(), 01777);
  expectHit();
}

TEST_F(DiskCacheTest, ReadsRootsBundleAsAnotherUser) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can become another user";
  cache.store(key, object, manifest);
  chmod((folder / "cache").c_str(), 0755);
  chmod((folder / "cache/ab").c_str(), 0755);
  EXPECT_TRUE(succeeded(start([&] {
    if (setgid(nobody) != 0 || setuid(nobody) != 0)
      return false;
    return cache.load(key).hit && contains(cache.store("ab77", object, manifest).reason, "Permission denied") &&
           contains(cache.store("xy77", object, manifest).reason, "Permission denied") &&
           contains(cache.clear().reason, "Permission denied") && cache.load(key).hit;
  })));
}

TEST_F(DiskCacheTest, SaysWhyAFolderCannotBeMade) {
  writeFile(folder / "file", "");
  CacheStore stored = DiskCache(folder / "file/cache").store(key, object, manifest);
  EXPECT_EQ(stored.object, "");
  EXPECT_TRUE(contains(stored.reason, "Not a directory")) << stored.reason;
  EXPECT_NE(DiskCache("/proc/quernel").store(key, object, manifest).reason, "");
  EXPECT_EQ(DiskCache("/proc/quernel").load(key).reason, "");
  EXPECT_TRUE(contains(DiskCache(folder / "file").info().reason, "Not a directory"));
  EXPECT_EQ(DiskCache("").store(key, object, manifest).object, "");
}

TEST_F(DiskCacheTest, LeavesNothingWhereTheDiskIsFull) {
  EXPECT_TRUE(succeeded(start([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    return contains(cache.store(key, object, manifest).reason, "File too large");
  })));
  EXPECT_TRUE(std::filesystem::is_empty(folder / "cache/ab"));
  EXPECT_EQ(cache.store(key, object, manifest).reason, "");
  expectHit();
}

TEST_F(DiskCacheTest, KeepsTheOldEntryWhereTheDiskIsFull) {
  cache.store(key, object, manifest);
  writeFile(file(".json"), "{}\n");
  EXPECT_TRUE(succeeded(start([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    return !cache.store(key, object, manifest).reason.empty();
  })));
  EXPECT_EQ(readFile(file(".so")), object);
  EXPECT_EQ(readFile(file(".json")), "{}\n");
}

TEST_F(DiskCacheTest, FindsAValidEntryWhereTheDiskIsFull) {
  cache.store(key, object, manifest);
  EXPECT_TRUE(succeeded(start([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    return cache.store(key, object, manifest).object == file(".so");
  })));
}

TEST_F(DiskCacheTest, LeavesAValidEntryAlone) {
  cache.store(key, object, manifest);
  const auto written = std::filesystem::last_write_time(file(".so"));
  CacheStore same = cache.store(key, object + "another build", manifest);
  EXPECT_EQ(same.object, file(".so"));
  EXPECT_EQ(same.reason, "");
  CacheStore other = cache.store(key, object, "{}");
  EXPECT_EQ(other.object, "");
  EXPECT_EQ(other.reason, "");
  expectHit();
  EXPECT_EQ(std::filesystem::last_write_time(file(".so")), written);
}

TEST_F(DiskCacheTest, ManyProcessesStoreAtOnce) {
  auto writer = [&](char letter) {
    return start([this, letter] {
      bool right = true;
      for (int k = 0; k < 60; ++k) {
        const std::string name = "ab" + std::to_string(k), mine = std::string(1, letter);
        CacheStore stored = cache.store(name, std::string(20000, letter), mine);
        CacheLoad loaded = cache.load(name);
        right &= stored.reason.empty() && loaded.hit && loaded.reason.empty();
        right &= stored.object.empty() == (loaded.manifest != mine);
        right &= readFile(loaded.object) == std::string(20000, loaded.manifest[0]);
      }
      return right;
    });
  };
  std::vector<pid_t> writers;
  for (char letter : {'a', 'b', 'c', 'd'})
    writers.push_back(writer(letter));
  for (pid_t process : writers)
    EXPECT_TRUE(succeeded(process));
  EXPECT_EQ(cache.info().entries, 60U);
  EXPECT_TRUE(cache.verify().empty());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "cache/ab"), {}), 120);
}

TEST_F(DiskCacheTest, WaitsForAWriterBetweenTheHalves) {
  cache.store(key, object, manifest);
  const std::string whole = readFile(file(".so"));
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t writer = start([&] {
    const int place = open((folder / "cache/ab").c_str(), O_RDONLY | O_DIRECTORY);
    bool right = flock(place, LOCK_EX) == 0;
    writeFile(file(".so"), "the other half");
    right &= write(ready[1], "!", 1) == 1;
    usleep(100000);
    writeFile(file(".so"), whole);
    return right && flock(place, LOCK_UN) == 0;
  });
  char byte;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  expectHit();
  EXPECT_TRUE(succeeded(writer));
  close(ready[0]);
  close(ready[1]);
}

TEST_F(DiskCacheTest, MissesSilentlyWhileOthersClear) {
  const pid_t other = start([&] {
    bool right = true;
    for (int k = 0; k < 300; ++k) {
      right &= cache.store(key, object, manifest).reason.empty();
      right &= cache.clear().reason.empty();
    }
    return right;
  });
  std::set<std::string> reasons;
  siginfo_t ended{};
  while (waitid(P_PID, other, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0) {
    reasons.insert(cache.load(key).reason);
    reasons.insert(cache.store(key, object, manifest).reason);
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
    cache.store(name, object, manifest);
    makeOld(folder / ("cache/ab/" + name + ".so"), 10 - k);
    makeOld(folder / ("cache/ab/" + name + ".json"), 10 - k);
  }
  EXPECT_TRUE(cache.load("ab0").hit);
  const uint64_t each = cache.info().bytes / 3;
  CacheRemoval removed = cache.prune(2 * each);
  EXPECT_EQ(removed.entries, 1U);
  EXPECT_EQ(removed.bytes, each);
  EXPECT_EQ(removed.reason, "");
  EXPECT_TRUE(cache.load("ab0").hit);
  EXPECT_FALSE(cache.load("ab1").hit);
  EXPECT_TRUE(cache.load("ab2").hit);
  EXPECT_EQ(cache.prune(2 * each).entries, 0U);
}

TEST_F(DiskCacheTest, PrunesWhatDeadWritersLeft) {
  cache.store(key, object, manifest);
  writeFile(folder / "cache/ab/ab77.so.123.0.tmp", "half");
  writeFile(folder / "cache/ab/ab78.so.124.0.tmp", "half");
  makeOld(folder / "cache/ab/ab77.so.123.0.tmp", 2);
  EXPECT_EQ(cache.prune(UINT64_MAX).bytes, 4U);
  EXPECT_FALSE(std::filesystem::exists(folder / "cache/ab/ab77.so.123.0.tmp"));
  EXPECT_TRUE(std::filesystem::exists(folder / "cache/ab/ab78.so.124.0.tmp"));
  expectHit();
}

TEST_F(DiskCacheTest, ClearsItsOwnFilesOnly) {
  cache.store(key, object, manifest);
  cache.store("zz12", object, manifest);
  for (const char *name : {"cache/notes.txt", "cache/ab/notes.txt", "cache/ab/zz.so", "cache/index/ab/ab1.json"})
    writeFile(folder / name, "mine");
  CacheRemoval removed = cache.clear();
  EXPECT_EQ(removed.entries, 2U);
  EXPECT_EQ(removed.reason, "");
  EXPECT_FALSE(cache.load(key).hit);
  EXPECT_TRUE(std::filesystem::is_empty(folder / "cache/zz"));
  for (const char *name : {"cache/notes.txt", "cache/ab/notes.txt", "cache/ab/zz.so", "cache/index/ab/ab1.json"})
    EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
}

TEST_F(DiskCacheTest, ClearsNothingBehindALink) {
  writeFile(folder / "elsewhere/ab12.so", "mine");
  std::filesystem::create_directories(folder / "cache");
  std::filesystem::create_directory_symlink(folder / "elsewhere", folder / "cache/ab");
  EXPECT_EQ(cache.clear().entries, 0U);
  EXPECT_TRUE(std::filesystem::exists(folder / "elsewhere/ab12.so"));
  EXPECT_NE(cache.store(key, object, manifest).reason, "");
}

TEST_F(DiskCacheTest, AMissingFolderIsEmpty) {
  EXPECT_EQ(cache.info().entries, 0U);
  EXPECT_EQ(cache.info().reason, "");
  EXPECT_TRUE(cache.verify().empty());
  EXPECT_EQ(cache.prune(0).reason, "");
  EXPECT_EQ(cache.clear().reason, "");
}

TEST(Digest, IsXXH3) {
  EXPECT_EQ(digest(""), "99aa06d3014798d86001c324468d497f");
  EXPECT_NE(digest("a"), digest("b"));
}
