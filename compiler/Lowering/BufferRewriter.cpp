#include "compiler/Lowering/BufferRewriter.h"
#include "compiler/Lowering/TensorSizes.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace quernel;

LogicalResult BufferRewriter::run() {
  for (unsigned group = 0; group < buffers.size(); ++group)
    if (failed(makeBuffer(group)))
      return failure();
  rewriteBlock(function.getBody().front());
  return success();
}

// Buffers

/// The location that gives a buffer its name: that of the array which is made first in it.
static Location nameOf(const BufferClass &group, ArrayRef<Array> arrays) {
  const Array *first = nullptr;
  for (unsigned number : group.arrays)
    if (const Array &array = arrays[number]; !array.definitions.empty())
      if (!first || array.definitions.front().point < first->definitions.front().point)
        first = &array;
  if (!first)
    return arrays[group.arrays.front()].value.getLoc();
  auto kernel = first->value.getDefiningOp<linalg::LinalgOp>();
  if (!kernel)
    return first->value.getLoc();
  unsigned number = cast<OpResult>(first->value).getResultNumber();
  Location loc = kernel.getDpsInits()[number].getLoc();
  StatementAttr statement = statementAt(kernel->getLoc());
  bool hasTypes = statement && statement.getTypes() && number < statement.getTypes().size();
  return hasTypes ? withType(loc, cast<TypeAttr>(statement.getTypes()[number]).getValue()) : loc;
}

LogicalResult BufferRewriter::makeBuffer(unsigned number) {
  const BufferClass &group = classes.classes()[number];
  if (buffers[number] || group.arrays.empty() || (group.users.empty() && !group.memory))
    return success();
  if (group.memory) {
    buffers[number] = group.memory;
    return success();
  }
  const Array &array = classes.liveness().arrays()[group.arrays.front()];
  if (matchPattern(array.value, m_Constant())) {
    buffers[number] = constant(array.value);
    return success();
  }
  Operation *beginning = classes.beginningOf(group);
  if (group.whole >= 0) {
    if (failed(makeBuffer(group.whole)))
      return failure();
    buffers[number] = partOf(buffers[group.whole], group.part, beginning);
    return success();
  }
  buffers[number] = allocate(group, beginning);
  return buffers[number] ? success() : beginning->emitOpError("needs an array whose size is only known later");
}

Value BufferRewriter::allocate(const BufferClass &group, Operation *before) {
  ArrayRef<Array> arrays = classes.liveness().arrays();
  for (unsigned number : group.arrays) {
    auto type = cast<RankedTensorType>(arrays[number].value.getType());
    auto sizes = sizesBefore(builder, arrays[number].value, before);
    if (!sizes)
      continue;
    Location loc = nameOf(group, arrays);
    builder.setInsertionPoint(before);
    SmallVector<Value> dynamic;
    for (auto [extent, size] : llvm::zip_equal(type.getShape(), *sizes))
      if (ShapedType::isDynamic(extent))
        dynamic.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
    return memref::AllocOp::create(builder, loc, MemRefType::get(type.getShape(), type.getElementType()), dynamic);
  }
  return {};
}

static Value subview(OpBuilder &builder, Location loc, Value whole, ArrayRef<int64_t> shape,
                     ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes, ArrayRef<OpFoldResult> strides) {
  auto type =
      memref::SubViewOp::inferRankReducedResultType(shape, cast<MemRefType>(whole.getType()), offsets, sizes, strides);
  return memref::SubViewOp::create(builder, loc, type, whole, offsets, sizes, strides);
}

Value BufferRewriter::partOf(Value whole, tensor::InsertSliceOp insert, Operation *before) {
  auto known = [&](ArrayRef<OpFoldResult> values) {
    return llvm::map_to_vector(values, [&](OpFoldResult value) { return *valueBefore(builder, value, before); });
  };
  auto offsets = known(insert.getMixedOffsets()), sizes = known(insert.getMixedSizes()),
       strides = known(insert.getMixedStrides());
  builder.setInsertionPoint(before);
  return subview(builder, insert.getLoc(), whole, insert.getSourceType().getShape(), offsets, sizes, strides);
}

/// A table of the module, which is made for every constant once.
Value BufferRewriter::constant(Value tensor) {
  auto module = function->getParentOfType<ModuleOp>();
  auto values = cast<ElementsAttr>(tensor.getDefiningOp<arith::ConstantOp>().getValue());
  auto type = cast<RankedTensorType>(tensor.getType());
  auto memory = MemRefType::get(type.getShape(), type.getElementType());
  memref::GlobalOp table;
  for (auto known : module.getOps<memref::GlobalOp>())
    if (known.getType() == memory && known.getInitialValue() == std::optional<Attribute>(values))
      table = known;
  if (!table) {
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    std::string name = "__constant_";
    for (int64_t extent : type.getShape())
      name += std::to_string(extent) + "x";
    llvm::raw_string_ostream(name) << type.getElementType();
    std::string unique = name;
    for (unsigned i = 0; module.lookupSymbol(unique); ++i)
      unique = name + "_" + std::to_string(i);
    table = memref::GlobalOp::create(top, tensor.getLoc(), unique, top.getStringAttr("private"), memory, values,
                                     /*constant=*/true, /*alignment=*/IntegerAttr());
  }
  builder.setInsertionPointAfterValue(tensor);
  return memref::GetGlobalOp::create(builder, tensor.getLoc(), memory, table.getName());
}

