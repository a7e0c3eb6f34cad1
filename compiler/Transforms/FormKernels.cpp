// Decides what to store and writes each stored array as a linalg.generic over an index function.
//
//   %0 = quernel.square %x                        %e = tensor.empty(%n0) : tensor<?xf64>
//   %1 = quernel.reduce %0 {sum, axes = [1]}  →   %r = linalg.generic outs(%e) { %i = linalg.index 0
//                                                        %s = scf.for %j … { tensor.extract %x[%i, %j] … } linalg.yield
//                                                        %s }
#include "compiler/Transforms/FusionPlan.h"
#include "compiler/Transforms/IndexFunction.h"
#include "compiler/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace quernel {
#define GEN_PASS_DEF_FORMKERNELS
#include "compiler/Transforms/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

/// Stores that share one index space and one kernel.
struct Group {
  Shape space;
  SmallVector<Value> members;
};

class KernelFormer {
public:
  explicit KernelFormer(func::FuncOp function)
      : function(function), body(function.getBody().front()), shapes(function), sizes(function),
        builder(body.getTerminator()) {
    giveResultsTheirOwnValues();
    plan.emplace(function, shapes);
    flattenArguments();
  }

  void run() {
    partition();
    for (Group &group : groups)
      store(group);
    finish();
  }

private:
  void giveResultsTheirOwnValues();
  void flattenArguments();
  void partition();
  /// The stored arrays that `value` reads; the flag says whether always at its own index.
  void collectReads(Value value, Value at, bool pointwise, llvm::MapVector<Value, bool> &reads);
  void store(Group &group);
  void storeKernel(Group &group);
  void storeMatmul(MatmulOp op);
  void storeUpdate(UpdateSliceOp op);
  void finish();

  void fillBody(linalg::GenericOp generic, function_ref<SmallVector<Value>(OpBuilder &, IndexFunction &)> build);
  linalg::GenericOp makeGeneric(ArrayRef<Dim> space, ArrayRef<Value> members, bool flat);
  Location describe(ArrayRef<Value> members);
  void collectOps(Value value, Value at, llvm::SetVector<Operation *> &ops, llvm::SetVector<Value> &reads);
  int64_t elements(Value value);
  Value empty(Location loc, ArrayRef<Dim> shape, Type element, bool flat);
  Value tensorOf(Value value);

  func::FuncOp function;
  Block &body;
  ShapeAnalysis shapes;
  SymbolSizes sizes;
  OpBuilder builder;
  std::optional<FusionPlan> plan;
  StoredArrays stored;
  FlatArguments flatArguments;
  SmallVector<Group> groups;
};

/// A result that is an argument, or is returned twice, needs a buffer of its own.
void KernelFormer::giveResultsTheirOwnValues() {
  llvm::DenseSet<Value> seen;
  for (OpOperand &operand : body.getTerminator()->getOpOperands()) {
    Value value = operand.get();
    if (seen.insert(value).second && value.getDefiningOp())
      continue;
    auto type = cast<RankedTensorType>(value.getType());
    operand.set(CastOp::create(builder, value.getLoc(), type, value, TypeAttr::get(type.getElementType())));
  }
}

void KernelFormer::flattenArguments() {
  builder.setInsertionPointToStart(&body);
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    auto layout = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "quernel.layout");
    if (!type || type.getRank() < 2 || (layout && layout.getValue() != "C"))
      continue;
    ReassociationIndices all = llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank()));
    flatArguments[argument] =
        tensor::CollapseShapeOp::create(builder, argument.getLoc(), argument, ArrayRef<ReassociationIndices>(all));
  }
  builder.setInsertionPoint(body.getTerminator());
}

