// What the threads of a turn load or compute of a row in several loops lies in memory that they share.
//
//   for j: m = max(m, x[j])                     for j: x' = x[j]; row[j] = x'; m = max(m, x')
//   for j: s += exp(x[j] - m)               →   for j: e = exp(row[j] - m); row[j] = e; s += e
//   for j: out[j] = exp(x[j] - m) / s           for j: out[j] = row[j] / s
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/LoopDependence.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Lowering/SharedMemory.h"
#include "compiler/Lowering/TurnValues.h"
#include "compiler/Lowering/VectorizeReduction.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace quernel {
#define GEN_PASS_DEF_SHAREROWS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

/// Bytes that FormTeams needs beside the rows of a turn that has a block for itself.
constexpr int64_t bytesOfTeam = 16 * 1024;

/// A row in shared memory, and where it is stored.
struct Row {
  memref::AllocaOp memory;
  memref::StoreOp store;
};

/// Whether a reduction has vectors of the same width when it loads a value of this type in place of what it computes.
bool keepsWidth(scf::ForOp loop, Type type) {
  if (scheduleOf(loop).vector != VectorForm::lanes)
    return true;
  int64_t most = elementBytes(type);
  for (Type carried : loop.getInitArgs().getTypes())
    most = std::max(most, carried.isIntOrFloat() ? elementBytes(carried) : 1);
  return most == widestElement(loop);
}

/// The place in a row of a loop's turn.
Value placeIn(OpBuilder &builder, scf::ForOp loop) {
  Value counter = loop.getInductionVar();
  if (getConstantIntValue(loop.getLowerBound()) == 0)
    return counter;
  return arith::SubIOp::create(builder, loop.getLoc(), counter, loop.getLowerBound());
}

/// Whether each turn of the grid, where there are several, has an operation's result for itself. The bounds of the
/// loops that share rows are constants, so their counters are the same in all turns.
bool isTurnsOwn(Operation &op) {
  if (!op.getParentOfType<scf::ParallelOp>())
    return true;
  llvm::SetVector<Value> values(op.operand_begin(), op.operand_end());
  for (size_t i = 0; i < values.size(); ++i) {
    if (auto argument = dyn_cast<BlockArgument>(values[i])) {
      Operation *parent = argument.getOwner()->getParentOp();
      const bool isCounter = isa<scf::ForOp>(parent) && argument.getArgNumber() == 0;
      if (!isa<func::FuncOp>(parent) && !isCounter)
        return true;
      continue;
    }
    Operation *producer = values[i].getDefiningOp();
    if (!producer->getParentOfType<scf::ParallelOp>())
      continue;
    if (producer->getNumRegions() != 0)
      return true;
    values.insert(producer->operand_begin(), producer->operand_end());
  }
  return false;
}

/// A load, or work, that several turns don't have in common.
bool isWorthSharing(Operation &op) {
  if (op.getNumResults() != 1 || op.getNumRegions() != 0 || !isTurnsOwn(op))
    return false;
  Type type = op.getResult(0).getType();
  if (!type.isIntOrFloat() || type.isInteger(1))
    return false;
  auto load = dyn_cast<memref::LoadOp>(op);
  return load ? !isSharedMemory(load.getMemRefType()) : workOf(op.getResult(0), op.getBlock()) >= worthKeeping;
}

class RowSharer {
public:
  explicit RowSharer(func::FuncOp kernel) : kernel(kernel) {}

  void run() {
    SmallVector<Block *> blocks;
    kernel.walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks) {
      SmallVector<scf::ForOp> loops;
      llvm::copy_if(block->getOps<scf::ForOp>(), std::back_inserter(loops), [](scf::ForOp loop) {
        return scheduleOf(loop).vector != VectorForm::none && staticTrips(loop).value_or(0) > 0 &&
               getConstantIntValue(loop.getStep()) == 1;
      });
      rows.clear();
      most = mostBytesOf(block);
      for (size_t last = loops.size(); last-- > 1;)
        shareFor(ArrayRef(loops).take_front(last), loops[last]);
    }
  }

