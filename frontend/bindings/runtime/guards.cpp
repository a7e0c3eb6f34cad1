#include "guards.h"

#include "dtypes.h"
#include "equality.h"
#include "forms.h"
#include "function_guard.h"
#include "function_version.h"
#include "numpy_api.h"
#include "scalar_guard.h"
#include "stream_guard.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace quernel::binding {

namespace {

constexpr int64_t most = std::numeric_limits<int64_t>::max();
constexpr int64_t mostInputs = 1 << 16;

class ValueGuard final : public Guard {
public:
  explicit ValueGuard(py::object value) : value(std::move(value)) {}

  bool matches(PyObject *object, Frame &frame) const override {
    return object == value.ptr() || sameValue(value.ptr(), object);
  }

  int traverse(visitproc visit, void *arg) const override {
    Py_VISIT(value.ptr());
    return 0;
  }

private:
  py::object value;
};

class IsGuard final : public Guard {
public:
  explicit IsGuard(py::object value) : value(std::move(value)), version(this->value.ptr()) {}

  bool matches(PyObject *object, Frame &frame) const override {
    return object == value.ptr() && version.isThatOf(object);
  }

  int traverse(visitproc visit, void *arg) const override {
    Py_VISIT(value.ptr());
    return 0;
  }

private:
  py::object value;
  FunctionVersion version;
};

/// Whether a key is of a type whose comparison runs nobody's code, as programs take them.
bool isPlainKey(PyObject *key) {
  if (PyTuple_CheckExact(key)) {
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(key); ++k)
      if (!isPlainKey(PyTuple_GET_ITEM(key, k)))
        return false;
    return true;
  }
  if (PyFloat_CheckExact(key))
    return PyFloat_AS_DOUBLE(key) == PyFloat_AS_DOUBLE(key);
  return PyUnicode_CheckExact(key) || PyLong_CheckExact(key) || PyBool_Check(key) || PyBytes_CheckExact(key) ||
         key == Py_None;
}

/// Whether all keys are of types that programs take, whose comparison runs nobody's code.
bool hasPlainKeys(PyObject *dict) {
  PyObject *key = nullptr;
  for (Py_ssize_t position = 0; PyDict_Next(dict, &position, &key, nullptr);)
    if (!isPlainKey(key))
      return false;
  return true;
}

/// A guard for any object of the same kind as an example: the same type, and of arrays the same dtype, alignment and
/// rank, or, where it is `exact`, the same shape. A dict is an example of those that no program takes.
class LikeGuard final : public Guard {
public:
  LikeGuard(PyObject *example, bool exact)
      : type(py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject *>(Py_TYPE(example)))), exact(exact) {
    if (!PyArray_Check(example))
      return;
    auto *array = reinterpret_cast<PyArrayObject *>(example);
    dtype = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject *>(PyArray_DESCR(array)));
    shape.assign(PyArray_DIMS(array), PyArray_DIMS(array) + PyArray_NDIM(array));
    aligned = PyArray_ISALIGNED(array);
  }

  bool matches(PyObject *object, Frame &frame) const override {
    if (reinterpret_cast<PyObject *>(Py_TYPE(object)) != type.ptr())
      return false;
    if (!dtype)
      return !PyDict_CheckExact(object) || !hasPlainKeys(object);
    auto *array = reinterpret_cast<PyArrayObject *>(object);
    if (PyArray_NDIM(array) != static_cast<int>(shape.size()) || PyArray_ISALIGNED(array) != aligned ||
        !PyArray_EquivTypes(PyArray_DESCR(array), reinterpret_cast<PyArray_Descr *>(dtype.ptr())))
      return false;
    return !exact || std::equal(shape.begin(), shape.end(), PyArray_DIMS(array));
  }

  int traverse(visitproc visit, void *arg) const override {
    Py_VISIT(type.ptr());
    Py_VISIT(dtype.ptr());
    return 0;
  }

private:
  py::object type;
  py::object dtype;
  std::vector<npy_intp> shape;
  bool aligned = true;
  bool exact;
};

int traverseAll(const std::vector<std::unique_ptr<Guard>> &guards, visitproc visit, void *arg) {
  for (const auto &guard : guards)
    if (int stop = guard->traverse(visit, arg))
      return stop;
  return 0;
}

/// A guard for a tuple or list of exactly that type and length.
class SequenceGuard final : public Guard {
public:
  /// The type is tuple, list, or a class of named tuples.
  SequenceGuard(py::object type, std::vector<std::unique_ptr<Guard>> items)
      : type(std::move(type)), items(std::move(items)) {}

