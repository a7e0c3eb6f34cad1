/// \file
/// The nodes of a result tree. Each assumes that its numbers have been checked, and that the program has returned.

#ifndef QUERNEL_BINDINGS_RUNTIME_RESULT_NODES_H
#define QUERNEL_BINDINGS_RUNTIME_RESULT_NODES_H

#include "assignments.h"
#include "device_arrays.h"
#include "device_buffer.h"
#include "numpy_api.h"
#include "results.h"
#include "views.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace quernel::binding {

using Results = std::vector<std::unique_ptr<Result>>;

/// An object of the frame: an output, or an array input.
class FrameResult final : public ArrayResult {
public:
  using ArrayResult::ArrayResult;

  PyObject *array(const Frame &frame) const override {
    if (!frame.objects[place]) // an output without memory that the program didn't need
      return PyErr_NoMemory();
    Py_INCREF(frame.objects[place]);
    return frame.objects[place];
  }
};

/// The Python number that an output holds.
class NumberResult final : public Result {
public:
  NumberResult(size_t place, const Output &output) : place(place), typeNumber(output.typeNumber), descr(output.descr) {}

  PyObject *build(const Frame &frame) const override {
    void *data = frame.buffers[place];
    switch (typeNumber) {
    case NPY_DOUBLE:
      return PyFloat_FromDouble(*static_cast<const double *>(data));
    case NPY_INT64:
      return PyLong_FromLongLong(*static_cast<const int64_t *>(data));
    case NPY_BOOL:
      return PyBool_FromLong(*static_cast<const uint8_t *>(data));
    }
    auto scalar = py::reinterpret_steal<py::object>(
        PyArray_Scalar(data, reinterpret_cast<PyArray_Descr *>(descr.ptr()), nullptr));
    return scalar ? PyObject_CallMethod(scalar.ptr(), "item", nullptr) : nullptr;
  }

private:
  size_t place;
  int typeNumber;
  py::object descr;
};

/// A view of an array that another node gives.
class ViewResult final : public Result {
public:
  ViewResult(std::unique_ptr<Result> source, ViewSteps steps, bool isOnDevice)
      : source(std::move(source)), steps(std::move(steps)), isOnDevice(isOnDevice) {}

  PyObject *build(const Frame &frame) const override {
    auto array = py::reinterpret_steal<py::object>(source->array(frame));
    if (!array || !isOnDevice)
      return array ? steps.apply(array.ptr(), frame, false) : nullptr;
    auto view = py::reinterpret_steal<py::object>(steps.apply(array.ptr(), frame, true));
    if (!view || view.is(array))
      return view ? source->build(frame) : nullptr;
    // A view that had to copy has memory of its own.
    for (PyObject *at = view.ptr(), *base; at != array.ptr() && PyArray_Check(at); at = base) {
      base = PyArray_BASE(reinterpret_cast<PyArrayObject *>(at));
      if (!base)
        break;
      if (py::isinstance<DeviceBuffer>(base))
        return newDeviceArray(view.ptr(), at);
    }
    return newDeviceArray(view.ptr(), array.ptr());
  }

  int traverse(visitproc visit, void *arg) const override { return source->traverse(visit, arg); }

private:
  std::unique_ptr<Result> source;
  ViewSteps steps;
  bool isOnDevice;
};

/// A list of tuples, each of one item of every list that other nodes give; as long as the shortest of these.
class ZippedResult final : public Result {
public:
  explicit ZippedResult(Results lists) : lists(std::move(lists)) {}

  PyObject *build(const Frame &frame) const override {
    auto made = py::reinterpret_steal<py::object>(PyTuple_New(static_cast<Py_ssize_t>(lists.size())));
    for (size_t k = 0; made && k < lists.size(); ++k) {
      PyObject *list = lists[k]->build(frame);
      if (!list)
        return nullptr;
      PyTuple_SET_ITEM(made.ptr(), static_cast<Py_ssize_t>(k), list);
    }
    auto zipped = py::reinterpret_steal<py::object>(
        made ? PyObject_CallObject(reinterpret_cast<PyObject *>(&PyZip_Type), made.ptr()) : nullptr);
    return zipped ? PySequence_List(zipped.ptr()) : nullptr;
  }

  int traverse(visitproc visit, void *arg) const override {
    for (const auto &list : lists)
      if (int stop = list->traverse(visit, arg))
        return stop;
    return 0;
  }

private:
  Results lists;
};

