// The environment variables that the emulator heeds.
#ifndef QUERNEL_TEST_CUDA_EMULATOR_SETTINGS_H
#define QUERNEL_TEST_CUDA_EMULATOR_SETTINGS_H

#include <cstddef>
#include <cstdlib>
#include <string>

namespace emulator {

struct Settings {
  /// EMULATOR_DEVICES.
  int devices;
  /// EMULATOR_MEMORY: the bytes of each device's memory.
  size_t memory;
  /// EMULATOR_CAPABILITY, like 8.0.
  int major, minor;
  /// EMULATOR_UNINITIALISED=1: it is an error to read bytes of the device's memory that nobody has written.
  bool checksInitialised;
  /// EMULATOR_OPEN=1: the host may touch the device's memory, which makes launches cheaper where there is much of it.
  bool isOpen;
};

/// What begins an image that stands for PTX; its length keeps the object behind it aligned.
inline constexpr const char *ptxLine = "//.PTX.\n";

inline std::string variable(const char *name, const char *otherwise) {
  const char *text = getenv(name);
  return text && *text ? text : otherwise;
}

/// As the environment was at the first call.
inline const Settings &settings() {
  static const Settings settings = [] {
    std::string capability = variable("EMULATOR_CAPABILITY", "8.0");
    char *rest = nullptr;
    int major = static_cast<int>(strtol(capability.c_str(), &rest, 10));
    return Settings{atoi(variable("EMULATOR_DEVICES", "1").c_str()),
                    strtoull(variable("EMULATOR_MEMORY", "268435456").c_str(), nullptr, 10),
                    major,
                    *rest == '.' ? atoi(rest + 1) : 0,
                    variable("EMULATOR_UNINITIALISED", "0") == "1",
                    variable("EMULATOR_OPEN", "0") == "1"};
  }();
  return settings;
}

/// EMULATOR_SEED: another order of blocks and threads for each; 0 is the order of their numbers. Read at each launch.
inline unsigned long long seed() { return strtoull(variable("EMULATOR_SEED", "0").c_str(), nullptr, 10); }

/// EMULATOR_ERRORS=late: a launch that fails returns 0, and what follows it returns the error, as on a device. Read at
/// each launch.
inline bool lateErrors() { return variable("EMULATOR_ERRORS", "") == "late"; }

/// EMULATOR_STREAMS=late: what is asked of a device is done when somebody waits for it. EMULATOR_STREAMS=eager: the
/// same for kernels, but copies are done as soon as they may. Both are read at each call.
inline bool eagerCopies() { return variable("EMULATOR_STREAMS", "") == "eager"; }
inline bool lateStreams() { return variable("EMULATOR_STREAMS", "") == "late" || eagerCopies(); }

/// EMULATOR_VERSION: that of CUDA that the driver is for, 13000 for 13.0.
inline int driverVersion() { return atoi(variable("EMULATOR_VERSION", "13000").c_str()); }

/// EMULATOR_REFUSE: the name of a function of the driver that can't do what it is asked for.
inline std::string refusedFunction() { return variable("EMULATOR_REFUSE", ""); }

/// EMULATOR_LOG=1: `emulator_log` tells what streams have done.
inline bool isLogged() { return variable("EMULATOR_LOG", "0") == "1"; }

} // namespace emulator

#endif
