#include "compiler/Lowering/BufferViews.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace quernel;

namespace {

class Resolver {
public:
  Resolver(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  BufferView resolve(Value buffer) {
    Operation *op = buffer.getDefiningOp();
    if (!op || isa<memref::AllocOp, memref::AllocaOp, memref::GetGlobalOp>(op))
      return root(buffer);
    return llvm::TypeSwitch<Operation *, BufferView>(op)
        .Case<memref::CastOp>([&](auto view) { return resolve(view.getSource()); })
        .Case<memref::ReinterpretCastOp>([&](auto view) {
          BufferView result = resolve(view.getSource());
          if (!result.pointer)
            return result;
          result.offset = add(result.offset, view.getMixedOffsets()[0]);
          result.sizes = view.getMixedSizes();
          result.strides = view.getMixedStrides();
          return result;
        })
        .Case<memref::SubViewOp>([&](auto view) { return subview(view); })
        .Case<memref::CollapseShapeOp>([&](auto view) { return collapse(view); })
        .Case<memref::ExpandShapeOp>([&](auto view) { return expand(view); })
        .Default([](Operation *) { return BufferView(); });
  }

private:
  OpFoldResult constant(int64_t value) { return builder.getIndexAttr(value); }
  Value value(OpFoldResult fold) { return getValueOrCreateConstantIndexOp(builder, loc, fold); }

  OpFoldResult add(OpFoldResult a, OpFoldResult b) {
    auto x = getConstantIntValue(a), y = getConstantIntValue(b);
    if (x && y)
      return constant(*x + *y);
    if (x == 0)
      return b;
    return y == 0 ? a : OpFoldResult(builder.createOrFold<arith::AddIOp>(loc, value(a), value(b)));
  }

  OpFoldResult mul(OpFoldResult a, OpFoldResult b) {
    auto x = getConstantIntValue(a), y = getConstantIntValue(b);
    if (x && y)
      return constant(*x * *y);
    if (x == 1)
      return b;
    return y == 1 ? a : OpFoldResult(builder.createOrFold<arith::MulIOp>(loc, value(a), value(b)));
  }

  void contiguousStrides(BufferView &view) {
    view.strides.assign(view.sizes.size(), constant(1));
    for (size_t axis = view.sizes.size(); axis-- > 1;)
      view.strides[axis - 1] = mul(view.strides[axis], view.sizes[axis]);
  }

  BufferView root(Value buffer) {
    auto type = cast<MemRefType>(buffer.getType());
    BufferView view{buffer, constant(0), {}, {}};
    auto dynamic = ValueRange();
    if (auto alloc = buffer.getDefiningOp<memref::AllocOp>())
      dynamic = alloc.getDynamicSizes();
    for (int64_t size : type.getShape()) {
      if (!ShapedType::isDynamic(size)) {
        view.sizes.push_back(constant(size));
      } else if (!dynamic.empty()) {
        view.sizes.push_back(dynamic.front());
        dynamic = dynamic.drop_front();
      } else {
        view.sizes.push_back(constant(ShapedType::kDynamic));
      }
    }
    contiguousStrides(view);
    return view;
  }

  BufferView subview(memref::SubViewOp op) {
    BufferView source = resolve(op.getSource());
    if (!source.pointer)
      return source;
    BufferView result{source.pointer, source.offset, {}, {}};
    auto dropped = op.getDroppedDims();
    for (auto [axis, offset, size, stride] :
         llvm::enumerate(op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides())) {
      result.offset = add(result.offset, mul(offset, source.strides[axis]));
      if (dropped.test(axis))
        continue;
      result.sizes.push_back(size);
      result.strides.push_back(mul(stride, source.strides[axis]));
    }
    return result;
  }

  BufferView collapse(memref::CollapseShapeOp op) {
    BufferView source = resolve(op.getSrc());
    if (!source.pointer)
      return source;
    BufferView result{source.pointer, source.offset, {}, {}};
    for (const auto &group : op.getReassociationIndices()) {
      OpFoldResult size = constant(1);
      for (int64_t axis : group)
        size = mul(size, source.sizes[axis]);
      result.sizes.push_back(size);
      result.strides.push_back(source.strides[group.back()]);
    }
    return result;
  }

  BufferView expand(memref::ExpandShapeOp op) {
    BufferView source = resolve(op.getSrc());
    if (!source.pointer)
      return source;
    BufferView result{source.pointer, source.offset, op.getMixedOutputShape(), {}};
    result.strides.resize(result.sizes.size());
    for (auto [from, group] : llvm::enumerate(op.getReassociationIndices())) {
      OpFoldResult stride = source.strides[from];
      for (int64_t axis : llvm::reverse(group)) {
        result.strides[axis] = stride;
        stride = mul(stride, result.sizes[axis]);
      }
    }
    return result;
  }

  OpBuilder &builder;
  Location loc;
};

} // namespace

Value quernel::viewedBy(Operation *op) {
  if (auto view = dyn_cast_or_null<ViewLikeOpInterface>(op))
    return view.getViewSource();
  auto cast = dyn_cast_or_null<UnrealizedConversionCastOp>(op);
  return cast ? cast.getOperand(0) : Value();
}

Value quernel::bufferBehind(Value buffer) {
  while (Value viewed = viewedBy(buffer.getDefiningOp()))
    buffer = viewed;
  return buffer;
}

BufferView quernel::resolveBuffer(OpBuilder &builder, Location loc, Value buffer) {
  return Resolver(builder, loc).resolve(buffer);
}
