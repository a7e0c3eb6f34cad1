#include "runtime/Batch.h"
#include <algorithm>
#include <atomic>
#include <mutex>
#include <pthread.h>

using namespace quernel::runtime;

namespace {

/// Multiplications that are worth a second thread.
constexpr double enoughWork = 1 << 18;
/// Problems of fewer are computed as fast by one of the library's threads as by several.
constexpr double largeProblem = 1 << 22;
/// Of all threads' time, how much at least is spent computing where large problems aren't cut.
constexpr double fairShare = 0.8;

/// While one lives, a library's calls run in the threads that make them. How many threads it has is a setting of the
/// process: the last one to go sets it as the first one has found it, a fork that comes between does so in the child.
class OneThread {
public:
  explicit OneThread(const Blas &blas) {
    std::lock_guard guard(lock);
    if (users++ > 0)
      return;
    static const int once = pthread_atfork([] { lock.lock(); }, [] { lock.unlock(); }, restoreInChild);
    (void)once;
    before = blas.threads();
    setThreads = blas.setThreads;
    if (before != 1)
      setThreads(1);
  }

  ~OneThread() {
    std::lock_guard guard(lock);
    if (--users == 0)
      restore();
  }

  OneThread(const OneThread &) = delete;
  OneThread &operator=(const OneThread &) = delete;

private:
  static void restore() {
    if (before != 1)
      setThreads(before);
  }

  static void restoreInChild() {
    if (users > 0)
      restore();
    users = 0;
    lock.unlock();
  }

  static inline std::mutex lock;
  static inline int users = 0, before = 1;
  static inline void (*setThreads)(int) = nullptr;
};

/// A batch and how many threads share it.
struct Job {
  const qn_context *context;
  const Batch &batch;
  BatchBody body;
  void *data;
  int32_t parts;
  std::atomic<int32_t> code = QN_OK;

  void runPart(int32_t part) {
    const int64_t last = batch.size * (part + 1) / parts;
    const auto atOnce = int64_t(std::clamp(enoughWork / std::max(batch.work, 1.0), 1.0, enoughWork));
    for (int64_t first = batch.size * part / parts; first < last && code == QN_OK; first += atOnce) {
      int32_t found = context->poll();
      if (found == QN_OK)
        found = body(data, first, std::min(atOnce, last - first));
      if (found != QN_OK)
        code = found;
    }
  }
};

bool isWorthThreads(const Batch &batch, int64_t parts) {
  if (batch.size * batch.work < enoughWork || (batch.blas && !batch.blas->setThreads))
    return false;
  const int64_t rounds = (batch.size + parts - 1) / parts;
  return batch.work < largeProblem || !batch.blas || batch.size >= fairShare * double(rounds * parts);
}

} // namespace

int32_t quernel::runtime::runBatch(const qn_context *context, const Batch &batch, BatchBody body, void *data) {
  const int64_t parts = std::clamp<int64_t>(batch.size, 1, context->threads);
  Job job{context, batch, body, data, 1};
  if (parts == 1 || !isWorthThreads(batch, parts)) {
    job.runPart(0);
    return job.code;
  }
  job.parts = int32_t(parts);
  auto run = [&] {
    context->parallel(job.parts, [](void *data, int32_t part) { static_cast<Job *>(data)->runPart(part); }, &job);
  };
  if (!batch.blas) {
    run();
    return job.code;
  }
  OneThread alone(*batch.blas);
  run();
  return job.code;
}
