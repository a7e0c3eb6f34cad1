#include "results.h"

#include "dtypes.h"
#include "forms.h"
#include "result_nodes.h"
#include "sized_results.h"

#include <limits>
#include <numeric>
#include <optional>

namespace quernel::binding {

namespace {} // namespace

PyObject *ArrayResult::build(const Frame &frame) const {
  auto made = py::reinterpret_steal<py::object>(array(frame));
  if (!made || !isOnDevice || !PyArray_Check(made.ptr())) // a scalar is a number of the host's
    return made.release().ptr();
  PyObject *&shown = frame.deviceArrays[place];
  if (!shown)
    shown = newDeviceArray(made.ptr(), made.ptr());
  Py_XINCREF(shown);
  return shown;
}

namespace {

class ResultMaker {
public:
  ResultMaker(const Inputs &inputs, Outputs &outputs) : inputs(inputs), outputs(outputs), uses(outputs.size()) {}

  size_t sharedCount() const { return shared.size(); }

  std::vector<size_t> changed; ///< the numbers of the lists and dicts that get others' items

  std::unique_ptr<Result> make(py::handle form, const std::string &where) {
    std::string kind;
    py::tuple items = kindAndItems(form, kind, where);
    if (kind == "output" || kind == "scalar" || kind == "number")
      return makeOutput(items, kind, where);
    if (kind == "prefix")
      return makePrefix(items, where);
    if (kind == "room")
      return makeRoom(items, where);
    if (kind == "handed")
      return makeHanded(items, where);
    if (kind == "dict")
      return makeDict(items, where);
    if (kind == "named") {
      expectItems(items, 3, "\"named\", class, result", where);
      if (!PyType_Check(py::object(items[1]).ptr()))
        throw py::type_error(where + ": the class of a named tuple must be a class");
      return std::make_unique<NamedResult>(items[1], make(items[2], where));
    }
    if (kind == "instance") {
      expectItems(items, 2, "\"instance\", number", where);
      return std::make_unique<InstanceResult>(instanceOf(items[1], where));
    }
    if (kind == "object")
      return makeObject(items, where);
    if (kind == "assign")
      return makeAssign(items, where);
    if (kind == "numbers")
      return makeNumbers(items, where);
    if (kind == "zipped")
      return makeZipped(items, where);
    if (kind == "view")
      return makeView(items, where);
    if (kind == "either")
      return makeEither(items, where);
    if (kind == "let")
      return makeLet(items, where);
    if (kind == "ref") {
      expectItems(items, 2, "\"ref\", number", where);
      const int64_t number =
          integerOf(items[1], "a definition's number", 0, static_cast<int64_t>(shared.size()), where);
      return std::make_unique<SharedResult>(inputs.byNumber.size() + outputs.size() + inputs.instances + number,
                                            *shared[number]);
    }
    if (kind == "input") {
      expectItems(items, 2, "\"input\", number", where);
      const size_t input = arrayInput(items[1], where);
      return std::make_unique<FrameResult>(input, inputs.byNumber[input].array->device >= 0);
    }
    if (kind == "const") {
      expectItems(items, 2, "\"const\", object", where);
      return std::make_unique<ConstantResult>(items[1]);
    }
    if (kind != "tuple" && kind != "list")
      throw py::value_error(where + ": no result is of the kind '" + kind + "'");
    expectItems(items, 2, "kind, results", where);
    Results parts = makeAll(items[1], where);
    return std::make_unique<SequenceResult>(kind == "tuple" ? SequenceResult::tuple : SequenceResult::list,
                                            std::move(parts));
  }

private:
  static bool isOutput(const std::string &kind) {
    return kind == "output" || kind == "prefix" || kind == "room" || kind == "handed";
  }

  /// Whether outputs that are arrays are on a device.
  bool isOnDevice() const { return inputs.device >= 0; }

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

  /// The same for an output that is one int64 or bool. Throws a ValueError where it isn't.
  size_t useOne(py::handle number, int type, const std::string &use, const std::string &where) {
    const size_t output = useOutput(number, use, where);
    if (outputs[output].typeNumber != type || !outputs[output].shape.empty())
      throw py::value_error(where + ": output " + std::to_string(output) + " isn't one " +
                            (type == NPY_BOOL ? "bool" : "int64") + ", so it's no" + use.substr(use.find(' ')));
    return output;
  }

