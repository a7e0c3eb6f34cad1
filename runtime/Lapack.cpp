#include "runtime/Lapack.h"
#include "runtime/Blas.h"
#include "runtime/LoadedLibraries.h"
#include <algorithm>
#include <atomic>
#include <dlfcn.h>

using namespace quernel::runtime;

namespace {

using Names = std::array<const char *, size_t(LapackFunction::Count)>;
constexpr Names realNames = {"dgesv", "dgetrf", "dtrtrs", "dpotrf", "dsyevd", "dgeqrf", "dorgqr", "dgesdd", "dgeev"};
constexpr Names complexNames = {"zgesv", "zgetrf", "ztrtrs", "zpotrf", "zheevd", "zgeqrf", "zungqr", "zgesdd", "zgeev"};

Lapack::Table functionsOf(void *handle, const Names &names, const std::string &prefix, const std::string &suffix) {
  Lapack::Table table{};
  for (size_t k = 0; k < table.size(); ++k)
    table[k] = dlsym(handle, (prefix + names[k] + suffix).c_str());
  return table;
}

bool isComplete(const Lapack::Table &table) { return std::ranges::count(table, nullptr) == 0; }

/// Whether integers have 64 bits. Names don't tell: some libraries of either width leave out the suffix. The answer of
/// an empty system is an integer, which one of 32 bits writes by half.
bool hasWideIntegers(const Lapack &lapack) {
  int64_t none = 0, one = 1, pivot = 0, info = -1;
  double element = 0;
  Lapack::call(lapack.real, LapackFunction::Gesv, &none, &none, &element, &one, &pivot, &element, &one, &info);
  return info == 0;
}

} // namespace

Lapack quernel::runtime::openLapack(const std::string &path) {
  void *handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (!handle)
    return {};
  Lapack lapack;
  for (const char *suffix : {"_64_", "_64", "64_", "_", ""})
    for (const char *prefix : {"scipy_", ""}) {
      lapack.real = functionsOf(handle, realNames, prefix, suffix);
      lapack.complex = functionsOf(handle, complexNames, prefix, suffix);
      if (!isComplete(lapack.real) || !isComplete(lapack.complex))
        continue;
      Dl_info info;
      lapack.library = dladdr(lapack.real.front(), &info) && info.dli_fname ? info.dli_fname : path;
      lapack.wide = hasWideIntegers(lapack);
      // The handle stays open, so that the library can't be unloaded.
      return lapack;
    }
  dlclose(handle);
  return {};
}

const Lapack *quernel::runtime::findLapack() {
  static std::atomic<const Lapack *> known = nullptr;
  if (const Lapack *lapack = known.load(std::memory_order_acquire))
    return lapack;
  std::string library = loadedLibrary("_umath_linalg");
  if (const Blas *blas = library.empty() ? findBlas() : nullptr)
    library = blas->library;
  Lapack found = library.empty() ? Lapack() : openLapack(library);
  if (found.library.empty())
    return nullptr;
  static const Lapack kept = std::move(found);
  known.store(&kept, std::memory_order_release);
  return &kept;
}
