/// \file
/// Random streams among the arguments of a call: a program gets a stream's state as an array of words, which it writes.

#ifndef QUERNEL_BINDINGS_RUNTIME_STREAM_GUARD_H
#define QUERNEL_BINDINGS_RUNTIME_STREAM_GUARD_H

#include "guards.h"
#include "random_states.h"

#include <memory>
#include <vector>

namespace quernel::binding {

/// A guard for NumPy's Generator or RandomState over a bit generator of one kind. It puts the object into the frame;
/// the state is read when the program begins (`StreamStates`).
class StreamGuard final : public Guard {
public:
  bool matches(PyObject *object, Frame &frame) const override;

  size_t input = 0;
  runtime::StreamKind kind = runtime::StreamKind::pcg64;
  size_t offset = 0; ///< of the state's words in the frame
};

/// The states of the streams of one call. While it holds them, other threads wait with their draws.
class StreamStates {
public:
  StreamStates(const Frame &frame, const std::vector<const StreamGuard *> &streams) : frame(frame), streams(streams) {}

  /// Whether each argument is a stream of its own.
  static bool areApart(const Frame &frame, const std::vector<const StreamGuard *> &streams);

  /// Reads the states into the frame, and holds them. False with a Python error set.
  bool begin();
  /// Gives the streams the states that the program has left, and lets them go. A Python error that is set stays so.
  /// False with a Python error set.
  bool end();
  /// Lets the streams go as they were. What Python does then draws what the program has drawn.
  void release() { locks.clear(); }

private:
  RandomStream stream(size_t k) const;
  uint64_t *words(size_t k) const;
  bool hold();

  const Frame &frame;
  const std::vector<const StreamGuard *> &streams;
  std::vector<std::unique_ptr<RandomLock>> locks;
};

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_STREAM_GUARD_H
