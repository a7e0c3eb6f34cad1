#include "extents.h"

#include "numpy_api.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace quernel::binding {

Extent extentOf(PyObject *object) {
  auto *array = reinterpret_cast<PyArrayObject *>(object);
  const auto address = reinterpret_cast<uintptr_t>(PyArray_DATA(array));
  Extent extent = {address, address + PyArray_ITEMSIZE(array)};
  for (int axis = 0; axis < PyArray_NDIM(array); ++axis) {
    if (PyArray_DIM(array, axis) == 0)
      return {address, address};
    const npy_intp reach = (PyArray_DIM(array, axis) - 1) * PyArray_STRIDE(array, axis);
    (reach < 0 ? extent.low : extent.high) += reach;
  }
  return extent;
}

bool mayOverlapItself(PyObject *object) {
  auto *array = reinterpret_cast<PyArrayObject *>(object);
  std::array<std::pair<npy_intp, npy_intp>, NPY_MAXDIMS> axes; // |stride|, size
  size_t count = 0;
  for (int axis = 0; axis < PyArray_NDIM(array); ++axis) {
    if (PyArray_DIM(array, axis) == 0)
      return false;
    if (PyArray_DIM(array, axis) > 1)
      axes[count++] = {std::abs(PyArray_STRIDE(array, axis)), PyArray_DIM(array, axis)};
  }
  std::sort(axes.begin(), axes.begin() + count);
  npy_intp inner = PyArray_ITEMSIZE(array);
  for (size_t k = 0; k < count; ++k) {
    auto [stride, size] = axes[k];
    if (stride < inner)
      return true;
    inner += (size - 1) * stride;
  }
  return false;
}

} // namespace quernel::binding
