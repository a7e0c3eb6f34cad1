// The copies of a call's arrays of the host in the device's memory, which are made while the program's kernels run.
#ifndef QUERNEL_RUNTIME_DEVICE_DEVICECOPIES_H
#define QUERNEL_RUNTIME_DEVICE_DEVICECOPIES_H

#include "runtime/device/Device.h"
#include "runtime/device/Mirrors.h"
#include <cstdint>
#include <span>
#include <vector>

namespace quernel::runtime {

/// A buffer of an entry as the program would get it on the host.
struct HostBuffer {
  enum Kind {
    array,    ///< the program sees a copy in the device's memory
    result,   ///< the same, which holds anything before, and comes back if the program ends without an error
    number,   ///< the program's own memory, of a number that is handed over by value: it sees this
    resident, ///< an array in the device's memory: it sees this
    address,  ///< a result of one number: where memory of the device is that the program hands over, and where the
              ///< pool's is in the end
    kept      ///< the same, but it stays the device's
  };

  void *memory; ///< null for a result without memory
  Kind kind = number;
  int64_t low = 0, high = 0; ///< of arrays and results: where its elements begin and end, in bytes from `memory`
  bool isWritten = false;    ///< whether the program changes an array, which then comes back however it ends
  StreamUse *use = nullptr;  ///< of arrays in the device's memory: which streams use it, unless that is known to be
                             ///< the thread's alone
};

/// The copies of a call's arrays in the device's memory, which go when this does. The device's context is current for
/// all methods, and the thread asks in the same stream.
///
/// Small copies are made in that stream, before the program and behind it. Large ones are *late*: an argument is sent
/// before the first work that uses it, in a stream for copies, for which that work waits; and a result comes back as
/// soon as the last work that uses it is done, in another one. So who asks for work says first what it uses: `mark` for
/// each address, and then `begin`.
class DeviceCopies {
public:
  DeviceCopies(Device &device, std::span<const HostBuffer> buffers);
  ~DeviceCopies();
  DeviceCopies(const DeviceCopies &) = delete;
  DeviceCopies &operator=(const DeviceCopies &) = delete;

  /// Makes them, and sends small arguments; gives the buffers of the entry.
  /// @throws DeviceFailure where the device has no memory for them
  std::vector<void *> make();

  /// Whether any is late: otherwise nobody need say what work uses.
  bool areLate() const { return !late.empty(); }
  /// The work that is asked for next uses the memory at an address, if a copy has that, or all copies.
  void mark(const void *address);
  void markAll();
  /// The same for whatever may be an address among the bytes of an argument: another number only makes the work wait.
  void markWords(const void *argument, size_t bytes);
  /// That work is about to be asked for: what is marked is sent by then.
  void begin();
  /// The same for work that the thread will wait for: if there is work that the device does meanwhile, the thread sends
  /// the arguments that nothing has used yet.
  void beginWaiting();

  /// Brings back what the program has written, when all is done that the thread's stream was asked for. Late results
  /// come before that, but arguments keep what they hold where the device fails or the user stops it.
  void putBack(bool withResults);

private:
  /// A large copy.
  struct Late {
    enum State {
      unsent, ///< the host's memory alone has the argument
      partly, ///< some of it may be sent
      sent,   ///< it is there when `event` has come, for which the thread's stream doesn't wait yet
      there,  ///< it is there for what that stream is asked for
      broughtBack
    };

    Mirrors::Mirror *mirror;
    State state;
    bool isMarked = false;
    bool isInUse = false; ///< by the work that was asked for last
    bool isPast = false;  ///< of results: `event` stands behind the last work that uses it, and before other work
    uint64_t lastUse = 0; ///< the number of that work
    DriverEvent event = nullptr;
  };

  static bool fits(const Mirrors::Mirror &mirror);
  static bool isLarge(const Mirrors::Mirror &mirror);
  bool isSmallResult(const Mirrors::Mirror &mirror) const { return smallResults && fits(mirror); }
  void record(Late &copy, DriverStream stream);
  void send(Late &copy);
  void use(Late &copy);
  void bringBackPast();
  void endStream(DriverStream copyStream, bool mayBeUnderWay) noexcept;

  Device &device;
  std::span<const HostBuffer> buffers;
  Mirrors mirrors;
  char *smallResults = nullptr; ///< where those are that come back in one copy
  std::vector<Late> late;
  uint64_t works = 0;
  DriverStream uploads = nullptr, downloads = nullptr;
  bool isDownloading = false;
};

} // namespace quernel::runtime

#endif
