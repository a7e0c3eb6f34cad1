// Asks a system of inequalities whether two accesses meet: it has a solution where they may.
#include "compiler/Lowering/Dependence.h"
#include "compiler/Dialect/Attributes.h"
#include "compiler/Lowering/LoopWork.h"
#include "mlir/Analysis/Presburger/IntegerRelation.h"
#include "mlir/Analysis/Presburger/Simplex.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace quernel;

static SmallVector<LinearForm> formsOf(ValueRange values) {
  return llvm::map_to_vector(values, [](Value value) { return LinearForm::of(value); });
}

/// Whether an operation may load from the buffer that an operand is. A routine's results are only stored; what a
/// function of the user's writes it may read.
static bool mayLoadFrom(OpOperand &operand) {
  auto statement = dyn_cast<linalg::GenericOp>(operand.getOwner());
  return !statement || !statement.isDpsInit(&operand) ||
         (!statement->hasAttr(attributeNames::axes) && statement.payloadUsesValueFromOperand(&operand));
}

/// Whether an operation may store to the buffer that an operand is.
static bool mayStoreTo(OpOperand &operand) {
  if (auto statement = dyn_cast<linalg::LinalgOp>(operand.getOwner()))
    return statement.isDpsInit(&operand);
  auto copy = dyn_cast<memref::CopyOp>(operand.getOwner());
  return !copy || &operand == &copy.getTargetMutable();
}

/// Every buffer that an operation is handed, as a whole.
static void touchOperands(Operation *op, SmallVectorImpl<Access> &accesses) {
  for (OpOperand &operand : op->getOpOperands())
    if (isa<MemRefType>(operand.get().getType())) {
      if (mayLoadFrom(operand))
        accesses.push_back({op, operand.get(), std::nullopt, false});
      if (mayStoreTo(operand))
        accesses.push_back({op, operand.get(), std::nullopt, true});
    }
}

