// Views and strides become index arithmetic on plain pointers; allocations are released after their last use.
#include "compiler/Dialect/ElementTypes.h"
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/BufferViews.h"
#include "compiler/Lowering/LinearForm.h"
#include "compiler/Lowering/OutputChecks.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace quernel {
#define GEN_PASS_DEF_FLATTENBUFFERS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

/// Of an array that is on the stack; a program has at most some thousands of them.
constexpr int64_t scratchBytes = 64;

/// A position in `X` is called `X_at`.
Location positionLocation(Location access) {
  auto named = dyn_cast<NameLoc>(access);
  if (!named)
    return access;
  return NameLoc::get(StringAttr::get(access.getContext(), named.getName().getValue() + "_at"), named.getChildLoc());
}

class Flattener {
public:
  explicit Flattener(func::FuncOp function) : function(function), builder(function.getContext()) {}

  LogicalResult run() {
    checkOutputs(function);
    makeScratch();
    function.walk([&](func::CallOp call) { takePointers(call); });
    SmallVector<Operation *> accesses;
    function.walk([&](Operation *op) {
      if (auto cast = dyn_cast<UnrealizedConversionCastOp>(op))
        joinCasts(cast);
      if (isa<memref::LoadOp, memref::StoreOp, memref::DimOp, AddressOp>(op))
        accesses.push_back(op);
    });
    for (Operation *op : accesses)
      if (failed(rewrite(op)))
        return failure();
    eraseViews();
    flattenAllocations();
    SmallVector<memref::AllocOp> allocations;
    function.walk([&](memref::AllocOp op) { allocations.push_back(op); });
    for (memref::AllocOp allocation : allocations) {
      check(allocation);
      release(allocation);
    }
    return success();
  }

private:
  /// Arrays of a few numbers are on the program's stack, but for those that the caller takes over: nothing looks
  /// whether there is memory, and nothing releases it.
  void makeScratch() {
    if (targetOf(function).kind == TargetKind::gpu)
      return;
    DenseSet<Value> given;
    function.walk([&](AddressOp op) { given.insert(bufferBehind(op.getArray())); });
    SmallVector<memref::AllocOp> few;
    function.walk([&](memref::AllocOp op) {
      if (fitsOnStack(op.getType()) && !given.contains(op.getResult()) &&
          llvm::none_of(op->getUsers(), llvm::IsaPred<memref::DeallocOp>))
        few.push_back(op);
    });
    for (memref::AllocOp op : few) {
      builder.setInsertionPoint(op);
      op.replaceAllUsesWith(memref::AllocaOp::create(builder, op.getLoc(), op.getType()).getResult());
      op.erase();
    }
  }

  static bool fitsOnStack(MemRefType type) {
    if (!type.hasStaticShape())
      return false;
    const int64_t elements = type.getNumElements();
    return elements > 0 && elements <= scratchBytes / elementBytes(type.getElementType());
  }

  /// A call that takes a row whose size turned out to be a constant, behind a cast of its type, takes its pointer.
  void takePointers(func::CallOp call) {
    builder.setInsertionPoint(call);
    for (OpOperand &operand : call->getOpOperands()) {
      auto typed = operand.get().getDefiningOp<memref::CastOp>();
      if (typed && isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(typed.getSource().getDefiningOp()))
        operand.set(UnrealizedConversionCastOp::create(builder, call.getLoc(), typed.getType(), typed.getSource())
                        .getResult(0));
    }
  }

  /// Library calls each cast their operands: one cast of every buffer remains. An allocation whose sizes turned out to
  /// be constants stands behind a cast of its type.
  void joinCasts(UnrealizedConversionCastOp cast) {
    while (auto typed = cast.getOperand(0).getDefiningOp<memref::CastOp>())
      cast->setOperand(0, typed.getSource());
    auto [known, isNew] = flattened.insert({cast.getOperand(0), cast.getResult(0)});
    if (isNew)
      return cast->moveAfter(cast.getOperand(0).getDefiningOp());
    cast.getResult(0).replaceAllUsesWith(known->second);
    cast.erase();
  }