  bool matches(PyObject *object, Frame &frame) const override {
    if (reinterpret_cast<PyObject *>(Py_TYPE(object)) != type.ptr())
      return false;
    for (size_t k = 0; k < items.size(); ++k) {
      // Asked again at each item: a comparison may run code that changes a list.
      if (PySequence_Fast_GET_SIZE(object) != static_cast<Py_ssize_t>(items.size()))
        return false;
      auto item = py::reinterpret_borrow<py::object>(PySequence_Fast_GET_ITEM(object, k));
      if (!items[k]->matches(item.ptr(), frame))
        return false;
    }
    return PySequence_Fast_GET_SIZE(object) == static_cast<Py_ssize_t>(items.size());
  }

  int traverse(visitproc visit, void *arg) const override {
    Py_VISIT(type.ptr());
    return traverseAll(items, visit, arg);
  }

private:
  py::object type;
  std::vector<std::unique_ptr<Guard>> items;
};

/// A guard for a named tuple of a class that is as it was: Python gives a class that somebody changes another version.
class NamedGuard final : public Guard {
public:
  NamedGuard(const py::object &type, std::vector<std::unique_ptr<Guard>> items) : items(type, std::move(items)) {
    py::hasattr(type, "_fields"); // a class gets its version where an attribute is looked for
    version = reinterpret_cast<PyTypeObject *>(type.ptr())->tp_version_tag;
  }

  bool matches(PyObject *object, Frame &frame) const override {
    return version != 0 && Py_TYPE(object)->tp_version_tag == version && items.matches(object, frame);
  }

  int traverse(visitproc visit, void *arg) const override { return items.traverse(visit, arg); }

private:
  SequenceGuard items;
  unsigned version;
};

/// A guard for any list.
class AnyListGuard final : public Guard {
public:
  bool matches(PyObject *object, Frame &frame) const override { return PyList_CheckExact(object); }
};

/// A guard for a list or dict that has a number, as objects have: lists and dicts of other numbers are other ones.
class NumberedGuard final : public Guard {
public:
  NumberedGuard(size_t number, std::unique_ptr<Guard> own) : number(number), own(std::move(own)) {}

  bool matches(PyObject *object, Frame &frame) const override {
    return (PyList_CheckExact(object) || PyDict_CheckExact(object)) && takeNumber(object, number, frame) &&
           own->matches(object, frame);
  }

  int traverse(visitproc visit, void *arg) const override { return own->traverse(visit, arg); }

private:
  size_t number;
  std::unique_ptr<Guard> own;
};

/// A guard for a dict with exactly these keys, in any order or, where it is `ordered`, in this one.
class DictGuard final : public Guard {
public:
  DictGuard(py::tuple keys, std::vector<std::unique_ptr<Guard>> items, bool ordered)
      : keys(std::move(keys)), items(std::move(items)), ordered(ordered) {}

  bool matches(PyObject *object, Frame &frame) const override {
    if (!PyDict_CheckExact(object) || PyDict_GET_SIZE(object) != static_cast<Py_ssize_t>(items.size()))
      return false;
    for (size_t k = 0; k < items.size(); ++k) {
      PyObject *found = PyDict_GetItemWithError(object, PyTuple_GET_ITEM(keys.ptr(), k));
      if (!found) {
        PyErr_Clear();
        return false;
      }
      auto item = py::reinterpret_borrow<py::object>(found);
      if (!items[k]->matches(item.ptr(), frame))
        return false;
    }
    return !ordered || hasOrder(object);
  }

  int traverse(visitproc visit, void *arg) const override {
    Py_VISIT(keys.ptr());
    return traverseAll(items, visit, arg);
  }

private:
  bool hasOrder(PyObject *dict) const {
    Py_ssize_t position = 0;
    for (py::handle known : keys) {
      PyObject *key = nullptr;
      if (!PyDict_Next(dict, &position, &key, nullptr))
        return false;
      auto held = py::reinterpret_borrow<py::object>(key); // a tuple of classes, say, has been found by comparing it
      if (PyObject_RichCompareBool(key, known.ptr(), Py_EQ) != 1) {
        PyErr_Clear();
        return false;
      }
    }
    return true;
  }

  py::tuple keys;
  std::vector<std::unique_ptr<Guard>> items;
  bool ordered;
};

