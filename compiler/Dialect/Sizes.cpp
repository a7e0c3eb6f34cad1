// The one form of a size: a sum of products, in one order, so that equal sizes are one expression.
#include "compiler/Dialect/ShapeRules.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace mlir;
using namespace quernel;

namespace {

/// Symbols and rounded quotients, in one order.
using Atoms = SmallVector<Dim>;

/// Orders symbols by their numbers and before quotients, quotients by what they divide. The order must not depend on
/// addresses: the text of a size is a part of stored programs.
int compare(Dim a, Dim b) {
  if (a == b)
    return 0;
  if (a.getKind() != b.getKind())
    return static_cast<int>(a.getKind()) < static_cast<int>(b.getKind()) ? -1 : 1;
  if (auto x = dyn_cast<AffineSymbolExpr>(a))
    return x.getPosition() < cast<AffineSymbolExpr>(b).getPosition() ? -1 : 1;
  if (auto x = dyn_cast<AffineDimExpr>(a))
    return x.getPosition() < cast<AffineDimExpr>(b).getPosition() ? -1 : 1;
  if (auto x = dyn_cast<AffineConstantExpr>(a))
    return x.getValue() < cast<AffineConstantExpr>(b).getValue() ? -1 : 1;
  auto x = cast<AffineBinaryOpExpr>(a), y = cast<AffineBinaryOpExpr>(b);
  int left = compare(x.getLHS(), y.getLHS());
  return left != 0 ? left : compare(x.getRHS(), y.getRHS());
}

struct InOrder {
  bool operator()(const Atoms &a, const Atoms &b) const {
    if (a.size() != b.size())
      return a.size() > b.size(); // constants come last
    for (auto [x, y] : llvm::zip_equal(a, b))
      if (int order = compare(x, y))
        return order < 0;
    return false;
  }
};

/// Products of atoms, each with its factor, which isn't 0.
class Sum {
public:
  void add(const Atoms &atoms, int64_t factor) {
    auto [found, isNew] = terms.insert({atoms, factor});
    if (!isNew && (found->second += factor) == 0)
      terms.erase(found);
    else if (factor == 0 && isNew)
      terms.erase(found);
  }

  void add(const Sum &other, int64_t factor) {
    for (const auto &[atoms, scale] : other.terms)
      add(atoms, scale * factor);
  }

  static Sum product(const Sum &a, const Sum &b) {
    Sum result;
    for (const auto &[first, x] : a.terms)
      for (const auto &[second, y] : b.terms) {
        Atoms atoms(first);
        llvm::append_range(atoms, second);
        llvm::sort(atoms, [](Dim left, Dim right) { return compare(left, right) < 0; });
        result.add(atoms, x * y);
      }
    return result;
  }

  /// Splits off what the divisor divides: `this = divisor * quotient + rest`.
  std::pair<Sum, Sum> divide(int64_t divisor) const {
    Sum quotient, rest;
    for (const auto &[atoms, factor] : terms)
      if (factor % divisor == 0)
        quotient.add(atoms, factor / divisor);
      else
        rest.add(atoms, factor);
    return {quotient, rest};
  }

  std::optional<int64_t> constant() const {
    if (terms.empty())
      return 0;
    return terms.size() == 1 && terms.begin()->first.empty() ? std::optional(terms.begin()->second) : std::nullopt;
  }

  Dim expression(MLIRContext *context) const {
    Dim sum = getAffineConstantExpr(0, context);
    for (const auto &[atoms, factor] : terms) {
      Dim term = getAffineConstantExpr(1, context);
      for (Dim atom : atoms)
        term = term * atom;
      sum = sum + term * factor;
    }
    return sum;
  }

  size_t size() const { return terms.size(); }

private:
  std::map<Atoms, int64_t, InOrder> terms;
};

/// Products of longer sums stay products: no size of an array has so many terms.
constexpr size_t mostTerms = 64;

Sum sumOf(Dim dim);

Sum atom(Dim dim) {
  Sum result;
  result.add(Atoms{dim}, 1);
  return result;
}

Sum sumOfQuotient(AffineBinaryOpExpr quotient) {
  MLIRContext *context = quotient.getContext();
  Sum dividend = sumOf(quotient.getLHS());
  Dim divisor = canonicalDim(quotient.getRHS());
  bool roundsDown = quotient.getKind() == AffineExprKind::FloorDiv;
  auto known = constantDim(divisor);
  if (!known || *known <= 0) {
    Dim whole = dividend.expression(context);
    return atom(roundsDown ? whole.floorDiv(divisor) : whole.ceilDiv(divisor));
  }
  auto [exact, rest] = dividend.divide(*known);
  if (auto constant = rest.constant()) {
    exact.add(Atoms(),
              roundsDown ? llvm::divideFloorSigned(*constant, *known) : llvm::divideCeilSigned(*constant, *known));
    return exact;
  }
  Dim part = rest.expression(context);
  exact.add(atom(roundsDown ? part.floorDiv(*known) : part.ceilDiv(*known)), 1);
  return exact;
}

Sum sumOf(Dim dim) {
  Sum result;
  if (auto known = constantDim(dim)) {
    result.add(Atoms(), *known);
    return result;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(dim);
  if (!binary)
    return atom(dim);
  switch (dim.getKind()) {
  case AffineExprKind::Add:
    result.add(sumOf(binary.getLHS()), 1);
    result.add(sumOf(binary.getRHS()), 1);
    return result;
  case AffineExprKind::Mul: {
    Sum left = sumOf(binary.getLHS()), right = sumOf(binary.getRHS());
    if (left.size() * right.size() > mostTerms)
      return atom(left.expression(dim.getContext()) * right.expression(dim.getContext()));
    return Sum::product(left, right);
  }
  case AffineExprKind::Mod: { // x mod d = x - d * (x floordiv d)
    Sum quotient = sumOf(binary.getLHS().floorDiv(binary.getRHS()));
    result.add(sumOf(binary.getLHS()), 1);
    result.add(Sum::product(quotient, sumOf(binary.getRHS())), -1);
    return result;
  }
  default:
    return sumOfQuotient(binary);
  }
}

} // namespace

Dim quernel::canonicalDim(Dim dim) { return dim ? sumOf(dim).expression(dim.getContext()) : dim; }

void quernel::canonicalize(MutableArrayRef<ArrayInfo> arrays) {
  for (ArrayInfo &array : arrays)
    for (Dim &dim : array.shape)
      dim = canonicalDim(dim);
}
