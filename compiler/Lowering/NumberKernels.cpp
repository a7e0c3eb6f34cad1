// Numbers that follow from elements of the device's memory, and that nothing on the host needs, stay there.
//
//   s = load A[0]                               one thread: Q[0] = S[0] / A[0]
//   call @f_add(%x, s0 / s)                →    call @f_add(%x, Q)        which loads Q[0]
//   yield s       // the next turn's s0         one thread: S[0] = A[0]
//
// So a loop of kernels and numbers runs without the host waiting for any of them.
#include "compiler/Dialect/Quernel.h"
#include "compiler/Dialect/UserLines.h"
#include "compiler/Lowering/DeviceNumbers.h"
#include "compiler/Lowering/Offload.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace quernel {
#define GEN_PASS_DEF_NUMBERKERNELS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

/// All threads of a kernel compute as many cheap operations rather than that one thread does before.
constexpr size_t fewOperations = 8;
/// Stores of one kernel: so its arguments are no more than the driver takes.
constexpr size_t mostStores = 32;

bool isCheap(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp, arith::AddIOp, arith::SubIOp, arith::MulIOp,
             arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::CmpFOp, arith::CmpIOp, arith::SelectOp, arith::ExtFOp,
             arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp,
             arith::IndexCastOp>(op);
}

/// What a kernel computes in place of the program.
struct Computation {
  llvm::SetVector<Operation *> ops; ///< loads, arithmetic and stores
  llvm::SetVector<Value> memories;  ///< that they touch, without casts
  llvm::SetVector<Value> given;     ///< numbers of the host

  auto loads() const {
    return llvm::make_filter_range(ops, [](Operation *op) { return isa<memref::LoadOp>(op); });
  }

  /// In the order of the program. All of them stand in the blocks around the last one.
  SmallVector<Operation *> inOrder() const {
    const auto depth = [](Operation *op) {
      unsigned depth = 0;
      for (Operation *outer = op; outer; outer = outer->getParentOp())
        ++depth;
      return depth;
    };
    SmallVector<Operation *> sorted(ops.begin(), ops.end());
    llvm::stable_sort(sorted, [&](Operation *a, Operation *b) {
      return a->getBlock() == b->getBlock() ? a->isBeforeInBlock(b) : depth(a) < depth(b);
    });
    return sorted;
  }
};

/// Stores of a block that one thread does where the first of them stands.
struct Cluster {
  SmallVector<memref::StoreOp> stores;
  Computation work;
  bool isOpen = true; ///< whether others may join
};

class NumberKeeper {
public:
  NumberKeeper(func::FuncOp program, SymbolTable &symbols)
      : program(program), symbols(symbols), start(&program.getBody().front(), program.getBody().front().begin()) {}

  void run() {
    while (keepCarried())
      ;
    DeviceNumbers known(program, symbols);
    numbers = &known;
    SmallVector<func::CallOp> calls;
    program.walk([&](func::CallOp call) { calls.push_back(call); });
    for (func::CallOp call : calls)
      if (func::FuncOp kernel = kernelOf(call, symbols))
        loadInKernel(call, kernel);
    keepChangingLeaves();
    SmallVector<Block *> blocks;
    program.walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      formKernels(*block);
    eraseDead();
  }

private:
  /// A place in the device's memory for one number.
  Value placeFor(Type type, Location loc) {
    if (!zero)
      zero = arith::ConstantIndexOp::create(start, program.getLoc(), 0);
    return memref::AllocOp::create(start, loc, MemRefType::get({1}, type));
  }

  memref::LoadOp load(OpBuilder &builder, Location loc, Value place) {
    return memref::LoadOp::create(builder, loc, place, zero);
  }
  void store(OpBuilder &builder, Location loc, Value number, Value place) {
    memref::StoreOp::create(builder, loc, number, place, zero);
  }

  // What loops and branches carry.

