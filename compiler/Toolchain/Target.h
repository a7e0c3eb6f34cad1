// What a program is compiled for: processor, features, vector width, math library.
#ifndef QUERNEL_COMPILER_TOOLCHAIN_TARGET_H
#define QUERNEL_COMPILER_TOOLCHAIN_TARGET_H

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace quernel {

struct Target {
  /// `x86-64-v3`, or `host`.
  std::string name;
  /// LLVM's name of the processor.
  std::string cpu;
  /// LLVM's features that `cpu` alone doesn't tell, like `+avx512f` and `-sse4a`, sorted.
  std::vector<std::string> features;
  /// Bytes of the widest vector register: 64, 32 or 16.
  unsigned vectorBytes = 16;
  /// SLEEF's instruction set: `avx512f`, `avx2` or `sse4`; empty where there is none.
  std::string mathIsa;

  /// The machine that this runs on.
  static const Target &host();
  /// `host`, or one of `levels()`.
  static llvm::Expected<Target> parse(llvm::StringRef name);
  /// The levels of x86-64 by name, the widest last.
  static llvm::ArrayRef<llvm::StringRef> levels();
  /// The widest level that the host has.
  static llvm::StringRef hostLevel();

  /// Equal for two targets just if they give the same code; part of cache keys.
  std::string key() const;
};

} // namespace quernel

#endif
