// A stand-in for cuSOLVER: the functions that the runtime calls, for doubles and complex numbers of doubles, on the
// emulated device's memory. What plain loops don't do is left to the LAPACK that NumPy brings into the process.
#include "LibraryMath.h"
#include "LibraryTasks.h"

#include "runtime/Lapack.h"

#include <vector>

using namespace emulator;
using quernel::runtime::Lapack;
using quernel::runtime::LapackFunction;

namespace {

struct Handle {
  void *stream = nullptr;
};

using Complex = std::complex<double>;
enum Element : int { realDouble = 1, complexDouble = 5 };
/// What functions ask for, so that it is seen whether they get it.
constexpr size_t deviceBytes = 96, hostBytes = 24;

int giveSizes(size_t *onDevice, size_t *onHost) {
  *onDevice = deviceBytes;
  *onHost = hostBytes;
  return Done;
}

/// The memory that a function of the generic interface works in.
struct Work {
  void *onDevice;
  size_t deviceSize;
  void *onHost;
  size_t hostSize;

  LibraryCall &check(LibraryCall &call) const {
    if (hostSize == hostBytes && onHost)
      memset(onHost, 0xAB, hostSize);
    return call.demand(deviceSize == deviceBytes, "other work memory than it has asked for")
        .demand(hostSize == hostBytes && onHost, "no work memory of the host");
  }
  bool isThere(const LibraryCall &call) const {
    return call.writes("the work memory", static_cast<char *>(onDevice), int64_t(deviceSize));
  }
};

/// Calls a function with an element of a type; refuses the others.
template <typename Body> int withType(int type, int compute, Body body) {
  if (type != compute)
    return BadArgument;
  return type == realDouble ? body(double()) : type == complexDouble ? body(Complex()) : int(BadArgument);
}

template <typename T, typename Int> struct Host {
  const Lapack &lapack;

  template <typename... Parameters> Int run(LapackFunction function, Parameters... parameters) const {
    Int info = 0;
    Lapack::call(isPair<T> ? lapack.complex : lapack.real, function, parameters..., &info);
    return info;
  }

  /// Calls a function twice: it says how large its work memory has to be, then it works.
  template <typename Call> Int withWork(Call call) const {
    T answer{};
    Int size = -1;
    if (const Int info = call(&answer, &size))
      return info;
    size = Int(realOf(answer)) + 1;
    std::vector<T> work(size);
    return call(work.data(), &size);
  }
};

/// Calls a function with the process's LAPACK.
template <typename T, typename Body> bool withLapack(Body body) {
  const Lapack *lapack = quernel::runtime::findLapack();
  if (!lapack) {
    driverTasks().refuse("cuSOLVER's stand-in", "the process has no LAPACK");
    return false;
  }
  return lapack->wide ? body(Host<T, int64_t>{*lapack}, int64_t()) : body(Host<T, int32_t>{*lapack}, int32_t());
}

template <typename T>
int svd(Handle *handle, signed char left, signed char right, int64_t m, int64_t n, T *a, int64_t lead, double *s, T *u,
        int64_t leadU, T *v, int64_t leadV, const Work &work, int *info) {
  LibraryCall call("cusolverDnXgesvd");
  call.demand(left == right && (left == 'A' || left == 'S' || left == 'N'), "a form that the runtime doesn't need");
  call.demand(m >= n && n >= 1, "there are fewer rows than columns").demand(lead >= m, "a leading dimension");
  call.demand(left == 'N' || (leadU >= m && leadV >= n), "a leading dimension of vectors is too small");
  return work.check(call).run(handle->stream, [=](const LibraryCall &call) {
    const int64_t columns = left == 'A' ? m : n;
    if (!work.isThere(call) || !call.writesMatrix("a", a, m, n, lead) || !call.writes("the values", s, n) ||
        !call.writes("the info", info, 1) ||
        (left != 'N' && (!call.writesMatrix("u", u, m, columns, leadU) || !call.writesMatrix("v", v, n, n, leadV))))
      return false;
    return withLapack<T>([&]<typename Int>(const Host<T, Int> &host, Int) {
      const char job = char(left);
      const Int rows = m, width = n, leadA = lead, leadLeft = std::max<int64_t>(leadU, m), leadRight = leadV;
      std::vector<double> reals((5 * n * n + 7 * n) * 2 + 2 * m * n + 2 * n * n + n);
      std::vector<Int> integers(8 * n);
      const Int code = host.withWork([&](T *memory, Int *size) {
        if constexpr (isPair<T>)
          return host.run(LapackFunction::Gesdd, &job, &rows, &width, a, &leadA, s, u, &leadLeft, v, &leadRight, memory,
                          size, reals.data(), integers.data());
        else
          return host.run(LapackFunction::Gesdd, &job, &rows, &width, a, &leadA, s, u, &leadLeft, v, &leadRight, memory,
                          size, integers.data());
      });
      *info = int(code);
      return true;
    });
  });
}

template <typename T>
bool solveSymmetric(const LibraryCall &call, int job, int64_t n, T *a, int64_t lead, double *w, int *info) {
  if (!call.writesMatrix("a", a, n, n, lead) || !call.writes("the values", w, n) || !call.writes("the info", info, 1))
    return false;
  return withLapack<T>([&]<typename Int>(const Host<T, Int> &host, Int) {
    const char wish = job ? 'V' : 'N', part = 'L';
    const Int size = n, leadA = lead;
    std::vector<double> reals(1 + 5 * n + 2 * n * n);
    std::vector<Int> integers(3 + 5 * n);
    Int realSize = reals.size(), integerSize = integers.size();
    const Int code = host.withWork([&](T *memory, Int *workSize) {
      Int ofReals = *workSize < 0 ? -1 : realSize, ofIntegers = *workSize < 0 ? -1 : integerSize;
      double realAnswer = 0;
      Int integerAnswer = 0;
      double *realMemory = *workSize < 0 ? &realAnswer : reals.data();
      Int *integerMemory = *workSize < 0 ? &integerAnswer : integers.data();
      if constexpr (isPair<T>)
        return host.run(LapackFunction::Evd, &wish, &part, &size, a, &leadA, w, memory, workSize, realMemory, &ofReals,
                        integerMemory, &ofIntegers);
      else
        return host.run(LapackFunction::Evd, &wish, &part, &size, a, &leadA, w, memory, workSize, integerMemory,
                        &ofIntegers);
    });
    *info = int(code);
    return true;
  });
}

template <typename T>
int makeQ(const char *name, Handle *handle, int m, int n, int k, T *a, int lead, const T *tau, T *work, int elements,
          int *info) {
  LibraryCall call(name);
  call.demand(m >= n && n >= k && k >= 0 && lead >= m, "sizes that don't fit").demand(elements == 6, "the work memory");
  return call.run(handle->stream, [=](const LibraryCall &call) {
    if (!call.writes("the work memory", work, elements) || !call.writesMatrix("a", a, m, n, lead) ||
        !call.reads("tau", tau, k) || !call.writes("the info", info, 1))
      return false;
    return withLapack<T>([&]<typename Int>(const Host<T, Int> &host, Int) {
      const Int rows = m, columns = n, count = k, leadA = lead;
      *info = int(host.withWork([&](T *memory, Int *size) {
        return host.run(LapackFunction::Gqr, &rows, &columns, &count, a, &leadA, const_cast<T *>(tau), memory, size);
      }));
      return true;
    });
  });
}

template <typename T>
int potrfBatched(const char *name, Handle *handle, int part, int n, void **a, int lead, int *infos, int batch) {
  LibraryCall call(name);
  call.demand(part == 0, "a part that the runtime doesn't need").demand(n >= 1 && batch >= 1, "there is no matrix");
  call.demand(lead >= n, "the leading dimension is too small");
  return call.run(handle->stream, [=](const LibraryCall &call) {
    bool isFine = call.reads("the addresses", a, batch) && call.writes("the infos", infos, batch);
    for (int index = 0; isFine && index < batch; ++index) {
      auto *matrix = static_cast<T *>(a[index]);
      isFine = call.writesMatrix("a", matrix, n, n, lead);
      if (isFine)
        infos[index] = factorizePositive(Matrix<T>{matrix, lead}, n);
    }
    return isFine;
  });
}

} // namespace

