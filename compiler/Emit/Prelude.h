// The helper functions that stand above a printed text. Their sources are the files of Preludes/.
#ifndef QUERNEL_COMPILER_EMIT_PRELUDE_H
#define QUERNEL_COMPILER_EMIT_PRELUDE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <string>
#include <vector>

namespace quernel {

class Prelude {
public:
  /// A word of a fragment and what stands for it.
  using Substitution = std::pair<llvm::StringRef, std::string>;

  /// `functionQualifier` stands before `inline` in each helper, like CUDA's `__device__`.
  explicit Prelude(llvm::StringRef functionQualifier = "") : functionQualifier(functionQualifier.str()) {}

  /// Adds the fragment and those that it needs, once.
  void require(llvm::StringRef fragment, llvm::ArrayRef<Substitution> substitutions = {});

  std::string text() const;

private:
  std::string functionQualifier;
  llvm::StringSet<> present;
  std::vector<std::string> fragments;
};

} // namespace quernel

#endif
