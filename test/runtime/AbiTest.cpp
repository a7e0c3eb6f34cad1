// The generated code and the header of users' functions carry their own copies of the context's layout; this is where
// they meet.
#include "runtime/abi.h"
#include "runtime/Context.h"
#include "runtime/Threads.h"
#include <cstddef>
#include <gtest/gtest.h>
#include <thread>
#include <type_traits>
#include <vector>

namespace printed {
#include "compiler/Emit/Preludes/context.h"
#include "compiler/Emit/Preludes/device.h"
} // namespace printed
namespace lent {
#include "frontend/quernel/loaded/include/quernel.h"
} // namespace lent

/// A function's type without its context, whose own type is in it.
template <typename Function> struct WithoutContext;
template <typename Result, typename Context, typename... Rest>
struct WithoutContext<Result (*)(const Context *, Rest...)> {
  using Type = Result (*)(Rest...);
};

#define SAME_OFFSET(space, field) static_assert(offsetof(qn_context, field) == offsetof(space::qn_context, field))
#define SAME_FIELD(space, field)                                                                                       \
  SAME_OFFSET(space, field);                                                                                           \
  static_assert(std::is_same_v<decltype(qn_context::field), decltype(space::qn_context::field)>)
#define SAME_METHOD(space, field)                                                                                      \
  SAME_OFFSET(space, field);                                                                                           \
  static_assert(std::is_same_v<WithoutContext<decltype(qn_context::field)>::Type,                                      \
                               WithoutContext<decltype(space::qn_context::field)>::Type>)
#define IN_BOTH(check, field)                                                                                          \
  check(printed, field);                                                                                               \
  check(lent, field)

IN_BOTH(SAME_FIELD, threads);
IN_BOTH(SAME_FIELD, alloc);
IN_BOTH(SAME_FIELD, release);
IN_BOTH(SAME_METHOD, fail);
IN_BOTH(SAME_FIELD, poll);
IN_BOTH(SAME_METHOD, call);
IN_BOTH(SAME_METHOD, parallel_for);
IN_BOTH(SAME_OFFSET, parallel_tasks); // whose turns get a context, too
IN_BOTH(SAME_METHOD, draw);
static_assert(sizeof(qn_context) == sizeof(printed::qn_context));
static_assert(sizeof(qn_context) == sizeof(lent::qn_context));

static_assert(offsetof(qn_device, launch) == offsetof(printed::qn_device, launch));
static_assert(offsetof(qn_device, read) == offsetof(printed::qn_device, read));
static_assert(offsetof(qn_device, write) == offsetof(printed::qn_device, write));
static_assert(offsetof(qn_device, repeat) == offsetof(printed::qn_device, repeat));
static_assert(sizeof(qn_device) == sizeof(printed::qn_device));
static_assert(offsetof(qn_grid, threads) == offsetof(printed::qn_grid, threads));
static_assert(offsetof(qn_grid, shared) == offsetof(printed::qn_grid, shared));
static_assert(sizeof(qn_grid) == sizeof(printed::qn_grid));

using namespace quernel::runtime;

TEST(Abi, EveryCodeHasAText) {
  EXPECT_STREQ(qn_error_text(QN_OUT_OF_MEMORY), "not enough memory for a temporary array");
  EXPECT_STRNE(qn_error_text(77), qn_error_text(QN_OUT_OF_MEMORY));
}

TEST(Context, HasNoOtherRoutines) {
  for (int32_t routine : {-1, int(QN_ROUTINES)})
    EXPECT_EQ(context(1).call(&context(1), routine, QN_F64, nullptr, nullptr, nullptr), QN_NO_ROUTINE);
  const int64_t sizes[4] = {};
  EXPECT_EQ(context(1).call(&context(1), QN_MATMUL, QN_I64, nullptr, nullptr, sizes), QN_NO_ROUTINE);
}

TEST(Context, HasItsNumberOfThreads) {
  EXPECT_EQ(context(3).threads, 3);
  EXPECT_EQ(context(0).threads, defaultThreads());
  EXPECT_EQ(context(-1).threads, defaultThreads());
  EXPECT_EQ(context(1000000).threads, threadLimit);
}

TEST(Context, IsTheSameAtEveryCall) { EXPECT_EQ(&context(2), &context(2)); }

TEST(Context, LendsMemory) {
  const qn_context &lent = context(1);
  for (int64_t bytes : {0, 1, 1000, 5000000}) {
    void *memory = lent.alloc(bytes);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 64, 0U);
    lent.release(memory);
  }
  lent.release(nullptr);
}

TEST(Context, RefusesMemoryThatThereIsNot) {
  EXPECT_EQ(context(1).alloc(-8), nullptr);
  EXPECT_EQ(context(1).alloc(INT64_MAX), nullptr);
}

TEST(Context, OfACallKeepsItsFirstError) {
  CallContext call(context(2));
  EXPECT_EQ(call.threads, 2);
  EXPECT_EQ(call.code(), QN_OK);
  const int64_t values[] = {7, -5}, others[] = {1};
  EXPECT_EQ(call.fail(&call, QN_FIRST_ERROR + 1, values, 2), QN_FIRST_ERROR + 1);
  EXPECT_EQ(call.fail(&call, QN_FIRST_ERROR, others, 1), QN_FIRST_ERROR);
  EXPECT_EQ(call.code(), QN_FIRST_ERROR + 1);
  EXPECT_EQ(std::vector(call.values().begin(), call.values().end()), std::vector<int64_t>({7, -5}));
}

TEST(Context, OfACallKeepsOneOfManyErrorsAtOnce) {
  CallContext call(context(1));
  std::vector<std::thread> threads;
  for (int k = 0; k < 8; ++k)
    threads.emplace_back([&call, k] {
      const int64_t values[] = {k, k, k};
      call.fail(&call, QN_FIRST_ERROR + k, values, 3);
    });
  for (std::thread &thread : threads)
    thread.join();
  ASSERT_GE(call.code(), QN_FIRST_ERROR);
  ASSERT_EQ(call.values().size(), 3U);
  for (int64_t value : call.values())
    EXPECT_EQ(value, call.code() - QN_FIRST_ERROR);
}

TEST(Context, SharedKeepsNoError) {
  const int64_t values[] = {1};
  EXPECT_EQ(context(1).fail(&context(1), QN_FIRST_ERROR, values, 1), QN_FIRST_ERROR);
}
