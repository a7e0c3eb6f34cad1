// The driver's functions of memory.
#include "Driver.h"

#include <cstdlib>
#include <cstring>
#include <vector>

using namespace emulator;

using Pointer = unsigned long long;

DRIVER cuMemAlloc_v2(Pointer *pointer, size_t bytes) {
  ENTER_CONTEXT
  *pointer = 0;
  if (bytes == 0)
    return InvalidValue;
  int device = Driver::get().context()->device;
  *pointer = Memory::get().allocate(bytes, device);
  return *pointer ? Success : OutOfMemory;
}

static int release(Pointer pointer) {
  if (pointer == 0 || Memory::get().release(pointer))
    return Success;
  return Driver::get().fail(InvalidValue, "cuMemFree: the pointer is none that cuMemAlloc gave, or was freed before");
}

DRIVER cuMemFree_v2(Pointer pointer) {
  ENTER_CONTEXT
  if (int code = drainAll())
    return code;
  return release(pointer);
}

/// The address is known at once; that others use it before the stream comes to this isn't noticed.
DRIVER cuMemAllocAsync(Pointer *pointer, size_t bytes, void *stream) {
  ENTER_CONTEXT
  return findStream(stream) ? cuMemAlloc_v2(pointer, bytes) : InvalidHandle;
}

DRIVER cuMemFreeAsync(Pointer pointer, void *handle) {
  ENTER_CONTEXT
  Stream *stream = findStream(handle);
  return stream ? stream->submit({[pointer] { return release(pointer); }}) : InvalidHandle;
}

DRIVER cuMemGetInfo_v2(size_t *unused, size_t *total) {
  ENTER_CONTEXT
  int device = Driver::get().context()->device;
  *total = Memory::get().total(device);
  *unused = *total - Memory::get().used(device);
  return Success;
}

DRIVER cuMemHostAlloc(void **memory, size_t bytes, unsigned) {
  ENTER_CONTEXT
  *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (!*memory)
    return OutOfMemory;
  Driver::get().hostMemory[*memory] = bytes;
  return Success;
}
DRIVER cuMemAllocHost_v2(void **memory, size_t bytes) { return cuMemHostAlloc(memory, bytes, 0); }

DRIVER cuMemFreeHost(void *memory) {
  ENTER_CONTEXT
  if (int code = drainAll())
    return code;
  if (Driver::get().hostMemory.erase(memory) == 0)
    return Driver::get().fail(InvalidValue, "cuMemFreeHost: the pointer is none that cuMemHostAlloc gave");
  free(memory);
  return Success;
}

DRIVER cuMemHostRegister_v2(void *memory, size_t bytes, unsigned) {
  ENTER_CONTEXT
  Driver::get().hostMemory[memory] = bytes;
  return Success;
}
DRIVER cuMemHostUnregister(void *memory) {
  ENTER_CONTEXT
  if (int code = drainAll())
    return code;
  return Driver::get().hostMemory.erase(memory) ? Success : InvalidValue;
}

/// Whether copies read and write it while they are done. Other memory is read before a call returns, and written before
/// it returns.
static bool isPinned(const void *address) {
  const auto &memory = Driver::get().hostMemory;
  auto above = memory.upper_bound(address);
  if (above == memory.begin())
    return false;
  auto [begin, bytes] = *std::prev(above);
  return static_cast<const char *>(address) < static_cast<const char *>(begin) + bytes;
}

/// Some memory of a device that a function is given: in a buffer, or a variable of a module.
static int checkDevice(const char *function, Pointer address, size_t bytes) {
  Memory &memory = Memory::get();
  if (bytes == 0 || memory.find(address, bytes))
    return Success;
  for (const auto &[handle, loaded] : Driver::get().modules)
    for (const Range &range : loaded->module->writable)
      if (range.holds(address, bytes))
        return Success;
  return Driver::get().fail(InvalidValue,
                            std::string(function) + " of " + std::to_string(bytes) + " bytes " +
                                (memory.isDevice(address) ? memory.describe(address) : "of no device's memory"));
}

static int checkHost(const char *function, const void *address, size_t bytes) {
  if (bytes == 0 || (address && !Memory::get().isDevice(reinterpret_cast<uintptr_t>(address))))
    return Success;
  return Driver::get().fail(InvalidValue, std::string(function) + " has a device's address for the host's memory");
}

static void *pointer(Pointer address) { return reinterpret_cast<void *>(address); }

static void noteWritten(Pointer address, size_t bytes) {
  if (Memory::get().isDevice(address))
    Memory::get().space.write(address, bytes);
}

static int toDevice(const char *function, Pointer to, const void *from, size_t bytes) {
  if (int code = checkHost(function, from, bytes))
    return code;
  if (int code = checkDevice(function, to, bytes))
    return code;
  Memory::Access access(to, bytes);
  memcpy(pointer(to), from, bytes);
  noteWritten(to, bytes);
  Driver::get().copied["HtoD"] += static_cast<int64_t>(bytes);
  return Success;
}

static int toHost(const char *function, void *to, Pointer from, size_t bytes) {
  if (int code = checkHost(function, to, bytes))
    return code;
  if (int code = checkDevice(function, from, bytes))
    return code;
  Memory::Access access(from, bytes);
  memcpy(to, pointer(from), bytes);
  Driver::get().copied["DtoH"] += static_cast<int64_t>(bytes);
  return Success;
}

