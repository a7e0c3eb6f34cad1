// What of a program a device can't run.
#include "compiler/Dialect/Quernel.h"
#include "compiler/Emit/Emit.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace quernel;

std::optional<GridObstacle> quernel::findGridObstacle(ModuleOp module) {
  std::optional<GridObstacle> found;
  module.walk([&](func::CallOp call) {
    Operation *callee = SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr());
    if (!callee || !hasRole(callee, FunctionRole::user))
      return WalkResult::advance();
    found = GridObstacle{call, ("`" + call.getCallee() + "`, a function in C++").str()};
    return WalkResult::interrupt();
  });
  return found;
}