LogicalResult quernel::collectAccesses(Operation *op, SmallVectorImpl<Access> &accesses,
                                       function_ref<bool(Operation *)> isNone) {
  WalkResult result = op->walk([&](Operation *inner) {
    if (auto load = dyn_cast<memref::LoadOp>(inner))
      accesses.push_back({inner, load.getMemRef(), formsOf(load.getIndices()), false});
    else if (auto store = dyn_cast<memref::StoreOp>(inner))
      accesses.push_back({inner, store.getMemRef(), formsOf(store.getIndices()), true});
    else if (isa<memref::CopyOp, linalg::LinalgOp, func::CallOp>(inner))
      touchOperands(inner, accesses);
    else if (!isMemoryEffectFree(inner) && !inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
             !isa<memref::AllocOp, memref::AllocaOp, memref::DeallocOp>(inner) && !(isNone && isNone(inner)))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {

/// Two turns of a scope. A value from outside of the scope is the same in both; one from inside is another in each.
enum class Turn { first, second };

class System {
public:
  explicit System(Operation *scope) : scope(scope) {}

  void atLeastZero(const LinearForm &form, Turn turn) { inequalities.push_back(rowOf(form, turn)); }
  void equal(const LinearForm &first, const LinearForm &second) {
    Row row = rowOf(first, Turn::first);
    for (auto [column, factor] : rowOf(second, Turn::second).factors)
      row.factors.push_back({column, -factor});
    row.constant -= second.constant;
    equalities.push_back(row);
  }
  void isBeyond(Value counter, Turn turn, Value otherCounter, Turn otherTurn) {
    inequalities.push_back({{{column(counter, turn), 1}, {column(otherCounter, otherTurn), -1}}, -1});
  }
  /// The conditions under which control reaches an operation.
  void reaches(Operation *op, Turn turn);
  bool isFeasible();

private:
  struct Row {
    SmallVector<std::pair<unsigned, int64_t>> factors;
    int64_t constant;
  };

  Row rowOf(const LinearForm &form, Turn turn) {
    Row row{{}, form.constant};
    for (auto [value, factor] : form.terms)
      row.factors.push_back({column(value, turn), factor});
    return row;
  }

  bool isInside(Value value) const { return scope && scope->isAncestor(value.getParentBlock()->getParentOp()); }
  unsigned column(Value value, Turn turn);
  void describe(Value value, Turn turn);
  void between(Value value, LinearForm lower, LinearForm upper, Turn turn);
  void atLeast(Value value, Value bound, Turn turn);
  void below(Value value, Value bound, Turn turn);
  void step(Value value, Value lower, Value step, Turn turn);
  void holds(Value condition, bool isTrue, Turn turn);
  SmallVector<int64_t> expand(const Row &row) const;

  Operation *scope;
  unsigned columns = 0;
  std::map<std::pair<void *, bool>, unsigned> columnOf;
  SmallVector<std::pair<Value, Turn>> pending;
  std::vector<Row> equalities, inequalities;
};

unsigned System::column(Value value, Turn turn) {
  Turn shared = isInside(value) ? turn : Turn::first;
  auto [entry, isNew] = columnOf.insert({{value.getAsOpaquePointer(), shared == Turn::first}, columns});
  if (isNew) {
    ++columns;
    pending.push_back({value, turn});
  }
  return entry->second;
}

/// `value >= bound`, looking into the maximum of several bounds.
void System::atLeast(Value value, Value bound, Turn turn) {
  if (auto maximum = bound.getDefiningOp<arith::MaxSIOp>()) {
    atLeast(value, maximum.getLhs(), turn);
    return atLeast(value, maximum.getRhs(), turn);
  }
  atLeastZero(LinearForm::of(value) - LinearForm::of(bound), turn);
}

/// `value < bound`, looking into the minimum of several bounds.
void System::below(Value value, Value bound, Turn turn) {
  if (auto minimum = bound.getDefiningOp<arith::MinSIOp>()) {
    below(value, minimum.getLhs(), turn);
    return below(value, minimum.getRhs(), turn);
  }
  LinearForm slack = LinearForm::of(bound) - LinearForm::of(value);
  slack.constant -= 1;
  atLeastZero(slack, turn);
}

/// `value = lower + step * whole number`.
void System::step(Value value, Value lower, Value stepValue, Turn turn) {
  auto step = getConstantIntValue(stepValue);
  if (!step || *step == 1)
    return;
  Row row = rowOf(LinearForm::of(value) - LinearForm::of(lower), turn);
  row.factors.push_back({columns++, -*step});
  equalities.push_back(row);
}

static Value sizeOf(linalg::GenericOp generic, unsigned axis) {
  for (auto [operand, map] : llvm::zip_equal(generic->getOperands(), generic.getIndexingMapsArray()))
    for (auto [position, result] : llvm::enumerate(map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(result); dim && dim.getPosition() == axis) {
        if (auto alloc = operand.getDefiningOp<memref::AllocOp>(); alloc && alloc.getType().isDynamicDim(position))
          return alloc.getDynamicSizes()[alloc.getType().getDynamicDimIndex(position)];
        if (auto view = operand.getDefiningOp<memref::SubViewOp>(); view && view.getDroppedDims().none())
          if (auto size = dyn_cast<Value>(view.getMixedSizes()[position]))
            return size;
      }
  return Value();
}

/// What is known of a value from where it comes.
void System::describe(Value value, Turn turn) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent); loop && value == loop.getInductionVar()) {
      atLeast(value, loop.getLowerBound(), turn);
      below(value, loop.getUpperBound(), turn);
      step(value, loop.getLowerBound(), loop.getStep(), turn);
    }
    if (auto loop = dyn_cast<scf::ParallelOp>(parent)) {
      unsigned axis = argument.getArgNumber();
      atLeast(value, loop.getLowerBound()[axis], turn);
      below(value, loop.getUpperBound()[axis], turn);
      step(value, loop.getLowerBound()[axis], loop.getStep()[axis], turn);
    }
    if (auto function = dyn_cast<func::FuncOp>(parent);
        function && argumentOf(function, argument.getArgNumber()).kind == ArgumentKind::symbol) {
      LinearForm size = LinearForm::of(value);
      size.constant -= leastOf(function, argument.getArgNumber());
      atLeastZero(size, turn);
    }
    return;
  }
  Operation *op = value.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    auto generic = index->getParentOfType<linalg::GenericOp>();
    atLeastZero(LinearForm::of(value), turn);
    int64_t extent = generic.getStaticLoopRanges()[index.getDim()];
    if (!ShapedType::isDynamic(extent)) {
      LinearForm slack = LinearForm::of(extent - 1) - LinearForm::of(value);
      atLeastZero(slack, turn);
    } else if (Value size = sizeOf(generic, index.getDim())) {
      below(value, size, turn);
    }
  }
  if (isa<arith::MaxSIOp, arith::MinSIOp>(op))
    for (Value operand : op->getOperands()) {
      LinearForm slack = LinearForm::of(value) - LinearForm::of(operand);
      LinearForm row;
      row.add(slack, isa<arith::MaxSIOp>(op) ? 1 : -1);
      atLeastZero(row, turn);
    }
}

