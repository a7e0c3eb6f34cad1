// A loop whose turns begin with work of a library that doesn't wait for earlier turns becomes two: loop distribution.
//
//   for i:                                 for s in steps of n:
//     T = alloc; solve(A[i], b, T)           for i in s to s + n: solve(A[i], b, T[i - s])       (tasks)
//     total += T                       →     for i in s to s + n: total += T[i - s]
//
// What the second part needs of the first is kept for the n turns of a strip: arrays, and numbers that would have to be
// loaded or computed by calls once more. Other numbers are computed in both parts.
#include "compiler/Dialect/ElementTypes.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Lowering/TaskTurns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace quernel {
#define GEN_PASS_DEF_DISTRIBUTELOOPS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

constexpr int64_t fewestTurns = 16, mostTurns = 64; // of a strip
constexpr int64_t stripBytes = int64_t(32) << 20;   // that a strip keeps, if it has more than the fewest turns

class Distribution {
public:
  explicit Distribution(scf::ForOp loop) : loop(loop) {}

  bool applies() {
    return !isParallelLoop(loop) && !isReductionLoop(loop) && getConstantIntValue(loop.getStep()) &&
           holdsLibraryCall(loop) && part() && llvm::any_of(first, holdsLibraryCall) &&
           TaskTurns(loop).areTasks(first) && areApart() && collectKept();
  }

