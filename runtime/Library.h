// The routines of Library.def: what each is, and the functions that compute them.
#ifndef QUERNEL_RUNTIME_LIBRARY_H
#define QUERNEL_RUNTIME_LIBRARY_H

#include "runtime/abi.h"
#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace quernel {

/// Who computes a routine: the runtime with NumPy's BLAS; NumPy's LAPACK; NumPy's functions for sorting; NumPy's
/// Fourier transforms; the runtime with NumPy's distributions.
enum class Library { blas, lapack, sorting, fourier, random };

namespace routineTraits {
enum : unsigned {
  none = 0,
  /// The first input has as many rows as columns.
  square = 1,
  /// Some problems have no answer: there is one more output behind the others, an int64 that isn't 0 then.
  mayFail = 2,
  /// Outputs follow each other without gaps, in the order of their axes.
  contiguousResults = 4,
  /// A call comes to its end unless the user stops it: it needs no library and no memory that might be missing.
  alwaysEnds = 8,
};
} // namespace routineTraits

struct RoutineRow {
  std::string_view name;
  Library library;
  std::string_view signature, elements;
  unsigned traits;

  constexpr bool has(unsigned trait) const { return traits & trait; }
  /// How many inputs and outputs there are, without the number that says whether a problem has an answer.
  constexpr int operands() const {
    int count = 2;
    for (char letter : signature)
      count += letter == ',';
    return count;
  }
};

/// In the order of their numbers.
inline constexpr auto routineRows = [] {
  using namespace routineTraits;
  return std::to_array<RoutineRow>({
#define QN_ROUTINE(ID, name, library, signature, elements, traits)                                                     \
  {name, Library::library, signature, elements, traits},
#include "runtime/Library.def"
  });
}();
static_assert(routineRows.size() == QN_ROUTINES);

namespace runtime {

/// The bytes of an element of each type, in the order of abi.h.
inline constexpr int typeBytes[] = {4, 8, 8, 16, 1, 1, 1, 2, 2, 4, 4, 8, 8, 2};
static_assert(std::size(typeBytes) == QN_TYPES);

/// What a program hands to `call` of its context.
struct RoutineCall {
  const qn_context *context;
  int32_t routine, type;
  void *const *operands;
  const int64_t *strides, *sizes;
};

/// The function of `qn_context`.
int32_t callRoutine(const qn_context *context, int32_t routine, int32_t type, void *const *operands,
                    const int64_t *strides, const int64_t *sizes);

/// The functions of the libraries, for a call of a routine that is theirs.
int32_t callBlas(const RoutineCall &call);
int32_t callLapack(const RoutineCall &call);
int32_t callSorting(const RoutineCall &call);
int32_t callFourier(const RoutineCall &call);
int32_t callRandom(const RoutineCall &call);

} // namespace runtime
} // namespace quernel

#endif
