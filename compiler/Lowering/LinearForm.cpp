#include "compiler/Lowering/LinearForm.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace quernel;

/// One value for each axis of a kernel and each number that was made an index.
static Value representative(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto axis = dyn_cast_or_null<linalg::IndexOp>(op))
    for (auto other : axis->getParentOfType<linalg::GenericOp>().getBody()->getOps<linalg::IndexOp>())
      if (other.getDim() == axis.getDim())
        return other;
  if (auto cast = dyn_cast_or_null<arith::IndexCastOp>(op))
    return cast.getIn();
  return value;
}

static std::optional<LinearForm> ofAffine(AffineExpr expr, ValueRange operands, unsigned dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return LinearForm::of(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return LinearForm::of(operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return LinearForm::of(operands[dims + symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  auto left = ofAffine(binary.getLHS(), operands, dims), right = ofAffine(binary.getRHS(), operands, dims);
  if (!left || !right)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return *left + *right;
  if (expr.getKind() != AffineExprKind::Mul || !right->isConstant())
    return std::nullopt;
  LinearForm product;
  product.add(*left, right->constant);
  return product;
}

LinearForm LinearForm::of(Value value) {
  if (auto known = getConstantIntValue(value))
    return of(*known);
  Operation *op = value.getDefiningOp();
  // Numbers other than indices may wrap.
  if (value.getType().isIndex()) {
    if (isa_and_nonnull<arith::AddIOp>(op))
      return of(op->getOperand(0)) + of(op->getOperand(1));
    if (isa_and_nonnull<arith::SubIOp>(op))
      return of(op->getOperand(0)) - of(op->getOperand(1));
    if (isa_and_nonnull<arith::MulIOp>(op))
      for (auto [factor, other] : {std::pair(0, 1), std::pair(1, 0)})
        if (auto scale = of(op->getOperand(other)); scale.isConstant()) {
          LinearForm product;
          product.add(of(op->getOperand(factor)), scale.constant);
          return product;
        }
    if (auto cast = dyn_cast_or_null<arith::IndexCastOp>(op))
      if (auto inner = cast.getIn().getDefiningOp<arith::IndexCastOp>(); inner && inner.getIn().getType().isIndex())
        if (cast.getIn().getType().isInteger(64))
          return of(inner.getIn());
    if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op))
      if (auto form =
              ofAffine(apply.getAffineMap().getResult(0), apply.getMapOperands(), apply.getAffineMap().getNumDims()))
        return *form;
  }
  return {{{representative(value), 1}}, 0};
}

LinearForm LinearForm::of(OpFoldResult fold) {
  if (auto known = getConstantIntValue(fold))
    return of(*known);
  return of(cast<Value>(fold));
}

void LinearForm::add(const LinearForm &other, int64_t scale) {
  constant += other.constant * scale;
  for (auto [value, factor] : other.terms) {
    auto *found = llvm::find_if(terms, [&, value = value](auto &term) { return term.first == value; });
    if (found == terms.end()) {
      if (factor * scale != 0)
        terms.push_back({value, factor * scale});
      continue;
    }
    found->second += factor * scale;
    if (found->second == 0)
      terms.erase(found);
  }
}

LinearForm LinearForm::operator+(const LinearForm &other) const {
  LinearForm sum = *this;
  sum.add(other, 1);
  return sum;
}

LinearForm LinearForm::operator-(const LinearForm &other) const {
  LinearForm difference = *this;
  difference.add(other, -1);
  return difference;
}

bool LinearForm::operator==(const LinearForm &other) const {
  LinearForm difference = *this - other;
  return difference.isConstant() && difference.constant == 0;
}

Value quernel::valueOf(OpBuilder &builder, Location loc, const LinearForm &form) {
  Value sum;
  auto add = [&](Value value) { sum = sum ? builder.createOrFold<arith::AddIOp>(loc, sum, value) : value; };
  for (auto [term, factor] : form.terms) {
    Value value = term;
    if (!value.getType().isIndex())
      value = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), value);
    if (factor != 1)
      value = builder.createOrFold<arith::MulIOp>(loc, value, arith::ConstantIndexOp::create(builder, loc, factor));
    add(value);
  }
  if (form.constant != 0 || !sum)
    add(arith::ConstantIndexOp::create(builder, loc, form.constant));
  return sum;
}
