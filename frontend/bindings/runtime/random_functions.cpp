// NumPy's own functions that draw random numbers, lent to the runtime.
#include "bindings.h"
#include "numpy_api.h"
#include "runtime/Random.h"
#include <cstddef>
#include <numpy/random/distributions.h>

namespace py = pybind11;

namespace quernel::binding {

static_assert(sizeof(bitgen_t) == sizeof(runtime::BitGenerator));
static_assert(offsetof(bitgen_t, state) == offsetof(runtime::BitGenerator, state));
static_assert(offsetof(bitgen_t, next_uint64) == offsetof(runtime::BitGenerator, next64));
static_assert(offsetof(bitgen_t, next_uint32) == offsetof(runtime::BitGenerator, next32));
static_assert(offsetof(bitgen_t, next_double) == offsetof(runtime::BitGenerator, nextDouble));
static_assert(offsetof(bitgen_t, next_raw) == offsetof(runtime::BitGenerator, nextRaw));
static_assert(sizeof(binomial_t) <= sizeof(runtime::BinomialMemory));

/// Lends a function of the type that the runtime calls.
template <typename Result, typename... Parameters>
static void lend(int32_t routine, Result (*function)(bitgen_t *, Parameters...)) {
  runtime::lendDistribution(routine, reinterpret_cast<runtime::Distribution>(function));
}

/// Whether the process has the release of NumPy whose functions the module has: others may draw in other ways.
static bool hasOurRelease() {
  const auto version = py::module_::import("numpy").attr("__version__").cast<std::string>();
  return version.starts_with(QUERNEL_NUMPY_RELEASE ".");
}

void lendDistributions() {
  if (!hasOurRelease())
    return;
#define QN_DISTRIBUTION(ID, function, ...) lend<__VA_ARGS__>(QN_##ID, function);
#include "runtime/Distributions.def"
  lend<int64_t, double, int64_t, binomial_t *>(QN_BINOMIAL, random_binomial);
  lend<int64_t, int64_t, double, binomial_t *>(QN_LEGACY_BINOMIAL, random_binomial_btpe);
}

} // namespace quernel::binding