/// A guard for a dict that has some keys, hasn't others, and may have any besides.
class EntriesGuard final : public Guard {
public:
  EntriesGuard(py::tuple absent, py::tuple keys, std::vector<std::unique_ptr<Guard>> items)
      : absent(std::move(absent)), keys(std::move(keys)), items(std::move(items)) {}

  bool matches(PyObject *object, Frame &frame) const override {
    if (!PyDict_CheckExact(object))
      return false;
    for (py::handle key : absent)
      if (const int has = PyDict_Contains(object, key.ptr()); has != 0) {
        PyErr_Clear();
        return false;
      }
    for (size_t k = 0; k < items.size(); ++k) {
      PyObject *found = PyDict_GetItemWithError(object, PyTuple_GET_ITEM(keys.ptr(), k));
      PyErr_Clear();
      auto item = py::reinterpret_borrow<py::object>(found);
      if (!item || !items[k]->matches(item.ptr(), frame))
        return false;
    }
    return true;
  }

  int traverse(visitproc visit, void *arg) const override {
    Py_VISIT(absent.ptr());
    Py_VISIT(keys.ptr());
    return traverseAll(items, visit, arg);
  }

private:
  py::tuple absent, keys;
  std::vector<std::unique_ptr<Guard>> items;
};

ArrayGuard::Dim makeDim(py::handle form, Inputs &inputs, const std::string &where) {
  if (!PyTuple_Check(form.ptr()) && !PyList_Check(form.ptr()))
    return {integerOf(form, "a dimension", 0, most, where)};
  py::tuple parts = itemsOf(form, where);
  expectItems(parts, 3, "\"sym\", number, least size", where);
  if (textOf(parts[0], "a dimension's kind", where) != "sym")
    throw py::value_error(where + ": a dimension is an int or (\"sym\", number, least size)");
  auto count = static_cast<int64_t>(inputs.bound.size());
  const int64_t symbol = integerOf(parts[1], "a symbol's number", 0, count, where);
  const bool isFirst = !inputs.bound[symbol];
  inputs.bound[symbol] = true;
  const int64_t least = integerOf(parts[2], "the least size", 0, most, where);
  inputs.takesSmall |= least < 2;
  return {least, static_cast<int>(symbol), isFirst};
}

void setAxes(ArrayGuard &guard, py::handle form, const std::string &where) {
  guard.axes = axesOf(form, where);
  if (guard.axes.size() != guard.shape.size())
    throw py::value_error(where + ": there is one axis for each dimension");
  if (std::ranges::is_sorted(guard.axes))
    guard.axes.clear();
}

void setLayout(ArrayGuard &guard, py::handle layout, const std::string &where) {
  const bool isText = PyUnicode_Check(layout.ptr());
  py::tuple items = isText ? py::tuple(py::make_tuple(layout)) : itemsOf(layout, where);
  const std::string name = items.empty() ? "" : textOf(items[0], "a layout", where);
  const bool isKnown =
      isText ? name == "C" || name == "strided"
             : (items.size() == 2 && (name == "dense" || name == "nested")) || (items.size() == 3 && name == "strides");
  if (!isKnown)
    throw py::value_error(where +
                          ": a layout is \"C\", \"strided\", (\"dense\", axes), (\"nested\", axes) or "
                          "(\"strides\", axes, strides), not '" +
                          name + "'");
  guard.dense = name == "C" || name == "dense";
  guard.nested = name == "nested";
  if (isText)
    return;
  setAxes(guard, items[1], where);
  if (name != "strides")
    return;
  for (py::handle stride : itemsOf(items[2], where))
    guard.strides.push_back(integerOf(stride, "a stride", INT64_MIN, INT64_MAX, where));
  if (guard.strides.size() != guard.shape.size())
    throw py::value_error(where + ": there is one stride for each dimension");
}

