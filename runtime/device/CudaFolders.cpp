#include "runtime/device/CudaFolders.h"
#include <cstdlib>

std::vector<quernel::runtime::CudaFolder> quernel::runtime::cudaFolders() {
  std::vector<CudaFolder> folders;
  for (const char *variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char *root = std::getenv(variable); root && *root) {
      const std::string path = std::string(root) + "/lib64";
      folders.push_back({path, path + " ($" + variable + ")"});
    }
  folders.push_back({"", "where the system's loader looks"});
  return folders;
}
