// Warps of a block compute a turn of the grid together.
//
//   for j in 0..n by 256:                        for j in 0..n by 64 * 256:
//     s = x[j + lane] + …                          for k in worker..64 by workers:
//     total, lost = total + s          →             terms[k][lane] = x[j + 256 * k + lane] + …
//                                                  barrier
//                                                  the first worker: for k in 0..64: total, lost = total +
//                                                  terms[k][lane] barrier
//
// The first worker folds the terms in their order, so the result has the bits that it had.
#include "compiler/Dialect/ElementTypes.h"
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/Grid.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Offload.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Lowering/SharedMemory.h"
#include "compiler/Lowering/VectorizeReduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace quernel {
#define GEN_PASS_DEF_FORMTEAMS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

/// Threads that keep a large device busy: turns that have half as many need no team.
constexpr int64_t busyThreads = 1 << 17;
/// Terms of a loop, and the additions that they cost, below which they stay with one worker.
constexpr int64_t fewTerms = 16, fewAdditions = 512;
/// Turns along x from which on neighbours among them are neighbours in a warp.
constexpr int64_t fewTurns = 16;
/// Bytes of the terms of a batch.
constexpr int64_t bytesOfBatch = 16 * 1024;

/// A loop whose turns each compute terms that follow from nothing that is carried, and fold them into what is.
struct FoldLoop {
  scf::ForOp loop;
  llvm::SetVector<Operation *> fold;
  SmallVector<Value> terms;
};

/// Whether workers may each compute an operation for turns of their own: what it stores stays its own, or lies in
/// shared memory, where each element belongs to one turn.
bool mayShare(Operation &op, Operation *loop) {
  if (holds<JoinLanesOp, memref::AtomicRMWOp, CheckOp>(&op))
    return false;
  return !op.walk([&](memref::StoreOp store) {
              Operation *memory = store.getMemRef().getDefiningOp();
              const bool isOwn = memory && loop->isProperAncestor(memory);
              return isOwn || isSharedMemory(store.getMemRefType()) ? WalkResult::advance() : WalkResult::interrupt();
            }).wasInterrupted();
}

std::optional<FoldLoop> foldLoop(scf::ForOp loop) {
  if (loop.getNumRegionIterArgs() == 0)
    return std::nullopt;
  FoldLoop result{loop, {}, {}};
  llvm::DenseSet<Value> carried(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  bool loads = false;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (llvm::any_of(usedBy(&op), [&](Value value) { return carried.contains(value); })) {
      if (op.getNumRegions() != 0 || !isPure(&op))
        return std::nullopt;
      result.fold.insert(&op);
      carried.insert(op.result_begin(), op.result_end());
    } else if (!mayShare(op, loop)) {
      return std::nullopt;
    } else {
      loads |= holds<memref::LoadOp>(&op);
    }
  }
  auto addTerms = [&](Operation &user) {
    for (Value value : user.getOperands()) {
      Operation *producer = value.getDefiningOp();
      if (producer && producer->getBlock() == loop.getBody() && !result.fold.contains(producer) &&
          !llvm::is_contained(result.terms, value))
        result.terms.push_back(value);
    }
  };
  for (Operation *op : result.fold)
    addTerms(*op);
  addTerms(*loop.getBody()->getTerminator());
  const bool areNumbers = llvm::all_of(result.terms, [](Value term) { return term.getType().isIntOrIndexOrFloat(); });
  if (!loads || result.terms.empty() || !areNumbers)
    return std::nullopt;
  return result;
}

/// How many turns a loop has at most, where that is known.
std::optional<int64_t> mostTrips(scf::ForOp loop) {
  auto step = getConstantIntValue(loop.getStep());
  auto range = greatestRange(loop.getLowerBound(), loop.getUpperBound());
  if (!step || !range)
    return std::nullopt;
  return std::max<int64_t>(0, llvm::divideCeilSigned(*range, *step));
}

/// What workers share of a loop, in additions.
int64_t workOfTerms(const FoldLoop &folds) {
  scf::ForOp loop = folds.loop;
  int64_t work = 0;
  for (Operation &op : loop.getBody()->without_terminator())
    if (!folds.fold.contains(&op))
      work += isa<scf::ForOp>(op) ? loopWork(&op) : operationWork(op);
  return work * mostTrips(loop).value_or(assumedTrips);
}

