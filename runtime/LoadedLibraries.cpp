#include "runtime/LoadedLibraries.h"
#include <link.h>

static int collect(dl_phdr_info *info, size_t, void *into) {
  if (info->dlpi_name)
    static_cast<std::vector<std::string> *>(into)->push_back(info->dlpi_name);
  return 0;
}

std::vector<std::string> quernel::runtime::loadedLibraries() {
  std::vector<std::string> paths;
  dl_iterate_phdr(collect, &paths);
  return paths;
}

std::string quernel::runtime::loadedLibrary(const std::string &part) {
  for (const std::string &path : loadedLibraries())
    if (path.find(part) != std::string::npos)
      return path;
  return "";
}
