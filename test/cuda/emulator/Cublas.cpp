// A stand-in for cuBLAS: the functions that the runtime calls, on the emulated device's memory. It checks what it is
// given more strictly than cuBLAS does: each matrix has to be in one buffer, and the work memory as long as there is
// work.
#include "LibraryMath.h"
#include "LibraryTasks.h"

using namespace emulator;

namespace {

struct Handle {
  void *stream = nullptr, *workspace = nullptr;
  size_t workBytes = 0;
  int mathMode = 0, atomicsMode = 0;
};

enum Flip : int { plain = 0, transposed = 1 };
enum Element : int { realFloat = 0, realDouble = 1, complexFloat = 4, complexDouble = 5 };
enum Compute : int { floats = 68, floatsAlone = 69, doubles = 70, doublesAlone = 71 };

/// The element (i, j) of a matrix that may be flipped.
template <typename T> T at(const T *a, int64_t lead, int flip, int64_t i, int64_t j) {
  return flip == plain ? a[j * lead + i] : a[i * lead + j];
}

template <typename T> using WideOf = std::conditional_t<isPair<T>, std::complex<double>, double>;

bool hasWorkspace(const LibraryCall &call, const Handle &handle) {
  return call.writes("the work memory", static_cast<char *>(handle.workspace), int64_t(handle.workBytes));
}

template <typename T>
int gemm(Handle *handle, int flipA, int flipB, int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,
         int64_t leadA, int64_t nextA, const void *b, int64_t leadB, int64_t nextB, const void *beta, void *c,
         int64_t leadC, int64_t nextC, int64_t batch) {
  LibraryCall call("cublasGemmStridedBatchedEx_64");
  call.demand(m >= 0 && n >= 0 && k >= 0 && batch >= 0, "a size is negative");
  call.demand((flipA == plain || flipA == transposed) && (flipB == plain || flipB == transposed), "an unknown flip");
  call.demand(leadA >= std::max<int64_t>(1, flipA == plain ? m : k), "the leading dimension of a is too small");
  call.demand(leadB >= std::max<int64_t>(1, flipB == plain ? k : n), "the leading dimension of b is too small");
  call.demand(leadC >= std::max<int64_t>(1, m), "the leading dimension of c is too small");
  call.demand(nextA >= 0 && nextB >= 0, "a matrix of the batch lies before another");
  call.demand(batch < 2 || nextC >= leadC * (n - 1) + m, "the results of a batch overlap");
  const T one = *static_cast<const T *>(alpha), zero = *static_cast<const T *>(beta);
  call.demand(one == T(1) && zero == T(0), "factors that the runtime doesn't need");
  const Handle own = *handle;
  return call.run(own.stream, [=](const LibraryCall &call) {
    if (!hasWorkspace(call, own))
      return false;
    for (int64_t index = 0; index < batch; ++index) {
      const T *left = static_cast<const T *>(a) + index * nextA, *right = static_cast<const T *>(b) + index * nextB;
      T *out = static_cast<T *>(c) + index * nextC;
      if (!call.readsMatrix("a", left, flipA == plain ? m : k, flipA == plain ? k : m, leadA) ||
          !call.readsMatrix("b", right, flipB == plain ? k : n, flipB == plain ? n : k, leadB) ||
          !call.writesMatrix("c", out, m, n, leadC))
        return false;
      for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < m; ++i) {
          WideOf<T> sum = 0;
          for (int64_t l = 0; l < k; ++l)
            sum += WideOf<T>(at(left, leadA, flipA, i, l)) * WideOf<T>(at(right, leadB, flipB, l, j));
          out[j * leadC + i] = T(sum);
        }
    }
    return true;
  });
}

