// The shape and type rules of NumPy's primitives, over affine expressions.
#ifndef QUERNEL_DIALECT_SHAPERULES_H
#define QUERNEL_DIALECT_SHAPERULES_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <unordered_map>

namespace quernel {

/// One size of an array: a constant or an expression over the function's symbols. Null means unknown, which only the
/// verifier has: it sees types alone, and unknown agrees with everything.
using Dim = mlir::AffineExpr;
using Shape = llvm::SmallVector<Dim, 4>;

struct ArrayInfo {
  Shape shape;
  mlir::Type element;
};

/// The one form of a size: a sum of products of symbols and rounded quotients, in one order. Sizes that are equal for
/// all values of their symbols, as far as sums, products and exact quotients say, are one expression after it.
/// A size with a constant that has no 64 bits stays as it is.
Dim canonicalDim(Dim dim);

enum class SizeOperation { add, subtract, multiply, divide };

/// The result of an operation in its one form, where `divide` rounds down; nothing where a constant of the result has
/// no 64 bits, or the divisor isn't a positive constant.
std::optional<Dim> combineDims(SizeOperation operation, Dim a, Dim b);

/// Gives what a rule has inferred this form; whoever asks a rule does it, so that rules compute as they like.
void canonicalize(llvm::MutableArrayRef<ArrayInfo> arrays);

/// What a rule sees: the operands, the attributes, and where to write what is wrong.
struct InferInput {
  mlir::MLIRContext *context;
  llvm::ArrayRef<ArrayInfo> operands;
  mlir::DictionaryAttr attributes;
  std::string *error;

  llvm::LogicalResult fail(const llvm::Twine &message) const;
  int64_t integer(llvm::StringRef name) const;
  llvm::StringRef string(llvm::StringRef name) const;
  llvm::ArrayRef<int64_t> integers(llvm::StringRef name) const;
  Shape dims(llvm::StringRef name) const;
};

using InferFunction = llvm::LogicalResult(const InferInput &, llvm::SmallVectorImpl<ArrayInfo> &);

/// NumPy's broadcasting of two shapes; fails where neither size is 1 and they differ.
llvm::LogicalResult broadcastShapes(const InferInput &input, llvm::ArrayRef<Dim> a, llvm::ArrayRef<Dim> b, Shape &out);

/// Whether two shapes may be the same; unknown sizes agree with all.
bool agree(llvm::ArrayRef<Dim> a, llvm::ArrayRef<Dim> b);

/// The common shape of all operands.
llvm::LogicalResult broadcastOperands(const InferInput &input, Shape &out);

/// The rule of every ufunc; `kinds` are the dtype kinds it takes, `result` is same, bool, part or complex.
llvm::LogicalResult inferUfunc(const InferInput &input, llvm::StringRef kinds, llvm::StringRef result,
                               llvm::SmallVectorImpl<ArrayInfo> &results);

/// Checks an operation's result types against its rule. Sizes that are `?` agree with every size.
llvm::LogicalResult verifyShapeRule(mlir::Operation *op, llvm::function_ref<InferFunction> rule);

/// The tensor type of an array; sizes that aren't constant become `?`.
mlir::RankedTensorType tensorType(const ArrayInfo &info);

/// The constant value of a size, if it has one.
std::optional<int64_t> constantDim(Dim dim);

/// The least and the greatest value of a symbol, both inclusive; null where there is none. Bounds use earlier symbols
/// only.
struct SymbolBounds {
  Dim lower, upper;
};

/// The number of the last symbol in a size, -1 for a constant.
int64_t lastSymbol(Dim dim);

/// A run of axes of one shape that holds as many elements as a run of another shape: [first, last) of each.
struct AxisGroup {
  size_t fromBegin, fromEnd, toBegin, toEnd;
};

/// Cuts two shapes with equally many elements into as many groups as can be proven, in order: a reshape moves no
/// element from one group to another. Every axis is in one group.
llvm::SmallVector<AxisGroup> reshapeGroups(llvm::ArrayRef<Dim> from, llvm::ArrayRef<Dim> to);

/// Whether `dim >= 0` follows from the bounds of its symbols. False means that it isn't known.
bool isNonNegative(Dim dim, llvm::ArrayRef<SymbolBounds> bounds);

/// The printed form of a shape as NumPy prints it: `(3,)`, `(n0,2)`.
std::string shapeText(llvm::ArrayRef<Dim> shape);

/// Knows the symbolic shape of every value of a function, by the operations' own rules. Function arguments name theirs
/// in `quernel.argument`.
class ShapeAnalysis {
public:
  explicit ShapeAnalysis(mlir::Operation *function);
  llvm::ArrayRef<Dim> shape(mlir::Value value);

private:
  void visit(mlir::Operation *op);
  // A map that never moves its entries, since shape() hands out references.
  std::unordered_map<void *, Shape> shapes;
};

/// Refuses a function whose arguments have sizes that nothing names: no `?` without a shape.
llvm::LogicalResult verifyArgumentShapes(mlir::Operation *function);

} // namespace quernel

#endif
