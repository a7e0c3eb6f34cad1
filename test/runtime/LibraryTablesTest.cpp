// The tables of cuBLAS, cuSOLVER and cuFFT, and the driver's structures, against the headers and the libraries of a
// CUDA that is installed.
#include "runtime/device/CudaFolders.h"
#include "runtime/device/DeviceLibraries.h"
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <type_traits>

#if __has_include(<cuda.h>)
#include <cuda.h>
#if CUDA_VERSION >= 12040
#include "runtime/device/Driver.h"
#include <cstddef>

namespace {

// What nodes of graphs are, as the driver reads it.
using Ours = quernel::runtime::DriverNodeParameters;
static_assert(sizeof(Ours) == sizeof(CUgraphNodeParams) &&
              offsetof(Ours, kernel) == offsetof(CUgraphNodeParams, kernel));
static_assert(offsetof(Ours, reservedToo) == offsetof(CUgraphNodeParams, reserved2));
static_assert(offsetof(Ours::Kernel, blocks) == offsetof(CUDA_KERNEL_NODE_PARAMS_v3, gridDimX));
static_assert(offsetof(Ours::Kernel, threads) == offsetof(CUDA_KERNEL_NODE_PARAMS_v3, blockDimX));
static_assert(offsetof(Ours::Kernel, shared) == offsetof(CUDA_KERNEL_NODE_PARAMS_v3, sharedMemBytes));
static_assert(offsetof(Ours::Kernel, arguments) == offsetof(CUDA_KERNEL_NODE_PARAMS_v3, kernelParams));
static_assert(offsetof(Ours::Kernel, context) == offsetof(CUDA_KERNEL_NODE_PARAMS_v3, ctx));
static_assert(offsetof(Ours::Conditional, type) == offsetof(CUDA_CONDITIONAL_NODE_PARAMS, type));
static_assert(offsetof(Ours::Conditional, count) == offsetof(CUDA_CONDITIONAL_NODE_PARAMS, size));
static_assert(offsetof(Ours::Conditional, bodies) == offsetof(CUDA_CONDITIONAL_NODE_PARAMS, phGraph_out));
static_assert(offsetof(Ours::Conditional, context) == offsetof(CUDA_CONDITIONAL_NODE_PARAMS, ctx));
static_assert(CU_GRAPH_NODE_TYPE_KERNEL == 0 && CU_GRAPH_NODE_TYPE_CONDITIONAL == 13 && CU_GRAPH_COND_TYPE_WHILE == 1 &&
              CU_GRAPH_COND_ASSIGN_DEFAULT == 1);

} // namespace
#endif
#endif

#if __has_include(<cublas_v2.h>) && __has_include(<cusolverDn.h>) && __has_include(<cufft.h>)
#include <cublas_v2.h>
#include <cufft.h>
#include <cusolverDn.h>

