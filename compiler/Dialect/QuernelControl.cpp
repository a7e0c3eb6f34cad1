// Operations that loops and branches need: symbols, sizes, shapes of what is handed over, checks.
#include "compiler/Dialect/Quernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace quernel;

using Results = SmallVectorImpl<ArrayInfo>;

static bool isScalarOf(Type type, function_ref<bool(Type)> accepts) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return accepts(tensor && tensor.getRank() == 0 ? tensor.getElementType() : type);
}

LogicalResult SymbolOp::verify() {
  if (!isScalarOf(getValue().getType(), [](Type type) { return type.isIndex() || type.isInteger(64); }))
    return emitOpError("takes an index or an int64 scalar, not ") << getValue().getType();
  if (static_cast<int64_t>(getNumber()) < 0)
    return emitOpError("needs a number that isn't negative");
  for (std::optional<AffineMap> bound : {getLower(), getUpper()})
    if (bound && bound->getNumResults() != 1)
      return emitOpError("needs exactly one size as a bound");
  return success();
}

LogicalResult SizeOp::verify() {
  return getDim().getNumResults() == 1 ? success() : emitOpError("needs exactly one size");
}

LogicalResult CheckOp::verify() {
  if (!isScalarOf(getOk().getType(), [](Type type) { return type.isInteger(1); }))
    return emitOpError("takes a bool scalar as its condition, not ") << getOk().getType();
  for (Value value : getValues())
    if (!isScalarOf(value.getType(), [](Type type) { return type.isIndex() || type.isInteger(64); }))
      return emitOpError("takes int64 scalars as values, not ") << value.getType();
  if (!getMemory().empty() && getMemory().size() != getState().size())
    return emitOpError("has ") << getState().size() << " arrays for " << getMemory().size() << " places";
  return success();
}

LogicalResult HandOverOp::inferResults(const InferInput &input, Results &results) {
  if (input.operands.size() != 1 || input.operands[0].shape.empty())
    return input.fail("needs one array with axes");
  results.push_back({{}, IntegerType::get(input.context, 64)});
  return success();
}

/// Whether an operation is run once, by the program itself.
static LogicalResult verifyRunsOnce(Operation *op) {
  if (isa<func::FuncOp>(op->getParentOp()))
    return success();
  return op->emitOpError("stands in a loop or branch, which may not come to it, or more than once");
}

LogicalResult HandOverOp::verify() { return verifyRunsOnce(*this); }

LogicalResult AddressOp::verify() { return verifyRunsOnce(*this); }

/// The axes of a grid.
static constexpr size_t mostAxes = 3;
/// Bytes of shared memory that a block may have on the devices that have most.
static constexpr int64_t mostShared = 227 << 10;

LogicalResult LaunchOp::verify() {
  const int64_t threads = getBlock(), shared = getShared();
  if (threads < 1 || threads > mostThreads)
    return emitOpError("needs a block of 1 to ") << mostThreads << " threads, not " << threads;
  if (shared < 0 || shared > mostShared)
    return emitOpError("needs 0 to ") << mostShared << " bytes of shared memory, not " << shared;
  const int64_t worker = getWorker();
  if (worker < 0 || (worker && threads % worker != 0))
    return emitOpError("has blocks of ") << threads << " threads, which workers of " << worker << " don't make";
  if (getTurns().empty() || getTurns().size() > mostAxes)
    return emitOpError("needs the turns of one to three axes, not of ") << getTurns().size();
  return success();
}

/// The most axes that a kernel's grid may have: those of the parallel loops at its top, with those inside of them.
static size_t loopAxesOf(func::FuncOp kernel) {
  size_t axes = 1;
  kernel.walk([&](scf::ParallelOp loop) {
    size_t all = loop.getNumLoops();
    for (auto around = loop->getParentOfType<scf::ParallelOp>(); around;
         around = around->getParentOfType<scf::ParallelOp>())
      all += around.getNumLoops();
    axes = std::max(axes, all);
  });
  return axes;
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel = symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getKernelAttr());
  if (!kernel || !hasRole(kernel, FunctionRole::kernel))
    return emitOpError("launches `") << getKernel() << "`, which is no kernel";
  if (kernel.getArgumentTypes() != getArguments().getTypes())
    return emitOpError("gives arguments of other types than `") << getKernel() << "` takes";
  const int64_t block = functionAttrOf(kernel).getBlock();
  if (block && block < static_cast<int64_t>(getBlock()))
    return emitOpError("has blocks of ") << getBlock() << " threads for `" << getKernel() << "`, which takes " << block;
  if (!kernel.isExternal() && getTurns().size() > loopAxesOf(kernel))
    return emitOpError("gives `") << getKernel() << "` turns of more axes than its loops have";
  return success();
}

