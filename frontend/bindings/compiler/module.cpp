// The `_compiler` extension module: the graph builder and the driver, for Python. Loaded only when something must be
// compiled.
#include "compiler/Driver/Driver.h"
#include "frontend/bindings/python_lock.h"
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace quernel;

namespace {

/// Raised as ShapeError: what the operation's shape rule rejects.
struct ShapeFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void check(const GraphError &error) {
  if (error.kind == GraphError::shape)
    throw ShapeFailure(error.message);
  if (error.kind == GraphError::size)
    throw py::value_error(error.message);
  if (error)
    throw py::type_error(error.message);
}

py::object toPython(const GraphDim &dim) { return dim.expression ? py::cast(dim) : py::int_(dim.value); }

GraphDim toDim(py::handle object) {
  if (py::isinstance<GraphDim>(object))
    return object.cast<GraphDim>();
  int64_t value = PyLong_AsLongLong(object.ptr());
  if (value == -1 && PyErr_Occurred())
    throw py::error_already_set();
  return {nullptr, value, nullptr};
}

std::vector<GraphDim> toDims(const py::iterable &objects) {
  std::vector<GraphDim> dims;
  for (py::handle object : objects)
    dims.push_back(toDim(object));
  return dims;
}

std::vector<GraphAttribute> toAttributes(const py::dict &attributes) {
  std::vector<GraphAttribute> result;
  for (auto [key, value] : attributes) {
    GraphAttribute attribute{key.cast<std::string>(), {}};
    if (py::isinstance<py::str>(value))
      attribute.value = value.cast<std::string>();
    else if (py::isinstance<GraphDim>(value) || attribute.name == "dim" || attribute.name == "size")
      attribute.value = std::vector<GraphDim>{toDim(value)};
    else if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value))
      attribute.value = toDims(py::reinterpret_borrow<py::iterable>(value));
    else
      attribute.value = value.cast<int64_t>();
    result.push_back(std::move(attribute));
  }
  return result;
}

py::tuple shapeOf(const GraphValue &value) {
  py::tuple shape(value.shape.size());
  for (size_t axis = 0; axis < value.shape.size(); ++axis)
    shape[axis] = toPython(value.shape[axis]);
  return shape;
}

/// An operation on sizes as Python's operators have it: other kinds of operands are left to them.
py::object combined(char operation, const py::object &a, const py::object &b) {
  for (const py::object &operand : {a, b})
    if (!py::isinstance<GraphDim>(operand) && !PyLong_Check(operand.ptr()))
      return py::reinterpret_borrow<py::object>(Py_NotImplemented);
  auto result = combineDims(operation, toDim(a), toDim(b));
  if (!result) {
    PyErr_SetString(PyExc_OverflowError, "a size with a constant of more than 64 bits");
    throw py::error_already_set();
  }
  return toPython(*result);
}

void bindDim(py::module_ &module) {
  py::class_<GraphDim> dim(module, "Dim",
                           "A size that is known at the call: an expression over the graph's symbols, in its one form. "
                           "Two are equal where this form is the same.");
  dim.def_property_readonly("hint", [](const GraphDim &self) { return self.value; });
  dim.def_property_readonly("symbols", [](const GraphDim &self) { return py::tuple(py::cast(self.symbols())); });
  dim.def("__str__", &GraphDim::text).def("__repr__", &GraphDim::text);
  dim.def("__hash__", &GraphDim::hash);
  dim.def("__eq__", [](const GraphDim &a, const py::object &b) {
    return py::isinstance<GraphDim>(b) && a == b.cast<const GraphDim &>();
  });
  for (auto [name, reversed, operation] :
       {std::tuple("__add__", "__radd__", '+'), std::tuple("__sub__", "__rsub__", '-'),
        std::tuple("__mul__", "__rmul__", '*'), std::tuple("__floordiv__", "__rfloordiv__", '/')}) {
    dim.def(name, [op = operation](const py::object &a, const py::object &b) { return combined(op, a, b); });
    dim.def(reversed, [op = operation](const py::object &a, const py::object &b) { return combined(op, b, a); });
  }
}

