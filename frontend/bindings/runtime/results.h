/// \file
/// The result of a call: a tree that says how it is made from outputs, inputs and constants.

#ifndef QUERNEL_BINDINGS_RUNTIME_RESULTS_H
#define QUERNEL_BINDINGS_RUNTIME_RESULTS_H

#include "guards.h"
#include "outputs.h"

#include <memory>
#include <string>

namespace quernel::binding {

class Result {
public:
  virtual ~Result() = default;

  /// A new reference, or null with a Python error set.
  virtual PyObject *build(const Frame &frame) const = 0;

  /// The same, but for an array on a device its header.
  virtual PyObject *array(const Frame &frame) const { return build(frame); }

  /// Visits the objects that the tree owns, for the garbage collector.
  virtual int traverse(visitproc visit, void *argument) const { return 0; }
};

/// An array that has a buffer.
class ArrayResult : public Result {
public:
  ArrayResult(size_t place, bool isOnDevice) : place(place), isOnDevice(isOnDevice) {}

  PyObject *build(const Frame &frame) const final;

protected:
  size_t place;
  bool isOnDevice;
};

/// Compiles a result tree and marks the outputs that it has as numbers. Throws a TypeError or ValueError with what is
/// wrong with it. Arrays among the outputs are on a device where inputs are. `sharedCount` is how many objects a frame
/// needs room for, besides inputs and outputs; `changed` are the numbers of the lists and dicts that it changes.
std::unique_ptr<Result> makeResult(py::handle form, const Inputs &inputs, Outputs &outputs, size_t &sharedCount,
                                   std::vector<size_t> &changed);

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_RESULTS_H
