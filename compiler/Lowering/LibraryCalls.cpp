// Operations that a library computes become calls on plain pointers; copies become kernels.
#include "compiler/Dialect/Quernel.h"
#include "compiler/Dialect/Routines.h"
#include "compiler/Lowering/BufferViews.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace quernel {
#define GEN_PASS_DEF_LIBRARYCALLS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

/// A product of values.
struct Product {
  int64_t constant = 1;
  SmallVector<Value> factors;

  void multiply(OpFoldResult fold) {
    if (auto known = getConstantIntValue(fold)) {
      constant *= *known;
      return;
    }
    Value value = cast<Value>(fold);
    if (auto product = value.getDefiningOp<arith::MulIOp>()) {
      multiply(product.getLhs());
      multiply(product.getRhs());
      return;
    }
    factors.push_back(value);
    llvm::sort(factors, [](Value x, Value y) { return x.getAsOpaquePointer() < y.getAsOpaquePointer(); });
  }

  bool operator==(const Product &other) const { return constant == other.constant && factors == other.factors; }
};

/// Whether the elements follow each other in memory, as far as that can be told.
bool isContiguous(const BufferView &view) {
  Product inner;
  for (size_t axis = view.sizes.size(); axis-- > 0;) {
    Product stride;
    stride.multiply(view.strides[axis]);
    if (getConstantIntValue(view.sizes[axis]) != 1 && !(stride == inner))
      return false;
    inner.multiply(view.sizes[axis]);
  }
  return true;
}

void copy(OpBuilder &builder, Location loc, Value from, Value to) {
  auto type = cast<MemRefType>(to.getType());
  SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  linalg::GenericOp::create(
      builder, loc, TypeRange(), from, to, maps, iterators,
      [](OpBuilder &inner, Location loc, ValueRange x) { linalg::YieldOp::create(inner, loc, x[0]); });
}

/// Makes a call of the library: first the pointers of all operands, then their offsets, then strides and sizes. A
/// number that is handed over by value stands among the pointers.
class CallBuilder {
public:
  explicit CallBuilder(linalg::GenericOp op) : op(op), builder(op), loc(op.getLoc()) {}

  LogicalResult run() {
    const bool isRoutine = RoutineFunction::find(op.getLibraryCallAttr().getValue()).has_value();
    if (isRoutine != op->hasAttr(attributeNames::axes))
      return op->emitOpError("needs the name of a routine, and says what its axes are");
    for (Value operand : op->getOperands())
      if (isArray(operand) && !views.emplace_back(resolveBuffer(builder, loc, operand)).pointer)
        return op->emitOpError("needs operands in arguments or allocations");
    isRoutine ? callRoutine() : callUser();
    op.erase();
    return success();
  }

private:
  /// A batch axis, or several that are steps of one: how many, and the step of each operand.
  struct Batch {
    OpFoldResult count;
    SmallVector<OpFoldResult> steps;
  };

  /// A routine(…, strides of all arrays, batch, sizes of the routine's axes): three strides each, of the batch and of
  /// up to two axes of its own, and three sizes, 1 for what it hasn't. Batch axes that aren't steps of one are loops
  /// around it. What says whether it has failed has no strides, and holds 0 before.
  void callRoutine() {
    const Routine &routine = *RoutineFunction::find(op.getLibraryCallAttr().getValue())->routine;
    const SmallVector<RoutineOperand> arrays = routine.arrays();
    SmallVector<std::pair<Value, Value>> apart; // outputs that aren't contiguous, and what the routine writes instead
    for (size_t k = routine.inputs.size(); routine.hasContiguousResults && k < arrays.size(); ++k)
      if (!isContiguous(views[k])) {
        Value target = op->getOperand(k);
        apart.push_back({target, allocate(views[k], cast<MemRefType>(target.getType()).getElementType())});
        views[k] = resolveBuffer(builder, loc, apart.back().second);
      }
    if (routine.mayFail)
      memref::StoreOp::create(builder, loc, arith::ConstantIntOp::create(builder, loc, 0, 64), op.getDpsInits().back(),
                              index(0));
    SmallVector<Batch> batches = joinedBatches();
    for (const Batch &outer : ArrayRef(batches).drop_back())
      enterLoop(outer);
    SmallVector<Value> numbers;
    for (auto [k, array] : llvm::enumerate(arrays)) {
      SmallVector<OpFoldResult> steps{batches.back().steps[k]};
      llvm::append_range(steps, stepsAlong(array.axes, k));
      steps.resize(3, builder.getIndexAttr(0));
      for (OpFoldResult step : steps)
        numbers.push_back(value(step));
    }
    numbers.push_back(value(batches.back().count));
    const SmallVector<char> letters = routine.letters();
    for (unsigned axis : {0, 1, 2})
      numbers.push_back(axis < letters.size() ? extent(axisOf(letters[axis])) : index(1));
    call(llvm::map_to_vector(views, [&](BufferView &view) { return pointerOf(view); }), numbers, FunctionRole::library);
    builder.setInsertionPoint(op);
    for (auto [target, made] : apart)
      copy(builder, loc, made, target);
  }