using Pairs = std::vector<std::pair<GraphValue, GraphValue>>;

std::vector<GraphValue> endLoop(Graph &self, const Pairs &carried) {
  std::vector<GraphValue> results;
  check(self.endLoop(carried, results));
  return results;
}

std::optional<GraphDim> toBound(const py::object &bound) {
  return bound.is_none() ? std::nullopt : std::optional(toDim(bound));
}

UserText toUserText(const py::dict &text) {
  UserText result{text["text"].cast<std::string>(),
                  text["path"].cast<std::string>(),
                  text["entries"].cast<std::vector<std::string>>(),
                  text["folders"].cast<std::vector<std::string>>(),
                  text["cuda"].cast<std::string>(),
                  {}};
  for (const auto &[entry, kernel] : text["kernels"].cast<std::map<std::string, std::string>>())
    result.kernels.push_back({kernel, entry});
  return result;
}

void bindGraph(py::module_ &module) {
  py::class_<GraphValue>(module, "Value", "An array or a scalar of a graph.")
      .def_property_readonly("shape", &shapeOf)
      .def_readonly("dtype", &GraphValue::dtype);
  py::class_<Graph>(module, "Graph", "A function of NumPy primitives under construction.")
      .def(py::init<std::string>())
      .def("symbol", &Graph::symbol, py::arg("name"), py::arg("hint"), py::arg("any_size") = false)
      .def(
          "argument",
          [](Graph &self, const std::string &name, const std::string &dtype, const py::iterable &shape,
             const std::string &layout) {
            GraphValue result;
            check(self.argument(name, dtype, toDims(shape), layout == "strided", result));
            return result;
          },
          py::arg("name"), py::arg("dtype"), py::arg("shape"), py::arg("layout") = "C")
      .def("scalar",
           [](Graph &self, const std::string &name, const std::string &dtype) {
             GraphValue result;
             check(self.scalar(name, dtype, result));
             return result;
           })
      .def("constant",
           [](Graph &self, const py::bytes &data, const std::string &dtype, const std::vector<int64_t> &shape) {
             GraphValue result;
             check(self.constant(data, dtype, shape, result));
             return result;
           })
      .def(
          "fix_scalar",
          [](Graph &self, const GraphValue &argument, const py::bytes &data) {
            bool isDone = false;
            check(self.fixScalar(argument, data, isDone));
            return isDone;
          },
          py::arg("argument"), py::arg("data"))
      .def(
          "op",
          [](Graph &self, const std::string &name, const std::vector<GraphValue> &operands, const py::dict &attributes,
             const std::string &file, int line, int callers) {
            std::vector<GraphValue> results;
            check(self.op(name, operands, toAttributes(attributes), {file, line, callers}, results));
            return results;
          },
          py::arg("name"), py::arg("operands"), py::arg("attrs") = py::dict(), py::arg("file") = "",
          py::arg("line") = 0, py::arg("callers") = 0)
      .def("name", &Graph::name)
      .def(
          "begin_for",
          [](Graph &self, py::handle lower, py::handle upper, int64_t step, const std::string &name) {
            GraphDim counter;
            check(self.beginFor(toDim(lower), toDim(upper), step, name, counter));
            return toPython(counter);
          },
          py::arg("lower"), py::arg("upper"), py::arg("step") = 1, py::arg("name") = "i")
      .def("begin_while", [](Graph &self) { check(self.beginWhile()); })
      .def("while_condition", [](Graph &self, const GraphValue &condition) { check(self.whileCondition(condition)); })
      .def("begin_if", [](Graph &self, const GraphValue &condition) { check(self.beginIf(condition)); })
      .def("begin_else", [](Graph &self) { check(self.beginElse()); })
      .def_property_readonly("depth", &Graph::depth)
      .def(
          "enter",
          [](Graph &self, const GraphValue &value, unsigned depth) {
            GraphValue marker;
            check(self.enter(value, marker, depth));
            return marker;
          },
          py::arg("value"), py::arg("depth") = 0)
      .def("end_for", &endLoop, py::arg("carried") = Pairs())
      .def("end_while", &endLoop, py::arg("carried") = Pairs())
      .def(
          "end_if",
          [](Graph &self, const Pairs &pairs) {
            std::vector<GraphValue> results;
            check(self.endIf(pairs, results));
            return results;
          },
          py::arg("pairs") = Pairs())
      .def("discard", [](Graph &self) { check(self.discard()); })
      .def("begin_ahead", [](Graph &self) { check(self.beginAhead()); })
      .def("end_ahead", [](Graph &self) { check(self.endAhead()); })
      .def(
          "symbol_of",
          [](Graph &self, const GraphValue &value, py::object lower, py::object upper, const std::string &name,
             std::optional<int64_t> hint) {
            GraphDim symbol;
            check(self.symbolOf(value, toBound(lower), toBound(upper), name, hint, symbol));
            return toPython(symbol);
          },
          py::arg("value"), py::arg("lower") = py::none(), py::arg("upper") = py::none(), py::arg("name") = "n",
          py::arg("hint") = py::none())
      .def("nonnegative", [](const Graph &self, py::handle dim) { return self.isNonNegative(toDim(dim)); })
      .def("limit", [](Graph &self, const GraphDim &symbol, py::handle upper) { self.limit(symbol, toDim(upper)); })
      .def("most",
           [](const Graph &self, py::handle dim) {
             auto bound = self.most(toDim(dim));
             return bound ? toPython(*bound) : py::none();
           })
      .def(
          "check",
          [](Graph &self, const GraphValue &condition, const std::string &exception, const std::string &message,
             const std::vector<GraphValue> &values, const std::vector<std::pair<GraphValue, GraphValue>> &state,
             const std::string &file, int line,
             int callers) { check(self.check(condition, exception, message, values, state, {file, line, callers})); },
          py::arg("condition"), py::arg("exception"), py::arg("message"), py::arg("values") = std::vector<GraphValue>(),
          py::arg("state") = std::vector<std::pair<GraphValue, GraphValue>>(), py::arg("file") = "",
          py::arg("line") = 0, py::arg("callers") = 0)
      .def(
          "user_text", [](Graph &self, const py::dict &text) { self.userText(toUserText(text)); },
          "A text of the user's, whose entries `user_call` names.")
      .def("source", &Graph::source, py::arg("file"), py::arg("line"), py::arg("text"))
      .def(
          "finish",
          [](Graph &self, const std::vector<GraphValue> &results,
             const std::vector<std::pair<GraphValue, GraphValue>> &updates) { check(self.finish(results, updates)); },
          py::arg("results"), py::arg("updates") = std::vector<std::pair<GraphValue, GraphValue>>())
      .def("text", &Graph::text);
}

