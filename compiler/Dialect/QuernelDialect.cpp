#include "compiler/Dialect/Quernel.h"

using namespace mlir;
using namespace quernel;

#include "compiler/Dialect/QuernelDialect.cpp.inc"
#include "compiler/Dialect/QuernelInterfaces.cpp.inc"

void QuernelDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "compiler/Dialect/QuernelOps.cpp.inc"
      >();
}

ArrayRef<UfuncInfo> quernel::ufuncTable() {
  static constexpr UfuncInfo table[] = {
#define QUERNEL_UFUNC(name, arity, kinds, predicate, ulp) {name, arity, kinds, predicate, ulp},
#include "compiler/Dialect/UfuncTable.inc"
#undef QUERNEL_UFUNC
  };
  return table;
}
