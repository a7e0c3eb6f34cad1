// The devices of the process, and memory of theirs, for Python.
#include "runtime/device/Devices.h"

#include "bindings.h"
#include "device_arrays.h"
#include "device_buffer.h"
#include "errors.h"
#include "frontend/bindings/python_lock.h"
#include <exception>
#include <utility>

namespace quernel::binding {

namespace py = pybind11;

using runtime::Device;
using runtime::Devices;

namespace {

/// The memory of an object with Python's buffer protocol, all of it in one piece.
class HostMemory {
public:
  /// Throws a BufferError, or a TypeError, where it isn't that.
  HostMemory(const py::object &object, bool isWritten) {
    const int flags = PyBUF_ANY_CONTIGUOUS | (isWritten ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object.ptr(), &view, flags) != 0)
      throw py::error_already_set();
  }
  ~HostMemory() { PyBuffer_Release(&view); }
  HostMemory(const HostMemory &) = delete;
  HostMemory &operator=(const HostMemory &) = delete;

  void *data() const { return view.buf; }
  size_t bytes() const { return view.len; }

private:
  Py_buffer view;
};

} // namespace

DeviceBuffer::DeviceBuffer(int number, int64_t bytes) : size(bytes) {
  if (bytes < 0)
    throw py::value_error("nbytes: memory of " + std::to_string(bytes) + " bytes can't be had");
  LockReleased released;
  device = &Devices::shared().at(number);
  memory = device->allocate(bytes);
  uses = device->streams().ownUse();
}

DeviceBuffer::DeviceBuffer(Device &device, void *memory, int64_t bytes)
    : device(&device), memory(memory), size(bytes), uses(device.streams().ownUse()) {}

DeviceBuffer::DeviceBuffer(int number, uintptr_t address, int64_t bytes, py::object owner)
    : memory(reinterpret_cast<void *>(address)), size(bytes), owner(std::move(owner)) {
  LockReleased released;
  device = &Devices::shared().at(number);
  uses = device->streams().ownUse();
}

DeviceBuffer::~DeviceBuffer() {
  if (runtime::forkedFromDevices())
    return;
  if (!owner)
    device->memory().release(memory, uses.users);
  else
    awaitUses();
}

void DeviceBuffer::copyFrom(const py::object &from, int64_t offset) {
  const HostMemory host(from, false);
  char *to = place(offset, host.bytes());
  LockReleased released;
  Device &used = usable();
  used.use(uses, true);
  used.write(to, host.data(), host.bytes());
}

void DeviceBuffer::copyBetween(const DeviceBuffer &from, int64_t bytes, int64_t fromOffset, int64_t offset) {
  const char *source = from.place(fromOffset, bytes);
  char *to = place(offset, bytes);
  if (from.device != device)
    throw py::value_error("buffers of two devices");
  LockReleased released;
  Device &used = usable();
  used.use(from.uses, false);
  used.use(uses, true);
  used.copy(to, source, bytes);
}

void DeviceBuffer::copyTo(const py::object &to, int64_t offset) {
  const HostMemory host(to, true);
  const char *from = place(offset, host.bytes());
  LockReleased released;
  Device &used = usable();
  used.use(uses, false);
  used.read(host.data(), from, host.bytes());
}

char *DeviceBuffer::place(int64_t offset, size_t bytes) const {
  if (offset < 0 || offset > size || bytes > size_t(size - offset))
    throw py::value_error(std::to_string(bytes) + " bytes from byte " + std::to_string(offset) +
                          " on aren't within a buffer of " + std::to_string(size));
  return static_cast<char *>(memory) + offset;
}

void DeviceBuffer::lend(uintptr_t stream) const {
  LockReleased released;
  Device &used = usable();
  const Device::Current current(used);
  used.streams().orderForeign(uses.users, reinterpret_cast<runtime::DriverStream>(stream));
}

void DeviceBuffer::await() const {
  LockReleased released;
  Device &used = usable();
  {
    const Device::Current current(used);
    used.streams().order(uses.users, used.streams().current());
  }
  used.synchronize();
}

/// Whoever gets the memory then doesn't know of this process's streams.
void DeviceBuffer::awaitUses() noexcept {
  LockReleased released;
  try {
    device->finish();
  } catch (const runtime::DeviceFailure &) { // later uses of the device fail as well
  }
}

/// The device; throws a DeviceFailure in a child of a fork.
Device &DeviceBuffer::usable() const { return Devices::shared().at(device->number()); }

namespace {

py::dict deviceInfo(int number) {
  const Device *device = nullptr;
  {
    LockReleased released;
    device = &Devices::shared().at(number);
  }
  const runtime::DeviceInfo &known = device->info();
  py::dict info;
  info["name"] = py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(known.name.data(), static_cast<Py_ssize_t>(known.name.size()), "replace"));
  info["capability"] = py::make_tuple(known.major, known.minor);
  info["multiprocessors"] = known.multiprocessors;
  info["max_threads_per_block"] = known.maxThreadsPerBlock;
  info["total_memory"] = known.totalMemory;
  return info;
}

