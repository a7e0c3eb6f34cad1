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
#define QUERNEL_UFUNC(name, arity, kinds, predicate, ulp, combiner) {name, arity, kinds, predicate, ulp, combiner},
#include "compiler/Dialect/UfuncTable.inc"
#undef QUERNEL_UFUNC
  };
  return table;
}

bool quernel::combines(StringRef kind, Type element) {
  // Sums and products of bools are `any` and `all`. Of other dtypes the logical ufuncs combine what is true of
  // elements.
  auto isFor = [&](const UfuncInfo &ufunc) {
    const bool isLogical = ufunc.name.starts_with("logical");
    if (ufunc.combiner != kind)
      return false;
    return element.isInteger(1) ? kind != "sum" && kind != "prod" : !isLogical && ufunc.kinds.contains(kindOf(element));
  };
  return llvm::any_of(ufuncTable(), isFor);
}
