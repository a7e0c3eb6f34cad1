// Draws by several threads from one stream, of distributions whose draws take one word of it or more; for runtime/*.cpp
// only.
//
// The stream is cut into parts by positions. A thread computes the draws that begin inside of a part before it knows
// where the first of them begins: it begins with the part. Nearly every draw of most distributions takes the same
// number of words, but not all do; so what it finds and what the stream gives fall into step after some draws, and are
// the same from there on. Part by part, the front is then replaced, and it is known where in the result the part's
// draws go:
//
//   words     | . . . . . . . . | . . . . . . . . | . . .
//   true      1--2-3-4----5-6-----7-8--9-...            where the draws begin
//   found                       a-b-8--9-...            in the second part; 7 replaces a and b
#ifndef QUERNEL_RUNTIME_SPECULATIVE_DRAWS_H
#define QUERNEL_RUNTIME_SPECULATIVE_DRAWS_H

#include "runtime/Scratch.h"
#include "runtime/StreamPositions.h"
#include "runtime/Team.h"
#include <atomic>
#include <thread>

namespace quernel::runtime {

/// Draws that are worth a second thread.
constexpr int64_t drawsWorthAThread = 1 << 14;

/// A job of draws that are all alike. `Draw` is a function of (stream, end, most, out) that draws up to `most` numbers
/// as long as the stream's position is before `end`, and says how many.
template <typename Word, typename T, typename Draw> class Alike {
public:
  Alike(const qn_context *context, uint64_t *state, int64_t count, T *out, int64_t step, const Draw &draw)
      : context(context), state(state), count(count), out(out), step(step), draw(draw) {}

  /// Draws, and moves the state. QN_OK, QN_INTERRUPTED or QN_OUT_OF_MEMORY.
  int32_t run() {
    int32_t threads = 1;
    if (count >= drawsWorthAThread && context->threads > 1) {
      // A distribution may take no words at all, whatever it then gives.
      Stream<Word> stream(state, 0);
      T first[probed];
      threads = draw(stream, INT64_MAX, probed, first) == probed && stream.position() >= probed ? context->threads : 1;
    }
    if (threads > 1) {
      partLength = std::clamp<int64_t>(count / (4 * threads), shortestPart, longestPart);
      runParts(threads, [](void *self, int32_t) { static_cast<Alike *>(self)->runThread(); }, this);
    } else {
      runAlone();
    }
    if (code == QN_OK)
      advanceBy<Word>(state, settled.position);
    return code;
  }

private:
  static constexpr int64_t probed = 16, shortestPart = 2048, longestPart = 1 << 15;

  void runAlone() {
    Stream<Word> stream(state, 0);
    T block[shortestPart];
    for (int64_t done = 0; done < count;) {
      if (done && context->poll() != QN_OK) {
        code = QN_INTERRUPTED;
        return;
      }
      const int64_t most = std::min(count - done, shortestPart);
      T *to = step == 1 ? out + done : block;
      draw(stream, INT64_MAX, most, to);
      if (step != 1)
        put(done, block, most);
      done += most;
    }
    settled.position = stream.position();
  }

  void put(int64_t first, const T *numbers, int64_t many) const {
    if (step == 1) {
      std::copy(numbers, numbers + many, out + first);
      return;
    }
    for (int64_t k = 0; k < many; ++k)
      out[(first + k) * step] = numbers[k];
  }

  bool hasEnded() const { return code.load(std::memory_order_relaxed) != QN_OK; }
  void end(int32_t why) { code.store(why, std::memory_order_relaxed); }

  /// Waits until the parts before one are settled. False where the job has ended.
  bool await(int64_t part) {
    for (int spins = 0; turn.load(std::memory_order_acquire) != part; ++spins) {
      if (hasEnded() || isDone.load(std::memory_order_relaxed))
        return false;
      if (spins > 1000) {
        if (context->poll() != QN_OK)
          end(QN_INTERRUPTED);
        std::this_thread::yield();
      }
    }
    return !hasEnded() && !isDone.load(std::memory_order_relaxed);
  }

  void runThread() {
    Scratch scratch;
    T *numbers = scratch.take<T>(partLength), *front = scratch.take<T>(partLength);
    if (scratch.out())
      end(QN_OUT_OF_MEMORY);
    while (!hasEnded() && !isDone.load(std::memory_order_relaxed)) {
      if (context->poll() != QN_OK)
        return end(QN_INTERRUPTED);
      const int64_t part = begun.fetch_add(1, std::memory_order_relaxed), first = part * partLength;
      Stream<Word> stream(state, first);
      const int64_t found = draw(stream, first + partLength, partLength, numbers);
      if (!await(part))
        return;
      settle(first, found, stream.position(), numbers, front);
    }
  }

  /// Finds where a part's draws truly begin and end, lets the next part do so, and puts the draws into the result.
  void settle(int64_t first, int64_t found, int64_t endOfFound, const T *numbers, T *front) {
    const int64_t last = first + partLength, before = settled.count;
    int64_t skipped = 0, fronts = 0;
    if (settled.position != first) {
      Stream<Word> guess(state, first), truth(state, settled.position);
      T unused;
      while (guess.position() != truth.position() && truth.position() < last) {
        if (guess.position() < truth.position())
          skipped += draw(guess, INT64_MAX, 1, &unused);
        else
          fronts += draw(truth, INT64_MAX, 1, front + fronts);
      }
      if (truth.position() >= last) { // they never fell into step, or a draw went beyond the part
        skipped = found;
        endOfFound = truth.position();
      }
    }
    const int64_t wanted = count - before, fromFront = std::min(fronts, wanted),
                  fromFound = std::min(found - skipped, wanted - fromFront);
    if (fromFront + fromFound == wanted) {
      Stream<Word> again(state, settled.position); // where the last one that is wanted ends
      T unused[64];
      for (int64_t k = 0; k < wanted; k += 64)
        draw(again, INT64_MAX, std::min<int64_t>(wanted - k, 64), unused);
      settled.position = again.position();
      isDone = true;
    } else {
      settled = {endOfFound, before + fronts + found - skipped};
    }
    turn.fetch_add(1, std::memory_order_release);
    put(before, front, fromFront);
    put(before + fromFront, numbers + skipped, fromFound);
  }

  const qn_context *const context;
  uint64_t *const state;
  const int64_t count;
  T *const out;
  const int64_t step;
  const Draw &draw;
  int64_t partLength = 0;

  /// The end of the parts that are settled, and how many draws begin in them: of whoever's turn it is.
  struct {
    int64_t position = 0, count = 0;
  } settled;
  std::atomic<int64_t> begun = 0, turn = 0;
  std::atomic<bool> isDone = false;
  std::atomic<int32_t> code = QN_OK;
};

} // namespace quernel::runtime

#endif
