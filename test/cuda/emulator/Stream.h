// What was asked of a device and may not be done yet.
//
// As a rule each piece of work is done when it is asked for. With EMULATOR_STREAMS=late none is done before somebody
// waits for it: for its stream, for an event behind it, or for the device. So what the host reads or changes too early,
// and what another stream uses without waiting, goes wrong as it may on a device. An error is then what the call that
// waits returns, and all calls behind it.
#ifndef QUERNEL_TEST_CUDA_EMULATOR_STREAM_H
#define QUERNEL_TEST_CUDA_EMULATOR_STREAM_H

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

namespace emulator {

class Stream {
public:
  /// Streams that block, and the default one, wait for each other's work.
  Stream(int device, bool blocks) : device(device), blocks(blocks) {}

  /// Returns the work's error where it is done at once.
  int submit(std::function<int()> work);
  /// Has all done that was asked for until then.
  void drain(uint64_t ticket);
  void drain() { drain(issued); }
  /// Does one piece of work; whether none was left.
  bool progress();

  const int device;
  const bool blocks;
  /// How many pieces of work were asked for, and are done.
  uint64_t issued = 0, finished = 0;

private:
  /// The work of other streams that has to precede what is asked for now.
  std::vector<std::pair<Stream *, uint64_t>> before() const;

  std::deque<std::function<int()>> queue;
};

/// The stream of a handle; null where there is none. The default stream has three handles.
Stream *findStream(const void *handle);
/// Has the work of all streams done. The error that all calls return.
int drainAll();
/// That of the default stream and of those that block, as functions do that have no stream.
int drainBlocking();

} // namespace emulator

#endif
