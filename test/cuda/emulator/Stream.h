// What was asked of a device and may not be done yet.
//
// As a rule each piece of work is done when it is asked for. With EMULATOR_STREAMS=late none is done before somebody
// waits for it: for its stream, for an event behind it, or for the device. So what the host reads or changes too early,
// and what another stream uses without waiting, goes wrong as it may on a device. An error is then what the call that
// waits returns, and all calls behind it. With EMULATOR_STREAMS=eager copies are done as soon as what precedes them in
// their stream, and what that waits for, is done; so a copy that has to wait for a kernel, and doesn't, goes wrong,
// too.
#ifndef QUERNEL_TEST_CUDA_EMULATOR_STREAM_H
#define QUERNEL_TEST_CUDA_EMULATOR_STREAM_H

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace emulator {

class Stream;

/// So much of another stream's work.
using Ticket = std::pair<Stream *, uint64_t>;

/// Something that a device is asked for. `isQuick` is what streams with eager copies don't wait with.
struct Work {
  std::function<int()> run;
  std::string name = {}; ///< for the log; none for what isn't noted
  bool isQuick = false;
  std::vector<Ticket> after = {};
};

class Stream {
public:
  /// Streams that block, and the default one, wait for each other's work.
  Stream(int device, bool blocks, int number) : device(device), blocks(blocks), number(number) {}

  /// Returns the work's error where it is done at once.
  int submit(Work work);
  /// Has all done that was asked for until then.
  void drain(uint64_t ticket);
  void drain() { drain(issued); }
  /// Does one piece of work, of another stream if that has to come first; whether none was left.
  bool progress();

  const int device;
  const bool blocks;
  /// In the order in which streams are made; 0 is the default one.
  const int number;
  /// How many pieces of work were asked for, and are done.
  uint64_t issued = 0, finished = 0;

private:
  /// The work of other streams that has to precede what is asked for now.
  std::vector<Ticket> before() const;
  int run(Work work);
  /// Does quick work that needn't wait, in all streams.
  static void advanceAll();
  bool advance();

  std::deque<Work> queue;
  bool isBusy = false;
};

/// The stream of a handle; null where there is none. The default stream has three handles.
Stream *findStream(const void *handle);
/// Has the work of all streams done. The error that all calls return.
int drainAll();
/// That of the default stream and of those that block, as functions do that have no stream.
int drainBlocking();

} // namespace emulator

#endif
