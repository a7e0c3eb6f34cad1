// CUDA text to device code by NVRTC, which is opened when it is first asked for and never linked.
#ifndef QUERNEL_COMPILER_TOOLCHAIN_NVRTC_H
#define QUERNEL_COMPILER_TOOLCHAIN_NVRTC_H

#include "compiler/Toolchain/UserText.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace quernel {

struct CudaOptions {
  /// Folders that are looked through behind those of CUDA_PATH and CUDA_HOME and before the usual ones, like that of
  /// the PyPI package nvidia-cuda-nvrtc.
  std::vector<std::string> searchPath;
  /// Lets products and sums contract.
  bool fastMath = false;
};

struct CudaImage {
  /// Machine code, for the devices of the architecture alone.
  std::string cubin;
  /// The text that it was made from, which the driver compiles for that architecture and later ones.
  std::string ptx;
  /// The names in the image of the kernels that were asked for.
  std::vector<std::string> kernels;
  /// Warnings.
  std::string log;
};

/// `architecture` is like `sm_90`. Errors carry NVRTC's log, or say where it was looked for. Any thread may call this.
llvm::Expected<CudaImage> compileCuda(llvm::StringRef source, llvm::StringRef architecture,
                                      const CudaOptions &options = {});

/// The same for a text of the user's, and the kernels of it that are launched. Errors are NVRTC's log alone.
llvm::Expected<CudaImage> compileCuda(const UserText &text, llvm::StringRef architecture,
                                      const CudaOptions &options = {});

/// The architectures that it compiles for, like `sm_90`; an error where NVRTC is not installed.
llvm::Expected<std::vector<std::string>> nvrtcArchitectures(const CudaOptions &options = {});

/// The version, like `13.0`; an error where NVRTC is not installed.
llvm::Expected<std::string> nvrtcVersion(const CudaOptions &options = {});

} // namespace quernel

#endif
