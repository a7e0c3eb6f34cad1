// Finds the array behind the views of a buffer, and where in it an access goes.
#include "compiler/Lowering/Dependence.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace quernel;

namespace {

using Subscripts = SmallVector<std::optional<LinearForm>>;

std::optional<LinearForm> scaled(const std::optional<LinearForm> &form, OpFoldResult factor) {
  auto constant = getConstantIntValue(factor);
  if (!form || (!constant && !(form->isConstant() && form->constant == 0)))
    return std::nullopt;
  LinearForm product;
  product.add(*form, constant.value_or(0));
  return product;
}

Subscripts throughSubview(memref::SubViewOp view, const Subscripts &inner) {
  Subscripts outer;
  auto dropped = view.getDroppedDims();
  unsigned next = 0;
  for (auto [axis, offset, stride] : llvm::enumerate(view.getMixedOffsets(), view.getMixedStrides())) {
    auto step = dropped.test(axis) ? LinearForm::of(0) : scaled(inner[next++], stride);
    if (!step && view.getStaticSizes()[axis] == 1)
      step = LinearForm::of(0);
    outer.push_back(step ? std::optional(LinearForm::of(offset) + *step) : std::nullopt);
  }
  return outer;
}

/// The position in a joined axis says where its parts are if all but one of them have one element.
Subscripts throughCollapse(memref::CollapseShapeOp view, const Subscripts &inner) {
  auto shape = cast<MemRefType>(view.getSrc().getType()).getShape();
  Subscripts outer(shape.size());
  for (auto [joined, group] : llvm::zip_equal(inner, view.getReassociationIndices())) {
    bool isTrivial = llvm::count_if(group, [&](int64_t axis) { return shape[axis] != 1; }) <= 1;
    for (int64_t axis : group) {
      bool carries = group.size() == 1 || shape[axis] != 1 ||
                     (axis == group.back() && llvm::all_of(group, [&](int64_t other) { return shape[other] == 1; }));
      if (isTrivial)
        outer[axis] = carries ? joined : std::optional(LinearForm::of(0));
    }
  }
  return outer;
}

Subscripts throughExpand(memref::ExpandShapeOp view, const Subscripts &inner) {
  auto shape = cast<MemRefType>(view.getResult().getType()).getShape();
  Subscripts outer;
  for (const auto &group : view.getReassociationIndices()) {
    std::optional<LinearForm> position = LinearForm::of(0);
    int64_t stride = 1;
    for (int64_t axis : llvm::reverse(group)) {
      if (!position || !inner[axis] || ShapedType::isDynamic(stride)) {
        position = std::nullopt;
        break;
      }
      position->add(*inner[axis], stride);
      stride = ShapedType::isDynamic(shape[axis]) ? ShapedType::kDynamic : stride * shape[axis];
    }
    outer.push_back(position);
  }
  return outer;
}

/// The pointer of a caller's, its one view with sizes and strides, or a buffer of the program.
bool isRoot(Value buffer) {
  if (auto argument = dyn_cast<BlockArgument>(buffer))
    return isa<func::FuncOp>(argument.getOwner()->getParentOp());
  return buffer.getDefiningOp<memref::AllocOp>() || buffer.getDefiningOp<memref::AllocaOp>() ||
         buffer.getDefiningOp<memref::GetGlobalOp>();
}

/// The views with sizes and strides that a pointer has.
unsigned framesOf(Value pointer) {
  return llvm::count_if(pointer.getUsers(), [](Operation *user) { return isa<memref::ReinterpretCastOp>(user); });
}

} // namespace

Element quernel::resolveElement(const Access &access) {
  Value buffer = access.buffer;
  int64_t rank = cast<MemRefType>(buffer.getType()).getRank();
  Subscripts subscripts(rank);
  if (access.indices)
    subscripts.assign(access.indices->begin(), access.indices->end());
  while (Operation *op = buffer.getDefiningOp()) {
    if (isRoot(buffer))
      break;
    bool known =
        llvm::TypeSwitch<Operation *, bool>(op)
            .Case<memref::CastOp>([&](auto view) {
              buffer = view.getSource();
              return true;
            })
            .Case<memref::SubViewOp>([&](auto view) {
              subscripts = throughSubview(view, subscripts);
              buffer = view.getSource();
              return true;
            })
            .Case<memref::CollapseShapeOp>([&](auto view) {
              subscripts = throughCollapse(view, subscripts);
              buffer = view.getSrc();
              return true;
            })
            .Case<memref::ExpandShapeOp>([&](auto view) {
              subscripts = throughExpand(view, subscripts);
              buffer = view.getSrc();
              return true;
            })
            .Case<memref::ReinterpretCastOp>([&](auto view) {
              // The only view of a pointer is as good as an array.
              buffer = view.getSource();
              if (!isRoot(buffer) || framesOf(buffer) != 1 || getConstantIntValue(view.getMixedOffsets()[0]) != 0)
                subscripts.assign(subscripts.size(), std::nullopt);
              return true;
            })
            .Case<UnrealizedConversionCastOp>([&](auto view) {
              buffer = view.getOperand(0);
              subscripts.clear();
              return isa<MemRefType>(buffer.getType());
            })
            .Default([](Operation *) { return false; });
    if (!known)
      return {};
  }
  return isRoot(buffer) ? Element{buffer, subscripts} : Element{};
}