LIBRARY cusolverDnCreate(Handle **handle) {
  *handle = new Handle;
  return Done;
}
LIBRARY cusolverDnSetStream(Handle *handle, void *stream) {
  handle->stream = stream;
  return Done;
}
LIBRARY cusolverDnCreateParams(void **parameters) {
  static int theirs;
  *parameters = &theirs;
  return Done;
}

LIBRARY cusolverDnXgetrf_bufferSize(Handle *, void *, int64_t, int64_t, int, const void *, int64_t, int,
                                    size_t *onDevice, size_t *onHost) {
  return giveSizes(onDevice, onHost);
}
LIBRARY cusolverDnXgetrf(Handle *handle, void *, int64_t m, int64_t n, int type, void *a, int64_t lead, int64_t *pivots,
                         int compute, void *onDevice, size_t deviceSize, void *onHost, size_t hostSize, int *info) {
  return withType(type, compute, [&]<typename T>(T) {
    LibraryCall call("cusolverDnXgetrf");
    call.demand(m >= 1 && n >= 1 && lead >= m, "sizes that don't fit").demand(pivots, "there is no memory for pivots");
    const Work work{onDevice, deviceSize, onHost, hostSize};
    return work.check(call).run(handle->stream, [=](const LibraryCall &call) {
      auto *matrix = static_cast<T *>(a);
      if (!work.isThere(call) || !call.writesMatrix("a", matrix, m, n, lead) ||
          !call.writes("the pivots", pivots, std::min(m, n)) || !call.writes("the info", info, 1))
        return false;
      *info = factorize(Matrix<T>{matrix, lead}, m, n, pivots);
      return true;
    });
  });
}
LIBRARY cusolverDnXgetrs(Handle *handle, void *, int flip, int64_t n, int64_t sides, int typeA, const void *a,
                         int64_t leadA, const int64_t *pivots, int typeB, void *b, int64_t leadB, int *info) {
  return withType(typeA, typeB, [&]<typename T>(T) {
    LibraryCall call("cusolverDnXgetrs");
    call.demand(flip == 0 && n >= 1 && sides >= 1 && leadA >= n && leadB >= n, "sizes that don't fit");
    return call.run(handle->stream, [=](const LibraryCall &call) {
      const auto *matrix = static_cast<const T *>(a);
      auto *side = static_cast<T *>(b);
      if (!call.readsMatrix("a", matrix, n, n, leadA) || !call.writesMatrix("b", side, n, sides, leadB) ||
          !call.reads("the pivots", pivots, n) || !call.writes("the info", info, 1))
        return false;
      solveFactors(Matrix<const T>{matrix, leadA}, pivots, Matrix<T>{side, leadB}, n, sides);
      *info = 0;
      return true;
    });
  });
}

