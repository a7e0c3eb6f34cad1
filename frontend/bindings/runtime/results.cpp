#include "results.h"

#include "forms.h"
#include "numpy_api.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace quernel::binding {

namespace {

using Results = std::vector<std::unique_ptr<Result>>;

/// An object of the frame: an output, or an array input.
class FrameResult final : public Result {
public:
  explicit FrameResult(size_t place) : place(place) {}

  PyObject *build(const Frame &frame) const override {
    Py_INCREF(frame.objects[place]);
    return frame.objects[place];
  }

private:
  size_t place;
};

/// The Python number that a scalar output holds.
class NumberResult final : public Result {
public:
  explicit NumberResult(size_t place) : place(place) {}

  PyObject *build(const Frame &frame) const override {
    return PyObject_CallMethod(frame.objects[place], "item", nullptr);
  }

private:
  size_t place;
};

/// The first entries of an output, as many as another output says. It is cut in place, so that the result owns its
/// memory and is as NumPy would have made it.
class PrefixResult final : public Result {
public:
  PrefixResult(size_t place, size_t count) : place(place), count(count) {}

  PyObject *build(const Frame &frame) const override {
    auto *array = reinterpret_cast<PyArrayObject *>(frame.objects[place]);
    int64_t entries = 0;
    std::memcpy(&entries, frame.buffers[count], sizeof(entries));
    if (entries < 0 || entries > PyArray_DIM(array, 0)) {
      PyErr_Format(PyExc_SystemError, "a program has put %lld entries into an array of %lld",
                   static_cast<long long>(entries), static_cast<long long>(PyArray_DIM(array, 0)));
      return nullptr;
    }
    if (entries < PyArray_DIM(array, 0) && !cut(frame.objects[place], entries))
      return nullptr;
    Py_INCREF(frame.objects[place]);
    return frame.objects[place];
  }

private:
  /// No one else has seen the array yet.
  static bool cut(PyObject *&object, npy_intp entries) {
    auto *array = reinterpret_cast<PyArrayObject *>(object);
    npy_intp sizes[NPY_MAXDIMS];
    std::copy_n(PyArray_DIMS(array), PyArray_NDIM(array), sizes);
    sizes[0] = entries;
    if (entries == 0) { // a resized one would keep its strides, where NumPy's have none
      PyObject *empty = PyArray_SimpleNew(PyArray_NDIM(array), sizes, PyArray_TYPE(array));
      if (empty)
        Py_SETREF(object, empty);
      return empty;
    }
    PyArray_Dims shape = {sizes, PyArray_NDIM(array)};
    constexpr int checkReferences = 0;
    auto none = py::reinterpret_steal<py::object>(PyArray_Resize(array, &shape, checkReferences, NPY_CORDER));
    return bool(none);
  }

  size_t place;
  size_t count;
};

/// What a callable makes of an input.
class ViewResult final : public Result {
public:
  ViewResult(size_t input, py::object callable) : input(input), callable(std::move(callable)) {}

  PyObject *build(const Frame &frame) const override {
    return PyObject_CallOneArg(callable.ptr(), frame.objects[input]);
  }

  int traverse(visitproc visit, void *arg) const override {
    Py_VISIT(callable.ptr());
    return 0;
  }

private:
  size_t input;
  py::object callable;
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

int traverseAll(const Results &items, visitproc visit, void *arg) {
  for (const auto &item : items)
    if (int stop = item->traverse(visit, arg))
      return stop;
  return 0;
}

class TupleResult final : public Result {
public:
  explicit TupleResult(Results items) : items(std::move(items)) {}

  PyObject *build(const Frame &frame) const override {
    auto tuple = py::reinterpret_steal<py::object>(PyTuple_New(static_cast<Py_ssize_t>(items.size())));
    for (size_t k = 0; tuple && k < items.size(); ++k) {
      PyObject *item = items[k]->build(frame);
      if (!item)
        return nullptr;
      PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(k), item);
    }
    return tuple.release().ptr();
  }

  int traverse(visitproc visit, void *arg) const override { return traverseAll(items, visit, arg); }

private:
  Results items;
};

class ListResult final : public Result {
public:
  explicit ListResult(Results items) : items(std::move(items)) {}

  PyObject *build(const Frame &frame) const override {
    auto list = py::reinterpret_steal<py::object>(PyList_New(static_cast<Py_ssize_t>(items.size())));
    for (size_t k = 0; list && k < items.size(); ++k) {
      PyObject *item = items[k]->build(frame);
      if (!item)
        return nullptr;
      PyList_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(k), item);
    }
    return list.release().ptr();
  }

  int traverse(visitproc visit, void *arg) const override { return traverseAll(items, visit, arg); }

private:
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

class ResultMaker {
public:
  ResultMaker(const Inputs &inputs, Outputs &outputs) : inputs(inputs), outputs(outputs), uses(outputs.size()) {}

