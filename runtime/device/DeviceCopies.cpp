#include "runtime/device/DeviceCopies.h"
#include <algorithm>
#include <cstring>
#include <utility>

using namespace quernel::runtime;

namespace {

/// Where there are several results of no more bytes, they lie side by side, so that one copy brings back all of them,
/// at multiples of so many.
constexpr size_t smallResult = 64;

/// Copies of so many bytes are late. They take some ten microseconds, more than the driver takes for the events that
/// let other work run meanwhile.
constexpr size_t leastLate = 256 << 10;

bool isCopied(const HostBuffer &buffer) {
  return buffer.memory && buffer.kind != HostBuffer::number && buffer.kind != HostBuffer::resident;
}

std::vector<MemoryPart> partsOf(std::span<const HostBuffer> buffers) {
  std::vector<MemoryPart> parts;
  for (const HostBuffer &buffer : buffers)
    if (isCopied(buffer)) {
      const bool isArray = buffer.kind == HostBuffer::array;
      parts.push_back({buffer.memory, buffer.low, buffer.high, isArray, buffer.isWritten || !isArray});
    }
  return parts;
}

} // namespace

DeviceCopies::DeviceCopies(Device &device, std::span<const HostBuffer> buffers)
    : device(device), buffers(buffers), mirrors(partsOf(buffers)) {}

DeviceCopies::~DeviceCopies() {
  // The memory is the thread's stream's again, so what may be under way in others comes before what that does with it.
  const auto isUnderWay = [](const Late &copy) { return copy.state == Late::partly || copy.state == Late::sent; };
  endStream(downloads, isDownloading);
  endStream(uploads, std::ranges::any_of(late, isUnderWay));
  for (const Late &copy : late)
    if (copy.event)
      device.streams().giveBack(copy.event);
  for (const Mirrors::Mirror &mirror : mirrors.all())
    if (mirror.copy && !isSmallResult(mirror))
      device.memory().release(static_cast<char *>(mirror.copy) - mirror.padding);
  device.memory().release(smallResults);
}

void DeviceCopies::endStream(DriverStream copyStream, bool mayBeUnderWay) noexcept {
  if (!copyStream)
    return;
  try {
    if (mayBeUnderWay)
      device.streams().follow(copyStream);
    device.streams().giveBack(copyStream);
  } catch (const std::exception &) { // where the device can't go on, whoever asks next is told
  }
}

bool DeviceCopies::fits(const Mirrors::Mirror &mirror) {
  return !mirror.isRead && mirror.padding + mirror.bytes <= smallResult;
}

bool DeviceCopies::isLarge(const Mirrors::Mirror &mirror) { return mirror.bytes >= leastLate; }

std::vector<void *> DeviceCopies::make() {
  const size_t count = std::ranges::count_if(mirrors.all(), fits);
  if (count > 1)
    smallResults = static_cast<char *>(device.allocate(count * smallResult));
  size_t next = 0;
  for (Mirrors::Mirror &mirror : mirrors.all()) {
    if (isSmallResult(mirror)) {
      mirror.copy = smallResults + smallResult * next++ + mirror.padding;
      continue;
    }
    mirror.copy = static_cast<char *>(device.allocate(mirror.bytes + mirror.padding)) + mirror.padding;
    if (isLarge(mirror))
      late.push_back({&mirror, mirror.isRead ? Late::unsent : Late::there});
    else if (mirror.isRead)
      device.write(mirror.copy, mirror.memory, mirror.bytes);
  }
  if (std::ranges::find(late, Late::unsent, &Late::state) != late.end()) {
    // What used the memory before is done first, but nothing that the program asks for.
    uploads = device.streams().takeCopyStream();
    device.streams().orderForeign(setOf(device.streams().current()), uploads);
  }
  std::vector<void *> addresses;
  for (size_t k = 0, part = 0; k < buffers.size(); ++k)
    addresses.push_back(isCopied(buffers[k]) ? mirrors.of(part++) : buffers[k].memory);
  return addresses;
}

