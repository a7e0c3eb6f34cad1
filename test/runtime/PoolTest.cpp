#include "runtime/Pool.h"
#include "Processes.h"
#include "runtime/Cgroup.h"
#include <atomic>
#include <cstring>
#include <sys/mman.h>
#include <thread>

using namespace quernel::runtime;
using namespace quernel::test;

namespace {
constexpr size_t megabyte = 1 << 20;
}

TEST(SizeClass, CoversTheRequestAndWastesLittle) {
  for (size_t bytes = 1; bytes < 300000; bytes += bytes < 5000 ? 1 : 97) {
    const size_t capacity = sizeClass(bytes);
    ASSERT_GE(capacity, bytes);
    ASSERT_LE(capacity, std::max(bytes + 64, bytes + bytes / 4));
    ASSERT_EQ(capacity % 64, 0U);
    ASSERT_EQ(sizeClass(capacity), capacity);
  }
  EXPECT_EQ(sizeClass(16 * megabyte), 16 * megabyte);
}

TEST(Pool, GivesAlignedWritableMemory) {
  Pool pool;
  for (size_t bytes : {size_t(0), size_t(1), size_t(64), size_t(65), size_t(65535), size_t(65536), 3 * megabyte + 1}) {
    void *memory = pool.allocate(bytes);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 64, 0U);
    EXPECT_GE(Pool::capacity(memory), bytes);
    std::memset(memory, 1, bytes);
    pool.release(memory);
  }
}

namespace {

/// The bytes of a block that are in memory.
size_t residentBytes(void *memory) {
  const size_t page = sysconf(_SC_PAGESIZE);
  char *start = reinterpret_cast<char *>(BlockHeader::of(memory));
  std::vector<unsigned char> pages((sizeof(BlockHeader) + Pool::capacity(memory) + page - 1) / page);
  EXPECT_EQ(mincore(start, pages.size() * page, pages.data()), 0);
  return page * std::count_if(pages.begin(), pages.end(), [](unsigned char state) { return state & 1; });
}

} // namespace

TEST(Pool, TouchesNoMoreThanWasAskedFor) {
  Pool pool;
  // All but the first size class end after the request, by up to 15 MiB.
  for (size_t bytes : {64 * megabyte, 8000000UL, 80000000UL, 5 * megabyte + 64, 65 * megabyte, 100000UL}) {
    void *memory = pool.allocate(bytes);
    ASSERT_NE(memory, nullptr);
    std::memset(memory, 1, bytes);
    EXPECT_GE(residentBytes(memory), bytes);
    EXPECT_LE(residentBytes(memory), bytes + 2 * sysconf(_SC_PAGESIZE)) << bytes;
    pool.release(memory);
    pool.trim();
  }
}

TEST(Pool, RecyclesALargeBlock) {
  Pool pool;
  void *first = pool.allocate(16 * megabyte);
  pool.release(first);
  EXPECT_EQ(pool.statistics().idleBytes, 16 * megabyte);
  EXPECT_EQ(pool.allocate(16 * megabyte - 100), first);
  PoolStatistics after = pool.statistics();
  EXPECT_EQ(after.recycled, 1U);
  EXPECT_EQ(after.fresh, 1U);
  EXPECT_EQ(after.idleBytes, 0U);
  EXPECT_EQ(after.usedBytes, 16 * megabyte);
  pool.release(first);
  EXPECT_EQ(pool.statistics().usedBytes, 0U);
}

TEST(Pool, RecyclesASmallBlockInTheThread) {
  Pool pool;
  trimSmall();
  void *first = pool.allocate(1000);
  pool.release(first);
  EXPECT_EQ(pool.allocate(990), first);
  pool.release(first);
  EXPECT_EQ(trimSmall(), sizeClass(1000));
  EXPECT_EQ(trimSmall(), 0U);
}

TEST(Pool, KeepsNoMoreSmallBlocksThanAThreadMay) {
  Pool pool;
  trimSmall();
  std::vector<void *> blocks;
  for (int k = 0; k < 100; ++k)
    blocks.push_back(pool.allocate(32 << 10));
  for (void *block : blocks)
    pool.release(block);
  EXPECT_EQ(trimSmall(), size_t(512) << 10);
}

TEST(Pool, FreesTheOldestBeyondTheLimit) {
  Pool pool(3 * megabyte);
  void *oldest = pool.allocate(megabyte), *middle = pool.allocate(2 * megabyte), *newest = pool.allocate(megabyte);
  pool.release(oldest);
  pool.release(middle);
  EXPECT_EQ(pool.statistics().idleBytes, 3 * megabyte);
  pool.release(newest);
  EXPECT_EQ(pool.statistics().idleBytes, 3 * megabyte);
  EXPECT_EQ(pool.allocate(megabyte), newest);
  EXPECT_EQ(pool.allocate(2 * megabyte), middle);
  pool.release(newest);
  pool.release(middle);
}

