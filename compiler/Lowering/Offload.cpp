// The program around the kernels of a device: it runs on the host and reaches the device's memory by launches and
// copies.
//
//   call @f_add(%x, %out, %n)        quernel.launch @f_add(%x, %out, %n) turns %n block 256
//   %e = memref.load %out[%i]    →   %e = quernel.read %out[%i]
//   memref.store %e, %x[%i]          quernel.write %e, %x[%i]
//   %t = memref.alloca()             %t = memref.alloc()
//
// The program's constants are the host's. A library gets a copy of one, which a kernel makes.
#include "compiler/Lowering/Offload.h"
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/DeviceNumbers.h"
#include "compiler/Lowering/Grid.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Lowering/Recompute.h"
#include "compiler/Lowering/SharedMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace quernel {
#define GEN_PASS_DEF_OFFLOAD
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

int64_t quernel::lanesOf(func::FuncOp kernel) {
  int64_t lanes = 1;
  kernel.walk([&](LaneOp op) { lanes = op.getLanes(); });
  return lanes;
}

static WorkerOp workersOf(func::FuncOp kernel) {
  WorkerOp workers;
  kernel.walk([&](WorkerOp op) { workers = op; });
  return workers;
}

bool quernel::hasTeams(func::FuncOp kernel) { return static_cast<bool>(workersOf(kernel)); }

/// Bytes at whose multiples each allocation begins.
static constexpr int64_t sharedAlignment = 16;

/// The bytes of the kernel's allocations, or of those before one of them.
static int64_t sharedBytesBefore(func::FuncOp kernel, memref::AllocaOp last) {
  int64_t bytes = 0;
  kernel.walk([&](memref::AllocaOp op) {
    if (op == last)
      return WalkResult::interrupt();
    if (isSharedMemory(op.getType()))
      bytes +=
          llvm::alignTo(op.getType().getNumElements() * elementBytes(op.getType().getElementType()), sharedAlignment);
    return WalkResult::advance();
  });
  return bytes;
}

int64_t quernel::sharedBytesOf(func::FuncOp kernel) { return sharedBytesBefore(kernel, {}); }

int64_t quernel::dynamicBytesOf(func::FuncOp kernel) {
  const int64_t bytes = sharedBytesOf(kernel);
  return bytes > blockBytes ? bytes : 0;
}

int64_t quernel::dynamicPlaceOf(memref::AllocaOp memory) {
  return sharedBytesBefore(memory->getParentOfType<func::FuncOp>(), memory);
}

int64_t quernel::leastThreadsOf(func::FuncOp kernel) {
  constexpr int64_t enough = 1024, fewest = 128;
  const int64_t all = std::max(blockBytes, targetOf(kernel).sharedBytes);
  const int64_t blocks = std::max<int64_t>(1, all / (sharedBytesOf(kernel) + 1024));
  const int64_t least = llvm::bit_ceil<uint64_t>(llvm::divideCeil(enough, blocks));
  return std::clamp(least, fewest, std::max(fewest, blockOf(kernel)));
}

int64_t quernel::blockOf(func::FuncOp kernel) {
  const int64_t lanes = lanesOf(kernel);
  if (WorkerOp workers = workersOf(kernel))
    return workers.getLanes() * workers.getMost();
  if (!Grid(kernel))
    return lanes;
  const int64_t bytes = sharedBytesOf(kernel);
  const int64_t least = 2 * bytes > blockBytes ? lanes : std::max(threadsOfWarp, lanes); // a turn alone, or a warp
  int64_t block = usualBlock;
  while (block > least && block / lanes * bytes > blockBytes)
    block /= 2;
  return block;
}

Value quernel::withoutCasts(Value buffer) {
  while (auto cast = buffer.getDefiningOp<memref::CastOp>())
    buffer = cast.getSource();
  return buffer;
}

/// The constant that a buffer is, or null.
static memref::GetGlobalOp constantBehind(Value buffer) {
  return withoutCasts(buffer).getDefiningOp<memref::GetGlobalOp>();
}

bool quernel::isOnHost(Value buffer) {
  auto argument = dyn_cast<BlockArgument>(withoutCasts(buffer));
  auto program = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  return constantBehind(buffer) ||
         (program && argumentOf(program, argument.getArgNumber()).kind == ArgumentKind::scalar);
}