private:
  /// Bytes that rows of a block's loops may have. What the kernel's grid has a turn of, with lanes, gets a block for
  /// itself where its rows are long; else two turns of 16 lanes are in a warp.
  int64_t mostBytesOf(Block *block) {
    SmallVector<scf::ParallelOp> parallel;
    kernel.walk([&](scf::ParallelOp loop) { parallel.push_back(loop); });
    const bool isTurn = parallel.empty() ? block == &kernel.getBody().front()
                                         : parallel.size() == 1 && block == parallel.front().getBody() &&
                                               parallel.front()->getParentOp() == kernel;
    const bool hasLanes = llvm::any_of(block->getOps<scf::ForOp>(),
                                       [](scf::ForOp loop) { return scheduleOf(loop).vector == VectorForm::lanes; });
    return isTurn && hasLanes ? mostBlockBytes(kernel) - bytesOfTeam : blockBytes / 2;
  }

  /// Has the last loop load what loops before it have. Operations that nothing needs then stay until it is done, since
  /// values are known by address.
  void shareFor(ArrayRef<scf::ForOp> before, scf::ForOp last) {
    LoopDependence dependence(kernel);
    TurnValues numbers(dependence);
    SmallVector<scf::ForOp> same;
    llvm::copy_if(before, std::back_inserter(same), [&](scf::ForOp loop) { return sameRange(loop, last); });
    for (scf::ForOp loop : same)
      numbers.addBody(loop);
    numbers.addBody(last);
    llvm::SetVector<Operation *> dead;
    SmallVector<Operation *> ops;
    for (Operation &op : llvm::reverse(last.getBody()->without_terminator()))
      ops.push_back(&op);
    for (Operation *op : ops) {
      const bool isUnused = llvm::all_of(op->getUsers(), [&](Operation *user) { return dead.contains(user); });
      if (isUnused && wouldOpBeTriviallyDead(op))
        dead.insert(op);
      else if (isWorthSharing(*op) && share(op->getResult(0), same, last, numbers))
        dead.insert(op);
    }
    for (Operation *op : dead)
      op->erase();
  }

  /// Has the first loop that computes `value` store it, and those after it load it. Does nothing where no loop does,
  /// or where there is no memory for a row.
  bool share(Value value, ArrayRef<scf::ForOp> before, scf::ForOp last, TurnValues &numbers) {
    SmallVector<Value> equal;
    for (scf::ForOp loop : before)
      llvm::append_range(equal, numbers.equalIn(loop, value));
    equal.push_back(value);
    Value source = equal.front();
    auto loopOf = [](Value each) { return cast<scf::ForOp>(each.getDefiningOp()->getParentOp()); };
    scf::ForOp first = loopOf(source);
    if (first == last || llvm::any_of(equal, [&](Value each) {
          return loopOf(each) != first && !keepsWidth(loopOf(each), value.getType());
        }))
      return false;
    memref::AllocaOp memory = rowBetween(first, value, source);
    if (!memory)
      return false;
    OpBuilder builder(kernel.getContext());
    builder.setInsertionPointAfterValue(source);
    Value place = placeIn(builder, first);
    auto store = memref::StoreOp::create(builder, source.getLoc(), source, memory, place);
    rows.push_back({memory, store});
    for (Value each : ArrayRef(equal).drop_front()) {
      builder.setInsertionPointAfterValue(each);
      Value again = source;
      if (scf::ForOp loop = loopOf(each); loop != first) {
        place = placeIn(builder, loop);
        again = memref::LoadOp::create(builder, each.getLoc(), memory, place);
      }
      each.replaceAllUsesWith(again);
    }
    return true;
  }

  /// Memory from the first loop on, until a later one has loaded `value`: that of a row which is stored there behind
  /// it, or else some that is left.
  memref::AllocaOp rowBetween(scf::ForOp first, Value value, Value source) {
    const MemRefType type = sharedMemory(*staticTrips(first), value.getType());
    for (Row &row : rows)
      if (hasOneLaneFor(row.store->getParentOfType<scf::ForOp>()) && row.memory.getType() == type &&
          value.getDefiningOp()->getBlock() == row.store->getBlock() &&
          value.getDefiningOp()->isBeforeInBlock(row.store) && isFirstIn(row)) {
        row.memory->moveBefore(first);
        return row.memory;
      }
    const int64_t bytes = type.getNumElements() * elementBytes(value.getType());
    if (used + bytes > most)
      return {};
    used += bytes;
    OpBuilder builder(first);
    auto name = NameLoc::get(builder.getStringAttr("row"), source.getLoc());
    return memref::AllocaOp::create(builder, name, type);
  }

  /// Whether each element of a loop has one lane alone, which loads it before it stores another one in its place: the
  /// kernel has no more lanes than the loop, and no element is left that all lanes compute.
  bool hasOneLaneFor(scf::ForOp loop) {
    auto isReduction = [](scf::ForOp each) { return scheduleOf(each).vector == VectorForm::lanes; };
    if (!isReduction(loop))
      return true;
    int64_t most = 1;
    kernel.walk([&](scf::ForOp other) {
      if (isReduction(other))
        most = std::max(most, lanesOfReduction(other, widestElement(other), threadsOfWarp));
    });
    return lanesOfReduction(loop, widestElement(loop), threadsOfWarp) == most && *staticTrips(loop) % most == 0;
  }

  /// Whether nothing uses a row's memory before the row does.
  bool isFirstIn(const Row &row) {
    Operation *loop = row.store->getParentOp();
    return llvm::all_of(rows, [&](const Row &other) {
      return other.memory != row.memory || other.store == row.store ||
             loop->isBeforeInBlock(other.store->getParentOp());
    });
  }

  func::FuncOp kernel;
  SmallVector<Row> rows;
  int64_t used = 0, most = 0;
};

struct ShareRows : quernel::impl::ShareRowsBase<ShareRows> {
  void runOnOperation() override {
    if (hasRole(getOperation(), FunctionRole::kernel))
      RowSharer(getOperation()).run();
  }
};

} // namespace
