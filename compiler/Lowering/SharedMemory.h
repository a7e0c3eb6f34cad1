// Memory that the threads of a GPU's block share: what a kernel allocates in memory space 3. Each turn of the grid that
// a block runs has its own.
#ifndef QUERNEL_LOWERING_SHAREDMEMORY_H
#define QUERNEL_LOWERING_SHAREDMEMORY_H

#include "compiler/Dialect/TargetInfo.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace quernel {

/// Bytes that a block may have without asking for more, on every GPU.
constexpr int64_t blockBytes = 48 * 1024;

/// Bytes that a block of an operation's target may have where its launch asks for them. Programs for an architecture
/// run on later devices, too, of which the smaller ones have 99 KiB; 1 KiB of a multiprocessor is the system's.
inline int64_t mostBlockBytes(mlir::Operation *op) {
  const int64_t all = targetOf(op).sharedBytes;
  return all == 0 ? blockBytes : std::min<int64_t>(99 * 1024, all - 1024);
}

inline mlir::MemRefType sharedMemory(int64_t count, mlir::Type element) {
  auto space = mlir::IntegerAttr::get(mlir::IntegerType::get(element.getContext(), 64), 3);
  return mlir::MemRefType::get({count}, element, mlir::MemRefLayoutAttrInterface(), space);
}

inline bool isSharedMemory(mlir::Type type) {
  auto memory = mlir::dyn_cast<mlir::MemRefType>(type);
  return memory && memory.getMemorySpaceAsInt() == 3;
}

} // namespace quernel

#endif
