// The streams in which the threads of the process ask a device, and who waits for whom.
#ifndef QUERNEL_RUNTIME_DEVICE_DEVICESTREAMS_H
#define QUERNEL_RUNTIME_DEVICE_DEVICESTREAMS_H

#include "runtime/device/Driver.h"
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace quernel::runtime {

class Device;

/// Streams of a device by their numbers, a bit for each.
using StreamSet = uint64_t;
constexpr int mostStreams = 64;
constexpr StreamSet setOf(int stream) { return StreamSet(1) << stream; }

/// Which streams use some memory: what is asked in those of `users` comes behind what the stream `writer` was asked to
/// write there last.
struct StreamUse {
  StreamSet users = setOf(0);
  int writer = 0;
};

/// The streams of a device. Number 0 is there from the beginning, and is that of threads that have entered none. The
/// number of one that has gone is given to another, which comes behind all that was asked before: so the number may
/// still stand in a `StreamUse`.
class DeviceStreams {
public:
  explicit DeviceStreams(Device &device) : device(device) {}
  DeviceStreams(const DeviceStreams &) = delete;
  DeviceStreams &operator=(const DeviceStreams &) = delete;

  /// Makes the stream 0. The device's context is current, as for all that follows but `current`.
  void begin();

  /// A new stream, or somebody else's by its handle; gives its number.
  /// @throws DeviceFailure where there are too many
  int add();
  int add(DriverStream foreign);
  /// Takes it back: the stream 0 comes behind what it was asked for.
  void remove(int stream);

  /// The thread that calls asks in a stream until it leaves it, in which the stream of before is its own one again.
  void enter(int stream);
  void leave(int stream);

  /// The number of the calling thread's stream, and the handle of one.
  int current() const;
  DriverStream handle(int stream) const { return handles[stream]; }
  DriverStream currentHandle() const { return handles[current()]; }

  /// What a stream is asked for from now on comes behind all that the others were asked for.
  void order(StreamSet before, int after);
  /// The same for a stream without a number after ours, and before the calling thread's.
  void orderForeign(StreamSet before, DriverStream after);
  void follow(DriverStream foreign);
  /// The calling thread's stream is about to read some memory, or to write there, too.
  void use(StreamUse &memory, bool isWritten);
  /// What memory has that the calling thread's stream alone has used.
  StreamUse ownUse() const { return {setOf(current()), current()}; }

  /// Stream 0 comes behind all others.
  void gather();

  /// A stream without a number, for copies beside what a call computes, and an event. Who has taken one gives it back.
  DriverStream takeCopyStream();
  void giveBack(DriverStream copyStream);
  DriverEvent takeEvent();
  void giveBack(DriverEvent taken);

private:
  int added(DriverStream handle, bool isForeign);
  void recordIn(int stream);
  void waitIn(DriverStream stream, DriverEvent event);
  void orderLocked(StreamSet before, DriverStream after);

  Device &device;
  std::mutex mutex; ///< guards what follows, but for handles of streams that are there
  std::array<DriverStream, mostStreams> handles{};
  std::array<DriverEvent, mostStreams> marks{};           ///< of foreign streams: behind all that they were asked for
  std::array<int, mostStreams> entered{};                 ///< how often threads have entered each
  StreamSet there = 0, foreign = 0, marked = 0, used = 0; ///< `used`: whose numbers have been given once
  DriverEvent event = nullptr;
  std::vector<DriverStream> spareStreams;
  std::vector<DriverEvent> spareEvents;
};

} // namespace quernel::runtime

#endif
