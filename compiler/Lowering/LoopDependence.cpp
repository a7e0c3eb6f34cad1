#include "compiler/Lowering/LoopDependence.h"
#include "compiler/Lowering/LoopWork.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace quernel;

LoopDependence::LoopDependence(func::FuncOp kernel) {
  kernel.walk([&](Operation *op) {
    if (Value buffer = storedBuffer(op))
      written.insert(rootOf(buffer));
  });
}

Value LoopDependence::rootOf(Value buffer) {
  while (auto cast = buffer.getDefiningOp<memref::CastOp>())
    buffer = cast.getSource();
  return buffer;
}

std::optional<LoopAxis> quernel::axisOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return std::nullopt;
  Operation *op = argument.getOwner()->getParentOp();
  bool counts = isa<scf::ParallelOp>(op) || (isa<scf::ForOp>(op) && argument.getArgNumber() == 0);
  return counts ? std::optional(LoopAxis(op, argument.getArgNumber())) : std::nullopt;
}

static void insertAxes(LoopSet &loops, Operation *op) {
  auto parallel = dyn_cast<scf::ParallelOp>(op);
  unsigned axes = parallel ? parallel.getNumLoops() : isa<scf::ForOp, scf::WhileOp>(op) ? 1 : 0;
  for (unsigned axis = 0; axis < axes; ++axis)
    loops.insert({op, axis});
}

LoopSet LoopDependence::around(Operation *op) {
  LoopSet result;
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    insertAxes(result, parent);
  return result;
}

const LoopSet &LoopDependence::of(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  LoopSet result = compute(value);
  return known[value] = std::move(result);
}

LoopSet LoopDependence::compute(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return ofOperation(value.getDefiningOp());
  LoopSet result;
  Operation *op = argument.getOwner()->getParentOp();
  if (isa<func::FuncOp>(op))
    return result;
  if (auto axis = axisOf(value)) {
    result.insert(*axis);
  } else { // carried from turn to turn
    insertAxes(result, op);
    result.insert_range(ofRegions(op));
  }
  for (Value operand : op->getOperands())
    result.insert_range(of(operand));
  return result;
}

LoopSet LoopDependence::ofOperation(Operation *op) {
  auto load = dyn_cast<memref::LoadOp>(op);
  if (storedBuffer(op) || (load && isWritten(load.getMemRef())))
    return around(op);
  LoopSet result = ofRegions(op);
  for (Value operand : op->getOperands())
    result.insert_range(of(operand));
  return result;
}

/// What the operation takes from outside depends on.
LoopSet LoopDependence::ofRegions(Operation *op) {
  LoopSet result;
  for (Region &region : op->getRegions())
    region.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (!op->isAncestor(operand.getParentRegion()->getParentOp()))
          result.insert_range(of(operand));
      if (auto load = dyn_cast<memref::LoadOp>(nested); load && isWritten(load.getMemRef()))
        result.insert_range(around(op));
    });
  return result;
}
