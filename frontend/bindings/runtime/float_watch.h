/// \file
/// The floating-point warnings of a program: when the user's function has to be asked which NumPy gives.

#ifndef QUERNEL_BINDINGS_RUNTIME_FLOAT_WATCH_H
#define QUERNEL_BINDINGS_RUNTIME_FLOAT_WATCH_H

#include "answer.h"

#include <array>
#include <cstdint>
#include <vector>

namespace quernel::binding {

/// Looks at the flags that a program's runs leave behind, and asks a callable about those that NumPy warns of.
///
/// The callable gets the kinds, whether a warning may change what the call does, the arguments as a tuple and a dict,
/// and what the program has written: pairs of an array and a copy of what it was before, or None where no copies were
/// made. It gives the call's answer, or NotImplemented where that is the program's; for how many nanoseconds runs with
/// the same kinds need no question, unless a warning may change what the call does; and for how many of the next runs
/// copies should be made.
class FloatWatch {
public:
  /// From None, for a program that is never asked about, or a tuple: the kinds for which the state outside decides,
  /// those that the function itself wants to hear of, those that happen at every call, what kinds the flag of each kind
  /// may stand for, and the callable. Throws a TypeError or ValueError with what is wrong with it.
  explicit FloatWatch(py::handle form);

  /// Whether to copy what the program will write.
  bool wantsCopies() const;

  /// The time that the copies and the run behind them took, in nanoseconds: where copies cost next to nothing,
  /// they are always made.
  void noteTimes(int64_t copying, int64_t running) const;

  /// `copies` are those of `copiesOf`, or null. Called with Python's lock after a run that has left watched flags, or
  /// of a program whose kinds happen always. True: `result` is the call's answer, or null with a Python error set.
  bool answers(int flags, const Arguments &arguments, const py::object &copies, PyObject *&result) const;

  /// Whether flags matter at all.
  bool isWatched() const { return (outer | inner) != 0; }

  /// Kinds that happen although no flag tells.
  bool isAlways() const { return always != 0; }

  int traverse(visitproc visit, void *argument) const;
  void clear();

private:
  bool ask(int kinds, bool isStrict, const Arguments &arguments, const py::object &copies, PyObject *&result) const;

  /// For so many runs copies are made at first, as those take longer anyway.
  static constexpr uint64_t firstRuns = 2;

  int kindsMet(int flags) const;

  int outer = 0, inner = 0, always = 0;
  std::array<int, 4> means{}; ///< by bit
  py::object callable;
  // Under Python's lock.
  mutable std::array<int64_t, 16> quiet{}; ///< by kinds: until when, by the steady clock, there is no question
  mutable uint64_t copied = firstRuns;     ///< for how many runs copies are made
};

/// A copy of each of these arrays, as pairs for the callable of a `FloatWatch`; null where memory is out.
py::object copiesOf(PyObject *const *objects, const std::vector<size_t> &numbers);

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_FLOAT_WATCH_H
