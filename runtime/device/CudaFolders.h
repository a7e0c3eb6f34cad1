// Where libraries of CUDA are looked for.
#ifndef QUERNEL_RUNTIME_DEVICE_CUDAFOLDERS_H
#define QUERNEL_RUNTIME_DEVICE_CUDAFOLDERS_H

#include <string>
#include <vector>

namespace quernel::runtime {

struct CudaFolder {
  std::string path; ///< empty for the loader's own
  std::string name; ///< for a text

  /// What the loader is asked for.
  std::string file(const std::string &library) const { return path.empty() ? library : path + "/" + library; }
};

/// The folders lib64 of $CUDA_PATH and $CUDA_HOME, then wherever the loader looks.
std::vector<CudaFolder> cudaFolders();

} // namespace quernel::runtime

#endif
