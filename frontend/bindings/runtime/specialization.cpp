#include "specialization.h"

#include "extents.h"
#include "forms.h"
#include "runtime/Context.h"

#include <algorithm>

namespace quernel::binding {

namespace {

/// Calls that touch more memory than this let other Python threads run.
constexpr int64_t quietBytes = 64 << 10;

} // namespace

Specialization::Specialization(py::object programObject, const runtime::Program &loaded,
                               const SpecializationForms &forms)
    : program(std::move(programObject)), keep(forms.keep), entry(loaded.entry()), shapes(loaded.shapes()),
      context(runtime::context(static_cast<int>(forms.threads))), errors(forms.errors), loops(forms.loops),
      positional(forms.positional), outputs(forms.outputs) {
  setNames(forms.names);
  Inputs inputs(static_cast<size_t>(forms.symbols));
  for (py::handle form : itemsOf(forms.parameters, "parameters"))
    parameters.push_back(makeGuard(form, inputs, itemName("parameters", parameters.size())));
  const size_t count = static_cast<size_t>(positional) + names.size();
  if (parameters.size() != count)
    throw py::value_error("parameters: " + std::to_string(parameters.size()) + " guards for " + std::to_string(count) +
                          " arguments");
  for (py::handle form : itemsOf(forms.extras, "extras"))
    extras.push_back(makeExtra(form, inputs, itemName("extras", extras.size())));

  layout.sizes = inputs.finish();
  layout.inputs = inputs.byNumber.size();
  layout.outputs = outputs.size();
  for (size_t k = 0; k < inputs.byNumber.size(); ++k) {
    const ArrayGuard *array = inputs.byNumber[k].array;
    if (array)
      arrays.push_back(k);
    if (array && array->written)
      written.push_back(k);
  }
  result = makeResult(forms.result, inputs, outputs, layout.shared);
  dynamic = outputs.hasDynamic();
  if (dynamic && !shapes)
    throw py::value_error("outputs: there are dynamic dimensions, but the program has no function of shapes");
  layout.dims = dynamic ? outputs.totalRank() : 0;
}

void Specialization::setNames(const py::object &forms) {
  py::list interned;
  for (py::handle name : itemsOf(forms, "kwnames")) {
    textOf(name, "a name", itemName("kwnames", interned.size()));
    PyObject *text = name.inc_ref().ptr();
    PyUnicode_InternInPlace(&text);
    interned.append(py::reinterpret_steal<py::object>(text));
  }
  names = py::tuple(interned);
}

Specialization::Extra Specialization::makeExtra(py::handle form, Inputs &inputs, const std::string &where) {
  py::tuple items = itemsOf(form, where);
  expectItems(items, 3, "namespace or cell, key, guard", where);
  Extra extra{items[0], items[1], makeGuard(py::object(items[2]), inputs, where)};
  if (PyCell_Check(extra.place.ptr())) {
    if (!extra.key.is_none())
      throw py::value_error(where + ": a cell has no keys; expected None");
    return extra;
  }
  if (!PyDict_Check(extra.place.ptr()))
    throw py::type_error(where + ": expected a dict or a cell, not " + Py_TYPE(extra.place.ptr())->tp_name);
  py::hash(extra.key); // an unhashable key raises here, not at every call
  return extra;
}

bool Specialization::Extra::matches(Frame &frame) const {
  PyObject *found =
      PyCell_Check(place.ptr()) ? PyCell_GET(place.ptr()) : PyDict_GetItemWithError(place.ptr(), key.ptr());
  if (!found) {
    PyErr_Clear();
    return false;
  }
  auto object = py::reinterpret_borrow<py::object>(found);
  return guard->matches(object.ptr(), frame);
}

bool Specialization::namesMatch(PyObject *given) const {
  for (size_t k = 0; k < names.size(); ++k) {
    PyObject *name = PyTuple_GET_ITEM(given, k);
    PyObject *expected = PyTuple_GET_ITEM(names.ptr(), k);
    // Names from a call's source are interned; those of a dict needn't be.
    if (name != expected && PyUnicode_Compare(name, expected) != 0)
      return false;
  }
  return true;
}

bool Specialization::matches(const Arguments &arguments, Frame &frame) const {
  for (size_t k = 0; k < parameters.size(); ++k)
    if (!parameters[k]->matches(arguments.values[k], frame))
      return false;
  for (const Extra &extra : extras)
    if (!extra.matches(frame))
      return false;
  return written.empty() || writesApart(frame);
}

bool Specialization::writesApart(const Frame &frame) const {
  for (size_t target : written) {
    const Extent extent = extentOf(frame.objects[target]);
    for (size_t other : arrays)
      if (other != target && extent.overlaps(extentOf(frame.objects[other])))
        return false;
  }
  return true;
}

bool Specialization::call(const Arguments &arguments, PyObject *&answer) const {
  if (arguments.positional != positional || arguments.named() != static_cast<Py_ssize_t>(names.size()) ||
      !namesMatch(arguments.names))
    return false;
  Frame frame(layout);
  if (!matches(arguments, frame))
    return false;
  answer = run(frame);
  return true;
}

PyObject *Specialization::run(Frame &frame) const {
  if (dynamic)
    shapes(frame.sizes, frame.dims);
  if (!outputs.allocate(frame, layout.inputs, dynamic))
    return nullptr;
  if (!enterOrRaise(frame))
    return nullptr;
  return outputs.makeScalars(frame, layout.inputs) ? result->build(frame) : nullptr;
}

int32_t Specialization::enter(const qn_context &lent, const Frame &frame) const {
  if (frame.bytes <= quietBytes && !loops)
    return entry(&lent, frame.buffers, frame.sizes);
  PyThreadState *state = PyEval_SaveThread();
  const int32_t code = entry(&lent, frame.buffers, frame.sizes);
  PyEval_RestoreThread(state);
  return code;
}

bool Specialization::enterOrRaise(const Frame &frame) const {
  int32_t code = QN_OK;
  if (errors.empty()) {
    code = enter(context, frame);
    if (code != QN_OK)
      errors.raise(code, {});
  } else {
    runtime::CallContext call(context);
    code = enter(call, frame);
    if (code >= QN_FIRST_ERROR && call.code() != QN_OK)
      code = call.code();
    if (code != QN_OK)
      errors.raise(code, call.values());
  }
  // A handler may have raised at the last question of a program that then ended all the same.
  return code == QN_OK && !(loops && PyErr_Occurred());
}

int Specialization::traverse(visitproc visit, void *arg) const {
  Py_VISIT(program.ptr());
  Py_VISIT(keep.ptr());
  if (int stop = errors.traverse(visit, arg))
    return stop;
  for (const auto &guard : parameters)
    if (int stop = guard->traverse(visit, arg))
      return stop;
  for (const Extra &extra : extras) {
    Py_VISIT(extra.place.ptr());
    Py_VISIT(extra.key.ptr());
    if (int stop = extra.guard->traverse(visit, arg))
      return stop;
  }
  return result ? result->traverse(visit, arg) : 0;
}

void Specialization::clear() {
  positional = -1;
  // Moved out first: dropping the last reference to an object may run code that comes back here.
  auto oldParameters = std::move(parameters);
  auto oldExtras = std::move(extras);
  auto oldResult = std::move(result);
  auto oldKeep = std::move(keep);
  parameters.clear();
  extras.clear();
}

} // namespace quernel::binding
