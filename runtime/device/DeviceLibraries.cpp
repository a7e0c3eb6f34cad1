#include "runtime/device/DeviceLibraries.h"
#include "runtime/device/CudaFolders.h"
#include "runtime/device/Device.h"
#include <algorithm>
#include <dlfcn.h>
#include <span>

using namespace quernel::runtime;

namespace {

// The file names of CUDA 13 and of CUDA 12.
constexpr const char *blasNames[] = {"libcublas.so.13", "libcublas.so.12"};
constexpr const char *solverNames[] = {"libcusolver.so.12", "libcusolver.so.11"};
constexpr const char *fourierNames[] = {"libcufft.so.12", "libcufft.so.11"};

/// More plans than a program is likely to need; each keeps some memory of the device.
constexpr size_t mostPlans = 32;

bool resolve(void *library, Cublas &table) {
  bool isComplete = true;
#define QN_LIBRARY_FUNCTION(member, symbol, ...)                                                                       \
  table.member = reinterpret_cast<decltype(table.member)>(dlsym(library, #symbol));                                    \
  isComplete &= table.member != nullptr;
#include "runtime/device/Cublas.def"
  return isComplete;
}

bool resolve(void *library, Cusolver &table) {
  bool isComplete = true;
#define QN_LIBRARY_FUNCTION(member, symbol, ...)                                                                       \
  table.member = reinterpret_cast<decltype(table.member)>(dlsym(library, #symbol));                                    \
  isComplete &= table.member != nullptr;
#define QN_LIBRARY_OPTION(member, symbol, ...)                                                                         \
  table.member = reinterpret_cast<decltype(table.member)>(dlsym(library, #symbol));
#include "runtime/device/Cusolver.def"
  return isComplete;
}

bool resolve(void *library, Cufft &table) {
  bool isComplete = true;
#define QN_LIBRARY_FUNCTION(member, symbol, ...)                                                                       \
  table.member = reinterpret_cast<decltype(table.member)>(dlsym(library, #symbol));                                    \
  isComplete &= table.member != nullptr;
#include "runtime/device/Cufft.def"
  return isComplete;
}

constexpr std::span<const char *const> namesOf(const Cublas &) { return blasNames; }
constexpr std::span<const char *const> namesOf(const Cusolver &) { return solverNames; }
constexpr std::span<const char *const> namesOf(const Cufft &) { return fourierNames; }

/// Whether there is a library that has the functions and can begin; they are in `table` then. One of a CUDA that is
/// newer than the driver can't.
template <typename Table, typename Begin> bool load(Table &table, Begin begin) {
  for (const CudaFolder &folder : cudaFolders())
    for (const char *name : namesOf(table))
      // Local, and for good: others in the process may use the same library.
      if (void *library = dlopen(folder.file(name).c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE))
        if (resolve(library, table) && begin(table))
          return true;
  return false;
}

} // namespace

// The handles and plans go with the process: at its end the libraries may be gone.
template <typename Table, typename Begin> const Table *DeviceLibraries::found(State<Table> &state, Begin begin) {
  if (!state.isAsked) {
    state.isAsked = true;
    state.isThere = load(state.table, begin);
  }
  return state.isThere ? &state.table : nullptr;
}

/// Has a handle compute in the thread's stream.
template <typename Table>
const Table *DeviceLibraries::inStream(State<Table> &state, const Table *found, const char *function) {
  const DriverStream stream = device.streamHandle();
  if (found && state.stream != stream) {
    check(found->setStream(state.handle, stream), function);
    state.stream = stream;
  }
  return found;
}

const Cublas *DeviceLibraries::blas() {
  const Cublas *known = found(blasState, [&](const Cublas &library) {
    LibraryHandle &handle = blasState.handle;
    return library.create(&handle) == 0 && library.setMathMode(handle, cuda::defaultMath) == 0 &&
           library.setAtomicsMode(handle, cuda::noAtomics) == 0;
  });
  return inStream(blasState, known, "cublasSetStream");
}

const Cusolver *DeviceLibraries::solver() {
  const Cusolver *known = found(solverState, [&](const Cusolver &library) {
    return library.create(&solverState.handle) == 0 && library.createParameters(&parameters) == 0;
  });
  return inStream(solverState, known, "cusolverDnSetStream");
}

const Cufft *DeviceLibraries::fourier() {
  return found(fourierState, [](const Cufft &library) {
    int plan = 0;
    return library.create(&plan) == 0 && library.destroy(plan) == 0;
  });
}

int DeviceLibraries::plan(const TransformPlan &wanted, size_t &workBytes) {
  const Cufft &library = fourierState.table;
  const auto known = std::ranges::find(plans, wanted, &Plan::of);
  if (known != plans.end()) {
    plans.splice(plans.begin(), plans, known);
  } else {
    if (plans.size() >= mostPlans) {
      device.synchronizeAll();
      library.destroy(plans.back().handle);
      plans.pop_back();
    }
    Plan made{wanted, 0, 0, nullptr};
    check(library.create(&made.handle), "cufftCreate");
    long long points = wanted.points;
    int code = library.setAutoAllocation(made.handle, 0);
    if (code == 0)
      code = library.makePlan(made.handle, 1, &points, nullptr, 1, 0, nullptr, 1, 0, wanted.type, wanted.lines,
                              &made.workBytes);
    if (code != 0)
      library.destroy(made.handle);
    check(code, "cufftMakePlanMany64");
    plans.push_front(made);
  }
  Plan &plan = plans.front();
  if (const DriverStream stream = device.streamHandle(); plan.stream != stream) {
    check(library.setStream(plan.handle, stream), "cufftSetStream");
    plan.stream = stream;
  }
  workBytes = plan.workBytes;
  return plans.front().handle;
}

void DeviceLibraries::check(int code, const char *function) const {
  if (code != 0) [[unlikely]]
    throw DeviceFailure(device.name() + " can't compute what " + function + " was asked for: it says " +
                        std::to_string(code));
}
