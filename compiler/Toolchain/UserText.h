// Texts of the user's own, in C++ and in CUDA C++.
#ifndef QUERNEL_COMPILER_TOOLCHAIN_USERTEXT_H
#define QUERNEL_COMPILER_TOOLCHAIN_USERTEXT_H

#include <string>
#include <vector>

namespace quernel {

/// A kernel of the user's.
struct UserKernel {
  std::string name;
  /// What launches it, which has the kernel ABI of programs for devices; its number is ENTRY_kernel to it.
  std::string entry;
};

/// A text of the user's in C++, whose functions programs call. One in CUDA C++ is for devices alone: what programs call
/// are functions in C++ that launch its kernels.
struct UserText {
  std::string text;
  /// Where it is, so that it may include what is beside it; diagnostics name it where the text has no `#line`.
  std::string path;
  /// The functions that are called, which have the kernel ABI; all other names are the text's own.
  std::vector<std::string> entries;
  /// Folders of headers, of which no text is compiled anew where they change.
  std::vector<std::string> systemFolders;
  /// The text in CUDA C++, and the kernels of it that are launched; empty for one in C++.
  std::string cuda = {};
  std::vector<UserKernel> kernels = {};

  bool isCuda() const { return !kernels.empty(); }
};

} // namespace quernel

#endif
