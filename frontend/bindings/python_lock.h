/// \file
/// Python's lock, given back and taken again by threads that may outlive Python.
///
/// When Python ends while other threads are still running, it ends each of them as soon as it asks for the lock: by
/// `pthread_exit`, which unwinds the thread's frames. Ours would drop references without the lock, or end the process
/// where they may not be unwound. So such a thread stops where it is, until the process is gone.

#ifndef QUERNEL_BINDINGS_PYTHON_LOCK_H
#define QUERNEL_BINDINGS_PYTHON_LOCK_H

#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

namespace quernel::binding {

/// Runs what may wait for Python's lock.
template <typename Body> auto inPython(Body body) {
#ifdef __GLIBCXX__
  try {
    return body();
  } catch (abi::__forced_unwind &) {
    for (;;)
      pause();
  }
#else
  return body();
#endif
}

/// Lets other threads have the lock for as long as it lives.
class LockReleased {
public:
  LockReleased() = default;
  ~LockReleased() {
    inPython([this] { PyEval_RestoreThread(state); });
  }
  LockReleased(const LockReleased &) = delete;
  LockReleased &operator=(const LockReleased &) = delete;

private:
  PyThreadState *state = PyEval_SaveThread();
};

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_PYTHON_LOCK_H