DriverOptions toOptions(const py::dict &options) {
  DriverOptions result;
  if (options.contains("fastmath"))
    result.fastMath = options["fastmath"].cast<bool>();
  if (options.contains("optimize"))
    result.optimize = options["optimize"].cast<bool>();
  if (options.contains("text_only"))
    result.textOnly = options["text_only"].cast<bool>();
  if (options.contains("threads"))
    result.threads = options["threads"].cast<unsigned>();
  if (options.contains("libraries"))
    result.libraries = options["libraries"].cast<std::vector<std::string>>();
  if (options.contains("nvrtc_path"))
    result.nvrtcPath = options["nvrtc_path"].cast<std::vector<std::string>>();
  return result;
}

py::object compiledToPython(const Compiled &compiled) {
  py::object result = py::module_::import("types").attr("SimpleNamespace")();
  result.attr("object") = py::bytes(compiled.object);
  result.attr("source") = compiled.source;
  result.attr("manifest") = compiled.manifest;
  py::dict times;
  for (const StageTime &time : compiled.times)
    times[time.stage.c_str()] = time.seconds;
  result.attr("times") = times;
  return result;
}

[[noreturn]] void raise(const DriverError &error) {
  PyErr_SetString(error.isUnsupported ? PyExc_NotImplementedError : PyExc_RuntimeError, error.message.c_str());
  throw py::error_already_set();
}