  /// Gives what one loop or branch carries places; false where there is none.
  bool keepCarried() {
    DeviceNumbers known(program, symbols);
    const auto isKept = [&](Value value) { return known.isKept(value); };
    return program
        .walk([&](Operation *op) {
          if (auto loop = dyn_cast<scf::ForOp>(op); loop && llvm::any_of(loop.getRegionIterArgs(), isKept))
            keepCarried(loop, known);
          else if (auto branch = dyn_cast<scf::IfOp>(op); branch && llvm::any_of(branch.getResults(), isKept))
            keepCarried(branch, known);
          else
            return WalkResult::advance();
          return WalkResult::interrupt();
        })
        .wasInterrupted();
  }

  void keepCarried(scf::ForOp loop, DeviceNumbers &known) {
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    SmallVector<Value> places, inits;
    for (auto [argument, init] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs())) {
      places.push_back(known.isKept(argument) ? placeFor(argument.getType(), argument.getLoc()) : Value());
      if (places.back())
        store(builder, init.getLoc(), init, places.back());
      else
        inits.push_back(init);
    }
    auto changed = scf::ForOp::create(builder, loc, loop.getLowerBound(), loop.getUpperBound(), loop.getStep(), inits);
    changed->setAttrs(loop->getAttrs());
    changed.getRegion().takeBody(loop.getRegion());
    Block &body = *changed.getBody();
    builder.setInsertionPointToStart(&body);
    for (auto [number, place] : llvm::enumerate(places))
      if (BlockArgument argument = body.getArgument(1 + number); place)
        argument.replaceAllUsesWith(load(builder, argument.getLoc(), place));
    for (int64_t number = places.size() - 1; number >= 0; --number)
      if (places[number])
        body.eraseArgument(1 + number);
    giveOn(body.getTerminator(), places);
    replaceResults(loop, changed, places);
  }

  void keepCarried(scf::IfOp branch, DeviceNumbers &known) {
    OpBuilder builder(branch);
    SmallVector<Value> places;
    SmallVector<Type> types;
    for (Value result : branch.getResults()) {
      places.push_back(known.isKept(result) ? placeFor(result.getType(), result.getLoc()) : Value());
      if (!places.back())
        types.push_back(result.getType());
    }
    auto changed = scf::IfOp::create(builder, branch.getLoc(), types, branch.getCondition(), /*withElseRegion=*/true);
    changed->setAttrs(branch->getAttrs());
    changed.getThenRegion().takeBody(branch.getThenRegion());
    changed.getElseRegion().takeBody(branch.getElseRegion());
    giveOn(changed.thenBlock()->getTerminator(), places);
    giveOn(changed.elseBlock()->getTerminator(), places);
    replaceResults(branch, changed, places);
  }

  /// Stores what a region gives on in the places, where there are some.
  void giveOn(Operation *yield, ArrayRef<Value> places) {
    OpBuilder builder(yield);
    SmallVector<Value> others;
    for (auto [number, place] : llvm::zip_equal(yield->getOperands(), places)) {
      if (place)
        store(builder, number.getLoc(), number, place);
      else
        others.push_back(number);
    }
    yield->setOperands(others);
  }

  void replaceResults(Operation *old, Operation *changed, ArrayRef<Value> places) {
    OpBuilder builder(changed->getContext());
    builder.setInsertionPointAfter(changed);
    unsigned next = 0;
    for (auto [result, place] : llvm::zip_equal(old->getResults(), places)) {
      if (!place)
        result.replaceAllUsesWith(changed->getResult(next++));
      else if (!result.use_empty())
        result.replaceAllUsesWith(load(builder, result.getLoc(), place));
    }
    old->erase();
  }

  // What numbers follow from.

  /// Adds what computes a number to what a kernel computes.
  void add(Value number, Computation &work) const {
    if (!numbers->isKept(number)) {
      if (!matchPattern(number, m_Constant()))
        work.given.insert(number);
      return;
    }
    Operation *op = number.getDefiningOp();
    if (work.ops.contains(op))
      return;
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      work.memories.insert(withoutCasts(load.getMemRef()));
      add(load.getIndices().front(), work);
    } else {
      for (Value operand : op->getOperands())
        add(operand, work);
    }
    work.ops.insert(op);
  }

  Computation computationOf(memref::StoreOp store) const {
    Computation work;
    add(store.getValueToStore(), work);
    add(store.getIndices().front(), work);
    work.memories.insert(withoutCasts(store.getMemRef()));
    work.ops.insert(store);
    return work;
  }

  /// Whether an element is the same where `user` stands, and is no element that `user`, a call, changes.
  bool isSameAt(memref::LoadOp load, Operation *user) const {
    Value memory = memoryOf(load.getMemRef());
    Operation *last = load->getBlock()->findAncestorOpInBlock(*user);
    if (!memory || !last)
      return false;
    for (Operation *op = load->getNextNode(); op != last; op = op->getNextNode())
      if (mayWrite(op, memory, symbols))
        return false;
    return isa<memref::StoreOp>(user) && last == user ? true : !mayWrite(last, memory, symbols);
  }

  /// A place that holds a number from where it is computed on; it changes no more before its last use.
  Value placeOf(Value number) {
    Value &place = places[number];
    if (!place) {
      place = placeFor(number.getType(), number.getLoc());
      OpBuilder builder(number.getContext());
      builder.setInsertionPointAfterValue(number);
      store(builder, number.getLoc(), number, place);
    }
    return place;
  }

  // Kernels that load numbers.

  /// Has a kernel load the numbers that a call hands over.
  void loadInKernel(func::CallOp call, func::FuncOp kernel) {
    Computation work;
    SmallVector<unsigned> kept;
    for (OpOperand &operand : call->getOpOperands()) {
      if (!numbers->isKept(operand.get()))
        continue;
      Computation own;
      add(operand.get(), own);
      const auto isCheapHere = [&](Operation *op) {
        auto load = dyn_cast<memref::LoadOp>(op);
        return load ? isSameAt(load, call) : isCheap(op);
      };
      if (own.ops.size() > fewOperations || !llvm::all_of(own.ops, isCheapHere)) {
        OpBuilder builder(call);
        operand.set(load(builder, operand.get().getLoc(), placeOf(operand.get())));
        numbers->keep(operand.get());
      }
      add(operand.get(), work);
      kept.push_back(operand.getOperandNumber());
    }
    if (!kept.empty())
      loadInKernel(call, kernel, kept, work);
  }

  void loadInKernel(func::CallOp call, func::FuncOp kernel, ArrayRef<unsigned> kept, const Computation &work) {
    const auto uses = SymbolTable::getSymbolUses(kernel, symbols.getOp());
    if (std::distance(uses->begin(), uses->end()) > 1) {
      kernel = kernel.clone();
      symbols.insert(kernel, Block::iterator(program));
    }
    IRMapping mapping;
    SmallVector<Value> operands(call.getOperands());
    const auto addArgument = [&](Value value, Argument known) {
      const unsigned number = kernel.getNumArguments();
      (void)kernel.insertArgument(number, value.getType(), {}, value.getLoc());
      setArgument(kernel, number, known);
      mapping.map(value, kernel.getArgument(number));
      operands.push_back(value);
    };
    for (Value memory : work.memories)
      addArgument(memory, {.readonly = true});
    for (Value number : work.given)
      addArgument(number, {});
    OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
    cloneInto(builder, work, mapping);
    llvm::BitVector gone(kernel.getNumArguments());
    for (unsigned number : kept) {
      kernel.getArgument(number).replaceAllUsesWith(mapping.lookup(call.getOperand(number)));
      gone.set(number);
    }
    (void)kernel.eraseArguments(gone);
    for (unsigned number : llvm::reverse(kept))
      operands.erase(operands.begin() + number);
    builder.setInsertionPoint(call);
    func::CallOp::create(builder, call.getLoc(), kernel, operands);
    call.erase();
  }

  /// Repeats the program's operations in a kernel.
  static void cloneInto(OpBuilder &builder, const Computation &work, IRMapping &mapping) {
    const auto known = [&](Value number) {
      if (!mapping.contains(number)) // a constant
        builder.clone(*number.getDefiningOp(), mapping);
      return mapping.lookup(number);
    };
    for (Operation *op : work.inOrder()) {
      if (auto load = dyn_cast<memref::LoadOp>(op)) {
        Value memory = mapping.lookup(withoutCasts(load.getMemRef())), index = known(load.getIndices().front());
        mapping.map(load.getResult(), memref::LoadOp::create(builder, op->getLoc(), memory, index).getResult());
      } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
        Value memory = mapping.lookup(withoutCasts(store.getMemRef())), index = known(store.getIndices().front());
        memref::StoreOp::create(builder, op->getLoc(), known(store.getValueToStore()), memory, index);
      } else {
        llvm::for_each(op->getOperands(), known);
        builder.clone(*op, mapping);
      }
    }
  }

  // Kernels of one thread.

  /// Elements that change before they are stored elsewhere get a place.
  void keepChangingLeaves() {
    SmallVector<memref::StoreOp> stores;
    program.walk([&](memref::StoreOp store) { stores.push_back(store); });
    while (!stores.empty()) {
      memref::StoreOp store = stores.pop_back_val();
      if (isOnHost(store.getMemRef()))
        continue;
      for (Operation *op : computationOf(store).inOrder()) {
        auto element = dyn_cast<memref::LoadOp>(op);
        if (!element || isSameAt(element, store) || element->getNextNode() == store)
          continue;
        Value place = placeOf(element.getResult());
        auto kept = cast<memref::StoreOp>(element->getNextNode());
        OpBuilder builder(element.getContext());
        builder.setInsertionPointAfter(kept);
        memref::LoadOp again = load(builder, element.getLoc(), place);
        numbers->keep(again);
        element.getResult().replaceAllUsesExcept(again, kept);
        stores.append({store, kept});
        break;
      }
    }
  }

  void formKernels(Block &block) {
    std::vector<Cluster> clusters;
    for (Operation &op : block) {
      auto store = dyn_cast<memref::StoreOp>(op);
      if (!store || isOnHost(store.getMemRef()))
        continue;
      Computation work = computationOf(store);
      const bool isKnown = llvm::all_of(work.memories, [](Value memory) { return !!memoryOf(memory); });
      if (clusters.empty() || !isKnown || !mayJoin(clusters.back(), store, work))
        clusters.push_back({.isOpen = isKnown});
      Cluster &cluster = clusters.back();
      cluster.stores.push_back(store);
      cluster.work.ops.insert_range(work.ops);
      cluster.work.memories.insert_range(work.memories);
      cluster.work.given.insert_range(work.given);
    }
    const bool isRepeated = isa<RepeatOp>(block.getParentOp()) || block.getParentOp()->getParentOfType<RepeatOp>();
    for (Cluster &cluster : clusters)
      if (cluster.work.ops.size() > 1 || isRepeated)
        formKernel(cluster);
  }

  /// Whether nobody can tell whether a store is done where a cluster's first one stands.
  bool mayJoin(const Cluster &cluster, memref::StoreOp store, const Computation &work) const {
    Operation *first = cluster.stores.front();
    Block *block = store->getBlock();
    const auto isBefore = [&](Value value) {
      Operation *op = value.getDefiningOp();
      return !op || op->getBlock() != block || op->isBeforeInBlock(first);
    };
    if (!cluster.isOpen || cluster.stores.size() >= mostStores || !llvm::all_of(work.memories, isBefore) ||
        !llvm::all_of(work.given, isBefore))
      return false;
    Value memory = memoryOf(store.getMemRef());
    const bool isLocal = !isa<BlockArgument>(memory);
    SmallVector<memref::LoadOp> later; // of what the store needs
    for (Operation *op : work.loads())
      if (op->getBlock() == block && first->isBeforeInBlock(op))
        later.push_back(cast<memref::LoadOp>(op));
    for (Operation *op = first->getNextNode(); op != store; op = op->getNextNode()) {
      if (auto other = dyn_cast<memref::StoreOp>(op); other && llvm::is_contained(cluster.stores, other))
        continue;
      if (isa<memref::LoadOp>(op) && numbers->isKept(op->getResult(0)))
        continue; // a part of other kernels
      if (mayTouch(op, memory) || loadsInside(op, memory) || (!isLocal && mayEnd(op)))
        return false;
      for (memref::LoadOp load : later)
        if (op->isBeforeInBlock(load) && mayWrite(op, memoryOf(load.getMemRef()), symbols))
          return false;
    }
    return true;
  }

  /// Whether stores inside of an operation need elements of a memory.
  bool loadsInside(Operation *op, Value memory) const {
    return op
        ->walk([&](memref::StoreOp store) {
          const Computation work = computationOf(store);
          const bool needs = llvm::any_of(work.memories, [&](Value own) { return !memoryOf(own) || own == memory; });
          return needs ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Whether a program may end at an operation, so that what the caller sees has to be as it is by then.
  bool mayEnd(Operation *op) const {
    if (auto call = dyn_cast<func::CallOp>(op)) {
      func::FuncOp kernel = kernelOf(call, symbols);
      return !kernel || kernel.walk([](CheckOp) { return WalkResult::interrupt(); }).wasInterrupted();
    }
    return op->getNumRegions() || !(isPure(op) || isa<memref::DeallocOp, AllocatedOp>(op));
  }

  void formKernel(Cluster &cluster) {
    OpBuilder builder(cluster.stores.front());
    MLIRContext *context = builder.getContext();
    SmallVector<Location> locations;
    for (memref::StoreOp store : cluster.stores)
      locations.push_back(store.getLoc());
    SmallVector<Value> operands(cluster.work.memories.getArrayRef());
    llvm::append_range(operands, cluster.work.given);
    const std::string name = (program.getName() + "_numbers").str();
    auto kernel = func::FuncOp::create(FusedLoc::get(context, locations), name,
                                       builder.getFunctionType(ValueRange(operands).getTypes(), {}));
    kernel.setPrivate();
    SmallVector<Attribute> lines;
    for (const std::string &line : userLines(locations))
      lines.push_back(StringAttr::get(context, line));
    auto statement = StatementAttr::get(context, StringAttr::get(context, name), ArrayAttr::get(context, {}));
    setFunctionAttr(kernel, FunctionAttr::get(context, FunctionRole::kernel, {}, ArrayAttr::get(context, lines),
                                              nullptr, statement, nullptr, nullptr));
    symbols.insert(kernel, Block::iterator(program));
    Block *entry = kernel.addEntryBlock();
    IRMapping mapping;
    for (auto [number, value] : llvm::enumerate(operands)) {
      mapping.map(value, entry->getArgument(number));
      entry->getArgument(number).setLoc(value.getLoc());
      const bool isStored =
          llvm::any_of(cluster.stores, [&](memref::StoreOp store) { return withoutCasts(store.getMemRef()) == value; });
      setArgument(kernel, number, {.readonly = isa<MemRefType>(value.getType()) && !isStored});
    }
    OpBuilder inside = OpBuilder::atBlockBegin(entry);
    cloneInto(inside, cluster.work, mapping);
    func::ReturnOp::create(inside, kernel.getLoc());
    func::CallOp::create(builder, kernel.getLoc(), kernel, operands);
    for (memref::StoreOp store : cluster.stores)
      store.erase();
  }

  /// Drops what kernels compute now.
  void eraseDead() {
    SmallVector<Operation *> ops;
    program.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : llvm::reverse(ops))
      if ((isa<memref::LoadOp>(op) || isArithmetic(op)) && op->use_empty())
        op->erase();
  }

  func::FuncOp program;
  SymbolTable &symbols;
  OpBuilder start; ///< where places are allocated
  Value zero;
  DeviceNumbers *numbers = nullptr;
  llvm::DenseMap<Value, Value> places;
};

struct NumberKernels : quernel::impl::NumberKernelsBase<NumberKernels> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> programs;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (hasRole(function, FunctionRole::program))
        programs.push_back(function);
    for (func::FuncOp program : programs)
      NumberKeeper(program, symbols).run();
  }
};

} // namespace