  std::unique_ptr<Result> makeOutput(const py::tuple &items, const std::string &kind, const std::string &where) {
    expectItems(items, 2, "kind, number", where);
    const bool asScalar = kind != "output";
    const std::string use = kind == "number" ? "a Python number" : asScalar ? "a scalar" : "an array";
    const size_t output = useOutput(items[1], use, where);
    if (asScalar && !outputs[output].shape.empty())
      throw py::value_error(where + ": output " + std::to_string(output) + " has dimensions, so it's no scalar");
    const size_t place = inputs.byNumber.size() + output;
    if (kind == "number") {
      outputs.makeNumber(output);
      return std::make_unique<NumberResult>(place, outputs[output]);
    }
    if (asScalar)
      outputs.makeScalar(output);
    return std::make_unique<FrameResult>(place, isOnDevice());
  }

  std::unique_ptr<Result> makePrefix(const py::tuple &items, const std::string &where) {
    expectItems(items, 3, "\"prefix\", number, number of the count", where);
    const size_t count = countOutput(items[2], where);
    const size_t counted = count - inputs.byNumber.size();
    const size_t output = useOutput(items[1], "cut to output " + std::to_string(counted), where);
    if (outputs[output].shape.empty())
      throw py::value_error(where + ": output " + std::to_string(output) + " has no dimensions");
    return std::make_unique<PrefixResult>(inputs.byNumber.size() + output, isOnDevice(), count);
  }

  std::unique_ptr<Result> makeRoom(const py::tuple &items, const std::string &where) {
    expectItems(items, 4, "\"room\", number, sizes, axes", where);
    const size_t output = useOutput(items[1], "room for an array", where);
    if (outputs[output].shape.size() != 1)
      throw py::value_error(where + ": output " + std::to_string(output) + " must have one dimension");
    return std::make_unique<RoomResult>(inputs.byNumber.size() + output, isOnDevice(),
                                        shapeOfOutputs(items[2], items[3], 2, where));
  }

  std::unique_ptr<Result> makeHanded(const py::tuple &items, const std::string &where) {
    expectItems(items, 5, "\"handed\", number of the address, dtype, sizes, axes", where);
    const size_t output = useOne(items[1], NPY_INT64, "an address", where);
    outputs.makeAddress(output);
    const ElementType type = elementType(textOf(items[2], "a dtype", where), where);
    auto descr = py::reinterpret_steal<py::object>(reinterpret_cast<PyObject *>(PyArray_DescrFromType(type.number)));
    return std::make_unique<HandedResult>(inputs.byNumber.size() + output, inputs.device, std::move(descr),
                                          shapeOfOutputs(items[3], items[4], 1, where));
  }

  ShapeOfOutputs shapeOfOutputs(py::handle known, py::handle order, size_t least, const std::string &where) {
    if (!PyList_Check(known.ptr()) || !PyList_Check(order.ptr()))
      throw py::type_error(where + ": the sizes of an array, and its axes, must be lists");
    const auto sizes = py::reinterpret_borrow<py::list>(known);
    if (sizes.size() < least || sizes.size() > NPY_MAXDIMS)
      throw py::value_error(where + ": such an array has " + std::to_string(least) + " to " +
                            std::to_string(NPY_MAXDIMS) + " dimensions");
    std::vector<ShapeOfOutputs::Size> shape;
    for (py::handle size : sizes) {
      if (PyLong_Check(size.ptr())) {
        shape.push_back({integerOf(size, "a size", 0, std::numeric_limits<int64_t>::max(), where), std::nullopt});
        continue;
      }
      std::string kind;
      py::tuple count = kindAndItems(size, kind, where);
      if (kind != "output")
        throw py::value_error(where + ": sizes are integers and outputs, not of the kind '" + kind + "'");
      expectItems(count, 2, "\"output\", number", where);
      shape.push_back({0, countOutput(count[1], where)});
    }
    std::vector<size_t> axes, sorted(shape.size());
    for (py::handle axis : py::reinterpret_borrow<py::list>(order))
      axes.push_back(integerOf(axis, "an axis", 0, static_cast<int64_t>(shape.size()), where));
    std::iota(sorted.begin(), sorted.end(), 0);
    if (!std::is_permutation(axes.begin(), axes.end(), sorted.begin(), sorted.end()))
      throw py::value_error(where + ": each axis must be named once");
    return {std::move(shape), std::move(axes)};
  }

