// What the stand-ins for the device's libraries ask of the driver: LibraryTasks.h.
#include "Driver.h"

using namespace emulator;

#define EXPORT extern "C" __attribute__((visibility("default")))

/// Has work done in a stream, in which it may touch the device's memory; `end` takes its data back.
EXPORT int emulator_submit(const char *name, void *handle, int (*work)(void *), void (*end)(void *), void *data) {
  std::shared_ptr<void> owned(data, end);
  Call call(name, true);
  if (call.code != Success)
    return call.code;
  Stream *stream = findStream(handle);
  if (!stream)
    return Driver::get().fail(InvalidHandle, std::string(name) + " has no stream");
  auto run = [work, owned] {
    Memory::Access access;
    return work(owned.get());
  };
  return stream->submit({run, name});
}

/// Whether all of the bytes are in one buffer of a device; notes it where they aren't.
EXPORT bool emulator_reaches(const char *name, const char *what, const void *address, size_t bytes, bool isWritten) {
  Memory &memory = Memory::get();
  const auto first = reinterpret_cast<uintptr_t>(address);
  if (bytes == 0)
    return true;
  if (!memory.find(first, bytes)) {
    const std::string where = memory.isDevice(first) ? memory.describe(first) : "of no device's memory";
    Driver::get().fail(IllegalAddress,
                       std::string(name) + ": " + what + " of " + std::to_string(bytes) + " bytes is " + where);
    return false;
  }
  if (isWritten)
    memory.space.write(first, bytes);
  return true;
}

/// Notes what is wrong with a call of a library's.
EXPORT void emulator_refuse(const char *name, const char *what) {
  std::lock_guard<std::recursive_mutex> lock(Driver::get().mutex);
  Driver::get().fail(InvalidValue, std::string(name) + ": " + what);
}
