#include "bound_function.h"

#include <structmember.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace quernel::binding {

namespace py = pybind11;

namespace {

struct BoundFunction {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject *function;
  PyObject *instance;
  PyObject *weakReferences;
};

PyObject *boundType; // lives as long as the process

BoundFunction *asBound(PyObject *object) { return reinterpret_cast<BoundFunction *>(object); }

PyObject *vectorcall(PyObject *object, PyObject *const *values, size_t flaggedCount, PyObject *names) {
  const BoundFunction *self = asBound(object);
  const auto count = static_cast<size_t>(PyVectorcall_NARGS(flaggedCount));
  if (flaggedCount & PY_VECTORCALL_ARGUMENTS_OFFSET) { // the place before the arguments is ours for the call
    PyObject **all = const_cast<PyObject **>(values) - 1;
    PyObject *before = all[0];
    all[0] = self->instance;
    PyObject *answer = PyObject_Vectorcall(self->function, all, count + 1, names);
    all[0] = before;
    return answer;
  }
  const size_t total = count + (names ? static_cast<size_t>(PyTuple_GET_SIZE(names)) : 0);
  std::vector<PyObject *> all(total + 1);
  all[0] = self->instance;
  std::copy_n(values, total, all.begin() + 1);
  return PyObject_Vectorcall(self->function, all.data(), count + 1, names);
}

/// What the type has, or else the function; of the questions about calls, those about calls with the instance.
PyObject *attributeOf(PyObject *object, PyObject *name) {
  if (PyObject *own = PyObject_GenericGetAttr(object, name); own || !PyErr_ExceptionMatches(PyExc_AttributeError))
    return own;
  PyErr_Clear();
  const BoundFunction *self = asBound(object);
  PyObject *found = PyObject_GetAttr(self->function, name);
  const char *text = found ? PyUnicode_AsUTF8(name) : nullptr;
  if (!text || (std::string_view(text) != "explain" && std::string_view(text) != "lower"))
    return found;
  try {
    auto question = py::reinterpret_steal<py::object>(found);
    return py::module_::import("functools").attr("partial")(question, py::handle(self->instance)).release().ptr();
  } catch (py::error_already_set &error) {
    error.restore();
    return nullptr;
  }
}

PyObject *compare(PyObject *object, PyObject *other, int operation) {
  if (Py_TYPE(other) != Py_TYPE(object) || (operation != Py_EQ && operation != Py_NE))
    Py_RETURN_NOTIMPLEMENTED;
  const BoundFunction *left = asBound(object), *right = asBound(other);
  const bool isSame = left->function == right->function && left->instance == right->instance;
  return PyBool_FromLong(isSame == (operation == Py_EQ));
}

Py_hash_t hash(PyObject *object) {
  // As Python's method: of the objects themselves, which needn't be hashable.
  const auto address = [](PyObject *part) { return reinterpret_cast<uintptr_t>(part) >> 4; };
  const auto made =
      static_cast<Py_hash_t>(address(asBound(object)->function) * 31 ^ address(asBound(object)->instance));
  return made == -1 ? -2 : made;
}

PyObject *represent(PyObject *object) {
  auto name = py::reinterpret_steal<py::object>(PyObject_GetAttrString(asBound(object)->function, "__qualname__"));
  return name ? PyUnicode_FromFormat("<bound method %S of %R>", name.ptr(), asBound(object)->instance) : nullptr;
}

/// Pickled and copied as methods are: by the instance and the name.
PyObject *reduce(PyObject *object, PyObject *) {
  auto name = py::reinterpret_steal<py::object>(PyObject_GetAttrString(asBound(object)->function, "__name__"));
  if (!name)
    return nullptr;
  try {
    py::object get = py::module_::import("builtins").attr("getattr");
    return py::make_tuple(get, py::make_tuple(py::handle(asBound(object)->instance), name)).release().ptr();
  } catch (py::error_already_set &error) {
    error.restore();
    return nullptr;
  }
}

PyObject *classOf(PyObject *, void *) {
  PyObject *type = reinterpret_cast<PyObject *>(&PyMethod_Type);
  Py_INCREF(type);
  return type;
}

PyObject *docOf(PyObject *object, void *) { return PyObject_GetAttrString(asBound(object)->function, "__doc__"); }

/// Attributes of classes that are methods already stay so.
PyObject *bindAgain(PyObject *object, PyObject *, PyObject *) {
  Py_INCREF(object);
  return object;
}

int traverse(PyObject *object, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(asBound(object)->function);
  Py_VISIT(asBound(object)->instance);
  return 0;
}

void destroy(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (asBound(object)->weakReferences)
    PyObject_ClearWeakRefs(object);
  Py_CLEAR(asBound(object)->function);
  Py_CLEAR(asBound(object)->instance);
  type->tp_free(object);
  Py_DECREF(type);
}

PyMethodDef methods[] = {
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef members[] = {
    {"__func__", T_OBJECT_EX, offsetof(BoundFunction, function), READONLY, nullptr},
    {"__self__", T_OBJECT_EX, offsetof(BoundFunction, instance), READONLY, nullptr},
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(BoundFunction, vectorcall), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(BoundFunction, weakReferences), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyGetSetDef attributes[] = {
    {"__class__", classOf, nullptr, nullptr, nullptr},
    {"__doc__", docOf, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

template <typename Function> void *slot(Function *function) { return reinterpret_cast<void *>(function); }

/// As Python makes methods again: `weakref.WeakMethod` does.
PyObject *create(PyTypeObject *, PyObject *args, PyObject *kwargs) {
  PyObject *function = nullptr, *instance = nullptr;
  if (kwargs && PyDict_GET_SIZE(kwargs) > 0) {
    PyErr_SetString(PyExc_TypeError, "BoundFunction takes no keyword arguments");
    return nullptr;
  }
  return PyArg_ParseTuple(args, "OO:BoundFunction", &function, &instance) ? bindFunctionTo(function, instance)
                                                                          : nullptr;
}

PyType_Slot slots[] = {
    {Py_tp_new, slot(create)},
    {Py_tp_dealloc, slot(destroy)},
    {Py_tp_traverse, slot(traverse)},
    {Py_tp_call, slot(PyVectorcall_Call)},
    {Py_tp_repr, slot(represent)},
    {Py_tp_hash, slot(hash)},
    {Py_tp_richcompare, slot(compare)},
    {Py_tp_getattro, slot(attributeOf)},
    {Py_tp_descr_get, slot(bindAgain)},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_tp_getset, attributes},
    {0, nullptr},
};

PyType_Spec spec = {"quernel._runtime.BoundFunction", sizeof(BoundFunction), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, slots};

} // namespace

PyObject *bindFunctionTo(PyObject *function, PyObject *instance) {
  auto *type = reinterpret_cast<PyTypeObject *>(boundType);
  auto *self = asBound(type->tp_alloc(type, 0));
  if (!self)
    return nullptr;
  self->vectorcall = vectorcall;
  Py_INCREF(function);
  self->function = function;
  Py_INCREF(instance);
  self->instance = instance;
  return reinterpret_cast<PyObject *>(self);
}

void bindBoundFunction(py::module_ &module) {
  boundType = PyType_FromSpec(&spec);
  if (!boundType)
    throw py::error_already_set();
  module.attr("BoundFunction") = py::handle(boundType);
}

} // namespace quernel::binding