LIBRARY cusolverDnXpotrf_bufferSize(Handle *, void *, int, int64_t, int, const void *, int64_t, int, size_t *onDevice,
                                    size_t *onHost) {
  return giveSizes(onDevice, onHost);
}
LIBRARY cusolverDnXpotrf(Handle *handle, void *, int part, int64_t n, int type, void *a, int64_t lead, int compute,
                         void *onDevice, size_t deviceSize, void *onHost, size_t hostSize, int *info) {
  return withType(type, compute, [&]<typename T>(T) {
    LibraryCall call("cusolverDnXpotrf");
    call.demand(part == 0 && n >= 1 && lead >= n, "sizes that don't fit");
    const Work work{onDevice, deviceSize, onHost, hostSize};
    return work.check(call).run(handle->stream, [=](const LibraryCall &call) {
      auto *matrix = static_cast<T *>(a);
      if (!work.isThere(call) || !call.writesMatrix("a", matrix, n, n, lead) || !call.writes("the info", info, 1))
        return false;
      *info = factorizePositive(Matrix<T>{matrix, lead}, n);
      return true;
    });
  });
}
LIBRARY cusolverDnDpotrfBatched(Handle *handle, int part, int n, void **a, int lead, int *infos, int batch) {
  return potrfBatched<double>("cusolverDnDpotrfBatched", handle, part, n, a, lead, infos, batch);
}
LIBRARY cusolverDnZpotrfBatched(Handle *handle, int part, int n, void **a, int lead, int *infos, int batch) {
  return potrfBatched<Complex>("cusolverDnZpotrfBatched", handle, part, n, a, lead, infos, batch);
}

