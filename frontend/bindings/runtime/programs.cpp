// Programs and specializations, for Python.
#include "bindings.h"
#include "detour.h"
#include "errors.h"
#include "extents.h"
#include "forms.h"
#include "frontend/bindings/python_lock.h"
#include "numpy_api.h"
#include "runtime/Context.h"
#include "runtime/device/DeviceCall.h"
#include "specialization.h"

#include <limits>
#include <optional>

#include <pybind11/stl.h>

namespace quernel::binding {

using runtime::Program;

namespace {

constexpr int64_t mostArguments = 1 << 16;

template <typename Make> std::unique_ptr<Program> loaded(Make make) {
  try {
    return std::make_unique<Program>(make());
  } catch (const std::runtime_error &error) {
    const auto text = py::reinterpret_steal<py::object>(PyUnicode_DecodeFSDefault(error.what()));
    PyErr_SetObject(PyExc_OSError, text.ptr());
    throw py::error_already_set();
  }
}

std::unique_ptr<Program> fromFile(const py::object &path, const std::string &entry,
                                  const std::optional<std::string> &shapes) {
  PyObject *converted = nullptr;
  if (!PyUnicode_FSConverter(path.ptr(), &converted))
    throw py::error_already_set();
  const auto bytes = py::reinterpret_steal<py::bytes>(converted);
  return loaded([&] { return Program(std::string(bytes), entry, shapes.value_or("")); });
}

std::unique_ptr<Program> fromBytes(const py::bytes &object, const std::string &entry,
                                   const std::optional<std::string> &shapes) {
  return loaded([&] { return Program::fromBytes(std::string_view(object), entry, shapes.value_or("")); });
}

/// The number of a device, or none.
std::optional<int> deviceOf(const py::object &device) {
  if (device.is_none())
    return std::nullopt;
  return static_cast<int>(integerOf(device, "a device's number", 0, std::numeric_limits<int>::max(), "device"));
}

/// What the entry of a device's program gets for an array that it may change anywhere.
runtime::HostBuffer deviceBuffer(PyArrayObject *array) {
  if (PyArray_NDIM(array) == 0)
    return {PyArray_DATA(array)};
  const Extent extent = extentOf(reinterpret_cast<PyObject *>(array));
  const auto start = reinterpret_cast<uintptr_t>(PyArray_DATA(array));
  return {PyArray_DATA(array), runtime::HostBuffer::array, static_cast<int64_t>(extent.low - start),
          static_cast<int64_t>(extent.high - start), true};
}

/// Runs an entry on arrays that fit; gives its code, and the numbers of its error.
py::tuple run(const Program &program, const py::list &arrays, const std::vector<int64_t> &sizes, int threads,
              const py::object &device) {
  std::vector<void *> buffers;
  std::vector<runtime::HostBuffer> copied;
  for (py::handle object : arrays) {
    if (!PyArray_Check(object.ptr()))
      throw py::type_error("run: expected an array, not " + std::string(Py_TYPE(object.ptr())->tp_name));
    auto *array = reinterpret_cast<PyArrayObject *>(object.ptr());
    buffers.push_back(PyArray_DATA(array));
    copied.push_back(deviceBuffer(array));
  }
  const std::optional<int> number = deviceOf(device);
  if (!number && program.images())
    throw py::value_error("device: the program is one for a device, whose number is missing");
  runtime::CallContext call(runtime::context(threads));
  int32_t code = QN_OK;
  {
    LockReleased released;
    if (number) {
      runtime::DeviceProgram onDevice(program, *number);
      code = runtime::runOnDevice(onDevice, threads, copied, sizes.data(), call);
    } else {
      code = program.entry()(&call, buffers.data(), sizes.data());
    }
  }
  if (PyErr_Occurred())
    throw py::error_already_set();
  if (code == QN_DEVICE_FAILED) {
    setDeviceError(runtime::notedDeviceProblem());
    throw py::error_already_set();
  }
  return py::make_tuple(code, std::vector<int64_t>(call.values().begin(), call.values().end()));
}

std::unique_ptr<Specialization>
makeSpecialization(const py::object &program, const py::object &nargs, const py::object &kwnames,
                   const py::object &parameters, const py::object &extras, const py::object &symbols,
                   const py::object &outputs, const py::object &result, const py::object &errors,
                   const py::object &checked, const py::object &loops, const py::object &threads,
                   const py::object &floats, const py::object &keep, const py::object &device) {
  if (!py::isinstance<Program>(program))
    throw py::type_error("program: expected a Program, not " + std::string(Py_TYPE(program.ptr())->tp_name));
  const SpecializationForms forms = {
      {integerOf(nargs, "the number", 0, mostArguments, "nargs"), kwnames, parameters, extras},
      integerOf(symbols, "the number", 0, mostArguments, "symbols"),
      outputs,
      result,
      errors,
      checked,
      floats,
      boolOf(loops, "the flag", "loops"),
      integerOf(threads, "the number", 0, runtime::threadLimit + 1, "threads"),
      keep,
      deviceOf(device),
  };
  return std::make_unique<Specialization>(program, program.cast<const Program &>(), forms);
}

std::unique_ptr<Detour> makeDetour(const py::object &function, const py::object &nargs, const py::object &kwnames,
                                   const py::object &parameters) {
  return std::make_unique<Detour>(function, ConditionForms{integerOf(nargs, "the number", 0, mostArguments, "nargs"),
                                                           kwnames, parameters, py::tuple()});
}

/// The Answer of an object that may still be under construction, or null.
Answer *made(PyObject *object) {
  return py::detail::is_holder_constructed(object) ? &py::cast<Answer &>(py::handle(object)) : nullptr;
}

/// Answers refer to namespaces and functions, which refer to answers.
void collectGarbage(PyHeapTypeObject *heapType) {
  PyTypeObject *type = &heapType->ht_type;
  type->tp_flags |= Py_TPFLAGS_HAVE_GC;
  type->tp_traverse = [](PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(object));
    Answer *answer = made(object);
    return answer ? answer->traverse(visit, arg) : 0;
  };
  type->tp_clear = [](PyObject *object) {
    if (Answer *answer = made(object))
      answer->clear();
    return 0;
  };
}

} // namespace