void bindDriver(py::module_ &module) {
  module.def(
      "compile",
      [](const Graph &graph, const std::string &target, const py::dict &options) {
        DriverOptions driver = toOptions(options);
        Compiled compiled;
        DriverError error;
        bool done;
        {
          binding::LockReleased released;
          done = compileGraph(graph, target, driver, compiled, error);
        }
        if (!done)
          raise(error);
        return compiledToPython(compiled);
      },
      py::arg("graph"), py::arg("target") = "host", py::arg("options") = py::dict(),
      "Compiles a finished graph; the result has `object` (bytes), `source`, `manifest` (JSON) and `times` (the "
      "seconds of each stage).");
  module.def(
      "compile_text",
      [](const py::dict &given, const std::string &target, const py::dict &options) {
        UserText text = toUserText(given);
        DriverOptions driver = toOptions(options);
        CompiledText compiled;
        DriverError error;
        bool done;
        {
          binding::LockReleased released;
          done = compileText(text, target, driver, compiled, error);
        }
        if (!done)
          raise(error);
        return py::make_tuple(py::bytes(compiled.object), compiled.includes);
      },
      py::arg("text"), py::arg("target") = "host", py::arg("options") = py::dict(),
      "Compiles a text of the user's (`text`, `path`, `entries`, `folders`; `cuda` and `kernels`, by their entries, of "
      "one for devices): the object, and the files that it includes.");
  module.def(
      "lower",
      [](const Graph &graph, const std::string &stage, const std::string &target, const py::dict &options) {
        std::string text;
        DriverError error;
        if (!lowerGraph(graph, stage, target, toOptions(options), text, error))
          raise(error);
        return py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(text.data(), text.size(), "replace"));
      },
      py::arg("graph"), py::arg("stage"), py::arg("target") = "host", py::arg("options") = py::dict(),
      "The text of a stage: quernel kernels loops cpp cuda asm ptx.");
  module.def("targets", &targetNames);
  module.def("text_targets", &textTargetNames, "Targets for which there is text, but no machine code.");
  module.def(
      "device_targets",
      [](const py::dict &options) {
        std::string error;
        auto names = deviceTargetNames(toOptions(options), error);
        if (!error.empty())
          throw std::runtime_error(error);
        return names;
      },
      py::arg("options") = py::dict(), "The targets for devices, like sm_90, that NVRTC compiles for.");
  module.def("c_name", &cName, py::arg("text"),
             "An identifier of C and C++ that resembles a text, and that the emitted text has for it.");
  module.def("target_key", [](const std::string &target) {
    std::string error, key = targetKey(target, error);
    if (!error.empty())
      throw py::value_error(error);
    return key;
  });
  module.def(
      "nvrtc", [](const py::dict &options) { return nvrtcDescription(toOptions(options)); },
      py::arg("options") = py::dict());
  module.def("ufuncs", [] {
    py::list rows;
    for (const UfuncRow &row : ufuncRows())
      rows.append(py::make_tuple(row.name, row.arity, row.predicate, row.kinds, row.ulp, row.combiner));
    return rows;
  });
}

} // namespace

PYBIND11_MODULE(_compiler, module) {
  module.doc() = "Quernel's compiler: from graphs of NumPy primitives to machine code.";
  py::register_exception<ShapeFailure>(module, "ShapeError", PyExc_ValueError);
  bindDim(module);
  bindGraph(module);
  bindDriver(module);
}
