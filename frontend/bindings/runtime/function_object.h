/// \file
/// The memory of a `_runtime.Function`.

#ifndef QUERNEL_BINDINGS_RUNTIME_FUNCTION_OBJECT_H
#define QUERNEL_BINDINGS_RUNTIME_FUNCTION_OBJECT_H

#include "specialization.h"

#include <vector>

namespace quernel::binding {

/// The specializations of a function, most recently hit first.
///
/// Everything that is called from here may run Python code, or let another thread run, that changes the list. So a
/// reference is held to what is being tried, and no place in the list is remembered.
class Specializations {
public:
  /// As `Specialization::call`, for the first that fits.
  bool call(const Arguments &arguments, PyObject *&result);

  void add(py::object specialization);
  void clear();
  PyObject *list() const;
  int traverse(visitproc visit, void *argument) const;

private:
  struct Entry {
    py::object object;
    const Specialization *specialization;
  };

  void moveToFront(const Specialization *specialization);

  std::vector<Entry> entries;
};

struct FunctionObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  Specializations *specializations;
  PyObject *miss;
  PyObject *dict;
  PyObject *weakReferences;
  uint64_t calls;
  uint64_t memoryHits;
};

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_FUNCTION_OBJECT_H