std::unique_ptr<Guard> makeArrayGuard(const py::tuple &items, Inputs &inputs, const std::string &where) {
  const bool hasFlags = items.size() == 7;
  expectItems(items, hasFlags ? 7 : 6, "\"array\", input, dtype, shape, layout, written", where);
  auto guard = std::make_unique<ArrayGuard>();
  guard->input = integerOf(items[1], "an input's number", 0, mostInputs, where);
  const ElementType type = elementType(textOf(items[2], "a dtype", where), where);
  guard->typeNumber = type.number;
  guard->itemBytes = type.bytes;
  for (py::handle dim : itemsOf(items[3], where + ".shape"))
    guard->shape.push_back(makeDim(dim, inputs, where + ".shape"));
  if (guard->shape.size() > NPY_MAXDIMS)
    throw py::value_error(where + ": arrays have at most " + std::to_string(NPY_MAXDIMS) + " dimensions");
  setLayout(*guard, items[4], where + ".layout");
  guard->written = boolOf(items[5], "written", where);
  if (hasFlags) {
    const py::sequence flags = itemsOf(items[6], where + ".flags");
    if (flags.size() != 2)
      throw py::value_error(where + ".flags: expected a mask and the bits");
    guard->askedFlags = static_cast<int>(integerOf(flags[0], "a mask of flags", 0, INT32_MAX, where));
    guard->flags = static_cast<int>(integerOf(flags[1], "flags", 0, INT32_MAX, where)) & guard->askedFlags;
  }
  inputs.declare(static_cast<int64_t>(guard->input), where).array = guard.get();
  return guard;
}

/// A guard for a DeviceArray: the form has the number of its device, and then what that of an array has.
std::unique_ptr<Guard> makeDeviceArrayGuard(const py::tuple &items, Inputs &inputs, const std::string &where) {
  if (items.size() < 2)
    throw py::value_error(where + ": expected the number of a device");
  const int device = static_cast<int>(integerOf(items[1], "a device's number", 0, INT32_MAX, where));
  if (inputs.device >= 0 && inputs.device != device)
    throw py::value_error(where + ": arrays on two devices");
  inputs.device = device;
  py::tuple form(items.size() - 1);
  form[0] = items[0];
  for (size_t k = 2; k < items.size(); ++k)
    form[k - 1] = py::object(items[k]);
  auto guard = makeArrayGuard(form, inputs, where);
  static_cast<ArrayGuard &>(*guard).device = device;
  return guard;
}

std::unique_ptr<Guard> makeScalar(const py::tuple &items, Inputs &inputs, const std::string &where) {
  expectItems(items, 3, "\"scalar\", input, kind", where);
  const int64_t input = integerOf(items[1], "an input's number", 0, mostInputs, where);
  inputs.declare(input, where);
  return makeScalarGuard(static_cast<size_t>(input), textOf(items[2], "a scalar's kind", where), where);
}

py::object internedOf(py::handle name, const std::string &where) {
  textOf(name, "an attribute's name", where);
  PyObject *text = name.inc_ref().ptr();
  PyUnicode_InternInPlace(&text);
  return py::reinterpret_steal<py::object>(text);
}

py::object classOf(py::handle type, const std::string &where) {
  if (!PyType_Check(type.ptr()))
    throw py::type_error(where + ": the class of an object must be a class");
  return py::reinterpret_borrow<py::object>(type);
}

/// What a class has by a name, borrowed, and the same where that is a slot of its objects.
std::pair<PyObject *, py::object> memberOf(py::handle type, const py::object &name) {
  PyObject *member = _PyType_Lookup(reinterpret_cast<PyTypeObject *>(type.ptr()), name.ptr());
  const bool isSlot = member && Py_IS_TYPE(member, &PyMemberDescr_Type);
  return {member, isSlot ? py::reinterpret_borrow<py::object>(member) : py::object()};
}

/// The attributes of objects of a class, each with its guard.
std::vector<GuardedAttribute> makeAttributes(py::handle type, py::handle someNames, py::handle someForms,
                                             Inputs &inputs, const std::string &where) {
  const py::tuple names = itemsOf(someNames, where + ".names"), forms = itemsOf(someForms, where + ".guards");
  if (names.size() != forms.size())
    throw py::value_error(where + ": " + std::to_string(names.size()) + " names for " + std::to_string(forms.size()) +
                          " guards");
  std::vector<GuardedAttribute> attributes;
  for (size_t k = 0; k < names.size(); ++k) {
    py::object name = internedOf(names[k], where), slot = memberOf(type, name).second;
    const std::string at = where + "." + textOf(name, "an attribute's name", where);
    attributes.push_back({std::move(name), std::move(slot), makeGuard(py::object(forms[k]), inputs, at)});
  }
  return attributes;
}

/// The number of an object or a function, which is the next one, or, where it is there again, one that others have had.
size_t numberOf(py::handle form, bool isAgain, const Inputs &inputs, const std::string &where) {
  const auto known = static_cast<int64_t>(inputs.instances);
  return integerOf(form, "an object's number", isAgain ? 0 : known, isAgain ? known : known + 1, where);
}