int BufferRewriter::rootOf(int group) const {
  while (group >= 0 && classes.classes()[group].whole >= 0)
    group = classes.classes()[group].whole;
  return group;
}

/// The buffer of a tensor, which has been reached by now if it is a view. Null for an array that holds nothing.
Value BufferRewriter::bufferOf(Value tensor) const {
  if (isTensorView(tensor.getDefiningOp()))
    return views.lookup(tensor);
  int group = classes.classOf(tensor);
  return group < 0 ? Value() : buffers[group];
}

// Copies

void BufferRewriter::addMove(SmallVectorImpl<Move> &moves, Value tensor, int target) {
  if (target < 0 || !buffers[target] || !classes.classes()[target].isNeeded || classes.liveness().isUndefined(tensor))
    return;
  int source = classes.classOf(tensor);
  if (source != target || isTensorView(tensor.getDefiningOp()))
    moves.push_back({bufferOf(tensor), rootOf(source), buffers[target], rootOf(target)});
}

/// Puts copies that happen at the same time in an order in which none reads what another one has written. One that
/// reads the memory that it writes, or that waits for itself in a circle, takes a copy of its source first.
void BufferRewriter::makeMoves(Location loc, SmallVector<Move> moves) {
  while (!moves.empty()) {
    auto next = llvm::find_if(moves, [&](Move &move) {
      return llvm::none_of(moves, [&](Move &other) { return other.sourceRoot == move.targetRoot; });
    });
    if (next != moves.end()) {
      memref::CopyOp::create(builder, loc, next->source, next->target);
      moves.erase(next);
      continue;
    }
    Move &waiting = moves.front();
    auto type = cast<MemRefType>(waiting.source.getType());
    SmallVector<Value> dynamic;
    for (auto [axis, extent] : llvm::enumerate(type.getShape()))
      if (ShapedType::isDynamic(extent))
        dynamic.push_back(memref::DimOp::create(builder, loc, waiting.source, axis));
    Value kept = memref::AllocOp::create(builder, waiting.source.getLoc(),
                                         MemRefType::get(type.getShape(), type.getElementType()), dynamic);
    memref::CopyOp::create(builder, loc, waiting.source, kept);
    waiting.source = kept;
    waiting.sourceRoot = -1;
  }
}

void BufferRewriter::moveInto(Location loc, Value tensor, int target) {
  SmallVector<Move> moves;
  addMove(moves, tensor, target);
  makeMoves(loc, moves);
}

/// Hands arrays over to others, all at once, before an operation.
void BufferRewriter::handOver(Operation *at, ValueRange tensors, ValueRange targets) {
  builder.setInsertionPoint(at);
  SmallVector<Move> moves;
  for (auto [tensor, target] : llvm::zip_equal(tensors, targets))
    if (isTensor(tensor))
      addMove(moves, tensor, classes.classOf(target));
  makeMoves(at->getLoc(), moves);
}

// Operations

void BufferRewriter::rewriteBlock(Block &block) {
  size_t outer = dead.size();
  for (Operation *op : llvm::map_to_vector(block, [](Operation &op) { return &op; })) {
    builder.setInsertionPoint(op);
    rewrite(op);
  }
  // Nothing reads these any more, but what stands behind them in the list.
  while (dead.size() > outer)
    dead.pop_back_val()->erase();
}

void BufferRewriter::rewrite(Operation *op) {
  Location loc = op->getLoc();
  if (isTensorView(op))
    return rewriteView(op);
  llvm::TypeSwitch<Operation *>(op)
      .Case<linalg::LinalgOp>([&](auto kernel) { rewriteKernel(kernel); })
      .Case<scf::ForOp>([&](auto loop) { rewriteFor(loop); })
      .Case<scf::WhileOp>([&](auto loop) { rewriteWhile(loop); })
      .Case<scf::IfOp>([&](auto branch) { rewriteIf(branch); })
      .Case<scf::YieldOp, scf::ConditionOp>([&](auto terminator) { rewriteTerminator(terminator); })
      .Case<CheckOp>([&](auto check) { rewriteCheck(check); })
      .Case<AddressOp>([&](auto op) { op.getArrayMutable().assign(bufferOf(op.getArray())); })
      .Case<tensor::ExtractOp>([&](auto extract) { replaceExtract(extract); })
      .Case<tensor::DimOp>([&](auto dim) { rewriteDim(dim); })
      .Case<tensor::InsertOp>([&](auto insert) {
        int target = classes.classOf(insert);
        moveInto(loc, insert.getDest(), target);
        memref::StoreOp::create(builder, loc, insert.getScalar(), buffers[target], insert.getIndices());
        dead.push_back(insert);
      })
      .Case<tensor::InsertSliceOp>([&](auto insert) { rewriteInsert(insert); })
      .Case<bufferization::AllocTensorOp>([&](auto array) {
        if (array.getCopy())
          moveInto(loc, array.getCopy(), classes.classOf(array));
        dead.push_back(array);
      })
      .Case<bufferization::MaterializeInDestinationOp>([&](auto put) {
        moveInto(loc, put.getSource(), classes.classInMemory(put.getDest()));
        dead.push_back(put);
      })
      .Default([&](Operation *other) {
        if (llvm::any_of(other->getResultTypes(), llvm::IsaPred<RankedTensorType>))
          dead.push_back(other);
      });
}