  /// A function of the user's gets all arrays contiguous; those that aren't are copied there, and back where it writes.
  void callUser() {
    SmallVector<std::pair<Value, Value>> written;
    BufferView *next = views.begin();
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isArray(operand.get()))
        continue;
      BufferView &view = *next++;
      Type element = cast<MemRefType>(operand.get().getType()).getElementType();
      // The offset of complex numbers is one of pairs, which only routines' pointers know.
      if (isContiguous(view) && (!isa<ComplexType>(element) || isZeroInteger(view.offset)))
        continue;
      Value apart = allocate(view, element);
      view = resolveBuffer(builder, loc, apart);
      if (op.isDpsInput(&operand) || op.payloadUsesValueFromOperand(&operand))
        copy(builder, loc, operand.get(), apart);
      if (op.isDpsInit(&operand))
        written.push_back({operand.get(), apart});
    }
    SmallVector<Value> given, numbers;
    next = views.begin();
    for (Value operand : op->getOperands())
      if (isArray(operand))
        given.push_back(pointerOf(*next++));
      else // sizes are indices
        (operand.getType().isIndex() ? numbers : given).push_back(operand);
    call(given, numbers, FunctionRole::user);
    for (auto [target, apart] : written)
      copy(builder, loc, apart, target);
  }

  /// The axis of the iteration space that a letter names; null where there is none.
  AffineExpr axisOf(char letter) {
    const size_t position = axesOf(op).find(letter);
    return position == StringRef::npos ? AffineExpr() : builder.getAffineDimExpr(position);
  }

  /// The steps of an operand along its own axes, a letter each; 0 along those that it hasn't. The same letter twice is
  /// two axes of memory.
  SmallVector<OpFoldResult> stepsAlong(StringRef letters, unsigned operand) {
    SmallVector<AffineExpr> left(op.getIndexingMapsArray()[operand].getResults());
    SmallVector<OpFoldResult> steps;
    for (char letter : letters) {
      AffineExpr wanted = axisOf(letter);
      auto *place = wanted ? llvm::find(left, wanted) : left.end();
      steps.push_back(place == left.end() ? builder.getIndexAttr(0) : views[operand].strides[place - left.begin()]);
      if (place != left.end())
        *place = AffineExpr();
    }
    return steps;
  }

  /// Batch axes of the iteration space, outermost first, joined as far as they are steps of one; one of 1 at the least.
  SmallVector<Batch> joinedBatches() {
    SmallVector<Batch> reversed;
    StringRef axes = axesOf(op);
    for (unsigned position = axes.size(); position-- > 0;) {
      if (axes[position] != '*')
        continue;
      AffineExpr expr = builder.getAffineDimExpr(position);
      Batch next{extent(expr), {}};
      for (size_t operand = 0; operand < views.size(); ++operand)
        next.steps.push_back(stride(expr, operand));
      if (reversed.empty() || !joins(next, reversed.back()))
        reversed.push_back(next);
      else
        reversed.back().count =
            builder.createOrFold<arith::MulIOp>(loc, value(next.count), value(reversed.back().count));
    }
    if (reversed.empty())
      reversed.push_back({builder.getIndexAttr(1), SmallVector<OpFoldResult>(views.size(), builder.getIndexAttr(0))});
    return SmallVector<Batch>(llvm::reverse(reversed));
  }

  /// Whether a step of the outer axis is all steps of the inner one, for all operands.
  static bool joins(const Batch &outer, const Batch &inner) {
    return llvm::all_of(llvm::zip_equal(outer.steps, inner.steps), [&](auto steps) {
      Product whole, step;
      whole.multiply(std::get<1>(steps));
      whole.multiply(inner.count);
      step.multiply(std::get<0>(steps));
      return whole == step || (whole.constant == 0 && step.constant == 0);
    });
  }

  /// Goes on inside of a loop over an axis of all operands.
  void enterLoop(const Batch &axis) {
    auto loop = scf::ForOp::create(builder, loc, index(0), value(axis.count), index(1));
    builder.setInsertionPointToStart(loop.getBody());
    for (auto [view, stride] : llvm::zip_equal(views, axis.steps)) {
      Value step = builder.createOrFold<arith::MulIOp>(loc, loop.getInductionVar(), value(stride));
      view.offset = builder.createOrFold<arith::AddIOp>(loc, value(view.offset), step);
    }
  }

  static bool isArray(Value operand) { return isa<MemRefType>(operand.getType()); }

  void call(SmallVector<Value> arguments, ArrayRef<Value> numbers, FunctionRole role) {
    for (BufferView &view : views)
      arguments.push_back(value(view.offset));
    llvm::append_range(arguments, numbers);
    func::CallOp::create(builder, loc, declare(ValueRange(arguments).getTypes(), role), arguments);
  }

  Value index(int64_t number) { return arith::ConstantIndexOp::create(builder, loc, number); }
  Value value(OpFoldResult fold) { return getValueOrCreateConstantIndexOp(builder, loc, fold); }

  /// A contiguous buffer of a view's shape.
  Value allocate(const BufferView &view, Type element) {
    SmallVector<int64_t> shape;
    SmallVector<Value> sizes;
    for (OpFoldResult size : view.sizes) {
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
      if (ShapedType::isDynamic(shape.back()))
        sizes.push_back(cast<Value>(size));
    }
    return memref::AllocOp::create(builder, loc, MemRefType::get(shape, element), sizes);
  }

  /// The plain pointer; FlattenBuffers resolves the cast.
  Value pointerOf(BufferView &view) {
    Type element = cast<MemRefType>(view.pointer.getType()).getElementType();
    auto type = MemRefType::get({ShapedType::kDynamic}, element);
    if (view.pointer.getType() == type)
      return view.pointer;
    return UnrealizedConversionCastOp::create(builder, loc, type, view.pointer).getResult(0);
  }

  /// The size of an axis of the iteration space, 1 where no operand has it.
  Value extent(AffineExpr axis) {
    for (auto [map, view] : llvm::zip_equal(op.getIndexingMapsArray(), views))
      for (auto [result, size] : llvm::zip_equal(map.getResults(), view.sizes))
        if (axis && result == axis)
          return value(size);
    return index(1);
  }

  /// The step of an operand along an axis of the iteration space.
  OpFoldResult stride(AffineExpr axis, unsigned operand) {
    for (auto [result, step] : llvm::zip_equal(op.getIndexingMapsArray()[operand].getResults(), views[operand].strides))
      if (axis && result == axis)
        return step;
    return builder.getIndexAttr(0);
  }

  func::FuncOp declare(TypeRange inputs, FunctionRole role) {
    auto module = op->getParentOfType<ModuleOp>();
    StringRef name = op.getLibraryCallAttr().getValue();
    if (auto known = module.lookupSymbol<func::FuncOp>(name))
      return known;
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    auto callee = func::FuncOp::create(top, loc, name, top.getFunctionType(inputs, {}));
    callee.setPrivate();
    setFunctionAttr(callee, FunctionAttr::get(callee.getContext(), role));
    return callee;
  }

  linalg::GenericOp op;
  OpBuilder builder;
  Location loc;
  SmallVector<BufferView> views;
};

/// What is in its place already needs no copy.
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
  copy(builder, op.getLoc(), op.getSource(), op.getTarget());
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
