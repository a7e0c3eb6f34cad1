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

/// While it lives, the next array that this thread makes, and only that one, lies in memory of the pool that somebody
/// else has filled. `address` becomes null as soon as an array owns the memory.
class HandedMemory {
public:
  explicit HandedMemory(void *&address);
  ~HandedMemory();
  HandedMemory(const HandedMemory &) = delete;
  HandedMemory &operator=(const HandedMemory &) = delete;

  /// As that of PoolArrays.
  explicit operator bool() const { return bool(pool); }

private:
  PoolArrays pool;
};

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_POOLARRAYS_H
