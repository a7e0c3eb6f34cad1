// Threads of elementwise kernels load and store 16 bytes at once.
//
//   parallel (i) in (n): y[i] = x[i] + 1
//   →
//   whole = pack_turns n by 4 of x, y
//   parallel (i) in (whole) step 4: x4 = x[i .. i + 4]; for k in 4: y4[k] = x4[k] + 1; y[i .. i + 4] = y4
//   parallel (i) in (whole .. n): y[i] = x[i] + 1
//
// Where a turn has several elements beside each other, as both parts of a complex number or the coordinates of a point,
// a pack has those of its turns.
#include "compiler/Lowering/PackTurns.h"
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/Grid.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Offload.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Lowering/Recompute.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallBitVector.h"

namespace quernel {
#define GEN_PASS_DEF_PACKTURNS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

/// Bytes that a thread loads or stores at once.
constexpr int64_t packBytes = 16;
/// Turns of a row from which on packs pay.
constexpr int64_t fewestTurns = 64;
/// Additions of a turn for each byte that it loads or stores, up to which memory takes most of its time.
constexpr int64_t workOfByte = 16;
/// Bytes of a pack, and of all that a thread keeps in registers at a time; many are so many that they cost threads.
constexpr int64_t mostPackBytes = 144, mostBytes = 512, manyBytes = 192;
/// Additions of all turns of a pack, which stand one behind the other.
constexpr int64_t mostCopied = 1024;

/// A load or store of an element along memory.
struct Access {
  Operation *op;
  Value array;
  /// Where the turn 0 along x has its first element.
  LinearForm first;
  /// How far apart the elements of two turns are, where only the run knows whether that is 1.
  Value stride;
  /// How many elements a turn has beside each other.
  int64_t width = 1;
  /// Which of these it is: a constant and counters of the turn's own loops, whose sum is in a range.
  LinearForm place;
  int64_t least = 0, most = 0;

  bool isLoad() const { return isa<memref::LoadOp>(op); }
  bool sharesPack(const Access &other) const {
    return array == other.array && width == other.width && first == other.first && stride == other.stride &&
           isLoad() == other.isLoad();
  }
};

class Packer {
public:
  explicit Packer(scf::ParallelOp loop) : loop(loop), x(loop.getInductionVars().back()) {}

  bool applies() {
    const unsigned last = loop.getNumLoops() - 1;
    if (getConstantIntValue(loop.getLowerBound()[last]) != 0 || getConstantIntValue(loop.getStep()[last]) != 1)
      return false;
    auto turns = getConstantIntValue(loop.getUpperBound()[last]);
    if ((turns && *turns < fewestTurns) || !addBlock(*loop.getBody(), 1))
      return false;
    if (accesses.empty() || !storesLast() || !findRows())
      return false;
    int64_t widest = 1, bytes = 0;
    for (auto [number, access] : llvm::enumerate(accesses)) {
      widest = std::max(widest, elementBytes(elementOf(access)));
      if (isFirstOfPack(number))
        bytes += access.width * elementBytes(elementOf(access));
    }
    const int64_t most = packBytes / widest;
    if (most < 2 || blockWork(*loop.getBody()) > workOfByte * bytes)
      return false;
    lanes = 0;
    for (int64_t turns = most; turns > 0; turns /= 2)
      if (fits(turns, bytes) && (turns == most || copiesWhole(turns)) && (lanes == 0 || isLarge(bytes)))
        lanes = turns;
    return lanes > 0 && llvm::all_of(accesses, [&](const Access &access) { return mayBeAligned(access); });
  }

