// Streams of devices, and events in them, for Python.
#include "runtime/device/Devices.h"

#include "bindings.h"
#include "frontend/bindings/python_lock.h"
#include <memory>
#include <optional>
#include <pybind11/stl.h>

namespace quernel::binding {

namespace py = pybind11;

using runtime::Device;
using runtime::DeviceFailure;
using runtime::Devices;

namespace {

/// What the driver has of a device.
class OfDevice {
public:
  explicit OfDevice(int number) {
    LockReleased released;
    device = &Devices::shared().at(number);
  }
  OfDevice(const OfDevice &) = delete;
  OfDevice &operator=(const OfDevice &) = delete;

  int number() const { return device->number(); }

protected:
  /// The device; throws a DeviceFailure in a child of a fork.
  Device &usable() const { return Devices::shared().at(device->number()); }

  /// Gives the driver something back, where that is possible.
  template <typename Give> void giveBack(const Give &give) {
    if (runtime::forkedFromDevices())
      return;
    LockReleased released;
    try {
      const Device::Current current(*device);
      give();
    } catch (const DeviceFailure &) { // later uses of the device fail as well
    }
  }

  Device *device = nullptr;
};

/// A stream, which goes with the object unless it is another library's.
class Stream : public OfDevice {
public:
  Stream(int number, std::optional<uintptr_t> foreign) : OfDevice(number) {
    LockReleased released;
    const Device::Current current(*device);
    stream =
        foreign ? device->streams().add(reinterpret_cast<runtime::DriverStream>(*foreign)) : device->streams().add();
  }
  ~Stream() {
    giveBack([this] { device->streams().remove(stream); });
  }

  uintptr_t handle() const { return reinterpret_cast<uintptr_t>(device->streams().handle(stream)); }

  bool isDone() const {
    LockReleased released;
    const Device::Current current(usable());
    const int code = device->functions().queryStream(device->streams().handle(stream));
    if (code != runtime::driverNotReady)
      device->check(code, "failed in what it was asked for before");
    return code != runtime::driverNotReady;
  }

  void enter() { usable().streams().enter(stream); }
  void leave() {
    LockReleased released;
    Device &used = usable();
    const Device::Current current(used);
    used.streams().leave(stream);
  }

private:
  int stream = 0;
};

/// An event, with its time.
class Event : public OfDevice {
public:
  explicit Event(int number) : OfDevice(number) {
    LockReleased released;
    const Device::Current current(*device);
    device->check(device->functions().createEvent(&event, 0), "has no event");
  }
  ~Event() {
    giveBack([this] { device->functions().destroyEvent(event); });
  }

  void record(uintptr_t stream) {
    LockReleased released;
    const Device::Current current(usable());
    device->check(device->functions().recordEvent(event, reinterpret_cast<runtime::DriverStream>(stream)),
                  "can't note an event");
  }
  void hold(uintptr_t stream) const {
    LockReleased released;
    const Device::Current current(usable());
    device->check(device->functions().waitEvent(reinterpret_cast<runtime::DriverStream>(stream), event, 0),
                  "can't have a stream wait");
  }
  void await() const {
    LockReleased released;
    usable().awaitEvent(event);
  }
  bool isDone() const {
    LockReleased released;
    return usable().isDone(event);
  }
  float elapsed(const Event &end) const {
    LockReleased released;
    const Device::Current current(usable());
    float milliseconds = 0;
    device->check(device->functions().elapsedTime(&milliseconds, event, end.event),
                  "can't tell the time between two events");
    return milliseconds;
  }

private:
  runtime::DriverEvent event = nullptr;
};

} // namespace

void bindDeviceStreams(py::module_ &module) {
  py::class_<Stream>(module, "DeviceStream",
                     "A new stream of a device, or by its handle another library's, which has to be there while a "
                     "thread has entered it.")
      .def(py::init<int, std::optional<uintptr_t>>(), py::arg("device"), py::arg("handle") = py::none())
      .def_property_readonly("device", &Stream::number)
      .def_property_readonly("handle", &Stream::handle)
      .def("query", &Stream::isDone, "Whether all is done that was asked for in the stream.")
      .def("enter", &Stream::enter, "What the thread asks of the device is asked in this stream from now on.")
      .def("leave", &Stream::leave, "The thread asks in the stream of before again.");
  py::class_<Event>(module, "DeviceEvent", "An event of a device.")
      .def(py::init<int>(), py::arg("device"))
      .def_property_readonly("device", &Event::number)
      .def("record", &Event::record, py::arg("stream"), "Note when all is done that was asked in a stream.")
      .def("hold", &Event::hold, py::arg("stream"), "Has a stream wait for the event.")
      .def("synchronize", &Event::await, "Wait for the event.")
      .def("query", &Event::isDone, "Whether the event has come.")
      .def("elapsed", &Event::elapsed, py::arg("end"), "The milliseconds until another event.");
}

} // namespace quernel::binding
