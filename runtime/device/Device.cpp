#include "runtime/device/Device.h"
#include "runtime/Interrupts.h"
#include "runtime/device/Devices.h"
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

using namespace quernel::runtime;

namespace {

/// Attributes, options and flags by the driver's numbers.
enum : int {
  maxThreadsPerBlock = 1,
  multiprocessorCount = 16,
  capabilityMajor = 75,
  capabilityMinor = 76,
};
constexpr int errorLog = 5, errorLogBytes = 6;
constexpr int mostDynamicShared = 8;
constexpr unsigned eventWithoutTime = 2, pinnedForAll = 1;
/// Kernels get so much shared memory without asking.
constexpr int usualShared = 48 << 10;

/// A longer transfer is made in parts of so many bytes.
constexpr size_t partBytes = 4 << 20;
/// So many bytes of pinned memory are on their way to the device before the host waits, and so many stay idle.
constexpr size_t mostUnderWay = 32 << 20, idlePinned = 64 << 20;

/// Who waits for the device asks all the time for so long, and then after pauses.
constexpr std::chrono::microseconds spinning(100), longestPause(500);

/// Whether the user wants to see each block as memory of the driver's.
bool isPoolOff() {
  const char *wish = std::getenv("QUERNEL_DEVICE_POOL");
  return wish && std::string_view(wish) == "off";
}

} // namespace

Device::Current::Current(const Device &device) : device(device) {
  device.check(device.driver.pushContext(device.context), "can't be made the thread's current one");
}

Device::Current::~Current() {
  DriverContext before = nullptr;
  device.driver.popContext(&before);
}

Device::Device(const Driver &driver, int number)
    : driver(driver), position(number), deviceMemory(memorySource(), 0, isPoolOff()),
      pinnedMemory(pinnedSource(), idlePinned) {
  check(driver.getDevice(&device, number), "isn't there");
  char name[256] = {};
  check(driver.getDeviceName(name, sizeof name - 1, device), "has no name");
  known.name = name;
  known.major = attribute(capabilityMajor);
  known.minor = attribute(capabilityMinor);
  known.multiprocessors = attribute(multiprocessorCount);
  known.maxThreadsPerBlock = attribute(maxThreadsPerBlock);
  check(driver.getTotalMemory(&known.totalMemory, device), "doesn't tell how much memory it has");
  deviceMemory.setIdleLimit(known.totalMemory / 4);
  check(driver.retainContext(&context, device), "has no context");
  const Current current(*this);
  ownStreams.begin();
}

int Device::attribute(int number) const {
  int value = 0;
  check(driver.getDeviceAttribute(&value, number, device), "doesn't tell what it is");
  return value;
}

/// The context is current for so long; false, and nothing, where the process mustn't call the driver, or can't any
/// more.
template <typename Ask> bool Device::asked(Ask ask) const {
  if (forkedFromDevices() || driver.pushContext(context) != driverSuccess)
    return false;
  const bool isDone = ask() == driverSuccess;
  DriverContext before = nullptr;
  driver.popContext(&before);
  return isDone;
}

MemorySource Device::memorySource() {
  return {[this](size_t bytes) -> void * {
            DriverAddress memory = nullptr;
            return asked([&] { return driver.allocate(&memory, bytes); }) ? memory : nullptr;
          },
          [this](void *memory) { asked([&] { return driver.release(memory); }); },
          [this](StreamSet before, int after) {
            const Current current(*this);
            ownStreams.order(before, after);
          }};
}

MemorySource Device::pinnedSource() {
  return {[this](size_t bytes) -> void * {
            void *memory = nullptr;
            return asked([&] { return driver.allocatePinned(&memory, bytes, pinnedForAll); }) ? memory : nullptr;
          },
          [this](void *memory) { asked([&] { return driver.releasePinned(memory); }); }, nullptr};
}

std::string Device::name() const {
  return "device " + std::to_string(position) + (known.name.empty() ? "" : " (" + known.name + ")");
}

void Device::check(int code, const char *what) const {
  if (code != driverSuccess) [[unlikely]]
    driver.check(code, name() + " " + what);
}

void Device::checkCopy(int code, const char *where, size_t bytes) const {
  if (code != driverSuccess) [[unlikely]]
    driver.check(code, name() + " can't copy " + std::to_string(bytes) + " bytes " + where);
}

void *Device::tryAllocate(size_t bytes) { return deviceMemory.allocate(bytes, ownStreams.current()); }

void *Device::allocate(size_t bytes) {
  void *memory = tryAllocate(bytes);
  if (!memory)
    throw DeviceFailure(outOfMemoryText(bytes));
  return memory;
}

std::string Device::outOfMemoryText(size_t bytes) {
  size_t free = 0, total = known.totalMemory;
  const Current current(*this);
  driver.getMemoryInfo(&free, &total);
  return name() + " has no memory for " + std::to_string(bytes) + " bytes: " + std::to_string(free) + " of its " +
         std::to_string(total) + " bytes are free, and arrays of this process take " +
         std::to_string(deviceMemory.statistics().allocated) +
         "; drop arrays that aren't needed, or compute in smaller parts";
}

