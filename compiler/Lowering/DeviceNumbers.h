// Numbers of a program for a device: which of them can stay in the device's memory, and who touches what memory.
#ifndef QUERNEL_LOWERING_DEVICENUMBERS_H
#define QUERNEL_LOWERING_DEVICENUMBERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseSet.h"

namespace quernel {

/// The kernel that a call calls, or null.
mlir::func::FuncOp kernelOf(mlir::func::CallOp call, mlir::SymbolTable &symbols);

/// Whether an operation computes numbers from numbers, and does nothing else. Constants don't count.
bool isArithmetic(mlir::Operation *op);

/// Which numbers of a program follow from elements of the device's memory, and which of these the host has to know: for
/// a branch, a loop, a size, a check, a library.
class DeviceNumbers {
public:
  /// @param assumed  a loop of which this is asked as if what its turns hand on, and its condition, were on the device
  DeviceNumbers(mlir::func::FuncOp program, mlir::SymbolTable &symbols, mlir::scf::WhileOp assumed = {});

  /// Whether a number follows from the device's memory, and nothing on the host needs it.
  bool isKept(mlir::Value number) const { return onDevice.contains(number) && !onHost.contains(number); }
  /// Whether a number follows from the device's memory, and the host needs it.
  bool isFetched(mlir::Value number) const { return onDevice.contains(number) && onHost.contains(number); }
  /// Notes a load that has been made since.
  void keep(mlir::Value number) { onDevice.insert(number); }

private:
  void findOnDevice();
  bool followsFromDevice(mlir::Value number) const;
  void findNeeded();
  void need(mlir::Value number);
  bool isNeededBy(mlir::OpOperand &use);

  mlir::func::FuncOp program;
  mlir::SymbolTable &symbols;
  mlir::scf::WhileOp assumed;
  llvm::DenseSet<mlir::Value> onDevice, onHost;
};

/// The allocation, or the argument of the program, that a buffer is; null where that isn't known. No two of these
/// overlap.
mlir::Value memoryOf(mlir::Value buffer);

/// Whether an operation, or one inside of it, may change what `memory` holds, or release it. `memory` is a `memoryOf`,
/// or null for any.
bool mayWrite(mlir::Operation *op, mlir::Value memory, mlir::SymbolTable &symbols);

/// Whether an operation, or one inside of it, may read or change it.
bool mayTouch(mlir::Operation *op, mlir::Value memory);

} // namespace quernel

#endif
