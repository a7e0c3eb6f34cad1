#include "errors.h"

#include "entering.h"
#include "forms.h"
#include "runtime/Interrupts.h"
#include "runtime/device/DeviceFailure.h"
#include "tracebacks.h"

#include <atomic>
#include <limits>
#include <pthread.h>

namespace quernel::binding {

namespace {

std::string withNumbers(const std::string &message, std::span<const int64_t> values) {
  std::string text = message;
  for (size_t k = 0; k < values.size(); ++k) {
    const std::string place = "{" + std::to_string(k) + "}", number = std::to_string(values[k]);
    for (size_t at = text.find(place); at != std::string::npos; at = text.find(place, at + number.size()))
      text.replace(at, place.size(), number);
  }
  return text;
}

/// Sets the error that NumPy has for an array that it can't allocate.
void setNoMemory(const py::object &exception, const std::string &dtype, std::span<const int64_t> shape) {
  py::tuple sizes(shape.size());
  const py::object type = py::module_::import("numpy").attr("dtype")(dtype);
  auto bytes = type.attr("itemsize").cast<int64_t>();
  bool fits = true;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    sizes[axis] = py::int_(shape[axis]);
    fits &= !__builtin_mul_overflow(bytes, shape[axis], &bytes);
  }
  if (fits)
    PyErr_SetObject(exception.ptr(), exception(sizes, type).ptr());
  else
    PyErr_SetString(PyExc_ValueError, "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum "
                                      "possible size.");
}

/// Sets the error that a callable makes of the numbers.
void setMade(const py::object &maker, std::span<const int64_t> values) {
  py::tuple numbers(values.size());
  for (size_t k = 0; k < values.size(); ++k)
    numbers[k] = py::int_(values[k]);
  const py::object error = maker(*numbers);
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())), error.ptr());
}

/// Sets the error of a code of the runtime's.
void setOwnError(int32_t code) {
  if (code == QN_DEVICE_FAILED)
    setDeviceError(runtime::notedDeviceProblem());
  else
    PyErr_SetString(code == QN_OUT_OF_MEMORY ? PyExc_MemoryError : PyExc_RuntimeError, qn_error_text(code));
}

} // namespace

Errors::Errors(py::handle forms) {
  for (py::handle form : itemsOf(forms, "errors"))
    errors.push_back(makeError(form, itemName("errors", errors.size())));
}

Errors::Place Errors::makePlace(const py::tuple &items, size_t first, const std::string &where) {
  return {textOf(items[first], "a file", where), textOf(items[first + 1], "a function", where),
          static_cast<int>(integerOf(items[first + 2], "a line", 0, std::numeric_limits<int>::max(), where))};
}

Errors::Error Errors::makeError(py::handle form, const std::string &where) {
  const py::tuple items = itemsOf(form, where);
  if (items.size() != 6) // callers are few programs'
    expectItems(items, 5, "exception, message, file, function, line", where);
  py::object exception = items[0], instead;
  if (py::isinstance<py::tuple>(exception)) {
    expectItems(exception, 1, "what answers instead", where);
    instead = exception[py::int_(0)];
    exception = instead;
  }
  PyObject *type = exception.ptr();
  const bool isClass = PyExceptionClass_Check(type);
  if (!isClass && (PyType_Check(type) || !PyCallable_Check(type)))
    throw py::type_error(where + ": expected a class of exceptions, or what makes one");
  const bool isAllocation =
      isClass && type != PyExc_MemoryError && PyErr_GivenExceptionMatches(type, PyExc_MemoryError);
  std::vector<Place> places{makePlace(items, 2, where)};
  if (items.size() == 6)
    for (py::handle item : itemsOf(items[5], where + ": callers")) {
      const py::tuple caller = itemsOf(item, where + ": callers");
      expectItems(caller, 3, "file, function, line", where + ": callers");
      places.push_back(makePlace(caller, 0, where + ": callers"));
    }
  return {exception, textOf(items[1], "a message", where), std::move(places), isAllocation, instead};
}

const Errors::Error *Errors::errorOf(int32_t code) const {
  const int64_t position = int64_t(code) - QN_FIRST_ERROR;
  return position >= 0 && position < static_cast<int64_t>(errors.size()) ? &errors[position] : nullptr;
}

py::object Errors::insteadOf(int32_t code) const {
  const Error *error = errorOf(code);
  return error ? error->instead : py::object();
}

void Errors::raise(int32_t code, std::span<const int64_t> values) const {
  // A signal's handler has raised while the program ran.
  if (PyErr_Occurred())
    return;
  if (const Error *found = errorOf(code)) {
    const Error &error = *found;
    try {
      if (error.message.empty() && !values.empty()) // of a routine of a library: a code of abi.h
        setOwnError(static_cast<int32_t>(values[0]));
      else if (error.isAllocation)
        setNoMemory(error.exception, error.message, values);
      else if (!PyExceptionClass_Check(error.exception.ptr()))
        setMade(error.exception, values);
      else
        PyErr_SetString(error.exception.ptr(), withNumbers(error.message, values).c_str());
    } catch (py::error_already_set &raised) {
      raised.restore();
    }
    for (const Place &place : error.places)
      addLine(place.file, place.function, place.line);
    return;
  }
  setOwnError(code);
}

void setDeviceError(const std::string &text) {
  try {
    const py::object type = inPython([] { return py::module_::import("quernel.errors").attr("DeviceError"); });
    PyErr_SetString(type.ptr(), text.c_str());
  } catch (py::error_already_set &error) {
    error.restore();
  }
}

int Errors::traverse(visitproc visit, void *arg) const {
  for (const Error &error : errors) {
    Py_VISIT(error.exception.ptr());
    Py_VISIT(error.instead.ptr());
  }
  return 0;
}

/// The thread that runs Python's handlers of signals; nobody else needs to wait for Python's lock.
static std::atomic<unsigned long> mainThread;

static int32_t checkSignals() {
  const bool isMain = PyThread_get_thread_ident() == mainThread.load(std::memory_order_relaxed);
  if (Entering *entering = Entering::withLock()) {
    const int raised = isMain ? PyErr_CheckSignals() : 0;
    entering->giveBack();
    return raised ? QN_INTERRUPTED : QN_OK;
  }
  if (!isMain)
    return QN_OK;
  const PyGILState_STATE state = inPython([] { return PyGILState_Ensure(); });
  const int raised = inPython([] { return PyErr_CheckSignals(); });
  PyGILState_Release(state);
  return raised ? QN_INTERRUPTED : QN_OK;
}

void watchInterrupts() {
  mainThread = py::module_::import("threading").attr("main_thread")().attr("ident").cast<unsigned long>();
  // The thread that forks is the main one of the child.
  pthread_atfork(nullptr, nullptr, [] { mainThread = PyThread_get_thread_ident(); });
  runtime::setInterruptCheck(checkSignals);
}

} // namespace quernel::binding