  std::unique_ptr<Result> makeNumbers(const py::tuple &items, const std::string &where) {
    expectItems(items, 3, "\"numbers\", result, \"python\" or \"numpy\"", where);
    std::string kind;
    kindAndItems(items[1], kind, where);
    if (!isOutput(kind) && kind != "view")
      throw py::value_error(where + ": there are numbers of outputs, whole or cut, and views, not of '" + kind + "'");
    const auto whose = py::cast<std::string>(py::object(items[2]));
    if (whose != "python" && whose != "numpy")
      throw py::value_error(where + ": numbers are of python or numpy, not of '" + whose + "'");
    return std::make_unique<NumbersResult>(make(items[1], where), whose == "python");
  }

  std::unique_ptr<Result> makeZipped(const py::tuple &items, const std::string &where) {
    expectItems(items, 2, "\"zipped\", lists", where);
    for (py::handle form : itemsOf(items[1], where)) {
      std::string kind;
      kindAndItems(form, kind, where);
      if (kind != "numbers")
        throw py::value_error(where + ": lists of numbers are zipped, not those of '" + kind + "'");
    }
    return std::make_unique<ZippedResult>(makeAll(items[1], where));
  }

  /// The place of an output that holds how many, or where: one int64.
  size_t countOutput(py::handle number, const std::string &where) {
    const size_t count = useOne(number, NPY_INT64, "a count", where);
    outputs.makeNumber(count);
    return inputs.byNumber.size() + count;
  }

  std::unique_ptr<Result> makeView(const py::tuple &items, const std::string &where) {
    expectItems(items, 4, "\"view\", result, views, names", where);
    std::string kind;
    kindAndItems(items[1], kind, where);
    if (kind != "input" && !isOutput(kind))
      throw py::value_error(where + ": there are views of inputs and outputs, not of '" + kind + "'");
    std::unique_ptr<Result> source = make(items[1], where);
    bool isViewOnDevice = isOnDevice();
    if (kind == "input")
      isViewOnDevice = inputs.byNumber[arrayInput(py::tuple(itemsOf(items[1], where))[1], where)].array->device >= 0;
    if (!PyDict_Check(py::object(items[3]).ptr()))
      throw py::type_error(where + ": the names of a view must be a dict");
    const auto names = py::reinterpret_borrow<py::dict>(items[3]);
    const auto resolve = [&](const std::string &name) -> SizeExpression::Name {
      if (!names.contains(name))
        throw py::value_error(where + ": nothing is called '" + name + "'");
      std::string use;
      const py::tuple named = kindAndItems(names[name.c_str()], use, where);
      expectItems(named, 2, "\"symbol\" or \"output\", number", where);
      if (use == "output")
        return {true, countOutput(named[1], where)};
      if (use != "symbol")
        throw py::value_error(where + ": no name is of the kind '" + use + "'");
      const auto symbols = static_cast<int64_t>(inputs.bound.size());
      return {false, static_cast<size_t>(integerOf(named[1], "a symbol's number", 0, symbols, where))};
    };
    return std::make_unique<ViewResult>(std::move(source), ViewSteps(items[2], resolve, where), isViewOnDevice);
  }

  std::unique_ptr<Result> makeEither(const py::tuple &items, const std::string &where) {
    expectItems(items, 4, "\"either\", number of the condition, result, result", where);
    const size_t condition = conditionOf(items[1], where);
    auto first = make(items[2], itemName(where, 0));
    auto second = make(items[3], itemName(where, 1));
    return std::make_unique<EitherResult>(condition, std::move(first), std::move(second));
  }

  std::unique_ptr<Result> makeLet(const py::tuple &items, const std::string &where) {
    expectItems(items, 3, "\"let\", definitions, result", where);
    Results definitions;
    for (py::handle form : itemsOf(items[1], where)) {
      definitions.push_back(make(form, itemName(where + ".definitions", definitions.size())));
      shared.push_back(definitions.back().get());
    }
    return std::make_unique<LetResult>(std::move(definitions), make(items[2], where));
  }

  size_t instanceOf(py::handle number, const std::string &where) const {
    return integerOf(number, "an object's number", 0, static_cast<int64_t>(inputs.instances), where);
  }

  static py::object nameOf(py::handle form, const std::string &where) {
    textOf(form, "an attribute's name", where);
    PyObject *text = form.inc_ref().ptr();
    PyUnicode_InternInPlace(&text);
    return py::reinterpret_steal<py::object>(text);
  }

  std::unique_ptr<Result> makeObject(const py::tuple &items, const std::string &where) {
    expectItems(items, 4, "\"object\", class, places, results", where);
    if (!PyType_Check(py::object(items[1]).ptr()))
      throw py::type_error(where + ": the class of an object must be a class");
    std::vector<AttributeTarget> targets = targetsOf(items[2], where + ".places");
    Results parts = makeAll(items[3], where);
    expectAsMany(targets.size(), parts.size(), where);
    return std::make_unique<ObjectResult>(items[1], std::move(targets), std::move(parts));
  }

