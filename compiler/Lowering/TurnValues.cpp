#include "compiler/Lowering/TurnValues.h"
#include "compiler/Lowering/LoopWork.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace quernel;

void TurnValues::addBody(scf::ForOp loop) {
  numbers[loop.getInductionVar()] = turn;
  for (Operation &op : loop.getBody()->without_terminator())
    if (op.getNumResults() == 1 && (isMemoryEffectFree(&op) || readsWhatNobodyWrites(&op)) && op.getNumRegions() == 0)
      numbers[op.getResult(0)] = ofOperation(op);
}

unsigned TurnValues::of(Value value) {
  auto [entry, isNew] = numbers.try_emplace(value, next);
  next += isNew;
  return entry->second;
}

SmallVector<Value> TurnValues::equalIn(scf::ForOp loop, Value value) {
  SmallVector<Value> equal;
  for (Operation &op : loop.getBody()->without_terminator())
    if (op.getNumResults() == 1 && of(op.getResult(0)) == of(value))
      equal.push_back(op.getResult(0));
  return equal;
}

bool TurnValues::readsWhatNobodyWrites(Operation *op) {
  auto load = dyn_cast<memref::LoadOp>(op);
  return load && !dependence.isWritten(load.getMemRef());
}

unsigned TurnValues::ofOperation(Operation &op) {
  SmallVector<const void *> key{op.getName().getAsOpaquePointer(), op.getAttrDictionary().getAsOpaquePointer(),
                                op.getPropertiesAsAttribute().getAsOpaquePointer(),
                                op.getResult(0).getType().getAsOpaquePointer()};
  for (Value operand : op.getOperands())
    key.push_back(reinterpret_cast<const void *>(uintptr_t(of(operand))));
  auto [entry, isNew] = operations.try_emplace(key, next);
  next += isNew;
  return entry->second;
}

int64_t quernel::workOf(Value value, Block *body) {
  int64_t work = 0;
  llvm::DenseSet<Operation *> seen;
  SmallVector<Operation *> ops{value.getDefiningOp()};
  while (!ops.empty()) {
    Operation *op = ops.pop_back_val();
    if (!op || op->getBlock() != body || !seen.insert(op).second)
      continue;
    bool isAddress = isa<memref::LoadOp>(op) || op->getResult(0).getType().isIndex();
    work += isAddress ? 0 : operationWork(*op);
    if (!isAddress)
      for (Value operand : op->getOperands())
        ops.push_back(operand.getDefiningOp());
  }
  return work;
}
