// Compiled programs, loaded into the process.
#ifndef QUERNEL_RUNTIME_LOADER_H
#define QUERNEL_RUNTIME_LOADER_H

#include "runtime/abi.h"
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace quernel::runtime {

/// A loaded object and its entry. The destructor unloads it, so no call may be under way then.
class Program {
public:
  /// Loads an object file.
  /// @param shapes  the companion's symbol, or empty
  /// @throws std::runtime_error where the file is missing, no shared object of this machine, or truncated; where a
  ///         library that it needs is missing; or where it lacks a symbol
  Program(const std::string &path, const std::string &entry, const std::string &shapes = "");

  /// Loads an object from memory, for where no folder can be written. No descriptor stays open.
  /// @throws std::runtime_error as above, and where no memory file can be made
  static Program fromBytes(std::string_view object, const std::string &entry, const std::string &shapes = "");

  Program(Program &&other) noexcept;
  Program &operator=(Program &&other) noexcept;
  ~Program();

  /// The entry; never null.
  qn_entry entry() const { return entryFunction; }
  /// The companion; null where none was named.
  qn_shapes shapes() const { return shapesFunction; }
  /// The images with the kernels; null for a program of the host.
  qn_images images() const { return kernelImages; }
  /// Where the object was loaded from; nothing needs to be there any more.
  const std::string &path() const { return objectPath; }

private:
  void *symbol(const std::string &name) const;
  void unload();

  std::string objectPath;
  void *handle = nullptr;
  qn_entry entryFunction = nullptr;
  qn_shapes shapesFunction = nullptr;
  qn_images kernelImages = nullptr;
};

/// Loads libraries that programs need (SLEEF's, that of NumPy's functions of math, which is bound to NumPy's)
/// so that programs find them by their own names. They stay loaded.
/// @throws std::runtime_error for the first that can't be loaded
void preload(const std::vector<std::string> &paths);

} // namespace quernel::runtime

#endif
