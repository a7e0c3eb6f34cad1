// Whether the turns of a loop, or a part of each, are tasks: work of a library, or with arrays of their own, for
// threads.
#ifndef QUERNEL_LOWERING_TASKTURNS_H
#define QUERNEL_LOWERING_TASKTURNS_H

#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/Dependence.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace quernel {

/// A user's loop that carries nothing, on a CPU, of a function whose array statements are `linalg.generic`.
class TaskTurns {
public:
  explicit TaskTurns(mlir::scf::ForOp loop) : loop(loop) {}

  /// Whether turns of these operations, which stand in the loop's body, or of the loop itself are tasks. They are worth
  /// threads: there are at least 16, with work of a library or arrays of their own, of constant sizes and not too
  /// large. No element that one turn stores is touched by another one, and where a turn may fail, no argument holds
  /// anything new: so nobody sees what the turns behind it have done.
  bool areTasks(llvm::ArrayRef<mlir::Operation *> operations);

  /// All reads and writes of these operations but those of checks; failure where one can't be told.
  static llvm::LogicalResult collect(llvm::ArrayRef<mlir::Operation *> operations,
                                     llvm::SmallVectorImpl<Access> &accesses);

private:
  bool areWorthIt(llvm::ArrayRef<mlir::Operation *> operations);
  bool lookInside(mlir::Operation *operation);
  bool leavesArguments(llvm::ArrayRef<Access> accesses) const;
  bool addMemory(mlir::MemRefType type);
  bool addWork(mlir::Operation *statement);

  mlir::scf::ForOp loop;
  int64_t work = 0, bytes = 0;
  bool callsLibrary = false, mayFail = false;
};

/// Whether an operation, or one inside of it, is a library's.
bool holdsLibraryCall(mlir::Operation *operation);

} // namespace quernel

#endif
