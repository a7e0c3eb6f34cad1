#include "runtime/VectorMath.h"
#include "runtime/Processor.h"
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <string>

namespace {

int findUmath(dl_phdr_info *info, size_t, void *into) {
  if (!info->dlpi_name || !std::strstr(info->dlpi_name, "_multiarray_umath"))
    return 0;
  *static_cast<std::string *>(into) = info->dlpi_name;
  return 1;
}

/// NumPy's module of ufuncs, or null where it isn't loaded. The handle stays open, so that it can't be unloaded.
void *umath() {
  std::string path;
  dl_iterate_phdr(findUmath, &path);
  return path.empty() ? nullptr : dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
}

bool hasAll(void *handle) {
  for (const char *symbol : {
#define QN_MATH_F(name, arity, symbol) symbol,
#define QN_MATH_D(name, arity, symbol) symbol,
#include "runtime/VectorMath.def"
#undef QN_MATH_F
#undef QN_MATH_D
       })
    if (!dlsym(handle, symbol))
      return false;
  return true;
}

} // namespace

bool quernel::runtime::hasVectorMath() {
  static const bool answer = [] {
    void *handle = processorLevel() == "x86-64-v4" ? umath() : nullptr;
    return handle && hasAll(handle);
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
