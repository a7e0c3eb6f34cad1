// NVIDIA's own NVRTC behind the stand-in: the text that is emulated has to be CUDA C++ for real devices, too.
#ifndef QUERNEL_TEST_CUDA_EMULATOR_NVIDIA_H
#define QUERNEL_TEST_CUDA_EMULATOR_NVIDIA_H

#include <string>
#include <vector>

namespace emulator {

/// Compiles a text by the library whose path EMULATOR_NVRTC is, for one of four architectures that the text's digest
/// chooses, to PTX and in the fastest of the library's ways, or with EMULATOR_ARCHITECTURES=all for each as for
/// programs that run. To make code for a device of the PTX takes more than half of the time, and what is refused there,
/// too much shared memory, the launch refuses here. The options are those without an architecture.
/// Gives what the library says of it, warnings too: nothing where all is well, or where the variable isn't set.
std::string complaints(const std::string &text, const std::string &name, const std::vector<std::string> &options);

} // namespace emulator

#endif