/// Takes back the pinned memory of copies that are done; whether so many bytes more may be under way.
bool Device::makeRoom(size_t bytes) {
  while (!writes.empty() && driver.queryEvent(writes.front().event) != driverNotReady) {
    const auto [memory, event] = writes.front();
    writes.pop_front();
    bytesUnderWay -= pinnedMemory.wanted(memory);
    pinnedMemory.release(memory);
    ownStreams.giveBack(event);
  }
  return writes.empty() || bytesUnderWay + bytes <= mostUnderWay;
}

/// Takes back pinned memory when all is done that a stream was asked for until now.
void Device::keepUntilDone(void *memory, size_t bytes, DriverStream stream) {
  DriverEvent event = ownStreams.takeEvent();
  writes.push_back({memory, event});
  bytesUnderWay += bytes;
  check(driver.recordEvent(event, stream), "can't note an event");
}

/// Asks until the answer is another one than that the device isn't ready. Most waits are short, so it asks all the time
/// at first, and then ever more rarely.
template <typename Query> void Device::wait(Query query, const char *what) const {
  using namespace std::chrono;
  const auto begin = steady_clock::now();
  for (;;) {
    const int code = query();
    if (code != driverNotReady)
      return check(code, what);
    if (poll() != QN_OK)
      throw DeviceInterrupted();
    const auto waited = steady_clock::now() - begin;
    if (waited > spinning)
      std::this_thread::sleep_for(std::min<steady_clock::duration>(waited / 16, longestPause));
  }
}

void Device::writePart(DriverAddress to, const void *from, size_t bytes, DriverStream stream) {
  const auto queryRoom = [&] {
    std::lock_guard lock(writing);
    return makeRoom(bytes) ? driverSuccess : driverNotReady;
  };
  wait(queryRoom, "can't end a copy");
  std::lock_guard lock(writing);
  void *staged = pinnedMemory.allocate(bytes);
  if (!staged) {
    checkCopy(driver.copyToDevice(to, from, bytes, stream), "to it", bytes);
    check(driver.synchronizeStream(stream), "can't end a copy");
    return;
  }
  std::memcpy(staged, from, bytes);
  const int code = driver.copyToDevice(to, staged, bytes, stream);
  keepUntilDone(staged, bytes, stream);
  checkCopy(code, "to it", bytes);
}

void Device::write(void *to, const void *from, size_t bytes, DriverStream stream) {
  if (!bytes)
    return;
  const Current current(*this);
  for (size_t done = 0; done < bytes; done += partBytes)
    writePart(static_cast<char *>(to) + done, static_cast<const char *>(from) + done, std::min(partBytes, bytes - done),
              stream);
}

/// Pinned memory into which the device copies one part while the host takes the one before.
struct Device::Staged {
  Device &device;
  size_t bytes; ///< of the largest part
  DriverStream stream;
  void *memory[2] = {};
  bool isUnderWay = false; ///< whether the device may be copying there

  Staged(Device &device, std::span<const DeviceReading> parts, DriverStream stream)
      : device(device), bytes(std::ranges::max(parts, {}, &DeviceReading::bytes).bytes), stream(stream) {
    memory[0] = device.pinnedMemory.allocate(bytes);
    memory[1] = parts.size() > 1 ? device.pinnedMemory.allocate(bytes) : nullptr;
    isWhole = memory[0] && (parts.size() == 1 || memory[1]);
  }
  ~Staged() {
    for (void *part : memory)
      if (part && isUnderWay)
        keep(part);
      else
        device.pinnedMemory.release(part);
  }
  Staged(const Staged &) = delete;
  Staged &operator=(const Staged &) = delete;

  bool isWhole;

private:
  /// Where the device can't go on, the memory is lost.
  void keep(void *part) noexcept {
    try {
      std::lock_guard lock(device.writing);
      device.keepUntilDone(part, bytes, stream);
    } catch (const std::exception &) {
    }
  }
};

void Device::awaitStream(DriverStream stream) const {
  wait([&] { return driver.queryStream(stream); }, "failed in what it was asked for before");
}

void Device::read(void *to, const void *from, size_t bytes) {
  const DeviceReading piece{to, from, bytes};
  read({&piece, 1}, streamHandle());
}

void Device::read(std::span<const DeviceReading> pieces, DriverStream stream) {
  std::vector<DeviceReading> parts;
  for (const DeviceReading &piece : pieces)
    for (size_t done = 0; done < piece.bytes; done += partBytes)
      parts.push_back({static_cast<char *>(piece.to) + done, static_cast<const char *>(piece.from) + done,
                       std::min(partBytes, piece.bytes - done), done ? nullptr : piece.after});
  if (parts.empty())
    return;
  const Current current(*this);
  const auto copyTo = [&](void *to, const DeviceReading &part) {
    if (part.after)
      check(driver.waitEvent(stream, part.after, 0), "can't have a stream wait");
    checkCopy(driver.copyToHost(to, part.from, part.bytes, stream), "from it", part.bytes);
  };
  Staged staged(*this, parts, stream);
  const auto begin = [&](size_t number) {
    staged.isUnderWay = number < parts.size();
    if (staged.isUnderWay)
      copyTo(staged.memory[number % 2], parts[number]);
  };
  if (staged.isWhole)
    begin(0);
  for (size_t number = 0; number < parts.size(); ++number) {
    const DeviceReading &part = parts[number];
    if (staged.isWhole) {
      awaitStream(stream);
      begin(number + 1);
      std::memcpy(part.to, staged.memory[number % 2], part.bytes);
      continue;
    }
    // The wait is before the copy, so that nobody has to stop that.
    if (part.after)
      awaitEvent(part.after);
    awaitStream(stream);
    copyTo(part.to, part);
    check(driver.synchronizeStream(stream), "can't end a copy");
  }
}