namespace {

/// Turns that are launched along an axis where the program doesn't know how many it has, in grids of one to three axes:
/// all of them are the threads of a large device.
constexpr int64_t unknownTurns[mostGridAxes] = {1 << 18, 1 << 9, 1 << 6};

/// Whether a number of a kernel follows from the kernel's arguments by arithmetic alone.
bool followsFromArguments(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return isa<func::FuncOp>(cast<BlockArgument>(value).getOwner()->getParentOp());
  return op->getNumRegions() == 0 && isPure(op) && isa<arith::ArithDialect>(op->getDialect()) &&
         llvm::all_of(op->getOperands(), followsFromArguments);
}

/// How many turns an axis of a grid has in the program, where `mapping` has the kernel's arguments.
Value turnsOf(OpBuilder &builder, Location loc, GridAxis axis, func::FuncOp kernel, IRMapping &mapping) {
  const auto inProgram = [&](Value number) { return recompute(builder, number, kernel, mapping); };
  Value turns = inProgram(axis.upper);
  if (getConstantIntValue(axis.lower) != 0)
    turns = arith::SubIOp::create(builder, loc, turns, inProgram(axis.lower));
  if (getConstantIntValue(axis.step) != 1)
    turns = builder.createOrFold<arith::CeilDivSIOp>(loc, turns, inProgram(axis.step));
  return turns;
}

/// The turns of a kernel's grid along x, y and z when it is called so.
SmallVector<Value> turnsOf(OpBuilder &builder, func::CallOp call, func::FuncOp kernel, const Grid &grid) {
  Location loc = call.getLoc();
  if (!grid)
    return {arith::ConstantIndexOp::create(builder, loc, 1)};
  IRMapping mapping;
  mapping.map(kernel.getArguments(), call.getOperands());
  SmallVector<Value> turns;
  for (unsigned number = 0; number < grid.axes(); ++number) {
    GridAxis axis = grid.axis(number);
    const bool isKnown = llvm::all_of(ArrayRef({axis.lower, axis.upper, axis.step}), followsFromArguments);
    turns.push_back(isKnown ? turnsOf(builder, loc, axis, kernel, mapping)
                            : arith::ConstantIndexOp::create(builder, loc, unknownTurns[grid.axes() - 1]));
  }
  return turns;
}

void launch(func::CallOp call, func::FuncOp kernel) {
  OpBuilder builder(call);
  const Grid grid(kernel);
  const int64_t lanes = lanesOf(kernel), block = blockOf(kernel);
  SmallVector<Value> turns = turnsOf(builder, call, kernel, grid);
  if (lanes > 1) {
    Value each = arith::ConstantIndexOp::create(builder, call.getLoc(), lanes);
    turns.front() = builder.createOrFold<arith::MulIOp>(call.getLoc(), turns.front(), each);
  }
  setFunctionAttr(kernel, functionAttrOf(kernel).withBlock(block));
  LaunchOp::create(builder, call.getLoc(), call.getOperands(), turns, call.getCallee(), block,
                   /*shared=*/dynamicBytesOf(kernel), /*worker=*/hasTeams(kernel) ? lanes : 0);
  call.erase();
}

void offload(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    if (isOnHost(load.getMemRef()))
      return;
    auto read = ReadOp::create(builder, loc, load.getType(), load.getMemRef(), load.getIndices().front());
    load.replaceAllUsesWith(read.getResult());
  } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
    WriteOp::create(builder, loc, store.getValueToStore(), store.getMemRef(), store.getIndices().front());
  } else if (auto scratch = dyn_cast<memref::AllocaOp>(op)) {
    auto memory = memref::AllocOp::create(builder, loc, scratch.getType());
    scratch.replaceAllUsesWith(memory.getResult());
  } else {
    return;
  }
  op->erase();
}

/// The kernel that stores a constant's elements where its argument is.
func::FuncOp kernelOfCopy(memref::GetGlobalOp constant, SymbolTable &symbols) {
  Location loc = constant.getLoc();
  MLIRContext *context = constant.getContext();
  Type element = constant.getType().getElementType();
  OpBuilder builder(context);
  Type memory = MemRefType::get({ShapedType::kDynamic}, element);
  auto kernel =
      func::FuncOp::create(loc, (constant.getName() + "_copy").str(), builder.getFunctionType(ArrayRef(memory), {}));
  kernel.setPrivate();
  setFunctionAttr(kernel, FunctionAttr::get(context, FunctionRole::kernel));
  symbols.insert(kernel, symbols.getOp()->getRegion(0).front().begin());
  builder.setInsertionPointToStart(kernel.addEntryBlock());
  Value from = builder.clone(*constant)->getResult(0), to = kernel.getArgument(0);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value count = arith::ConstantIndexOp::create(builder, loc, constant.getType().getNumElements());
  scf::ParallelOp::create(builder, loc, ValueRange(zero), ValueRange(count), ValueRange(one),
                          [&](OpBuilder &inside, Location, ValueRange counters) {
                            Value loaded = memref::LoadOp::create(inside, loc, from, counters);
                            memref::StoreOp::create(inside, loc, loaded, to, counters);
                          });
  func::ReturnOp::create(builder, loc);
  return kernel;
}

/// Gives a library copies of constants in the device's memory.
void copyConstants(func::CallOp call, SymbolTable &symbols) {
  OpBuilder builder(call);
  Location loc = call.getLoc();
  for (OpOperand &operand : call->getOpOperands()) {
    memref::GetGlobalOp constant = constantBehind(operand.get());
    if (!constant)
      continue;
    auto type = cast<MemRefType>(constant.getType());
    Value memory = memref::AllocOp::create(builder, loc, MemRefType::get(type.getShape(), type.getElementType()));
    Type any = MemRefType::get({ShapedType::kDynamic}, type.getElementType());
    Value buffer = memref::CastOp::create(builder, loc, any, memory);
    func::FuncOp kernel = kernelOfCopy(constant, symbols);
    auto copy = func::CallOp::create(builder, loc, kernel, buffer);
    launch(copy, kernel);
    operand.set(operand.get().getType() == any ? buffer : memory);
  }
}

struct Offload : quernel::impl::OffloadBase<Offload> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto program : getOperation().getOps<func::FuncOp>()) {
      if (!hasRole(program, FunctionRole::program))
        continue;
      SmallVector<Operation *> ops;
      program.walk([&](Operation *op) { ops.push_back(op); });
      for (Operation *op : ops) {
        auto call = dyn_cast<func::CallOp>(op);
        if (func::FuncOp kernel = call ? kernelOf(call, symbols) : func::FuncOp())
          launch(call, kernel);
        else if (call)
          copyConstants(call, symbols);
        else
          offload(op);
      }
    }
  }
};

} // namespace
