// Which arrays of a program share a buffer.
#ifndef QUERNEL_LOWERING_BUFFERCLASSES_H
#define QUERNEL_LOWERING_BUFFERCLASSES_H

#include "compiler/Lowering/TensorLiveness.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace quernel {

/// Arrays in one buffer. No two of them interfere.
struct BufferClass {
  llvm::SmallVector<unsigned> arrays;
  /// The caller's memory, or null.
  mlir::Value memory;
  bool isFixed = false, isReshaped = false, isNeeded = false;
  /// The caller takes the buffer over, so it is no one's before.
  bool isHandedOver = false;
  /// The class whose buffer this one is a part of, and the operation that says which part; -1 for a buffer of its own.
  int whole = -1;
  mlir::tensor::InsertSliceOp part;
  /// Where the buffer is written and read, with what is placed in it, and the operations that do so.
  llvm::SmallVector<Point> writes, reads;
  llvm::SmallVector<mlir::Operation *> users;

  /// The first point at which the buffer has to exist, and the last one at which it is used.
  Point first = std::numeric_limits<Point>::max(), last = 0;
};

/// Merges the arrays that copies relate, as far as they don't interfere: those of inner loops first, and what a loop
/// carries before what a branch joins before what is updated before what the caller gets. Then places arrays that are
/// only made to be put into another one in that one's buffer. Every choice is legal; a bad one costs a copy.
class BufferClasses {
public:
  explicit BufferClasses(mlir::func::FuncOp function);

  const TensorLiveness &liveness() const { return live; }
  llvm::ArrayRef<BufferClass> classes() const { return all; }
  /// The class of a tensor, or of the tensor that it is a view of; -1 for none.
  int classOf(mlir::Value tensor) const;
  int classInMemory(mlir::Value buffer) const;
  /// True if the array that the operation inserts is in its place already.
  bool isPlaced(mlir::tensor::InsertSliceOp insert) const { return placed.contains(insert); }
  /// The operation before which the buffer has to exist: in the innermost block that holds all of its users.
  mlir::Operation *beginningOf(const BufferClass &group) const;

private:
  /// A copy that needn't be made if both arrays are in one buffer.
  struct Affinity {
    unsigned target, source, depth, kind;
  };

  llvm::SmallVector<Affinity> affinities() const;
  void makeClasses();
  bool mayMerge(const BufferClass &first, const BufferClass &second) const;
  void merge(unsigned first, unsigned second);
  void place(mlir::tensor::InsertSliceOp insert);
  bool mayPlace(mlir::tensor::InsertSliceOp insert, const BufferClass &part, const BufferClass &whole) const;

  TensorLiveness live;
  std::vector<BufferClass> all;
  llvm::SmallVector<unsigned> groupOf;
  llvm::DenseSet<mlir::Operation *> placed;
  mlir::func::FuncOp function;
};

} // namespace quernel

#endif
