// Sorting as NumPy does: by NumPy's own functions where a process lends them, so that equal elements come in the same
// order and speed is the same; else by the standard library's.
#ifndef QUERNEL_RUNTIME_SORTING_H
#define QUERNEL_RUNTIME_SORTING_H

#include "runtime/abi.h"

namespace quernel::runtime {

/// How to sort elements of one type that follow each other in memory. The last parameter is nobody's; 0 where all went
/// well, which only memory hinders.
struct SortFunctions {
  int (*values)(void *elements, intptr_t count, void *) = nullptr;
  /// Puts `places`, which begin as 0, 1, 2, …, into the order of the elements that they stand for.
  int (*places)(void *elements, intptr_t *places, intptr_t count, void *) = nullptr;
};

/// Has elements of a type sorted by other functions from now on. For the beginning of a process: nobody may sort
/// meanwhile. `algorithm` is QN_SORT or QN_SORT_STABLE.
void lendSortFunctions(int32_t algorithm, int32_t type, SortFunctions functions);

/// Partitions elements of a type that follow each other in memory by positions, or puts their places into the order of
/// the elements where `places` isn't null. False where there is no memory. Any thread may call it.
using PartitionFunction = bool (*)(int32_t type, void *elements, intptr_t *places, intptr_t count,
                                   const int64_t *positions, intptr_t wanted);

/// Has elements partitioned by another function from now on. For the beginning of a process, too.
void lendPartition(PartitionFunction function);

/// Sorts each of `rows` rows of `count` elements, NaN last, from `values` into `out`, which may be the same memory;
/// places are int64. `order` is one of the routines of sorting. `strides` has, in elements, the steps from row to row
/// and from element to element of `values`, then of `out`, and the step of `positions`, of which there are `wanted`;
/// only a partition has some, and puts in place nothing but what belongs there, unless it is NumPy's. Polls. Returns
/// QN_OUT_OF_MEMORY, QN_INTERRUPTED or QN_OK, or QN_NO_ROUTINE where nobody lends NumPy's partition.
int32_t sortRows(const qn_context *context, int32_t order, int32_t type, const void *values, void *out,
                 const int64_t *strides, int64_t rows, int64_t count, const int64_t *positions, int64_t wanted);

} // namespace quernel::runtime

#endif
