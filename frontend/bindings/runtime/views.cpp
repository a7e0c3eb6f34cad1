#include "views.h"

#include "device_arrays.h"
#include "forms.h"
#include "numpy_api.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

namespace quernel::binding {

using Numbers = std::vector<SizeExpression>;

/// An array that is described but not made yet, on top of one that is.
class Cursor {
public:
  Cursor(PyObject *array, bool isHeader) : isHeader(isHeader), source(array) {
    stand(py::reinterpret_borrow<py::object>(array));
  }

  bool slice(const Numbers &offsets, const Numbers &sizes, const Numbers &steps, const Frame &frame) {
    if (!hasRank(offsets.size()) || !hasRank(sizes.size()) || !hasRank(steps.size()))
      return false;
    isMade = false;
    for (int axis = 0; axis < rank; ++axis) {
      const int64_t offset = offsets[axis].value(frame);
      const int64_t size = sizes[axis].value(frame);
      const int64_t step = steps[axis].value(frame);
      int64_t last = 0;
      if (size < 0 || __builtin_mul_overflow(size - 1, step, &last) || __builtin_add_overflow(last, offset, &last))
        return leaves();
      if (size > 0 && (offset < 0 || offset >= dims[axis] || last < 0 || last >= dims[axis]))
        return leaves();
      dims[axis] = size;
      if (size == 0) // NumPy lets it begin where the axis does
        continue;
      data += offset * strides[axis];
      strides[axis] *= step;
    }
    return true;
  }

  /// Whether each axis is there once or, where it has one element, not at all.
  bool axes(const Numbers &kept, const Frame &frame) {
    if (kept.size() > NPY_MAXDIMS)
      return leaves();
    isMade = false;
    std::array<bool, NPY_MAXDIMS> used = {};
    std::array<npy_intp, NPY_MAXDIMS> newDims, newStrides;
    for (size_t k = 0; k < kept.size(); ++k) {
      const int64_t axis = kept[k].value(frame);
      if (axis < -1 || axis >= rank || (axis >= 0 && std::exchange(used[axis], true)))
        return leaves();
      newDims[k] = axis < 0 ? 1 : dims[axis];
      newStrides[k] = axis < 0 ? 0 : strides[axis];
    }
    for (int axis = 0; axis < rank; ++axis)
      if (!used[axis] && dims[axis] != 1)
        return leaves();
    rank = static_cast<int>(kept.size());
    std::copy_n(newDims.begin(), rank, dims.begin());
    std::copy_n(newStrides.begin(), rank, strides.begin());
    return true;
  }

  /// The diagonal of the last two axes, as the last axis.
  bool diagonal(const Numbers &offsets, const Frame &frame) {
    if (offsets.size() != 1 || rank < 2)
      return leaves();
    const int64_t offset = offsets[0].value(frame);
    npy_intp &rows = dims[rank - 2];
    const npy_intp columns = dims[rank - 1];
    if (offset <= -std::max<npy_intp>(rows, 1) || offset >= std::max<npy_intp>(columns, 1)) {
      rows = 0;
    } else {
      data += offset < 0 ? -offset * strides[rank - 2] : offset * strides[rank - 1];
      rows = std::min(rows + std::min<npy_intp>(offset, 0), columns - std::max<npy_intp>(offset, 0));
    }
    strides[rank - 2] += strides[rank - 1];
    --rank;
    isMade = false;
    return true;
  }

  bool reshape(const Numbers &sizes, const Frame &frame) {
    std::array<npy_intp, NPY_MAXDIMS> shape = {};
    if (sizes.size() > NPY_MAXDIMS)
      return leaves();
    for (size_t k = 0; k < sizes.size(); ++k)
      if ((shape[k] = sizes[k].value(frame)) < 0) // NumPy would choose the size
        return leaves();
    py::object base = array();
    if (base && mayCopy(base)) {
      py::object sizesOfIt = tupleOf(sizes, frame);
      return sizesOfIt && copiedBy("reshape", sizesOfIt);
    }
    PyArray_Dims wanted = {shape.data(), static_cast<int>(sizes.size())};
    return base && stand(PyArray_Newshape(reinterpret_cast<PyArrayObject *>(base.ptr()), &wanted, NPY_CORDER));
  }