/// A list of the elements of an array that another node gives: Python's numbers or NumPy's.
class NumbersResult final : public Result {
public:
  NumbersResult(std::unique_ptr<Result> array, bool python) : array(std::move(array)), python(python) {}

  PyObject *build(const Frame &frame) const override {
    auto made = py::reinterpret_steal<py::object>(array->build(frame));
    if (!made)
      return nullptr;
    if (!python && !PyArray_Check(made.ptr())) // it is on a device
      made = py::reinterpret_steal<py::object>(PyObject_CallMethod(made.ptr(), "to_host", nullptr));
    if (!made)
      return nullptr;
    return python ? PyObject_CallMethod(made.ptr(), "tolist", nullptr) : PySequence_List(made.ptr());
  }

  int traverse(visitproc visit, void *arg) const override { return array->traverse(visit, arg); }

private:
  std::unique_ptr<Result> array;
  bool python;
};

/// The first result where a bool output holds, else the second. Only that one is built.
class EitherResult final : public Result {
public:
  EitherResult(size_t condition, std::unique_ptr<Result> first, std::unique_ptr<Result> second)
      : condition(condition), first(std::move(first)), second(std::move(second)) {}

  PyObject *build(const Frame &frame) const override {
    const bool holds = *static_cast<const uint8_t *>(frame.buffers[condition]) != 0;
    return (holds ? first : second)->build(frame);
  }

  int traverse(visitproc visit, void *arg) const override {
    const int stop = first->traverse(visit, arg);
    return stop ? stop : second->traverse(visit, arg);
  }

private:
  size_t condition;
  std::unique_ptr<Result> first, second;
};

/// One object of a call, however many nodes give it: the first of them builds it. The definition outlives the node.
class SharedResult final : public Result {
public:
  SharedResult(size_t place, const Result &definition) : place(place), definition(definition) {}

  PyObject *build(const Frame &frame) const override {
    PyObject *&object = frame.objects[place];
    if (!object)
      object = definition.build(frame);
    Py_XINCREF(object);
    return object;
  }

private:
  size_t place;
  const Result &definition;
};

class ConstantResult final : public Result {
public:
  explicit ConstantResult(py::object value) : value(std::move(value)) {}

  PyObject *build(const Frame &frame) const override {
    Py_INCREF(value.ptr());
    return value.ptr();
  }

  int traverse(visitproc visit, void *arg) const override {
    Py_VISIT(value.ptr());
    return 0;
  }

private:
  py::object value;
};

/// A named tuple of what another node gives as a tuple.
class NamedResult final : public Result {
public:
  NamedResult(py::object type, std::unique_ptr<Result> items) : type(std::move(type)), items(std::move(items)) {}

  PyObject *build(const Frame &frame) const override {
    auto made = py::reinterpret_steal<py::object>(items->build(frame));
    return made ? PyObject_CallMethod(type.ptr(), "_make", "(O)", made.ptr()) : nullptr;
  }

  int traverse(visitproc visit, void *arg) const override {
    Py_VISIT(type.ptr());
    return items->traverse(visit, arg);
  }

private:
  py::object type;
  std::unique_ptr<Result> items;
};

inline int traverseAll(const Results &items, visitproc visit, void *arg) {
  for (const auto &item : items)
    if (int stop = item->traverse(visit, arg))
      return stop;
  return 0;
}

class SequenceResult final : public Result {
public:
  enum Kind { tuple, list };

  SequenceResult(Kind kind, Results items) : kind(kind), items(std::move(items)) {}

  PyObject *build(const Frame &frame) const override {
    const auto size = static_cast<Py_ssize_t>(items.size());
    auto sequence = py::reinterpret_steal<py::object>(kind == tuple ? PyTuple_New(size) : PyList_New(size));
    for (Py_ssize_t k = 0; sequence && k < size; ++k) {
      PyObject *item = items[k]->build(frame);
      if (!item)
        return nullptr;
      if (kind == tuple)
        PyTuple_SET_ITEM(sequence.ptr(), k, item);
      else
        PyList_SET_ITEM(sequence.ptr(), k, item);
    }
    return sequence.release().ptr();
  }

  int traverse(visitproc visit, void *arg) const override { return traverseAll(items, visit, arg); }

private:
  Kind kind;
  Results items;
};

