// Programs for devices: what the runtime lends to one, and a call whose arrays lie in the host's memory.
#ifndef QUERNEL_RUNTIME_DEVICE_DEVICECALL_H
#define QUERNEL_RUNTIME_DEVICE_DEVICECALL_H

#include "runtime/Context.h"
#include "runtime/Loader.h"
#include "runtime/device/DeviceCopies.h"
#include "runtime/device/Kernels.h"
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

namespace quernel::runtime {

/// A program with the device that it runs on.
class DeviceProgram {
public:
  /// @param program  which has to stay loaded
  /// @param number   of the device, which is looked for at the first call
  DeviceProgram(const Program &program, int number)
      : enter(program.entry()), source(program.images()), position(number) {}
  /// @param device  which need not be one of the process's
  DeviceProgram(qn_entry entry, qn_images images, Device &device)
      : enter(entry), source(images), position(device.number()), own(&device) {}

  qn_entry entry() const { return enter; }
  /// The device, and the kernels on it. Throws a DeviceFailure where there is no such device.
  Device &device();
  Kernels &kernels();

private:
  qn_entry enter;
  qn_images source;
  int position;
  Device *own = nullptr;
  std::once_flag isMade;
  std::optional<Kernels> made;
};

/// The `qn_device` of one call of a program. The entry is called in the thread that has made it, while it lives; a
/// handler of a signal may have other calls in between.
class DeviceCall : public qn_device {
public:
  /// Makes the device's context the thread's current one.
  /// @param threads  of the host, for routines that it computes
  /// @param error    keeps the first error that the program notes
  /// @throws DeviceFailure where there is no such device
  DeviceCall(DeviceProgram &program, int threads, ErrorNote &error);
  ~DeviceCall();
  DeviceCall(const DeviceCall &) = delete;
  DeviceCall &operator=(const DeviceCall &) = delete;

  Device &device() { return used; }
  /// From now on the copies of the call's arrays learn what the program's work uses.
  void tell(DeviceCopies &copies) { told = &copies; }
  /// Why the device can't go on, or has no memory; empty where nothing of that kind has happened.
  const std::string &problem() const { return why; }
  /// Keeps the first text, and gives QN_DEVICE_FAILED.
  int32_t fail(const std::string &text);

private:
  struct Functions;
  struct Loop;
  template <typename Body> int32_t guarded(Body body);
  template <typename Mark> void announce(Mark mark);
  void fetch(void *to, const void *from, size_t bytes);

  Device &used;
  Kernels &kernels;
  const qn_context &host; ///< the context that routines get
  const Device::Current current;
  ErrorNote &noted;
  std::string why;
  DeviceCopies *told = nullptr;  ///< null where none of them is late
  LoopGraph *building = nullptr; ///< what launches become a part of, while a loop's turn is asked for to be repeated
  DeviceCall *outer;
};

/// Calls a program with buffers of the host, and waits until all of it is done, unless nothing of it comes back to the
/// host. What overlaps is one memory of the device. Large arrays are copied while kernels run. A QN_DEVICE_FAILED has a
/// text (`notedDeviceProblem`).
/// @param error  gets the first error that the program has noted
int32_t runOnDevice(DeviceProgram &program, int threads, std::span<const HostBuffer> buffers, const int64_t *sizes,
                    ErrorNote &error);

} // namespace quernel::runtime

#endif
