#include "compiler/Lowering/Widener.h"
#include "compiler/Dialect/Attributes.h"
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/PairedAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace quernel;

static bool isElementwise(Operation *op) {
  return isa<DivisorOp>(op) ||
         (isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) && op->getNumResults() == 1);
}

/// Whether an index depends on more than the variable: on what a loop inside hands on.
static bool dependsOnMore(Value index, Value variable, const llvm::DenseSet<Value> &dependent) {
  if (index == variable || !dependent.contains(index))
    return false;
  Operation *op = index.getDefiningOp();
  return !op || op->getNumRegions() != 0 ||
         llvm::any_of(op->getOperands(), [&](Value part) { return dependsOnMore(part, variable, dependent); });
}

/// Booleans are bytes in memory and masks in registers: they are read and written next to each other or alone.
static bool isScatteredBool(Operation *op, Value variable, const llvm::DenseSet<Value> &dependent) {
  auto load = dyn_cast<memref::LoadOp>(op);
  auto store = dyn_cast<memref::StoreOp>(op);
  if (!load && !store)
    return false;
  Type type = load ? load.getType() : store.getValueToStore().getType();
  Value index = load ? load.getIndices()[0] : store.getIndices()[0];
  if (!type.isInteger(1) || !dependent.contains(index))
    return false;
  return coefficientOf(index, variable) != 1 || dependsOnMore(index, variable, dependent);
}

static bool usesAny(Operation *op, const llvm::DenseSet<Value> &values) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return llvm::any_of(captured, [&](Value value) { return values.contains(value); });
}

bool Widener::canWiden(Block &block, Value variable) {
  // Everything that depends on the variable, loops' values included.
  llvm::DenseSet<Value> dependent{variable};
  bool possible = true;
  block.walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool depends = llvm::any_of(op->getOperands(), [&](Value value) { return dependent.contains(value); });
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
        possible &= !dependent.contains(bound);
      dependent.insert(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
      dependent.insert(loop->result_begin(), loop->result_end());
      return;
    }
    // A branch is taken by all lanes or by none.
    if (auto branch = dyn_cast<scf::IfOp>(op); branch && !depends) {
      if (usesAny(op, dependent))
        dependent.insert(op->result_begin(), op->result_end());
      return;
    }
    // What a turn allocates is its own.
    if (isa<memref::AllocaOp>(op) || (op->getNumRegions() != 0 && usesAny(op, dependent)))
      possible = false;
    if (!depends)
      return;
    possible &= !isScatteredBool(op, variable, dependent);
    possible &= isElementwise(op) || isa<memref::LoadOp, memref::StoreOp, scf::YieldOp, scf::ReduceOp>(op);
    dependent.insert(op->result_begin(), op->result_end());
  });
  return possible;
}

void Widener::setVariable(Value old, Value base) {
  mapping.map(old, base);
  linear[old] = builder.getIndexAttr(1);
}

void Widener::setCount(Location loc, Value count) {
  auto type = vectorType(builder.getIndexType());
  if (auto constant = getConstantIntValue(count)) {
    auto numbers = llvm::map_to_vector(llvm::seq<int64_t>(0, lanes), [&](int64_t i) { return i < *constant ? i : 0; });
    laneNumbers = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, ArrayRef<int64_t>(numbers)));
    return;
  }
  Value lane = vector::StepOp::create(builder, loc, type);
  Value counts = vector::BroadcastOp::create(builder, loc, type, count);
  Value isOwn = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, lane, counts);
  Value first = arith::ConstantOp::create(builder, loc, cast<TypedAttr>(builder.getZeroAttr(type)));
  laneNumbers = arith::SelectOp::create(builder, loc, isOwn, lane, first);
}

void Widener::setVarying(Value old, Value vector) { varying[old] = vector; }

bool Widener::isUniform(Operation *op) const {
  if (!llvm::all_of(op->getOperands(), [&](Value value) { return isUniform(value); }))
    return false;
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return llvm::all_of(captured, [&](Value value) { return isUniform(value); });
}