/// A guard for an object, which ends with how many attributes its dict has where that counts; `["object", number,
/// class, null, [], []]` is one for the object that has had the number.
std::unique_ptr<Guard> makeObjectGuard(const py::tuple &items, Inputs &inputs, const std::string &where) {
  if (items.size() != 7)
    expectItems(items, 6, "\"object\", number, class, absent names, names, guards", where);
  auto guard = std::make_unique<ObjectGuard>();
  guard->number = numberOf(items[1], items[3].is_none(), inputs, where);
  guard->type = classOf(items[2], where);
  if (items[3].is_none())
    return std::make_unique<AgainGuard>(guard->number);
  ++inputs.instances;
  for (py::handle form : itemsOf(items[3], where + ".absent")) {
    py::object name = internedOf(form, where);
    auto [member, slot] = memberOf(guard->type, name);
    guard->absent.push_back({std::move(name), std::move(slot), member != nullptr});
  }
  if (items.size() == 7)
    guard->count = integerOf(items[6], "how many attributes", 0, most, where);
  guard->attributes = makeAttributes(guard->type, items[4], items[5], inputs, where);
  return guard;
}

std::unique_ptr<Guard> makeStreamGuard(const py::tuple &items, Inputs &inputs, const std::string &where) {
  expectItems(items, 3, "\"stream\", input, kind", where);
  auto guard = std::make_unique<StreamGuard>();
  guard->input = integerOf(items[1], "an input's number", 0, mostInputs, where);
  guard->kind = runtime::StreamKind(integerOf(items[2], "a kind of streams", 0, runtime::streamKinds, where));
  inputs.declare(static_cast<int64_t>(guard->input), where).stream = guard.get();
  return guard;
}

std::unique_ptr<Guard> makeValueGuard(const py::tuple &items, const std::string &where) {
  expectItems(items, 2, "\"value\", object", where);
  if (!sameValue(py::object(items[1]).ptr(), py::object(items[1]).ptr()))
    throw py::value_error(where + ": a value that isn't equal to itself would never match");
  return std::make_unique<ValueGuard>(items[1]);
}

std::vector<std::unique_ptr<Guard>> makeGuards(py::handle forms, Inputs &inputs, const std::string &where) {
  std::vector<std::unique_ptr<Guard>> guards;
  for (py::handle form : itemsOf(forms, where))
    guards.push_back(makeGuard(form, inputs, itemName(where, guards.size())));
  return guards;
}

/// A guard for a function: `["function", number, how, function, guards of its parts]`, where `how` is "code", "is" or
/// "again".
std::unique_ptr<Guard> makeFunctionGuard(const py::tuple &items, Inputs &inputs, const std::string &where) {
  expectItems(items, 5, "\"function\", number, how, function, guards", where);
  const std::string how = textOf(items[2], "how a function is known", where);
  if (how != "code" && how != "is" && how != "again")
    throw py::value_error(where + ": a function is known in no such way as '" + how + "'");
  const py::object function = items[3];
  if (!PyFunction_Check(function.ptr()))
    throw py::type_error(where + ": expected a function, not " + Py_TYPE(function.ptr())->tp_name);
  const size_t number = numberOf(items[1], how == "again", inputs, where);
  if (how == "again")
    return std::make_unique<AgainGuard>(number);
  ++inputs.instances;
  auto parts = makeGuards(items[4], inputs, where);
  if (how == "is")
    return std::make_unique<FunctionGuard>(number, std::make_unique<IsGuard>(function));
  const size_t count = FunctionParts(function.ptr()).count();
  if (count != parts.size())
    throw py::value_error(where + ": " + std::to_string(parts.size()) + " guards for the " + std::to_string(count) +
                          " parts of a function");
  return std::make_unique<FunctionGuard>(number, std::make_unique<CodeGuard>(function.ptr(), std::move(parts)));
}

std::unique_ptr<Guard> makeDictGuard(const py::tuple &items, Inputs &inputs, const std::string &where) {
  const bool hasOrder = items.size() == 4;
  expectItems(items, hasOrder ? 4 : 3, "\"dict\", keys, guards", where);
  py::tuple keys = itemsOf(items[1], where + ".keys");
  auto guards = makeGuards(items[2], inputs, where);
  if (keys.size() != guards.size())
    throw py::value_error(where + ": " + std::to_string(keys.size()) + " keys for " + std::to_string(guards.size()) +
                          " guards");
  for (py::handle key : keys)
    py::hash(key); // an unhashable key raises here, not at every call
  const bool ordered = hasOrder && boolOf(items[3], "ordered", where);
  return std::make_unique<DictGuard>(std::move(keys), std::move(guards), ordered);
}

