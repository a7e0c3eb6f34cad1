#include "outputs.h"

#include "device_arrays.h"
#include "dtypes.h"
#include "forms.h"
#include "numpy_api.h"
#include "pool_arrays.h"

#include <algorithm>
#include <array>
#include <limits>

namespace quernel::binding {

namespace {

/// From here on an output's memory comes from the pool, and starts at a 64-byte boundary: the kernel ABI says so.
constexpr int64_t pooledOutputBytes = 1 << 20;

std::vector<int64_t> shapeOf(py::handle form, const std::string &where) {
  if (form.is_none())
    throw py::value_error(where + ": a shape is a tuple; its dynamic dimensions are None");
  std::vector<int64_t> shape;
  for (py::handle dim : itemsOf(form, where)) {
    const int64_t most = std::numeric_limits<int64_t>::max();
    shape.push_back(dim.is_none() ? -1 : integerOf(dim, "a dimension", 0, most, where));
  }
  if (shape.size() > NPY_MAXDIMS)
    throw py::value_error(where + ": arrays have at most " + std::to_string(NPY_MAXDIMS) + " dimensions");
  return shape;
}

Output makeOutput(py::handle form, const std::string &where) {
  py::tuple items = itemsOf(form, where);
  if (items.size() != 3)
    expectItems(items, 2, "dtype, shape", where);
  const ElementType type = elementType(textOf(items[0], "a dtype", where), where);
  PyArray_Descr *descr = PyArray_DescrFromType(type.number);
  Output output;
  output.descr = py::reinterpret_steal<py::object>(reinterpret_cast<PyObject *>(descr));
  output.typeNumber = type.number;
  output.itemBytes = type.bytes;
  output.shape = shapeOf(items[1], where);
  if (items.size() == 2)
    return output;
  output.axes = axesOf(items[2], where);
  if (output.axes.size() != output.shape.size())
    throw py::value_error(where + ": there is one axis for each dimension");
  return output;
}

/// 0 where the number doesn't fit into an int64.
int64_t byteCount(const Output &output, const int64_t *shape) {
  int64_t bytes = output.itemBytes;
  for (size_t axis = 0; axis < output.shape.size(); ++axis)
    if (__builtin_mul_overflow(bytes, shape[axis], &bytes))
      return 0;
  return bytes;
}

PyObject *newArray(const Output &output, const int64_t *shape) {
  static_assert(sizeof(npy_intp) == sizeof(int64_t));
  auto *descr = reinterpret_cast<PyArray_Descr *>(output.descr.inc_ref().ptr()); // NumPy takes this reference
  const auto *dims = reinterpret_cast<const npy_intp *>(shape);
  const int rank = static_cast<int>(output.shape.size());
  if (output.axes.empty())
    return PyArray_NewFromDescr(&PyArray_Type, descr, rank, dims, nullptr, nullptr, 0, nullptr);
  std::array<npy_intp, NPY_MAXDIMS> sizes, strides;
  npy_intp step = output.itemBytes;
  for (int place = rank; place-- > 0;) {
    const int axis = output.axes[place];
    sizes[axis] = dims[place];
    strides[axis] = step;
    step *= std::max<npy_intp>(dims[place], 1);
  }
  return PyArray_NewFromDescr(&PyArray_Type, descr, rank, sizes.data(), strides.data(), nullptr, 0, nullptr);
}

/// A header, where the array is on a device.
PyObject *newArrayOn(int device, const Output &output, const int64_t *shape, int64_t bytes) {
  const int rank = static_cast<int>(output.shape.size());
  PyObject *header = newHeaderOn(device, output.descr, rank, shape, bytes);
  if (!header || output.axes.empty())
    return header;
  auto *array = reinterpret_cast<PyArrayObject *>(header);
  std::array<npy_intp, NPY_MAXDIMS> strides;
  std::copy_n(PyArray_STRIDES(array), rank, strides.begin());
  for (int place = 0; place < rank; ++place) {
    PyArray_DIMS(array)[output.axes[place]] = shape[place];
    PyArray_STRIDES(array)[output.axes[place]] = strides[place];
  }
  PyArray_UpdateFlags(array, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS);
  return header;
}

/// Whether an error of an array that couldn't be made says that there is no memory.
bool isWithoutMemory(int device) {
  if (device >= 0)
    return !PyErr_ExceptionMatches(PyExc_KeyboardInterrupt);
  return PyErr_ExceptionMatches(PyExc_MemoryError) || PyErr_ExceptionMatches(PyExc_ValueError);
}

PyObject *newPooledArray(const Output &output, const int64_t *shape) {
  PoolArrays pool;
  return pool ? newArray(output, shape) : nullptr;
}

} // namespace

Outputs::Outputs(py::handle forms) {
  for (py::handle form : itemsOf(forms, "outputs"))
    outputs.push_back(makeOutput(form, itemName("outputs", outputs.size())));
}

bool Outputs::hasDynamic() const {
  return std::ranges::any_of(outputs, [](const Output &output) { return std::ranges::count(output.shape, -1) > 0; });
}

size_t Outputs::totalRank() const {
  size_t rank = 0;
  for (const Output &output : outputs)
    rank += output.shape.size();
  return rank;
}

bool Outputs::allocate(Frame &frame, size_t inputs, bool dynamic, int device) const {
  const int64_t *computed = frame.dims;
  for (size_t k = 0; k < outputs.size(); ++k) {
    const Output &output = outputs[k];
    void *&buffer = frame.buffers[inputs + k];
    if (output.isNumber) {
      buffer = frame.slot(inputs + k);
      continue;
    }
    const int64_t *shape = dynamic ? computed : output.shape.data();
    computed += output.shape.size();
    // What doesn't fit into an int64 gets NumPy's own error.
    const int64_t bytes = byteCount(output, shape);
    const bool isTooLarge = bytes == 0 && std::count(shape, shape + output.shape.size(), 0) == 0;
    PyObject *array = nullptr;
    if (device >= 0 && !isTooLarge)
      array = newArrayOn(device, output, shape, bytes);
    else
      array = bytes < pooledOutputBytes ? newArray(output, shape) : newPooledArray(output, shape);
    if (!array) {
      if (!output.isChecked || !isWithoutMemory(device))
        return false;
      PyErr_Clear();
      continue;
    }
    frame.objects[inputs + k] = array;
    buffer = PyArray_DATA(reinterpret_cast<PyArrayObject *>(array));
    frame.bytes += bytes;
  }
  return true;
}

void Outputs::leaveToProgram(py::handle numbers) {
  for (py::handle number : itemsOf(numbers, "checked"))
    outputs[integerOf(number, "an output's number", 0, static_cast<int64_t>(outputs.size()), "checked")].isChecked =
        true;
}

bool Outputs::makeScalars(Frame &frame, size_t inputs) const {
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (!outputs[k].isScalar)
      continue;
    auto *descr = reinterpret_cast<PyArray_Descr *>(outputs[k].descr.ptr());
    PyObject *scalar = PyArray_Scalar(frame.buffers[inputs + k], descr, nullptr);
    if (!scalar)
      return false;
    frame.objects[inputs + k] = scalar;
  }
  return true;
}

} // namespace quernel::binding
