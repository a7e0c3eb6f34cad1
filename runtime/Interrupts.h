// Whether the user wants a running program to stop.
#ifndef QUERNEL_RUNTIME_INTERRUPTS_H
#define QUERNEL_RUNTIME_INTERRUPTS_H

#include <atomic>
#include <cstdint>

namespace quernel::runtime {

/// Looks for an interrupt: QN_INTERRUPTED or QN_OK. It may take its time, e.g. wait for Python's lock.
using InterruptCheck = int32_t (*)();

/// What `poll` and `pace` ask from now on; null for nothing. The binding sets it.
void setInterruptCheck(InterruptCheck check);

/// The function of `qn_context`: looks at a cheap clock, and asks the check every 10 ms; less often where the check
/// takes long, so that it costs at most a fifth of the time, but at least every 60 ms.
int32_t poll();

/// Until the end of its life, the calling thread shares a job with others: what one of them learns is noted in `stop`,
/// and all of them hear of it when they ask.
class SharedJob {
public:
  explicit SharedJob(std::atomic<bool> &stop);
  ~SharedJob();
  SharedJob(const SharedJob &) = delete;
  SharedJob &operator=(const SharedJob &) = delete;

private:
  std::atomic<bool> *outer;
};

/// Polls between two pieces of a loop, and doubles or halves the turns of a piece so that it takes about a millisecond.
/// `since` is when the piece before began, 0 at first.
int32_t pace(int64_t *since, int64_t *piece);

} // namespace quernel::runtime

#endif
