#include "specialization.h"

#include "assignments.h"
#include "device_buffer.h"
#include "entering.h"
#include "extents.h"
#include "forms.h"
#include "frontend/bindings/python_lock.h"
#include "numpy_api.h"
#include "runtime/Context.h"
#include "runtime/FloatFlags.h"
#include "runtime/Pool.h"
#include "tracebacks.h"

#include <algorithm>
#include <chrono>

namespace quernel::binding {

namespace {

/// Calls that touch more memory than this let other Python threads run at once.
constexpr int64_t quietBytes = 64 << 10;

/// Memory that a program has handed over and that no array owns in the end goes back to the pool.
class HandedOver {
public:
  /// @param device  whose pool it is; null for the host's
  HandedOver(const Frame &frame, const std::vector<size_t> &addresses, runtime::DeviceProgram *device)
      : frame(frame), addresses(addresses), device(device) {}
  HandedOver(const HandedOver &) = delete;
  HandedOver &operator=(const HandedOver &) = delete;

  ~HandedOver() {
    for (size_t place : addresses)
      if (void *memory = *static_cast<void **>(frame.buffers[place])) {
        if (device)
          device->device().memory().release(memory);
        else
          runtime::Pool::shared().release(memory);
      }
  }

private:
  const Frame &frame;
  const std::vector<size_t> &addresses;
  runtime::DeviceProgram *device;
};

int64_t nanoseconds() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

} // namespace

Specialization::Specialization(py::object programObject, const runtime::Program &loaded,
                               const SpecializationForms &forms)
    : program(std::move(programObject)), keep(forms.keep), entry(loaded.entry()), shapes(loaded.shapes()),
      context(runtime::context(static_cast<int>(forms.threads))), errors(forms.errors), floats(forms.floats),
      loops(forms.loops), conditions(forms.conditions, static_cast<size_t>(forms.symbols)), outputs(forms.outputs),
      layout(conditions.layout()) {
  if (forms.device)
    device = std::make_unique<runtime::DeviceProgram>(loaded, *forms.device);
  else if (loaded.images())
    throw py::value_error("device: the program is one for a device, whose number is missing");
  const Inputs &inputs = conditions.inputs();
  resident = inputs.device;
  if (resident >= 0 && forms.device != resident)
    throw py::value_error("device: the program's isn't the one that arguments are on");
  outputs.leaveToProgram(forms.checked);
  layout.outputs = outputs.size();
  for (size_t k = 0; k < inputs.byNumber.size(); ++k) {
    if (StreamGuard *stream = inputs.byNumber[k].stream) {
      stream->offset = layout.streams;
      layout.streams += runtime::streamWords(stream->kind);
      streams.push_back(stream);
    }
    const ArrayGuard *array = inputs.byNumber[k].array;
    if (array)
      arrays.push_back(k);
    if (array && array->written)
      written.push_back(k);
  }
  result = makeResult(forms.result, inputs, outputs, layout.shared, changed);
  for (size_t k = 0; k < outputs.size(); ++k)
    if (outputs[k].isAddress)
      addresses.push_back(layout.inputs + k);
  dynamic = outputs.hasDynamic();
  if (dynamic && !shapes)
    throw py::value_error("outputs: there are dynamic dimensions, but the program has no function of shapes");
  layout.onDevice = resident >= 0 ? layout.buffers() : 0;
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
  if (streams.size() > 1 && !StreamStates::areApart(frame, streams))
    return false;
  answer = run(frame, arguments);
  return true;
}

PyObject *Specialization::run(Frame &frame, const Arguments &arguments) const {
  if (dynamic)
    shapes(frame.sizes, frame.dims);
  if (!outputs.allocate(frame, layout.inputs, dynamic, resident))
    return nullptr;
  const HandedOver handed(frame, addresses, resident >= 0 ? device.get() : nullptr);
  StreamStates states(frame, streams);
  if (!states.begin())
    return nullptr;
  PyObject *instead = nullptr;
  if (!hasRun(frame, arguments, states, instead))
    return instead;
  return outputs.makeScalars(frame, layout.inputs) ? result->build(frame) : nullptr;
}

Specialization::Ended Specialization::enter(const qn_context &lent, const Frame &frame) const {
  if (floats.isWatched())
    runtime::clearFloatFlags();
  Ended ended;
  if (frame.bytes <= quietBytes && !loops) {
    Entering entering;
    ended = left(entry(&lent, frame.buffers, frame.sizes));
  } else {
    LockReleased released;
    ended = left(entry(&lent, frame.buffers, frame.sizes));
  }
  forgetAddresses(frame, ended.code);
  return ended;
}

/// A program that ends with an error gives away no memory, whatever addresses it has written by then.
void Specialization::forgetAddresses(const Frame &frame, int32_t code) const {
  if (code != QN_OK)
    for (size_t place : addresses)
      *static_cast<void **>(frame.buffers[place]) = nullptr;
}

/// The same for a program that is over soon and writes no argument. A look at the flags takes some nanoseconds, so
/// there is none before it: where flags are set behind it, it runs once more without those of before.
Specialization::Ended Specialization::enterQuickly(const Frame &frame) const {
  // Others' flags have been found: for so many runs they are looked for.
  static int wary = 0;
  Entering entering;
  const bool isWary = wary > 0;
  if (isWary) {
    --wary;
    runtime::clearFloatFlags();
  }
  Ended ended = left(entry(&context, frame.buffers, frame.sizes));
  if (ended.flags == 0 || isWary || ended.code != QN_OK) [[likely]]
    return ended;
  runtime::clearFloatFlags();
  ended = left(entry(&context, frame.buffers, frame.sizes));
  if (ended.flags == 0)
    wary = 1000;
  return ended;
}

/// How a run has ended that has just given a code.
Specialization::Ended Specialization::left(int32_t code) const {
  return {code, floats.isWatched() ? runtime::floatFlags() : 0};
}

/// The same, after what the program writes was copied if its warnings may need that.
Specialization::Ended Specialization::enterWithCopies(const qn_context &lent, const Frame &frame,
                                                      py::object &copies) const {
  if (written.empty() || !floats.wantsCopies()) [[likely]]
    return enter(lent, frame);
  const int64_t before = nanoseconds();
  copies = copiesOf(frame.objects, written);
  const int64_t copied = nanoseconds();
  const Ended ended = enter(lent, frame);
  floats.noteTimes(copied - before, nanoseconds() - copied);
  return ended;
}

/// Runs the program. False: a Python error is set, or the call has another answer than the program's.
bool Specialization::hasRun(const Frame &frame, const Arguments &arguments, StreamStates &states,
                            PyObject *&instead) const {
  if (device)
    return hasRunOnDevice(frame, arguments, states, instead);
  if (errors.empty() && written.empty() && streams.empty()) {
    const bool isQuick = frame.bytes <= quietBytes && !loops && addresses.empty();
    const Ended ended = isQuick ? enterQuickly(frame) : enter(context, frame);
    return isFine(ended) || isSettled(frame, ended, {}, arguments, {}, states, instead);
  }
  py::object copies;
  if (errors.empty()) {
    const Ended ended = enterWithCopies(context, frame, copies);
    return isFine(ended) ? states.end() : isSettled(frame, ended, {}, arguments, copies, states, instead);
  }
  runtime::CallContext call(context);
  Ended ended = enterWithCopies(call, frame, copies);
  if (ended.code >= QN_FIRST_ERROR && call.code() != QN_OK)
    ended.code = call.code();
  return isFine(ended) ? states.end() : isSettled(frame, ended, call.values(), arguments, copies, states, instead);
}

/// The same for a program of a device.
bool Specialization::hasRunOnDevice(const Frame &frame, const Arguments &arguments, StreamStates &states,
                                    PyObject *&instead) const {
  py::object copies;
  if (!written.empty() && resident < 0 && floats.wantsCopies())
    copies = copiesOf(frame.objects, written);
  runtime::ErrorNote error;
  const Ended ended = enterOnDevice(frame, error);
  return isFine(ended) ? states.end() : isSettled(frame, ended, error.values(), arguments, copies, states, instead);
}

/// A device leaves no flags behind.
Specialization::Ended Specialization::enterOnDevice(const Frame &frame, runtime::ErrorNote &error) const {
  const std::vector<runtime::HostBuffer> buffers = deviceBuffers(frame);
  int32_t code = QN_OK;
  {
    LockReleased released;
    code = runtime::runOnDevice(*device, context.threads, buffers, frame.sizes, error);
  }
  forgetAddresses(frame, code);
  return {code >= QN_FIRST_ERROR && error.code() != QN_OK ? error.code() : code, 0};
}

/// Which streams use the memory of a header.
static runtime::StreamUse *useOf(PyObject *header) {
  PyObject *base = PyArray_BASE(reinterpret_cast<PyArrayObject *>(header));
  return &py::handle(base).cast<const DeviceBuffer &>().use();
}

/// What a device's program has to see of a call. A number that is handed over by value lies in the program's own
/// memory.
std::vector<runtime::HostBuffer> Specialization::deviceBuffers(const Frame &frame) const {
  using runtime::HostBuffer;
  std::vector<HostBuffer> buffers(layout.buffers());
  for (size_t k = 0; k < buffers.size(); ++k)
    buffers[k].memory = frame.buffers[k];
  for (size_t k : arrays) {
    const Extent extent = extentOf(frame.objects[k]);
    const auto start = reinterpret_cast<uintptr_t>(frame.buffers[k]);
    const auto low = static_cast<int64_t>(extent.low - start), high = static_cast<int64_t>(extent.high - start);
    const bool isOnDevice = conditions.inputs().byNumber[k].array->device >= 0;
    buffers[k] = {frame.buffers[k],
                  isOnDevice ? HostBuffer::resident : HostBuffer::array,
                  low,
                  high,
                  std::ranges::find(written, k) != written.end(),
                  isOnDevice ? useOf(frame.objects[k]) : nullptr};
  }
  for (const StreamGuard *stream : streams) {
    const int64_t bytes = runtime::streamWords(stream->kind) * static_cast<int64_t>(sizeof(uint64_t));
    buffers[stream->input] = {frame.buffers[stream->input], HostBuffer::array, 0, bytes, true};
  }
  for (size_t k = 0; k < outputs.size(); ++k) {
    HostBuffer &buffer = buffers[layout.inputs + k];
    if (outputs[k].isAddress)
      buffer.kind = resident >= 0 ? HostBuffer::kept : HostBuffer::address;
    else
      buffer.kind = resident >= 0 && !outputs[k].isNumber ? HostBuffer::resident : HostBuffer::result;
    if (PyObject *array = frame.objects[layout.inputs + k])
      buffer.high = PyArray_NBYTES(reinterpret_cast<PyArrayObject *>(array));
    else if (outputs[k].shape.empty())
      buffer.high = outputs[k].itemBytes;
  }
  return buffers;
}

/// Whether a run has ended with nothing to tell. A handler may have raised at the last question of a program that then
/// ended all the same.
bool Specialization::isFine(const Ended &ended) const {
  return ended.code == QN_OK && ended.flags == 0 && !floats.isAlways() && !PyErr_Occurred();
}

/// The answer of what stands in for a program; null with a Python error set.
static PyObject *answerOf(const py::object &other, const Arguments &arguments) {
  try {
    const py::tuple tuple = arguments.asTuple();
    const py::dict dict = arguments.asDict();
    return inPython([&] { return other(tuple, dict); }).release().ptr();
  } catch (py::error_already_set &error) {
    error.restore();
    dropOwnFrames();
    return nullptr;
  }
}

/// What to do about one that has: as `hasRun`.
bool Specialization::isSettled(const Frame &frame, const Ended &ended, std::span<const int64_t> values,
                               const Arguments &arguments, const py::object &copies, StreamStates &states,
                               PyObject *&instead) const {
  if (PyErr_Occurred()) {
    states.end();
    return false;
  }
  // Python's function draws from the streams as they were.
  states.release();
  if (const py::object other = errors.insteadOf(ended.code)) {
    runtime::clearFloatFlags();
    instead = answerOf(other, arguments);
    return false;
  }
  const ContainerCopies before(frame, changed);
  if (!before.isComplete)
    return false;
  const bool isAnswered = floats.answers(ended.flags, arguments, copies, instead);
  runtime::clearFloatFlags();
  if (isAnswered || !before.putBack() || !states.end())
    return false;
  if (ended.code != QN_OK)
    errors.raise(ended.code, values);
  return ended.code == QN_OK;
}

int Specialization::traverse(visitproc visit, void *arg) const {
  Py_VISIT(program.ptr());
  Py_VISIT(keep.ptr());
  if (int stop = errors.traverse(visit, arg))
    return stop;
  if (int stop = floats.traverse(visit, arg))
    return stop;
  if (int stop = conditions.traverse(visit, arg))
    return stop;
  return result ? result->traverse(visit, arg) : 0;
}

void Specialization::clear() {
  conditions.clear();
  floats.clear();
  // Moved out first: dropping the last reference to an object may run code that comes back here.
  auto oldResult = std::move(result);
  auto oldKeep = std::move(keep);
}

} // namespace quernel::binding