  std::unique_ptr<Result> makeAssign(const py::tuple &items, const std::string &where) {
    expectItems(items, 4, "\"assign\", result, places, results", where);
    auto body = make(items[1], where);
    Assignments places;
    for (py::handle form : itemsOf(items[2], where + ".places"))
      places.push_back(makePlace(form, itemName(where + ".places", places.size())));
    Results parts = makeAll(items[3], where);
    expectAsMany(places.size(), parts.size(), where);
    return std::make_unique<AssignResult>(std::move(body), std::move(places), std::move(parts));
  }

  std::unique_ptr<Assignment> makePlace(py::handle form, const std::string &where) {
    const py::tuple place = itemsOf(form, where);
    if (place.empty() || !PyUnicode_Check(py::object(place[0]).ptr()))
      return std::make_unique<AttributeAssignment>(targetOf(place, 1, where));
    const std::string kind = textOf(place[0], "what is assigned", where);
    const bool isItems = kind == "items", isPerhaps = place.size() == 5;
    if (!isItems && kind != "keys")
      throw py::value_error(where + ": nothing is assigned to the '" + kind + "' of an object");
    const char *parts = isItems ? "\"items\", number, low, high" : "\"keys\", number, gone, keys";
    expectItems(place, isPerhaps ? 5 : 4, parts, where);
    const size_t number = instanceOf(place[1], where);
    changed.push_back(number);
    const std::optional<size_t> condition = isPerhaps ? std::optional(conditionOf(place[4], where)) : std::nullopt;
    if (isItems) {
      constexpr int64_t most = PY_SSIZE_T_MAX;
      return std::make_unique<ItemsAssignment>(condition, number, integerOf(place[2], "a place", 0, most, where),
                                               integerOf(place[3], "a place", 0, most, where));
    }
    return std::make_unique<KeysAssignment>(condition, number, keysOf(place[2], where), keysOf(place[3], where));
  }

  static py::tuple keysOf(py::handle forms, const std::string &where) {
    py::tuple keys = itemsOf(forms, where);
    for (py::handle key : keys)
      py::hash(key); // an unhashable key raises here, not at every call
    return keys;
  }

  /// Of a new object: each place has a name, and perhaps the output that is its condition.
  std::vector<AttributeTarget> targetsOf(py::handle forms, const std::string &where) {
    std::vector<AttributeTarget> targets;
    for (py::handle form : itemsOf(forms, where)) {
      const std::string at = itemName(where, targets.size());
      targets.push_back(targetOf(itemsOf(form, at), 0, at));
    }
    return targets;
  }

  /// The same with the number of an object or a class before the name, where `numbers` is 1.
  AttributeTarget targetOf(const py::tuple &place, size_t numbers, const std::string &where) {
    if (place.size() != numbers + 2)
      expectItems(place, numbers + 1, numbers ? "number or class, name" : "name", where);
    AttributeTarget target{nameOf(place[numbers], where), std::nullopt, 0, py::object()};
    if (numbers && PyType_Check(py::object(place[0]).ptr()))
      target.type = place[0];
    else if (numbers)
      target.number = instanceOf(place[0], where);
    if (place.size() == numbers + 2)
      target.condition = conditionOf(place[numbers + 1], where);
    return target;
  }

  /// The buffer of an output that is one bool.
  size_t conditionOf(py::handle number, const std::string &where) {
    const size_t condition = useOne(number, NPY_BOOL, "a condition", where);
    outputs.makeNumber(condition);
    return inputs.byNumber.size() + condition;
  }

  static void expectAsMany(size_t places, size_t results, const std::string &where) {
    if (places != results)
      throw py::value_error(where + ": " + std::to_string(places) + " places for " + std::to_string(results) +
                            " results");
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
  std::vector<const Result *> shared; ///< by number; what owns them is part of the result
};

} // namespace

std::unique_ptr<Result> makeResult(py::handle form, const Inputs &inputs, Outputs &outputs, size_t &sharedCount,
                                   std::vector<size_t> &changed) {
  ResultMaker maker(inputs, outputs);
  auto result = maker.make(form, "result");
  sharedCount = maker.sharedCount();
  changed = std::move(maker.changed);
  return result;
}

} // namespace quernel::binding
