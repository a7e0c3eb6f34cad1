// What is thrown where a device can't do what it is asked for.
#ifndef QUERNEL_RUNTIME_DEVICE_DEVICEFAILURE_H
#define QUERNEL_RUNTIME_DEVICE_DEVICEFAILURE_H

#include <stdexcept>
#include <string>

namespace quernel::runtime {

/// A device, or its driver, that isn't there or can't go on. The text says what was looked for or asked, and what to
/// do.
class DeviceFailure : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The user wants to stop what waits for a device, as `poll` has said. The device goes on with what it was asked for.
class DeviceInterrupted : public std::exception {
public:
  const char *what() const noexcept override { return "interrupted while waiting for a device"; }
};

/// Keeps what a program of this thread has failed with, as the code QN_DEVICE_FAILED says nothing more.
void noteDeviceProblem(const std::string &text);
/// The last such text of the calling thread; the code's own one where there is none.
std::string notedDeviceProblem();

} // namespace quernel::runtime

#endif