LIBRARY cusolverDnXgeqrf_bufferSize(Handle *, void *, int64_t, int64_t, int, const void *, int64_t, int, const void *,
                                    int, size_t *onDevice, size_t *onHost) {
  return giveSizes(onDevice, onHost);
}
LIBRARY cusolverDnXgeqrf(Handle *handle, void *, int64_t m, int64_t n, int type, void *a, int64_t lead, int typeTau,
                         void *tau, int compute, void *onDevice, size_t deviceSize, void *onHost, size_t hostSize,
                         int *info) {
  if (typeTau != type)
    return BadArgument;
  return withType(type, compute, [&]<typename T>(T) {
    LibraryCall call("cusolverDnXgeqrf");
    call.demand(m >= 1 && n >= 1 && lead >= m, "sizes that don't fit");
    const Work work{onDevice, deviceSize, onHost, hostSize};
    return work.check(call).run(handle->stream, [=](const LibraryCall &call) {
      auto *matrix = static_cast<T *>(a), *factors = static_cast<T *>(tau);
      if (!work.isThere(call) || !call.writesMatrix("a", matrix, m, n, lead) ||
          !call.writes("tau", factors, std::min(m, n)) || !call.writes("the info", info, 1))
        return false;
      return withLapack<T>([&]<typename Int>(const Host<T, Int> &host, Int) {
        const Int rows = m, columns = n, leadA = lead;
        *info = int(host.withWork([&](T *memory, Int *size) {
          return host.run(LapackFunction::Geqrf, &rows, &columns, matrix, &leadA, factors, memory, size);
        }));
        return true;
      });
    });
  });
}
#define MAKE_Q(NAME, TYPE)                                                                                             \
  LIBRARY NAME##_bufferSize(Handle *, int, int, int, const void *, int, const void *, int *elements) {                 \
    *elements = 6;                                                                                                     \
    return Done;                                                                                                       \
  }                                                                                                                    \
  LIBRARY NAME(Handle *handle, int m, int n, int k, void *a, int lead, const void *tau, void *work, int elements,      \
               int *info) {                                                                                            \
    return makeQ<TYPE>(#NAME, handle, m, n, k, static_cast<TYPE *>(a), lead, static_cast<const TYPE *>(tau),           \
                       static_cast<TYPE *>(work), elements, info);                                                     \
  }
MAKE_Q(cusolverDnDorgqr, double)
MAKE_Q(cusolverDnZungqr, Complex)

LIBRARY cusolverDnXgesvd_bufferSize(Handle *, void *, signed char, signed char, int64_t m, int64_t n, int, const void *,
                                    int64_t, int, const void *, int, const void *, int64_t, int, const void *, int64_t,
                                    int, size_t *onDevice, size_t *onHost) {
  return m < n ? int(BadArgument) : giveSizes(onDevice, onHost);
}
LIBRARY cusolverDnXgesvd(Handle *handle, void *, signed char left, signed char right, int64_t m, int64_t n, int type,
                         void *a, int64_t lead, int typeS, void *s, int typeU, void *u, int64_t leadU, int typeV,
                         void *v, int64_t leadV, int compute, void *onDevice, size_t deviceSize, void *onHost,
                         size_t hostSize, int *info) {
  if (typeS != realDouble || typeU != type || typeV != type)
    return BadArgument;
  return withType(type, compute, [&]<typename T>(T) {
    return svd(handle, left, right, m, n, static_cast<T *>(a), lead, static_cast<double *>(s), static_cast<T *>(u),
               leadU, static_cast<T *>(v), leadV, Work{onDevice, deviceSize, onHost, hostSize}, info);
  });
}

LIBRARY cusolverDnXsyevd_bufferSize(Handle *, void *, int, int, int64_t, int, const void *, int64_t, int, const void *,
                                    int, size_t *onDevice, size_t *onHost) {
  return giveSizes(onDevice, onHost);
}
LIBRARY cusolverDnXsyevd(Handle *handle, void *, int job, int part, int64_t n, int type, void *a, int64_t lead,
                         int typeW, void *w, int compute, void *onDevice, size_t deviceSize, void *onHost,
                         size_t hostSize, int *info) {
  if (typeW != realDouble)
    return BadArgument;
  return withType(type, compute, [&]<typename T>(T) {
    LibraryCall call("cusolverDnXsyevd");
    call.demand(part == 0 && n >= 1 && lead >= n, "sizes that don't fit");
    const Work work{onDevice, deviceSize, onHost, hostSize};
    return work.check(call).run(handle->stream, [=](const LibraryCall &call) {
      return work.isThere(call) &&
             solveSymmetric(call, job, n, static_cast<T *>(a), lead, static_cast<double *>(w), info);
    });
  });
}

