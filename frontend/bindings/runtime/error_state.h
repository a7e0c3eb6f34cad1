/// \file
/// What NumPy, and Python's filters, make of floating-point warnings now.

#ifndef QUERNEL_BINDINGS_RUNTIME_ERROR_STATE_H
#define QUERNEL_BINDINGS_RUNTIME_ERROR_STATE_H

#include <pybind11/pybind11.h>

namespace quernel::binding {

/// Kinds of floating-point events, with the numbers that they have in NumPy.
enum FloatKind { divideKind = 1, overKind = 2, underKind = 4, invalidKind = 8 };

/// The kinds of the processor's flags.
int kindsOf(int flags);

/// NumPy's `errstate` as far as it matters here.
struct ErrorState {
  int heard = 0;  ///< the kinds that aren't ignored
  int strict = 0; ///< the kinds among them that may change what a call does: they raise, or call the user's function
};

/// The state of the calling thread. Costs a few nanoseconds as long as the state stays the same. Never leaves a Python
/// error behind: where NumPy can't be asked, it is NumPy's default.
ErrorState errorState();

/// Whether one of Python's filters makes exceptions of a RuntimeWarning.
bool warningsRaise();

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_ERROR_STATE_H