void DeviceCopies::mark(const void *address) {
  for (Late &copy : late) {
    const auto *start = static_cast<const char *>(copy.mirror->copy);
    copy.isMarked |= start <= address && address < start + copy.mirror->bytes;
  }
}

void DeviceCopies::markAll() {
  for (Late &copy : late)
    copy.isMarked = true;
}

void DeviceCopies::markWords(const void *argument, size_t bytes) {
  const void *word = nullptr;
  for (size_t at = 0; at + sizeof word <= bytes; at += sizeof word) {
    std::memcpy(&word, static_cast<const char *>(argument) + at, sizeof word);
    mark(word);
  }
}

void DeviceCopies::record(Late &copy, DriverStream stream) {
  if (!copy.event)
    copy.event = device.streams().takeEvent();
  device.check(device.functions().recordEvent(copy.event, stream), "can't note an event");
}

void DeviceCopies::send(Late &copy) {
  const Mirrors::Mirror &mirror = *copy.mirror;
  copy.state = Late::partly;
  device.write(mirror.copy, mirror.memory, mirror.bytes, uploads);
  record(copy, uploads);
  copy.state = Late::sent;
}

/// What the thread's stream is asked for next uses a copy.
void DeviceCopies::use(Late &copy) {
  if (copy.state == Late::unsent || copy.state == Late::partly)
    send(copy);
  if (copy.state == Late::sent)
    device.check(device.functions().waitEvent(device.streamHandle(), copy.event, 0), "can't have a stream wait");
  copy.state = Late::there;
  copy.lastUse = works;
  copy.isPast = false;
}

void DeviceCopies::begin() {
  ++works;
  // Events that don't wait for what is sent below.
  for (Late &copy : late)
    if (copy.isInUse && !copy.isMarked && !copy.mirror->isRead) {
      record(copy, device.streamHandle());
      copy.isPast = true;
    }
  for (Late &copy : late) {
    copy.isInUse = std::exchange(copy.isMarked, false);
    if (copy.isInUse)
      use(copy);
  }
}

void DeviceCopies::beginWaiting() {
  const bool isBusy = works > 0;
  begin();
  for (Late &copy : late)
    if (isBusy && copy.state == Late::unsent)
      send(copy);
}

/// Results that the work asked for last doesn't use, in the order in which they are complete.
void DeviceCopies::bringBackPast() {
  std::vector<Late *> past;
  for (Late &copy : late)
    if (copy.isPast)
      past.push_back(&copy);
  if (past.empty())
    return;
  std::ranges::stable_sort(past, {}, &Late::lastUse);
  std::vector<DeviceReading> pieces;
  for (const Late *copy : past)
    pieces.push_back({copy->mirror->memory, copy->mirror->copy, copy->mirror->bytes, copy->event});
  downloads = device.streams().takeCopyStream();
  isDownloading = true;
  device.read(pieces, downloads);
  isDownloading = false;
  for (Late *copy : past)
    copy->state = Late::broughtBack;
}

void DeviceCopies::putBack(bool withResults) {
  if (withResults)
    bringBackPast();
  device.synchronize();
  std::vector<DeviceReading> pieces;
  for (const Mirrors::Mirror &mirror : mirrors.all()) {
    const auto copy = std::ranges::find(late, &mirror, &Late::mirror);
    // What nothing has used is as it was.
    const bool isSame = copy != late.end() && (copy->state == Late::broughtBack || copy->state == Late::unsent);
    if (mirror.isWritten && !isSmallResult(mirror) && !isSame && (withResults || mirror.isRead))
      pieces.push_back({mirror.memory, mirror.copy, mirror.bytes});
  }
  std::vector<char> small;
  if (smallResults && withResults) {
    small.resize(smallResult * std::ranges::count_if(mirrors.all(), fits));
    pieces.push_back({small.data(), smallResults, small.size()});
  }
  device.read(pieces, device.streamHandle());
  for (const Mirrors::Mirror &mirror : mirrors.all())
    if (isSmallResult(mirror) && !small.empty())
      std::memcpy(mirror.memory, small.data() + (static_cast<char *>(mirror.copy) - smallResults), mirror.bytes);
}
