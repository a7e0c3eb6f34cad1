// Decides what to store and writes each stored array as a linalg.generic over an index function.
//
//   %0 = quernel.square %x                        %e = tensor.empty(%n0) : tensor<?xf64>
//   %1 = quernel.reduce %0 {sum, axes = [1]}  →   %r = linalg.generic outs(%e) { %i = linalg.index 0
//                                                        %s = scf.for %j … { tensor.extract %x[%i, %j] … } linalg.yield
//                                                        %s }
#include "compiler/Transforms/KernelFormer.h"
#include "compiler/Transforms/Passes.h"
#include "compiler/Transforms/Siblings.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace quernel {
#define GEN_PASS_DEF_FORMKERNELS
#include "compiler/Transforms/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

KernelFormer::KernelFormer(func::FuncOp function)
    : function(function), body(function.getBody().front()), hasControlFlow(quernel::hasControlFlow(function)),
      shapes(function), sizes(function), sizeChecks(function, shapes), builder(body.getTerminator()) {
  giveResultsTheirOwnValues();
  plan.emplace(function, shapes);
  flattenArguments();
}

void KernelFormer::run() {
  formBlock(body);
  finish();
}

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

/// Arguments without elements keep their axes: MLIR can't join an axis of size 0 with one of a dynamic size.
void KernelFormer::flattenArguments() {
  builder.setInsertionPointToStart(&body);
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    bool isStrided = argumentOf(function, argument.getArgNumber()).layout == ArrayLayout::strided;
    if (!type || type.getRank() < 2 || isStrided || llvm::is_contained(type.getShape(), 0))
      continue;
    ReassociationIndices all = llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank()));
    flatArguments[argument] =
        tensor::CollapseShapeOp::create(builder, argument.getLoc(), argument, ArrayRef<ReassociationIndices>(all));
  }
  builder.setInsertionPoint(body.getTerminator());
}

// Blocks

void KernelFormer::formBlock(Block &block) {
  Block *outer = std::exchange(forming, &block);
  Values segment;
  // Before anything is made: the function's new operations stand in the old block.
  SmallVector<Operation *> ops = llvm::map_to_vector(block, [](Operation &op) { return &op; });
  // Scatters to the same places that follow each other.
  auto areSiblings = [&](Operation *op, Operation *next) {
    auto scatter = dyn_cast<ScatterOp>(op), with = dyn_cast<ScatterOp>(next);
    return scatter && with && haveOneIndex(scatter, with, shapes);
  };
  for (auto [at, op] : llvm::enumerate(ops)) {
    if (op->hasTrait<OpTrait::IsTerminator>())
      break;
    checkSizes(op);
    bool inOrder = !isa<ShapeRuleOpInterface>(op) || isa<UpdateSliceOp, ScatterOp, AssumeShapeOp, HandOverOp>(op) ||
                   llvm::any_of(op->getResults(), [&](Value value) { return plan->isScalar(value); });
    if (inOrder) {
      if (at == 0 || !areSiblings(ops[at - 1], op))
        flush(segment);
      if (formInOrder(op))
        continue;
    }
    for (Value value : op->getResults())
      if (plan->isStored(value))
        segment.push_back(value);
    if (inOrder && !areSiblings(op, ops[at + 1])) // there is a terminator
      flush(segment);
  }
  flush(segment);
  forming = outer;
}

void KernelFormer::flush(Values &segment) {
  SmallVector<Group> groups = partition(segment);
  formSweeps(groups);
  for (Group &group : groups)
    store(group);
  segment.clear();
}

/// The stored values that a kernel for `at` reads; each way to a value is followed once with the same question.
KernelFormer::Reads KernelFormer::readsOf(Value at) {
  Reads reads;
  llvm::DenseSet<Value> seen[2]; // elsewhere, and at the same index
  SmallVector<std::pair<Value, bool>> work{{at, true}};
  while (!work.empty()) {
    auto [value, pointwise] = work.pop_back_val();
    if (!seen[pointwise].insert(value).second)
      continue;
    if (value != at && plan->isStored(value)) {
      auto [entry, isNew] = reads.values.insert({value, pointwise});
      entry->second &= pointwise;
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!op || !isa<ShapeRuleOpInterface>(op) || stored.count(value))
      continue;
    reads.ops.insert(op);
    for (Value operand : op->getOperands())
      work.push_back({operand, pointwise && isa<ScalarOpInterface>(op) && shapes.shape(operand) == shapes.shape(at)});
  }
  return reads;
}

/// So many arrays one kernel stores at most, for the same reason for which its text is bounded.
static constexpr size_t largestGroup = 32;

