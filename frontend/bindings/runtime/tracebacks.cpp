#include "tracebacks.h"

#include <pybind11/pybind11.h>

#include <frameobject.h>

namespace quernel::binding {

namespace py = pybind11;

namespace {

/// The folder of this package, as its modules' code objects name it, with a slash behind it; empty if that isn't known.
const std::string &packageFolder() {
  static const std::string folder = [] {
    const std::string file = py::str(py::module_::import("quernel").attr("__file__"));
    return file.substr(0, file.rfind('/') + 1);
  }();
  return folder;
}

bool isOwn(PyTracebackObject *trace) {
  auto code = py::reinterpret_steal<py::object>(reinterpret_cast<PyObject *>(PyFrame_GetCode(trace->tb_frame)));
  const char *file = PyUnicode_AsUTF8(reinterpret_cast<PyCodeObject *>(code.ptr())->co_filename);
  if (!file)
    PyErr_Clear();
  const std::string &folder = packageFolder();
  return file && !folder.empty() && std::string_view(file).starts_with(folder);
}

} // namespace

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

void dropOwnFrames() {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  auto *shown = reinterpret_cast<PyTracebackObject *>(trace);
  try {
    while (shown && isOwn(shown))
      shown = shown->tb_next;
  } catch (py::error_already_set &) {
    shown = reinterpret_cast<PyTracebackObject *>(trace);
  }
  PyObject *kept = reinterpret_cast<PyObject *>(shown);
  Py_XINCREF(kept);
  Py_XDECREF(trace);
  PyException_SetTraceback(value, kept ? kept : Py_None);
  PyErr_Restore(type, value, kept);
}

} // namespace quernel::binding
