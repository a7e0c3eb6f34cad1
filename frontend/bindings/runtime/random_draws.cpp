// Random streams from Python, for tests.
#include "bindings.h"
#include "entering.h"
#include "numpy_api.h"
#include "random_states.h"
#include "runtime/Context.h"
#include "runtime/Library.h"
#include <algorithm>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace quernel::binding {

namespace {

RandomStream streamOf(py::handle object) {
  const std::optional<RandomStream> stream = randomStreamOf(object.ptr());
  if (!stream)
    throw py::type_error("not a random generator that programs can draw from");
  return *stream;
}

py::object newArray(std::vector<npy_intp> shape, int type) {
  auto made = py::reinterpret_steal<py::object>(PyArray_SimpleNew(int(shape.size()), shape.data(), type));
  if (!made)
    throw py::error_already_set();
  return made;
}

PyArrayObject *arrayOf(const py::object &object) { return reinterpret_cast<PyArrayObject *>(object.ptr()); }

py::object contiguous(const py::object &object, int type) {
  auto made = py::reinterpret_steal<py::object>(PyArray_FROM_OTF(object.ptr(), type, NPY_ARRAY_CARRAY));
  if (!made)
    throw py::error_already_set();
  return made;
}

py::object readStream(const py::object &generator) {
  const RandomStream stream = streamOf(generator);
  py::object words = newArray({stream.words()}, NPY_UINT64);
  const RandomLock lock(stream);
  if (!lock || !readState(stream, static_cast<uint64_t *>(PyArray_DATA(arrayOf(words)))))
    throw py::error_already_set();
  return words;
}

void writeStream(const py::object &generator, const py::object &words) {
  const RandomStream stream = streamOf(generator);
  const py::object state = contiguous(words, NPY_UINT64);
  const auto *from = static_cast<const uint64_t *>(PyArray_DATA(arrayOf(state)));
  if (PyArray_SIZE(arrayOf(state)) != stream.words() || from[0] != uint64_t(stream.kind))
    throw py::value_error("the state of another kind of generator");
  const RandomLock lock(stream);
  if (!lock || !writeState(stream, from))
    throw py::error_already_set();
}

/// In the order of abi.h.
constexpr int typeNumbers[] = {NPY_FLOAT32, NPY_FLOAT64, NPY_COMPLEX64, NPY_COMPLEX128, NPY_BOOL,  NPY_INT8,  NPY_UINT8,
                               NPY_INT16,   NPY_UINT16,  NPY_INT32,     NPY_UINT32,     NPY_INT64, NPY_UINT64};

/// A call of a routine, with one operand after the other.
struct Call {
  int own; ///< NumPy's type of the elements that the signature says nothing of
  npy_intp count, categories = 1;
  std::vector<py::object> operands;
  std::vector<void *> addresses;
  std::vector<int64_t> strides;

  int typeOf(std::string_view operand) const {
    const std::string_view element = operand.substr(std::min(operand.find(':'), operand.size()));
    return operand.starts_with('s') ? NPY_UINT64
           : element == ":doubles"  ? NPY_FLOAT64
           : element == ":floats"   ? NPY_FLOAT32
           : element == ":places"   ? NPY_INT64
                                    : own;
  }

  void add(py::object array, int64_t first, int64_t second) {
    addresses.push_back(PyArray_DATA(arrayOf(array)));
    operands.push_back(std::move(array));
    strides.insert(strides.end(), {0, first, second});
  }

  void addInput(std::string_view operand, const py::object &value) {
    py::object array = contiguous(value, typeOf(operand));
    const npy_intp size = PyArray_SIZE(arrayOf(array));
    const bool isForAll = operand.starts_with('n') && size == 1;
    if (operand.starts_with('n') && !isForAll && size != count)
      throw py::value_error("parameters are one, or one for each draw");
    if (operand.starts_with('j'))
      categories = size;
    add(std::move(array), operand.starts_with(':') || isForAll ? 0 : 1, 0);
  }

