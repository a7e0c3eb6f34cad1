#include "errors.h"

#include "forms.h"
#include "runtime/Interrupts.h"

#include <frameobject.h>

#include <limits>

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

/// Puts a line of the user's source above the current Python error. Where that fails, the error stays as it is.
void addLine(const std::string &file, const std::string &function, int line) {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  auto globals = py::reinterpret_steal<py::object>(PyDict_New());
  auto code = py::reinterpret_steal<py::object>(
      reinterpret_cast<PyObject *>(PyCode_NewEmpty(file.c_str(), function.c_str(), line)));
  py::object frame;
  if (globals && code)
    frame = py::reinterpret_steal<py::object>(reinterpret_cast<PyObject *>(
        PyFrame_New(PyThreadState_Get(), reinterpret_cast<PyCodeObject *>(code.ptr()), globals.ptr(), nullptr)));
  PyErr_Restore(type, value, trace); // replaces what went wrong above
  if (!frame)
    return;
  auto *made = reinterpret_cast<PyFrameObject *>(frame.ptr());
#if PY_VERSION_HEX < 0x030B0000
  made->f_lineno = line;
#endif
  PyTraceBack_Here(made);
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

py::object exceptionOf(int32_t code) {
  if (code == QN_OUT_OF_MEMORY)
    return py::reinterpret_borrow<py::object>(PyExc_MemoryError);
  if (code >= QN_SINGULAR && code <= QN_QR_FAILED)
    return py::module_::import("numpy.linalg").attr("LinAlgError");
  return py::reinterpret_borrow<py::object>(PyExc_RuntimeError);
}

} // namespace

Errors::Errors(py::handle forms) {
  for (py::handle form : itemsOf(forms, "errors"))
    errors.push_back(makeError(form, itemName("errors", errors.size())));
}

Errors::Error Errors::makeError(py::handle form, const std::string &where) {
  const py::tuple items = itemsOf(form, where);
  expectItems(items, 5, "exception, message, file, function, line", where);
  if (!PyExceptionClass_Check(py::object(items[0]).ptr()))
    throw py::type_error(where + ": expected a class of exceptions");
  PyObject *type = py::object(items[0]).ptr();
  const bool isAllocation = type != PyExc_MemoryError && PyErr_GivenExceptionMatches(type, PyExc_MemoryError);
  return {items[0],
          textOf(items[1], "a message", where),
          textOf(items[2], "a file", where),
          textOf(items[3], "a function", where),
          static_cast<int>(integerOf(items[4], "a line", 0, std::numeric_limits<int>::max(), where)),
          isAllocation};
}

void Errors::raise(int32_t code, std::span<const int64_t> values) const {
  // A signal's handler has raised while the program ran.
  if (PyErr_Occurred())
    return;
  const int64_t position = int64_t(code) - QN_FIRST_ERROR;
  if (position >= 0 && position < static_cast<int64_t>(errors.size())) {
    const Error &error = errors[position];
    if (error.isAllocation)
      try {
        setNoMemory(error.exception, error.message, values);
      } catch (py::error_already_set &raised) {
        raised.restore();
      }
    else
      PyErr_SetString(error.exception.ptr(), withNumbers(error.message, values).c_str());
    return addLine(error.file, error.function, error.line);
  }
  try {
    PyErr_SetString(exceptionOf(code).ptr(), qn_error_text(code));
  } catch (py::error_already_set &error) {
    error.restore();
  }
}

int Errors::traverse(visitproc visit, void *arg) const {
  for (const Error &error : errors)
    Py_VISIT(error.exception.ptr());
  return 0;
}

void watchInterrupts() {
  runtime::setInterruptCheck([]() -> int32_t {
    // A helper of the program; it has nothing to do with Python, and needn't wait for its lock.
    if (!PyGILState_GetThisThreadState())
      return QN_OK;
    const PyGILState_STATE state = PyGILState_Ensure();
    const int raised = PyErr_CheckSignals();
    PyGILState_Release(state);
    return raised ? QN_INTERRUPTED : QN_OK;
  });
}

} // namespace quernel::binding