template <typename T>
int gemv(const char *name, Handle *handle, int flip, int64_t m, int64_t n, const void *alpha, const void *a,
         int64_t lead, int64_t nextA, const void *x, int64_t stepX, int64_t nextX, const void *beta, void *y,
         int64_t stepY, int64_t nextY, int64_t batch) {
  LibraryCall call(name);
  call.demand(m >= 0 && n >= 0 && batch >= 0, "a size is negative");
  call.demand(flip == plain || flip == transposed, "an unknown flip");
  call.demand(lead >= std::max<int64_t>(1, m), "the leading dimension is too small");
  call.demand(stepX > 0 && stepY > 0 && nextA >= 0 && nextX >= 0, "a step that isn't positive");
  call.demand(*static_cast<const T *>(alpha) == T(1) && *static_cast<const T *>(beta) == T(0),
              "factors that the runtime doesn't need");
  const int64_t rows = flip == plain ? m : n, inner = flip == plain ? n : m;
  call.demand(batch < 2 || nextY >= (rows - 1) * stepY + 1, "the results of a batch overlap");
  const Handle own = *handle;
  return call.run(own.stream, [=](const LibraryCall &call) {
    if (!hasWorkspace(call, own))
      return false;
    for (int64_t index = 0; index < batch; ++index) {
      const T *matrix = static_cast<const T *>(a) + index * nextA, *vector = static_cast<const T *>(x) + index * nextX;
      T *out = static_cast<T *>(y) + index * nextY;
      if (!call.readsMatrix("a", matrix, m, n, lead) || !call.reads("x", vector, inner ? (inner - 1) * stepX + 1 : 0) ||
          !call.writesMatrix("y", out, 1, rows, stepY))
        return false;
      for (int64_t i = 0; i < rows; ++i) {
        WideOf<T> sum = 0;
        for (int64_t l = 0; l < inner; ++l)
          sum += WideOf<T>(at(matrix, lead, flip, i, l)) * WideOf<T>(vector[l * stepX]);
        out[i * stepY] = T(sum);
      }
    }
    return true;
  });
}

template <typename T>
int getrf(const char *name, Handle *handle, int n, void *const *a, int lead, int *pivots, int *infos, int batch) {
  LibraryCall call(name);
  call.demand(n >= 1 && batch >= 1, "there is no matrix").demand(lead >= n, "the leading dimension is too small");
  call.demand(pivots, "there is no memory for pivots");
  const Handle own = *handle;
  return call.run(own.stream, [=](const LibraryCall &call) {
    bool isFine = hasWorkspace(call, own) && call.reads("the addresses", a, batch) &&
                  call.writes("the pivots", pivots, int64_t(n) * batch) && call.writes("the infos", infos, batch);
    for (int index = 0; isFine && index < batch; ++index) {
      auto *matrix = static_cast<T *>(a[index]);
      isFine = call.writesMatrix("a", matrix, n, n, lead);
      if (isFine)
        infos[index] = factorize(Matrix<T>{matrix, lead}, n, n, pivots + int64_t(index) * n);
    }
    return isFine;
  });
}

template <typename T>
int getrs(const char *name, Handle *handle, int flip, int n, int sides, const void *const *a, int leadA,
          const int *pivots, void *const *b, int leadB, int *info, int batch) {
  LibraryCall call(name);
  call.demand(flip == plain, "a flip that the runtime doesn't need");
  call.demand(n >= 1 && sides >= 1 && batch >= 1, "there is no system");
  call.demand(leadA >= n && leadB >= n, "a leading dimension is too small").demand(info, "no number to write");
  *info = 0; // in the host's memory
  const Handle own = *handle;
  return call.run(own.stream, [=](const LibraryCall &call) {
    bool isFine = hasWorkspace(call, own) && call.reads("the addresses", a, batch) &&
                  call.reads("the addresses", b, batch) && call.reads("the pivots", pivots, int64_t(n) * batch);
    for (int index = 0; isFine && index < batch; ++index) {
      const auto *matrix = static_cast<const T *>(a[index]);
      auto *side = static_cast<T *>(b[index]);
      isFine = call.readsMatrix("a", matrix, n, n, leadA) && call.writesMatrix("b", side, n, sides, leadB);
      if (isFine)
        solveFactors(Matrix<const T>{matrix, leadA}, pivots + int64_t(index) * n, Matrix<T>{side, leadB}, n, sides);
    }
    return isFine;
  });
}

template <typename T>
int trsm(const char *name, Handle *handle, int side, int part, int flip, int diagonal, int64_t m, int64_t n,
         const void *alpha, const void *a, int64_t leadA, void *b, int64_t leadB) {
  LibraryCall call(name);
  call.demand(side == 0 && flip == plain && diagonal == 0, "a form that the runtime doesn't need");
  call.demand(*static_cast<const T *>(alpha) == T(1), "a factor that the runtime doesn't need");
  call.demand(part == 0 || part == 1, "an unknown part").demand(m >= 1 && n >= 1, "there is no system");
  call.demand(leadA >= m && leadB >= m, "a leading dimension is too small");
  const Handle own = *handle;
  return call.run(own.stream, [=](const LibraryCall &call) {
    const auto *matrix = static_cast<const T *>(a);
    auto *sides = static_cast<T *>(b);
    if (!hasWorkspace(call, own) || !call.readsMatrix("a", matrix, m, m, leadA) ||
        !call.writesMatrix("b", sides, m, n, leadB))
      return false;
    solveTriangle(Matrix<const T>{matrix, leadA}, Matrix<T>{sides, leadB}, m, n, part == 0, false);
    return true;
  });
}

} // namespace