TEST(Pool, DoesNotKeepABlockBeyondTheLimit) {
  Pool pool(megabyte);
  pool.release(pool.allocate(2 * megabyte));
  EXPECT_EQ(pool.statistics().idleBlocks, 0U);
}

TEST(Pool, LowersTheLimit) {
  Pool pool;
  pool.release(pool.allocate(8 * megabyte));
  pool.setIdleLimit(megabyte);
  EXPECT_EQ(pool.statistics().idleBytes, 0U);
  EXPECT_EQ(pool.statistics().idleLimit, megabyte);
}

TEST(Pool, TrimsToWhatShallStay) {
  Pool pool;
  void *first = pool.allocate(4 * megabyte), *second = pool.allocate(2 * megabyte);
  pool.release(first);
  pool.release(second);
  EXPECT_EQ(pool.trim(3 * megabyte), 4 * megabyte);
  EXPECT_EQ(pool.statistics().idleBytes, 2 * megabyte);
  EXPECT_EQ(pool.trim(), 2 * megabyte);
  EXPECT_EQ(pool.statistics().idleBlocks, 0U);
}

TEST(Pool, AnswersNullWhereMemoryIsOut) {
  Pool pool;
  EXPECT_EQ(pool.allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(pool.allocate(size_t(1) << 60), nullptr);
  EXPECT_EQ(pool.statistics().usedBytes, 0U);
}

TEST(Pool, ReallocatesWithTheContent) {
  Pool pool;
  char *memory = static_cast<char *>(pool.reallocate(nullptr, 100));
  std::memcpy(memory, "content", 8);
  memory = static_cast<char *>(pool.reallocate(memory, 2 * megabyte));
  EXPECT_STREQ(memory, "content");
  memory = static_cast<char *>(pool.reallocate(memory, 200));
  EXPECT_STREQ(memory, "content");
  EXPECT_EQ(pool.reallocate(memory, SIZE_MAX), nullptr);
  EXPECT_STREQ(memory, "content");
  pool.release(memory);
}

TEST(Pool, LimitFollowsTheMemory) {
  constexpr size_t gigabyte = size_t(1) << 30;
  EXPECT_EQ(Pool::idleLimitOf(64 * gigabyte), 8 * gigabyte);
  EXPECT_EQ(Pool::idleLimitOf(6 * gigabyte), gigabyte);
  EXPECT_EQ(Pool::idleLimitOf(gigabyte), gigabyte / 4);
  const size_t physical = size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE));
  const size_t memory = std::min(physical, size_t(cgroupMemory().value_or(INT64_MAX)));
  EXPECT_EQ(Pool::defaultIdleLimit(), Pool::idleLimitOf(memory));
}

namespace {

/// Takes and returns blocks of many sizes; false if two users had the same block at once.
bool hammer(Pool &pool, unsigned seed, int rounds) {
  std::vector<uint32_t *> mine;
  auto check = [&](uint32_t *block) { return block[0] == seed && block[Pool::capacity(block) / 4 - 1] == seed; };
  bool right = true;
  for (int k = 0; k < rounds; ++k) {
    auto *block = static_cast<uint32_t *>(pool.allocate(size_t(64) << (k * 7 + seed) % 14));
    block[0] = block[Pool::capacity(block) / 4 - 1] = seed;
    mine.push_back(block);
    if (mine.size() < 8)
      continue;
    uint32_t *&old = mine[(k * 5) % mine.size()];
    right &= check(old);
    pool.release(old);
    old = mine.back();
    mine.pop_back();
  }
  for (uint32_t *block : mine) {
    right &= check(block);
    pool.release(block);
  }
  return right;
}

} // namespace

TEST(Pool, ServesSeveralThreads) {
  Pool pool(4 * megabyte);
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (unsigned seed = 1; seed <= 6; ++seed)
    threads.emplace_back([&, seed] { right += hammer(pool, seed, 5000); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 6);
  EXPECT_EQ(pool.statistics().usedBytes, 0U);
  EXPECT_LE(pool.statistics().idleBytes, 4 * megabyte);
}

TEST(Pool, TakesABlockBackInAnotherThread) {
  Pool pool;
  void *small = pool.allocate(100), *large = pool.allocate(megabyte);
  std::thread([&] {
    pool.release(small);
    pool.release(large);
  }).join();
  EXPECT_EQ(pool.statistics().idleBytes, megabyte);
}

TEST(Pool, SharedSurvivesAForkAmongThreads) {
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (unsigned seed = 1; seed <= 3; ++seed)
    threads.emplace_back([&, seed] {
      while (!stop)
        hammer(Pool::shared(), seed, 50);
    });
  int right = 0;
  for (int k = 0; k < 50; ++k)
    right += succeeded(start([] {
      alarm(20); // a lock that another thread held would never be released
      return hammer(Pool::shared(), 9, 200);
    }));
  stop = true;
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 50);
}
