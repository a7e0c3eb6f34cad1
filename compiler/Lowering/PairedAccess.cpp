#include "compiler/Lowering/PairedAccess.h"
#include "compiler/Lowering/LoopWork.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace quernel;

/// An index as a sum with a constant.
static std::pair<Value, int64_t> splitConstant(Value index) {
  auto sum = index.getDefiningOp<arith::AddIOp>();
  auto constant = sum ? getConstantIntValue(sum.getRhs()) : std::nullopt;
  return constant ? std::pair(sum.getLhs(), *constant) : std::pair(index, int64_t(0));
}

static bool isNext(Value first, Value second) {
  auto [base, offset] = splitConstant(first);
  auto [otherBase, otherOffset] = splitConstant(second);
  return base == otherBase && otherOffset == offset + 1;
}

Operation *quernel::secondOfPair(Operation *first) {
  auto load = dyn_cast<memref::LoadOp>(first);
  auto store = dyn_cast<memref::StoreOp>(first);
  for (Operation *op = first->getNextNode(); op; op = op->getNextNode()) {
    if (auto other = dyn_cast<memref::LoadOp>(op); load && other) {
      if (other.getMemRef() == load.getMemRef() && isNext(load.getIndices()[0], other.getIndices()[0]))
        return op;
      continue;
    }
    if (auto other = dyn_cast<memref::StoreOp>(op); store && other) {
      bool isSecond = other.getMemRef() == store.getMemRef() && isNext(store.getIndices()[0], other.getIndices()[0]);
      return isSecond ? op : nullptr;
    }
    if (!isMemoryEffectFree(op))
      return nullptr;
  }
  return nullptr;
}

static bool isPaired(Operation *access) {
  if (secondOfPair(access))
    return true;
  for (Operation *op = access->getPrevNode(); op; op = op->getPrevNode())
    if (op->getName() == access->getName() && secondOfPair(op) == access)
      return true;
  return false;
}

bool quernel::runsAlong(Operation *access, Value variable) {
  auto load = dyn_cast<memref::LoadOp>(access);
  Value index = load ? load.getIndices()[0] : cast<memref::StoreOp>(access).getIndices()[0];
  auto coefficient = coefficientOf(index, variable);
  return coefficient == 1 || (coefficient == 2 && isPaired(access));
}
