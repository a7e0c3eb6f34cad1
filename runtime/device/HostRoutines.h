// Routines that no library of the device computes: their operands go to the host, and what they give comes back.
#ifndef QUERNEL_RUNTIME_DEVICE_HOSTROUTINES_H
#define QUERNEL_RUNTIME_DEVICE_HOSTROUTINES_H

#include "runtime/Library.h"
#include "runtime/device/Device.h"

namespace quernel::runtime {

/// `call` of `qn_context` by the host's libraries for operands in the device's memory; `call.context` is a context of
/// the host. Copies the memory between the first and the last element of each operand.
/// @throws DeviceFailure where the copies fail
int32_t callOnHost(Device &device, const RoutineCall &call);

/// `draw` of `qn_context`, in the same way.
int32_t drawOnHost(Device &device, const qn_context *context, int32_t routine, int64_t words, const uint64_t *before,
                   uint64_t *after, double *number);

} // namespace quernel::runtime

#endif
