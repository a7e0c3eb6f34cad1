// What the stand-ins for cuBLAS, cuSOLVER and cuFFT share: work in the emulated driver's streams, on its memory. They
// find the driver beside them. With EMULATOR_FAILS=NAME the function of that name fails, which is read at each call.
#ifndef QUERNEL_TEST_CUDA_EMULATOR_LIBRARYTASKS_H
#define QUERNEL_TEST_CUDA_EMULATOR_LIBRARYTASKS_H

#include "Settings.h"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <type_traits>
#include <utility>

#define LIBRARY extern "C" __attribute__((visibility("default"))) int

namespace emulator {

/// What all three libraries return: their other codes mean different things.
enum LibraryStatus : int { Done = 0, BadArgument = 7, Failed = 13 };

struct DriverTasks {
  int (*submit)(const char *name, void *stream, int (*work)(void *), void (*end)(void *), void *data);
  bool (*reaches)(const char *name, const char *what, const void *address, size_t bytes, bool isWritten);
  void (*refuse)(const char *name, const char *what);
};

inline const DriverTasks &driverTasks() {
  static const DriverTasks tasks = [] {
    Dl_info info;
    dladdr(reinterpret_cast<const void *>(&driverTasks), &info);
    const std::string path = info.dli_fname, folder = path.substr(0, path.rfind('/') + 1);
    void *driver = dlopen((folder + "libcuda.so.1").c_str(), RTLD_NOW | RTLD_LOCAL);
    DriverTasks found{};
    found.submit = reinterpret_cast<decltype(found.submit)>(dlsym(driver, "emulator_submit"));
    found.reaches = reinterpret_cast<decltype(found.reaches)>(dlsym(driver, "emulator_reaches"));
    found.refuse = reinterpret_cast<decltype(found.refuse)>(dlsym(driver, "emulator_refuse"));
    return found;
  }();
  return tasks;
}

/// A call of a library's: its checks, then its work.
class LibraryCall {
public:
  explicit LibraryCall(const char *name) : name(name) {}

  /// Notes what is wrong where the condition doesn't hold.
  LibraryCall &demand(bool holds, const char *what) {
    if (!holds && isFine) {
      driverTasks().refuse(name, what);
      isFine = false;
    }
    return *this;
  }

  /// Has a function done that says whether all is well; it gets what looks at its memory.
  template <typename Work> int run(void *stream, Work work) {
    if (!isFine)
      return BadArgument;
    if (variable("EMULATOR_FAILS", "") == name)
      return Failed;
    struct Task {
      LibraryCall call;
      Work work;
    };
    const auto doWork = [](void *data) -> int {
      auto *task = static_cast<Task *>(data);
      return task->work(task->call) ? 0 : 719;
    };
    const auto end = [](void *data) { delete static_cast<Task *>(data); };
    return driverTasks().submit(name, stream, doWork, end, new Task{*this, std::move(work)}) == 0 ? Done : Failed;
  }

  /// Whether so many elements are there.
  template <typename T> bool reads(const char *what, const T *memory, int64_t count) const {
    return reaches(what, memory, count, false);
  }
  template <typename T> bool writes(const char *what, T *memory, int64_t count) const {
    return reaches(what, memory, count, true);
  }
  /// The same for a matrix in Fortran's order.
  template <typename T>
  bool readsMatrix(const char *what, const T *a, int64_t rows, int64_t columns, int64_t lead) const {
    return reads(what, a, rows > 0 && columns > 0 ? (columns - 1) * lead + rows : 0);
  }
  template <typename T> bool writesMatrix(const char *what, T *a, int64_t rows, int64_t columns, int64_t lead) const {
    bool isFine = true;
    for (int64_t j = 0; j < columns; ++j)
      isFine = isFine && writes(what, a + j * lead, rows);
    return isFine;
  }

private:
  template <typename T> bool reaches(const char *what, const T *memory, int64_t count, bool isWritten) const {
    using Element = std::conditional_t<std::is_void_v<T>, char, T>;
    if (count > 0 && reinterpret_cast<uintptr_t>(memory) % sizeof(Element) != 0) {
      driverTasks().refuse(name, "memory at an address that is no multiple of its elements' size");
      return false;
    }
    return driverTasks().reaches(name, what, memory, count * sizeof(Element), isWritten);
  }

  const char *name;
  bool isFine = true;
};

template <typename T> inline constexpr bool isPair = false;
template <typename T> inline constexpr bool isPair<std::complex<T>> = true;

} // namespace emulator

#endif
