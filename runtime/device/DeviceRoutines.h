// The routines of Library.def that a library of the device computes, where its memory is.
#ifndef QUERNEL_RUNTIME_DEVICE_DEVICEROUTINES_H
#define QUERNEL_RUNTIME_DEVICE_DEVICEROUTINES_H

#include "runtime/Library.h"
#include "runtime/device/Device.h"

namespace quernel::runtime {

/// A routine for operands in the device's memory: `call` of `qn_context`. It asks in the device's stream, whose context
/// is current, and throws a DeviceFailure where the device can't go on.
using DeviceRoutine = int32_t (*)(Device &device, const RoutineCall &call);

/// The function of a routine for elements of a type; null where the host has to compute it (HostRoutines.h).
DeviceRoutine deviceRoutine(int32_t routine, int32_t type);

} // namespace quernel::runtime

#endif
