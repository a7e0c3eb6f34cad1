// A device of CUDA: what it is, its memory, and the streams that the process's programs ask in.
#ifndef QUERNEL_RUNTIME_DEVICE_DEVICE_H
#define QUERNEL_RUNTIME_DEVICE_DEVICE_H

#include "runtime/abi.h"
#include "runtime/device/DeviceLibraries.h"
#include "runtime/device/DevicePool.h"
#include "runtime/device/DeviceStreams.h"
#include "runtime/device/Driver.h"
#include "runtime/device/LoopGraphs.h"
#include <deque>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace quernel::runtime {

/// What a device is.
struct DeviceInfo {
  std::string name;
  int major = 0, minor = 0; ///< of its compute capability
  int multiprocessors = 0;
  int maxThreadsPerBlock = 0;
  size_t totalMemory = 0;
};

/// Memory of a device that is copied to the host.
struct DeviceReading {
  void *to;
  const void *from;
  size_t bytes;
  DriverEvent after = nullptr; ///< what the copy waits for, besides what its stream was asked for before
};

/// A device with the driver's primary context, which other libraries of the process use as well, and streams of its
/// own. Any thread may call any method; what it asks for is done in the order of its stream. All but `info` and the
/// pools throw a DeviceFailure where the driver can't do it. What waits asks meanwhile whether the user wants to stop,
/// and throws a DeviceInterrupted then; what has been asked for by then will be done.
class Device {
public:
  /// Makes the context and the stream.
  /// @param driver  begun; it has to stay
  /// @param number  of the driver's devices
  Device(const Driver &driver, int number);
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  /// While it lives, the device's context is the thread's current one; then the one of before is.
  class Current {
  public:
    explicit Current(const Device &device);
    ~Current();
    Current(const Current &) = delete;
    Current &operator=(const Current &) = delete;

  private:
    const Device &device;
  };

  const DeviceInfo &info() const { return known; }
  int number() const { return position; }
  /// The number and the name, for texts.
  std::string name() const;

  /// The pool of the device's memory, and that of the host's pinned memory.
  DevicePool &memory() { return deviceMemory; }
  DevicePool &pinned() { return pinnedMemory; }

  /// The libraries that compute on the device, in the thread's stream.
  DeviceLibraries &libraries() { return ownLibraries; }

  /// What graphs of loops need.
  LoopGraphs &loopGraphs() { return ownGraphs; }

  /// The streams that threads ask in, and the handle of the calling thread's.
  DeviceStreams &streams() { return ownStreams; }
  DriverStream streamHandle() const { return ownStreams.currentHandle(); }

  /// The functions of the driver, for those who share the context, and what throws their errors.
  const Driver &functions() const { return driver; }
  DriverContext contextHandle() const { return context; }
  void check(int code, const char *what) const;

  /// The calling thread's stream is about to read memory that several streams may use, or to write there, too: it waits
  /// for those that have written it, and for those that read it.
  void use(StreamUse &memory, bool isWritten);

  /// Memory of the device for the calling thread's stream; null where it is out.
  void *tryAllocate(size_t bytes);
  /// The same; an exception that tells how much there is where it is out. `memory().release` takes it back.
  void *allocate(size_t bytes);
  /// What that exception says.
  std::string outOfMemoryText(size_t bytes);

  /// Copies to the device, in the calling thread's stream or another one. Doesn't wait for it, and the bytes may change
  /// at once.
  void write(void *to, const void *from, size_t bytes) { write(to, from, bytes, streamHandle()); }
  void write(void *to, const void *from, size_t bytes, DriverStream stream);
  /// Copies from the device, and waits until that is done.
  void read(void *to, const void *from, size_t bytes);
  /// The same for several pieces of memory, one after the other in a stream.
  void read(std::span<const DeviceReading> pieces, DriverStream stream);
  /// Copies from one place of the device to another.
  void copy(void *to, const void *from, size_t bytes);
  /// Waits until all is done that was asked for in the calling thread's stream.
  void synchronize();
  /// The same for all streams.
  void synchronizeAll();
  /// The same, whatever the user wants.
  void finish();
  /// Waits for an event; whether all before it is done.
  void awaitEvent(DriverEvent event);
  bool isDone(DriverEvent event);

  /// Loads machine code, or PTX that ends with a null character, which the driver compiles.
  DriverModule load(const void *image, bool isPtx);
  /// Waits for the device, and unloads it; no exception.
  void unload(DriverModule module);
  /// A function of an image.
  DriverFunction function(DriverModule module, const char *name);
  /// The bytes of each parameter of a function; none where the driver doesn't tell.
  std::vector<size_t> parameterBytes(DriverFunction function);
  /// Lets blocks of a function have so many bytes of shared memory besides what it declares; the driver's code.
  int allowShared(DriverFunction function, int32_t bytes) const;
  /// Runs a function, and doesn't wait for it. The context has to be current.
  void launch(DriverFunction function, const char *name, const qn_grid &grid, void *const *arguments);

private:
  struct Staged;
  /// Pinned memory from which, or to which, the device is still copying.
  struct UnderWay {
    void *memory;
    DriverEvent event;
  };

  template <typename Ask> bool asked(Ask ask) const;
  template <typename Query> void wait(Query query, const char *what) const;
  int attribute(int number) const;
  MemorySource memorySource();
  MemorySource pinnedSource();
  void checkCopy(int code, const char *where, size_t bytes) const;
  void writePart(DriverAddress to, const void *from, size_t bytes, DriverStream stream);
  bool makeRoom(size_t bytes);
  void keepUntilDone(void *memory, size_t bytes, DriverStream stream);
  void awaitStream(DriverStream stream) const;

  const Driver &driver;
  const int position;
  int device = 0;
  DriverContext context = nullptr;
  DeviceInfo known;
  DeviceStreams ownStreams{*this};
  DevicePool deviceMemory, pinnedMemory;
  DeviceLibraries ownLibraries{*this};
  LoopGraphs ownGraphs{*this};

  std::mutex writing; ///< guards the following
  std::deque<UnderWay> writes;
  size_t bytesUnderWay = 0; ///< of those
};

} // namespace quernel::runtime

#endif
