#include "runtime/WarmUp.h"
#include "runtime/Sections.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

using namespace quernel::runtime;
using namespace std::chrono_literals;

namespace {

bool isFree(std::chrono::milliseconds time) {
  const bool found = awaitSections(time);
  resumeSections();
  return found;
}

int &number(const char *name) {
  void *library = dlopen(QUERNEL_TEST_KERNELS, RTLD_NOW | RTLD_LOCAL);
  return *static_cast<int *>(dlsym(library, name));
}

} // namespace

TEST(WarmUp, CallsTheFunctionInAThreadWithoutSignals) {
  const int before = number("warm_ups");
  number("blocked_signals") = 0;
  ASSERT_TRUE(warmUp(QUERNEL_TEST_KERNELS, "warm_up"));
  ASSERT_TRUE(isFree(60s));
  EXPECT_EQ(number("warm_ups"), before + 1);
  EXPECT_TRUE(number("blocked_signals"));
}

TEST(WarmUp, IsASectionFromTheBeginning) {
  number("may_end") = 0;
  ASSERT_TRUE(warmUp(QUERNEL_TEST_KERNELS, "warm_up_slowly"));
  EXPECT_FALSE(isFree(0ms));
  EXPECT_FALSE(isFree(20ms));
  __atomic_store_n(&number("may_end"), 1, __ATOMIC_RELEASE);
  EXPECT_TRUE(isFree(60s));
}

TEST(WarmUp, IsSilentWhereThereIsNothing) {
  EXPECT_TRUE(warmUp("/no/such/library.so", "warm_up"));
  EXPECT_TRUE(isFree(60s));
  EXPECT_TRUE(warmUp(QUERNEL_TEST_KERNELS, "no_such_function"));
  EXPECT_TRUE(isFree(60s));
}

TEST(WarmUp, SectionsCanBeReservedAndCancelled) {
  enterSection();
  reserveSection();
  EXPECT_FALSE(isFree(0ms));
  cancelReservedSection();
  EXPECT_TRUE(isFree(0ms));
  leaveSection();
}
