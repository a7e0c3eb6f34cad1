/// \file
/// The memory of a `_runtime.Function`.

#ifndef QUERNEL_BINDINGS_RUNTIME_FUNCTION_OBJECT_H
#define QUERNEL_BINDINGS_RUNTIME_FUNCTION_OBJECT_H

#include "answer.h"
#include "function_version.h"

#include <array>
#include <cstdint>
#include <vector>

namespace quernel::binding {

/// The answers that a function has, most recently taken first; of many answers, those of the call's kind alone.
///
/// Everything that is called from here may run Python code, or let another thread run, that changes the list. So a
/// reference is held to what is being tried, and no place in the list is remembered.
class Answers {
public:
  /// As `Answer::call`, for the first that fits.
  bool call(const Arguments &arguments, PyObject *&result);

  void add(py::object answer);
  void clear();
  PyObject *list() const;
  int traverse(visitproc visit, void *argument) const;

private:
  struct Entry {
    py::object object;
    const Answer *answer;
    /// Of the calls that it answers, which are all of one kind; 0 where it has answered none by kind.
    uint64_t kind;
  };

  struct Kind {
    uint64_t number;
    size_t slot;
  };

  static constexpr size_t slots = 256;

  static Kind kindOf(const Arguments &arguments);
  bool callFirst(const Arguments &arguments, PyObject *&result);
  bool callOfKind(const Arguments &arguments, PyObject *&result);
  void moveToFront(const Answer *answer);

  std::vector<Entry> entries;
  std::array<size_t, slots> hints{}; ///< where the answer to a call may be
};

struct FunctionObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  Answers *programs;
  Answers *detours; ///< asked where no program answers
  PyObject *miss;
  PyObject *wrapped;
  FunctionVersion *version; ///< of `wrapped`, when the first answer was added
  PyObject *dict;
  PyObject *weakReferences;
  uint64_t calls;
  uint64_t memoryHits;
  uint64_t detoured;
  char followsBlocks; ///< whether it runs where a block of code asks for a device, which `miss` sees to
};

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_FUNCTION_OBJECT_H