LIBRARY cublasCreate_v2(Handle **handle) {
  *handle = new Handle;
  return Done;
}
LIBRARY cublasSetStream_v2(Handle *handle, void *stream) {
  // As cuBLAS does, it forgets the work memory.
  handle->stream = stream;
  handle->workspace = nullptr;
  handle->workBytes = 0;
  return Done;
}
LIBRARY cublasSetWorkspace_v2(Handle *handle, void *memory, size_t bytes) {
  if (reinterpret_cast<uintptr_t>(memory) % 256 != 0)
    return BadArgument;
  handle->workspace = memory;
  handle->workBytes = bytes;
  return Done;
}
LIBRARY cublasSetMathMode(Handle *handle, int mode) {
  handle->mathMode = mode;
  return mode == 0 || mode == 2 ? Done : BadArgument;
}
LIBRARY cublasSetAtomicsMode(Handle *handle, int mode) {
  handle->atomicsMode = mode;
  return mode == 0 ? Done : BadArgument;
}

LIBRARY cublasGemmStridedBatchedEx_64(Handle *handle, int flipA, int flipB, int64_t m, int64_t n, int64_t k,
                                      const void *alpha, const void *a, int typeA, int64_t leadA, long long nextA,
                                      const void *b, int typeB, int64_t leadB, long long nextB, const void *beta,
                                      void *c, int typeC, int64_t leadC, long long nextC, int64_t batch, int compute,
                                      int algorithm) {
  const bool isDouble = compute == doubles || compute == doublesAlone;
  if (typeA != typeB || typeA != typeC || algorithm != -1 || (!isDouble && compute != floatsAlone))
    return BadArgument;
  const auto with = [&]<typename T>(T) {
    return gemm<T>(handle, flipA, flipB, m, n, k, alpha, a, leadA, nextA, b, leadB, nextB, beta, c, leadC, nextC,
                   batch);
  };
  if (typeA == realFloat && !isDouble)
    return with(float());
  if (typeA == realDouble && isDouble)
    return with(double());
  if (typeA == complexFloat && !isDouble)
    return with(std::complex<float>());
  if (typeA == complexDouble && isDouble)
    return with(std::complex<double>());
  return BadArgument;
}

#define GEMV(NAME, TYPE)                                                                                               \
  LIBRARY NAME(Handle *handle, int flip, int64_t m, int64_t n, const void *alpha, const void *a, int64_t lead,         \
               long long nextA, const void *x, int64_t stepX, long long nextX, const void *beta, void *y,              \
               int64_t stepY, long long nextY, int64_t batch) {                                                        \
    return gemv<TYPE>(#NAME, handle, flip, m, n, alpha, a, lead, nextA, x, stepX, nextX, beta, y, stepY, nextY,        \
                      batch);                                                                                          \
  }
GEMV(cublasSgemvStridedBatched_64, float)
GEMV(cublasDgemvStridedBatched_64, double)
GEMV(cublasCgemvStridedBatched_64, std::complex<float>)
GEMV(cublasZgemvStridedBatched_64, std::complex<double>)

#define FACTORS(LETTER, TYPE)                                                                                          \
  LIBRARY cublas##LETTER##getrfBatched(Handle *handle, int n, void *const *a, int lead, int *pivots, int *infos,       \
                                       int batch) {                                                                    \
    return getrf<TYPE>("cublas" #LETTER "getrfBatched", handle, n, a, lead, pivots, infos, batch);                     \
  }                                                                                                                    \
  LIBRARY cublas##LETTER##getrsBatched(Handle *handle, int flip, int n, int sides, const void *const *a, int leadA,    \
                                       const int *pivots, void *const *b, int leadB, int *info, int batch) {           \
    return getrs<TYPE>("cublas" #LETTER "getrsBatched", handle, flip, n, sides, a, leadA, pivots, b, leadB, info,      \
                       batch);                                                                                         \
  }                                                                                                                    \
  LIBRARY cublas##LETTER##trsm_v2_64(Handle *handle, int side, int part, int flip, int diagonal, int64_t m, int64_t n, \
                                     const void *alpha, const void *a, int64_t leadA, void *b, int64_t leadB) {        \
    return trsm<TYPE>("cublas" #LETTER "trsm_v2_64", handle, side, part, flip, diagonal, m, n, alpha, a, leadA, b,     \
                      leadB);                                                                                          \
  }
FACTORS(D, double)
FACTORS(Z, std::complex<double>)