void KernelFormer::collectReads(Value value, Value at, bool pointwise, llvm::MapVector<Value, bool> &reads) {
  if (value != at && plan->isStored(value)) {
    auto [entry, isNew] = reads.insert({value, pointwise});
    entry->second &= pointwise;
    return;
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return;
  for (Value operand : op->getOperands())
    collectReads(operand, at, pointwise && isa<ScalarOpInterface>(op) && shapes.shape(operand) == shapes.shape(at),
                 reads);
}

void KernelFormer::partition() {
  llvm::DenseMap<Value, int> groupOf;
  for (Value value : plan->values()) {
    llvm::MapVector<Value, bool> reads;
    collectReads(value, value, true, reads);
    bool alone = isa<MatmulOp, UpdateSliceOp>(value.getDefiningOp());
    int earliest = 0;
    for (auto [read, pointwise] : reads) {
      bool sharable = pointwise && !alone && !isa<MatmulOp, UpdateSliceOp>(read.getDefiningOp());
      earliest = std::max(earliest, groupOf[read] + (sharable ? 0 : 1));
    }
    int chosen = groups.size();
    for (int candidate = earliest; !alone && candidate < static_cast<int>(groups.size()); ++candidate) {
      Operation *first = groups[candidate].members.front().getDefiningOp();
      if (groups[candidate].space == shapes.shape(value) && !isa<MatmulOp, UpdateSliceOp>(first)) {
        chosen = candidate;
        break;
      }
    }
    if (chosen == static_cast<int>(groups.size()))
      groups.push_back({Shape(shapes.shape(value)), {}});
    groups[chosen].members.push_back(value);
    groupOf[value] = chosen;
  }
}

void KernelFormer::store(Group &group) {
  Operation *first = group.members.front().getDefiningOp();
  if (auto matmul = dyn_cast<MatmulOp>(first))
    return storeMatmul(matmul);
  if (auto update = dyn_cast<UpdateSliceOp>(first))
    return storeUpdate(update);
  storeKernel(group);
}

Value KernelFormer::empty(Location loc, ArrayRef<Dim> shape, Type element, bool flat) {
  SmallVector<Dim> space(shape);
  if (space.empty()) // a stored scalar has one axis
    space.push_back(getAffineConstantExpr(1, builder.getContext()));
  SmallVector<int64_t> extents;
  SmallVector<Value> dynamic;
  auto push = [&](std::optional<int64_t> constant, function_ref<Value()> value) {
    extents.push_back(constant.value_or(ShapedType::kDynamic));
    if (!constant)
      dynamic.push_back(value());
  };
  if (!flat) {
    for (Dim dim : space)
      push(constantDim(dim), [&] { return sizes.value(builder, loc, dim); });
  } else {
    std::optional<int64_t> product = 1;
    for (Dim dim : space)
      product = product && constantDim(dim) ? std::optional(*product * *constantDim(dim)) : std::nullopt;
    push(product, [&] { return sizes.count(builder, loc, space); });
  }
  return tensor::EmptyOp::create(builder, loc, extents, element, dynamic);
}

void KernelFormer::collectOps(Value value, Value at, llvm::SetVector<Operation *> &ops, llvm::SetVector<Value> &reads) {
  Operation *op = value.getDefiningOp();
  if (!op || (value != at && stored.count(value))) {
    reads.insert(value);
    return;
  }
  for (Value operand : op->getOperands())
    if (!op->getOperands().empty() && !(ops.contains(op)))
      collectOps(operand, at, ops, reads);
  ops.insert(op);
}

/// The number of elements; symbols count as 1024.
int64_t KernelFormer::elements(Value value) {
  int64_t count = 1;
  for (Dim dim : shapes.shape(value))
    count *= constantDim(dim).value_or(1024);
  return count;
}

/// A kernel's location says what it is: its name, the operations it fuses and what it moves, beside the user's lines.
Location KernelFormer::describe(ArrayRef<Value> members) {
  llvm::SetVector<Operation *> ops;
  llvm::SetVector<Value> reads;
  SmallVector<Location> lines;
  SmallVector<Attribute> names;
  int64_t bytesRead = 0, bytesWritten = 0, flops = 0;
  auto bytes = [&](Value value) {
    return elements(value) * elementBytes(getElementTypeOrSelf(value));
  };
  for (Value member : members) {
    collectOps(member, member, ops, reads);
    bytesWritten += bytes(member);
  }
  for (Value read : reads)
    bytesRead += bytes(read);
  for (Operation *op : ops) {
    StringRef name = op->getName().stripDialect();
    if (auto kind = op->getAttrOfType<StringAttr>("kind"))
      name = kind.getValue();
    if (isa<ScalarOpInterface, ReduceOp, ArgReduceOp, MatmulOp>(op)) {
      names.push_back(builder.getStringAttr(name));
      flops += elements(isa<ScalarOpInterface>(op) ? op->getResult(0) : op->getOperand(0));
    }
    lines.push_back(op->getLoc());
  }
  StringAttr last = names.empty() ? builder.getStringAttr("copy") : cast<StringAttr>(names.back());
  auto about = builder.getDictionaryAttr({
      builder.getNamedAttr("name", builder.getStringAttr(function.getName() + "_" + last.getValue())),
      builder.getNamedAttr("ops", builder.getArrayAttr(names)),
      builder.getNamedAttr("bytes_read", builder.getI64IntegerAttr(bytesRead)),
      builder.getNamedAttr("bytes_written", builder.getI64IntegerAttr(bytesWritten)),
      builder.getNamedAttr("flops", builder.getI64IntegerAttr(flops)),
  });
  return FusedLoc::get(builder.getContext(), lines, about);
}

linalg::GenericOp KernelFormer::makeGeneric(ArrayRef<Dim> space, ArrayRef<Value> members, bool flat) {
  Location loc = members.front().getLoc();
  SmallVector<Value> outputs;
  for (Value member : members)
    outputs.push_back(empty(loc, space, cast<RankedTensorType>(member.getType()).getElementType(), flat));
  int64_t rank = cast<RankedTensorType>(outputs.front().getType()).getRank();
  SmallVector<AffineMap> maps(members.size(), builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(builder, describe(members), TypeRange(ValueRange(outputs)), ValueRange(),
                                           outputs, maps, iterators, nullptr);
  fillBody(generic, [&](OpBuilder &inner, IndexFunction &indexFunction) {
    SmallVector<Value> indices, results;
    for (int64_t axis = 0; axis < rank; ++axis)
      indices.push_back(linalg::IndexOp::create(inner, loc, axis));
    if (space.empty())
      indices.clear();
    for (Value member : members)
      results.push_back(flat ? indexFunction.flatElement(member, indices[0]) : indexFunction.element(member, indices));
    return results;
  });
  return generic;
}

/// Writes the body into the operation, which has to exist first: an index function asks blocks for their parents.
void KernelFormer::fillBody(linalg::GenericOp generic,
                            function_ref<SmallVector<Value>(OpBuilder &, IndexFunction &)> build) {
  Block &block = generic.getRegion().emplaceBlock();
  for (Value operand : generic->getOperands())
    block.addArgument(getElementTypeOrSelf(operand), generic.getLoc());
  OpBuilder inner = OpBuilder::atBlockBegin(&block);
  IndexFunction indexFunction(shapes, sizes, stored, flatArguments, &block);
  SmallVector<Value> results = build(inner, indexFunction);
  inner.setInsertionPointToEnd(&block);
  linalg::YieldOp::create(inner, generic.getLoc(), results);
}

void KernelFormer::storeKernel(Group &group) {
  bool flat = group.space.size() > 1 && llvm::all_of(group.members, [&](Value member) {
                return !plan->needsShape(member) && ::isFlat(member, shapes, stored, flatArguments);
              });
  auto generic = makeGeneric(group.space, group.members, flat);
  for (auto [member, result] : llvm::zip_equal(group.members, generic.getResults()))
    stored[member] = {result, flat};
}

Value KernelFormer::tensorOf(Value value) {
  auto found = stored.find(value);
  return found == stored.end() ? value : found->second.tensor;
}

void KernelFormer::storeMatmul(MatmulOp op) {
  Location loc = op.getLoc();
  ArrayRef<Dim> shape = shapes.shape(op.getResult());
  Type element = cast<RankedTensorType>(op.getType()).getElementType();
  struct Operand {
    Value tensor;
    int64_t rank;
    bool transposed;
  };
  auto operandOf = [&](Value value) -> Operand {
    Value source = matmulSource(value);
    return {tensorOf(source), cast<RankedTensorType>(value.getType()).getRank(), source != value};
  };
  Operand a = operandOf(op.getA()), b = operandOf(op.getB());
  SmallVector<StringRef> roles;
  auto position = [&](StringRef role) -> AffineExpr {
    return builder.getAffineDimExpr(llvm::find(roles, role) - roles.begin());
  };
  if (std::max(a.rank, b.rank) > 2)
    roles.push_back("batch");
  if (a.rank > 1)
    roles.push_back("m");
  if (b.rank > 1)
    roles.push_back("n");
  SmallVector<AffineExpr> out;
  for (StringRef role : roles)
    out.push_back(position(role));
  if (out.empty()) // a stored scalar has one axis
    roles.push_back("one"), out.push_back(position("one"));
  roles.push_back("k");
  auto mapOf = [&](const Operand &operand, Value value, StringRef row, StringRef column, bool vectorIsColumn) {
    SmallVector<AffineExpr> exprs;
    if (operand.rank > 2)
      exprs.push_back(constantDim(shapes.shape(value)[0]) == 1 ? builder.getAffineConstantExpr(0) : position("batch"));
    if (operand.rank == 1)
      exprs.push_back(position(vectorIsColumn ? row : column));
    else
      exprs.append({position(operand.transposed ? column : row), position(operand.transposed ? row : column)});
    return AffineMap::get(roles.size(), 0, exprs, builder.getContext());
  };
  SmallVector<AffineMap> maps{mapOf(a, op.getA(), "m", "k", false), mapOf(b, op.getB(), "k", "n", true),
                              AffineMap::get(roles.size(), 0, out, builder.getContext())};
  SmallVector<utils::IteratorType> iterators(roles.size(), utils::IteratorType::parallel);
  iterators.back() = utils::IteratorType::reduction;
  Value output = empty(loc, shape, element, false);
  // The body says what the library computes per element; the library call replaces the whole operation.
  auto generic = linalg::GenericOp::create(
      builder, describe(op.getResult()), output.getType(), ValueRange{a.tensor, b.tensor}, ValueRange(output), maps,
      iterators, [&](OpBuilder &inner, Location, ValueRange x) {
        linalg::YieldOp::create(inner, loc, arith::MulFOp::create(inner, loc, x[0], x[1]).getResult());
      });
  generic.setLibraryCall(element.isF64() ? "qn_matmul_f64" : "qn_matmul_f32");
  generic->setAttr("quernel.roles", builder.getStrArrayAttr(roles));
  stored[op.getResult()] = {generic.getResult(0)};
}

void KernelFormer::storeUpdate(UpdateSliceOp op) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> offsets, extents, strides;
  SmallVector<bool> reversed;
  Shape region(op.getSizes().getResults());
  auto fold = [&](Dim dim) -> OpFoldResult {
    if (auto constant = constantDim(dim))
      return builder.getIndexAttr(*constant);
    return sizes.value(builder, loc, dim);
  };
  for (auto [offset, size, stride] :
       llvm::zip_equal(op.getOffsets().getResults(), op.getSizes().getResults(), op.getStrides().getResults())) {
    int64_t step = constantDim(stride).value_or(1);
    reversed.push_back(step < 0);
    offsets.push_back(fold(step < 0 ? offset + (size - 1) * step : offset));
    extents.push_back(fold(size));
    strides.push_back(builder.getIndexAttr(std::abs(step)));
  }
  Value value = op.getValue();
  Value output = empty(loc, region, cast<RankedTensorType>(value.getType()).getElementType(), false);
  int64_t rank = region.size();
  int64_t valueRank = shapes.shape(value).size();
  auto generic = linalg::GenericOp::create(
      builder, describe(op.getResult()), output.getType(), ValueRange(), output,
      builder.getMultiDimIdentityMap(std::max<int64_t>(rank, 1)),
      SmallVector<utils::IteratorType>(std::max<int64_t>(rank, 1), utils::IteratorType::parallel), nullptr);
  fillBody(generic, [&](OpBuilder &inner, IndexFunction &indexFunction) {
    SmallVector<Value> indices;
    for (int64_t axis = rank - valueRank; axis < rank; ++axis) {
      Dim extent = shapes.shape(value)[axis - (rank - valueRank)];
      Value i = linalg::IndexOp::create(inner, loc, axis);
      if (constantDim(extent) == 1)
        i = arith::ConstantIndexOp::create(inner, loc, 0);
      else if (reversed[axis])
        i = arith::SubIOp::create(inner, loc, indexFunction.size(loc, region[axis] - 1), i);
      indices.push_back(i);
    }
    return SmallVector<Value>{indexFunction.element(value, indices)};
  });
  Value base = tensorOf(op.getBase());
  if (rank == 0) {
    stored[op.getResult()] = {generic.getResult(0)};
    return;
  }
  Value updated = tensor::InsertSliceOp::create(builder, loc, generic.getResult(0), base, offsets, extents, strides);
  stored[op.getResult()] = {updated};
}

/// Takes the signs off all types, now that operations have them.
static void makeSignless(func::FuncOp function) {
  auto convert = [](Value value) { value.setType(signless(value.getType())); };
  function.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), convert);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), convert);
  });
  Block &body = function.getBody().front();
  function.setType(FunctionType::get(function.getContext(), body.getArgumentTypes(),
                                     body.getTerminator()->getOperandTypes()));
}

void KernelFormer::finish() {
  Operation *terminator = body.getTerminator();
  SmallVector<Value> results;
  for (Value value : terminator->getOperands())
    results.push_back(tensorOf(value));
  terminator->setOperands(results);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (op.getDialect() == op.getContext()->getLoadedDialect<QuernelDialect>() || isOpTriviallyDead(&op)) {
      assert(op.use_empty() && "a quernel operation outlived its kernel");
      op.erase();
    }
  makeSignless(function);
}

struct FormKernels : quernel::impl::FormKernelsBase<FormKernels> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    if (failed(verifyArgumentShapes(getOperation())))
      return signalPassFailure();
    KernelFormer(getOperation()).run();
  }
};

} // namespace