  void run() {
    OpBuilder builder(loop);
    const unsigned last = loop.getNumLoops() - 1;
    Value upper = loop.getUpperBound()[last];
    IRMapping mapping;
    if (last > 0)
      builder.setInsertionPointToStart(outerLoop(builder, mapping).getBody());
    Location loc = loop.getLoc();
    SmallVector<Value> arrays, firsts;
    SmallVector<int64_t> widths;
    for (auto [number, access] : llvm::enumerate(accesses)) {
      const bool isKnown = llvm::any_of(ArrayRef(accesses).take_front(number), [&](const Access &other) {
        return other.array == access.array && other.first == access.first && other.width == access.width;
      });
      if (isKnown)
        continue;
      arrays.push_back(access.array);
      firsts.push_back(firstOf(builder, access, mapping));
      widths.push_back(elementsAtOnce(access));
    }
    const bool areAlike = llvm::all_of(widths, [&](int64_t width) { return width == lanes; });
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
    auto named = [&](StringRef name) { return NameLoc::get(builder.getStringAttr(name), loc); };
    Value whole = PackTurnsOp::create(
        builder, named("whole"), builder.getIndexType(), turnsAlong(builder, upper, zero, one), lanes,
        areAlike ? DenseI64ArrayAttr() : builder.getDenseI64ArrayAttr(widths), arrays, firsts);
    Value step = arith::ConstantIndexOp::create(builder, loc, lanes);
    scf::ParallelOp packs = alongX(builder, zero, whole, step);
    setSchedule(packs, {.vector = VectorForm::parallel});
    fillPacks(packs, mapping, zero, one, step);
    scf::ParallelOp rest = alongX(builder, whole, upper, one);
    IRMapping inRest(mapping);
    inRest.map(x, rest.getInductionVars().front());
    OpBuilder inside = OpBuilder::atBlockBegin(rest.getBody());
    for (Operation &op : loop.getBody()->without_terminator())
      inside.clone(op, inRest);
    loop.erase();
  }

private:
  /// Whether so many turns are few enough operations, and have registers for their packs, of so many bytes a turn, and
  /// for what is the same for all of them.
  bool fits(int64_t turns, int64_t bytes) {
    const int64_t kept = turns * bytes + (turns > 1 ? commonBytes : 0);
    return operations * turns <= mostCopied && kept <= mostBytes && llvm::all_of(accesses, [&](const Access &access) {
             return turns * access.width * elementBytes(elementOf(access)) <= mostPackBytes;
           });
  }

  /// Whether fewer turns would leave registers for more threads, and load as little for each.
  bool isLarge(int64_t bytes) const { return commonBytes == 0 && lanes * bytes > manyBytes; }

  /// Whether so many turns have 16 bytes of each array, once or several times.
  bool copiesWhole(int64_t turns) {
    return llvm::all_of(accesses, [&](const Access &access) {
      return elementsAtOnce(access, turns) * elementBytes(elementOf(access)) == packBytes;
    });
  }

  static Type elementOf(const Access &access) { return cast<MemRefType>(access.array.getType()).getElementType(); }

  /// Notes what a block loads or stores, of which a turn runs so many copies; false where packs can't do so. Loops are
  /// those of constants alone.
  bool addBlock(Block &block, int64_t copies) {
    for (Operation &op : block.without_terminator()) {
      const bool isIndex = op.getNumResults() == 1 && op.getResult(0).getType().isIndex();
      operations += isIndex || isa<scf::ForOp>(op) ? 0 : operationWork(op) * copies;
      if (auto inner = dyn_cast<scf::ForOp>(op)) {
        auto trips = staticTrips(inner);
        if (!trips || *trips * copies > mostCopied || !addBlock(*inner.getBody(), copies * *trips))
          return false;
      } else if (!addOperation(op)) {
        return false;
      }
    }
    return true;
  }

