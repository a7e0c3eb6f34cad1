#include "runtime/device/DeviceStreams.h"
#include "runtime/device/Device.h"
#include <algorithm>
#include <bit>

using namespace quernel::runtime;

namespace {

constexpr unsigned streamApart = 1, eventWithoutTime = 2;

/// A stream that the thread has entered, of one of the devices.
struct Entered {
  const DeviceStreams *of;
  int stream;
};

thread_local std::vector<Entered> enteredHere;

} // namespace

void DeviceStreams::begin() {
  const Driver &driver = device.functions();
  device.check(driver.createStream(handles.data(), streamApart), "has no stream");
  device.check(driver.createEvent(&event, eventWithoutTime), "has no event");
  there = used = setOf(0);
}

int DeviceStreams::current() const {
  for (size_t k = enteredHere.size(); k-- > 0;)
    if (enteredHere[k].of == this)
      return enteredHere[k].stream;
  return 0;
}

int DeviceStreams::add() {
  DriverStream made = nullptr;
  device.check(device.functions().createStream(&made, streamApart), "has no stream");
  return added(made, false);
}

int DeviceStreams::add(DriverStream foreign) { return added(foreign, true); }

int DeviceStreams::added(DriverStream handle, bool isForeign) {
  std::lock_guard lock(mutex);
  const int stream = std::countr_one(there);
  if (stream >= mostStreams)
    throw DeviceFailure(device.name() + " has " + std::to_string(mostStreams) +
                        " streams already; drop those that aren't needed");
  const Driver &driver = device.functions();
  if (isForeign && !marks[stream])
    device.check(driver.createEvent(&marks[stream], eventWithoutTime), "has no event");
  if (used & setOf(stream))
    orderLocked(there, handle);
  handles[stream] = handle;
  entered[stream] = 0;
  there |= setOf(stream);
  used |= setOf(stream);
  marked &= ~setOf(stream);
  foreign = isForeign ? foreign | setOf(stream) : foreign & ~setOf(stream);
  return stream;
}

void DeviceStreams::remove(int stream) {
  std::lock_guard lock(mutex);
  orderLocked(setOf(stream), handles[0]);
  if (!(foreign & setOf(stream)))
    device.functions().destroyStream(handles[stream]);
  there &= ~setOf(stream);
}

void DeviceStreams::enter(int stream) {
  std::lock_guard lock(mutex);
  enteredHere.push_back({this, stream});
  ++entered[stream];
}

void DeviceStreams::leave(int stream) {
  std::lock_guard lock(mutex);
  for (size_t k = enteredHere.size(); k-- > 0;)
    if (enteredHere[k].of == this && enteredHere[k].stream == stream) {
      enteredHere.erase(enteredHere.begin() + static_cast<std::ptrdiff_t>(k));
      --entered[stream];
      break;
    }
  // Who it belongs to may destroy it from now on.
  if ((foreign & setOf(stream)) && entered[stream] == 0) {
    device.check(device.functions().recordEvent(marks[stream], handles[stream]), "can't note an event");
    marked |= setOf(stream);
  }
}

void DeviceStreams::waitIn(DriverStream stream, DriverEvent event) {
  device.check(device.functions().waitEvent(stream, event, 0), "can't have a stream wait");
}

/// A number that nobody has stands for stream 0, which comes behind what that one was asked for.
void DeviceStreams::orderLocked(StreamSet before, DriverStream after) {
  if (before & ~there)
    before = (before & there) | setOf(0);
  for (; before; before &= before - 1) {
    const int stream = std::countr_zero(before);
    if (handles[stream] == after)
      continue;
    if ((foreign & setOf(stream)) && entered[stream] == 0) {
      if (marked & setOf(stream))
        waitIn(after, marks[stream]);
      continue;
    }
    device.check(device.functions().recordEvent(event, handles[stream]), "can't note an event");
    waitIn(after, event);
  }
}

void DeviceStreams::order(StreamSet before, int after) {
  std::lock_guard lock(mutex);
  orderLocked(before, handles[after]);
}

void DeviceStreams::orderForeign(StreamSet before, DriverStream after) {
  std::lock_guard lock(mutex);
  orderLocked(before, after);
}

void DeviceStreams::follow(DriverStream foreign) {
  std::lock_guard lock(mutex);
  device.check(device.functions().recordEvent(event, foreign), "can't note an event of another library's stream");
  waitIn(handles[current()], event);
}

void DeviceStreams::use(StreamUse &memory, bool isWritten) {
  const int now = current();
  std::lock_guard lock(mutex);
  if (isWritten) {
    orderLocked(memory.users & ~setOf(now), handles[now]);
    memory = {setOf(now), now};
  } else if (!(memory.users & setOf(now))) {
    orderLocked(setOf(memory.writer), handles[now]);
    memory.users |= setOf(now);
  }
}

void DeviceStreams::gather() {
  std::lock_guard lock(mutex);
  orderLocked(there & ~setOf(0), handles[0]);
}

DriverStream DeviceStreams::takeCopyStream() {
  std::lock_guard lock(mutex);
  DriverStream taken = nullptr;
  if (spareStreams.empty()) {
    device.check(device.functions().createStream(&taken, streamApart), "has no stream");
    return taken;
  }
  taken = spareStreams.back();
  spareStreams.pop_back();
  return taken;
}

void DeviceStreams::giveBack(DriverStream copyStream) {
  std::lock_guard lock(mutex);
  spareStreams.push_back(copyStream);
}

DriverEvent DeviceStreams::takeEvent() {
  std::lock_guard lock(mutex);
  DriverEvent taken = nullptr;
  if (spareEvents.empty()) {
    device.check(device.functions().createEvent(&taken, eventWithoutTime), "has no event");
    return taken;
  }
  taken = spareEvents.back();
  spareEvents.pop_back();
  return taken;
}

void DeviceStreams::giveBack(DriverEvent taken) {
  std::lock_guard lock(mutex);
  spareEvents.push_back(taken);
}