void bindPrograms(py::module_ &module) {
  py::class_<Program>(module, "Program", "An entry of a loaded object. OSError where it can't be loaded.")
      .def(py::init(&fromFile), py::arg("path"), py::arg("entry"), py::arg("shapes") = py::none())
      .def_static("from_bytes", fromBytes, py::arg("object"), py::arg("entry"), py::arg("shapes") = py::none(),
                  "Load an object from memory.")
      .def("run", &run, py::arg("arrays"), py::arg("sizes"), py::arg("threads") = 0, py::arg("device") = py::none(),
           "Run it on the memory of arrays, which have to be what it demands: its code and the numbers of its error. A "
           "program for a device gets copies of those with dimensions, and they get what it leaves in these.")
      .def_property_readonly(
          "has_image", [](const Program &program) { return program.images() != nullptr; },
          "Whether it is one for a device.")
      .def_property_readonly("path", [](const Program &program) {
        return py::reinterpret_steal<py::object>(PyUnicode_DecodeFSDefault(program.path().c_str()));
      });

  py::class_<Answer>(module, "Answer", "What may answer calls of a Function.");

  py::class_<Detour, Answer>(module, "Detour", py::custom_type_setup(collectGarbage),
                             "A Python function, which is called as it is, with the guards of its arguments.")
      .def(py::init(&makeDetour), py::arg("function"), py::kw_only(), py::arg("nargs"),
           py::arg("kwnames") = py::tuple(), py::arg("parameters"));

  py::class_<Specialization, Answer>(module, "Specialization", py::custom_type_setup(collectGarbage),
                                     "A program with the guards under which it answers a call.")
      .def(py::init(&makeSpecialization), py::arg("program"), py::kw_only(), py::arg("nargs"),
           py::arg("kwnames") = py::tuple(), py::arg("parameters"), py::arg("extras") = py::tuple(), py::arg("symbols"),
           py::arg("outputs"), py::arg("result"), py::arg("errors") = py::tuple(), py::arg("checked") = py::tuple(),
           py::arg("loops") = false, py::arg("threads") = 0, py::arg("floats") = py::none(),
           py::arg("keep") = py::none(), py::arg("device") = py::none());
}

} // namespace quernel::binding