void Widener::widenBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    widen(&op);
}

void Widener::widen(Operation *op) {
  if (isUniform(op) && !isa<memref::StoreOp>(op)) {
    builder.clone(*op, mapping);
    return;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return widenLoop(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return widenBranch(branch);
  if (isa<memref::LoadOp>(op))
    return widenLoad(op);
  if (isa<memref::StoreOp>(op))
    return widenStore(op);
  if (!widenLinear(op) && !widenDivision(op))
    widenElementwise(op);
}

/// An index that stays linear needs the first lane alone.
bool Widener::widenLinear(Operation *op) {
  auto stepOf = [&](Value value) -> std::optional<OpFoldResult> {
    if (auto found = linear.find(value); found != linear.end())
      return found->second;
    return isUniform(value) ? std::optional<OpFoldResult>(builder.getIndexAttr(0)) : std::nullopt;
  };
  auto steps = llvm::map_to_vector(op->getOperands(), stepOf);
  if (llvm::is_contained(steps, std::nullopt) ||
      !isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::IndexCastOp>(op))
    return false;
  OpFoldResult step;
  auto first = getConstantIntValue(*steps[0]);
  if (isa<arith::IndexCastOp>(op)) {
    step = *steps[0];
  } else if (isa<arith::MulIOp>(op)) {
    unsigned factor = first == 0 ? 1 : 0, other = 1 - factor;
    if (!isUniform(op->getOperand(other)))
      return false;
    auto scale = getConstantIntValue(op->getOperand(other));
    auto inner = getConstantIntValue(*steps[factor]);
    if (!inner || (!scale && (*inner != 1 || !op->getResult(0).getType().isIndex())))
      return false;
    step = scale ? OpFoldResult(builder.getIndexAttr(*inner * *scale)) : OpFoldResult(scalarOf(op->getOperand(other)));
  } else {
    auto second = getConstantIntValue(*steps[1]);
    if (second == 0)
      step = *steps[0];
    else if (first == 0 && isa<arith::AddIOp>(op))
      step = *steps[1];
    else if (first && second)
      step = builder.getIndexAttr(isa<arith::AddIOp>(op) ? *first + *second : *first - *second);
    else
      return false;
  }
  builder.clone(*op, mapping);
  linear[op->getResult(0)] = step;
  return true;
}

/// A linear index divided by a constant, where the first lane stands so that no lane comes to the next multiple: the
/// quotient is one number for all lanes, and the remainder is linear.
bool Widener::widenDivision(Operation *op) {
  if (!isa<arith::DivUIOp, arith::RemUIOp>(op))
    return false;
  auto found = linear.find(op->getOperand(0));
  auto divisor = getConstantIntValue(op->getOperand(1));
  auto step = found == linear.end() ? std::nullopt : getConstantIntValue(found->second);
  if (!step || *step <= 0 || !divisor || *divisor <= 0)
    return false;
  const LowBits first = lowBits.of(scalarOf(op->getOperand(0)));
  const unsigned bits = std::min<unsigned>(first.count, llvm::countr_zero<uint64_t>(*divisor));
  // Multiples of 2^bits, on one of which each multiple of the divisor stands.
  const int64_t block = int64_t(1) << std::min(bits, 32u);
  const int64_t begin = first.value & (block - 1);
  if (*step > block || begin + *step * (lanes - 1) >= block)
    return false;
  builder.clone(*op, mapping);
  if (isa<arith::RemUIOp>(op))
    linear[op->getResult(0)] = found->second;
  return true;
}

void Widener::widenElementwise(Operation *op) {
  SmallVector<Value> operands = llvm::map_to_vector(op->getOperands(), [&](Value value) { return vectorOf(value); });
  OperationState state(op->getLoc(), op->getName(), operands, vectorType(op->getResult(0).getType()), op->getAttrs());
  varying[op->getResult(0)] = builder.create(state)->getResult(0);
}

void Widener::widenLoop(scf::ForOp loop) {
  SmallVector<Value> init = llvm::map_to_vector(loop.getInitArgs(), [&](Value value) { return vectorOf(value); });
  auto wide = scf::ForOp::create(builder, loop.getLoc(), scalarOf(loop.getLowerBound()), scalarOf(loop.getUpperBound()),
                                 scalarOf(loop.getStep()), init);
  Schedule old = scheduleOf(loop);
  setSchedule(wide, {.polled = old.polled, .reduces = old.reduces});
  mapping.map(loop.getInductionVar(), wide.getInductionVar());
  keepNames(loop, wide);
  for (auto [old, fresh] : llvm::zip_equal(loop.getRegionIterArgs(), wide.getRegionIterArgs()))
    varying[old] = fresh;
  OpBuilder::InsertionGuard guard(builder);
  if (!wide.getBody()->empty())
    wide.getBody()->getTerminator()->erase();
  builder.setInsertionPointToEnd(wide.getBody());
  widenBlock(*loop.getBody());
  SmallVector<Value> next =
      llvm::map_to_vector(loop.getBody()->getTerminator()->getOperands(), [&](Value value) { return vectorOf(value); });
  scf::YieldOp::create(builder, loop.getLoc(), next);
  for (auto [old, fresh] : llvm::zip_equal(loop.getResults(), wide.getResults()))
    varying[old] = fresh;
}

void Widener::widenBranch(scf::IfOp branch) {
  auto types = llvm::map_to_vector(branch.getResultTypes(), [&](Type type) -> Type { return vectorType(type); });
  auto wide = scf::IfOp::create(builder, branch.getLoc(), types, scalarOf(branch.getCondition()),
                                /*addThenBlock=*/false, /*addElseBlock=*/false);
  for (auto [from, to] : llvm::zip_equal(branch->getRegions(), wide->getRegions())) {
    if (from.empty())
      continue;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&to.emplaceBlock());
    widenBlock(from.front());
    auto yielded =
        llvm::map_to_vector(from.front().getTerminator()->getOperands(), [&](Value value) { return vectorOf(value); });
    scf::YieldOp::create(builder, branch.getLoc(), yielded);
  }
  for (auto [old, fresh] : llvm::zip_equal(branch.getResults(), wide.getResults()))
    varying[old] = fresh;
}

Value Widener::constantIndex(Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value Widener::allLanes(Location loc) {
  auto type = vectorType(builder.getI1Type());
  return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, true));
}