/// The text of those of the operations that a kernel doesn't have.
static double textBeside(const llvm::SetVector<Operation *> &ops, const llvm::DenseSet<Operation *> &known) {
  double text = 0;
  for (Operation *op : ops)
    text += known.contains(op) ? 0 : textOf(op);
  return text;
}

/// Whether both choose by one mask, or go to the same places, so that one loop goes through these.
bool KernelFormer::shareLoop(Value value, Value other) {
  if (auto compress = value.getDefiningOp<CompressOp>()) {
    auto with = other.getDefiningOp<CompressOp>();
    return with && compress.getMask() == with.getMask();
  }
  auto scatter = value.getDefiningOp<ScatterOp>(), with = other.getDefiningOp<ScatterOp>();
  return scatter && with && haveOneIndex(scatter, with, shapes);
}

/// Whether nothing else shares the kernel that stores a value, but for what shares its loop.
bool KernelFormer::isAlone(Value value) {
  Operation *op = value.getDefiningOp();
  return plan->isStoredByPieces(value) || standsAlone(op) || isa<EmptyOp>(op);
}

SmallVector<KernelFormer::Group> KernelFormer::partition(ArrayRef<Value> segment) {
  SmallVector<Group> groups;
  llvm::DenseMap<Value, int> groupOf;
  for (Value value : segment) {
    Reads reads = readsOf(value);
    bool alone = isAlone(value);
    int earliest = 0;
    for (auto [read, pointwise] : reads.values) {
      bool sharable = pointwise && !alone && !isAlone(read);
      if (auto found = groupOf.find(read); found != groupOf.end())
        earliest = std::max(earliest, found->second + (sharable ? 0 : 1));
    }
    int chosen = groups.size();
    for (int candidate = earliest; candidate < static_cast<int>(groups.size()); ++candidate) {
      const Group &group = groups[candidate];
      Value first = group.members.front();
      bool isShared = alone ? shareLoop(value, first) : group.space == shapes.shape(value) && !isAlone(first);
      if (isShared && group.members.size() < largestGroup &&
          group.text + textBeside(reads.ops, group.ops) <= largestBody) {
        chosen = candidate;
        break;
      }
    }
    if (chosen == static_cast<int>(groups.size()))
      groups.push_back({Shape(shapes.shape(value)), {}});
    Group &group = groups[chosen];
    group.members.push_back(value);
    group.text += textBeside(reads.ops, group.ops);
    group.ops.insert_range(reads.ops);
    groupOf[value] = chosen;
  }
  return groups;
}

void KernelFormer::store(Group &group) {
  Value first = group.members.front();
  if (stored.count(first)) // with another result of its operation
    return;
  llvm::TypeSwitch<Operation *>(first.getDefiningOp())
      .Case<MatmulOp>([&](auto op) { storeMatmul(op); })
      .Case<RoutineOp>([&](auto op) { storeRoutine(op); })
      .Case<UserCallOp>([&](auto op) { storeUserCall(op); })
      .Case<ConcatenateOp>([&](auto op) { plan->isStoredByPieces(first) ? storePieces(op) : storeKernel(group); })
      .Case<UpdateSliceOp>([&](auto op) { storeUpdate(op); })
      .Case<ScatterOp>([&](auto) { storeScatters(group.members); })
      .Case<CompressOp>([&](auto) { storeCompress(group.members); })
      .Case<ScanOp>([&](auto op) { storeScan(op); })
      .Case<EmptyOp>([&](auto op) {
        Type element = cast<RankedTensorType>(op.getType()).getElementType();
        stored[op.getResult()] = {unwritten(op.getLoc(), group.space, element)};
      })
      .Default([&](Operation *) { storeKernel(group); });
}

// Kernels

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

/// An array that is written piece by piece: unlike empty tensors, two of a size are never taken for one.
Value KernelFormer::unwritten(Location loc, ArrayRef<Dim> shape, Type element) {
  auto plain = empty(loc, shape, element, false).getDefiningOp<tensor::EmptyOp>();
  auto type = cast<RankedTensorType>(plain.getType());
  Value array = bufferization::AllocTensorOp::create(builder, withType(loc, element), type, plain.getDynamicSizes());
  plain.erase();
  return array;
}

void KernelFormer::collectOps(Value value, Value at, llvm::SetVector<Operation *> &ops) {
  Operation *op = value.getDefiningOp();
  if (!op || (value != at && stored.count(value)))
    return;
  for (Value operand : op->getOperands())
    if (!op->getOperands().empty() && !(ops.contains(op)))
      collectOps(operand, at, ops);
  ops.insert(op);
}

/// Types whose signs or sizes an error about memory may need; null where kernels have all that is to be known.
static ArrayAttr typesForErrors(MLIRContext *context, TypeRange types) {
  bool isLarge = llvm::any_of(types, [](Type type) { // there may be no memory; its kernel may see one axis alone
    auto array = dyn_cast<RankedTensorType>(type);
    return array && array.hasStaticShape() && array.getNumElements() >= (int64_t(1) << 24);
  });
  return isLarge ? Builder(context).getTypeArrayAttr(llvm::to_vector(types)) : signedTypes(context, types);
}