  /// NumPy's own, which owns its memory where it has to copy.
  bool ravel() {
    py::object base = array();
    if (base && mayCopy(base))
      return copiedBy("ravel", py::str("C"));
    return base && stand(PyArray_Ravel(reinterpret_cast<PyArrayObject *>(base.ptr()), NPY_CORDER));
  }

  /// The array itself where it lies in an order in memory, else a copy.
  bool inOrder(int flag) {
    py::object base = array();
    if (!base)
      return false;
    auto *given = reinterpret_cast<PyArrayObject *>(base.ptr());
    if (!PyArray_CHKFLAGS(given, flag) && isHeader)
      return copiedBy("copy", py::str(flag == NPY_ARRAY_C_CONTIGUOUS ? "C" : "F"));
    if (!PyArray_CHKFLAGS(given, flag))
      return stand(PyArray_NewCopy(given, flag == NPY_ARRAY_C_CONTIGUOUS ? NPY_CORDER : NPY_FORTRANORDER));
    mayBeSource = true;
    return true;
  }

  /// NumPy's own, but for the sizes that the array has: then it is the array that can't be written.
  bool broadcast(const Numbers &sizes, const Frame &frame) {
    const auto isKept = [&](int axis) { return dims[axis] != 1 && sizes[axis].value(frame) == dims[axis]; };
    if (sizes.size() == static_cast<size_t>(rank) && std::ranges::all_of(std::views::iota(0, rank), isKept)) {
      isMade = false;
      isReadOnly = true;
      return true;
    }
    py::object base = array(), shape = tupleOf(sizes, frame);
    auto numpy = py::reinterpret_steal<py::object>(PyImport_ImportModule("numpy"));
    return base && shape && numpy &&
           stand(PyObject_CallMethod(numpy.ptr(), "broadcast_to", "OO", base.ptr(), shape.ptr()));
  }

  bool windows(const Numbers &widths, const Numbers &axes, const Frame &frame) {
    py::object base = array(), sizes = tupleOf(widths, frame), places = tupleOf(axes, frame);
    auto tricks = py::reinterpret_steal<py::object>(PyImport_ImportModule("numpy.lib.stride_tricks"));
    return base && sizes && places && tricks &&
           stand(
               PyObject_CallMethod(tricks.ptr(), "sliding_window_view", "OOO", base.ptr(), sizes.ptr(), places.ptr()));
  }

  bool part(const char *name) {
    py::object base = array();
    return base && stand(PyObject_GetAttrString(base.ptr(), name));
  }

  /// The bytes of the elements as those of another dtype, by NumPy's number; of another size where `resizes`, which are
  /// the bytes of the last axis then.
  bool dtype(const Numbers &numbers, bool resizes, const Frame &frame) {
    py::object base = array();
    if (!base || numbers.size() != 1)
      return base && leaves();
    auto *given = reinterpret_cast<PyArrayObject *>(base.ptr());
    PyArray_Descr *descr = PyArray_DescrFromType(static_cast<int>(numbers[0].value(frame)));
    if (!descr)
      return false;
    if (!resizes && PyDataType_ELSIZE(descr) != PyArray_ITEMSIZE(given)) {
      Py_DECREF(descr);
      return leaves();
    }
    return stand(PyArray_View(given, descr, nullptr)); // which takes the reference
  }

  /// Elements of a row: from a start, so many apart along each axis.
  bool strided(const Numbers &start, const Numbers &sizes, const Numbers &steps, const Frame &frame) {
    if (rank != 1 || start.size() != 1 || sizes.size() != steps.size() || sizes.size() > NPY_MAXDIMS)
      return leaves();
    // Numbers of the form are constants that fit, but for the start; sums of products don't overflow 128 bits.
    __int128 low = start[0].value(frame), high = low;
    const npy_intp step = strides[0], row = dims[0];
    bool isEmpty = false;
    for (size_t k = 0; k < sizes.size(); ++k) {
      const int64_t size = sizes[k].value(frame), apart = steps[k].value(frame);
      if (size < 0)
        return leaves();
      isEmpty = isEmpty || size == 0;
      (apart < 0 ? low : high) += static_cast<__int128>(size - 1) * apart;
      dims[k] = size;
      strides[k] = apart * step;
    }
    if (!isEmpty && (low < 0 || high >= row))
      return leaves();
    if (!isEmpty)
      data += start[0].value(frame) * step;
    rank = static_cast<int>(sizes.size());
    isMade = false;
    return true;
  }

