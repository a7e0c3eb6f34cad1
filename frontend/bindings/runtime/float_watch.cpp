#include "float_watch.h"

#include "error_state.h"
#include "forms.h"
#include "frontend/bindings/python_lock.h"
#include "numpy_api.h"
#include "tracebacks.h"

#include <chrono>
#include <limits>

namespace quernel::binding {

namespace {

constexpr int allKinds = divideKind | overKind | underKind | invalidKind;
constexpr uint64_t forever = std::numeric_limits<uint64_t>::max();
/// Copies are always made where a run takes so many times as long.
constexpr int64_t cheap = 64;

int64_t nanoseconds() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

int kindsForm(py::handle item, const char *name) {
  return static_cast<int>(integerOf(item, "kinds", 0, allKinds + 1, std::string("floats: ") + name));
}

} // namespace

FloatWatch::FloatWatch(py::handle form) {
  if (form.is_none())
    return;
  const py::tuple items = itemsOf(form, "floats");
  expectItems(items, 5, "outer kinds, inner kinds, kinds that happen always, what flags mean, callable", "floats");
  outer = kindsForm(items[0], "outer");
  inner = kindsForm(items[1], "inner");
  always = kindsForm(items[2], "always");
  const py::tuple kinds = itemsOf(items[3], "floats: means");
  expectItems(kinds, means.size(), "divide, over, under, invalid", "floats: means");
  for (size_t bit = 0; bit < means.size(); ++bit)
    means[bit] = kindsForm(kinds[bit], "means");
  callable = items[4];
  if (!PyCallable_Check(callable.ptr()))
    throw py::type_error("floats: expected what can be called, not " + std::string(Py_TYPE(callable.ptr())->tp_name));
}

bool FloatWatch::wantsCopies() const {
  if (!callable)
    return false;
  if (copied > 0) {
    copied -= copied != forever;
    return true;
  }
  return inner || (outer & errorState().strict) || (outer && warningsRaise());
}

void FloatWatch::noteTimes(int64_t copying, int64_t running) const {
  // The last of the first runs counts: the one before it found its memory cold.
  if (copied == 0 && copying * cheap < running)
    copied = forever;
}

int FloatWatch::kindsMet(int flags) const {
  int met = always;
  for (size_t bit = 0, kinds = static_cast<size_t>(kindsOf(flags)); bit < means.size(); ++bit)
    if (kinds >> bit & 1)
      met |= means[bit];
  return met;
}

bool FloatWatch::answers(int flags, const Arguments &arguments, const py::object &copies, PyObject *&result) const {
  const int met = kindsMet(flags);
  if (!callable || !(met & (outer | inner)))
    return false;
  const ErrorState state = errorState();
  const int heard = met & ((outer & state.heard) | inner);
  if (!heard)
    return false;
  const bool isStrict = (heard & (state.strict | inner)) || warningsRaise();
  if (!isStrict && quiet[heard] && nanoseconds() < quiet[heard])
    return false;
  return ask(heard, isStrict, arguments, copies, result);
}

bool FloatWatch::ask(int kinds, bool isStrict, const Arguments &arguments, const py::object &copies,
                     PyObject *&result) const {
  result = nullptr;
  try {
    const auto asked = callable; // it may be cleared meanwhile
    const py::tuple tuple = arguments.asTuple();
    const py::dict dict = arguments.asDict();
    const py::object kept = copies ? copies : py::none();
    const py::object told = inPython([&] { return asked(kinds, isStrict, tuple, dict, kept); });
    PyObject *answer = nullptr;
    unsigned long long rest = 0, copying = 0;
    if (!PyTuple_Check(told.ptr()))
      PyErr_SetString(PyExc_TypeError, "floats: the answer must be a tuple");
    if (PyErr_Occurred() || !PyArg_ParseTuple(told.ptr(), "OKK", &answer, &rest, &copying))
      throw py::error_already_set();
    quiet[kinds] = rest ? nanoseconds() + static_cast<int64_t>(rest) : 0;
    if (copied != forever)
      copied = copying;
    if (answer == Py_NotImplemented)
      return false;
    Py_INCREF(answer);
    result = answer;
  } catch (py::error_already_set &error) {
    if (copied != forever)
      copied = firstRuns; // nobody has said
    error.restore();
    dropOwnFrames();
  }
  return true;
}

int FloatWatch::traverse(visitproc visit, void *arg) const {
  Py_VISIT(callable.ptr());
  return 0;
}

void FloatWatch::clear() { const auto dropped = std::move(callable); }

py::object copiesOf(PyObject *const *objects, const std::vector<size_t> &numbers) {
  py::list pairs;
  for (size_t number : numbers) {
    auto *array = reinterpret_cast<PyArrayObject *>(objects[number]);
    auto copy = py::reinterpret_steal<py::object>(PyArray_NewCopy(array, NPY_KEEPORDER));
    if (!copy) {
      PyErr_Clear();
      return {};
    }
    pairs.append(py::make_tuple(py::handle(objects[number]), copy));
  }
  return pairs;
}

} // namespace quernel::binding
