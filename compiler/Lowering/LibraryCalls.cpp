// Operations that a library computes become calls on plain pointers; copies become kernels.
#include "compiler/Lowering/BufferViews.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace quernel {
#define GEN_PASS_DEF_LIBRARYCALLS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

class CallBuilder {
public:
  explicit CallBuilder(linalg::GenericOp op) : op(op), builder(op), loc(op.getLoc()) {
    roles = llvm::map_to_vector(op->getAttrOfType<ArrayAttr>("quernel.roles").getAsValueRange<StringAttr>(),
                                [](StringRef role) { return role; });
  }

  /// matmul(a, b, out, batch, m, n, k, strides of a, strides of b), each stride triple as batch, row, column.
  LogicalResult run() {
    SmallVector<BufferView> views;
    for (Value operand : op->getOperands()) {
      views.push_back(resolveBuffer(builder, loc, operand));
      if (!views.back().pointer || getConstantIntValue(views.back().offset) != 0)
        return op->emitOpError("needs operands that are whole arguments or allocations");
    }
    SmallVector<Value> arguments;
    for (BufferView &view : views)
      arguments.push_back(pointerOf(view));
    for (StringRef role : {"batch", "m", "n", "k"})
      arguments.push_back(extent(role, views));
    for (StringRef role : {"batch", "m", "k"})
      arguments.push_back(stride(role, 0, views[0]));
    for (StringRef role : {"batch", "k", "n"})
      arguments.push_back(stride(role, 1, views[1]));
    func::FuncOp callee = declare(ValueRange(arguments).getTypes());
    func::CallOp::create(builder, loc, callee, arguments);
    op.erase();
    return success();
  }

private:
  AffineExpr dim(StringRef role) {
    auto *found = llvm::find(roles, role);
    return found == roles.end() ? AffineExpr() : builder.getAffineDimExpr(found - roles.begin());
  }

  /// The plain pointer; FlattenBuffers resolves the cast.
  Value pointerOf(BufferView &view) {
    Type element = cast<MemRefType>(view.pointer.getType()).getElementType();
    auto type = MemRefType::get({ShapedType::kDynamic}, element);
    if (view.pointer.getType() == type)
      return view.pointer;
    return UnrealizedConversionCastOp::create(builder, loc, type, view.pointer).getResult(0);
  }

  Value extent(StringRef role, ArrayRef<BufferView> views) {
    AffineExpr expr = dim(role);
    for (auto [map, view] : llvm::zip_equal(op.getIndexingMapsArray(), views))
      for (auto [axis, result] : llvm::enumerate(map.getResults()))
        if (expr && result == expr)
          return getValueOrCreateConstantIndexOp(builder, loc, view.sizes[axis]);
    return arith::ConstantIndexOp::create(builder, loc, 1);
  }

  Value stride(StringRef role, unsigned operand, const BufferView &view) {
    AffineExpr expr = dim(role);
    for (auto [axis, result] : llvm::enumerate(op.getIndexingMapsArray()[operand].getResults()))
      if (expr && result == expr)
        return getValueOrCreateConstantIndexOp(builder, loc, view.strides[axis]);
    return arith::ConstantIndexOp::create(builder, loc, 0);
  }

  func::FuncOp declare(TypeRange inputs) {
    auto module = op->getParentOfType<ModuleOp>();
    StringRef name = op.getLibraryCallAttr().getValue();
    if (auto known = module.lookupSymbol<func::FuncOp>(name))
      return known;
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    auto callee = func::FuncOp::create(top, loc, name, top.getFunctionType(inputs, {}));
    callee.setPrivate();
    callee->setAttr("quernel.library", top.getUnitAttr());
    return callee;
  }

  linalg::GenericOp op;
  OpBuilder builder;
  Location loc;
  SmallVector<StringRef> roles;
};

/// What bufferisation did in place it still copies onto itself.
bool isSelfCopy(const BufferView &from, const BufferView &to) {
  return from.pointer && from.pointer == to.pointer && isEqualConstantIntOrValue(from.offset, to.offset) &&
         isEqualConstantIntOrValueArray(from.sizes, to.sizes) &&
         isEqualConstantIntOrValueArray(from.strides, to.strides);
}

void replaceCopy(memref::CopyOp op) {
  OpBuilder builder(op);
  if (isSelfCopy(resolveBuffer(builder, op.getLoc(), op.getSource()),
                 resolveBuffer(builder, op.getLoc(), op.getTarget())))
    return op.erase();
  auto type = cast<MemRefType>(op.getTarget().getType());
  SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  linalg::GenericOp::create(
      builder, op.getLoc(), TypeRange(), op.getSource(), op.getTarget(), maps, iterators,
      [](OpBuilder &inner, Location loc, ValueRange x) { linalg::YieldOp::create(inner, loc, x[0]); });
  op.erase();
}

struct LibraryCalls : quernel::impl::LibraryCallsBase<LibraryCalls> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> calls;
    SmallVector<memref::CopyOp> copies;
    getOperation().walk([&](Operation *op) {
      if (auto generic = dyn_cast<linalg::GenericOp>(op); generic && generic.getLibraryCallAttr())
        calls.push_back(generic);
      else if (auto copy = dyn_cast<memref::CopyOp>(op))
        copies.push_back(copy);
    });
    for (linalg::GenericOp call : calls)
      if (failed(CallBuilder(call).run()))
        return signalPassFailure();
    for (memref::CopyOp copy : copies)
      replaceCopy(copy);
  }
};

} // namespace
