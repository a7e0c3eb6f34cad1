#include "compiler/Transforms/SizeChecks.h"
#include "compiler/Dialect/ElementTypes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace quernel;

/// The factors of a size, constants multiplied into one; that one is the greatest number where it doesn't fit.
static void addFactors(Dim dim, SmallVectorImpl<Dim> &factors, int64_t &constant) {
  if (auto known = constantDim(dim)) {
    if (llvm::MulOverflow(constant, *known, constant))
      constant = std::numeric_limits<int64_t>::max();
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

SizeChecks::SizeChecks(func::FuncOp function, ShapeAnalysis &shapes) : function(function), shapes(shapes) {
  // Sizes of arguments are no symbols where they are 0 or 1.
  for (BlockArgument argument : function.getArguments())
    if (argument.getType().isIndex())
      bounds.push_back({getAffineConstantExpr(2, function.getContext()), Dim()});
  function.walk([&](SymbolOp symbol) {
    declared[symbol.getNumber()] = symbol;
    bounds.resize(std::max<size_t>(bounds.size(), symbol.getNumber() + 1));
  });
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

/// Whether the product is no greater than the bytes of some argument: each factor no greater than another of its sizes.
bool SizeChecks::isBounded(ArrayRef<Dim> factors, int64_t constant) const {
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      continue;
    SmallVector<Dim> rest(shapes.shape(argument));
    int64_t bytes = elementBytes(type.getElementType());
    bool fits = llvm::all_of(factors, [&](Dim factor) {
      auto *found = llvm::find_if(rest, [&](Dim size) { return isNonNegative(size - factor, bounds); });
      if (found != rest.end())
        rest.erase(found);
      else
        return false;
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
        add(term, array.getDefiningOp());
  }
  add(shape, array.getDefiningOp());
}

void SizeChecks::add(ArrayRef<Dim> product, Operation *op) {
  SmallVector<Dim> factors;
  int64_t constant = 1;
  for (Dim dim : product)
    addFactors(dim, factors, constant);
  constant = constant < 0 ? -constant : constant; // a term that is subtracted
  bool isProduct = factors.size() > 1 || (factors.size() == 1 && constant > 1);
  if (!isProduct || constant == 0 || isBounded(factors, constant))
    return;
  Operation *place = op;
  while (isa<scf::ForOp>(place->getParentOp()))
    place = place->getParentOp();
  Block *block = place->getBlock();
  place = block->getTerminator();
  for (Dim factor : factors) {
    bool isKnown = true;
    factor.walk([&](AffineExpr part) {
      auto symbol = dyn_cast<AffineSymbolExpr>(part);
      Operation *source = symbol ? declared.lookup(symbol.getPosition()) : nullptr;
      if (!source || source->getBlock()->getParent()->isProperAncestor(block->getParent()))
        return;
      isKnown &= source->getBlock() == block;
      if (source->getBlock() == block && (place->hasTrait<OpTrait::IsTerminator>() || place->isBeforeInBlock(source)))
        place = source;
    });
    if (!isKnown)
      return;
  }
  if (constant > 1)
    factors.push_back(getAffineConstantExpr(constant, function.getContext()));
  auto &known = checks[place];
  if (llvm::none_of(known, [&](const SizeCheck &other) { return other.factors == factors; }))
    known.push_back({factors, op->getLoc()});
}
