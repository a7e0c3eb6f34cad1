// Routines of libraries for exported programs: `libquernel_runtime.so`, which lies beside a library that needs them.
#include "runtime/Blas.h"
#include "runtime/Context.h"
#include <dlfcn.h>

using namespace quernel::runtime;

/// Loads an OpenBLAS by its usual names where the process has none yet. Nothing is told of where there is none: a
/// routine that needs it says so.
static bool loadBlas() {
  if (findBlas())
    return true;
  for (const char *name : {"libopenblas.so.0", "libopenblas.so", "libopenblas64_.so.0"})
    if (dlopen(name, RTLD_NOW | RTLD_LOCAL) && findBlas())
      return true;
  return false;
}

/// The context whose `call`, `draw` and `parallel_tasks` a program of a library is lent.
extern "C" __attribute__((visibility("default"))) const qn_context *qn_runtime_context(int32_t threads) {
  static const bool hasBlas = loadBlas();
  (void)hasBlas;
  return &context(threads);
}
