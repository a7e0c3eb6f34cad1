#include "runtime/Batch.h"
#include "runtime/Team.h"
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

/// How many threads a library has, as long as somebody wants it to have one; a setting of the process.
struct Setting {
  std::mutex lock;
  int users = 0, before = 1;
  void (*setThreads)(int) = nullptr;

  void restore() const {
    if (before != 1)
      setThreads(before);
  }
} setting;

/// A child of a fork has no users.
void restoreInChild() {
  if (setting.users > 0)
    setting.restore();
  setting.users = 0;
  setting.lock.unlock();
}

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

OneThread::OneThread(const Blas *blas) : isUser(blas && blas->setThreads) {
  if (!isUser)
    return;
  std::lock_guard guard(setting.lock);
  if (setting.users++ > 0)
    return;
  static const int once = pthread_atfork([] { setting.lock.lock(); }, [] { setting.lock.unlock(); }, restoreInChild);
  (void)once;
  setting.before = blas->threads();
  setting.setThreads = blas->setThreads;
  if (setting.before != 1)
    setting.setThreads(1);
}

OneThread::~OneThread() {
  if (!isUser)
    return;
  std::lock_guard guard(setting.lock);
  if (setting.users > 0 && --setting.users == 0)
    setting.restore();
}

int32_t quernel::runtime::runBatch(const qn_context *context, const Batch &batch, BatchBody body, void *data) {
  const int64_t parts = std::clamp<int64_t>(batch.size, 1, context->threads);
  Job job{context, batch, body, data};
  if (parts == 1 || !isWorthThreads(batch, parts)) {
    job.run();
    return job.code;
  }
  const OneThread alone(batch.blas);
  runParts(int32_t(parts), [](void *data, int32_t) { static_cast<Job *>(data)->run(); }, &job);
  return job.code;
}