py::tuple deviceGraphs(int number) {
  int64_t launches = 0;
  std::string problem;
  {
    LockReleased released;
    runtime::LoopGraphs &graphs = Devices::shared().at(number).loopGraphs();
    launches = graphs.launches;
    problem = graphs.problem();
  }
  return py::make_tuple(launches, problem);
}

py::tuple deviceMemory(int number) {
  runtime::DevicePoolStatistics counts;
  {
    LockReleased released;
    counts = Devices::shared().at(number).memory().statistics();
  }
  return py::make_tuple(counts.allocated, counts.reserved);
}

} // namespace

void bindDevices(py::module_ &module) {
  py::register_local_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(std::move(thrown));
    } catch (const runtime::DeviceFailure &failure) {
      setDeviceError(failure.what());
    } catch (const runtime::DeviceInterrupted &) {
      // the exception of the signal's handler is set
    }
  });
  module.def(
      "device_count", [] { return Devices::shared().count(); }, py::call_guard<LockReleased>(),
      "How many devices there are. DeviceError where there is no driver, or no device.");
  module.def(
      "device_problem", [] { return Devices::shared().problem(); }, py::call_guard<LockReleased>(),
      "Why there is no device, or an empty text.");
  module.def("device_info", deviceInfo, py::arg("device"),
             "What a device is: its name, (major, minor) of its compute capability, its multiprocessors, the most "
             "threads of a block, the bytes of its memory.");
  module.def(
      "device_synchronize", [](int number) { Devices::shared().at(number).synchronizeAll(); }, py::arg("device"),
      py::call_guard<LockReleased>(), "Wait until a device has done all that it was asked for.");
  module.def("device_memory", deviceMemory, py::arg("device"),
             "How many bytes of a device's memory are in use, and how many the process has from the driver.");
  module.def("device_graphs", deviceGraphs, py::arg("device"),
             "How often a device was given a loop to repeat by itself, and why none any more, or an empty text.");
  module.def(
      "device_trim", [](int number) { return Devices::shared().at(number).memory().trim(); }, py::arg("device"),
      py::call_guard<LockReleased>(), "Give the driver back what nobody uses; returns the bytes.");

  module.def(
      "device_stream",
      [](int number) { return reinterpret_cast<uintptr_t>(Devices::shared().at(number).streamHandle()); },
      py::arg("device"), py::call_guard<LockReleased>(),
      "The handle of the stream in which the calling thread asks a device.");
  module.def(
      "device_follow",
      [](int number, uintptr_t stream) {
        Device &device = Devices::shared().at(number);
        const Device::Current current(device);
        device.streams().follow(reinterpret_cast<runtime::DriverStream>(stream));
      },
      py::arg("device"), py::arg("stream"), py::call_guard<LockReleased>(),
      "Has the calling thread's stream wait for what was asked in another library's: a handle, or 1 for the default "
      "one.");
  module.def(
      "device_of_address",
      [](uintptr_t address) { return Devices::shared().holder(reinterpret_cast<const void *>(address)); },
      py::arg("address"), py::call_guard<LockReleased>(),
      "The number of the device that has memory at an address. DeviceError where none has.");

  bindDeviceArrays(module);
  py::class_<DeviceBuffer>(module, "DeviceBuffer",
                           "Memory of a device, with any content at first. DeviceError where it is out.")
      .def(py::init<int, int64_t>(), py::arg("device"), py::arg("nbytes"))
      .def_static(
          "borrow",
          [](int device, uintptr_t address, int64_t bytes, py::object owner) {
            return std::make_unique<DeviceBuffer>(device, address, bytes, std::move(owner));
          },
          py::arg("device"), py::arg("address"), py::arg("nbytes"), py::arg("owner"),
          "Memory that another library has; the owner lives as long as the buffer.")
      .def("copy_device", &DeviceBuffer::copyBetween, py::arg("source"), py::arg("nbytes"),
           py::arg("source_offset") = 0, py::arg("offset") = 0,
           "Copy from another buffer on the same device, without waiting for it.")
      .def_property_readonly("address", &DeviceBuffer::address)
      .def_property_readonly("nbytes", &DeviceBuffer::bytes)
      .def_property_readonly("device", &DeviceBuffer::number)
      .def("lend", &DeviceBuffer::lend, py::arg("stream"),
           "Have a stream of another library's wait for all that was asked of the memory.")
      .def("wait", &DeviceBuffer::await, "Wait until all that was asked of the memory is done.")
      .def("copy_from", &DeviceBuffer::copyFrom, py::arg("source"), py::arg("offset") = 0,
           "Copy from the memory of an array, or of another object with the buffer protocol, which has to be in one "
           "piece. The array may change at once.")
      .def("copy_to", &DeviceBuffer::copyTo, py::arg("target"), py::arg("offset") = 0,
           "Copy to the memory of an array, and wait until that is done.");
}

} // namespace quernel::binding
