// C++ identifiers for values: the user's names where they are known, unique within their scope.
#ifndef QUERNEL_COMPILER_EMIT_NAMES_H
#define QUERNEL_COMPILER_EMIT_NAMES_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"

#include <string>

namespace quernel {

/// The name that a location carries, or an empty string.
llvm::StringRef nameOf(mlir::Location location);

/// A C++ identifier that resembles `text`; never a reserved word, never starting with an underscore.
std::string sanitizeName(llvm::StringRef text);

/// Identifiers in use, in nested scopes. A name is free again when its scope ends, as in C++.
class Names {
public:
  /// Opens a scope for its own lifetime.
  class Scope {
  public:
    explicit Scope(Names &names) : names(names) { names.scopes.emplace_back(); }
    ~Scope() { names.scopes.pop_back(); }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    Names &names;
  };

  Names() { scopes.emplace_back(); }

  /// Takes `wish`, or `wish` with the first free number, for the innermost scope.
  std::string fresh(llvm::StringRef wish);
  /// Takes the first free one of i, j, k, … for a loop.
  std::string freshLoop();
  /// Makes a name unavailable in the outermost scope.
  void reserve(llvm::StringRef name) { scopes.front().insert(name); }

private:
  bool taken(llvm::StringRef name) const;

  llvm::SmallVector<llvm::StringSet<>> scopes;
};

} // namespace quernel

#endif
