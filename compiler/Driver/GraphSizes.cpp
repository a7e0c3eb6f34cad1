// Sizes of a graph, as Python holds them: each is kept in its one form, so that equal sizes are one expression.
#include "compiler/Driver/Graph.h"
#include "compiler/Driver/GraphState.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace quernel;

/// The value of a size, cut to 64 bits: it is a hint where it doesn't fit.
static int64_t evaluate(Dim dim, ArrayRef<int64_t> symbols) {
  if (auto constant = constantDim(dim))
    return *constant;
  if (auto symbol = dyn_cast<AffineSymbolExpr>(dim))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(dim);
  int64_t left = evaluate(binary.getLHS(), symbols), right = evaluate(binary.getRHS(), symbols), result;
  switch (dim.getKind()) {
  case AffineExprKind::Add:
    llvm::AddOverflow(left, right, result);
    return result;
  case AffineExprKind::Mul:
    llvm::MulOverflow(left, right, result);
    return result;
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(left, right);
  case AffineExprKind::CeilDiv:
    return llvm::divideCeilSigned(left, right);
  default:
    return llvm::mod(left, right);
  }
}

Dim GraphState::dim(const GraphDim &dim) {
  if (dim.expression)
    return AffineExpr(static_cast<AffineExpr::ImplType *>(const_cast<void *>(dim.expression)));
  return builder.getAffineConstantExpr(dim.value);
}

Dim GraphState::addSymbol(const std::string &name, int64_t value, SymbolBounds bounds, bool ofCall) {
  symbolValues.push_back(value);
  symbolNames.push_back(name);
  symbolBounds.push_back(bounds);
  symbolsOfCall.push_back(ofCall);
  return builder.getAffineSymbolExpr(symbolValues.size() - 1);
}

GraphDim GraphState::toGraph(Dim dim, const std::shared_ptr<GraphState> &self) const {
  if (auto constant = constantDim(dim))
    return {nullptr, *constant, nullptr};
  return {dim.getAsOpaquePointer(), evaluate(dim, symbolValues), self};
}

std::string GraphDim::text() const {
  if (!expression)
    return std::to_string(value);
  std::string result;
  llvm::raw_string_ostream(result) << owner->dim(*this);
  return result;
}

std::vector<unsigned> GraphDim::symbols() const {
  if (!expression)
    return {};
  llvm::SmallBitVector found(owner->symbolValues.size());
  owner->dim(*this).walk([&](AffineExpr part) {
    if (auto symbol = dyn_cast<AffineSymbolExpr>(part))
      found.set(symbol.getPosition());
  });
  auto numbers = found.set_bits();
  return {numbers.begin(), numbers.end()};
}

bool GraphDim::operator==(const GraphDim &other) const {
  return expression == other.expression && (expression || value == other.value);
}

size_t GraphDim::hash() const { return expression ? llvm::hash_value(expression) : llvm::hash_value(value); }

std::optional<GraphDim> quernel::combineDims(char operation, const GraphDim &a, const GraphDim &b) {
  std::shared_ptr<GraphState> owner = a.owner ? a.owner : b.owner;
  SizeOperation kind = operation == '+'   ? SizeOperation::add
                       : operation == '-' ? SizeOperation::subtract
                       : operation == '*' ? SizeOperation::multiply
                                          : SizeOperation::divide;
  auto joined = owner ? combineDims(kind, owner->dim(a), owner->dim(b)) : std::nullopt;
  return joined ? std::optional(owner->toGraph(*joined, owner)) : std::nullopt;
}

GraphDim Graph::symbol(const std::string &name, int64_t value, bool anySize) {
  GraphState &g = *shared;
  Argument argument{.name = g.builder.getStringAttr(name), .kind = ArgumentKind::symbol, .anySize = anySize};
  (void)g.function.insertArgument(g.symbolArguments, g.builder.getIndexType(), attributesOf(&g.context, argument),
                                  g.builder.getUnknownLoc());
  ++g.symbolArguments;
  return g.toGraph(g.addSymbol(name, value,
                               {g.builder.getAffineConstantExpr(leastOf(g.function, g.symbolArguments - 1)), Dim()},
                               /*ofCall=*/true),
                   shared);
}

bool Graph::isNonNegative(const GraphDim &dim) const {
  return quernel::isNonNegative(shared->dim(dim), shared->symbolBounds);
}

void Graph::limit(const GraphDim &symbol, const GraphDim &upper) {
  int64_t number = lastSymbol(shared->dim(symbol)), last = lastSymbol(shared->dim(upper));
  if (number >= 0 && last < number && !shared->symbolBounds[number].upper)
    shared->symbolBounds[number].upper = shared->dim(upper);
}

namespace {
/// Sizes of symbols of the call that others are never above, or never below: each is asked for once, as sizes that
/// loops make of each other's have as many ways down to the call's as there are paths.
class Extremes {
public:
  explicit Extremes(const GraphState &g) : g(g) {}

  /// Null where the bounds of the symbols in `dim` say none.
  Dim of(Dim dim, bool above) {
    if (auto found = known[above].find(dim); found != known[above].end())
      return found->second;
    Dim extreme = computed(dim, above);
    known[above][dim] = extreme;
    return extreme;
  }

private:
  Dim computed(Dim dim, bool above) {
    if (auto symbol = dyn_cast<AffineSymbolExpr>(dim)) {
      if (g.symbolsOfCall[symbol.getPosition()])
        return dim;
      const SymbolBounds &bounds = g.symbolBounds[symbol.getPosition()];
      Dim bound = above ? bounds.upper : bounds.lower;
      return bound ? of(bound, above) : Dim();
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(dim);
    if (!binary)
      return dim;
    auto constant = constantDim(binary.getRHS());
    bool falls = dim.getKind() == AffineExprKind::Mul && constant && *constant < 0;
    Dim left = of(binary.getLHS(), above != falls), right = of(binary.getRHS(), above);
    if (!left || !right)
      return Dim();
    auto combined = [&](SizeOperation operation) { return combineDims(operation, left, right).value_or(Dim()); };
    switch (dim.getKind()) {
    case AffineExprKind::Add:
      return combined(SizeOperation::add);
    case AffineExprKind::Mul: {
      bool grows = constant || (above && isNonNegative(binary.getLHS(), g.symbolBounds) &&
                                isNonNegative(binary.getRHS(), g.symbolBounds));
      return grows ? combined(SizeOperation::multiply) : Dim();
    }
    case AffineExprKind::FloorDiv:
      return combined(SizeOperation::divide);
    default:
      return Dim();
    }
  }

  const GraphState &g;
  DenseMap<Dim, Dim> known[2]; // below, above
};
} // namespace

std::optional<GraphDim> Graph::most(const GraphDim &dim) const {
  Dim bound = Extremes(*shared).of(shared->dim(dim), /*above=*/true);
  return bound ? std::optional(shared->toGraph(bound, shared)) : std::nullopt;
}
