/// \file
/// DLPack's capsules: arrays that other libraries take from this one, and this one from them.
/// https://dmlc.github.io/dlpack/latest, whose structures stand here as its header has them.

#include "bindings.h"

#include <cstdint>
#include <memory>
#include <pybind11/stl.h>
#include <string>
#include <vector>

namespace py = pybind11;

namespace quernel::binding {

namespace {

struct DLDevice {
  int32_t type, id;
};

struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};

struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape, *strides; ///< strides count elements; without any, the array is in C's order
  uint64_t byteOffset;
};

/// What a capsule has for consumers that don't say which version they know.
struct Unversioned {
  static constexpr const char *name = "dltensor", *usedName = "used_dltensor";

  DLTensor tensor;
  void *context;
  void (*deleter)(Unversioned *);
};

struct Versioned {
  static constexpr const char *name = "dltensor_versioned", *usedName = "used_dltensor_versioned";

  struct {
    uint32_t major, minor;
  } version;
  void *context;
  void (*deleter)(Versioned *);
  uint64_t flags;
  DLTensor tensor;
};

constexpr uint64_t readOnly = 1;

/// An array that is handed out, and what keeps its memory.
template <typename Managed> struct Lent {
  Managed managed{};
  std::vector<int64_t> shape, strides;
  PyObject *owner = nullptr;
};

/// Called by the consumer, from any thread.
template <typename Managed> void giveBack(Managed *managed) {
  auto *lent = static_cast<Lent<Managed> *>(managed->context);
  if (Py_IsInitialized()) { // else there is nothing left that could be freed
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF(lent->owner);
    PyGILState_Release(state);
  }
  delete lent;
}

/// Of a capsule that nobody has taken: takers give it another name.
template <typename Managed> void dropCapsule(PyObject *capsule) {
  if (!PyCapsule_IsValid(capsule, Managed::name))
    return;
  auto *managed = static_cast<Managed *>(PyCapsule_GetPointer(capsule, Managed::name));
  if (managed->deleter)
    managed->deleter(managed);
}

template <typename Managed>
py::object lend(const py::object &owner, uintptr_t address, std::vector<int64_t> shape, std::vector<int64_t> strides,
                DLDataType dtype, DLDevice device, uint64_t flags) {
  auto lent = std::make_unique<Lent<Managed>>();
  lent->shape = std::move(shape);
  lent->strides = std::move(strides);
  lent->owner = owner.ptr();
  Managed &managed = lent->managed;
  managed.tensor = {reinterpret_cast<void *>(address),
                    device,
                    static_cast<int32_t>(lent->shape.size()),
                    dtype,
                    lent->shape.data(),
                    lent->strides.data(),
                    0};
  managed.context = lent.get();
  managed.deleter = giveBack<Managed>;
  if constexpr (requires { managed.flags; }) {
    managed.version = {1, 0};
    managed.flags = flags;
  }
  PyObject *capsule = PyCapsule_New(&managed, Managed::name, dropCapsule<Managed>);
  if (!capsule)
    throw py::error_already_set();
  Py_INCREF(lent.release()->owner);
  return py::reinterpret_steal<py::object>(capsule);
}

py::object lendArray(const py::object &owner, uintptr_t address, std::vector<int64_t> shape,
                     std::vector<int64_t> strides, std::pair<uint8_t, uint8_t> dtype,
                     std::pair<int32_t, int32_t> device, bool versioned, uint64_t flags) {
  if (shape.size() != strides.size())
    throw py::value_error("an array has as many strides as sizes");
  const DLDataType type{dtype.first, dtype.second, 1};
  const DLDevice place{device.first, device.second};
  if (versioned)
    return lend<Versioned>(owner, address, std::move(shape), std::move(strides), type, place, flags);
  return lend<Unversioned>(owner, address, std::move(shape), std::move(strides), type, place, 0);
}

template <typename Managed> void dropTaken(PyObject *capsule) {
  auto *managed = static_cast<Managed *>(PyCapsule_GetPointer(capsule, nullptr));
  if (managed && managed->deleter)
    managed->deleter(managed);
  PyErr_Clear();
}

template <typename Managed> py::dict take(const py::object &capsule) {
  auto *managed = static_cast<Managed *>(PyCapsule_GetPointer(capsule.ptr(), Managed::name));
  if (!managed)
    throw py::error_already_set();
  bool isReadOnly = false;
  if constexpr (requires { managed->flags; }) {
    if (managed->version.major != 1)
      throw py::buffer_error("DLPack of version " + std::to_string(managed->version.major) + " isn't known");
    isReadOnly = managed->flags & readOnly;
  }
  const DLTensor &tensor = managed->tensor;
  if (tensor.dtype.lanes != 1)
    throw py::buffer_error("an array whose elements are vectors");
  std::vector<int64_t> shape(tensor.shape, tensor.shape + tensor.ndim), strides(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 0;)
    strides[axis] = tensor.strides            ? tensor.strides[axis]
                    : axis + 1 < shape.size() ? strides[axis + 1] * shape[axis + 1]
                                              : 1;
  PyObject *owner = PyCapsule_New(managed, nullptr, dropTaken<Managed>);
  if (!owner)
    throw py::error_already_set();
  PyCapsule_SetName(capsule.ptr(), Managed::usedName);
  py::dict found;
  found["owner"] = py::reinterpret_steal<py::object>(owner);
  found["address"] = reinterpret_cast<uintptr_t>(tensor.data) + tensor.byteOffset;
  found["shape"] = py::tuple(py::cast(shape));
  found["strides"] = py::tuple(py::cast(strides));
  found["dtype"] = py::make_tuple(tensor.dtype.code, tensor.dtype.bits);
  found["device"] = py::make_tuple(tensor.device.type, tensor.device.id);
  found["read_only"] = isReadOnly;
  return found;
}

py::dict takeArray(const py::object &capsule) {
  if (PyCapsule_IsValid(capsule.ptr(), Versioned::name))
    return take<Versioned>(capsule);
  if (PyCapsule_IsValid(capsule.ptr(), Unversioned::name))
    return take<Unversioned>(capsule);
  throw py::value_error("no capsule of DLPack that is to be taken");
}

} // namespace

void bindDLPack(py::module_ &module) {
  module.def("dlpack_capsule", lendArray, py::arg("owner"), py::arg("address"), py::arg("shape"), py::arg("strides"),
             py::arg("dtype"), py::arg("device"), py::arg("versioned"), py::arg("flags"),
             "A capsule of an array, which keeps `owner` until its consumer is done. Strides count elements; the dtype "
             "is DLPack's code and the bits, the device its type and number, the flags those of its versions.");
  module.def("dlpack_take", takeArray, py::arg("capsule"),
             "What a capsule has, as `dlpack_capsule` takes it, with `read_only`. The array lives as long as `owner`.");
}

} // namespace quernel::binding