static int onDevice(const char *function, Pointer to, Pointer from, size_t bytes) {
  if (int code = checkDevice(function, from, bytes))
    return code;
  if (int code = checkDevice(function, to, bytes))
    return code;
  Memory::Access access;
  memmove(pointer(to), pointer(from), bytes);
  noteWritten(to, bytes);
  Driver::get().copied["DtoD"] += static_cast<int64_t>(bytes);
  return Success;
}

template <typename T> static int fill(const char *function, Pointer to, T value, size_t count) {
  if (int code = checkDevice(function, to, count * sizeof(T)))
    return code;
  if (to % sizeof(T) != 0)
    return InvalidValue;
  Memory::Access access(to, count * sizeof(T));
  for (size_t i = 0; i < count; ++i)
    static_cast<T *>(pointer(to))[i] = value;
  noteWritten(to, count * sizeof(T));
  return Success;
}

// Those without a stream have all that was asked for before done.

DRIVER cuMemcpyHtoD_v2(Pointer to, const void *from, size_t bytes) {
  ENTER_CONTEXT
  if (int code = drainBlocking())
    return code;
  return toDevice("cuMemcpyHtoD", to, from, bytes);
}
DRIVER cuMemcpyDtoH_v2(void *to, Pointer from, size_t bytes) {
  ENTER_CONTEXT
  if (int code = drainBlocking())
    return code;
  return toHost("cuMemcpyDtoH", to, from, bytes);
}
DRIVER cuMemcpyDtoD_v2(Pointer to, Pointer from, size_t bytes) {
  ENTER_CONTEXT
  if (int code = drainBlocking())
    return code;
  return onDevice("cuMemcpyDtoD", to, from, bytes);
}
DRIVER cuMemsetD8_v2(Pointer to, unsigned char value, size_t count) {
  ENTER_CONTEXT
  if (int code = drainBlocking())
    return code;
  return fill("cuMemsetD8", to, value, count);
}
DRIVER cuMemsetD32_v2(Pointer to, unsigned value, size_t count) {
  ENTER_CONTEXT
  if (int code = drainBlocking())
    return code;
  return fill("cuMemsetD32", to, value, count);
}

static Work copyWork(const char *direction, size_t bytes, std::function<int()> run) {
  return {std::move(run), std::string(direction) + " " + std::to_string(bytes), true};
}

DRIVER cuMemcpyHtoDAsync_v2(Pointer to, const void *from, size_t bytes, void *handle) {
  ENTER_CONTEXT
  Stream *stream = findStream(handle);
  if (!stream)
    return InvalidHandle;
  if (int code = checkHost("cuMemcpyHtoDAsync", from, bytes))
    return code;
  if (isPinned(from))
    return stream->submit(copyWork("HtoD", bytes, [=] { return toDevice("cuMemcpyHtoDAsync", to, from, bytes); }));
  const char *begin = static_cast<const char *>(from);
  return stream->submit(copyWork("HtoD", bytes, [=, copy = std::vector<char>(begin, begin + bytes)] {
    return toDevice("cuMemcpyHtoDAsync", to, copy.data(), bytes);
  }));
}
DRIVER cuMemcpyDtoHAsync_v2(void *to, Pointer from, size_t bytes, void *handle) {
  ENTER_CONTEXT
  Stream *stream = findStream(handle);
  if (!stream)
    return InvalidHandle;
  int code = stream->submit(copyWork("DtoH", bytes, [=] { return toHost("cuMemcpyDtoHAsync", to, from, bytes); }));
  if (!isPinned(to))
    stream->drain();
  return code != Success ? code : Driver::get().sticky;
}
DRIVER cuMemcpyDtoDAsync_v2(Pointer to, Pointer from, size_t bytes, void *handle) {
  ENTER_CONTEXT
  Stream *stream = findStream(handle);
  if (!stream)
    return InvalidHandle;
  return stream->submit(copyWork("DtoD", bytes, [=] { return onDevice("cuMemcpyDtoDAsync", to, from, bytes); }));
}
DRIVER cuMemsetD8Async(Pointer to, unsigned char value, size_t count, void *handle) {
  ENTER_CONTEXT
  Stream *stream = findStream(handle);
  return stream ? stream->submit({[=] { return fill("cuMemsetD8Async", to, value, count); }}) : InvalidHandle;
}
DRIVER cuMemsetD32Async(Pointer to, unsigned value, size_t count, void *handle) {
  ENTER_CONTEXT
  Stream *stream = findStream(handle);
  return stream ? stream->submit({[=] { return fill("cuMemsetD32Async", to, value, count); }}) : InvalidHandle;
}

/// The memory's type, the context, the device and whether it is managed.
DRIVER cuPointerGetAttribute(void *value, int attribute, Pointer address) {
  ENTER
  const Allocation *allocation = Memory::get().find(address, 1);
  bool isHost = Driver::get().hostMemory.count(pointer(address)) != 0;
  if (!allocation && !isHost)
    return InvalidValue;
  int device = allocation ? allocation->device : 0;
  switch (attribute) {
  case 1:
    *static_cast<void **>(value) = Driver::get().primary(device);
    return Success;
  case 2:
    *static_cast<unsigned *>(value) = allocation ? 2 : 1;
    return Success;
  case 8:
    *static_cast<unsigned *>(value) = 0;
    return Success;
  case 9:
    *static_cast<int *>(value) = device;
    return Success;
  case 11:
    *static_cast<Pointer *>(value) = allocation ? allocation->begin : address;
    return Success;
  case 12:
    *static_cast<size_t *>(value) = allocation ? allocation->size : 0;
    return allocation ? Success : InvalidValue;
  default:
    return NotSupported;
  }
}