void BufferRewriter::rewriteView(Operation *op) {
  dead.push_back(op);
  Value source = bufferOf(op->getOperand(0));
  if (!source || op->use_empty())
    return;
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  views[op->getResult(0)] =
      llvm::TypeSwitch<Operation *, Value>(op)
          .Case<tensor::ExtractSliceOp>([&](auto slice) {
            return subview(builder, loc, source, type.getShape(), slice.getMixedOffsets(), slice.getMixedSizes(),
                           slice.getMixedStrides());
          })
          .Case<tensor::CollapseShapeOp>([&](auto joined) {
            return memref::CollapseShapeOp::create(builder, loc, source, joined.getReassociationIndices());
          })
          .Case<tensor::ExpandShapeOp>([&](auto split) {
            return memref::ExpandShapeOp::create(builder, loc, type.getShape(), source, split.getReassociationIndices(),
                                                 split.getMixedOutputShape());
          })
          .Default([&](Operation *) {
            auto layout = cast<MemRefType>(source.getType()).getLayout();
            auto cast = MemRefType::get(type.getShape(), type.getElementType(), layout);
            return memref::CastOp::create(builder, loc, cast, source);
          });
}

void BufferRewriter::replaceExtract(tensor::ExtractOp extract) {
  builder.setInsertionPoint(extract);
  Value loaded = memref::LoadOp::create(builder, extract.getLoc(), bufferOf(extract.getTensor()), extract.getIndices());
  extract.replaceAllUsesWith(loaded);
  dead.push_back(extract);
}

/// The same kernel on buffers.
void BufferRewriter::rewriteKernel(linalg::LinalgOp kernel) {
  SmallVector<Value> operands;
  for (OpOperand &operand : kernel->getOpOperands()) {
    Value value = operand.get();
    if (kernel.isDpsInit(&operand)) {
      value = kernel.getTiedOpResult(&operand);
      if (kernel.payloadUsesValueFromOperand(&operand))
        moveInto(kernel.getLoc(), operand.get(), classes.classOf(value));
    }
    operands.push_back(isTensor(value) ? bufferOf(value) : value);
  }
  OperationState state(kernel.getLoc(), kernel->getName(), operands, {}, kernel->getAttrs());
  state.propertiesAttr = kernel->getPropertiesAsAttribute();
  state.addRegion()->takeBody(kernel->getRegion(0));
  Operation *made = builder.create(state);
  dead.push_back(kernel);
  SmallVector<tensor::ExtractOp> extracts;
  made->getRegion(0).walk([&](tensor::ExtractOp extract) { extracts.push_back(extract); });
  for (tensor::ExtractOp extract : extracts) {
    replaceExtract(extract);
    dead.pop_back_val()->erase();
  }
}

void BufferRewriter::rewriteInsert(tensor::InsertSliceOp insert) {
  dead.push_back(insert);
  int target = classes.classOf(insert);
  moveInto(insert.getLoc(), insert.getDest(), target);
  if (classes.isPlaced(insert))
    return;
  Value part = subview(builder, insert.getLoc(), buffers[target], insert.getSourceType().getShape(),
                       insert.getMixedOffsets(), insert.getMixedSizes(), insert.getMixedStrides());
  memref::CopyOp::create(builder, insert.getLoc(), bufferOf(insert.getSource()), part);
}

/// A size is computed again; that of what a branch or a loop has made is its buffer's.
void BufferRewriter::rewriteDim(tensor::DimOp dim) {
  int64_t axis = *dim.getConstantIndex();
  auto sizes = sizesBefore(builder, dim.getSource(), dim);
  builder.setInsertionPoint(dim);
  Value size = sizes ? getValueOrCreateConstantIndexOp(builder, dim.getLoc(), (*sizes)[axis])
                     : memref::DimOp::create(builder, dim.getLoc(), bufferOf(dim.getSource()), axis).getResult();
  dim.replaceAllUsesWith(size);
  dead.push_back(dim);
}
