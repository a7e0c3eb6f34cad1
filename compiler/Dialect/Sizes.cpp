// The one form of a size: a sum of products, in one order, so that equal sizes are one expression.
#include "compiler/Dialect/ShapeRules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
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

/// Products of atoms, each with its factor, which isn't 0. Notes whether all factors had 64 bits.
class Sum {
public:
  void add(const Atoms &atoms, int64_t factor) {
    if (factor == 0)
      return;
    auto [found, isNew] = terms.insert({atoms, factor});
    if (isNew)
      return;
    fits &= !llvm::AddOverflow(found->second, factor, found->second);
    if (found->second == 0)
      terms.erase(found);
  }

  void add(const Sum &other, int64_t factor) {
    fits &= other.fits;
    for (const auto &[atoms, scale] : other.terms)
      add(atoms, multiplied(scale, factor));
  }

  static Sum product(const Sum &a, const Sum &b) {
    Sum result;
    result.fits = a.fits && b.fits;
    for (const auto &[first, x] : a.terms)
      for (const auto &[second, y] : b.terms) {
        Atoms atoms(first);
        llvm::append_range(atoms, second);
        llvm::sort(atoms, [](Dim left, Dim right) { return compare(left, right) < 0; });
        result.add(atoms, result.multiplied(x, y));
      }
    return result;
  }

  /// Splits off what the divisor divides: `this = divisor * quotient + rest`, where the rest's constant is in [0,
  /// divisor).
  std::pair<Sum, Sum> divide(int64_t divisor) const {
    Sum quotient, rest;
    quotient.fits = fits;
    for (const auto &[atoms, factor] : terms) {
      int64_t part = atoms.empty() ? llvm::mod(factor, divisor) : factor % divisor == 0 ? 0 : factor;
      quotient.add(atoms, (factor - part) / divisor);
      rest.add(atoms, part);
    }
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

  bool fits = true;

private:
  int64_t multiplied(int64_t a, int64_t b) {
    int64_t result;
    fits &= !llvm::MulOverflow(a, b, result);
    return result;
  }

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

Sum productOf(const Sum &a, const Sum &b, MLIRContext *context) {
  if (a.size() * b.size() <= mostTerms)
    return Sum::product(a, b);
  Sum result = atom(a.expression(context) * b.expression(context));
  result.fits = a.fits && b.fits;
  return result;
}

Sum quotientOf(const Sum &dividend, int64_t divisor, MLIRContext *context) {
  auto [exact, rest] = dividend.divide(divisor);
  if (!rest.constant()) // which is less than the divisor
    exact.add(atom(rest.expression(context).floorDiv(divisor)), 1);
  return exact;
}

Sum sumOfQuotient(AffineBinaryOpExpr quotient) {
  MLIRContext *context = quotient.getContext();
  Sum dividend = sumOf(quotient.getLHS());
  Dim divisor = canonicalDim(quotient.getRHS());
  bool roundsDown = quotient.getKind() == AffineExprKind::FloorDiv;
  if (auto known = constantDim(divisor); known && *known > 0) {
    if (!roundsDown) // x ceildiv d = (x + d - 1) floordiv d
      dividend.add(Atoms(), *known - 1);
    return quotientOf(dividend, *known, context);
  }
  Dim whole = dividend.expression(context);
  Sum result = atom(roundsDown ? whole.floorDiv(divisor) : whole.ceilDiv(divisor));
  result.fits = dividend.fits;
  return result;
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
  case AffineExprKind::Mul:
    return productOf(sumOf(binary.getLHS()), sumOf(binary.getRHS()), dim.getContext());
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

Dim quernel::canonicalDim(Dim dim) {
  if (!dim)
    return dim;
  Sum sum = sumOf(dim);
  return sum.fits ? sum.expression(dim.getContext()) : dim;
}

std::optional<Dim> quernel::combineDims(SizeOperation operation, Dim a, Dim b) {
  Sum sum = sumOf(a);
  switch (operation) {
  case SizeOperation::add:
    sum.add(sumOf(b), 1);
    break;
  case SizeOperation::subtract:
    sum.add(sumOf(b), -1);
    break;
  case SizeOperation::multiply:
    sum = productOf(sum, sumOf(b), a.getContext());
    break;
  case SizeOperation::divide: {
    auto divisor = constantDim(b);
    if (!divisor || *divisor <= 0)
      return std::nullopt;
    sum = quotientOf(sum, *divisor, a.getContext());
    break;
  }
  }
  return sum.fits ? std::optional(sum.expression(a.getContext())) : std::nullopt;
}

void quernel::canonicalize(MutableArrayRef<ArrayInfo> arrays) {
  for (ArrayInfo &array : arrays)
    for (Dim &dim : array.shape)
      dim = canonicalDim(dim);
}

/// The products of the first sizes: of none, of one, and so on as far as their constants have 64 bits.
static SmallVector<Dim> productsOf(MLIRContext *context, ArrayRef<Dim> sizes) {
  SmallVector<Dim> products{getAffineConstantExpr(1, context)};
  for (Dim size : sizes) {
    std::optional<Dim> next = combineDims(SizeOperation::multiply, products.back(), size);
    if (!next)
      break;
    products.push_back(*next);
  }
  return products;
}

/// How many sizes at the beginning of both hold as many elements, for each such pair, in order.
static SmallVector<std::pair<size_t, size_t>> commonBeginnings(ArrayRef<Dim> from, ArrayRef<Dim> to) {
  SmallVector<std::pair<size_t, size_t>> found;
  if (from.empty() || to.empty())
    return found;
  MLIRContext *context = from.front().getContext();
  SmallVector<Dim> ours = productsOf(context, from), theirs = productsOf(context, to);
  size_t j = 1;
  for (size_t i = 1; i < ours.size(); ++i) {
    auto *match = llvm::find(llvm::drop_begin(theirs, j), ours[i]);
    if (match == theirs.end())
      continue;
    j = match - theirs.begin();
    found.push_back({i, j++});
  }
  return found;
}

SmallVector<AxisGroup> quernel::reshapeGroups(ArrayRef<Dim> from, ArrayRef<Dim> to) {
  auto isZero = [](Dim size) { return constantDim(size) == 0; };
  if (llvm::any_of(from, isZero) || llvm::any_of(to, isZero)) // a product of 0 proves nothing
    return {{0, from.size(), 0, to.size()}};
  SmallVector<AxisGroup> groups;
  size_t i = 0, j = 0;
  auto cut = [&](size_t nextI, size_t nextJ) {
    groups.push_back({i, nextI, j, nextJ});
    i = nextI;
    j = nextJ;
  };
  for (auto [nextI, nextJ] : commonBeginnings(from, to))
    cut(nextI, nextJ);
  // What is left begins differently; its end may be the same.
  SmallVector<Dim> ours(llvm::reverse(from.drop_front(i))), theirs(llvm::reverse(to.drop_front(j)));
  for (auto [lastI, lastJ] : llvm::reverse(commonBeginnings(ours, theirs)))
    if (lastI < ours.size() && lastJ < theirs.size())
      cut(from.size() - lastI, to.size() - lastJ);
  if (i < from.size() || j < to.size())
    cut(from.size(), to.size());
  return groups;
}
