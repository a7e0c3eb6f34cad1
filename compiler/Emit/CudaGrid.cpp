// What of a program can't run as kernels alone, which a GPU's grid carries out one after the other.
#include "compiler/Dialect/Quernel.h"
#include "compiler/Dialect/Routines.h"
#include "compiler/Emit/Emit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace quernel;

/// A check that an array isn't too big, which is left to whoever takes the memory for a grid.
static bool checksSize(CheckOp check) {
  auto compared = check.getOk().getDefiningOp<arith::CmpIOp>();
  return compared && compared.getLhs().getDefiningOp<CountOp>();
}

/// What an operation is to the user, where a grid can't run it. A kernel may neither fail nor run a loop of the
/// program's, which one thread would have to itself.
static std::string obstacleAt(Operation *op, bool isProgram) {
  if (auto check = dyn_cast<CheckOp>(op))
    return checksSize(check) ? "" : "a check";
  if (llvm::any_of(op->getResultTypes(), [](Type type) { return type.isF16() || type.isBF16(); }))
    return "a number of 16 bits";
  if (isa<scf::WhileOp>(op) || scheduleOf(op).polled)
    return "a loop of the program's own";
  if (!isProgram)
    return "";
  if (isa<scf::IfOp>(op))
    return "a branch of the program's own";
  if (isa<scf::ForOp>(op))
    return "a loop of the program's own";
  if (isa<memref::LoadOp, memref::StoreOp>(op))
    return "a number that is computed between kernels";
  auto call = dyn_cast<func::CallOp>(op);
  Operation *callee = call ? SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr()) : nullptr;
  if (callee && hasRole(callee, FunctionRole::user))
    return ("`" + call.getCallee() + "`, a function in C++").str();
  if (!callee || !hasRole(callee, FunctionRole::library))
    return "";
  auto function = RoutineFunction::find(call.getCallee());
  return ("`" + (function ? function->routine->name : call.getCallee()) + "`, which a library computes").str();
}

/// The first obstacle, but the first call of a library before any other: what goes with it, a store or a check, isn't
/// what the user has written.
std::optional<GridObstacle> quernel::findGridObstacle(ModuleOp module) {
  std::optional<GridObstacle> found;
  for (auto function : module.getOps<func::FuncOp>()) {
    bool isProgram = hasRole(function, FunctionRole::program);
    WalkResult result = function.walk([&](Operation *op) {
      std::string what = obstacleAt(op, isProgram);
      const bool isCall = isa<func::CallOp>(op);
      if (what.empty() || (found && !isCall))
        return WalkResult::advance();
      found = GridObstacle{op, what};
      return isCall ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      break;
  }
  return found;
}
