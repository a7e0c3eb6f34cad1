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
/// How often a thread comes for more problems, if they are small, and how many of those it computes at once.
constexpr int64_t rounds = 4, lanes = 8;
/// Of all threads' time, how much at least is spent computing where large problems aren't cut.
constexpr double fairShare = 0.8;

/// While one lives, a library's calls run in the threads that make them. How many threads it has is a setting of the
/// process: the last one to go sets it as the first one has found it, a fork that comes between does so in the child.
class OneThread {
public:
  explicit OneThread(const Blas &blas) { begin(blas); }
  ~OneThread() { end(); }
  OneThread(const OneThread &) = delete;
  OneThread &operator=(const OneThread &) = delete;

  static void begin(const Blas &blas) {
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

  /// A child of a fork has no users.
  static void end() {
    std::lock_guard guard(lock);
    if (users > 0 && --users == 0)
      restore();
  }

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

/// A batch whose problems threads take as they come to them.
struct Job {
  const qn_context *context;
  const Batch &batch;
  BatchBody body;
  void *data;
  std::atomic<int64_t> begun = 0;
  std::atomic<int32_t> code = QN_OK;

  void run() {
    // Some rounds for each thread, so that one that is stopped has begun little; whole vectors of small problems.
    const auto enough = int64_t(std::clamp(enoughWork / std::max(batch.work, 1.0), 1.0, enoughWork));
    const int64_t fair = batch.size / (rounds * context->threads) / lanes * lanes + lanes;
    const int64_t atOnce = std::min(enough, fair);
    while (code == QN_OK) {
      const int64_t first = begun.fetch_add(atOnce);
      if (first >= batch.size)
        return;
      int32_t found = context->poll();
      if (found == QN_OK)
        found = body(data, first, std::min(atOnce, batch.size - first));
      if (found != QN_OK)
        code = found;
    }
  }
};

bool isWorthThreads(const Batch &batch, int64_t parts) {
  if (batch.size * batch.work < enoughWork || (batch.blas && !batch.blas->setThreads))
    return false;
  const int64_t turns = (batch.size + parts - 1) / parts;
  return batch.work < largeProblem || !batch.blas || batch.size >= fairShare * double(turns * parts);
}

} // namespace

int32_t quernel::runtime::runBatch(const qn_context *context, const Batch &batch, BatchBody body, void *data) {
  const int64_t parts = std::clamp<int64_t>(batch.size, 1, context->threads);
  Job job{context, batch, body, data};
  if (parts == 1 || !isWorthThreads(batch, parts)) {
    job.run();
    return job.code;
  }
  auto run = [&] {
    context->parallel(int32_t(parts), [](void *data, int32_t) { static_cast<Job *>(data)->run(); }, &job);
  };
  if (!batch.blas) {
    run();
    return job.code;
  }
  OneThread alone(*batch.blas);
  run();
  return job.code;
}

void quernel::runtime::computeAlone(int32_t begins) {
  const Blas *blas = findBlas();
  if (!blas || !blas->setThreads)
    return;
  begins ? OneThread::begin(*blas) : OneThread::end();
}
