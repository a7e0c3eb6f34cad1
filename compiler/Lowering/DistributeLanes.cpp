// Lanes of vectors become neighbouring threads of a GPU.
//
//   %v = vector.load %x[%i] : vector<16xf64>            %lane = quernel.lane of 16
//   %h = vector.shuffle %v, %v [8, 9, …, 15]      →     %v = memref.load %x[%i + %lane]
//   %s = arith.addf %l, %h : vector<8xf64>              %h = quernel.lane_behind %v by 8 of 16
//                                                       %s = arith.addf %v, %h : f64
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Lowering/SharedMemory.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace quernel {
#define GEN_PASS_DEF_DISTRIBUTELANES
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

int64_t widthOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

/// A loop whose turns lanes share.
bool isLaneLoop(Operation *op) { return isa<scf::ForOp>(op) && scheduleOf(op).vector == VectorForm::parallel; }

class Distributor {
public:
  explicit Distributor(func::FuncOp kernel) : kernel(kernel), builder(kernel) {}

  LogicalResult run() {
    lanes = countLanes();
    if (lanes == 1)
      return success();
    builder.setInsertionPointToStart(&kernel.getBody().front());
    auto named = NameLoc::get(builder.getStringAttr("lane"), kernel.getLoc());
    lane = LaneOp::create(builder, named, builder.getIndexType(), lanes);
    findShared();
    SmallVector<Operation *> ops;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      if (!erased.contains(op) && failed(distribute(op)))
        return failure();
    kernel.walk([](Block *block) {
      for (BlockArgument argument : block->getArguments())
        if (auto vector = dyn_cast<VectorType>(argument.getType()))
          argument.setType(vector.getElementType());
    });
    joinAround();
    return success();
  }

private:
  /// Those of the widest vector that isn't a pair's; where only loops have lanes, a warp.
  int64_t countLanes() {
    int64_t widest = 1;
    bool hasLoops = false;
    kernel.walk([&](Operation *op) {
      hasLoops |= isLaneLoop(op);
      if (isPair(op))
        return;
      for (Type type : op->getResultTypes())
        widest = std::max(widest, widthOf(type));
    });
    return widest > 1 ? widest : hasLoops ? threadsOfWarp : 1;
  }

  /// A load of twice as many elements, of which each user takes every second one.
  static bool isPair(Operation *op) {
    auto load = dyn_cast<vector::LoadOp>(op);
    return load && llvm::all_of(load->getUsers(), [](Operation *user) {
             auto shuffle = dyn_cast<vector::ShuffleOp>(user);
             return shuffle && strideOf(shuffle) == 2;
           });
  }

  /// How far apart the elements are that a shuffle takes; 0 where that isn't one number.
  static int64_t strideOf(vector::ShuffleOp shuffle) {
    ArrayRef<int64_t> mask = shuffle.getMask();
    if (mask.size() < 2)
      return 0;
    const int64_t stride = mask[1] - mask[0];
    for (size_t i = 1; i < mask.size(); ++i)
      if (mask[i] - mask[i - 1] != stride)
        return 0;
    return stride;
  }

  /// Arrays that are stored to and loaded from: lanes see what the others have stored.
  void findShared() {
    llvm::DenseSet<Value> loaded, stored;
    kernel.walk([&](Operation *op) {
      if (auto load = dyn_cast<memref::LoadOp>(op))
        loaded.insert(load.getMemRef());
      if (auto load = dyn_cast<vector::LoadOp>(op))
        loaded.insert(load.getBase());
      if (auto gather = dyn_cast<vector::GatherOp>(op))
        loaded.insert(gather.getBase());
      if (Value buffer = storedBuffer(op))
        stored.insert(buffer);
      if (auto store = dyn_cast<vector::StoreOp>(op)) {
        stored.insert(store.getBase());
        widths[store] = widthOf(store.getVectorType());
      }
    });
    for (Value memory : stored)
      if (loaded.contains(memory))
        shared.insert(memory);
  }

  /// The lane of a vector that has so many; where the kernel has more, the others repeat these.
  Value laneOf(int64_t width) {
    if (width >= lanes)
      return lane;
    Value &known = narrower[width];
    if (!known) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointAfterValue(lane);
      Value count = arith::ConstantIndexOp::create(builder, lane.getLoc(), width);
      known = arith::RemUIOp::create(builder, lane.getLoc(), lane, count);
    }
    return known;
  }

  Value add(Location loc, Value lhs, Value rhs) { return builder.createOrFold<arith::AddIOp>(loc, lhs, rhs); }

  void replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    erased.insert(op);
    op->erase();
  }

  LogicalResult distribute(Operation *op) {
    builder.setInsertionPoint(op);
    Location loc = op->getLoc();
    if (isLaneLoop(op)) {
      laneLoop(cast<scf::ForOp>(op));
      return success();
    }
    if (Value buffer = storedBuffer(op)) {
      storeOnce(op, buffer);
      return success();
    }
    if (auto store = dyn_cast<vector::StoreOp>(op)) {
      distributeStore(store);
      return success();
    }
    if (auto extract = dyn_cast<vector::ExtractOp>(op)) // whose vector may be a number already
      return distributeExtract(extract);
    if (llvm::none_of(op->getOperandTypes(), llvm::IsaPred<VectorType>) &&
        llvm::none_of(op->getResultTypes(), llvm::IsaPred<VectorType>) &&
        llvm::none_of(op->getRegions(), [](Region &region) {
          return llvm::any_of(region.getArgumentTypes(), llvm::IsaPred<VectorType>);
        }))
      return success();
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      return distributeConstant(constant);
    } else if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
      replace(op, broadcast.getSource());
    } else if (isa<vector::StepOp>(op)) {
      replace(op, laneOf(widthOf(op->getResult(0).getType())));
    } else if (auto load = dyn_cast<vector::LoadOp>(op)) {
      if (!isPair(op))
        replace(op, memref::LoadOp::create(builder, loc, load.getBase(),
                                           add(loc, load.getIndices()[0], laneOf(widthOf(load.getType())))));
    } else if (auto gather = dyn_cast<vector::GatherOp>(op)) {
      Value index = gather.getIndices();
      if (!getElementTypeOrSelf(index.getType()).isIndex())
        index = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), index);
      replace(op, memref::LoadOp::create(builder, loc, gather.getBase(), add(loc, gather.getOffsets()[0], index)));
    } else if (auto shuffle = dyn_cast<vector::ShuffleOp>(op)) {
      return distributeShuffle(shuffle);
    } else if (op->getDialect()->getNamespace() == "vector") {
      return op->emitOpError("has no form for threads");
    } else {
      for (Value result : op->getResults())
        result.setType(getElementTypeOrSelf(result.getType()));
    }
    return success();
  }

  /// Puts a store into a branch.
  Operation *storeWhere(Value condition, Operation *store) {
    auto branch = scf::IfOp::create(builder, store->getLoc(), condition, /*withElseRegion=*/false);
    store->moveBefore(branch.thenBlock()->getTerminator());
    return branch;
  }

  /// Each lane stores its own; where the kernel has more than these, the first ones.
  void distributeStore(vector::StoreOp store) {
    Location loc = store.getLoc();
    Value memory = store.getBase(), value = store.getValueToStore();
    Value place = add(loc, store.getIndices()[0], lane);
    Operation *each = memref::StoreOp::create(builder, loc, value, memory, place);
    if (const int64_t width = widths.lookup(store); width < lanes) {
      Value count = arith::ConstantIndexOp::create(builder, loc, width);
      each = storeWhere(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, lane, count), each);
    }
    joinAroundLoops(each, memory);
    erased.insert(store);
    store->erase();
  }

  /// Has lanes wait around all loops that hold a store to memory from outside of them: no turn of these loads what
  /// another lane stores in them.
  void joinAroundLoops(Operation *store, Value memory) {
    Operation *outermost = store;
    while (auto loop = dyn_cast<scf::ForOp>(outermost->getParentOp())) {
      if (loop->isAncestor(memory.getParentBlock()->getParentOp()))
        break;
      outermost = loop;
    }
    toJoin.insert(outermost);
  }

  /// One number, or numbers that grow by the same step from lane to lane.
  LogicalResult distributeConstant(arith::ConstantOp constant) {
    Location loc = constant.getLoc();
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (elements && elements.isSplat()) {
      replace(constant, arith::ConstantOp::create(builder, loc, elements.getSplatValue<TypedAttr>()));
      return success();
    }
    auto integers = dyn_cast_or_null<DenseIntElementsAttr>(elements);
    if (!integers || !isa<IndexType>(integers.getElementType()))
      return constant.emitOpError("has lanes of different constants, which threads can't have");
    auto numbers = llvm::map_to_vector(integers.getValues<APInt>(), [](const APInt &n) { return n.getSExtValue(); });
    const int64_t step = numbers[1] - numbers[0];
    for (size_t i = 1; i < numbers.size(); ++i)
      if (numbers[i] - numbers[i - 1] != step)
        return constant.emitOpError("has lanes of different constants, which threads can't have");
    Value first = arith::ConstantIndexOp::create(builder, loc, numbers[0]);
    Value each = arith::ConstantIndexOp::create(builder, loc, step);
    replace(constant, add(loc, first, builder.createOrFold<arith::MulIOp>(loc, laneOf(numbers.size()), each)));
    return success();
  }

  LogicalResult distributeExtract(vector::ExtractOp extract) {
    ArrayRef<int64_t> position = extract.getStaticPosition();
    if (position.size() != 1 || position[0] < 0)
      return extract.emitOpError("has no form for threads");
    Type type = getElementTypeOrSelf(extract.getSource().getType());
    replace(extract, LaneValueOp::create(builder, extract.getLoc(), type, extract.getSource(), position[0], lanes));
    return success();
  }

  LogicalResult distributeShuffle(vector::ShuffleOp shuffle) {
    Location loc = shuffle.getLoc();
    const int64_t stride = strideOf(shuffle), first = shuffle.getMask().front();
    if (auto load = shuffle.getV1().getDefiningOp<vector::LoadOp>(); load && stride == 2) {
      Value two = arith::ConstantIndexOp::create(builder, loc, 2);
      Value offset = arith::ConstantIndexOp::create(builder, loc, first);
      Value at = add(
          loc,
          add(loc, load.getIndices()[0], arith::MulIOp::create(builder, loc, laneOf(widthOf(shuffle.getType())), two)),
          offset);
      replace(shuffle, memref::LoadOp::create(builder, loc, load.getBase(), at));
      if (load->use_empty()) {
        erased.insert(load);
        load->erase();
      }
      return success();
    }
    if (stride != 1 || shuffle.getV1() != shuffle.getV2())
      return shuffle.emitOpError("has no form for threads");
    if (first == 0)
      replace(shuffle, shuffle.getV1());
    else
      replace(shuffle, LaneBehindOp::create(builder, loc, getElementTypeOrSelf(shuffle.getType()), shuffle.getV1(),
                                            first, lanes));
    return success();
  }

  void laneLoop(scf::ForOp loop) {
    Location loc = loop.getLoc();
    Value step = loop.getStep();
    loop.setLowerBound(add(loc, loop.getLowerBound(), builder.createOrFold<arith::MulIOp>(loc, lane, step)));
    Value all = arith::ConstantIndexOp::create(builder, loc, lanes);
    loop.setStep(builder.createOrFold<arith::MulIOp>(loc, step, all));
    changeSchedule(loop, [](Schedule &schedule) {
      schedule.order = TurnOrder::sequential;
      schedule.vector = VectorForm::none;
    });
    ofLanes.insert(loop);
  }

  bool isInLaneLoop(Operation *op) {
    for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
      if (ofLanes.contains(parent))
        return true;
    return false;
  }

  /// What all lanes compute one of them stores; a thread's own memory each of them.
  void storeOnce(Operation *store, Value buffer) {
    const bool isInSharedMemory = isSharedMemory(buffer.getType());
    if (isInLaneLoop(store) || (!isInSharedMemory && buffer.getDefiningOp<memref::AllocaOp>()))
      return;
    Location loc = store->getLoc();
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lane, zero);
    Operation *branch = storeWhere(isFirst, store);
    if (isInSharedMemory)
      joinAroundLoops(branch, buffer);
    else if (shared.contains(buffer))
      toJoin.insert(branch);
  }

  /// Before a store, all lanes have loaded what was there; behind it, all see what is there now.
  void joinAround() {
    for (Operation *loop : ofLanes) {
      const bool isShared =
          loop->walk([&](Operation *op) {
                Value buffer = storedBuffer(op);
                return buffer && shared.contains(buffer) ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
      if (isShared)
        toJoin.insert(loop);
    }
    for (Operation *op : toJoin) {
      builder.setInsertionPoint(op);
      if (!isa_and_nonnull<JoinLanesOp>(op->getPrevNode()))
        JoinLanesOp::create(builder, op->getLoc(), lanes);
      builder.setInsertionPointAfter(op);
      JoinLanesOp::create(builder, op->getLoc(), lanes);
    }
  }

  func::FuncOp kernel;
  OpBuilder builder;
  int64_t lanes = 1;
  Value lane;
  llvm::SmallDenseMap<int64_t, Value> narrower;
  llvm::DenseSet<Value> shared;
  llvm::SetVector<Operation *> ofLanes;
  llvm::SetVector<Operation *> toJoin;
  llvm::DenseMap<Operation *, int64_t> widths; // of what is stored
  llvm::DenseSet<Operation *> erased;
};

struct DistributeLanes : quernel::impl::DistributeLanesBase<DistributeLanes> {
  void runOnOperation() override {
    if (hasRole(getOperation(), FunctionRole::kernel) && failed(Distributor(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