  /// Notes what an operation of a turn loads or stores; false where packs can't do so.
  bool addOperation(Operation &op) {
    auto load = dyn_cast<memref::LoadOp>(op);
    auto store = dyn_cast<memref::StoreOp>(op);
    if (!load && !store)
      return isMemoryEffectFree(&op) &&
             !op.walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); }).wasInterrupted();
    Value array = load ? load.getMemRef() : store.getMemRef();
    auto indices = load ? load.getIndices() : store.getIndices();
    if (indices.size() != 1 || !loop.isDefinedOutsideOfLoop(array))
      return false;
    auto steps = coefficientOf(indices[0], x);
    if (load && steps == 0) {
      commonBytes += elementsLoaded(load, loop) * elementBytes(load.getType());
      return true;
    }
    Access access{
        .op = &op, .array = array, .first = LinearForm::of(indices[0]), .stride = Value(), .place = LinearForm()};
    if (steps && *steps > 0)
      access.first.add(LinearForm::of(x), -*steps), access.width = *steps;
    else if (!steps)
      access.stride = takeStride(access.first);
    const bool isAlong = (steps && *steps > 0) || access.stride;
    if (!isAlong || !takePlace(access) ||
        !llvm::all_of(access.first.terms, [&](auto &term) { return followsFromOutside(term.first); }))
      return false;
    accesses.push_back(access);
    return true;
  }

  /// Moves the counters of a turn's own loops from where its first element is to which of its elements it is.
  bool takePlace(Access &access) {
    const LinearForm all = access.first;
    for (auto [term, factor] : all.terms) {
      auto counter = dyn_cast<BlockArgument>(term);
      auto inner = counter ? dyn_cast<scf::ForOp>(counter.getOwner()->getParentOp()) : scf::ForOp();
      if (!inner || !loop->isProperAncestor(inner))
        continue;
      auto lower = getConstantIntValue(inner.getLowerBound()), step = getConstantIntValue(inner.getStep());
      const int64_t trips = staticTrips(inner).value_or(0);
      if (counter != inner.getInductionVar() || !lower || !step || trips == 0)
        return false;
      const int64_t begin = *lower * factor, end = (*lower + (trips - 1) * *step) * factor;
      access.least += std::min(begin, end);
      access.most += std::max(begin, end);
      access.place.add(LinearForm::of(term), factor);
      access.first.add(LinearForm::of(term), -factor);
    }
    access.least += access.first.constant;
    access.most += access.first.constant;
    access.place.constant = access.first.constant;
    access.first.constant = 0;
    return true;
  }

  /// Finds where the elements of a turn begin that several accesses have beside each other: at a multiple of their
  /// number, if that holds all. False where a turn doesn't touch all elements from its first one to that of the next
  /// turn, and these alone.
  bool findRows() {
    SmallVector<Access> before(accesses);
    for (auto [number, access] : llvm::enumerate(accesses)) {
      int64_t least = access.least, most = access.most;
      for (const Access &other : before) {
        if (access.array != other.array || access.width != other.width || access.stride != other.stride ||
            access.isLoad() != other.isLoad() || !(before[number].first == other.first))
          continue;
        if (access.width == 1 && other.least != access.least) // a pack of its own
          continue;
        least = std::min(least, other.least), most = std::max(most, other.most);
      }
      int64_t begin = llvm::divideFloorSigned(least, access.width) * access.width;
      if (most - begin >= access.width)
        begin = least;
      if (most - begin >= access.width)
        return false;
      access.first.constant += begin;
      access.place.constant -= begin;
    }
    return llvm::all_of(accesses, [&](const Access &access) { return coversRow(access); });
  }

  /// Whether a turn loads, or stores, all elements of its part of an access' pack.
  bool coversRow(const Access &access) {
    llvm::SmallBitVector covered(access.width);
    for (const Access &other : accesses) {
      if (!other.sharesPack(access))
        continue;
      cover(covered, other.place, other.place.constant);
    }
    return covered.all();
  }

  /// Notes which elements a place has for all turns of the loops whose counters it has, from the given term on.
  static void cover(llvm::SmallBitVector &covered, const LinearForm &place, int64_t sum, unsigned from = 0) {
    if (from == place.terms.size()) {
      covered.set(sum);
      return;
    }
    auto [counter, factor] = place.terms[from];
    auto inner = cast<scf::ForOp>(cast<BlockArgument>(counter).getOwner()->getParentOp());
    const int64_t lower = *getConstantIntValue(inner.getLowerBound()), step = *getConstantIntValue(inner.getStep());
    for (int64_t turn = 0; turn < *staticTrips(inner); ++turn)
      cover(covered, place, sum + (lower + turn * step) * factor, from + 1);
  }

  /// Whether no access before has the same pack.
  bool isFirstOfPack(size_t number) {
    return llvm::none_of(ArrayRef(accesses).take_front(number),
                         [&](const Access &other) { return other.sharesPack(accesses[number]); });
  }

  /// Elements of a pack of so many turns that are copied at once: all of them, or as many as 16 bytes hold and divide
  /// them.
  static int64_t elementsAtOnce(const Access &access, int64_t turns) {
    const int64_t all = turns * access.width;
    return std::min(packBytes / elementBytes(elementOf(access)), all & -all);
  }
  int64_t elementsAtOnce(const Access &access) const { return elementsAtOnce(access, lanes); }

  /// What x is multiplied by in a sum, which loses that term; null where it isn't one number from outside.
  Value takeStride(LinearForm &sum) {
    for (auto [term, factor] : sum.terms) {
      auto product = term.getDefiningOp<arith::MulIOp>();
      if (!product || factor != 1 || !llvm::is_contained(product->getOperands(), x))
        continue;
      Value stride = product.getLhs() == x ? product.getRhs() : product.getLhs();
      if (!loop.isDefinedOutsideOfLoop(stride))
        return {};
      sum.add(LinearForm::of(term), -1);
      return stride;
    }
    return {};
  }

  /// Whether a number is computed from what is outside of the loop and from its outer counters.
  bool followsFromOutside(Value value) {
    if (value == x)
      return false;
    Operation *op = value.getDefiningOp();
    if (!op) // a counter of the turn's own loops isn't
      return !loop->isProperAncestor(value.getParentBlock()->getParentOp());
    if (!loop->isProperAncestor(op))
      return true;
    return op->getNumRegions() == 0 && isPure(op) &&
           llvm::all_of(op->getOperands(), [&](Value operand) { return followsFromOutside(operand); });
  }

  /// Whether no turn loads from an array that it has stored to: then all loads of a pack may come first, and all
  /// stores last. No turn touches what another one stores.
  bool storesLast() {
    llvm::DenseSet<Value> stored, storedInLoops;
    loop.walk([&](memref::StoreOp store) {
      if (store->getParentOp() != loop)
        storedInLoops.insert(store.getMemRef());
    });
    return !loop.walk<WalkOrder::PreOrder>([&](Operation *op) {
                  auto load = dyn_cast<memref::LoadOp>(op);
                  if (load && (stored.contains(load.getMemRef()) || storedInLoops.contains(load.getMemRef())))
                    return WalkResult::interrupt();
                  if (auto store = dyn_cast<memref::StoreOp>(op))
                    stored.insert(store.getMemRef());
                  return WalkResult::advance();
                })
                .wasInterrupted();
  }

  /// Whether the element of turn 0 may lie at the beginning of a pack in every row, if the array does.
  bool mayBeAligned(const Access &access) {
    const int64_t width = elementsAtOnce(access);
    return access.first.constant % width == 0 && llvm::all_of(access.first.terms, [&](auto &term) {
             return !llvm::is_contained(loop.getInductionVars(), term.first) || term.second % width == 0;
           });
  }

  /// The loop over the axes around x.
  scf::ParallelOp outerLoop(OpBuilder &builder, IRMapping &mapping) {
    auto outer = scf::ParallelOp::create(builder, loop.getLoc(), loop.getLowerBound().drop_back(),
                                         loop.getUpperBound().drop_back(), loop.getStep().drop_back(),
                                         function_ref<void(OpBuilder &, Location, ValueRange)>());
    setSchedule(outer, scheduleOf(loop));
    for (auto [counter, before] : llvm::zip(outer.getInductionVars(), loop.getInductionVars())) {
      counter.setLoc(before.getLoc());
      mapping.map(before, counter);
    }
    return outer;
  }

  /// A loop over turns along x.
  scf::ParallelOp alongX(OpBuilder &builder, Value lower, Value upper, Value step) {
    auto made = scf::ParallelOp::create(builder, loop.getLoc(), ValueRange(lower), ValueRange(upper), ValueRange(step),
                                        function_ref<void(OpBuilder &, Location, ValueRange)>());
    made.getInductionVars().front().setLoc(x.getLoc());
    return made;
  }

  /// All turns, or none where the elements of an access aren't beside each other.
  Value turnsAlong(OpBuilder &builder, Value all, Value none, Value one) {
    Location loc = loop.getLoc();
    llvm::SetVector<Value> strides;
    for (const Access &access : accesses)
      if (access.stride)
        strides.insert(access.stride);
    Value areUnit;
    for (Value stride : strides) {
      Value isUnit = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, stride, one);
      areUnit = areUnit ? arith::AndIOp::create(builder, loc, areUnit, isUnit).getResult() : isUnit;
    }
    return areUnit ? arith::SelectOp::create(builder, loc, areUnit, all, none).getResult() : all;
  }

  Value firstOf(OpBuilder &builder, const Access &access, IRMapping &mapping) {
    LinearForm form = LinearForm::of(access.first.constant);
    for (auto [term, factor] : access.first.terms)
      form.add(LinearForm::of(recompute(builder, term, loop, mapping)), factor);
    return valueOf(builder, access.op->getLoc(), form);
  }

  /// `x4` for an array `x`.
  Location packName(const Access &access) {
    auto kernel = loop->getParentOfType<func::FuncOp>();
    auto argument = dyn_cast<BlockArgument>(withoutCasts(access.array));
    StringAttr name = argument && argument.getOwner() == &kernel.getBody().front()
                          ? argumentOf(kernel, argument.getArgNumber()).name
                          : StringAttr();
    const std::string text = (name ? name.str() : "pack") + std::to_string(lanes * access.width);
    return NameLoc::get(StringAttr::get(kernel.getContext(), text), access.op->getLoc());
  }

  /// A pack of a thread, and where its first element is in memory.
  struct Own {
    const Access *access;
    Value memory, first;
  };

  void copy(OpBuilder &builder, const Own &pack, bool isLoad) {
    const Access &access = *pack.access;
    const int64_t width = elementsAtOnce(access);
    for (int64_t at = 0; at < lanes * access.width; at += width) {
      Location loc = access.op->getLoc();
      Value here = arith::ConstantIndexOp::create(builder, loc, at);
      Value there = at == 0 ? pack.first : arith::AddIOp::create(builder, loc, pack.first, here).getResult();
      if (isLoad)
        CopyPackOp::create(builder, loc, width, access.array, there, pack.memory, here);
      else
        CopyPackOp::create(builder, loc, width, pack.memory, here, access.array, there);
    }
  }

  /// Loads all packs, computes their turns one after the other, and stores all packs.
  void fillPacks(scf::ParallelOp packs, const IRMapping &outside, Value zero, Value one, Value step) {
    Location loc = loop.getLoc();
    OpBuilder builder = OpBuilder::atBlockBegin(packs.getBody());
    SmallVector<Own> own;
    for (auto [number, access] : llvm::enumerate(accesses)) {
      if (!isFirstOfPack(number))
        continue;
      Type element = elementOf(access);
      IRMapping atFirst(outside);
      LinearForm form = LinearForm::of(access.first.constant);
      form.add(LinearForm::of(packs.getInductionVars().front()), access.width);
      for (auto [term, factor] : access.first.terms)
        form.add(LinearForm::of(recompute(builder, term, loop, atFirst)), factor);
      Value first = valueOf(builder, access.op->getLoc(), form);
      const int64_t count = lanes * access.width;
      Value memory =
          memref::AllocaOp::create(builder, packName(access), MemRefType::get({count}, element),
                                   builder.getI64IntegerAttr(elementsAtOnce(access) * elementBytes(element)));
      own.push_back({&access, memory, first});
      if (access.isLoad())
        copy(builder, own.back(), true);
    }
    Value first = packs.getInductionVars().front(), turn = zero;
    OpBuilder inside(builder);
    if (lanes > 1) {
      auto turns = scf::ForOp::create(builder, loc, zero, step, one);
      setSchedule(turns, {.order = TurnOrder::parallel, .vector = VectorForm::parallel});
      inside = OpBuilder::atBlockBegin(turns.getBody());
      turn = turns.getInductionVar();
      first = arith::AddIOp::create(inside, loc, first, turn);
    }
    IRMapping atTurn(outside);
    atTurn.map(x, first);
    for (Operation &op : loop.getBody()->without_terminator())
      inside.clone(op, atTurn);
    for (const Access &access : accesses) {
      const Own &pack = *llvm::find_if(own, [&](const Own &each) { return each.access->sharesPack(access); });
      usePack(access, pack.memory, turn, atTurn);
    }
    for (const Own &pack : own)
      if (!pack.access->isLoad())
        copy(builder, pack, false);
    dropDead(*packs.getBody());
  }

  /// Has the copy of an access go to a pack.
  void usePack(const Access &access, Value memory, Value turn, IRMapping &atTurn) {
    Operation *op = atTurn.lookup(access.op);
    OpBuilder builder(op);
    LinearForm place = LinearForm::of(access.place.constant);
    place.add(LinearForm::of(turn), access.width);
    for (auto [term, factor] : access.place.terms)
      place.add(LinearForm::of(atTurn.lookup(term)), factor);
    Value at = valueOf(builder, op->getLoc(), place);
    if (auto store = dyn_cast<memref::StoreOp>(op)) {
      memref::StoreOp::create(builder, op->getLoc(), store.getValueToStore(), memory, at);
    } else {
      Value loaded = memref::LoadOp::create(builder, op->getLoc(), memory, at);
      op->getResult(0).replaceAllUsesWith(loaded);
    }
    op->erase();
  }

  /// Indices of what is in packs now.
  static void dropDead(Block &block) {
    SmallVector<Operation *> ops;
    block.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : llvm::reverse(ops))
      if (isOpTriviallyDead(op))
        op->erase();
  }

  scf::ParallelOp loop;
  Value x;
  SmallVector<Access> accesses;
  int64_t lanes = 1;
  int64_t operations = 0;  // of a turn
  int64_t commonBytes = 0; // that all turns load
};