  std::unique_ptr<Result> make(py::handle form, const std::string &where) {
    std::string kind;
    py::tuple items = kindAndItems(form, kind, where);
    if (kind == "output" || kind == "scalar" || kind == "number")
      return makeOutput(items, kind, where);
    if (kind == "prefix")
      return makePrefix(items, where);
    if (kind == "dict")
      return makeDict(items, where);
    if (kind == "view")
      return makeView(items, where);
    if (kind == "input") {
      expectItems(items, 2, "\"input\", number", where);
      return std::make_unique<FrameResult>(arrayInput(items[1], where));
    }
    if (kind == "const") {
      expectItems(items, 2, "\"const\", object", where);
      return std::make_unique<ConstantResult>(items[1]);
    }
    if (kind != "tuple" && kind != "list")
      throw py::value_error(where + ": no result is of the kind '" + kind + "'");
    expectItems(items, 2, "kind, results", where);
    Results parts = makeAll(items[1], where);
    if (kind == "tuple")
      return std::make_unique<TupleResult>(std::move(parts));
    return std::make_unique<ListResult>(std::move(parts));
  }

private:
  size_t arrayInput(py::handle number, const std::string &where) const {
    auto count = static_cast<int64_t>(inputs.byNumber.size());
    const auto input = static_cast<size_t>(integerOf(number, "an input's number", 0, count, where));
    if (!inputs.byNumber[input].array)
      throw py::value_error(where + ": input " + std::to_string(input) + " isn't an array");
    return input;
  }

  /// The output of a number. Throws a ValueError where another node uses it in another way.
  size_t useOutput(py::handle number, const std::string &use, const std::string &where) {
    auto count = static_cast<int64_t>(outputs.size());
    const auto output = static_cast<size_t>(integerOf(number, "an output's number", 0, count, where));
    if (uses[output].value_or(use) != use)
      throw py::value_error(where + ": output " + std::to_string(output) + " is both " + *uses[output] + " and " + use);
    uses[output] = use;
    return output;
  }

  std::unique_ptr<Result> makeOutput(const py::tuple &items, const std::string &kind, const std::string &where) {
    expectItems(items, 2, "kind, number", where);
    const bool asScalar = kind != "output";
    const std::string use = kind == "number" ? "a Python number" : asScalar ? "a scalar" : "an array";
    const size_t output = useOutput(items[1], use, where);
    if (asScalar && !outputs[output].shape.empty())
      throw py::value_error(where + ": output " + std::to_string(output) + " has dimensions, so it's no scalar");
    if (asScalar)
      outputs.makeScalar(output);
    const size_t place = inputs.byNumber.size() + output;
    if (kind == "number")
      return std::make_unique<NumberResult>(place);
    return std::make_unique<FrameResult>(place);
  }

  std::unique_ptr<Result> makePrefix(const py::tuple &items, const std::string &where) {
    expectItems(items, 3, "\"prefix\", number, number of the count", where);
    const size_t count = useOutput(items[2], "a count", where);
    if (outputs[count].typeNumber != NPY_INT64 || !outputs[count].shape.empty())
      throw py::value_error(where + ": output " + std::to_string(count) + " isn't one int64, so it's no count");
    outputs.makeNumber(count);
    const size_t output = useOutput(items[1], "cut to output " + std::to_string(count), where);
    if (outputs[output].shape.empty())
      throw py::value_error(where + ": output " + std::to_string(output) + " has no dimensions");
    return std::make_unique<PrefixResult>(inputs.byNumber.size() + output, inputs.byNumber.size() + count);
  }

  std::unique_ptr<Result> makeView(const py::tuple &items, const std::string &where) {
    expectItems(items, 3, "\"view\", number, callable", where);
    if (!PyCallable_Check(py::object(items[2]).ptr()))
      throw py::type_error(where + ": a view needs a callable");
    return std::make_unique<ViewResult>(arrayInput(items[1], where), items[2]);
  }

  std::unique_ptr<Result> makeDict(const py::tuple &items, const std::string &where) {
    expectItems(items, 3, "\"dict\", keys, results", where);
    py::tuple keys = itemsOf(items[1], where + ".keys");
    Results parts = makeAll(items[2], where);
    if (keys.size() != parts.size())
      throw py::value_error(where + ": " + std::to_string(keys.size()) + " keys for " + std::to_string(parts.size()) +
                            " results");
    for (py::handle key : keys)
      py::hash(key);
    return std::make_unique<DictResult>(std::move(keys), std::move(parts));
  }

  Results makeAll(py::handle forms, const std::string &where) {
    Results results;
    for (py::handle form : itemsOf(forms, where))
      results.push_back(make(form, itemName(where, results.size())));
    return results;
  }

  const Inputs &inputs;
  Outputs &outputs;
  std::vector<std::optional<std::string>> uses;
};

} // namespace

std::unique_ptr<Result> makeResult(py::handle form, const Inputs &inputs, Outputs &outputs) {
  return ResultMaker(inputs, outputs).make(form, "result");
}

} // namespace quernel::binding