void Device::copy(void *to, const void *from, size_t bytes) {
  if (!bytes)
    return;
  const Current current(*this);
  checkCopy(driver.copyOnDevice(to, from, bytes, streamHandle()), "on it", bytes);
}

void Device::synchronize() {
  const Current current(*this);
  awaitStream(streamHandle());
}

void Device::synchronizeAll() {
  const Current current(*this);
  ownStreams.gather();
  awaitStream(ownStreams.handle(0));
}

void Device::finish() {
  const Current current(*this);
  ownStreams.gather();
  check(driver.synchronizeStream(ownStreams.handle(0)), "failed in what it was asked for before");
}

void Device::use(StreamUse &memory, bool isWritten) {
  const Current current(*this);
  ownStreams.use(memory, isWritten);
}

void Device::awaitEvent(DriverEvent event) {
  const Current current(*this);
  wait([&] { return driver.queryEvent(event); }, "failed in what it was asked for before an event");
}

bool Device::isDone(DriverEvent event) {
  const Current current(*this);
  const int code = driver.queryEvent(event);
  if (code != driverNotReady)
    check(code, "failed in what it was asked for before an event");
  return code != driverNotReady;
}

DriverModule Device::load(const void *image, bool isPtx) {
  const Current current(*this);
  char log[4096] = {};
  int options[] = {errorLog, errorLogBytes};
  void *values[] = {log, std::bit_cast<void *>(sizeof log - 1)};
  DriverModule module = nullptr;
  const int code = driver.loadModule(&module, image, std::size(options), options, values);
  if (code == driverSuccess)
    return module;
  std::string what = name() + ", of compute capability " + std::to_string(known.major) + "." +
                     std::to_string(known.minor) + ", can't load a program's kernels";
  if (code == driverNoBinary)
    what += ", which were compiled for another one";
  if (code == driverNewerPtx)
    what += ", which are PTX of a later CUDA than the driver's " + driver.versionText() +
            "; install a newer driver, or "
            "compile them for sm_" +
            std::to_string(known.major * 10 + known.minor);
  if (*log)
    what += " (" + std::string(log) + ")";
  driver.check(code, what);
  return nullptr;
}

void Device::unload(DriverModule module) {
  // At the end of the process the driver may be gone.
  asked([&] {
    try {
      ownStreams.gather();
    } catch (const DeviceFailure &) { // which whoever asks next is told of
    }
    driver.synchronizeStream(ownStreams.handle(0));
    return driver.unloadModule(module);
  });
}

DriverFunction Device::function(DriverModule module, const char *name) {
  const Current current(*this);
  DriverFunction found = nullptr;
  const int code = driver.getFunction(&found, module, name);
  if (code != driverSuccess)
    driver.check(code, this->name() + " finds no kernel " + name + " in a program");
  return found;
}

std::vector<size_t> Device::parameterBytes(DriverFunction function) {
  std::vector<size_t> all;
  if (!driver.getParameterInfo)
    return all;
  const Current current(*this);
  for (;;) {
    size_t offset = 0, bytes = 0;
    const int code = driver.getParameterInfo(function, all.size(), &offset, &bytes);
    if (code == driverInvalidValue) // behind the last one
      return all;
    if (code != driverSuccess)
      return {};
    all.push_back(bytes);
  }
}

int Device::allowShared(DriverFunction function, int32_t bytes) const {
  const bool isUsual = bytes <= usualShared || !driver.setFunctionAttribute;
  return isUsual ? driverSuccess : driver.setFunctionAttribute(function, mostDynamicShared, bytes);
}

void Device::launch(DriverFunction function, const char *name, const qn_grid &grid, void *const *arguments) {
  int code = allowShared(function, grid.shared);
  if (code == driverSuccess)
    code = driver.launch(function, grid.blocks[0], grid.blocks[1], grid.blocks[2], grid.threads[0], grid.threads[1],
                         grid.threads[2], grid.shared, streamHandle(), const_cast<void **>(arguments), nullptr);
  if (code == driverSuccess) [[likely]]
    return;
  const auto text = [](const int32_t *sizes) {
    return std::to_string(sizes[0]) + " x " + std::to_string(sizes[1]) + " x " + std::to_string(sizes[2]);
  };
  driver.check(code, this->name() + " can't run the kernel " + name + " with " + text(grid.blocks) + " blocks of " +
                         text(grid.threads) + " threads and " + std::to_string(grid.shared) +
                         " bytes of shared memory");
}
