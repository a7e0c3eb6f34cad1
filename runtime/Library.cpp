#include "runtime/Library.h"

using namespace quernel;
using namespace quernel::runtime;

int32_t quernel::runtime::callRoutine(const qn_context *context, int32_t routine, int32_t type, void *const *operands,
                                      const int64_t *strides, const int64_t *sizes) {
  const RoutineCall call{context, routine, type, operands, strides, sizes};
  if (routine < 0 || routine >= QN_ROUTINES)
    return QN_NO_ROUTINE;
  switch (routineRows[routine].library) {
  case Library::blas:
    return callBlas(call);
  case Library::lapack:
    return callLapack(call);
  case Library::sorting:
    return callSorting(call);
  case Library::fourier:
    return callFourier(call);
  case Library::random:
    return callRandom(call);
  }
  return QN_NO_ROUTINE;
}