int64_t bytesOf(Type type) { return type.isIndex() ? 8 : elementBytes(type); }

int64_t bytesOfTerms(const FoldLoop &folds) {
  int64_t bytes = 0;
  for (Value term : folds.terms)
    bytes += bytesOf(term.getType());
  return bytes;
}

class TeamFormer {
public:
  explicit TeamFormer(func::FuncOp kernel) : kernel(kernel), grid(kernel), builder(kernel), loc(kernel.getLoc()) {}

  void run() {
    lanes = lanesOf(kernel);
    scf::ParallelOp shared = grid.wholeLoop();
    unsigned parallel = 0;
    kernel.walk([&](scf::ParallelOp) { ++parallel; });
    if (parallel != (shared ? 1 : 0) || holds<CheckOp, CopyPackOp>(kernel))
      return;
    turn = shared ? shared.getBody() : &kernel.getBody().front();
    takesNeighbours = shared && lanes == 1 && getConstantIntValue(grid.axis(0).step) == 1 &&
                      grid.turnsAlong(0).value_or(fewTurns) >= fewTurns;
    isCrowded = lanes > 1 && sharedBytesOf(kernel) * (usualBlock / lanes) > 2 * blockBytes;
    findLoops(*turn);
    if (loops.empty() || !mayForm() || !isWorthIt())
      return;
    if (!hasRoom())
      capacity = mostBlockBytes(kernel);
    if (!hasRoom())
      return;
    batchBytes = bytesForTerms();
    if (takesNeighbours) {
      lanes = threadsOfWarp;
      hasTurn = giveLanesTurns(kernel, shared).exists;
    }
    form();
  }

private:
  /// Whether all threads of a block have the same value.
  bool isUniform(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *parent = argument.getOwner()->getParentOp();
      if (auto loop = dyn_cast<scf::ForOp>(parent))
        return value == loop.getInductionVar() && isUniform(loop);
      if (auto loop = dyn_cast<scf::ParallelOp>(parent))
        return !takesNeighbours || argument.getArgNumber() + 1 != loop.getNumLoops();
      return isa<func::FuncOp>(parent);
    }
    Operation *op = value.getDefiningOp();
    if (op->getNumRegions() != 0)
      return false;
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      if (stored(load.getMemRef()))
        return false;
    } else if (!isPure(op) || isa<LaneOp>(op)) {
      return false;
    }
    return llvm::all_of(op->getOperands(), [&](Value operand) { return isUniform(operand); });
  }

  bool isUniform(scf::ForOp loop) {
    return isUniform(loop.getLowerBound()) && isUniform(loop.getUpperBound()) && isUniform(loop.getStep());
  }

  bool stored(Value memory) {
    return llvm::any_of(memory.getUsers(), [&](Operation *user) { return storedBuffer(user) == memory; });
  }

  /// Whether lanes take the turns of a loop in turn, which wait for nothing.
  bool isLaneLoop(scf::ForOp loop) {
    auto step = getConstantIntValue(loop.getStep());
    Value lane;
    kernel.walk([&](LaneOp op) { lane = op; });
    auto apart = lane && step ? coefficientOf(loop.getLowerBound(), lane) : std::nullopt;
    return apart && *apart * lanes == *step && loop.getNumRegionIterArgs() == 0;
  }

  /// Loops that workers share, and those around them that all of them go through.
  void findLoops(Block &block) {
    for (auto loop : block.getOps<scf::ForOp>()) {
      if (!isUniform(loop)) {
        if (isLaneLoop(loop))
          laneLoops.push_back(loop);
      } else if (auto folds = foldLoop(loop)) {
        if (mostTrips(loop).value_or(fewTerms) >= leastTerms() && workOfTerms(*folds) >= fewAdditions)
          loops.push_back(*folds);
      } else {
        findLoops(*loop.getBody());
      }
    }
  }

  bool isShared(Operation *op) {
    return llvm::any_of(loops, [&](FoldLoop &each) { return each.loop->isAncestor(op); }) ||
           llvm::any_of(laneLoops, [&](scf::ForOp each) { return each->isAncestor(op); });
  }

  /// Whether all threads of a block come to a place.
  bool isCommon(Operation *op) {
    if (op->getBlock() == turn)
      return true;
    auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
    return loop && isUniform(loop) && !isShared(loop) && isCommon(loop);
  }

  bool mayForm() {
    SmallVector<JoinLanesOp> joins;
    kernel.walk([&](JoinLanesOp join) { joins.push_back(join); });
    if (!llvm::all_of(joins, [&](JoinLanesOp join) { return isCommon(join); }))
      return false;
    SmallVector<Operation *> stores = storesOfAll();
    if (llvm::any_of(stores, [&](Operation *store) {
          return isSharedMemory(storedBuffer(store).getType()) && !isCommon(around(store));
        }))
      return false;
    if (lanes > 1)
      return true;
    // Without lanes nobody waits around what is stored and loaded.
    return !kernel
                .walk([&](memref::LoadOp load) {
                  auto memory = load.getMemRef();
                  return stored(memory) && !memory.getDefiningOp<memref::AllocaOp>() ? WalkResult::interrupt()
                                                                                     : WalkResult::advance();
                })
                .wasInterrupted();
  }

  /// Bytes that the terms of a batch may have, so that all loops' fit into what is left of a block's shared memory
  /// beside the kernel's own and the results that workers are told.
  int64_t bytesForTerms() {
    const int64_t width = takesNeighbours ? threadsOfWarp : lanes;
    int64_t left = capacity - sharedBytesOf(kernel);
    for (FoldLoop &each : loops)
      for (Type type : each.loop.getResultTypes())
        left -= llvm::alignTo(bytesOf(type) * width, 16);
    return std::min(capacity > blockBytes ? bytesOfBatch / 4 : bytesOfBatch, left / static_cast<int64_t>(loops.size()));
  }

  /// Whether each loop has room for some terms.
  bool hasRoom() {
    const int64_t width = takesNeighbours ? threadsOfWarp : lanes;
    return llvm::all_of(loops,
                        [&](FoldLoop &each) { return bytesOfTerms(each) * width * leastTerms() <= bytesForTerms(); });
  }

  bool isWorthIt() {
    auto turns = grid.turns();
    return !turns || *turns * lanes <= busyThreads / 2 || isCrowded;
  }

  /// Terms of a loop from which on workers share them.
  int64_t leastTerms() const { return isCrowded ? fewTerms / 4 : fewTerms; }

  /// As many as the longest loop has work for, in blocks that leave each thread the registers that its elements need.
  int64_t mostWorkers() {
    int64_t terms = 0, widest = 1;
    for (FoldLoop &each : loops) {
      terms = std::max(terms, mostTrips(each.loop).value_or(mostThreads));
      widest = std::max(widest, widestElement(each.loop));
    }
    const int64_t threads = widest > 4 ? mostThreads / 2 : mostThreads;
    return std::min<int64_t>(threads / lanes, llvm::bit_ceil<uint64_t>(terms));
  }

  Value index(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  Value add(Value a, Value b) { return builder.createOrFold<arith::AddIOp>(loc, a, b); }
  Value multiply(Value a, Value b) { return builder.createOrFold<arith::MulIOp>(loc, a, b); }
  Location named(StringRef name) { return NameLoc::get(builder.getStringAttr(name), loc); }

  void form() {
    builder.setInsertionPointToStart(&kernel.getBody().front());
    kernel.walk([&](LaneOp op) {
      lane = op;
      builder.setInsertionPointAfter(op);
    });
    auto numbers = WorkerOp::create(builder, builder.getUnknownLoc(), builder.getIndexType(), builder.getIndexType(),
                                    lanes, mostWorkers());
    worker = numbers.getWorker(), workers = numbers.getWorkers();
    isFirst = arith::CmpIOp::create(builder, named("is_first"), arith::CmpIPredicate::eq, worker, index(0));
    if (!lane)
      lane = index(0);
    storeOnce();
    kernel.walk([&](JoinLanesOp join) {
      builder.setInsertionPoint(join);
      BarrierOp::create(builder, join.getLoc());
      join.erase();
    });
    for (scf::ForOp loop : laneLoops)
      shareTurns(loop);
    for (FoldLoop &each : loops)
      shareTerms(each);
  }

  /// The stores that all workers come to.
  SmallVector<Operation *> storesOfAll() {
    SmallVector<Operation *> stores;
    kernel.walk([&](Operation *op) {
      Value memory = storedBuffer(op);
      const bool isOwn = memory && memory.getDefiningOp<memref::AllocaOp>() && !isSharedMemory(memory.getType());
      if (memory && !isOwn && !isShared(op))
        stores.push_back(op);
    });
    return stores;
  }

  /// The branch that has an operation alone; else the operation.
  static Operation *around(Operation *op) {
    auto branch = dyn_cast<scf::IfOp>(op->getParentOp());
    const bool isAlone =
        branch && !branch.elseBlock() && llvm::hasSingleElement(branch.thenBlock()->without_terminator());
    return isAlone ? branch.getOperation() : op;
  }

  /// What all workers compute the first of them stores. Into shared memory it does so when all have loaded what they
  /// need of the element before.
  void storeOnce() {
    for (Operation *store : storesOfAll()) {
      auto branch = dyn_cast<scf::IfOp>(around(store));
      const bool isAlone = branch && branch != store;
      builder.setInsertionPoint(isAlone ? branch.getOperation() : store);
      if (isSharedMemory(storedBuffer(store).getType()))
        BarrierOp::create(builder, store->getLoc());
      Value condition = hasTurn ? builder.createOrFold<arith::AndIOp>(loc, isFirst, hasTurn) : isFirst;
      if (isAlone) {
        branch.getConditionMutable().set(arith::AndIOp::create(builder, loc, branch.getCondition(), condition));
        continue;
      }
      branch = scf::IfOp::create(builder, store->getLoc(), condition, /*withElseRegion=*/false);
      store->moveBefore(branch.thenBlock()->getTerminator());
    }
  }

  void shareTurns(scf::ForOp loop) {
    builder.setInsertionPoint(loop);
    Value step = loop.getStep();
    loop.setLowerBound(add(loop.getLowerBound(), multiply(worker, step)));
    loop.setStep(multiply(workers, step));
  }

  /// Elements of shared memory for each lane.
  Value memoryFor(StringRef name, Type type, int64_t count) {
    return memref::AllocaOp::create(builder, named(name), sharedMemory(count * lanes, type));
  }

  Value placeOf(Value number) { return add(multiply(number, index(lanes)), lane); }

  void shareTerms(FoldLoop &folds) {
    scf::ForOp loop = folds.loop;
    loc = loop.getLoc();
    builder.setInsertionPoint(loop);
    int64_t batch = llvm::bit_floor<uint64_t>(batchBytes / (bytesOfTerms(folds) * lanes));
    if (auto most = mostTrips(loop))
      batch = std::min(batch, std::max<int64_t>(1, *most));
    SmallVector<Value> memory;
    for (Value term : folds.terms)
      memory.push_back(memoryFor("terms", term.getType(), batch));
    Value step = loop.getStep(), upper = loop.getUpperBound();
    auto batches =
        scf::ForOp::create(builder, loc, loop.getLowerBound(), upper, multiply(step, index(batch)), loop.getInitArgs());
    setSchedule(batches, {.rolled = true});
    keepNames(loop, batches);
    builder.setInsertionPointToStart(batches.getBody());
    Value first = batches.getInductionVar();
    Value range = arith::SubIOp::create(builder, loc, upper, first);
    Value beyond = builder.createOrFold<arith::SubIOp>(loc, step, index(1));
    Value left = builder.createOrFold<arith::DivSIOp>(loc, add(range, beyond), step);
    Value count = arith::MinSIOp::create(builder, named("count"), left, index(batch));
    computeTerms(folds, first, count, memory);
    BarrierOp::create(builder, loc);
    SmallVector<Value> folded = fold(folds, first, count, memory, batches.getRegionIterArgs());
    BarrierOp::create(builder, loc);
    scf::YieldOp::create(builder, loc, folded);
    builder.setInsertionPointAfter(batches);
    SmallVector<Value> results(batches.getResults());
    if (isNeededByAll(loop))
      tell(loop, results);
    loop.replaceAllUsesWith(results);
    loop.erase();
  }

  /// The counter of a turn of the loop that is so far behind the first one of the batch.
  Value counterOf(scf::ForOp loop, Value first, Value number) {
    return arith::AddIOp::create(builder, loop.getInductionVar().getLoc(), first, multiply(number, loop.getStep()));
  }

  void computeTerms(FoldLoop &folds, Value first, Value count, ArrayRef<Value> memory) {
    auto own = scf::ForOp::create(builder, loc, worker, count, workers);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(own.getBody());
    IRMapping mapping;
    mapping.map(folds.loop.getInductionVar(), counterOf(folds.loop, first, own.getInductionVar()));
    for (Operation &op : folds.loop.getBody()->without_terminator())
      if (!folds.fold.contains(&op))
        builder.clone(op, mapping);
    Value place = placeOf(own.getInductionVar());
    for (auto [term, to] : llvm::zip_equal(folds.terms, memory))
      memref::StoreOp::create(builder, loc, mapping.lookup(term), to, place);
  }

  SmallVector<Value> fold(FoldLoop &folds, Value first, Value count, ArrayRef<Value> memory, ValueRange carried) {
    Value own = arith::SelectOp::create(builder, named("own"), isFirst, count, index(0));
    auto loop = scf::ForOp::create(builder, loc, index(0), own, index(1), carried);
    keepNames(folds.loop, loop);
    OpBuilder::InsertionGuard guard(builder);
    if (!loop.getBody()->empty())
      loop.getBody()->getTerminator()->erase();
    builder.setInsertionPointToEnd(loop.getBody());
    IRMapping mapping;
    mapping.map(folds.loop.getRegionIterArgs(), loop.getRegionIterArgs());
    mapping.map(folds.loop.getInductionVar(), counterOf(folds.loop, first, loop.getInductionVar()));
    Value place = placeOf(loop.getInductionVar());
    for (auto [term, from] : llvm::zip_equal(folds.terms, memory))
      mapping.map(term, memref::LoadOp::create(builder, named("term"), from, place));
    for (Operation *op : folds.fold)
      builder.clone(*op, mapping);
    auto yielded =
        llvm::map_to_vector(folds.loop.getYieldedValues(), [&](Value value) { return mapping.lookupOrDefault(value); });
    scf::YieldOp::create(builder, loc, yielded);
    return SmallVector<Value>(loop.getResults());
  }

  /// Whether other workers than the first need what a loop results in: what it is computed on to is used by more than
  /// stores.
  bool isNeededByAll(scf::ForOp loop) {
    llvm::SetVector<Operation *> users(loop->user_begin(), loop->user_end());
    for (size_t i = 0; i < users.size(); ++i) {
      Operation *user = users[i];
      if (storedBuffer(user) && !isShared(user))
        continue;
      if (user->getNumRegions() != 0 || isShared(user) || user->getBlock() != loop->getBlock())
        return true;
      users.insert(user->user_begin(), user->user_end());
    }
    return false;
  }

  /// Gives all workers the first one's results of a loop.
  void tell(scf::ForOp loop, SmallVectorImpl<Value> &results) {
    SmallVector<std::pair<Value *, Value>> told;
    for (auto [old, result] : llvm::zip_equal(loop.getResults(), results))
      if (!old.use_empty())
        told.push_back({&result, memoryFor("told", result.getType(), 1)});
    auto branch = scf::IfOp::create(builder, loc, isFirst, /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      for (auto [value, memory] : told)
        memref::StoreOp::create(builder, loc, *value, memory, lane);
    }
    BarrierOp::create(builder, loc);
    for (auto [value, memory] : told)
      *value = memref::LoadOp::create(builder, named("result"), memory, lane);
    BarrierOp::create(builder, loc);
  }

  func::FuncOp kernel;
  Grid grid;
  OpBuilder builder;
  Location loc;
  Block *turn = nullptr;
  int64_t lanes = 1, batchBytes = 0;
  int64_t capacity = blockBytes; // of a block's shared memory
  bool takesNeighbours = false;
  bool isCrowded = false; // the rows of a turn leave a block few other turns
  SmallVector<FoldLoop> loops;
  SmallVector<scf::ForOp> laneLoops;
  Value lane, worker, workers, isFirst, hasTurn;
};

struct FormTeams : quernel::impl::FormTeamsBase<FormTeams> {
  void runOnOperation() override {
    if (hasRole(getOperation(), FunctionRole::kernel))
      TeamFormer(getOperation()).run();
  }
};

} // namespace
