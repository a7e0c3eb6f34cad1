/// \file
/// Python's lock while a program runs.

#ifndef QUERNEL_BINDINGS_RUNTIME_ENTERING_H
#define QUERNEL_BINDINGS_RUNTIME_ENTERING_H

#include "frontend/bindings/python_lock.h"

namespace quernel::binding {

/// The run of a program that has begun with Python's lock, because it will probably be over soon. Where it isn't, the
/// lock is given back the first time that the program asks for interrupts.
class Entering {
public:
  Entering() : outer(current) { current = this; }
  ~Entering() {
    current = outer;
    if (state)
      inPython([this] { PyEval_RestoreThread(state); });
  }
  Entering(const Entering &) = delete;
  Entering &operator=(const Entering &) = delete;

  /// The calling thread's innermost run that still has the lock, or null.
  static Entering *withLock() { return current && !current->state ? current : nullptr; }

  void giveBack() { state = PyEval_SaveThread(); }

private:
  [[gnu::tls_model("initial-exec")]] static inline thread_local Entering *current = nullptr;

  Entering *outer;
  PyThreadState *state = nullptr;
};

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_ENTERING_H
