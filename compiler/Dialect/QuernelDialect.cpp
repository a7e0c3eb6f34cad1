#include "compiler/Dialect/Quernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace quernel;

#include "compiler/Dialect/QuernelDialect.cpp.inc"
#include "compiler/Dialect/QuernelInterfaces.cpp.inc"

void QuernelDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "compiler/Dialect/QuernelOps.cpp.inc"
      >();
}

/// Sizes are the only constants that folds make.
Operation *QuernelDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  return type.isIndex() ? arith::ConstantOp::materialize(builder, value, type, loc) : nullptr;
}

ArrayRef<UfuncInfo> quernel::ufuncTable() {
  static constexpr UfuncInfo table[] = {
#define QUERNEL_UFUNC(name, arity, kinds, predicate, ulp) {name, arity, kinds, predicate, ulp},
#include "compiler/Dialect/UfuncTable.inc"
#undef QUERNEL_UFUNC
  };
  return table;
}
