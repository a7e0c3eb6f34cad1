#include "runtime/Loops.h"
#include "runtime/Batch.h"
#include "runtime/Blas.h"
#include "runtime/Interrupts.h"
#include "runtime/Team.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

using namespace quernel::runtime;

namespace {

/// As many parts as a loop has at most.
constexpr int64_t mostParts = 256;

/// A loop cut into one part a thread, each of which is computed in pieces of about a millisecond.
struct Loop {
  int64_t begin, end, step, steps, grain, parts;
  qn_turns turns;
  void *data;
  /// Of each part, where what nobody has begun begins.
  int64_t *begun;
  /// Why the parts have to end.
  std::atomic<int32_t> code = QN_OK;

  int64_t start(int64_t part) const { return steps * part / parts; }

  /// Computes pieces of the thread's own part, then of the others.
  void run(int32_t own) {
    const int64_t eighth = steps / parts / 8; // steps may be longer than the grain says
    int64_t piece = std::min(grain / 4, eighth) + 1, since = 0;
    for (int64_t done = 0; done < parts && code.load(std::memory_order_relaxed) == QN_OK;) {
      const int64_t part = (own + done) % parts, last = start(part + 1);
      const int64_t first = std::atomic_ref(begun[part]).fetch_add(piece, std::memory_order_relaxed);
      if (first >= last) {
        ++done;
        continue;
      }
      const int64_t next = piece < last - first ? first + piece : last;
      int32_t found = turns(data, begin + first * step, std::min(begin + next * step, end));
      if (found == QN_OK && next < last)
        found = pace(&since, &piece);
      if (found != QN_OK)
        code.store(found, std::memory_order_relaxed);
    }
  }
};

/// The check that failed in the first turn of those in which one did.
class FirstError {
public:
  /// Whether a turn before this one failed.
  bool isBefore(int64_t other) const { return turn.load(std::memory_order_relaxed) < other; }

  void note(int64_t at, int32_t newCode, const int64_t *newValues, int32_t newCount) {
    const std::lock_guard lock(mutex);
    if (at >= turn)
      return;
    turn = at;
    code = newCode;
    count = std::clamp<int32_t>(newCount, 0, QN_ERROR_VALUES);
    std::copy_n(newValues, count, values.data());
  }

  /// Called when no turn runs any more: gives the context the check that failed, if one did.
  int32_t tell(const qn_context *context) const {
    return code == QN_OK ? int32_t(QN_OK) : context->fail(context, code, values.data(), count);
  }

private:
  std::mutex mutex;
  std::atomic<int64_t> turn = INT64_MAX;
  int32_t code = QN_OK, count = 0;
  std::array<int64_t, QN_ERROR_VALUES> values;
};

/// The context of some turns, in which a check that fails ends none of the turns before them.
struct TaskContext : qn_context {
  TaskContext(const qn_context &shared, FirstError &error, int64_t turn)
      : qn_context(shared), error(error), turn(turn) {
    fail = [](const qn_context *self, int32_t code, const int64_t *values, int32_t count) {
      const auto *task = static_cast<const TaskContext *>(self);
      task->error.note(task->turn, code, values, count);
      return code;
    };
  }

  FirstError &error;
  const int64_t turn;
};

/// Turns of tasks, as `parallelFor` asks for them.
struct Tasks {
  const qn_context *context;
  qn_tasks tasks;
  void *data;
  FirstError error;

  int32_t run(int64_t begin, int64_t end) {
    if (error.isBefore(begin))
      return QN_OK;
    const TaskContext task(*context, error, begin);
    const int32_t code = tasks(data, &task, begin, end);
    return error.isBefore(end) ? int32_t(QN_OK) : code; // those before go on
  }
};

} // namespace

int32_t quernel::runtime::parallelFor(const qn_context *context, int64_t begin, int64_t end, int64_t step,
                                      int64_t grain, qn_turns turns, void *data) {
  const int64_t steps = (end - begin + step - 1) / step;
  if (steps < grain)
    return turns(data, begin, end);
  const int64_t most = 1 + steps / grain; // so that a part is about as long as is worth a thread
  const int64_t parts = std::min({most, int64_t(context->threads), mostParts});
  int64_t begun[mostParts];
  Loop loop{begin, end, step, steps, grain, parts, turns, data, begun};
  for (int64_t part = 0; part < parts; ++part)
    begun[part] = loop.start(part);
  runParts(int32_t(parts), [](void *data, int32_t part) { static_cast<Loop *>(data)->run(part); }, &loop);
  return loop.code;
}

int32_t quernel::runtime::parallelTasks(const qn_context *context, int64_t begin, int64_t end, int64_t step,
                                        qn_tasks tasks, void *data) {
  const OneThread alone(findBlas());
  Tasks shared{context, tasks, data, {}};
  auto run = [](void *data, int64_t begin, int64_t end) { return static_cast<Tasks *>(data)->run(begin, end); };
  if (int32_t code = parallelFor(context, begin, end, step, 2, run, &shared))
    return code;
  return shared.error.tell(context);
}