void System::holds(Value condition, bool isTrue, Turn turn) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>(); both && isTrue) {
    holds(both.getLhs(), true, turn);
    return holds(both.getRhs(), true, turn);
  }
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || !compare.getLhs().getType().isIndex())
    return;
  using P = arith::CmpIPredicate;
  P predicate = isTrue ? compare.getPredicate() : arith::invertPredicate(compare.getPredicate());
  LinearForm difference = LinearForm::of(compare.getRhs()) - LinearForm::of(compare.getLhs()), opposite;
  opposite.add(difference, -1);
  if (predicate == P::slt || predicate == P::sle || predicate == P::eq) {
    difference.constant -= predicate == P::slt;
    atLeastZero(difference, turn);
  }
  if (predicate == P::sgt || predicate == P::sge || predicate == P::eq) {
    opposite.constant -= predicate == P::sgt;
    atLeastZero(opposite, turn);
  }
}

void System::reaches(Operation *op, Turn turn) {
  for (Operation *child = op; Operation *parent = child->getParentOp(); child = parent) {
    if (auto branch = dyn_cast<scf::IfOp>(parent))
      holds(branch.getCondition(), child->getParentRegion() == &branch.getThenRegion(), turn);
    // A loop's turn says that its range isn't empty.
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      column(loop.getInductionVar(), turn);
  }
}

SmallVector<int64_t> System::expand(const Row &row) const {
  SmallVector<int64_t> dense(columns + 1, 0);
  for (auto [column, factor] : row.factors)
    dense[column] += factor;
  dense.back() = row.constant;
  return dense;
}

bool System::isFeasible() {
  while (!pending.empty()) {
    auto [value, turn] = pending.pop_back_val();
    describe(value, turn);
  }
  presburger::IntegerPolyhedron polyhedron(presburger::PresburgerSpace::getSetSpace(columns));
  for (const Row &row : equalities)
    polyhedron.addEquality(expand(row));
  for (const Row &row : inequalities)
    polyhedron.addInequality(expand(row));
  return !polyhedron.isEmptyByGCDTest() && !presburger::Simplex(polyhedron).isEmpty();
}

/// Makes both subscripts one where both are known; false if they are known to differ.
bool meet(System &system, const Element &first, const Element &second) {
  if (first.subscripts.size() != second.subscripts.size())
    return true;
  for (auto [a, b] : llvm::zip_equal(first.subscripts, second.subscripts))
    if (a && b) {
      if (a->isConstant() && b->isConstant() && a->constant != b->constant)
        return false;
      system.equal(*a, *b);
    }
  return true;
}

} // namespace

LoopAxes::LoopAxes(Operation *loop) : loop(loop) {
  if (auto sequential = dyn_cast<scf::ForOp>(loop))
    counters.push_back(sequential.getInductionVar());
  if (auto parallel = dyn_cast<scf::ParallelOp>(loop))
    llvm::append_range(counters, parallel.getInductionVars());
  if (auto generic = dyn_cast<linalg::GenericOp>(loop)) {
    counters.resize(generic.getNumLoops());
    for (auto axis : generic.getBody()->getOps<linalg::IndexOp>())
      if (!counters[axis.getDim()])
        counters[axis.getDim()] = axis;
  }
}