class DictResult final : public Result {
public:
  DictResult(py::tuple keys, Results items) : keys(std::move(keys)), items(std::move(items)) {}

  PyObject *build(const Frame &frame) const override {
    auto dict = py::reinterpret_steal<py::object>(PyDict_New());
    for (size_t k = 0; dict && k < items.size(); ++k) {
      auto item = py::reinterpret_steal<py::object>(items[k]->build(frame));
      if (!item || PyDict_SetItem(dict.ptr(), PyTuple_GET_ITEM(keys.ptr(), k), item.ptr()) < 0)
        return nullptr;
    }
    return dict.release().ptr();
  }

  int traverse(visitproc visit, void *arg) const override {
    Py_VISIT(keys.ptr());
    return traverseAll(items, visit, arg);
  }

private:
  py::tuple keys;
  Results items;
};

/// An object of the user's classes, or a list or dict that has a number, among the arguments.
class InstanceResult final : public Result {
public:
  explicit InstanceResult(size_t number) : number(number) {}

  PyObject *build(const Frame &frame) const override {
    Py_INCREF(frame.instances[number]);
    return frame.instances[number];
  }

private:
  size_t number;
};

/// A new object of a class of the user's, whose `__init__` captured code has carried out.
class ObjectResult final : public Result {
public:
  ObjectResult(py::object type, std::vector<AttributeTarget> targets, Results items)
      : type(std::move(type)), targets(std::move(targets)), items(std::move(items)) {}

  PyObject *build(const Frame &frame) const override {
    auto *kind = reinterpret_cast<PyTypeObject *>(type.ptr());
    auto none = py::reinterpret_steal<py::object>(PyTuple_New(0));
    auto object = py::reinterpret_steal<py::object>(none ? kind->tp_new(kind, none.ptr(), nullptr) : nullptr);
    for (size_t k = 0; object && k < items.size(); ++k) {
      if (!targets[k].isMeant(frame))
        continue;
      auto item = py::reinterpret_steal<py::object>(items[k]->build(frame));
      if (!item || PyObject_GenericSetAttr(object.ptr(), targets[k].name.ptr(), item.ptr()) < 0)
        return nullptr;
    }
    return object.release().ptr();
  }

  int traverse(visitproc visit, void *arg) const override {
    Py_VISIT(type.ptr());
    return traverseAll(items, visit, arg);
  }

private:
  py::object type;
  std::vector<AttributeTarget> targets;
  Results items;
};

using Assignments = std::vector<std::unique_ptr<Assignment>>;

/// A result, before which values are assigned outside. Nothing is assigned unless all could be built.
class AssignResult final : public Result {
public:
  AssignResult(std::unique_ptr<Result> body, Assignments places, Results items)
      : body(std::move(body)), places(std::move(places)), items(std::move(items)) {}

  PyObject *build(const Frame &frame) const override {
    auto answer = py::reinterpret_steal<py::object>(body->build(frame));
    std::vector<py::object> values;
    for (size_t k = 0; answer && k < items.size(); ++k) {
      const bool isMeant = places[k]->isMeant(frame);
      values.push_back(py::reinterpret_steal<py::object>(isMeant ? items[k]->build(frame) : nullptr));
      if (isMeant && !values.back())
        return nullptr;
    }
    for (size_t k = 0; answer && k < items.size(); ++k)
      if (values[k] && !places[k]->assign(frame, values[k].ptr()))
        return nullptr;
    return answer.release().ptr();
  }

  int traverse(visitproc visit, void *arg) const override {
    for (const auto &place : places)
      if (int stop = place->traverse(visit, arg))
        return stop;
    const int stop = body->traverse(visit, arg);
    return stop ? stop : traverseAll(items, visit, arg);
  }

private:
  std::unique_ptr<Result> body;
  Assignments places;
  Results items;
};

/// A result, and the objects of which it has more than one part.
class LetResult final : public Result {
public:
  LetResult(Results definitions, std::unique_ptr<Result> body)
      : definitions(std::move(definitions)), body(std::move(body)) {}

  PyObject *build(const Frame &frame) const override { return body->build(frame); }

  int traverse(visitproc visit, void *arg) const override {
    const int stop = traverseAll(definitions, visit, arg);
    return stop ? stop : body->traverse(visit, arg);
  }

private:
  Results definitions;
  std::unique_ptr<Result> body;
};

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_RESULT_NODES_H
