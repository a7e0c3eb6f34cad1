#include "compiler/Transforms/SizeChecks.h"
#include "compiler/Dialect/ElementTypes.h"
#include "compiler/Transforms/IndexFunction.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace quernel;

/// Stands for all numbers of more than 64 bits.
constexpr int64_t tooLarge = std::numeric_limits<int64_t>::max();

/// The factors of a size, constants multiplied into one; that one is the greatest number where it doesn't fit.
static void addFactors(Dim dim, SmallVectorImpl<Dim> &factors, int64_t &constant) {
  if (auto known = constantDim(dim)) {
    if (constant == tooLarge || llvm::MulOverflow(constant, *known, constant))
      constant = tooLarge;
  } else if (auto product = dyn_cast<AffineBinaryOpExpr>(dim); product && dim.getKind() == AffineExprKind::Mul) {
    addFactors(product.getLHS(), factors, constant);
    addFactors(product.getRHS(), factors, constant);
  } else {
    factors.push_back(dim);
  }
}

/// The products of a sum.
static void addTerms(Dim dim, SmallVectorImpl<Dim> &terms) {
  auto sum = dyn_cast<AffineBinaryOpExpr>(dim);
  if (!sum || dim.getKind() != AffineExprKind::Add) {
    terms.push_back(dim);
    return;
  }
  addTerms(sum.getLHS(), terms);
  addTerms(sum.getRHS(), terms);
}

SizeChecks::SizeChecks(func::FuncOp function, ShapeAnalysis &shapes)
    : function(function), shapes(shapes), bounds(symbolBoundsOf(function)) {
  function.walk([&](SymbolOp symbol) { declared[symbol.getNumber()] = symbol; });
  function.walk([&](Operation *op) {
    if (isa<ShapeRuleOpInterface>(op))
      for (Value result : op->getResults())
        if (isa<RankedTensorType>(result.getType()))
          addArray(result);
  });
}

ArrayRef<SizeCheck> SizeChecks::at(Operation *place) const {
  auto found = checks.find(place);
  return found == checks.end() ? ArrayRef<SizeCheck>() : ArrayRef<SizeCheck>(found->second);
}

/// Nobody has memory of more bytes than this.
constexpr int64_t mostMemory = int64_t(1) << 57;

/// Whether the product fits because an argument has been made: each factor is no greater than another of its sizes. A
/// contiguous argument lies in memory; the sizes of others only fit into 64 bits.
bool SizeChecks::isBounded(ArrayRef<Dim> factors, int64_t constant) const {
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      continue;
    SmallVector<Dim> rest(shapes.shape(argument));
    bool isMemory = argumentOf(function, argument.getArgNumber()).layout == ArrayLayout::contiguous;
    int64_t bytes =
        elementBytes(type.getElementType()) * (isMemory ? std::numeric_limits<int64_t>::max() / mostMemory : 1);
    bool fits = llvm::all_of(factors, [&](Dim factor) {
      auto *found = llvm::find_if(rest, [&](Dim size) { return isNonNegative(size - factor, bounds); });
      if (found == rest.end())
        return false;
      rest.erase(found);
      return true;
    });
    for (Dim size : rest)
      if (auto known = constantDim(size); known && llvm::MulOverflow(bytes, *known, bytes))
        bytes = std::numeric_limits<int64_t>::max();
    if (fits && constant <= bytes)
      return true;
  }
  return false;
}

void SizeChecks::addArray(Value array) {
  ArrayRef<Dim> shape = shapes.shape(array);
  if (llvm::is_contained(shape, Dim()))
    return;
  for (Dim dim : shape) {
    SmallVector<Dim> terms;
    addTerms(dim, terms);
    for (Dim term : terms)
      if (terms.size() > 1)
        add(term, 1, array.getDefiningOp());
  }
  add(shape, elementBytes(getElementTypeOrSelf(array)), array.getDefiningOp());
}

/// Whether all symbols of a size are declared before an operation.
bool SizeChecks::isKnown(Dim size, Operation *place) const {
  bool known = true;
  size.walk([&](AffineExpr part) {
    auto symbol = dyn_cast<AffineSymbolExpr>(part);
    Operation *source = symbol ? declared.lookup(symbol.getPosition()) : nullptr;
    known &= !source || source->getParentRegion()->isAncestor(place->getParentRegion());
  });
  return known;
}

/// Whether an earlier check covers this one.
bool SizeChecks::isRepeated(const SizeCheck &check, Operation *place) const {
  return llvm::any_of(checks, [&](auto &entry) {
    return entry.first->getParentRegion()->isAncestor(place->getParentRegion()) &&
           llvm::any_of(entry.second, [&](const SizeCheck &other) {
             return other.factors == check.factors && (other.turns.empty() || other.turns == check.turns);
           });
  });
}

void SizeChecks::add(ArrayRef<Dim> product, int64_t constant, Operation *op) {
  SmallVector<Dim> factors;
  for (Dim dim : product)
    addFactors(dim, factors, constant);
  constant =
      constant < 0 && constant != std::numeric_limits<int64_t>::min() ? -constant : constant; // a subtracted term
  bool isProduct = factors.size() > 1 || (factors.size() == 1 && constant > 1) || constant == tooLarge;
  if (!isProduct || constant == 0 || isBounded(factors, constant))
    return;
  if (constant > 1)
    factors.push_back(getAffineConstantExpr(constant, function.getContext()));
  SizeCheck check{factors, {}, op->getLoc()};
  Operation *place = op;
  for (; auto loop = dyn_cast<scf::ForOp>(place->getParentOp()); place = loop) {
    if (loop->walk([](CheckOp) { return WalkResult::interrupt(); }).wasInterrupted())
      break; // a turn may end with another error before
    auto lower = loop.getLowerBound().getDefiningOp<SizeOp>(), upper = loop.getUpperBound().getDefiningOp<SizeOp>();
    if (lower && upper)
      check.turns.push_back(canonicalDim(upper.getDim().getResult(0) - lower.getDim().getResult(0)));
  }
  llvm::erase_if(check.turns, [](Dim turns) { return constantDim(turns) > 0; });
  // Where the turns aren't known before, the allocation is checked alone.
  if (!llvm::all_of(check.turns, [&](Dim turns) { return isKnown(turns, place); }))
    return;
  if (llvm::all_of(factors, [&](Dim factor) { return isKnown(factor, place); }) && !isRepeated(check, place))
    checks[place].push_back(check);
}
