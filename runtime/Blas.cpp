#include "runtime/Blas.h"
#include "runtime/LoadedLibraries.h"
#include <atomic>
#include <dlfcn.h>
#include <mutex>
#include <type_traits>

using namespace quernel::runtime;

namespace {

BlasFunctions functionsOf(void *handle, const std::string &start, const char *dot, const std::string &suffix) {
  auto symbol = [&](const char *name) { return dlsym(handle, (start + name + suffix).c_str()); };
  return {symbol(dot), symbol("gemv"), symbol("syrk"), symbol("gemm")};
}

/// Finds the functions of all element types; false where one is missing.
bool findFunctions(Blas &blas, void *handle, const std::string &prefix, const std::string &suffix) {
  blas.f64 = functionsOf(handle, prefix + "d", "dot", suffix);
  blas.f32 = functionsOf(handle, prefix + "s", "dot", suffix);
  blas.c128 = functionsOf(handle, prefix + "z", "dotu_sub", suffix);
  blas.c64 = functionsOf(handle, prefix + "c", "dotu_sub", suffix);
  return blas.f64.complete() && blas.f32.complete() && blas.c128.complete() && blas.c64.complete();
}

/// Finds the functions that say how many threads an OpenBLAS has; names have the library's prefix and suffix.
void findThreads(Blas &blas, void *handle, const std::string &prefix, const std::string &suffix) {
  void *get = dlsym(handle, (prefix + "openblas_get_num_threads" + suffix).c_str());
  void *set = dlsym(handle, (prefix + "openblas_set_num_threads" + suffix).c_str());
  if (!get || !set)
    return;
  blas.threads = reinterpret_cast<int (*)()>(get);
  blas.setThreads = reinterpret_cast<void (*)(int)>(set);
}

bool contains(const std::string &path, const char *part) { return path.find(part) != std::string::npos; }

/// SciPy brings an OpenBLAS of its own, which isn't the one that NumPy's results come from.
int rank(const std::string &path, const Blas &blas) {
  return (contains(path, "_multiarray_umath") ? 4 : contains(path, "numpy") ? 2 : 0) + (blas.wide ? 1 : 0);
}

/// Whether integers have 64 bits. Names don't tell: some libraries of either width leave out the suffix. One that reads
/// 64 bits sees a negative length here, and sums nothing.
bool hasWideIntegers(const BlasFunctions &f64) {
  using Function = double(int64_t, const double *, int64_t, const double *, int64_t);
  const double one = 1;
  return reinterpret_cast<Function *>(f64.dot)(INT64_MIN + 1, &one, 1, &one, 1) == 0;
}

std::string libraryOf(void *function) {
  Dl_info info;
  return dladdr(function, &info) && info.dli_fname ? info.dli_fname : "";
}

template <typename T> const BlasFunctions &functions(const Blas &blas) {
  if constexpr (isComplex<T>)
    return std::is_same_v<RealOf<T>, double> ? blas.c128 : blas.c64;
  else
    return std::is_same_v<T, double> ? blas.f64 : blas.f32;
}

/// How the C interface takes a factor: complex ones by their address.
template <typename T> struct Factor {
  using Type = T;
  static T pass(const T &value) { return value; }
};
template <typename T> struct Factor<Complex<T>> {
  using Type = const Complex<T> *;
  static Type pass(const Complex<T> &value) { return &value; }
};

/// Calls `body` with a zero of the library's integer type.
template <typename Body> auto withInteger(const Blas &blas, Body body) {
  return blas.wide ? body(int64_t(0)) : body(int32_t(0));
}

} // namespace

Blas quernel::runtime::openBlas(const std::string &library) {
  void *handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (!handle)
    return {};
  Blas blas;
  for (const char *suffix : {"64_", "_64", ""})
    for (const char *prefix : {"scipy_", ""}) {
      if (!findFunctions(blas, handle, std::string(prefix) + "cblas_", suffix))
        continue;
      findThreads(blas, handle, prefix, suffix);
      blas.library = libraryOf(blas.f64.gemm);
      blas.wide = hasWideIntegers(blas.f64);
      blas.largest = (blas.wide ? INT64_MAX : int64_t(INT32_MAX)) - 1;
      // The handle stays open, so that the library can't be unloaded.
      return blas;
    }
  dlclose(handle);
  return {};
}

