// What hears of NumPy's floating-point warnings while a function is run again.
#include "bindings.h"

#include <string>

namespace quernel::binding {

namespace py = pybind11;

namespace {

/// So many warnings of a run are remembered.
constexpr size_t mostEvents = 64;

/// Gives the warnings that NumPy would have given, and remembers them with their places. As NumPy's own log: it is told
/// of each event from within the operation, where the innermost frame of Python is the one that NumPy would name.
class FloatLog {
public:
  /// Takes a text such as "Warning: divide by zero encountered in divide\n".
  void write(const std::string &line) {
    static const std::string prefix = "Warning: ";
    const size_t start = line.starts_with(prefix) ? prefix.size() : 0;
    const std::string text = line.substr(start, line.find_last_not_of('\n') + 1 - start);
    if (py::len(events) < mostEvents)
      remember(text);
    if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) < 0)
      throw py::error_already_set();
  }

  py::list events; ///< (text, file, line, globals)

private:
  void remember(const std::string &text) {
    const auto frame = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject *>(PyEval_GetFrame()));
    if (frame)
      events.append(py::make_tuple(text, frame.attr("f_code").attr("co_filename"), frame.attr("f_lineno"),
                                   frame.attr("f_globals")));
  }
};

} // namespace

void bindFloatLog(py::module_ &module) {
  py::class_<FloatLog>(module, "FloatLog", "A log for numpy.errstate that gives the warnings, and remembers them.")
      .def(py::init<>())
      .def("write", &FloatLog::write, py::arg("line"), "Give the warning of a line of NumPy's log.")
      .def_readonly("events", &FloatLog::events, "The first warnings: text, file, line and globals.");
}

} // namespace quernel::binding
