#include "runtime/VectorMath.h"
#include "runtime/LoadedLibraries.h"
#include "runtime/Processor.h"
#include <algorithm>
#include <dlfcn.h>

/// NumPy's module of ufuncs, or null where it isn't loaded. The handle stays open, so that it can't be unloaded.
static void *umath() {
  static void *const handle = [] {
    const std::string path = quernel::runtime::loadedLibrary("_multiarray_umath");
    return path.empty() ? nullptr : dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  }();
  return handle;
}

bool quernel::runtime::hasVectorMath() {
  static const bool answer = [] {
    return processorLevel() == "x86-64-v4" && umath() &&
           std::ranges::all_of(vectorFunctions,
                               [](const VectorFunction &each) { return dlsym(umath(), each.symbol) != nullptr; });
  }();
  return answer;
}

void quernel::runtime::bindVectorMath(const char *library) {
  if (!hasVectorMath())
    return;
  void *table = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (!table)
    return;
  using Find = void *(*)(void *, const char *);
  if (void *bind = dlsym(table, "qn_bind_math"))
    reinterpret_cast<void (*)(Find, void *)>(bind)(dlsym, umath());
  dlclose(table);
}
