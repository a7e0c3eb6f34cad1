/// \file
/// The outputs of a specialization: what their arrays look like, and how they are allocated.

#ifndef QUERNEL_BINDINGS_RUNTIME_OUTPUTS_H
#define QUERNEL_BINDINGS_RUNTIME_OUTPUTS_H

#include "frame.h"
#include "runtime/abi.h"

#include <vector>

namespace quernel::binding {

namespace py = pybind11;

struct Output {
  py::object descr; ///< NumPy's dtype
  int typeNumber = 0;
  int64_t itemBytes = 0;
  std::vector<int64_t> shape; ///< in the order of memory; a dynamic dimension is -1
  std::vector<uint8_t> axes;  ///< which axis of the array each of these is; empty where it is in C order
  bool isNumber = false;      ///< it needs no array: it is a number in a slot
  bool isScalar = false;      ///< which the result has as a NumPy scalar
  bool isChecked = false;     ///< the program stops where it needs the output and gets null
  bool isAddress = false;     ///< a number: where memory is that the program hands over
};

class Outputs {
public:
  /// From the list of (dtype, shape), or (dtype, shape, axes) where the axes of the array are others than those of
  /// memory. Throws a TypeError or ValueError with what is wrong with it.
  explicit Outputs(py::handle forms);
  Outputs() = default;

  size_t size() const { return outputs.size(); }
  const Output &operator[](size_t k) const { return outputs[k]; }

  bool hasDynamic() const;
  size_t totalRank() const;

  /// Output `k` is handed in as memory for one number from now on.
  void makeNumber(size_t k) { outputs[k].isNumber = true; }

  /// The same, and the result has it as a NumPy scalar.
  void makeScalar(size_t k) { outputs[k].isNumber = outputs[k].isScalar = true; }

  /// The same, and a program that ends without an error gives away the memory at this address.
  void makeAddress(size_t k) { outputs[k].isNumber = outputs[k].isAddress = true; }

  /// From the list of outputs whose memory may be missing, since the program looks for itself. Throws a TypeError or
  /// ValueError with what is wrong with it.
  void leaveToProgram(py::handle numbers);

  /// Puts memory for every output into the frame; none for one that the program looks after, where there is none. Where
  /// the program computes shapes, `frame.dims` holds them already. Where a device is given, arrays are headers of its
  /// memory. False: a Python error is set.
  bool allocate(Frame &frame, size_t inputs, bool dynamic, int device = -1) const;

  /// Turns the memory of those outputs into NumPy scalars. False: a Python error is set.
  bool makeScalars(Frame &frame, size_t inputs) const;

private:
  std::vector<Output> outputs;
};

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_OUTPUTS_H
