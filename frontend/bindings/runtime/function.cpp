#include "bindings.h"

#include "bound_function.h"
#include "detour.h"
#include "frontend/bindings/python_lock.h"
#include "function_object.h"
#include "hand_over.h"
#include "numpy_api.h"
#include "specialization.h"
#include "tracebacks.h"

#include <structmember.h>

namespace quernel::binding {

namespace py = pybind11;

namespace {

PyObject *askMiss(FunctionObject *self, const Arguments &arguments) {
  if (!self->miss) {
    PyErr_SetString(PyExc_RuntimeError, "Function.__init__ wasn't called");
    return nullptr;
  }
  py::object tuple, dict;
  try {
    tuple = arguments.asTuple();
    dict = arguments.asDict();
  } catch (py::error_already_set &error) {
    error.restore();
    return nullptr;
  }
  // `__init__` may replace it meanwhile.
  auto miss = py::reinterpret_borrow<py::object>(self->miss);
  PyObject *answer =
      inPython([&] { return PyObject_CallFunctionObjArgs(miss.ptr(), tuple.ptr(), dict.ptr(), nullptr); });
  if (!answer)
    dropOwnFrames();
  return answer;
}

/// The user has given the function other code.
void forgetAnswers(FunctionObject *self) {
  *self->version = FunctionVersion(self->wrapped);
  self->programs->clear();
  self->detours->clear();
}

/// The context variable with the devices of the blocks of code around, the innermost last, once any has asked for one.
PyObject *deviceBlocks = nullptr;

void watchDeviceBlocks(py::object variable) {
  if (!PyContextVar_CheckExact(variable.ptr()))
    throw py::type_error("watch_device_blocks: expected a ContextVar");
  if (!deviceBlocks)
    deviceBlocks = variable.release().ptr();
}

/// Whether the innermost block of this thread or task asks for another device than the host.
bool blockAsksForDevice() {
  PyObject *found = nullptr;
  if (PyContextVar_Get(deviceBlocks, nullptr, &found) < 0 || !found) {
    PyErr_Clear();
    return false;
  }
  const auto names = py::reinterpret_steal<py::object>(found);
  if (!PyTuple_Check(found) || PyTuple_GET_SIZE(found) == 0)
    return false;
  PyObject *innermost = PyTuple_GET_ITEM(found, PyTuple_GET_SIZE(found) - 1);
  return PyUnicode_Check(innermost) && PyUnicode_CompareWithASCIIString(innermost, "cpu") != 0;
}

PyObject *vectorcall(PyObject *object, PyObject *const *values, size_t flaggedCount, PyObject *names) {
  auto *self = reinterpret_cast<FunctionObject *>(object);
  const Arguments arguments = {values, PyVectorcall_NARGS(flaggedCount), names};
  ++self->calls;
  PyObject *answer = nullptr;
  if (!self->version->isThatOf(self->wrapped))
    forgetAnswers(self);
  if (deviceBlocks && self->followsBlocks && blockAsksForDevice()) [[unlikely]]
    return answered(askMiss(self, arguments), arguments);
  if (self->programs->call(arguments, answer)) {
    ++self->memoryHits;
    return answered(answer, arguments);
  }
  if (!self->detours->call(arguments, answer))
    return answered(askMiss(self, arguments), arguments);
  ++self->detoured;
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
  if (self->programs->call({values.data(), PyTuple_GET_SIZE(given[0]), names.ptr()}, answer))
    return answer;
  Py_RETURN_NOTIMPLEMENTED;
}

PyObject *add(PyObject *object, PyObject *answer) {
  auto *self = reinterpret_cast<FunctionObject *>(object);
  const bool isDetour = py::isinstance<Detour>(answer);
  if (!isDetour && !py::isinstance<Specialization>(answer)) {
    PyErr_Format(PyExc_TypeError, "add takes a Specialization or a Detour, not %.200s", Py_TYPE(answer)->tp_name);
    return nullptr;
  }
  (isDetour ? self->detours : self->programs)->add(py::reinterpret_borrow<py::object>(answer));
  Py_RETURN_NONE;
}

PyObject *clearAnswers(PyObject *object, PyObject *) {
  reinterpret_cast<FunctionObject *>(object)->programs->clear();
  reinterpret_cast<FunctionObject *>(object)->detours->clear();
  Py_RETURN_NONE;
}

PyObject *clearDetours(PyObject *object, PyObject *) {
  reinterpret_cast<FunctionObject *>(object)->detours->clear();
  Py_RETURN_NONE;
}

PyObject *listSpecializations(PyObject *object, PyObject *) {
  return reinterpret_cast<FunctionObject *>(object)->programs->list();
}

PyObject *counters(PyObject *object, PyObject *) {
  auto *self = reinterpret_cast<FunctionObject *>(object);
  return Py_BuildValue("{s:K,s:K,s:K}", "calls", static_cast<unsigned long long>(self->calls), "memory_hits",
                       static_cast<unsigned long long>(self->memoryHits), "detoured",
                       static_cast<unsigned long long>(self->detoured));
}

/// Pickled and copied as functions are: by name.
PyObject *reduce(PyObject *object, PyObject *) { return PyObject_GetAttrString(object, "__qualname__"); }

/// The same, or what `_reduced` gives. Earlier protocols than the fourth have no names of what a function holds.
PyObject *reduceFor(PyObject *object, PyObject *protocol) {
  const long number = PyLong_AsLong(protocol);
  if (number == -1 && PyErr_Occurred())
    return nullptr;
  const auto reduced = py::reinterpret_steal<py::object>(PyObject_GetAttrString(object, "_reduced"));
  if (!reduced)
    PyErr_Clear();
  return reduced && number >= 4 ? PyObject_CallNoArgs(reduced.ptr()) : reduce(object, nullptr);
}

PyObject *represent(PyObject *object) {
  auto name = py::reinterpret_steal<py::object>(PyObject_GetAttrString(object, "__qualname__"));
  if (!name)
    return nullptr;
  return PyUnicode_FromFormat("<compiled function %S at %p>", name.ptr(), object);
}

PyObject *bindMethod(PyObject *object, PyObject *instance, PyObject *) {
  if (instance && instance != Py_None)
    return bindFunctionTo(object, instance);
  Py_INCREF(object);
  return object;
}

PyObject *create(PyTypeObject *type, PyObject *, PyObject *) {
  auto *self = reinterpret_cast<FunctionObject *>(type->tp_alloc(type, 0));
  if (!self)
    return nullptr;
  self->vectorcall = vectorcall;
  self->programs = new Answers;
  self->detours = new Answers;
  self->version = new FunctionVersion;
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
  Py_INCREF(wrapped);
  Py_XSETREF(self->wrapped, wrapped);
  *self->version = FunctionVersion(wrapped);
  return 0;
}

int traverse(PyObject *object, visitproc visit, void *arg) {
  auto *self = reinterpret_cast<FunctionObject *>(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->miss);
  Py_VISIT(self->wrapped);
  Py_VISIT(self->dict);
  for (Answers *answers : {self->programs, self->detours})
    if (int stop = answers ? answers->traverse(visit, arg) : 0)
      return stop;
  return 0;
}

int clearObjects(PyObject *object) {
  auto *self = reinterpret_cast<FunctionObject *>(object);
  *self->version = FunctionVersion();
  Py_CLEAR(self->wrapped);
  Py_CLEAR(self->miss);
  Py_CLEAR(self->dict);
  self->programs->clear();
  self->detours->clear();
  return 0;
}

void destroy(PyObject *object) {
  auto *self = reinterpret_cast<FunctionObject *>(object);
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (self->weakReferences)
    PyObject_ClearWeakRefs(object);
  clearObjects(object);
  delete self->programs;
  delete self->detours;
  delete self->version;
  type->tp_free(object);
  Py_DECREF(type);
}

PyMethodDef methods[] = {
    {"add", add, METH_O, "Try a specialization, or where none fits a detour, before the others at the next calls."},
    {"clear", clearAnswers, METH_NOARGS, "Forget all specializations and detours."},
    {"clear_detours", clearDetours, METH_NOARGS, "Forget all detours."},
    {"specializations", listSpecializations, METH_NOARGS, "The specializations, in the order of trial."},
    {"counters", counters, METH_NOARGS,
     "The numbers of calls, of those that a specialization has answered, and of those that took a detour."},
    {"retry", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(retry)), METH_FASTCALL,
     "Call with a tuple and a dict of arguments; NotImplemented where no specialization fits."},
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {"__reduce_ex__", reduceFor, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FunctionObject, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(FunctionObject, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(FunctionObject, weakReferences), READONLY, nullptr},
    {"follows_blocks", T_BOOL, offsetof(FunctionObject, followsBlocks), 0,
     "Whether `miss` answers all calls where a block of code asks for a device."},
    {nullptr, 0, 0, 0, nullptr},
};

PyObject *getOfWrapped(PyObject *object, void *name) {
  PyObject *wrapped = reinterpret_cast<FunctionObject *>(object)->wrapped;
  return PyObject_GetAttrString(wrapped ? wrapped : Py_None, static_cast<const char *>(name));
}

int setOfWrapped(PyObject *object, PyObject *value, void *name) {
  PyObject *wrapped = reinterpret_cast<FunctionObject *>(object)->wrapped;
  return PyObject_SetAttrString(wrapped ? wrapped : Py_None, static_cast<const char *>(name), value);
}

char codeName[] = "__code__", defaultsName[] = "__defaults__", namedName[] = "__kwdefaults__";

PyGetSetDef attributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {codeName, getOfWrapped, setOfWrapped, nullptr, codeName},
    {defaultsName, getOfWrapped, setOfWrapped, nullptr, defaultsName},
    {namedName, getOfWrapped, setOfWrapped, nullptr, namedName},
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
  bindBoundFunction(module);
  module.def("watch_device_blocks", watchDeviceBlocks, py::arg("variable"),
             "Say which context variable has the devices that blocks of code ask for, the innermost last.");
}

} // namespace quernel::binding
