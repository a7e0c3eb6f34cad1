// Calls of cuSOLVER's functions for the problems of a batch; for runtime/device/*.cpp only.
#ifndef QUERNEL_RUNTIME_DEVICE_SOLVERCALLS_H
#define QUERNEL_RUNTIME_DEVICE_SOLVERCALLS_H

#include "runtime/device/RoutineWork.h"

namespace quernel::runtime {

/// Problems of up to so many rows are computed by functions for a batch where there are several: larger ones keep a
/// device busy by themselves.
inline constexpr int64_t mostBatchedRows = 256;

/// cuSOLVER with what it keeps of the device, and the doubles that a routine computes in.
struct SolverCalls {
  RoutineWork &work;
  const Cusolver &library;
  LibraryHandle handle, parameters;
  int32_t type;
  int element; ///< the library's number of `type`
  bool isComplex;

  /// Where a matrix of a batch is.
  void *at(const DeviceMatrices &matrices, int64_t problem) const {
    return static_cast<char *>(matrices.data) + problem * matrices.next * typeBytes[matrices.type];
  }

  /// Whether functions for a batch are to be called for matrices of so many rows.
  bool isBatched(int64_t rows) const { return work.batch() > 1 && rows <= mostBatchedRows; }

  /// The memory that a function works in.
  struct Memory {
    void *onDevice;
    size_t deviceBytes;
    void *onHost;
    size_t hostBytes;
  };

  /// Calls `run` with work memory of the sizes that `ask` has written, for each problem of so many.
  template <typename Ask, typename Run> void each(const char *name, int64_t problems, Ask ask, Run run) const {
    Memory memory{};
    work.libraries().check(ask(&memory.deviceBytes, &memory.hostBytes), name);
    memory.onDevice = work.takeWork(memory.deviceBytes);
    std::vector<char> host(memory.hostBytes);
    memory.onHost = host.data();
    for (int64_t problem = 0; problem < problems; ++problem)
      work.libraries().check(run(problem, memory), name);
    if (!host.empty())
      work.device().synchronize(); // before the host's memory goes
  }
};

/// Calls `compute` with cuBLAS and with cuSOLVER, which need each other; nothing where one isn't there, or where sizes
/// don't fit the integers that some of their functions take.
template <typename Compute> std::optional<int32_t> withSolver(RoutineWork &work, Compute compute) {
  if (std::max({work.size(0), work.size(1), work.size(2), work.size(3)}) > INT32_MAX)
    return std::nullopt;
  const Cusolver *solver = work.libraries().solver();
  const Cublas *blas = solver ? work.beginBlas() : nullptr;
  if (!blas)
    return std::nullopt;
  const int32_t type = wideTypeOf(work.type());
  const SolverCalls calls{work,
                          *solver,
                          work.libraries().solverHandle(),
                          work.libraries().solverParameters(),
                          type,
                          elementOf(type),
                          isComplexType(type)};
  return compute(*blas, calls);
}

} // namespace quernel::runtime

#endif
