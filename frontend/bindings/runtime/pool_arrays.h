/// \file
/// NumPy arrays whose memory comes from the runtime's pool.

#ifndef QUERNEL_BINDINGS_RUNTIME_POOLARRAYS_H
#define QUERNEL_BINDINGS_RUNTIME_POOLARRAYS_H

#include <pybind11/pybind11.h>

#include <cstdint>

namespace quernel::binding {

/// While it lives, the arrays that this thread makes have their memory from the runtime's pool, at 64-byte boundaries,
/// and give it back there. This is NumPy's handler of NEP 49.
class PoolArrays {
public:
  PoolArrays();
  ~PoolArrays();
  PoolArrays(const PoolArrays &) = delete;
  PoolArrays &operator=(const PoolArrays &) = delete;

  /// False, with a Python error set, where NumPy hasn't taken the handler.
  explicit operator bool() const { return previous != nullptr; }

private:
  PyObject *previous;
};

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_POOLARRAYS_H
