// C++ texts of the user's own.
#ifndef QUERNEL_COMPILER_TOOLCHAIN_USERTEXT_H
#define QUERNEL_COMPILER_TOOLCHAIN_USERTEXT_H

#include <string>
#include <vector>

namespace quernel {

/// A text of the user's in C++, whose functions programs call.
struct UserText {
  std::string text;
  /// Where it is, so that it may include what is beside it; diagnostics name it where the text has no `#line`.
  std::string path;
  /// The functions that are called, which have the kernel ABI; all other names are the text's own.
  std::vector<std::string> entries;
  /// Folders of headers, of which no text is compiled anew where they change.
  std::vector<std::string> systemFolders;
};

} // namespace quernel

#endif
