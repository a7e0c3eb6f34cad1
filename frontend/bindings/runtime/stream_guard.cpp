#include "stream_guard.h"

#include "bindings.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace quernel::binding {

bool StreamGuard::matches(PyObject *object, Frame &frame) const {
  const std::optional<RandomStream> stream = randomStreamOf(object);
  if (!stream || stream->kind != kind)
    return false;
  Py_INCREF(object);
  frame.objects[input] = object;
  frame.buffers[input] = frame.streams + offset;
  return true;
}

RandomStream StreamStates::stream(size_t k) const { return *randomStreamOf(frame.objects[streams[k]->input]); }

uint64_t *StreamStates::words(size_t k) const { return frame.streams + streams[k]->offset; }

bool StreamStates::areApart(const Frame &frame, const std::vector<const StreamGuard *> &streams) {
  const auto generator = [&](const StreamGuard *guard) {
    return randomStreamOf(frame.objects[guard->input])->bitGenerator;
  };
  for (size_t k = 1; k < streams.size(); ++k)
    if (std::any_of(streams.begin(), streams.begin() + static_cast<std::ptrdiff_t>(k),
                    [&](const StreamGuard *other) { return generator(other) == generator(streams[k]); }))
      return false;
  return true;
}

/// In the order of addresses: two calls that share streams would wait for each other in another one.
bool StreamStates::hold() {
  std::vector<size_t> order(streams.size());
  std::iota(order.begin(), order.end(), size_t(0));
  if (order.size() > 1)
    std::ranges::sort(order, std::less<>(), [&](size_t k) { return stream(k).bitGenerator; });
  for (size_t k : order) {
    locks.push_back(std::make_unique<RandomLock>(stream(k)));
    if (!*locks.back()) {
      locks.clear();
      return false;
    }
  }
  return true;
}

bool StreamStates::begin() {
  if (!hold())
    return false;
  for (size_t k = 0; k < streams.size(); ++k)
    if (!readState(stream(k), words(k)))
      return false;
  return true;
}

bool StreamStates::end() {
  if (streams.empty())
    return true;
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  bool isFine = !locks.empty() || hold();
  for (size_t k = 0; isFine && k < streams.size(); ++k)
    isFine = writeState(stream(k), words(k));
  locks.clear();
  if (type) // which tells of more than what comes on top of it
    PyErr_Restore(type, value, trace);
  return isFine;
}

void bindStreams(py::module_ &module) {
  module.def(
      "stream_kind",
      [](const py::object &object) -> py::object {
        const std::optional<RandomStream> stream = randomStreamOf(object.ptr());
        return stream ? py::object(py::make_tuple(int64_t(stream->kind), stream->words())) : py::none();
      },
      "The kind of a random generator's stream and how many words its state has, a tuple; None for other objects.");
}

} // namespace quernel::binding
