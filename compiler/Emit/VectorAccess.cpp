// vector's loads, stores' addresses, and lanes.
#include "compiler/Emit/ExpressionPrinter.h"
#include "compiler/Emit/Literals.h"
#include "compiler/Emit/Progression.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace quernel {

std::optional<Expression> ExpressionPrinter::vectorOp(Operation *op) {
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op)) {
    if (isa<VectorType>(broadcast.getSource().getType()))
      return unsupported(op, "spreads a vector, not a scalar");
    if (isMask(broadcast.getType()))
      return mask(broadcast, masks.of(broadcast));
    prelude.require("splat");
    return Expression{"splat<" + typeOf(broadcast) + ">(" + expression(broadcast.getSource()).text + ")"};
  }
  if (auto step = dyn_cast<vector::StepOp>(op)) {
    std::string text = typeOf(step) + "{0";
    for (int64_t lane = 1; lane < step.getType().getNumElements(); ++lane)
      text += ", " + std::to_string(lane);
    return Expression{text + "}"};
  }
  if (auto access = dyn_cast<vector::LoadOp>(op))
    return load(access);
  if (auto access = dyn_cast<vector::GatherOp>(op))
    return gather(access);
  if (auto lane = dyn_cast<vector::ExtractOp>(op))
    return extract(lane);
  if (auto lane = dyn_cast<vector::InsertOp>(op))
    return insert(lane);
  if (auto permutation = dyn_cast<vector::ShuffleOp>(op))
    return shuffle(permutation);
  if (auto pairs = dyn_cast<vector::InterleaveOp>(op))
    return interleave(pairs);
  if (auto elements = dyn_cast<vector::FromElementsOp>(op))
    return fromElements(elements);
  return std::nullopt;
}

Expression ExpressionPrinter::load(vector::LoadOp op) {
  if (op.getIndices().size() != 1)
    return unsupported(op, "needs a memref of rank 1");
  const char *function = isMask(op.getType()) ? "load_mask" : "load";
  prelude.require(function);
  return {function + ("<" + typeOf(op) + ">(") + pointer(op.getBase(), op.getIndices()) + ")"};
}

bool ExpressionPrinter::isFullMask(Value mask) {
  if (auto constant = mask.getDefiningOp<vector::ConstantMaskOp>())
    return constant.getMaskDimSizes() == constant.getType().getShape();
  return matchPattern(mask, m_One());
}

std::optional<ExpressionPrinter::Strided> ExpressionPrinter::strided(Value base, ValueRange offsets, Value indices) {
  std::optional<Progression> progression = progressionOf(indices);
  if (!progression)
    return std::nullopt;
  Strided result{pointer(base, offsets), "", progression->factors.empty()};
  for (Value start : progression->starts)
    result.pointer += " + " + operand(start, Precedence::Additive);
  if (progression->start)
    result.pointer += (progression->start < 0 ? " - " : " + ") + std::to_string(std::abs(progression->start));
  if (result.isConstant || progression->stride != 1)
    result.stride = std::to_string(progression->stride);
  for (Value factor : progression->factors)
    result.stride += (result.stride.empty() ? "" : " * ") + operand(factor, Precedence::Multiplicative);
  return result;
}

/// Strides that two loads and a shuffle serve better than a load for each lane.
void ExpressionPrinter::requireStrided(VectorType type, StringRef stride) {
  prelude.require("strided");
  int64_t lanes = type.getNumElements();
  bool isPair = stride == "2", isReversed = stride == "-1";
  if (lanes < 2 || !(isPair || isReversed))
    return;
  std::string order, last = std::to_string(lanes - 1);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    // Of the second load, which starts after `lanes - 1` elements, the odd ones are the even ones of all.
    int64_t from = isReversed ? lanes - 1 - lane : 2 * lane < lanes ? 2 * lane : 2 * lane + 1;
    order += (lane ? ", " : "") + std::to_string(from);
  }
  prelude.require("strided_shuffle", {{"VECTOR", vectors.name(type)},
                                      {"SCALAR", typeName(type.getElementType())},
                                      {"STRIDE", stride.str()},
                                      {"FIRST", isPair ? "p" : "p - " + last},
                                      {"SECOND", isPair ? "p + " + last : "p - " + last},
                                      {"ORDER", order}});
}