/// Whether the lanes' elements at an index stand side by side.
bool Widener::isContiguous(Value index) const {
  auto step = linear.find(index);
  return !laneNumbers && step != linear.end() && getConstantIntValue(step->second) == 1;
}

/// Whether one element lies between those of two lanes.
bool Widener::isEverySecond(Value index) const {
  auto step = linear.find(index);
  return !laneNumbers && step != linear.end() && getConstantIntValue(step->second) == 2;
}

/// 0, step, 2 * step, …
Value Widener::laneOffsets(Location loc, OpFoldResult step) {
  auto type = vectorType(builder.getIndexType());
  if (laneNumbers) {
    if (getConstantIntValue(step) == 1)
      return laneNumbers;
    Value factor = getValueOrCreateConstantIndexOp(builder, loc, step);
    return arith::MulIOp::create(builder, loc, laneNumbers, vector::BroadcastOp::create(builder, loc, type, factor));
  }
  if (auto constant = getConstantIntValue(step)) {
    auto offsets = llvm::map_to_vector(llvm::seq<int64_t>(0, lanes), [&](int64_t lane) { return lane * *constant; });
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, ArrayRef<int64_t>(offsets)));
  }
  Value scale = vector::BroadcastOp::create(builder, loc, type, cast<Value>(step));
  return arith::MulIOp::create(builder, loc, vector::StepOp::create(builder, loc, type), scale);
}

