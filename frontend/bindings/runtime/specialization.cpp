#include "specialization.h"

#include "entering.h"
#include "extents.h"
#include "forms.h"
#include "runtime/Context.h"

#include <algorithm>

namespace quernel::binding {

namespace {

/// Calls that touch more memory than this let other Python threads run at once.
constexpr int64_t quietBytes = 64 << 10;

} // namespace

Specialization::Specialization(py::object programObject, const runtime::Program &loaded,
                               const SpecializationForms &forms)
    : program(std::move(programObject)), keep(forms.keep), entry(loaded.entry()), shapes(loaded.shapes()),
      context(runtime::context(static_cast<int>(forms.threads))), errors(forms.errors), loops(forms.loops),
      conditions(forms.conditions, static_cast<size_t>(forms.symbols)), outputs(forms.outputs),
      layout(conditions.layout()) {
  const Inputs &inputs = conditions.inputs();
  outputs.leaveToProgram(forms.checked);
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
  Frame frame(layout);
  if (!conditions.hold(arguments, frame) || (!written.empty() && !writesApart(frame)))
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
  if (frame.bytes <= quietBytes && !loops) {
    Entering entering;
    return entry(&lent, frame.buffers, frame.sizes);
  }
  LockReleased released;
  return entry(&lent, frame.buffers, frame.sizes);
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
  return code == QN_OK && !PyErr_Occurred();
}

int Specialization::traverse(visitproc visit, void *arg) const {
  Py_VISIT(program.ptr());
  Py_VISIT(keep.ptr());
  if (int stop = errors.traverse(visit, arg))
    return stop;
  if (int stop = conditions.traverse(visit, arg))
    return stop;
  return result ? result->traverse(visit, arg) : 0;
}

void Specialization::clear() {
  conditions.clear();
  // Moved out first: dropping the last reference to an object may run code that comes back here.
  auto oldResult = std::move(result);
  auto oldKeep = std::move(keep);
}

} // namespace quernel::binding
