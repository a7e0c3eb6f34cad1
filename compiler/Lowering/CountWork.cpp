// What a kernel moves and computes: from the accesses of its loops, not from the sizes of arrays.
//
//   A[3] = A[5]  of float64[2000, 1000]      scf.parallel (%j) = 0 to 1000: A[3000 + j] = A[5000 + j]: reads and writes
//   8 kB
#include "compiler/Dialect/ElementTypes.h"
#include "compiler/Lowering/LinearForm.h"
#include "compiler/Lowering/LoopDependence.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/MapVector.h"
#include <map>
#include <numeric>

namespace quernel {
#define GEN_PASS_DEF_COUNTWORK
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

/// Turns of a loop that only the call knows.
constexpr int64_t unknownTurns = 1024;

int64_t product(int64_t a, int64_t b) {
  int64_t result;
  return llvm::MulOverflow(a, b, result) ? std::numeric_limits<int64_t>::max() : result;
}

/// The bounds of a loop along an axis; none of a loop that goes on while something holds.
std::optional<std::array<Value, 3>> boundsOf(LoopAxis axis) {
  auto [op, number] = axis;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return {{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}};
  if (auto loop = dyn_cast<scf::ParallelOp>(op))
    return {{loop.getLowerBound()[number], loop.getUpperBound()[number], loop.getStep()[number]}};
  return std::nullopt;
}

/// The turns of a kernel's loops.
class Turns {
public:
  int64_t of(LoopAxis axis) {
    auto [place, isNew] = known.try_emplace(axis, 0);
    if (isNew) {
      auto bounds = boundsOf(axis);
      std::optional<int64_t> trips;
      if (bounds)
        trips = averageTrips((*bounds)[0], (*bounds)[1], (*bounds)[2]);
      assumed += !trips;
      place->second = trips.value_or(unknownTurns);
    }
    return place->second;
  }

  int64_t of(const LoopSet &loops) {
    int64_t result = 1;
    for (LoopAxis axis : loops)
      result = product(result, of(axis));
    return result;
  }

  int64_t assumed = 0;

private:
  llvm::DenseMap<LoopAxis, int64_t> known;
};

/// The first value and the step of a counter, where both are constants.
std::optional<std::pair<int64_t, int64_t>> courseOf(LoopAxis axis) {
  auto bounds = boundsOf(axis);
  if (!bounds)
    return std::nullopt;
  auto lower = getConstantIntValue((*bounds)[0]), step = getConstantIntValue((*bounds)[2]);
  return lower && step ? std::optional(std::pair(*lower, *step)) : std::nullopt;
}

/// What a value may be, within what is called unbounded.
struct Range {
  int64_t least, most;

  static constexpr int64_t unbounded = int64_t(1) << 60;
  static Range of(int64_t least, int64_t most) {
    return {std::clamp(least, -unbounded, unbounded), std::clamp(most, -unbounded, unbounded)};
  }
  bool isBounded() const { return least > -unbounded && most < unbounded; }
};

/// What an index may be, as far as that follows from constants and from counters.
Range rangeOf(Value value) {
  constexpr Range unknown{-Range::unbounded, Range::unbounded};
  if (auto constant = getConstantIntValue(value))
    return Range::of(*constant, *constant);
  if (auto axis = axisOf(value)) {
    auto bounds = boundsOf(*axis);
    return Range::of(rangeOf((*bounds)[0]).least, rangeOf((*bounds)[1]).most - 1);
  }
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() != 2 || !op->getOperand(0).getType().isIndex())
    return unknown;
  Range a = rangeOf(op->getOperand(0)), b = rangeOf(op->getOperand(1));
  if (isa<arith::MaxSIOp>(op))
    return {std::max(a.least, b.least), std::max(a.most, b.most)};
  if (isa<arith::MinSIOp>(op))
    return {std::min(a.least, b.least), std::min(a.most, b.most)};
  if (isa<arith::AddIOp>(op))
    return Range::of(a.least + b.least, a.most + b.most);
  if (isa<arith::SubIOp>(op))
    return Range::of(a.least - b.most, a.most - b.least);
  if (isa<arith::MulIOp>(op) && a.least >= 0 && b.least >= 0)
    return Range::of(product(a.least, b.least), product(a.most, b.most));
  return unknown;
}

/// The elements of an array that an access touches in all turns: `base + Σ stride * turn` where it is linear.
struct Footprint {
  /// What the index is made of, but for its constant: accesses with equal forms are shifts of each other.
  std::vector<std::pair<void *, int64_t>> form;
  int64_t base = 0, elements = 1, gap = 0, span = 0;
  /// Whether the index is linear in counters, and whether what is there changes from turn to turn.
  bool isLinear = true, isNew = false;
  Range range;
};

class WorkCounter {
public:
  explicit WorkCounter(func::FuncOp kernel) : kernel(kernel), dependence(kernel) {}

  WorkAttr count() {
    kernel.walk([&](Operation *op) {
      if (auto load = dyn_cast<memref::LoadOp>(op))
        add(reads, op, load.getMemRef(), load.getIndices());
      if (auto store = dyn_cast<memref::StoreOp>(op))
        add(writes, op, store.getMemRef(), store.getIndices());
      if (auto update = dyn_cast<memref::AtomicRMWOp>(op))
        for (Accesses *both : {&reads, &writes})
          add(*both, op, update.getMemref(), update.getIndices());
    });
    int64_t read = bytes(reads), stored = bytes(writes), computed = operations(kernel.getBody());
    return WorkAttr::get(kernel.getContext(), read, stored, computed, turns.assumed);
  }

private:
  using Accesses = llvm::MapVector<Value, std::vector<Footprint>>;