Value Widener::vectorOf(Value old) {
  if (auto found = varying.find(old); found != varying.end())
    return found->second;
  Location loc = old.getLoc();
  Value splat = vector::BroadcastOp::create(builder, loc, vectorType(old.getType()), scalarOf(old));
  auto step = linear.find(old);
  if (step == linear.end())
    return splat;
  Value offsets = laneOffsets(loc, step->second);
  if (!old.getType().isIndex())
    offsets = arith::IndexCastOp::create(builder, loc, vectorType(old.getType()), offsets);
  return arith::AddIOp::create(builder, loc, splat, offsets);
}

/// Real and imaginary parts are loaded together and parted in registers.
bool Widener::widenPairOfLoads(Operation *op) {
  auto load = cast<memref::LoadOp>(op);
  Value index = load.getIndices()[0];
  Operation *second = isEverySecond(index) ? secondOfPair(op) : nullptr;
  if (!second)
    return false;
  Location loc = op->getLoc();
  auto type = VectorType::get({2 * lanes}, load.getType());
  Value both = vector::LoadOp::create(builder, loc, type, scalarOf(load.getMemRef()), scalarOf(index));
  for (auto [part, result] : {std::pair(0, op->getResult(0)), std::pair(1, second->getResult(0))}) {
    auto every = llvm::map_to_vector(llvm::seq<int64_t>(0, lanes), [&](int64_t lane) { return 2 * lane + part; });
    varying[result] = vector::ShuffleOp::create(builder, result.getLoc(), both, both, every);
  }
  return true;
}

/// Real and imaginary parts are joined in registers and stored together, where the second one stands.
bool Widener::widenPairOfStores(Operation *op) {
  if (Operation *first = firstOf.lookup(op)) {
    auto store = cast<memref::StoreOp>(first);
    Value re = vectorOf(store.getValueToStore()), im = vectorOf(op->getOperand(0));
    Value both = vector::InterleaveOp::create(builder, op->getLoc(), re, im);
    vector::StoreOp::create(builder, op->getLoc(), both, scalarOf(store.getMemRef()), scalarOf(store.getIndices()[0]));
    return true;
  }
  Operation *second = isEverySecond(cast<memref::StoreOp>(op).getIndices()[0]) ? secondOfPair(op) : nullptr;
  if (second)
    firstOf[second] = op;
  return second;
}

void Widener::widenLoad(Operation *op) {
  auto load = cast<memref::LoadOp>(op);
  if (varying.contains(load.getResult()) || widenPairOfLoads(op))
    return;
  Location loc = op->getLoc();
  VectorType type = vectorType(load.getType());
  Value index = load.getIndices()[0], pointer = scalarOf(load.getMemRef());
  if (isContiguous(index)) {
    varying[load.getResult()] = vector::LoadOp::create(builder, loc, type, pointer, scalarOf(index));
    return;
  }
  auto step = linear.find(index);
  bool isLinear = step != linear.end();
  Value base = isLinear ? scalarOf(index) : constantIndex(loc, 0);
  Value offsets = isLinear ? laneOffsets(loc, step->second) : vectorOf(index);
  Value nothing = arith::ConstantOp::create(builder, loc, cast<TypedAttr>(builder.getZeroAttr(type)));
  varying[load.getResult()] =
      vector::GatherOp::create(builder, loc, type, pointer, base, offsets, allLanes(loc), nothing);
}

void Widener::widenStore(Operation *op) {
  auto store = cast<memref::StoreOp>(op);
  if (widenPairOfStores(op))
    return;
  Location loc = op->getLoc();
  Value index = store.getIndices()[0], pointer = scalarOf(store.getMemRef()), value = vectorOf(store.getValueToStore());
  if (isContiguous(index)) {
    vector::StoreOp::create(builder, loc, value, pointer, scalarOf(index));
    return;
  }
  auto step = linear.find(index);
  bool isLinear = step != linear.end();
  Value base = isLinear ? scalarOf(index) : constantIndex(loc, 0);
  Value offsets = isLinear ? laneOffsets(loc, step->second) : vectorOf(index);
  vector::ScatterOp::create(builder, loc, Type(), pointer, base, offsets, allLanes(loc), value);
}
