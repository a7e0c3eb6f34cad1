#include "runtime/device/DevicePool.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <thread>
#include <vector>

using namespace quernel::runtime;

namespace {

constexpr size_t megabyte = 1 << 20;

/// A source with so many bytes, whose addresses nobody may touch.
struct Source {
  size_t left;
  uintptr_t next = size_t(1) << 40;
  std::map<void *, size_t> given = {};
  int asked = 0;

  MemorySource source() {
    return {[this](size_t bytes) -> void * {
              ++asked;
              if (bytes > left)
                return nullptr;
              left -= bytes;
              void *memory = reinterpret_cast<void *>(next);
              next += bytes + megabyte;
              given[memory] = bytes;
              return memory;
            },
            [this](void *memory) {
              left += given.at(memory);
              given.erase(memory);
            },
            {}};
  }
};

} // namespace

TEST(DevicePool, GivesAReleasedBlockAgainAtOnce) {
  Source source{100 * megabyte};
  DevicePool pool(source.source(), 100 * megabyte);
  void *first = pool.allocate(3 * megabyte);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 512, 0U);
  pool.release(first);
  EXPECT_EQ(pool.allocate(3 * megabyte), first);
  EXPECT_EQ(source.asked, 1);
  EXPECT_EQ(pool.wanted(first), 3 * megabyte);
}

TEST(DevicePool, CutsSmallBlocksFromOneRegion) {
  Source source{100 * megabyte};
  DevicePool pool(source.source(), 100 * megabyte);
  std::vector<void *> blocks;
  for (size_t k = 0; k < 1000; ++k)
    blocks.push_back(pool.allocate(k));
  EXPECT_EQ(source.asked, 1);
  std::ranges::sort(blocks);
  EXPECT_EQ(std::ranges::unique(blocks).size(), 0U);
  for (void *block : blocks)
    pool.release(block);
  EXPECT_EQ(pool.statistics().allocated, 0U);
  // All of it is one block again.
  EXPECT_EQ(pool.trim(), 2 * megabyte);
  EXPECT_EQ(pool.statistics().reserved, 0U);
  EXPECT_TRUE(source.given.empty());
}

TEST(DevicePool, TakesTheSmallestBlockThatFits) {
  Source source{1000 * megabyte};
  DevicePool pool(source.source(), 1000 * megabyte);
  void *big = pool.allocate(300 * megabyte), *middle = pool.allocate(100 * megabyte);
  pool.release(big);
  pool.release(middle);
  EXPECT_EQ(pool.allocate(90 * megabyte), middle);
  EXPECT_EQ(pool.allocate(200 * megabyte), big);
  EXPECT_EQ(source.asked, 2);
}

TEST(DevicePool, JoinsNeighbours) {
  Source source{1000 * megabyte};
  DevicePool pool(source.source(), 1000 * megabyte);
  void *whole = pool.allocate(64 * megabyte);
  pool.release(whole);
  void *first = pool.allocate(20 * megabyte), *second = pool.allocate(20 * megabyte),
       *third = pool.allocate(24 * megabyte);
  EXPECT_EQ(source.asked, 1);
  pool.release(first);
  pool.release(third);
  pool.release(second);
  EXPECT_EQ(pool.allocate(64 * megabyte), whole);
  EXPECT_EQ(source.asked, 1);
}

TEST(DevicePool, GivesBackWhatIsFreeWhereMemoryIsOut) {
  Source source{100 * megabyte};
  DevicePool pool(source.source(), 100 * megabyte);
  void *idle = pool.allocate(60 * megabyte), *used = pool.allocate(20 * megabyte);
  pool.release(idle);
  EXPECT_NE(pool.allocate(70 * megabyte), nullptr);
  EXPECT_FALSE(source.given.contains(idle));
  EXPECT_EQ(pool.allocate(40 * megabyte), nullptr);
  // What is there stays usable.
  pool.release(used);
  EXPECT_NE(pool.allocate(10 * megabyte), nullptr);
}

TEST(DevicePool, AsksForLessWhereTheUsualRegionIsTooLarge) {
  Source source{6 * megabyte};
  DevicePool pool(source.source(), 6 * megabyte);
  EXPECT_NE(pool.allocate(5 * megabyte), nullptr);
  EXPECT_EQ(pool.statistics().reserved, 6 * megabyte);
}

TEST(DevicePool, KeepsNoMoreThanItMay) {
  Source source{1000 * megabyte};
  DevicePool pool(source.source(), 100 * megabyte);
  void *first = pool.allocate(80 * megabyte), *second = pool.allocate(60 * megabyte);
  pool.release(first);
  EXPECT_EQ(source.given.size(), 2U);
  pool.release(second);
  EXPECT_EQ(source.given.size(), 1U);
  EXPECT_EQ(pool.statistics().reserved, 60 * megabyte);
}

TEST(DevicePool, GivesEachBlockARegionWhereItHasTo) {
  Source source{100 * megabyte};
  DevicePool pool(source.source(), 100 * megabyte, true);
  void *small = pool.allocate(10), *large = pool.allocate(3 * megabyte + 1);
  EXPECT_EQ(source.given, (std::map<void *, size_t>{{small, 10}, {large, 3 * megabyte + 1}}));
  pool.release(small);
  EXPECT_EQ(source.given.size(), 1U);
  pool.release(large);
  EXPECT_TRUE(source.given.empty());
}

TEST(DevicePool, RefusesWhatNoDeviceHas) {
  Source source{megabyte};
  DevicePool pool(source.source(), 0);
  EXPECT_EQ(pool.allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(pool.allocate(size_t(1) << 61), nullptr);
  pool.release(nullptr);
  EXPECT_EQ(pool.statistics().allocated, 0U);
}

TEST(DevicePool, ServesSeveralThreads) {
  Source source{size_t(1) << 34};
  DevicePool pool(source.source(), size_t(1) << 34);
  std::vector<std::thread> threads;
  for (size_t seed = 1; seed <= 4; ++seed)
    threads.emplace_back([&, seed] {
      std::vector<void *> mine;
      for (size_t k = 0; k < 3000; ++k) {
        mine.push_back(pool.allocate(size_t(300) << (k * 7 + seed) % 14));
        if (mine.size() < 10)
          continue;
        pool.release(mine[k % 10]);
        mine[k % 10] = mine.back();
        mine.pop_back();
      }
      for (void *block : mine)
        pool.release(block);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(pool.statistics().allocated, 0U);
  pool.trim();
  EXPECT_TRUE(source.given.empty());
}
