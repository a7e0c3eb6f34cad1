#include "bindings.h"

#include "function_object.h"
#include "numpy_api.h"
#include "specialization.h"

#include <structmember.h>

namespace quernel::binding {

namespace py = pybind11;

namespace {

/// Positional arguments as a tuple and the others as a dict; false with a Python error set.
bool asTupleAndDict(const Arguments &arguments, py::object &tuple, py::object &dict) {
  tuple = py::reinterpret_steal<py::object>(PyTuple_New(arguments.positional));
  dict = py::reinterpret_steal<py::object>(PyDict_New());
  if (!tuple || !dict)
    return false;
  for (Py_ssize_t k = 0; k < arguments.positional; ++k) {
    Py_INCREF(arguments.values[k]);
    PyTuple_SET_ITEM(tuple.ptr(), k, arguments.values[k]);
  }
  for (Py_ssize_t k = 0; k < arguments.named(); ++k) {
    PyObject *value = arguments.values[arguments.positional + k];
    if (PyDict_SetItem(dict.ptr(), PyTuple_GET_ITEM(arguments.names, k), value) < 0)
      return false;
  }
  return true;
}

PyObject *askMiss(FunctionObject *self, const Arguments &arguments) {
  if (!self->miss) {
    PyErr_SetString(PyExc_RuntimeError, "Function.__init__ wasn't called");
    return nullptr;
  }
  py::object tuple, dict;
  if (!asTupleAndDict(arguments, tuple, dict))
    return nullptr;
  // `__init__` may replace it meanwhile.
  auto miss = py::reinterpret_borrow<py::object>(self->miss);
  return PyObject_CallFunctionObjArgs(miss.ptr(), tuple.ptr(), dict.ptr(), nullptr);
}

PyObject *vectorcall(PyObject *object, PyObject *const *values, size_t flaggedCount, PyObject *names) {
  auto *self = reinterpret_cast<FunctionObject *>(object);
  const Arguments arguments = {values, PyVectorcall_NARGS(flaggedCount), names};
  ++self->calls;
  PyObject *answer = nullptr;
  if (!self->specializations->call(arguments, answer))
    return askMiss(self, arguments);
  ++self->memoryHits;
  return answer;
}

PyObject *retry(PyObject *object, PyObject *const *given, Py_ssize_t count) {
  auto *self = reinterpret_cast<FunctionObject *>(object);
  if (count != 2 || !PyTuple_Check(given[0]) || !PyDict_Check(given[1])) {
    PyErr_SetString(PyExc_TypeError, "retry takes a tuple of arguments and a dict of keyword arguments");
    return nullptr;
  }
  py::tuple names(PyDict_GET_SIZE(given[1]));
  std::vector<py::object> owned;
  std::vector<PyObject *> values;
  auto add = [&](PyObject *value) {
    owned.push_back(py::reinterpret_borrow<py::object>(value));
    values.push_back(value);
  };
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(given[0]); ++k)
    add(PyTuple_GET_ITEM(given[0], k));
  PyObject *name = nullptr, *value = nullptr;
  for (Py_ssize_t place = 0, k = 0; PyDict_Next(given[1], &place, &name, &value); ++k) {
    if (!PyUnicode_Check(name)) {
      PyErr_SetString(PyExc_TypeError, "keywords must be strings");
      return nullptr;
    }
    Py_INCREF(name);
    PyTuple_SET_ITEM(names.ptr(), k, name);
    add(value);
  }
  PyObject *answer = nullptr;
  if (self->specializations->call({values.data(), PyTuple_GET_SIZE(given[0]), names.ptr()}, answer))
    return answer;
  Py_RETURN_NOTIMPLEMENTED;
}

PyObject *add(PyObject *object, PyObject *specialization) {
  auto *self = reinterpret_cast<FunctionObject *>(object);
  if (!py::isinstance<Specialization>(specialization)) {
    PyErr_Format(PyExc_TypeError, "add takes a Specialization, not %.200s", Py_TYPE(specialization)->tp_name);
    return nullptr;
  }
  self->specializations->add(py::reinterpret_borrow<py::object>(specialization));
  Py_RETURN_NONE;
}

PyObject *clearSpecializations(PyObject *object, PyObject *) {
  reinterpret_cast<FunctionObject *>(object)->specializations->clear();
  Py_RETURN_NONE;
}

PyObject *listSpecializations(PyObject *object, PyObject *) {
  return reinterpret_cast<FunctionObject *>(object)->specializations->list();
}

PyObject *counters(PyObject *object, PyObject *) {
  auto *self = reinterpret_cast<FunctionObject *>(object);
  return Py_BuildValue("{s:K,s:K}", "calls", static_cast<unsigned long long>(self->calls), "memory_hits",
                       static_cast<unsigned long long>(self->memoryHits));
}

/// Pickled and copied as functions are: by name.
PyObject *reduce(PyObject *object, PyObject *) { return PyObject_GetAttrString(object, "__qualname__"); }

PyObject *represent(PyObject *object) {
  auto name = py::reinterpret_steal<py::object>(PyObject_GetAttrString(object, "__qualname__"));
  if (!name)
    return nullptr;
  return PyUnicode_FromFormat("<compiled function %S at %p>", name.ptr(), object);
}

PyObject *bindMethod(PyObject *object, PyObject *instance, PyObject *) {
  if (instance && instance != Py_None)
    return PyMethod_New(object, instance);
  Py_INCREF(object);
  return object;
}

PyObject *create(PyTypeObject *type, PyObject *, PyObject *) {
  auto *self = reinterpret_cast<FunctionObject *>(type->tp_alloc(type, 0));
  if (!self)
    return nullptr;
  self->vectorcall = vectorcall;
  self->specializations = new Specializations;
  return reinterpret_cast<PyObject *>(self);
}

int initialize(PyObject *object, PyObject *args, PyObject *kwargs) {
  auto *self = reinterpret_cast<FunctionObject *>(object);
  static const char *names[] = {"wrapped", "miss", nullptr};
  PyObject *wrapped = nullptr, *miss = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO:Function", const_cast<char **>(names), &wrapped, &miss))
    return -1;
  if (!PyCallable_Check(miss)) {
    PyErr_SetString(PyExc_TypeError, "Function: miss must be callable");
    return -1;
  }
  try {
    py::module_::import("functools").attr("update_wrapper")(py::handle(object), py::handle(wrapped));
  } catch (py::error_already_set &error) {
    error.restore();
    return -1;
  }
  Py_INCREF(miss);
  Py_XSETREF(self->miss, miss);
  return 0;
}

int traverse(PyObject *object, visitproc visit, void *arg) {
  auto *self = reinterpret_cast<FunctionObject *>(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->miss);
  Py_VISIT(self->dict);
  return self->specializations ? self->specializations->traverse(visit, arg) : 0;
}

int clearObjects(PyObject *object) {
  auto *self = reinterpret_cast<FunctionObject *>(object);
  Py_CLEAR(self->miss);
  Py_CLEAR(self->dict);
  self->specializations->clear();
  return 0;
}

void destroy(PyObject *object) {
  auto *self = reinterpret_cast<FunctionObject *>(object);
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (self->weakReferences)
    PyObject_ClearWeakRefs(object);
  clearObjects(object);
  delete self->specializations;
  type->tp_free(object);
  Py_DECREF(type);
}

PyMethodDef methods[] = {
    {"add", add, METH_O, "Try a specialization, before the others, at the next calls."},
    {"clear", clearSpecializations, METH_NOARGS, "Forget all specializations."},
    {"specializations", listSpecializations, METH_NOARGS, "The specializations, in the order of trial."},
    {"counters", counters, METH_NOARGS, "The numbers of calls, and of those that a specialization has answered."},
    {"retry", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(retry)), METH_FASTCALL,
     "Call with a tuple and a dict of arguments; NotImplemented where no specialization fits."},
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FunctionObject, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(FunctionObject, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(FunctionObject, weakReferences), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyGetSetDef attributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

template <typename Function> void *slot(Function *function) { return reinterpret_cast<void *>(function); }

PyType_Slot slots[] = {
    {Py_tp_new, slot(create)},
    {Py_tp_init, slot(initialize)},
    {Py_tp_dealloc, slot(destroy)},
    {Py_tp_traverse, slot(traverse)},
    {Py_tp_clear, slot(clearObjects)},
    {Py_tp_call, slot(PyVectorcall_Call)},
    {Py_tp_repr, slot(represent)},
    {Py_tp_descr_get, slot(bindMethod)},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_tp_getset, attributes},
    {Py_tp_doc,
     const_cast<char *>("A function that compiled programs answer; `miss(args, kwargs)` answers other calls.")},
    {0, nullptr},
};

PyType_Spec spec = {"quernel._runtime.Function", sizeof(FunctionObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                        Py_TPFLAGS_METHOD_DESCRIPTOR,
                    slots};

} // namespace

void bindFunction(py::module_ &module) {
  auto type = py::reinterpret_steal<py::object>(PyType_FromSpec(&spec));
  if (!type)
    throw py::error_already_set();
  module.attr("Function") = type;
}

} // namespace quernel::binding
