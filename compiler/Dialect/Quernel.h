// The quernel dialect: NumPy's array primitives on tensors.
#ifndef QUERNEL_DIALECT_QUERNEL_H
#define QUERNEL_DIALECT_QUERNEL_H

#include "compiler/Dialect/Attributes.h"
#include "compiler/Dialect/ScalarBuilder.h"
#include "compiler/Dialect/ShapeRules.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "compiler/Dialect/QuernelDialect.h.inc"
#include "compiler/Dialect/QuernelInterfaces.h.inc"
#define GET_OP_CLASSES
#include "compiler/Dialect/QuernelOps.h.inc"

namespace quernel {

/// One row of the ufunc table.
struct UfuncInfo {
  llvm::StringLiteral name;
  int arity;
  llvm::StringLiteral kinds;
  bool predicate;
  int ulp;
  llvm::StringLiteral combiner;
};

/// The whole table, sorted by name.
llvm::ArrayRef<UfuncInfo> ufuncTable();

/// Whether elements of a type can be reduced by a combiner of the table.
bool combines(llvm::StringRef kind, mlir::Type element);

} // namespace quernel

#endif