Expression ExpressionPrinter::gather(vector::GatherOp op) {
  if (op.getOffsets().size() != 1 || !isa<MemRefType>(op.getBase().getType()))
    return unsupported(op, "needs a memref of rank 1");
  if (isMask(op.getType()))
    return unsupported(op, "gathers booleans");
  std::string type = typeOf(op);
  if (!isFullMask(op.getMask())) {
    prelude.require("gather_where");
    Value indices = op.getIndices();
    unsigned bits = elementBits(getElementTypeOrSelf(op.getType()));
    return {"gather_where<" + type + ">(" + pointer(op.getBase(), op.getOffsets()) + ", " + argument(indices) + ", " +
            mask(op.getMask(), bits).text + ", " + argument(op.getPassThru()) + ")"};
  }
  if (std::optional<Strided> access = strided(op.getBase(), op.getOffsets(), op.getIndices())) {
    if (access->isConstant)
      requireStrided(op.getVectorType(), access->stride);
    else
      prelude.require("strided_by");
    if (access->isConstant)
      return {"strided<" + type + ", " + access->stride + ">(" + access->pointer + ")"};
    return {"strided<" + type + ">(" + access->pointer + ", " + access->stride + ")"};
  }
  prelude.require("gather");
  return {"gather<" + type + ">(" + pointer(op.getBase(), op.getOffsets()) + ", " + argument(op.getIndices()) + ")"};
}

Expression ExpressionPrinter::extract(vector::ExtractOp op) {
  if (op.getNumIndices() != 1)
    return unsupported(op, "needs one index");
  OpFoldResult position = op.getMixedPosition().front();
  auto number = dyn_cast<Attribute>(position);
  std::string index =
      number ? integerLiteral(cast<IntegerAttr>(number).getValue()) : expression(cast<Value>(position)).text;
  Value source = op.getSource();
  bool fromMask = isMask(source.getType());
  Expression vector = fromMask ? mask(source, masks.of(source)) : expression(source);
  std::string element = parenthesize(vector, Precedence::Primary) + "[" + index + "]";
  return fromMask ? Expression{element + " != 0", Precedence::Equality} : Expression{element};
}

Expression ExpressionPrinter::insert(vector::InsertOp op) {
  if (op.getNumIndices() != 1 || op.hasDynamicPosition() || isMask(op.getType()))
    return unsupported(op, "needs one constant index, and no booleans");
  prelude.require("insert");
  return {"insert<" + std::to_string(op.getStaticPosition()[0]) + ">(" + argument(op.getDest()) + ", " +
          expression(op.getValueToStore()).text + ")"};
}

/// 0 where a shuffle takes the first half of its first operand's lanes, 1 for the second half.
static std::optional<int> halfOf(vector::ShuffleOp op) {
  ArrayRef<int64_t> lanes = op.getMask();
  int64_t count = lanes.size();
  bool consecutive = llvm::equal(lanes, llvm::seq<int64_t>(lanes.front(), lanes.front() + count));
  if (!consecutive || op.getV1VectorType().getNumElements() != 2 * count || lanes.front() % count != 0)
    return std::nullopt;
  return lanes.front() < 2 * count ? std::optional<int>(lanes.front() / count) : std::nullopt;
}

Expression ExpressionPrinter::shuffle(vector::ShuffleOp op) {
  if (auto half = halfOf(op); half && !isMask(op.getType())) {
    prelude.require("halves");
    return {(*half ? "high<" : "low<") + typeOf(op) + ">(" + argument(op.getV1()) + ")"};
  }
  auto source = [&](Value value) { return isMask(value.getType()) ? mask(value, masks.of(op)).text : argument(value); };
  std::string text = "__builtin_shufflevector(" + source(op.getV1()) + ", " + source(op.getV2());
  for (int64_t lane : op.getMask())
    text += ", " + std::to_string(lane);
  return {text + ")"};
}

Expression ExpressionPrinter::interleave(vector::InterleaveOp op) {
  if (isMask(op.getType()))
    return unsupported(op, "interleaves booleans");
  int64_t lanes = op.getLhs().getType().getNumElements();
  std::string text = "__builtin_shufflevector(" + argument(op.getLhs()) + ", " + argument(op.getRhs());
  for (int64_t lane = 0; lane < lanes; ++lane)
    text += ", " + std::to_string(lane) + ", " + std::to_string(lanes + lane);
  return {text + ")"};
}

Expression ExpressionPrinter::fromElements(vector::FromElementsOp op) {
  if (isMask(op.getType()))
    return unsupported(op, "is made of booleans");
  std::string text = typeOf(op) + "{";
  for (auto [index, element] : llvm::enumerate(op.getElements()))
    text += (index ? ", " : "") + argument(element);
  return {text + "}"};
}

} // namespace quernel
