// The problems of a batch, such as its products of matrices, in several threads.
#ifndef QUERNEL_RUNTIME_BATCH_H
#define QUERNEL_RUNTIME_BATCH_H

#include "runtime/Blas.h"
#include "runtime/abi.h"

namespace quernel::runtime {

/// Computes so many problems from `first` on; returns a code of abi.h.
using BatchBody = int32_t (*)(void *data, int64_t first, int64_t count);

/// What the problems of a batch are.
struct Batch {
  int64_t size;
  double work;      ///< multiplications of one problem
  const Blas *blas; ///< the library that they call; null where they call none
};

/// Computes all problems of a batch, in several threads where these do more for it than those of the library for one
/// problem after the other: meanwhile the library computes each call in the thread that makes it. Polls between
/// problems. Returns QN_OK, or a code that one of the problems gave or the poll; then some haven't been computed.
int32_t runBatch(const qn_context *context, const Batch &batch, BatchBody body, void *data);

/// The same for a function of (first, count).
template <typename Body> int32_t runBatch(const qn_context *context, const Batch &batch, Body body) {
  return runBatch(
      context, batch,
      [](void *data, int64_t first, int64_t count) -> int32_t { return (*static_cast<Body *>(data))(first, count); },
      &body);
}

/// While one lives, a library's calls run in the threads that make them, also for other callers in the process. The
/// last one to go sets the library's threads as the first one has found them; a fork that comes between does so in the
/// child. Does nothing where there is no library, or where it doesn't say how many threads it has.
class OneThread {
public:
  explicit OneThread(const Blas *blas);
  ~OneThread();
  OneThread(const OneThread &) = delete;
  OneThread &operator=(const OneThread &) = delete;

private:
  const bool isUser;
};

} // namespace quernel::runtime

#endif