  LogicalResult rewrite(Operation *op) {
    builder.setInsertionPoint(op);
    Value buffer = isa<memref::StoreOp>(op) ? op->getOperand(1) : op->getOperand(0);
    BufferView view = resolveBuffer(builder, op->getLoc(), buffer);
    if (!view.pointer)
      return op->emitOpError("reads or writes a buffer that isn't a view of an argument or an allocation");
    if (auto given = dyn_cast<AddressOp>(op)) {
      given.getArrayMutable().assign(flat(view.pointer));
      return success();
    }
    if (auto dim = dyn_cast<memref::DimOp>(op)) {
      auto axis = dim.getConstantIndex();
      if (!axis)
        return op->emitOpError("needs a constant axis");
      dim.replaceAllUsesWith(getValueOrCreateConstantIndexOp(builder, op->getLoc(), view.sizes[*axis]));
    } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
      Value position = linearize(op->getLoc(), view, load.getIndices());
      load.replaceAllUsesWith(memref::LoadOp::create(builder, op->getLoc(), flat(view.pointer), position).getResult());
    } else {
      auto store = cast<memref::StoreOp>(op);
      Value position = linearize(op->getLoc(), view, store.getIndices());
      memref::StoreOp::create(builder, op->getLoc(), store.getValueToStore(), flat(view.pointer), position);
    }
    op->erase();
    return success();
  }

  /// The pointer as a buffer of rank 1. Allocations and constants get that type afterwards, through this cast.
  Value flat(Value pointer) {
    auto type = cast<MemRefType>(pointer.getType());
    auto flatType = MemRefType::get({ShapedType::kDynamic}, type.getElementType());
    if (type == flatType)
      return pointer;
    Value &known = flattened[pointer];
    if (!known) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointAfterValue(pointer);
      known = UnrealizedConversionCastOp::create(builder, pointer.getLoc(), flatType, pointer).getResult(0);
    }
    return known;
  }

  Value linearize(Location access, const BufferView &view, ValueRange axes) {
    Location loc = positionLocation(access);
    Value position = getValueOrCreateConstantIndexOp(builder, loc, view.offset);
    SmallVector<Value> indices(axes);
    SmallVector<OpFoldResult> strides(view.strides);
    while (joinDivided(indices, strides))
      ;
    for (auto [index, stride] : llvm::zip_equal(indices, strides)) {
      Value step = getValueOrCreateConstantIndexOp(builder, loc, stride);
      Value scaled = builder.createOrFold<arith::MulIOp>(loc, index, step);
      position = builder.createOrFold<arith::AddIOp>(loc, position, scaled);
    }
    return position;
  }

  /// Where one index is the quotient of a number by a size, the other one its remainder, and the strides say that both
  /// together count what the number counts, the number takes the place of both: a reshape of what lies in order is the
  /// same memory. False where there are no such two.
  static bool joinDivided(SmallVectorImpl<Value> &indices, SmallVectorImpl<OpFoldResult> &strides) {
    for (size_t high = 0; high < indices.size(); ++high)
      for (size_t low = 0; low < indices.size(); ++low) {
        auto quotient = indices[high].getDefiningOp<arith::DivUIOp>();
        auto rest = indices[low].getDefiningOp<arith::RemUIOp>();
        if (!quotient || !rest || !(LinearForm::of(quotient.getLhs()) == LinearForm::of(rest.getLhs())) ||
            !(LinearForm::of(quotient.getRhs()) == LinearForm::of(rest.getRhs())) ||
            !isProduct(strides[high], strides[low], rest.getRhs()))
          continue;
        indices[low] = rest.getLhs();
        indices.erase(indices.begin() + high);
        strides.erase(strides.begin() + high);
        return true;
      }
    return false;
  }

  static bool isProduct(OpFoldResult number, OpFoldResult first, OpFoldResult second) {
    LinearForm product;
    if (auto factor = getConstantIntValue(second))
      product.add(LinearForm::of(first), *factor);
    else if (auto factor = getConstantIntValue(first))
      product.add(LinearForm::of(second), *factor);
    else
      return false;
    return product == LinearForm::of(number);
  }

  void eraseViews() {
    SmallVector<Operation *> views;
    function.walk([&](Operation *op) {
      if (isa<ViewLikeOpInterface>(op) || isa<memref::CastOp>(op))
        views.push_back(op);
    });
    for (Operation *op : llvm::reverse(views))
      if (op->use_empty())
        op->erase();
  }

  void flattenAllocations() {
    for (auto [pointer, cast] : flattened) {
      Operation *op = pointer.getDefiningOp();
      builder.setInsertionPoint(op);
      Value replacement;
      auto flatType = ::llvm::cast<MemRefType>(cast.getType());
      if (auto scratch = dyn_cast<memref::AllocaOp>(op)) {
        auto type = MemRefType::get({scratch.getType().getNumElements()}, scratch.getType().getElementType());
        replacement = memref::AllocaOp::create(builder, op->getLoc(), type);
        replacement = memref::CastOp::create(builder, op->getLoc(), flatType, replacement);
      } else if (isa<memref::AllocOp>(op)) {
        replacement = flattenAllocation(::llvm::cast<memref::AllocOp>(op), flatType);
      } else {
        replacement = flattenConstant(::llvm::cast<memref::GetGlobalOp>(op));
      }
      Operation *bridge = cast.getDefiningOp();
      cast.replaceAllUsesWith(replacement);
      bridge->erase();
      op->erase();
    }
  }

  /// Memory of as many elements, which ends the program where it can't be had.
  Value flattenAllocation(memref::AllocOp op, MemRefType flatType) {
    Location loc = op.getLoc();
    SmallVector<Value> sizes;
    for (OpFoldResult size : resolveBuffer(builder, loc, op.getResult()).sizes)
      sizes.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
    Value count = builder.createOrFold<CountOp>(loc, builder.getIndexType(), sizes);
    Value memory = memref::AllocOp::create(builder, loc, flatType, count);
    AllocatedOp::create(builder, loc, memory, sizes,
                        dtypeName(getElementTypeOrSelf(typeAt(loc, flatType.getElementType()))));
    return memory;
  }

  /// Allocations that were plain pointers already.
  void check(memref::AllocOp op) {
    if (llvm::any_of(op->getUsers(), [](Operation *user) { return isa<AllocatedOp>(user); }))
      return;
    builder.setInsertionPointAfter(op);
    Type known = typeAt(op.getLoc(), op.getType().getElementType());
    AllocatedOp::create(builder, op.getLoc(), op.getResult(), shapeOf(op, known),
                        dtypeName(getElementTypeOrSelf(known)));
  }

  /// The sizes of an array whose kernel sees it as one axis; the plain memory's where they aren't known.
  SmallVector<Value> shapeOf(memref::AllocOp op, Type known) {
    auto array = dyn_cast<RankedTensorType>(known);
    SmallVector<OpFoldResult> sizes = op.getMixedSizes();
    Value size = sizes.size() == 1 ? dyn_cast<Value>(sizes[0]) : Value();
    if (auto count = size ? size.getDefiningOp<CountOp>() : CountOp())
      return count.getSizes();
    if (array && array.hasStaticShape() && op.getType().hasStaticShape() &&
        array.getNumElements() == op.getType().getNumElements())
      sizes = getAsIndexOpFoldResult(op.getContext(), array.getShape());
    return llvm::map_to_vector(
        sizes, [&](OpFoldResult size) { return getValueOrCreateConstantIndexOp(builder, op.getLoc(), size); });
  }

  Value flattenConstant(memref::GetGlobalOp op) {
    auto module = function->getParentOfType<ModuleOp>();
    auto global = module.lookupSymbol<memref::GlobalOp>(op.getName());
    auto values = ::llvm::cast<DenseElementsAttr>(*global.getInitialValue());
    int64_t count = values.getNumElements();
    Type element = values.getElementType();
    if (global.getType().getRank() != 1) {
      global.setTypeAttr(TypeAttr::get(MemRefType::get({count}, element)));
      global.setInitialValueAttr(values.reshape(RankedTensorType::get({count}, element)));
    }
    Value table = memref::GetGlobalOp::create(builder, op.getLoc(), global.getType(), op.getName());
    return memref::CastOp::create(builder, op.getLoc(), MemRefType::get({ShapedType::kDynamic}, element), table);
  }

  /// Memory that a turn of a loop takes is given back in the same turn, unless the caller gets it.
  void release(Value allocation) {
    if (llvm::any_of(allocation.getUsers(), llvm::IsaPred<AddressOp>))
      return;
    Block *block = allocation.getParentBlock();
    Operation *last = allocation.getDefiningOp();
    for (Operation *user : allocation.getUsers())
      if (Operation *top = block->findAncestorOpInBlock(*user); top && last->isBeforeInBlock(top))
        last = top;
    builder.setInsertionPointAfter(last);
    memref::DeallocOp::create(builder, allocation.getLoc(), allocation);
  }

  func::FuncOp function;
  OpBuilder builder;
  llvm::MapVector<Value, Value> flattened;
};

struct FlattenBuffers : quernel::impl::FlattenBuffersBase<FlattenBuffers> {
  void runOnOperation() override {
    if (!getOperation().isExternal() && failed(Flattener(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
