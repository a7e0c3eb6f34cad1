// From tensors to the buffers that were chosen for them.
#ifndef QUERNEL_LOWERING_BUFFERREWRITER_H
#define QUERNEL_LOWERING_BUFFERREWRITER_H

#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/BufferClasses.h"

namespace quernel {

/// Assumes that the function returns nothing: what the caller gets is materialised in its memory. Leaves no tensor
/// behind: loops and branches hand over numbers alone, and what they handed over in arrays are copies between buffers
/// where it isn't one buffer anyway.
class BufferRewriter {
public:
  BufferRewriter(mlir::func::FuncOp function, const BufferClasses &classes)
      : function(function), classes(classes), builder(function.getContext()), buffers(classes.classes().size()) {}

  llvm::LogicalResult run();

  static bool isTensor(mlir::Value value) { return mlir::isa<mlir::RankedTensorType>(value.getType()); }

private:
  /// One of the copies that happen at the same time.
  struct Move {
    mlir::Value source;
    int sourceRoot; // the class that owns the memory of the source
    mlir::Value target;
    int targetRoot;
  };

  // Buffers.
  llvm::LogicalResult makeBuffer(unsigned group);
  mlir::Value allocate(const BufferClass &group, mlir::Operation *before);
  mlir::Value partOf(mlir::Value whole, mlir::tensor::InsertSliceOp insert, mlir::Operation *before);
  mlir::Value constant(mlir::Value tensor);
  int rootOf(int group) const;
  mlir::Value bufferOf(mlir::Value tensor) const;

  // Operations.
  void rewriteBlock(mlir::Block &block);
  void rewrite(mlir::Operation *op);
  void rewriteView(mlir::Operation *op);
  void rewriteKernel(mlir::linalg::LinalgOp kernel);
  void rewriteInsert(mlir::tensor::InsertSliceOp insert);
  void rewriteFor(mlir::scf::ForOp loop);
  void rewriteWhile(mlir::scf::WhileOp loop);
  void rewriteIf(mlir::scf::IfOp branch);
  void rewriteCheck(CheckOp check);
  void rewriteTerminator(mlir::Operation *op);
  void rewriteDim(mlir::tensor::DimOp dim);
  void replaceExtract(mlir::tensor::ExtractOp extract);

  // Copies.
  void moveInto(mlir::Location loc, mlir::Value tensor, int target);
  void addMove(llvm::SmallVectorImpl<Move> &moves, mlir::Value tensor, int target);
  void makeMoves(mlir::Location loc, llvm::SmallVector<Move> moves);
  void handOver(mlir::Operation *at, mlir::ValueRange tensors, mlir::ValueRange targets);

  mlir::func::FuncOp function;
  const BufferClasses &classes;
  mlir::OpBuilder builder;
  llvm::SmallVector<mlir::Value> buffers; // by class
  llvm::DenseMap<mlir::Value, mlir::Value> views;
  llvm::SmallVector<mlir::Operation *> dead;
};

} // namespace quernel

#endif