/// Whether the two may touch one element where the counters are as `constrain` says.
static bool mayTouch(const Access &first, const Access &second, Operation *scope,
                     function_ref<void(System &)> constrain) {
  Element a = resolveElement(first), b = resolveElement(second);
  if (!a.root || !b.root)
    return true;
  if (a.root != b.root)
    return false;
  System system(scope);
  constrain(system);
  if (!meet(system, a, b))
    return false;
  system.reaches(first.op, Turn::first);
  system.reaches(second.op, Turn::second);
  return system.isFeasible();
}

/// Another turn has another buffer where the loop allocates it.
static bool isPrivate(const Access &access, Operation *loop) {
  Value root = resolveElement(access).root;
  return root && loop->isAncestor(root.getParentBlock()->getParentOp());
}

bool quernel::mayTouchLater(const Access &first, const Access &second, const LoopAxes &loop, unsigned axis) {
  if (isPrivate(first, loop.loop) || isPrivate(second, loop.loop))
    return false;
  return mayTouch(first, second, loop.loop, [&](System &system) {
    for (unsigned outer = 0; outer < axis; ++outer)
      system.equal(LinearForm::of(loop.counters[outer]), LinearForm::of(loop.counters[outer]));
    system.isBeyond(loop.counters[axis], Turn::second, loop.counters[axis], Turn::first);
  });
}

/// Whether two accesses need one answer: they are of one element, in one block.
static bool areAlike(const Access &a, const Access &b) {
  return a.buffer == b.buffer && a.isStore == b.isStore && a.op->getBlock() == b.op->getBlock() &&
         a.indices == b.indices;
}

bool quernel::mayTurnsMeet(scf::ForOp loop, ArrayRef<Access> accesses, size_t known) {
  const LoopAxes axes(loop);
  SmallVector<const Access *> different;
  for (auto [number, access] : llvm::enumerate(accesses)) {
    if (llvm::any_of(different, [&](const Access *other) { return areAlike(access, *other); }))
      continue;
    different.push_back(&access);
    if (number < known)
      continue;
    for (const Access *other : different)
      if ((access.isStore || other->isStore) &&
          (mayTouchLater(access, *other, axes, 0) || (other != &access && mayTouchLater(*other, access, axes, 0))))
        return true;
  }
  return false;
}

bool quernel::mayTouchApart(const Access &first, Value firstCounter, const Access &second, Value secondCounter,
                            Operation *scope) {
  auto ordered = [&](bool isAscending) {
    return mayTouch(first, second, scope, [&](System &system) {
      if (isAscending)
        system.isBeyond(secondCounter, Turn::second, firstCounter, Turn::first);
      else
        system.isBeyond(firstCounter, Turn::first, secondCounter, Turn::second);
    });
  };
  return ordered(true) || ordered(false);
}

bool quernel::isAtMost(const LinearForm &form, const LinearForm &bound, Operation *at) {
  System system(nullptr);
  LinearForm excess = form - bound;
  excess.constant -= 1;
  system.atLeastZero(excess, Turn::first);
  system.reaches(at, Turn::first);
  return !system.isFeasible();
}

/// Whether an operation may be computed a second time, loads aside.
static bool isHarmless(Operation *op) {
  return isMemoryEffectFree(op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
}

bool quernel::collectProducers(scf::ForOp loop, SmallVector<Value> values,
                               llvm::SmallPtrSetImpl<Operation *> &producers,
                               llvm::function_ref<bool(Operation *, memref::LoadOp)> isChanged) {
  while (!values.empty()) {
    Value value = values.pop_back_val();
    if (llvm::is_contained(loop.getRegionIterArgs(), value))
      return false;
    Operation *op = value.getDefiningOp();
    op = op ? loop.getBody()->findAncestorOpInBlock(*op) : nullptr;
    if (!op || !producers.insert(op).second)
      continue;
    const WalkResult all = op->walk([&](Operation *inner) {
      auto load = dyn_cast<memref::LoadOp>(inner);
      const bool mayRepeat = load ? !isChanged(op, load) : isHarmless(inner);
      return mayRepeat ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (all.wasInterrupted())
      return false;
    llvm::append_range(values, usedBy(op));
  }
  return true;
}
