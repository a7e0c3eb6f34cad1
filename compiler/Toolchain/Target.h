// What a program is compiled for: processor, features, vector width, math library.
#ifndef QUERNEL_COMPILER_TOOLCHAIN_TARGET_H
#define QUERNEL_COMPILER_TOOLCHAIN_TARGET_H

#include "compiler/Dialect/TargetInfo.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace quernel {

struct Target {
  /// `x86-64-v3`, `host`, or a GPU's architecture such as `sm_90`.
  std::string name;
  /// LLVM's name of the processor; of a GPU nothing.
  std::string cpu;
  /// LLVM's features that `cpu` alone doesn't tell, like `+avx512f` and `-sse4a`, sorted.
  std::vector<std::string> features;
  /// What decisions about speed ask.
  TargetInfo info;
  /// SLEEF's instruction set: `avx512f`, `avx2` or `sse4`; empty where there is none.
  std::string mathIsa;
  /// Whether functions of math are those of NumPy's vector library (runtime/VectorMath), where it has them.
  bool svml = false;
  /// Whether there is text alone: the process has no code generator for it.
  bool textOnly = false;

  /// The machine that this runs on.
  static const Target &host();
  /// `host`, one of `names()`, or a GPU's architecture; those that the table doesn't have count as the newest before
  /// them.
  static llvm::Expected<Target> parse(llvm::StringRef name);
  /// The levels of x86-64 by name, the widest last, behind it the widest with NumPy's functions of math.
  static std::vector<std::string> names();
  /// Processors of other kinds, for which text is printed.
  static std::vector<std::string> textNames();
  /// The widest level that the host has.
  static llvm::StringRef hostLevel();

  bool isGpu() const { return info.kind == TargetKind::gpu; }
  /// Equal for two targets just if they give the same code; part of cache keys.
  std::string key() const;
};

} // namespace quernel

#endif