namespace {

/// Whether a value is handed over in the same way: pointers, or integers and enumerations of the same size.
template <typename Theirs, typename Ours>
constexpr bool isSame =
    std::is_pointer_v<Theirs> ? std::is_pointer_v<Ours>
                              : !std::is_pointer_v<Ours> && sizeof(Theirs) == sizeof(Ours) &&
                                    std::is_floating_point_v<Theirs> == std::is_floating_point_v<Ours>;

template <typename Theirs, typename Ours> constexpr bool fits = false;
template <typename Result, typename... Theirs, typename... Ours>
constexpr bool fits<Result(Theirs...), int (*)(Ours...)> = [] {
  if constexpr (sizeof...(Theirs) == sizeof...(Ours))
    return sizeof(Result) == sizeof(int) && (isSame<Theirs, Ours> && ...);
  return false;
}();

using namespace quernel::runtime;

#define QN_LIBRARY_FUNCTION(member, symbol, ...)                                                                       \
  static_assert(fits<decltype(::symbol), decltype(Cublas::member)>, #symbol);
#include "runtime/device/Cublas.def"

#define QN_LIBRARY_FUNCTION(member, symbol, ...)                                                                       \
  static_assert(fits<decltype(::symbol), decltype(Cufft::member)>, #symbol);
#include "runtime/device/Cufft.def"

#define QN_LIBRARY_FUNCTION(member, symbol, ...)                                                                       \
  static_assert(fits<decltype(::symbol), decltype(Cusolver::member)>, #symbol);
#if CUSOLVER_VERSION < 11701
// What CUDA 12.6 and later ones have.
#define QN_LIBRARY_OPTION(member, symbol, ...)
#endif
#include "runtime/device/Cusolver.def"

static_assert(cuda::plain == int(CUBLAS_OP_N) && cuda::transposed == int(CUBLAS_OP_T));
static_assert(cuda::lower == int(CUBLAS_FILL_MODE_LOWER) && cuda::upper == int(CUBLAS_FILL_MODE_UPPER));
static_assert(cuda::left == int(CUBLAS_SIDE_LEFT) && cuda::given == int(CUBLAS_DIAG_NON_UNIT));
static_assert(cuda::valuesAlone == int(CUSOLVER_EIG_MODE_NOVECTOR) &&
              cuda::withVectors == int(CUSOLVER_EIG_MODE_VECTOR));
static_assert(cuda::realFloat == int(CUDA_R_32F) && cuda::realDouble == int(CUDA_R_64F));
static_assert(cuda::complexFloat == int(CUDA_C_32F) && cuda::complexDouble == int(CUDA_C_64F));
static_assert(cuda::complexFloats == int(CUFFT_C2C) && cuda::complexDoubles == int(CUFFT_Z2Z));
static_assert(cuda::realToComplexFloats == int(CUFFT_R2C) && cuda::realToComplexDoubles == int(CUFFT_D2Z));
static_assert(cuda::complexToRealFloats == int(CUFFT_C2R) && cuda::complexToRealDoubles == int(CUFFT_Z2D));
static_assert(cuda::forward == CUFFT_FORWARD && cuda::inverse == CUFFT_INVERSE);
static_assert(cuda::floats == int(CUBLAS_COMPUTE_32F_PEDANTIC) && cuda::doubles == int(CUBLAS_COMPUTE_64F));
static_assert(cuda::defaultMath == int(CUBLAS_DEFAULT_MATH) && cuda::noAtomics == int(CUBLAS_ATOMICS_NOT_ALLOWED));
static_assert(cuda::defaultAlgorithm == int(CUBLAS_GEMM_DEFAULT));

} // namespace
#endif

namespace {

constexpr const char *blasNames[] = {
#define QN_LIBRARY_FUNCTION(member, symbol, ...) #symbol,
#include "runtime/device/Cublas.def"
};
constexpr const char *solverNames[] = {
#define QN_LIBRARY_FUNCTION(member, symbol, ...) #symbol,
#include "runtime/device/Cusolver.def"
};
constexpr const char *fourierNames[] = {
#define QN_LIBRARY_FUNCTION(member, symbol, ...) #symbol,
#include "runtime/device/Cufft.def"
};

/// The first function that an installed library lacks; empty where it lacks none, or isn't installed.
std::string missingFunction(const char *library, std::span<const char *const> functions) {
  for (const quernel::runtime::CudaFolder &folder : quernel::runtime::cudaFolders())
    if (void *handle = dlopen(folder.file(library).c_str(), RTLD_LAZY | RTLD_LOCAL)) {
      for (const char *name : functions)
        if (!dlsym(handle, name))
          return name;
      return "";
    }
  return "";
}

} // namespace

TEST(LibraryTables, NameFunctionsThatLibrariesHave) {
  EXPECT_EQ(missingFunction("libcublas.so.13", blasNames), "");
  EXPECT_EQ(missingFunction("libcusolver.so.12", solverNames), "");
  EXPECT_EQ(missingFunction("libcufft.so.12", fourierNames), "");
}