/// The device repeats the turns without the program, so nothing in them may wait for the device, or be another the next
/// time.
LogicalResult RepeatOp::verifyRegions() {
  WalkResult all = walk([&](Operation *inner) {
    if (inner == getOperation() || !isa<ReadOp, WriteOp, CheckOp, RepeatOp, memref::AllocOp, memref::AllocaOp>(inner))
      return WalkResult::advance();
    emitOpError("has ") << inner->getName() << " in a turn, which the device repeats without the program";
    return WalkResult::interrupt();
  });
  return failure(all.wasInterrupted());
}

/// The bytes that a thread loads at once at most.
static constexpr uint64_t mostPacked = 16;

static LogicalResult verifyPack(Operation *op, uint64_t lanes) {
  if (lanes < 2 || lanes > mostPacked || !llvm::isPowerOf2_64(lanes))
    return op->emitOpError("needs packs of 2, 4, 8 or 16 elements, not ") << lanes;
  return success();
}

LogicalResult PackTurnsOp::verify() {
  if (getArrays().empty())
    return emitOpError("needs an array");
  auto widths = getWidths();
  if (widths) {
    if (widths->size() != getArrays().size())
      return emitOpError("has ") << widths->size() << " widths for " << getArrays().size() << " arrays";
    for (int64_t width : *widths)
      if (failed(verifyPack(*this, width)))
        return failure();
  }
  return widths && getLanes() == 1 ? success() : verifyPack(*this, getLanes());
}

LogicalResult CopyPackOp::verify() {
  if (getFrom().getType().getElementType() != getTo().getType().getElementType())
    return emitOpError("copies elements to those of another type");
  return verifyPack(*this, getLanes());
}

LogicalResult AssumeShapeOp::inferResults(const InferInput &input, Results &results) {
  Shape shape = input.dims("shape");
  ArrayRef<Dim> from = input.operands[0].shape;
  bool agrees = from.size() == shape.size();
  for (size_t axis = 0; agrees && axis < shape.size(); ++axis) {
    auto here = constantDim(shape[axis]), there = constantDim(from[axis]);
    agrees &= !here || !there || *here == *there;
  }
  if (!agrees)
    return input.fail("shape " + shapeText(shape) + " contradicts the array's " + shapeText(from));
  results.push_back({shape, input.operands[0].element});
  return success();
}

LogicalResult EnterOp::inferResults(const InferInput &input, Results &results) {
  results.push_back(input.operands[0]);
  return success();
}

LogicalResult CopyOp::inferResults(const InferInput &input, Results &results) {
  results.push_back(input.operands[0]);
  return success();
}

OpFoldResult CopyOp::fold(FoldAdaptor) { return getX(); }

/// Lanes are neighbours in one warp.
static LogicalResult verifyLanes(Operation *op, uint64_t lanes) {
  if (!llvm::isPowerOf2_64(lanes) || lanes > threadsOfWarp)
    return op->emitOpError("needs a power of two of lanes, at most ") << threadsOfWarp << ", not " << lanes;
  return success();
}

LogicalResult LaneOp::verify() { return verifyLanes(*this, getLanes()); }

LogicalResult JoinLanesOp::verify() { return verifyLanes(*this, getLanes()); }

LogicalResult LaneValueOp::verify() {
  if (getLane() >= getLanes())
    return emitOpError("asks for lane ") << getLane() << " of " << getLanes();
  return verifyLanes(*this, getLanes());
}

LogicalResult LaneBehindOp::verify() {
  if (getDistance() >= getLanes())
    return emitOpError("asks for a lane ") << getDistance() << " behind one of " << getLanes();
  return verifyLanes(*this, getLanes());
}

LogicalResult WorkerOp::verify() {
  const int64_t most = getMost(), threads = most * static_cast<int64_t>(getLanes());
  if (most < 1 || !llvm::isPowerOf2_64(most) || threads > mostThreads)
    return emitOpError("needs a power of two of workers, with at most ")
           << mostThreads << " threads, not " << most << " of " << getLanes();
  return verifyLanes(*this, getLanes());
}

LogicalResult BarrierOp::verify() {
  if ((*this)->getParentOfType<scf::IfOp>())
    return emitOpError("stands in a branch, to which not all threads may come");
  return success();
}
