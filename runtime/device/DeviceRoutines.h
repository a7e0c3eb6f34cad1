// The routines of Library.def that a library of the device computes, where its memory is.
#ifndef QUERNEL_RUNTIME_DEVICE_DEVICEROUTINES_H
#define QUERNEL_RUNTIME_DEVICE_DEVICEROUTINES_H

#include "runtime/Library.h"
#include "runtime/device/Kernels.h"
#include <optional>

namespace quernel::runtime {

/// `call` of `qn_context` by a library of the device for operands in its memory. It asks in the device's stream, whose
/// context is current. Nothing where no library has the routine, for these operands at least, or where the program
/// comes without the kernels for it: then the host has to compute it (HostRoutines.h), and nothing has changed.
/// @throws DeviceFailure where the device can't go on
std::optional<int32_t> callOnDevice(Device &device, Kernels &kernels, const RoutineCall &call);

} // namespace quernel::runtime

#endif