  /// Computes with the user's numbers; what computes indices has indices as operands.
  static bool isArithmetic(Operation *op) {
    if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()) || isa<CastOpInterface>(op))
      return false;
    return op->getNumOperands() != 0 && !op->getOperands().back().getType().isIndex();
  }

  /// The operations in all turns; of a branch those of the side that has more.
  int64_t operations(Region &region) {
    int64_t total = 0;
    for (Operation &op : region.getOps()) {
      if (isArithmetic(&op))
        total += turns.of(dependence.ofOperation(&op));
      int64_t most = 0;
      for (Region &inner : op.getRegions()) {
        int64_t side = operations(inner);
        most = isa<scf::IfOp>(op) ? std::max(most, side) : most + side;
      }
      total += most;
    }
    return total;
  }

  void add(Accesses &accesses, Operation *op, Value buffer, ValueRange indices) {
    Value root = LoopDependence::rootOf(buffer);
    if (indices.size() > 1 || root.getDefiningOp<memref::AllocaOp>())
      return;
    accesses[root].push_back(footprint(op, root, indices));
  }

  Footprint footprint(Operation *op, Value root, ValueRange indices) {
    Footprint result;
    LoopSet loops;
    LinearForm index = indices.empty() ? LinearForm::of(int64_t(0)) : LinearForm::of(indices.front());
    result.range = indices.empty() ? Range{0, 0} : rangeOf(indices.front());
    result.base = index.constant;
    for (auto [term, factor] : index.terms) {
      loops.insert_range(dependence.of(term));
      result.form.push_back({term.getAsOpaquePointer(), factor});
      auto axis = axisOf(term);
      auto course = axis ? courseOf(*axis) : std::nullopt;
      if (!course) {
        result.isLinear &= dependence.of(term).empty();
        continue;
      }
      auto [first, step] = *course;
      int64_t stride = factor * step, reach = product(std::abs(stride), std::max<int64_t>(turns.of(*axis) - 1, 0));
      result.base += factor * first - (stride < 0 ? reach : 0);
      result.gap = std::gcd(result.gap, stride);
      result.span += reach;
    }
    llvm::sort(result.form);
    result.elements = turns.of(loops);
    if (result.isLinear && result.gap)
      result.elements = std::min(result.elements, result.span / result.gap + 1);
    if (result.range.isBounded())
      result.elements = std::min(result.elements, std::max<int64_t>(result.range.most - result.range.least + 1, 0));
    // What a turn finds there is new.
    if (dependence.isWritten(root))
      for (LoopAxis axis : LoopDependence::around(op))
        if (!loops.contains(axis)) {
          result.elements = product(result.elements, turns.of(axis));
          result.isNew = true;
        }
    return result;
  }

  int64_t bytes(Accesses &accesses) {
    int64_t total = 0;
    for (auto &[buffer, parts] : accesses)
      total += product(elements(parts), elementBytes(cast<MemRefType>(buffer.getType()).getElementType()));
    return total;
  }

  /// The elements of an array that any of the accesses touches.
  static int64_t elements(std::vector<Footprint> &parts) {
    std::map<std::vector<std::pair<void *, int64_t>>, std::vector<Footprint>> families;
    for (Footprint &part : parts)
      families[part.form].push_back(part);
    int64_t total = 0;
    for (auto &[form, family] : families)
      total += ofFamily(family);
    return std::min(total, mostElements(parts));
  }

  /// Accesses that are shifts of each other: those by a multiple of the gap between elements overlap.
  static int64_t ofFamily(std::vector<Footprint> &family) {
    llvm::sort(family, [](const Footprint &a, const Footprint &b) { return a.base < b.base; });
    std::map<int64_t, int64_t> last;
    int64_t total = 0;
    for (const Footprint &part : family) {
      int64_t gap = std::max<int64_t>(part.gap, 1), fresh = part.elements;
      auto [before, isFirst] = last.try_emplace(((part.base % gap) + gap) % gap, part.base);
      if (!isFirst)
        fresh = part.base == before->second ? 0
                : part.isLinear             ? std::min(fresh, (part.base - before->second) / gap)
                                            : fresh;
      before->second = part.base;
      total += fresh;
    }
    return total;
  }

  /// The elements between the first and the last one that is touched, where those are known.
  static int64_t mostElements(ArrayRef<Footprint> parts) {
    int64_t first = Range::unbounded, last = -Range::unbounded;
    for (const Footprint &part : parts) {
      if (part.isNew || !part.range.isBounded())
        return std::numeric_limits<int64_t>::max();
      first = std::min(first, part.range.least);
      last = std::max(last, part.range.most);
    }
    return std::max<int64_t>(last - first + 1, 0);
  }

  func::FuncOp kernel;
  LoopDependence dependence;
  Turns turns;
  Accesses reads, writes;
};

struct CountWork : quernel::impl::CountWorkBase<CountWork> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!hasRole(kernel, FunctionRole::kernel) || kernel.isDeclaration())
      return;
    FunctionAttr known = functionAttrOf(kernel);
    setFunctionAttr(kernel,
                    FunctionAttr::get(kernel.getContext(), known.getRole(), known.getUpdates(), known.getLines(),
                                      known.getSource(), known.getStatement(), WorkCounter(kernel).count(), nullptr));
  }
};

} // namespace
