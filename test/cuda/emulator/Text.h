// CUDA text on its way to a C++ compiler.
#ifndef QUERNEL_TEST_CUDA_EMULATOR_TEXT_H
#define QUERNEL_TEST_CUDA_EMULATOR_TEXT_H

#include <string>
#include <vector>

namespace emulator {

struct KernelName {
  std::string name;
  /// The first number of its launch bounds; empty where it has none.
  std::string threads;
};

/// The `__global__` functions, which have to lie in the namespace `quernel` or in none. Those of templates are left
/// out.
std::vector<KernelName> findKernels(const std::string &text);

/// Writes what no macro can: `extern __shared__ T name[];` becomes a pointer to where the memory begins, and
/// `__shared__ alignas(n)` gets the order that the compiler wants. Keeps the lines.
std::string rewrite(const std::string &text);

/// The prelude, the text and a list of its kernels.
std::string complete(const std::string &text, const std::string &name, const std::string &architecture);

} // namespace emulator

#endif