  bool hasRank(size_t count) const { return count == static_cast<size_t>(rank) || leaves(); }

  /// The array as it is described, made where it isn't yet; null with a Python error set.
  py::object array() {
    if (isMade)
      return made;
    auto *base = reinterpret_cast<PyArrayObject *>(made.ptr());
    PyArray_Descr *descr = PyArray_DESCR(base);
    Py_INCREF(descr); // NumPy takes this reference, and that of the base
    const int flags = isReadOnly ? 0 : PyArray_FLAGS(base) & NPY_ARRAY_WRITEABLE;
    auto view = py::reinterpret_steal<py::object>(
        PyArray_NewFromDescr(Py_TYPE(made.ptr()), descr, rank, dims.data(), strides.data(), data, flags, made.ptr()));
    if (!view || PyArray_SetBaseObject(reinterpret_cast<PyArrayObject *>(view.ptr()), made.inc_ref().ptr()) < 0)
      return {};
    stand(std::move(view));
    return made;
  }

  /// From now on another array than `source` has to be made.
  void differFrom(PyObject *source) { isMade = isMade && (mayBeSource || made.ptr() != source); }

private:
  /// Python's integers; null with a Python error set.
  static py::object tupleOf(const Numbers &numbers, const Frame &frame) {
    auto tuple = py::reinterpret_steal<py::object>(PyTuple_New(static_cast<Py_ssize_t>(numbers.size())));
    for (size_t k = 0; tuple && k < numbers.size(); ++k) {
      PyObject *number = PyLong_FromLongLong(numbers[k].value(frame));
      if (!number)
        return {};
      PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(k), number);
    }
    return tuple;
  }

  /// Whether another shape of what is made may need a copy, which NumPy can't make on a device.
  bool mayCopy(const py::object &base) const {
    return isHeader && !PyArray_IS_C_CONTIGUOUS(reinterpret_cast<PyArrayObject *>(base.ptr()));
  }

  /// Stands on what a method of the DeviceArray gives that is described.
  bool copiedBy(const char *method, const py::object &argument) {
    auto shown = py::reinterpret_steal<py::object>(newDeviceArray(made.ptr(), source));
    if (shown)
      shown = py::reinterpret_steal<py::object>(PyObject_CallMethod(shown.ptr(), method, "(O)", argument.ptr()));
    PyObject *header = shown ? headerOf(shown.ptr()) : nullptr;
    source = header;
    return header && stand(py::reinterpret_borrow<py::object>(header));
  }

  bool stand(PyObject *fresh) { return fresh && stand(py::reinterpret_steal<py::object>(fresh)); }

  bool stand(py::object object) {
    made = std::move(object);
    auto *base = reinterpret_cast<PyArrayObject *>(made.ptr());
    isMade = true;
    isReadOnly = false; // or its flags say so
    rank = PyArray_NDIM(base);
    std::copy_n(PyArray_DIMS(base), rank, dims.begin());
    std::copy_n(PyArray_STRIDES(base), rank, strides.begin());
    data = PyArray_BYTES(base);
    return true;
  }

  static bool leaves() {
    PyErr_SetString(PyExc_SystemError, "a program has given a view that leaves its array");
    return false;
  }

  bool isHeader;            ///< all of this is on a device
  PyObject *source;         ///< the header of the memory, which `made` keeps
  py::object made;          ///< an ndarray
  bool mayBeSource = false; ///< the last view has given its array back
  bool isMade = false;      ///< `made` is what is described, and no part of it
  bool isReadOnly = false;  ///< what is described, where `made` can be written
  int rank = 0;
  char *data = nullptr;
  std::array<npy_intp, NPY_MAXDIMS> dims, strides;
};

