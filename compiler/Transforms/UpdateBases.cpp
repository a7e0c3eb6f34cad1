// An update of one element, or of scattered ones, of a reshaped array updates the array itself.
//
//   %f = quernel.reshape %x {shape = (600)}                  %i = %k floor_divide 20, %j = %k remainder 20
//   %u = quernel.scatter %f, %v, %k {axes = [0]}        →    %y = quernel.scatter %x, %v, %i, %j {axes = [0, 1]}
//   %y = quernel.reshape %u {shape = (30, 20)}
//
// That is what `x.ravel()[k] = v` and `x.flat[k] = v` are, often in a loop: as reshapes of what is stored they would
// copy all of the array there and back.
#include "compiler/Transforms/IndexFunction.h"
#include "compiler/Transforms/Passes.h"
#include "mlir/IR/Builders.h"

namespace quernel {
#define GEN_PASS_DEF_UPDATEBASES
#include "compiler/Transforms/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

class UpdateOfReshaped {
public:
  explicit UpdateOfReshaped(ReshapeOp back) : back(back), builder(back) {}

  bool applies(ShapeAnalysis &shapes) {
    update = back.getX().getDefiningOp();
    if (!isa_and_nonnull<UpdateSliceOp, ScatterOp>(update) || !back.getX().hasOneUse())
      return false;
    flat = update->getOperand(0).getDefiningOp<ReshapeOp>();
    if (!flat || shapes.shape(flat.getResult()).size() != 1 || shapes.shape(flat.getX()).size() < 2)
      return false;
    shape = Shape(shapes.shape(flat.getX()));
    if (ArrayRef(shape) != shapes.shape(back.getResult()))
      return false;
    if (auto slice = dyn_cast<UpdateSliceOp>(update))
      return constantDim(slice.getSizes().getResult(0)) == 1;
    return true;
  }

  void run() {
    Value made;
    if (auto slice = dyn_cast<UpdateSliceOp>(update)) {
      Dim offset = slice.getOffsets().getResult(0);
      made = hasKnownRows() ? updateElement(slice, offset)
                            : scatter(elementOf(slice.getValue()), {numberOf(offset)}, "set");
    } else {
      auto old = cast<ScatterOp>(update);
      made = scatter(old.getValue(), llvm::to_vector(old.getIndices()), old.getKind());
    }
    back.replaceAllUsesWith(made);
    for (Operation *op : {back.getOperation(), update, flat.getOperation()})
      if (op->use_empty())
        op->erase();
  }

private:
  /// Whether all axes but the first have constant sizes, so that positions divided by them are sizes still.
  bool hasKnownRows() const {
    return llvm::all_of(ArrayRef(shape).drop_front(), [](Dim dim) { return constantDim(dim).value_or(0) > 0; });
  }

  Value updateElement(UpdateSliceOp slice, Dim position) {
    Shape offsets(shape.size()), ones(shape.size(), getAffineConstantExpr(1, back.getContext()));
    for (size_t axis = shape.size(); axis-- > 0;) {
      offsets[axis] = axis == 0 ? position : canonicalDim(position % shape[axis]);
      position = canonicalDim(position.floorDiv(shape[axis]));
    }
    return UpdateSliceOp::create(builder, slice.getLoc(), back.getType(), flat.getX(), slice.getValue(),
                                 mapAttr(offsets), mapAttr(ones), mapAttr(ones));
  }

  /// A scatter to the axes of the array: what the last one doesn't count is a position in the others.
  Value scatter(Value value, ArrayRef<Value> index, StringRef kind) {
    Value position = index.front();
    SmallVector<Value> indices(shape.size());
    SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(shape.size()));
    for (size_t axis = shape.size(); axis-- > 1;) {
      Value size = numberOf(shape[axis]);
      indices[axis] = RemainderOp::create(builder, update->getLoc(), position.getType(), position, size);
      position = FloorDivideOp::create(builder, update->getLoc(), position.getType(), position, size);
    }
    indices[0] = position;
    return ScatterOp::create(builder, update->getLoc(), back.getType(), flat.getX(), value, indices,
                             builder.getDenseI64ArrayAttr(axes), builder.getStringAttr(kind));
  }

  /// The one element of an array.
  Value elementOf(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getRank() == 0)
      return value;
    auto scalar = RankedTensorType::get({}, type.getElementType());
    return ReshapeOp::create(builder, update->getLoc(), scalar, value, mapAttr({}));
  }

  Value numberOf(Dim dim) {
    auto type = RankedTensorType::get({}, builder.getI64Type());
    if (auto constant = constantDim(dim))
      return ConstantOp::create(builder, update->getLoc(), type, DenseElementsAttr::get(type, *constant));
    return DimOp::create(builder, update->getLoc(), type, mapAttr({dim}));
  }

  AffineMapAttr mapAttr(ArrayRef<Dim> dims) { return AffineMapAttr::get(mapOf(dims, back.getContext())); }

  ReshapeOp back, flat;
  Operation *update = nullptr;
  Shape shape;
  OpBuilder builder;
};

struct UpdateBases : quernel::impl::UpdateBasesBase<UpdateBases> {
  void runOnOperation() override {
    // All are looked at before any is changed, since shapes are known of the operations that are there.
    ShapeAnalysis shapes(getOperation());
    std::vector<UpdateOfReshaped> found;
    getOperation().walk([&](ReshapeOp op) {
      if (UpdateOfReshaped update(op); update.applies(shapes))
        found.push_back(update);
    });
    for (UpdateOfReshaped &update : found)
      update.run();
  }
};

} // namespace
