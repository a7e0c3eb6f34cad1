#include "compiler/Lowering/TaskTurns.h"
#include "compiler/Dialect/ElementTypes.h"
#include "compiler/Lowering/LoopWork.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace quernel;

static constexpr int64_t fewestTurns = 16;            // that divide evenly enough
static constexpr int64_t mostCall = int64_t(1) << 28; // multiplications: a library has threads of its own for more
static constexpr size_t mostAccesses = 256;           // of a turn: each is compared with the others
static constexpr int64_t mostCaches = 4;              // the arrays of a turn, in shares of the last cache

static bool isLibraryCall(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && generic.getLibraryCallAttr();
}

bool quernel::holdsLibraryCall(Operation *operation) {
  return operation
      ->walk([](Operation *op) { return isLibraryCall(op) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

/// The turns of an array statement or of a library's loops; nothing where they aren't constants.
static std::optional<int64_t> sizeOf(linalg::LinalgOp op) {
  int64_t size = 1;
  for (int64_t extent : op.getStaticLoopRanges())
    if (ShapedType::isDynamic(extent) || llvm::MulOverflow(size, std::max<int64_t>(extent, 1), size))
      return std::nullopt;
  return size;
}

LogicalResult TaskTurns::collect(ArrayRef<Operation *> operations, SmallVectorImpl<Access> &accesses) {
  auto isNone = [](Operation *op) { return isa<CheckOp, AllocatedOp>(op); };
  for (Operation *op : operations)
    if (failed(collectAccesses(op, accesses, isNone)) || accesses.size() > mostAccesses)
      return failure();
  return success();
}

bool TaskTurns::areTasks(ArrayRef<Operation *> operations) {
  SmallVector<Access> accesses;
  return areWorthIt(operations) && succeeded(collect(operations, accesses)) &&
         (!mayFail || leavesArguments(accesses)) && !mayTurnsMeet(loop, accesses);
}

/// Whether what is stored lies in the program's own memory, or in results.
bool TaskTurns::leavesArguments(ArrayRef<Access> accesses) const {
  return llvm::all_of(accesses, [&](const Access &access) {
    Value root = resolveElement(access).root;
    auto argument = dyn_cast_if_present<BlockArgument>(root);
    return !access.isStore ||
           (root && (!argument || argumentOf(loop->getParentOfType<func::FuncOp>(), argument.getArgNumber()).output));
  });
}

bool TaskTurns::areWorthIt(ArrayRef<Operation *> operations) {
  if (targetOf(loop).kind != TargetKind::cpu || isParallelLoop(loop) || isTaskLoop(loop) || isReductionLoop(loop) ||
      staticTrips(loop).value_or(fewestTurns) < fewestTurns)
    return false;
  if (!llvm::all_of(operations, [&](Operation *op) { return lookInside(op); }))
    return false;
  return (callsLibrary || bytes > privateBytes) && work >= targetOf(loop).fork / likelyTrips(loop);
}

/// Adds up what a turn does and keeps; false where turns aren't tasks.
bool TaskTurns::lookInside(Operation *operation) {
  auto advanceIf = [](bool fits) { return fits ? WalkResult::advance() : WalkResult::interrupt(); };
  return !operation
              ->walk([&](Operation *op) {
                if (auto alloc = dyn_cast<memref::AllocOp>(op))
                  return advanceIf(addMemory(alloc.getType()));
                if (auto check = dyn_cast<CheckOp>(op))
                  return advanceIf((mayFail = check.getMemory().empty()));
                return advanceIf(!isa<linalg::LinalgOp>(op) || addWork(op));
              })
              .wasInterrupted();
}

bool TaskTurns::addMemory(MemRefType type) {
  if (!type.hasStaticShape())
    return false;
  bytes += type.getNumElements() * elementBytes(type.getElementType());
  return bytes <= mostCaches * targetOf(loop).lastCacheBytes;
}

bool TaskTurns::addWork(Operation *statement) {
  std::optional<int64_t> size = sizeOf(cast<linalg::LinalgOp>(statement));
  const bool isCall = isLibraryCall(statement);
  callsLibrary |= isCall;
  if (!size || (isCall && *size > mostCall))
    return false;
  const int64_t each = isCall ? 1 : std::max<int64_t>(1, blockWork(statement->getRegion(0).front()));
  return !llvm::MulOverflow(*size, each, *size) && !llvm::AddOverflow(work, *size, work);
}
