#include "compiler/Lowering/DeviceNumbers.h"
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/Grid.h"
#include "compiler/Lowering/Offload.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace quernel;

func::FuncOp quernel::kernelOf(func::CallOp call, SymbolTable &symbols) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  return callee && hasRole(callee, FunctionRole::kernel) ? callee : func::FuncOp();
}

static bool isNumber(Type type) { return type.isIntOrIndexOrFloat(); }

bool quernel::isArithmetic(Operation *op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 && isPure(op) && !matchPattern(op, m_Constant()) &&
         isNumber(op->getResult(0).getType()) && llvm::all_of(op->getOperandTypes(), isNumber);
}

DeviceNumbers::DeviceNumbers(func::FuncOp program, SymbolTable &symbols, scf::WhileOp assumed)
    : program(program), symbols(symbols), assumed(assumed) {
  findOnDevice();
  findNeeded();
}

/// What a counted loop carries goes by one number: that of its operand, of what its body sees, gives on, and ends with.
static Value initOf(scf::ForOp loop, unsigned number) { return loop.getInitArgs()[number]; }
static Value yieldOf(scf::ForOp loop, unsigned number) { return loop.getYieldedValues()[number]; }

bool DeviceNumbers::followsFromDevice(Value number) const {
  const auto known = [&](Value value) { return onDevice.contains(value); };
  const auto isCarried = [&](scf::ForOp loop, unsigned carried) {
    return known(initOf(loop, carried)) || known(yieldOf(loop, carried));
  };
  if (auto argument = dyn_cast<BlockArgument>(number)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (parent == assumed)
      return true;
    auto loop = dyn_cast<scf::ForOp>(parent);
    return loop && argument.getArgNumber() > 0 && isCarried(loop, argument.getArgNumber() - 1);
  }
  Operation *op = number.getDefiningOp();
  if (op == assumed)
    return true;
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return !isOnHost(load.getMemRef());
  const unsigned position = cast<OpResult>(number).getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return isCarried(loop, position);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return known(branch.thenYield().getOperand(position)) || known(branch.elseYield().getOperand(position));
  return isArithmetic(op) && llvm::any_of(op->getOperands(), known);
}

void DeviceNumbers::findOnDevice() {
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    const auto add = [&](Value value) {
      if (isNumber(value.getType()) && !onDevice.contains(value) && followsFromDevice(value))
        isChanged |= onDevice.insert(value).second;
    };
    program.walk([&](Operation *op) {
      llvm::for_each(op->getResults(), add);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::for_each(block.getArguments(), add);
    });
  }
}

/// Whether the bounds of a kernel's grid, which the program computes, follow from an argument.
static bool decidesGrid(func::FuncOp kernel, unsigned number) {
  const Grid grid(kernel);
  SmallVector<Value> wanted;
  for (unsigned axis = 0; axis < grid.axes(); ++axis) {
    auto [lower, upper, step] = grid.axis(axis);
    wanted.append({lower, upper, step});
  }
  while (!wanted.empty()) {
    Value value = wanted.pop_back_val();
    if (value == kernel.getArgument(number))
      return true;
    if (Operation *op = value.getDefiningOp())
      wanted.append(op->operand_begin(), op->operand_end());
  }
  return false;
}

/// Whether the host has to know a number for this use of it. What is computed from it, and given on, says so itself.
bool DeviceNumbers::isNeededBy(OpOperand &use) {
  Operation *user = use.getOwner();
  if (assumed && (user == assumed || (user->getParentOp() == assumed && user->hasTrait<OpTrait::IsTerminator>())))
    return false;
  if (auto load = dyn_cast<memref::LoadOp>(user))
    return isOnHost(load.getMemRef());
  if (auto store = dyn_cast<memref::StoreOp>(user))
    return isOnHost(store.getMemRef());
  if (isArithmetic(user))
    return false;
  if (isa<scf::YieldOp>(user))
    return !isa<scf::ForOp, scf::IfOp>(user->getParentOp());
  if (auto loop = dyn_cast<scf::ForOp>(user))
    return use.getOperandNumber() < loop.getNumControlOperands();
  auto call = dyn_cast<func::CallOp>(user);
  func::FuncOp kernel = call ? kernelOf(call, symbols) : func::FuncOp();
  return !kernel || decidesGrid(kernel, use.getOperandNumber());
}

void DeviceNumbers::findNeeded() {
  program.walk([&](Operation *op) {
    for (OpOperand &use : op->getOpOperands())
      if (onDevice.contains(use.get()) && isNeededBy(use))
        need(use.get());
  });
}

void DeviceNumbers::need(Value number) {
  if (!onDevice.contains(number) || !onHost.insert(number).second)
    return;
  Operation *op = number.getDefiningOp();
  if (assumed && (op ? op : number.getParentBlock()->getParentOp()) == assumed)
    return; // a load from its place
  if (auto argument = dyn_cast<BlockArgument>(number)) {
    auto loop = cast<scf::ForOp>(argument.getOwner()->getParentOp());
    const unsigned carried = argument.getArgNumber() - 1;
    need(initOf(loop, carried));
    need(yieldOf(loop, carried));
    return;
  }
  // What a loop ends with is read behind it.
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    const unsigned position = cast<OpResult>(number).getResultNumber();
    need(branch.thenYield().getOperand(position));
    need(branch.elseYield().getOperand(position));
  } else if (!isa<scf::ForOp>(op)) {
    for (Value operand : op->getOperands())
      need(operand);
  }
}

Value quernel::memoryOf(Value buffer) {
  buffer = withoutCasts(buffer);
  if (auto argument = dyn_cast<BlockArgument>(buffer))
    return isa<func::FuncOp>(argument.getOwner()->getParentOp()) ? buffer : Value();
  return isa<memref::AllocOp, memref::AllocaOp, memref::GetGlobalOp>(buffer.getDefiningOp()) ? buffer : Value();
}

/// Whether an operand of an operation may be memory.
static bool mayBe(Value operand, Value memory) {
  if (!isa<MemRefType>(operand.getType()))
    return false;
  Value own = memoryOf(operand);
  return !own || !memory || own == memory;
}

bool quernel::mayWrite(Operation *op, Value memory, SymbolTable &symbols) {
  const auto writes = [&](OpOperand &use) {
    if (!mayBe(use.get(), memory) || isa<memref::LoadOp, memref::CastOp, memref::DimOp, AllocatedOp>(use.getOwner()))
      return false;
    auto call = dyn_cast<func::CallOp>(use.getOwner());
    func::FuncOp kernel = call ? kernelOf(call, symbols) : func::FuncOp();
    return !kernel || !argumentOf(kernel, use.getOperandNumber()).readonly;
  };
  return op
      ->walk([&](Operation *inner) {
        return llvm::any_of(inner->getOpOperands(), writes) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool quernel::mayTouch(Operation *op, Value memory) {
  return op
      ->walk([&](Operation *inner) {
        const bool touches = !isa<memref::CastOp, AllocatedOp>(inner) &&
                             llvm::any_of(inner->getOperands(), [&](Value operand) { return mayBe(operand, memory); });
        return touches ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}
