#include "compiler/Emit/Progression.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace quernel {

static std::optional<Progression> ofConstant(arith::ConstantOp constant) {
  auto elements = dyn_cast<DenseIntElementsAttr>(constant.getValue());
  if (!elements)
    return std::nullopt;
  SmallVector<int64_t> values;
  for (const APInt &value : elements.getValues<APInt>())
    values.push_back(value.getSExtValue());
  Progression result;
  result.start = values.front();
  result.stride = values.size() > 1 ? values[1] - values[0] : 0;
  for (size_t lane = 1; lane < values.size(); ++lane)
    if (values[lane] - values[lane - 1] != result.stride)
      return std::nullopt;
  return result;
}

static std::optional<Progression> ofSum(const Progression &lhs, const Progression &rhs) {
  // Two strides add up only if both are constant; all but a plain sum is rare.
  if (lhs.stride != 0 && rhs.stride != 0 && !(lhs.factors.empty() && rhs.factors.empty()))
    return std::nullopt;
  Progression sum = lhs.stride != 0 ? lhs : rhs;
  sum.start = lhs.start + rhs.start;
  sum.stride = lhs.stride + rhs.stride;
  sum.starts = lhs.starts;
  sum.starts.append(rhs.starts.begin(), rhs.starts.end());
  return sum;
}

static std::optional<Progression> ofProduct(const Progression &lhs, const Progression &rhs) {
  const Progression &scale = lhs.stride == 0 ? lhs : rhs;
  Progression product = lhs.stride == 0 ? rhs : lhs;
  // (start + lane * stride) * scale, where the scale is one constant or one scalar.
  if (scale.stride != 0 || !product.starts.empty())
    return std::nullopt;
  if (scale.starts.empty()) {
    product.start *= scale.start;
    product.stride *= scale.start;
    return product;
  }
  if (scale.starts.size() != 1 || scale.start != 0 || product.start != 0)
    return std::nullopt;
  product.factors.push_back(scale.starts.front());
  return product;
}

std::optional<Progression> progressionOf(Value indices) {
  Operation *op = indices.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return ofConstant(constant);
  if (isa<vector::StepOp>(op)) {
    Progression step;
    step.stride = 1;
    return step;
  }
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
    if (isa<VectorType>(broadcast.getSource().getType()))
      return std::nullopt;
    Progression splat;
    splat.starts.push_back(broadcast.getSource());
    return splat;
  }
  if (!isa<arith::AddIOp, arith::MulIOp>(op))
    return std::nullopt;
  auto lhs = progressionOf(op->getOperand(0)), rhs = progressionOf(op->getOperand(1));
  if (!lhs || !rhs)
    return std::nullopt;
  return isa<arith::AddIOp>(op) ? ofSum(*lhs, *rhs) : ofProduct(*lhs, *rhs);
}

} // namespace quernel