  void addOutput(std::string_view operand, npy_intp words) {
    if (operand.starts_with('s'))
      add(newArray({words}, NPY_UINT64), 1, 0);
    else if (operand.starts_with("nj"))
      add(newArray({count, categories}, typeOf(operand)), categories, 1);
    else
      add(newArray({count}, typeOf(operand)), 1, 0);
  }
};

template <typename Body> void forEachOperand(std::string_view side, Body body) {
  for (size_t end = 0; end != side.npos; side.remove_prefix(std::min(end, side.size() - 1) + 1)) {
    end = side.find(',');
    body(side.substr(0, end));
  }
}

py::tuple draw(const std::string &name, const py::object &words, npy_intp count, const py::args &parameters,
               const py::object &dtype, int threads) {
  const auto *const row = std::ranges::find(routineRows, std::string_view(name), &RoutineRow::name);
  if (row == routineRows.end() || row->library != Library::random)
    throw py::value_error("no routine that draws");
  const size_t arrow = row->signature.find("->");
  if (row->signature[arrow + 2] != 's' || row->signature.find(',', arrow) == row->signature.npos)
    throw py::value_error("no routine that draws and has a state afterwards");
  Call call{NPY_UINT64, count, 1, {}, {}, {}};
  if (!dtype.is_none()) {
    PyArray_Descr *wanted = nullptr;
    if (!PyArray_DescrConverter(dtype.ptr(), &wanted))
      throw py::error_already_set();
    const int number = wanted->type_num == NPY_LONGLONG ? NPY_INT64 : wanted->type_num;
    Py_DECREF(wanted);
    call.own = number;
  }
  const auto *const type = std::ranges::find(typeNumbers, call.own);
  if (type == std::end(typeNumbers))
    throw py::value_error("no type of routines");
  size_t next = 0;
  npy_intp length = 0;
  forEachOperand(row->signature.substr(0, arrow), [&](std::string_view operand) {
    const bool isState = operand.starts_with('s');
    if (!isState && next == parameters.size())
      throw py::type_error("too few parameters");
    call.addInput(operand, isState ? words : py::object(parameters[next++]));
    if (isState)
      length = PyArray_SIZE(arrayOf(call.operands.back()));
  });
  if (next != parameters.size())
    throw py::type_error("too many parameters");
  const size_t inputs = call.operands.size();
  forEachOperand(row->signature.substr(arrow + 2), [&](std::string_view operand) { call.addOutput(operand, length); });
  const bool hasCategories = row->signature.find('j') != row->signature.npos;
  const int64_t sizes[] = {1, hasCategories ? call.categories : count, hasCategories ? count : length,
                           hasCategories ? length : 1};
  const qn_context &context = runtime::context(threads);
  int32_t code;
  {
    Entering entering;
    code = context.call(&context, int32_t(row - routineRows.begin()), int32_t(type - typeNumbers),
                        call.addresses.data(), call.strides.data(), sizes);
  }
  if (code == QN_INTERRUPTED)
    throw py::error_already_set();
  if (code != QN_OK)
    throw std::runtime_error(qn_error_text(code));
  return py::make_tuple(call.operands[inputs], call.operands[inputs + 1]);
}

} // namespace

void bindRandomDraws(py::module_ &module) {
  module.def("read_stream", readStream, py::arg("generator"),
             "The state of a NumPy Generator's or RandomState's stream, as an array of uint64.");
  module.def("write_stream", writeStream, py::arg("generator"), py::arg("words"),
             "Give such a stream a state. ValueError for one of another kind.");
  module.def(
      "global_random_state", [] { return py::reinterpret_borrow<py::object>(globalRandomState()); },
      "The RandomState behind the functions of numpy.random.");
  module.def("draw", draw, py::arg("name"), py::arg("words"), py::arg("count"), py::kw_only(),
             py::arg("dtype") = py::none(), py::arg("threads") = 0,
             "Draw numbers by a routine of Library.def: the state afterwards, and the numbers.");
}

} // namespace quernel::binding
