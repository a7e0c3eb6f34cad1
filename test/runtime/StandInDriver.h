// A driver for tests: devices in the host's memory, which do what they are asked for when somebody waits for them.
#ifndef QUERNEL_TEST_RUNTIME_STANDINDRIVER_H
#define QUERNEL_TEST_RUNTIME_STANDINDRIVER_H

#include "runtime/device/Device.h"
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace quernel::test {

/// A kernel: it gets its arguments, 64 bits each.
struct StandInKernel {
  int arguments;
  std::function<void(const uint64_t *arguments)> run;
};

/// The only one of the process while it lives; its functions don't lock anything.
class StandInDriver {
public:
  StandInDriver();
  ~StandInDriver();
  StandInDriver(const StandInDriver &) = delete;
  StandInDriver &operator=(const StandInDriver &) = delete;

  /// The table of functions.
  runtime::Driver table() const;

  std::map<std::string, StandInKernel> kernels;

  /// What it says of itself.
  int version = 12040, devices = 2, initCode = 0;
  /// How many bytes it has; how many pieces of pinned memory.
  size_t capacity = size_t(1) << 30;
  int pinnedPieces = 100;
  /// What launches and copies are answered with.
  int launchCode = 0, copyCode = 0;
  /// What the device finds wrong as it does what it was asked for.
  int lateCode = 0;
  /// Whether it tells what parameters kernels have.
  bool tellsParameters = true;
  /// The function of graphs that can't do what it is asked for, by its member's name.
  std::string refused;
  /// Whether graphs that are launched run their loops.
  bool runsLoops = true;
  /// Whether it does nothing of what it was asked for.
  bool isStuck = false;

  /// What has been asked so far.
  int allocations = 0, releases = 0, launches = 0, modules = 0, unloads = 0, synchronizations = 0;
  size_t bytesToDevice = 0, bytesToHost = 0, bytesHeld = 0;
  int graphs = 0, graphsGone = 0, graphLaunches = 0;
  int contexts = 0;         ///< pushed and not popped
  int streamsGone = 0;      ///< destroyed
  bool usedGone = false;    ///< whether a stream of `gone` was asked for something
  std::set<uintptr_t> gone; ///< handles of streams that may not be used any more
  int dynamicShared = 0;
  std::string loadedImage; ///< the last one, as a text
  /// What streams have done, in this order, each with the stream's handle: "up 7", "down 8", "kernel 7".
  std::vector<std::string> done;

  /// Whether some memory is the device's.
  bool holds(const void *memory) const;
  /// Does everything that was asked for.
  void finish();
  /// Does what was asked for in a stream, and what that waits for.
  void finish(uintptr_t stream);

private:
  struct Functions;

  /// A graph with one loop; it is its own body and what is launched.
  struct Graph {
    std::vector<std::function<void()>> body;
    uint64_t condition = 0;
    runtime::DriverGraph bodies[1] = {};
  };
  int graphCode(const char *function) const { return refused == function ? 801 : 0; }

  /// What was asked of a stream and isn't done yet; how much was asked, and is done.
  struct Queue {
    std::deque<std::function<void()>> work;
    uint64_t issued = 0, finished = 0;
  };
  /// Where an event was recorded last: behind so much of a stream's work.
  struct Mark {
    uintptr_t stream;
    uint64_t ticket;
  };

  void enqueue(runtime::DriverStream stream, std::function<void()> work, const char *name = nullptr);
  void finishUntil(const Mark &mark);

  std::map<uintptr_t, Queue> queues;
  std::deque<Graph> allGraphs;
  std::map<uint64_t, uint64_t> conditions;
  std::map<uintptr_t, Mark> marks;
  std::map<void *, size_t> memory, pinned;
  uintptr_t events = 0, eventQueries = 0, streams = 0;
};

} // namespace quernel::test

#endif
