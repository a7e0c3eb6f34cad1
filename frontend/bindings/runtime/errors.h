/// \file
/// The exceptions of programs that stop.

#ifndef QUERNEL_BINDINGS_RUNTIME_ERRORS_H
#define QUERNEL_BINDINGS_RUNTIME_ERRORS_H

#include "runtime/Context.h"

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

namespace quernel::binding {

namespace py = pybind11;

/// The errors that a program may stop with, in the order of its manifest.
class Errors {
public:
  /// From the list of (exception, message, file, function, line, callers), of which callers are (file, function, line),
  /// the innermost first, and may be left out. Throws a TypeError or ValueError with what is wrong
  /// with it. The exception is a class, a callable that makes one of the numbers, or a tuple of a callable that answers
  /// the call instead, given the arguments as a tuple and a dict.
  explicit Errors(py::handle forms);

  bool empty() const { return errors.empty(); }

  /// Sets the Python error of a code that an entry has returned, which isn't QN_OK. The traceback ends at the user's
  /// line where the program has named one.
  void raise(int32_t code, std::span<const int64_t> values) const;

  /// What answers the call instead of a program that has returned a code; null for an error.
  py::object insteadOf(int32_t code) const;

  /// Visits the classes and what makes exceptions, for the garbage collector.
  int traverse(visitproc visit, void *argument) const;

private:
  struct Place {
    std::string file;
    std::string function;
    int line;
  };

  struct Error {
    py::object exception;
    std::string message;       ///< with {0}, {1}, … for numbers; empty with a number: that is a code of the runtime's
    std::vector<Place> places; ///< the innermost first
    bool isAllocation;  ///< NumPy's for an array without memory: the message is the dtype, the numbers are the shape
    py::object instead; ///< what answers the call, or null
  };

  static Place makePlace(const py::tuple &items, size_t first, const std::string &where);
  static Error makeError(py::handle form, const std::string &where);
  const Error *errorOf(int32_t code) const;

  std::vector<Error> errors;
};

/// Sets Quernel's error of devices.
void setDeviceError(const std::string &text);

/// Lets programs notice Ctrl-C while they run.
void watchInterrupts();

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_ERRORS_H