Blas quernel::runtime::searchBlas() {
  Blas best;
  int bestRank = -1;
  for (const std::string &path : loadedLibraries()) {
    if (!contains(path, "_multiarray_umath") && !contains(path, "openblas"))
      continue;
    Blas candidate = openBlas(path);
    if (candidate.library.empty() || rank(path, candidate) <= bestRank)
      continue;
    bestRank = rank(path, candidate);
    best = std::move(candidate);
  }
  return best;
}

const Blas *quernel::runtime::findBlas() {
  static std::atomic<const Blas *> known = nullptr;
  if (const Blas *blas = known.load(std::memory_order_acquire))
    return blas;
  Blas found = searchBlas();
  if (found.library.empty())
    return nullptr;
  static const Blas kept = std::move(found);
  known.store(&kept, std::memory_order_release);
  return &kept;
}

template <typename T>
T quernel::runtime::blasDot(const Blas &blas, int64_t n, const T *x, int64_t xStep, const T *y, int64_t yStep) {
  return withInteger(blas, [&](auto zero) {
    using Int = decltype(zero);
    if constexpr (isComplex<T>) {
      using Function = void(Int, const T *, Int, const T *, Int, T *);
      T sum;
      reinterpret_cast<Function *>(functions<T>(blas).dot)(n, x, xStep, y, yStep, &sum);
      return sum;
    } else {
      using Function = T(Int, const T *, Int, const T *, Int);
      return reinterpret_cast<Function *>(functions<T>(blas).dot)(n, x, xStep, y, yStep);
    }
  });
}

template <typename T>
void quernel::runtime::blasGemv(const Blas &blas, Order order, int64_t rows, int64_t columns, const T *a, int64_t lda,
                                const T *x, int64_t xStep, T *y) {
  withInteger(blas, [&](auto zero) {
    using Int = decltype(zero);
    using F = Factor<T>;
    using Function =
        void(Order, Transpose, Int, Int, typename F::Type, const T *, Int, const T *, Int, typename F::Type, T *, Int);
    reinterpret_cast<Function *>(functions<T>(blas).gemv)(order, Transpose::Yes, rows, columns, F::pass(1), a, lda, x,
                                                          xStep, F::pass(0), y, 1);
  });
}

template <typename T>
void quernel::runtime::blasSyrk(const Blas &blas, Transpose transpose, int64_t n, int64_t k, const T *a, int64_t lda,
                                T *c, int64_t ldc) {
  constexpr int upper = 121;
  withInteger(blas, [&](auto zero) {
    using Int = decltype(zero);
    using F = Factor<T>;
    using Function =
        void(Order, int, Transpose, Int, Int, typename F::Type, const T *, Int, typename F::Type, T *, Int);
    reinterpret_cast<Function *>(functions<T>(blas).syrk)(Order::RowMajor, upper, transpose, n, k, F::pass(1), a, lda,
                                                          F::pass(0), c, ldc);
  });
}

template <typename T>
void quernel::runtime::blasGemm(const Blas &blas, Transpose transposeA, Transpose transposeB, int64_t m, int64_t n,
                                int64_t k, const T *a, int64_t lda, const T *b, int64_t ldb, T *c, int64_t ldc) {
  withInteger(blas, [&](auto zero) {
    using Int = decltype(zero);
    using F = Factor<T>;
    using Function = void(Order, Transpose, Transpose, Int, Int, Int, typename F::Type, const T *, Int, const T *, Int,
                          typename F::Type, T *, Int);
    reinterpret_cast<Function *>(functions<T>(blas).gemm)(Order::RowMajor, transposeA, transposeB, m, n, k, F::pass(1),
                                                          a, lda, b, ldb, F::pass(0), c, ldc);
  });
}

#define INSTANTIATE(T)                                                                                                 \
  template T quernel::runtime::blasDot(const Blas &, int64_t, const T *, int64_t, const T *, int64_t);                 \
  template void quernel::runtime::blasGemv(const Blas &, Order, int64_t, int64_t, const T *, int64_t, const T *,       \
                                           int64_t, T *);                                                              \
  template void quernel::runtime::blasSyrk(const Blas &, Transpose, int64_t, int64_t, const T *, int64_t, T *,         \
                                           int64_t);                                                                   \
  template void quernel::runtime::blasGemm(const Blas &, Transpose, Transpose, int64_t, int64_t, int64_t, const T *,   \
                                           int64_t, const T *, int64_t, T *, int64_t);
INSTANTIATE(double)
INSTANTIATE(float)
INSTANTIATE(Complex<double>)
INSTANTIATE(Complex<float>)