std::unique_ptr<Guard> makeEntriesGuard(const py::tuple &items, Inputs &inputs, const std::string &where) {
  expectItems(items, 4, "\"entries\", absent keys, keys, guards", where);
  py::tuple absent = itemsOf(items[1], where + ".absent"), keys = itemsOf(items[2], where + ".keys");
  auto guards = makeGuards(items[3], inputs, where);
  if (keys.size() != guards.size())
    throw py::value_error(where + ": " + std::to_string(keys.size()) + " keys for " + std::to_string(guards.size()) +
                          " guards");
  for (py::handle key : absent)
    py::hash(key);
  for (py::handle key : keys)
    py::hash(key);
  return std::make_unique<EntriesGuard>(std::move(absent), std::move(keys), std::move(guards));
}

/// A guard for a list or dict: `["numbered", number, guard]`, or null where it is there again.
std::unique_ptr<Guard> makeNumberedGuard(const py::tuple &items, Inputs &inputs, const std::string &where) {
  expectItems(items, 3, "\"numbered\", number, guard", where);
  const bool isAgain = items[2].is_none();
  const size_t number = numberOf(items[1], isAgain, inputs, where);
  if (isAgain)
    return std::make_unique<AgainGuard>(number);
  ++inputs.instances;
  return std::make_unique<NumberedGuard>(number, makeGuard(py::object(items[2]), inputs, where));
}

} // namespace

std::unique_ptr<Guard> makeGuard(py::handle form, Inputs &inputs, const std::string &where) {
  std::string kind;
  py::tuple items = kindAndItems(form, kind, where);
  if (kind == "array")
    return makeArrayGuard(items, inputs, where);
  if (kind == "device_array")
    return makeDeviceArrayGuard(items, inputs, where);
  if (kind == "object")
    return makeObjectGuard(items, inputs, where);
  if (kind == "parts") {
    expectItems(items, 4, "\"parts\", class, names, guards", where);
    py::object type = classOf(items[1], where);
    auto parts = makeAttributes(type, items[2], items[3], inputs, where);
    for (const GuardedAttribute &part : parts)
      if (!part.slot)
        throw py::value_error(where + ": " + textOf(part.name, "a part's name", where) + " isn't in a slot");
    return std::make_unique<PartsGuard>(std::move(type), std::move(parts));
  }
  if (kind == "stream")
    return makeStreamGuard(items, inputs, where);
  if (kind == "scalar")
    return makeScalar(items, inputs, where);
  if (kind == "value")
    return makeValueGuard(items, where);
  if (kind == "dict")
    return makeDictGuard(items, inputs, where);
  if (kind == "entries")
    return makeEntriesGuard(items, inputs, where);
  if (kind == "numbered")
    return makeNumberedGuard(items, inputs, where);
  if (kind == "is") {
    expectItems(items, 2, "\"is\", object", where);
    return std::make_unique<IsGuard>(items[1]);
  }
  if (kind == "function")
    return makeFunctionGuard(items, inputs, where);
  if (kind == "like") {
    expectItems(items, 3, "\"like\", object, exact", where);
    return std::make_unique<LikeGuard>(py::object(items[1]).ptr(), boolOf(items[2], "exact", where));
  }
  if (kind == "tuple" || kind == "list") {
    expectItems(items, 2, "kind, guards", where);
    if (kind == "list" && items[1].is_none())
      return std::make_unique<AnyListGuard>();
    auto *type = reinterpret_cast<PyObject *>(kind == "tuple" ? &PyTuple_Type : &PyList_Type);
    return std::make_unique<SequenceGuard>(py::reinterpret_borrow<py::object>(type),
                                           makeGuards(items[1], inputs, where));
  }
  if (kind == "named") {
    expectItems(items, 3, "\"named\", class, guards", where);
    const py::object type = items[1];
    if (!PyType_Check(type.ptr()) ||
        !PyType_FastSubclass(reinterpret_cast<PyTypeObject *>(type.ptr()), Py_TPFLAGS_TUPLE_SUBCLASS))
      throw py::type_error(where + ": the class of a named tuple must be a class of tuples");
    return std::make_unique<NamedGuard>(type, makeGuards(items[2], inputs, where));
  }
  throw py::value_error(where + ": no guard is of the kind '" + kind + "'");
}

} // namespace quernel::binding
