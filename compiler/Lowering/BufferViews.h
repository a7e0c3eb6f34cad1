// Resolves a buffer to the pointer behind it.
#ifndef QUERNEL_LOWERING_BUFFERVIEWS_H
#define QUERNEL_LOWERING_BUFFERVIEWS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace quernel {

/// Where the elements of a buffer are: `pointer[offset + sum(index * stride)]`.
struct BufferView {
  mlir::Value pointer; // an argument or an allocation
  mlir::OpFoldResult offset;
  llvm::SmallVector<mlir::OpFoldResult> sizes, strides;
};

/// What an operation that makes a view of a buffer, or a pointer of one, looks at; null for others.
mlir::Value viewedBy(mlir::Operation *op);

/// The buffer that isn't made from another one, behind views of any depth.
mlir::Value bufferBehind(mlir::Value buffer);

/// Looks through views of any depth. Arithmetic is built at the builder's insertion point; null pointer where an
/// operation isn't a view that it knows.
BufferView resolveBuffer(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value buffer);

} // namespace quernel

#endif