LIBRARY cusolverDnXsyevBatched_bufferSize(Handle *, void *, int, int, int64_t, int, const void *, int64_t, int,
                                          const void *, int, size_t *onDevice, size_t *onHost, int64_t) {
  return giveSizes(onDevice, onHost);
}
LIBRARY cusolverDnXsyevBatched(Handle *handle, void *, int job, int part, int64_t n, int type, void *a, int64_t lead,
                               int typeW, void *w, int compute, void *onDevice, size_t deviceSize, void *onHost,
                               size_t hostSize, int *infos, int64_t batch) {
  if (typeW != realDouble)
    return BadArgument;
  return withType(type, compute, [&]<typename T>(T) {
    LibraryCall call("cusolverDnXsyevBatched");
    call.demand(part == 0 && n >= 1 && lead == n && batch >= 1, "sizes that don't fit");
    const Work work{onDevice, deviceSize, onHost, hostSize};
    return work.check(call).run(handle->stream, [=](const LibraryCall &call) {
      bool isFine = work.isThere(call);
      for (int64_t index = 0; isFine && index < batch; ++index)
        isFine = solveSymmetric(call, job, n, static_cast<T *>(a) + index * n * lead, lead,
                                static_cast<double *>(w) + index * n, infos + index);
      return isFine;
    });
  });
}

LIBRARY cusolverDnXgeev_bufferSize(Handle *, void *, int, int, int64_t, int, const void *, int64_t, int, const void *,
                                   int, const void *, int64_t, int, const void *, int64_t, int, size_t *onDevice,
                                   size_t *onHost) {
  return giveSizes(onDevice, onHost);
}
LIBRARY cusolverDnXgeev(Handle *handle, void *, int left, int right, int64_t n, int type, void *a, int64_t lead,
                        int typeW, void *w, int typeL, void *, int64_t leadL, int typeR, void *r, int64_t leadR,
                        int compute, void *onDevice, size_t deviceSize, void *onHost, size_t hostSize, int *info) {
  if (typeW != complexDouble || typeL != type || typeR != type || left != 0)
    return BadArgument;
  return withType(type, compute, [&]<typename T>(T) {
    LibraryCall call("cusolverDnXgeev");
    call.demand(n >= 1 && lead >= n && leadL >= 1 && leadR >= (right ? n : 1), "sizes that don't fit");
    const Work work{onDevice, deviceSize, onHost, hostSize};
    return work.check(call).run(handle->stream, [=](const LibraryCall &call) {
      auto *matrix = static_cast<T *>(a), *vectors = static_cast<T *>(r);
      auto *values = static_cast<Complex *>(w);
      if (!work.isThere(call) || !call.writesMatrix("a", matrix, n, n, lead) || !call.writes("the values", values, n) ||
          !call.writes("the info", info, 1) || (right && !call.writesMatrix("the vectors", vectors, n, n, leadR)))
        return false;
      return withLapack<T>([&]<typename Int>(const Host<T, Int> &host, Int) {
        const char none = 'N', job = right ? 'V' : 'N';
        const Int size = n, leadA = lead, one = 1, leadVectors = std::max<int64_t>(leadR, 1);
        std::vector<double> parts(2 * n);
        T unused{};
        *info = int(host.withWork([&](T *memory, Int *workSize) {
          if constexpr (isPair<T>)
            return host.run(LapackFunction::Geev, &none, &job, &size, matrix, &leadA, values, &unused, &one, vectors,
                            &leadVectors, memory, workSize, parts.data());
          else
            return host.run(LapackFunction::Geev, &none, &job, &size, matrix, &leadA, parts.data(), parts.data() + n,
                            &unused, &one, vectors, &leadVectors, memory, workSize);
        }));
        for (int64_t k = 0; k < n && !isPair<T>; ++k)
          values[k] = {parts[k], parts[n + k]};
        return true;
      });
    });
  });
}