ViewSteps::ViewSteps(py::handle forms, const SizeExpression::Resolve &resolve, const std::string &where) {
  constexpr std::pair<const char *, std::pair<Kind, size_t>> kinds[] = {{"slice", {Kind::Slice, 3}},
                                                                        {"axes", {Kind::Axes, 1}},
                                                                        {"transpose", {Kind::Transpose, 1}},
                                                                        {"reshape", {Kind::Reshape, 1}},
                                                                        {"ravel", {Kind::Ravel, 1}},
                                                                        {"diagonal", {Kind::Diagonal, 1}},
                                                                        {"broadcast_to", {Kind::Broadcast, 1}},
                                                                        {"windows", {Kind::Windows, 2}},
                                                                        {"dtype", {Kind::Dtype, 1}},
                                                                        {"bytes", {Kind::Bytes, 2}},
                                                                        {"strided", {Kind::Strided, 3}},
                                                                        {"contiguous", {Kind::Contiguous, 0}},
                                                                        {"fortran", {Kind::Fortran, 0}},
                                                                        {"real", {Kind::Real, 0}},
                                                                        {"imag", {Kind::Imag, 0}}};
  for (py::handle form : itemsOf(forms, where)) {
    std::string name;
    const py::tuple items = kindAndItems(form, name, where);
    const auto *found = std::ranges::find_if(kinds, [&](const auto &kind) { return name == kind.first; });
    if (found == std::end(kinds))
      throw py::value_error(where + ": no view is of the kind '" + name + "'");
    const auto [kind, count] = found->second;
    if (items.size() != count + 1)
      throw py::value_error(where + ": the view '" + name + "' takes " + std::to_string(count) + " lists, not " +
                            std::to_string(items.size() - 1));
    Step step{kind, {}};
    for (size_t k = 1; k <= count; ++k) {
      Numbers numbers;
      for (py::handle number : itemsOf(items[k], where))
        numbers.emplace_back(number, resolve, where);
      step.parts.push_back(std::move(numbers));
    }
    steps.push_back(std::move(step));
  }
}

bool ViewSteps::applyStep(const Step &step, Cursor &cursor, const Frame &frame) {
  const auto &parts = step.parts;
  switch (step.kind) {
  case Kind::Slice:
    return cursor.slice(parts[0], parts[1], parts[2], frame);
  case Kind::Axes:
    return cursor.axes(parts[0], frame);
  case Kind::Transpose:
    return cursor.hasRank(parts[0].size()) && cursor.axes(parts[0], frame);
  case Kind::Reshape:
    return cursor.reshape(parts[0], frame);
  case Kind::Ravel:
    return cursor.ravel();
  case Kind::Diagonal:
    return cursor.diagonal(parts[0], frame);
  case Kind::Contiguous:
    return cursor.inOrder(NPY_ARRAY_C_CONTIGUOUS);
  case Kind::Fortran:
    return cursor.inOrder(NPY_ARRAY_F_CONTIGUOUS);
  case Kind::Broadcast:
    return cursor.broadcast(parts[0], frame);
  case Kind::Windows:
    return cursor.windows(parts[0], parts[1], frame);
  case Kind::Dtype:
    return cursor.dtype(parts[0], false, frame);
  case Kind::Bytes:
    return cursor.dtype(parts[0], true, frame);
  case Kind::Strided:
    return cursor.strided(parts[0], parts[1], parts[2], frame);
  case Kind::Real:
    return cursor.part("real");
  case Kind::Imag:
    return cursor.part("imag");
  }
  return false;
}

PyObject *ViewSteps::apply(PyObject *array, const Frame &frame, bool isHeader) const {
  Cursor cursor(array, isHeader);
  for (const Step &step : steps)
    if (!applyStep(step, cursor, frame))
      return nullptr;
  cursor.differFrom(array);
  return cursor.array().release().ptr();
}

} // namespace quernel::binding
