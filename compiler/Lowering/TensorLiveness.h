// Which arrays of a program hold something that is still needed, and where: the basis of all sharing of memory.
//
// The arrays of a structured program are its tensors that aren't views of others. A loop's result is the same array as
// the one that its turns carry. Places are numbered in the order of the text: an operation reads at an even point and
// writes at the odd one behind it.
#ifndef QUERNEL_LOWERING_TENSORLIVENESS_H
#define QUERNEL_LOWERING_TENSORLIVENESS_H

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace quernel {

using Point = unsigned;

/// Points of a program: closed intervals, in any order and overlapping as they come.
class PointSet {
public:
  void add(Point from, Point to) { intervals.push_back({from, to}); }
  /// Sorts and joins the intervals; `contains` needs that.
  void finish();
  bool contains(Point point) const;
  bool empty() const { return intervals.empty(); }
  Point first() const { return intervals.front().first; }
  Point last() const { return intervals.back().second; }

private:
  llvm::SmallVector<std::pair<Point, Point>, 2> intervals;
};

/// A place where an array gets new elements.
struct Definition {
  enum Kind {
    write,  // new elements, which don't depend on what the array held
    copy,   // the elements of another array: carried by a loop, joined by a branch, handed to the caller
    update, // the elements of another array, of which some are replaced
  };
  Kind kind;
  Point point;
  mlir::Operation *op;
  /// Where the copied or updated array is taken from; null for `write`.
  mlir::OpOperand *operand = nullptr;
  /// The number of that array; -1 where the operand is a view, or where nothing is set in the array yet.
  int source = -1;
};

/// An operation that reads an array.
struct Read {
  Point point;
  mlir::Operation *op;
  mlir::Value value; // the tensor that is read, not a view of it
};

struct Array {
  /// A tensor that has its type, its sizes and its name.
  mlir::Value value;
  /// The caller's memory, or a constant's; null for an array of the program's own.
  mlir::Value memory;
  /// It shares its memory with no other array.
  bool isFixed = false;
  /// Nothing is ever set in it.
  bool isUndefined = false;
  /// Something reads it, or may read what is copied from it.
  bool isNeeded = false;
  /// Some view of it joins or splits axes, which only contiguous memory allows.
  bool isReshaped = false;
  llvm::SmallVector<Definition, 2> definitions;
  llvm::SmallVector<Read, 2> reads;
  PointSet live;

  bool isDefinedAt(Point point) const;
};

/// True for operations whose result is a part of their first operand, or the whole of it in another form.
bool isTensorView(mlir::Operation *op);

/// The tensor behind all views.
mlir::Value viewedTensor(mlir::Value tensor);

class TensorLiveness {
public:
  explicit TensorLiveness(mlir::func::FuncOp function);

  llvm::ArrayRef<Array> arrays() const { return all; }
  /// The array that a tensor is, or is a view of; -1 for what is no array of the program.
  int arrayOf(mlir::Value tensor) const;
  /// The array that is the caller's memory `buffer`.
  int arrayInMemory(mlir::Value buffer) const;
  bool isUndefined(mlir::Value tensor) const;

  /// True if the two can't be in one memory: one gets other elements while the other is still needed.
  bool interfere(unsigned first, unsigned second) const;

  Point readPoint(mlir::Operation *op) const { return 2 * places.lookup(op).first; }

private:
  void number(mlir::Block &block);
  void makeArrays(mlir::Operation *op);
  unsigned make(mlir::Value value, Point from);
  void same(mlir::Value value, unsigned array, Point from);
  void connect(mlir::Operation *op);
  void connectKernel(mlir::linalg::LinalgOp kernel);
  void define(mlir::Value target, mlir::OpOperand &operand, Definition::Kind kind);
  void copyInto(unsigned target, mlir::OpOperand &operand, Definition::Kind kind);
  void write(mlir::Value target);
  void read(mlir::Value tensor, mlir::Operation *op, bool isInterleaved);
  void findNeeded();
  void findLive(Array &array);
  void extend(PointSet &live, mlir::Block *home, Point from, mlir::Operation *user, Point to) const;
  bool overwrites(const Array &writer, unsigned other) const;

  Point endPoint(mlir::Operation *op) const { return 2 * places.lookup(op).second; }

  std::vector<Array> all;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  llvm::DenseMap<mlir::Value, Point> beginnings; // where a tensor begins to exist
  llvm::DenseMap<mlir::Value, unsigned> memories;
  llvm::DenseMap<mlir::Operation *, std::pair<unsigned, unsigned>> places;
  llvm::SmallVector<mlir::Operation *> order;
  unsigned count = 0;
};

} // namespace quernel

#endif
