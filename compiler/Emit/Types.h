// C++ spellings of types.
#ifndef QUERNEL_COMPILER_EMIT_TYPES_H
#define QUERNEL_COMPILER_EMIT_TYPES_H

#include "mlir/IR/BuiltinTypes.h"

#include <optional>
#include <string>
#include <vector>

namespace quernel {

/// `double`, `int64_t`, …; nothing for a type that can't be printed. An index is an `int64_t`.
std::optional<std::string> scalarName(mlir::Type type);

/// The unsigned twin of an integer type's name.
std::string unsignedName(llvm::StringRef name);

/// Bits of one element; an index has 64, a boolean in memory 8.
unsigned elementBits(mlir::Type type);

/// True for a vector of rank 1 whose lane count is a power of two and whose element has a name.
bool isPrintableVector(mlir::Type type);

/// True for integers of 8 and 16 bits, which C++ computes as `int`.
bool isNarrow(mlir::Type type);

/// Whether C++ has no literals of a type.
bool hasNoLiterals(mlir::Type type);

/// True for a vector of booleans.
bool isMask(mlir::Type type);

/// The vector types that a text uses, named like `f64x8`.
class VectorTypes {
public:
  std::string name(mlir::VectorType type);
  std::string integerName(unsigned bits, int64_t lanes, bool isSigned = true);
  /// The typedefs, in the order of first use.
  std::string definitions() const;

private:
  std::string add(llvm::StringRef scalar, char kind, unsigned bits, int64_t lanes);

  struct Definition {
    std::string name, scalar;
    uint64_t bytes;
  };
  std::vector<Definition> used;
};

/// Typedefs of the sized integers whose names occur in the text. NVRTC lacks the macros that tell their types.
std::string integerDefinitions(llvm::StringRef text, bool withMacros);

} // namespace quernel

#endif