/// A kernel's location says what it is: its name and the operations that it fuses, beside the user's lines.
Location KernelFormer::describe(ArrayRef<Value> members, std::optional<int64_t> sweep) {
  MLIRContext *context = builder.getContext();
  llvm::SetVector<Operation *> ops;
  SmallVector<Location> lines;
  SmallVector<Attribute> names;
  for (Value member : members)
    collectOps(member, member, ops);
  for (Operation *op : ops) {
    StringRef name = op->getName().stripDialect();
    if (auto kind = op->getAttrOfType<StringAttr>("kind"))
      name = kind.getValue();
    if (isa<ScalarOpInterface, ReduceOp, ArgReduceOp, MatmulOp>(op))
      names.push_back(builder.getStringAttr(name));
    lines.push_back(op->getLoc());
  }
  StringAttr last = names.empty() ? builder.getStringAttr("copy") : cast<StringAttr>(names.back());
  StringAttr name = builder.getStringAttr(function.getName() + "_" + last.getValue());
  auto types = llvm::map_to_vector(members, [](Value member) { return member.getType(); });
  IntegerAttr number = sweep ? builder.getI64IntegerAttr(*sweep) : IntegerAttr();
  SmallVector<Attribute> decisions;
  for (Value member : members)
    if (auto decision = plan->decisionFor(member))
      decisions.push_back(builder.getStringAttr(*decision));
  ArrayAttr known = decisions.empty() ? ArrayAttr() : builder.getArrayAttr(decisions);
  auto statement =
      StatementAttr::get(context, name, builder.getArrayAttr(names), typesForErrors(context, types), number, known);
  return FusedLoc::get(context, lines, statement);
}

linalg::GenericOp KernelFormer::makeGeneric(ArrayRef<Dim> space, ArrayRef<Value> members, bool flat,
                                            std::optional<int64_t> sweep) {
  Location loc = members.front().getLoc();
  SmallVector<Value> outputs;
  for (Value member : members)
    outputs.push_back(empty(loc, space, cast<RankedTensorType>(member.getType()).getElementType(), flat));
  int64_t rank = cast<RankedTensorType>(outputs.front().getType()).getRank();
  SmallVector<AffineMap> maps(members.size(), builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(builder, describe(members, sweep), TypeRange(ValueRange(outputs)),
                                           ValueRange(), outputs, maps, iterators, nullptr);
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
  bool flat = group.space.size() > 1 && !group.sweep && llvm::all_of(group.members, [&](Value member) {
                return !plan->needsShape(member) && ::isFlat(member, shapes, stored, flatArguments);
              });
  auto generic = makeGeneric(group.space, group.members, flat, group.sweep);
  for (auto [member, result] : llvm::zip_equal(group.members, generic.getResults()))
    stored[member] = {result, flat};
}

Value KernelFormer::tensorOf(Value value) {
  auto found = stored.find(value);
  return found == stored.end() ? value : found->second.tensor;
}

static void keepTypes(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  if (ArrayAttr known = typesForErrors(context, function.getResultTypes()))
    setFunctionAttr(function, FunctionAttr::get(context, FunctionRole::graph, updatesOf(function), nullptr, nullptr,
                                                nullptr, nullptr, known));
}

/// Takes the signs off all types, now that operations have them.
static void makeSignless(func::FuncOp function) {
  keepTypes(function);
  auto convert = [](Value value) { value.setType(signless(value.getType())); };
  function.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), convert);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), convert);
  });
  Block &body = function.getBody().front();
  function.setType(
      FunctionType::get(function.getContext(), body.getArgumentTypes(), body.getTerminator()->getOperandTypes()));
}

void KernelFormer::finish() {
  Operation *terminator = body.getTerminator();
  Values results;
  for (Value value : terminator->getOperands()) {
    bool isScalar = hasControlFlow && cast<RankedTensorType>(value.getType()).getRank() == 0;
    results.push_back(isScalar ? scalarOf(value) : tensorOf(value));
  }
  terminator->setOperands(results);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body))) {
    bool isNew = isa<DivisorOp>(op) || written.contains(&op); // no graph has a divisor
    bool isOld = op.getDialect() == op.getContext()->getLoadedDialect<QuernelDialect>() && !isNew;
    if (isOld || llvm::is_contained(replaced, &op) || isOpTriviallyDead(&op)) {
      assert(op.use_empty() && "a quernel operation outlived its kernel");
      op.erase();
    }
  }
  makeSignless(function);
}

namespace {
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
