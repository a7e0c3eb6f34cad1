/// \file
/// The states of NumPy's random generators, as the runtime has them.

#ifndef QUERNEL_BINDINGS_RUNTIME_RANDOM_STATES_H
#define QUERNEL_BINDINGS_RUNTIME_RANDOM_STATES_H

#include "runtime/Random.h"

#include <pybind11/pybind11.h>

#include <optional>

namespace quernel::binding {

/// The stream behind a Generator or a RandomState. References are borrowed from that object: it has to live, and to
/// keep its bit generator.
struct RandomStream {
  PyObject *bitGenerator;
  PyObject *randomState; ///< null for a Generator
  runtime::StreamKind kind;

  int64_t words() const { return runtime::streamWords(kind); }
};

/// The stream of an object: of a Generator over a PCG64, PCG64DXSM, Philox, SFC64 or MT19937, or of a RandomState over
/// an MT19937, each of exactly that class. Nothing for all other objects. About 20 ns.
std::optional<RandomStream> randomStreamOf(PyObject *object);

/// The RandomState behind the functions of `numpy.random`, a borrowed reference; null with a Python error set.
PyObject *globalRandomState();

/// Copies the stream's state to or from as many words as its kind has; under the stream's lock (below). Some 30 ns
/// where NumPy's objects lie in memory as known, which is found out once for each class; else through the attribute
/// `state`, which takes microseconds. False with a Python error set.
bool readState(const RandomStream &stream, uint64_t *words);
bool writeState(const RandomStream &stream, const uint64_t *words);

/// Holds the lock that NumPy's own methods hold while they draw from a stream. Waits for it without Python's lock.
/// About 60 ns in all.
class RandomLock {
public:
  explicit RandomLock(const RandomStream &stream);
  ~RandomLock();
  RandomLock(const RandomLock &) = delete;
  RandomLock &operator=(const RandomLock &) = delete;

  /// False with a Python error set where the lock isn't held.
  explicit operator bool() const { return lock != nullptr; }

private:
  PyObject *lock;
};

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_RANDOM_STATES_H