  void run() {
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    const int64_t step = *getConstantIntValue(loop.getStep()), turns = turnsOfStrip();
    for (Value value : kept)
      memories.push_back(memref::AllocOp::create(builder, loc, typeOfStrip(value.getType(), turns)));
    Value stride = arith::ConstantIndexOp::create(builder, loc, turns * step);
    auto strips =
        scf::ForOp::create(builder, loc, loop.getLowerBound(), loop.getUpperBound(), stride, loop.getInitArgs());
    keepNames(loop, strips);
    builder.setInsertionPointToStart(strips.getBody());
    Value end = arith::AddIOp::create(builder, loc, strips.getInductionVar(), stride);
    end = arith::MinSIOp::create(builder, loc, end, loop.getUpperBound());
    const Schedule schedule = scheduleOf(loop);
    for (bool isFirst : {true, false}) {
      auto inner = scf::ForOp::create(builder, loc, strips.getInductionVar(), end, loop.getStep(),
                                      isFirst ? ValueRange() : ValueRange(strips.getRegionIterArgs()));
      inner.getInductionVar().setLoc(loop.getInductionVar().getLoc());
      setSchedule(inner, schedule);
      OpBuilder body = OpBuilder::atBlockBegin(inner.getBody());
      Value turn = arith::SubIOp::create(body, loc, inner.getInductionVar(), strips.getInductionVar());
      if (step != 1)
        turn = arith::DivSIOp::create(body, loc, turn, loop.getStep());
      IRMapping mapping;
      mapping.map(loop.getInductionVar(), inner.getInductionVar());
      if (isFirst) {
        cloneFirst(body, mapping, turn);
        continue;
      }
      keepNames(loop, inner);
      mapping.map(loop.getRegionIterArgs(), inner.getRegionIterArgs());
      cloneSecond(body, mapping, turn);
      if (loop.getNumResults() > 0) {
        body.clone(*loop.getBody()->getTerminator(), mapping);
        scf::YieldOp::create(builder, loc, inner.getResults());
      }
    }
    setSchedule(strips, {.polled = schedule.polled});
    loop.replaceAllUsesWith(strips.getResults());
    loop.erase();
  }

private:
  /// Parts the body before the first operation that may touch what another turn has stored, or stores what another one
  /// touches, or uses a number that turns hand on.
  bool part() {
    SmallVector<Access> accesses;
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (second.empty() && !isMemoryEffectFree(&op) && !usesCarried(&op)) {
        const size_t known = accesses.size();
        if (failed(TaskTurns::collect(&op, accesses)))
          return false;
        (mayTurnsMeet(loop, accesses, known) ? second : first).push_back(&op);
        continue;
      }
      (second.empty() && !usesCarried(&op) ? first : second).push_back(&op);
    }
    return !first.empty() && !second.empty();
  }

  bool usesCarried(Operation *op) {
    return op
        ->walk([&](Operation *inner) {
          auto isCarried = [&](Value value) { return llvm::is_contained(loop.getRegionIterArgs(), value); };
          return llvm::any_of(inner->getOperands(), isCarried) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Whether the second part of a turn has nothing to do with the first part of a later one, and can't fail: then it
  /// doesn't matter which of them comes first.
  bool areApart() {
    SmallVector<Access> early, late;
    if (failed(TaskTurns::collect(first, early)) || failed(TaskTurns::collect(second, late)))
      return false;
    auto isOutside = [&](Value root) { return root && loop.isDefinedOutsideOfLoop(root); };
    for (const Access &access : early)
      for (const Access &other : late) {
        if (!access.isStore && !other.isStore)
          continue;
        Value root = resolveElement(access).root, otherRoot = resolveElement(other).root;
        if (!root || !otherRoot || (root == otherRoot && isOutside(root)))
          return false;
      }
    return llvm::none_of(second, [](Operation *op) {
      return op->walk([](CheckOp) { return WalkResult::interrupt(); }).wasInterrupted();
    });
  }

  /// Finds what the second part needs of the first: what is kept, and what is computed once more.
  bool collectKept() {
    llvm::SetVector<Value> used(loop.getYieldedValues().begin(), loop.getYieldedValues().end());
    for (Operation *op : second) {
      used.insert_range(op->getOperands());
      getUsedValuesDefinedAbove(op->getRegions(), used);
    }
    llvm::DenseSet<Operation *> inFirst(first.begin(), first.end());
    for (unsigned number = 0; number < used.size(); ++number) {
      Operation *op = used[number].getDefiningOp();
      if (!op || !inFirst.contains(op))
        continue;
      if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
        if (!mayBeViews(alloc))
          return false;
        kept.insert(alloc);
      } else if (isMemoryEffectFree(op) && op->getNumRegions() == 0) {
        again.insert(op);
        used.insert_range(op->getOperands());
      } else if (isElement(used[number].getType())) {
        kept.insert(used[number]);
      } else {
        return false;
      }
    }
    return true;
  }

  static bool isElement(Type type) { return type.isIntOrFloat() || isa<ComplexType>(type); }

  /// Whether all that uses an array takes a view of it as well. The type of a view follows from what it views.
  static bool mayBeViews(memref::AllocOp alloc) {
    return alloc.getType().hasStaticShape() && alloc.getType().getLayout().isIdentity() &&
           llvm::all_of(alloc->getUsers(), [](Operation *user) {
             return isa<memref::LoadOp, memref::StoreOp, memref::CopyOp, linalg::LinalgOp, AllocatedOp>(user);
           });
  }

  static MemRefType typeOfStrip(Type type, int64_t turns) {
    auto array = dyn_cast<MemRefType>(type);
    SmallVector<int64_t> shape{turns};
    if (array)
      llvm::append_range(shape, array.getShape());
    return MemRefType::get(shape, array ? array.getElementType() : type);
  }

  /// As many as fill the strip's memory; all strips have about the same number.
  int64_t turnsOfStrip() {
    int64_t bytes = 1;
    for (Value value : kept) {
      MemRefType type = typeOfStrip(value.getType(), 1);
      bytes += type.getNumElements() * elementBytes(type.getElementType());
    }
    const int64_t most = std::clamp(stripBytes / bytes, fewestTurns, mostTurns), all = staticTrips(loop).value_or(most);
    return llvm::divideCeil(all, std::max<int64_t>(llvm::divideCeil(all, most), 1));
  }

  /// The array of a turn.
  static Value viewOf(OpBuilder &builder, Value memory, Value turn) {
    auto type = cast<MemRefType>(memory.getType());
    SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0)), sizes,
        strides(type.getRank(), builder.getIndexAttr(1));
    offsets[0] = turn;
    for (int64_t size : type.getShape())
      sizes.push_back(builder.getIndexAttr(size));
    sizes[0] = builder.getIndexAttr(1);
    auto view =
        memref::SubViewOp::inferRankReducedResultType(type.getShape().drop_front(), type, offsets, sizes, strides);
    return memref::SubViewOp::create(builder, memory.getLoc(), cast<MemRefType>(view), memory, offsets, sizes, strides);
  }

  void cloneFirst(OpBuilder &builder, IRMapping &mapping, Value turn) {
    for (Operation *op : first) {
      auto alloc = dyn_cast<memref::AllocOp>(op);
      if (alloc && kept.contains(alloc)) {
        mapping.map(alloc.getResult(), viewOf(builder, memoryOf(alloc), turn));
        continue;
      }
      if (auto allocated = dyn_cast<AllocatedOp>(op); allocated && kept.contains(allocated.getMemory()))
        continue;
      builder.clone(*op, mapping);
      for (Value result : op->getResults())
        if (kept.contains(result))
          memref::StoreOp::create(builder, op->getLoc(), mapping.lookup(result), memoryOf(result), turn);
    }
  }

  void cloneSecond(OpBuilder &builder, IRMapping &mapping, Value turn) {
    for (Value value : kept)
      if (isa<MemRefType>(value.getType()))
        mapping.map(value, viewOf(builder, memoryOf(value), turn));
      else
        mapping.map(value, memref::LoadOp::create(builder, value.getLoc(), memoryOf(value), turn).getResult());
    for (Operation *op : first)
      if (again.contains(op))
        builder.clone(*op, mapping);
    for (Operation *op : second)
      builder.clone(*op, mapping);
  }

  Value memoryOf(Value value) { return memories[llvm::find(kept, value) - kept.begin()]; }

  scf::ForOp loop;
  SmallVector<Operation *> first, second;
  llvm::SetVector<Value> kept;           // arrays and numbers of the first part that the second uses
  llvm::DenseSet<Operation *> again;     // what the second part computes once more
  SmallVector<memref::AllocOp> memories; // of what is kept, one place a turn
};

struct DistributeLoops : quernel::impl::DistributeLoopsBase<DistributeLoops> {
  void runOnOperation() override {
    if (hasRole(getOperation(), FunctionRole::program))
      rewriteLoops<Distribution>(getOperation());
  }
};

} // namespace
