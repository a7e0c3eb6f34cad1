#include "runtime/WarmUp.h"
#include "runtime/Sections.h"

#include <csignal>
#include <dlfcn.h>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace quernel::runtime;
using namespace std::chrono_literals;

namespace {

bool isFree(std::chrono::milliseconds time) {
  const bool found = awaitSections(time);
  resumeSections();
  return found;
}

/// A copy of the programs for tests, which nobody has loaded.
class Copy {
public:
  Copy() { std::ofstream(path, std::ios::binary) << std::ifstream(QUERNEL_TEST_KERNELS, std::ios::binary).rdbuf(); }
  ~Copy() { std::remove(path.c_str()); }

  bool isLoaded() const { return dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD) != nullptr; }

  const std::string path = testing::TempDir() + "quernel-warm-up-" + std::to_string(getpid()) + ".so";
};

} // namespace

TEST(WarmUp, LoadsTheLibraryForGood) {
  Copy copy;
  ASSERT_FALSE(copy.isLoaded());
  ASSERT_TRUE(warmUp(copy.path));
  ASSERT_TRUE(isFree(60s));
  EXPECT_TRUE(copy.isLoaded());
}

TEST(WarmUp, IsASectionFromTheBeginning) {
  for (int k = 0; k < 20; ++k) {
    Copy copy;
    ASSERT_TRUE(warmUp(copy.path));
    ASSERT_TRUE(isFree(60s));
    ASSERT_TRUE(copy.isLoaded()) << k; // whenever the thread began, it was awaited
    dlclose(dlopen(copy.path.c_str(), RTLD_NOW));
  }
}

TEST(WarmUp, LeavesSignalsAlone) {
  sigset_t before, after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  ASSERT_TRUE(warmUp(QUERNEL_TEST_KERNELS));
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (int number = 1; number < NSIG; ++number)
    EXPECT_EQ(sigismember(&before, number), sigismember(&after, number)) << number;
  EXPECT_TRUE(isFree(60s));
}

TEST(WarmUp, IsSilentWhereThereIsNothing) {
  EXPECT_TRUE(warmUp("/no/such/library.so"));
  EXPECT_TRUE(isFree(60s));
}