struct PackTurns : quernel::impl::PackTurnsBase<PackTurns> {
  void runOnOperation() override {
    if (!hasRole(getOperation(), FunctionRole::kernel) || lanesOf(getOperation()) > 1)
      return;
    scf::ParallelOp loop = Grid(getOperation()).wholeLoop();
    if (!loop)
      return;
    if (Packer packer(loop); packer.applies())
      packer.run();
  }
};

} // namespace

/// The loops inside of `turn` whose counters a value depends on, and those of `counters`.
static void collectCounters(Value value, Operation *turn, const llvm::DenseMap<Value, int64_t> &counters,
                            llvm::SmallDenseSet<Value> &found, llvm::SmallDenseSet<Value> &seen) {
  if (!seen.insert(value).second)
    return;
  Operation *op = value.getDefiningOp();
  if (!op) {
    Operation *parent = cast<BlockArgument>(value).getOwner()->getParentOp();
    if (counters.contains(value)) {
      found.insert(value);
    } else if (auto loop = dyn_cast<scf::ForOp>(parent); loop && turn->isProperAncestor(loop)) {
      found.insert(loop.getInductionVar());
      if (value != loop.getInductionVar()) // what is carried depends on all that the loop does
        loop->walk([&](Operation *inner) {
          for (Value operand : inner->getOperands())
            collectCounters(operand, turn, counters, found, seen);
        });
    }
    return;
  }
  if (!turn->isProperAncestor(op))
    return;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      collectCounters(operand, turn, counters, found, seen);
  });
}

int64_t quernel::elementsLoaded(Operation *load, Operation *turn, const llvm::DenseMap<Value, int64_t> &counters) {
  llvm::SmallDenseSet<Value> found, seen;
  for (Value operand : load->getOperands())
    collectCounters(operand, turn, counters, found, seen);
  int64_t elements = 1;
  for (Value counter : found) {
    auto known = counters.find(counter);
    elements *= known != counters.end()
                    ? known->second
                    : likelyTrips(cast<scf::ForOp>(cast<BlockArgument>(counter).getOwner()->getParentOp()));
  }
  return elements;
}

bool quernel::mayPackTurns(scf::ParallelOp loop) { return Packer(loop).applies(); }
