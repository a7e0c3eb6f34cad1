// Takes the temporary away from an update that reads nothing of the old array that it has written already.
//
//   T[i] = A[i + 1] * 2 for all i; copy T to A[1:n]     →     A[i + 1] = A[i + 1] * 2 for all i
//   T[i] = A[i] + A[i + 1] for all i; copy T to A[:n]   →     for i: A[i] = A[i] + A[i + 1]
//   T[i, j] = A[i, j] + A[i, k]; copy T to A            →     C[i] = A[i, k] for all i; A[i, j] = A[i, j] + C[i] for
//   all i, j
//
// CoalesceBuffers can't see that: it knows which arrays a kernel reads, and whether at its own index alone, but not
// where else.
#include "compiler/Lowering/Dependence.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace quernel {
#define GEN_PASS_DEF_WRITEINPLACE
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

/// How the turns of an axis have to follow each other so that every element is read before it is written.
enum class Order { any, ascending, descending };

/// A load of a kernel that depends on some of its axes alone.
class NarrowRead {
public:
  NarrowRead(memref::LoadOp load, linalg::GenericOp kernel) : load(load), kernel(kernel) {}

  bool isNarrow() {
    return load->getBlock() == kernel.getBody() &&
           llvm::all_of(load.getIndices(), [&](Value i) { return collect(i); }) && axes.size() < kernel.getNumLoops();
  }

  /// Loads from a copy that is made before the kernel.
  void keep() {
    Location loc = load.getLoc();
    OpBuilder builder(kernel);
    Value like = kernel.getDpsInits()[0];
    SmallVector<int64_t> shape;
    SmallVector<Value> dynamic;
    for (unsigned axis : axes) {
      shape.push_back(cast<MemRefType>(like.getType()).getDimSize(axis));
      if (ShapedType::isDynamic(shape.back()))
        dynamic.push_back(builder.createOrFold<memref::DimOp>(loc, like, axis));
    }
    Value copy = memref::AllocOp::create(builder, loc, MemRefType::get(shape, load.getType()), dynamic);
    SmallVector<AffineMap> maps{builder.getMultiDimIdentityMap(axes.size())};
    SmallVector<utils::IteratorType> iterators(axes.size(), utils::IteratorType::parallel);
    linalg::GenericOp::create(builder, kernel.getLoc(), TypeRange(), ValueRange(), copy, maps, iterators,
                              [&](OpBuilder &inner, Location, ValueRange) {
                                IRMapping mapping;
                                for (Operation *op : index)
                                  cloneIndex(inner, op, mapping);
                                linalg::YieldOp::create(inner, loc, inner.clone(*load, mapping)->getResults());
                              });
    OpBuilder inside(load);
    SmallVector<Value> at;
    for (unsigned axis : axes)
      at.push_back(linalg::IndexOp::create(inside, loc, axis));
    load.replaceAllUsesWith(memref::LoadOp::create(inside, loc, copy, at).getResult());
    load.erase();
  }

private:
  /// What the index is made of; false where that isn't plain arithmetic.
  bool collect(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !kernel->isProperAncestor(op) || index.contains(op))
      return true;
    if (op->getBlock() != kernel.getBody() || op->getNumRegions() != 0 || !isMemoryEffectFree(op) ||
        !llvm::all_of(op->getOperands(), [&](Value operand) { return collect(operand); }))
      return false;
    if (auto axis = dyn_cast<linalg::IndexOp>(op))
      axes.insert(axis.getDim());
    index.insert(op);
    return true;
  }

  void cloneIndex(OpBuilder &builder, Operation *op, IRMapping &mapping) {
    auto axis = dyn_cast<linalg::IndexOp>(op);
    if (!axis) {
      builder.clone(*op, mapping);
      return;
    }
    int64_t position = llvm::find(axes, axis.getDim()) - axes.begin();
    mapping.map(axis.getResult(), linalg::IndexOp::create(builder, op->getLoc(), position).getResult());
  }

  memref::LoadOp load;
  linalg::GenericOp kernel;
  llvm::SetVector<unsigned> axes;
  llvm::SetVector<Operation *> index;
};

class InPlaceWriter {
public:
  explicit InPlaceWriter(memref::CopyOp copy) : copy(copy), target(copy.getTarget()) {}

  bool run() {
    auto temporary = copy.getSource().getDefiningOp<memref::AllocOp>();
    if (!temporary || !findKernel(temporary) || !nothingBetween() || !collectReads() ||
        !(findOrders() || keepNarrowReads()) || !moveBefore(target))
      return false;
    if (llvm::all_of(orders, [](Order order) { return order == Order::any; }))
      kernel->setOperand(position, target);
    else
      makeLoops();
    copy.erase();
    for (Operation *user : llvm::make_early_inc_range(temporary->getUsers()))
      user->erase();
    temporary.erase();
    return true;
  }

private:
  /// The one kernel that writes the temporary, which nobody else reads.
  bool findKernel(memref::AllocOp temporary) {
    for (OpOperand &use : temporary->getUses()) {
      if (use.getOwner() == copy || isa<memref::DeallocOp>(use.getOwner()))
        continue;
      auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
      if (kernel || !generic || generic.getLibraryCallAttr() || generic->getBlock() != copy->getBlock() ||
          use.getOperandNumber() < generic.getNumDpsInputs())
        return false;
      kernel = generic;
      position = use.getOperandNumber();
    }
    return kernel && kernel->isBeforeInBlock(copy) &&
           kernel.getMatchingIndexingMap(&kernel->getOpOperand(position)).isIdentity() &&
           kernel.getNumParallelLoops() == kernel.getNumLoops();
  }

  /// No kernel, call or copy runs between the kernel and the copy.
  bool nothingBetween() {
    for (Operation *op = kernel->getNextNode(); op && op != copy; op = op->getNextNode())
      if (!isMemoryEffectFree(op) && !isa<memref::AllocOp>(op))
        return false;
    return true;
  }

  /// The loads of the kernel; its other operands have to be other arrays.
  bool collectReads() {
    Value root = resolveElement({copy, target, std::nullopt, true}).root;
    OpBuilder builder = OpBuilder::atBlockBegin(kernel.getBody());
    for (unsigned axis = 0; axis < kernel.getNumLoops(); ++axis)
      linalg::IndexOp::create(builder, kernel.getLoc(), axis); // every axis has a name from here on
    if (!root || failed(collectAccesses(kernel, reads)))
      return false;
    for (Value operand : kernel->getOperands()) {
      Value other = resolveElement({kernel, operand, std::nullopt, false}).root;
      if (operand != kernel->getOperand(position) && (!other || other == root))
        return false;
    }
    // The kernel as a whole was collected, too; what matters is where its loads are.
    llvm::erase_if(reads, [&](const Access &access) { return access.op == kernel; });
    return llvm::none_of(reads, [](const Access &access) { return access.isStore; });
  }

  Access writeOf(const LoopAxes &axes) {
    auto indices = llvm::map_to_vector(axes.counters, [](Value counter) { return LinearForm::of(counter); });
    return {kernel.getBody()->getTerminator(), target, indices, true};
  }

  bool findOrders() {
    orders.clear();
    LoopAxes axes(kernel);
    Access write = writeOf(axes);
    for (unsigned axis = 0; axis < kernel.getNumLoops(); ++axis) {
      bool readsOld = llvm::any_of(reads, [&](Access &read) { return mayTouchLater(read, write, axes, axis); });
      bool readsNew = llvm::any_of(reads, [&](Access &read) { return mayTouchLater(write, read, axes, axis); });
      if (readsOld && readsNew)
        return false;
      orders.push_back(readsOld ? Order::ascending : readsNew ? Order::descending : Order::any);
    }
    bool isOrdered = llvm::any_of(orders, [](Order order) { return order != Order::any; });
    return !isOrdered || (kernel.getNumDpsInits() == 1 && kernel.getNumDpsInputs() == 0);
  }

  /// Reads that meet a write in another turn, but look at a row or a column alone, go to a copy of that.
  bool keepNarrowReads() {
    LoopAxes axes(kernel);
    Access write = writeOf(axes);
    SmallVector<Access> others;
    SmallVector<NarrowRead> narrow;
    for (Access &read : reads) {
      bool meets = llvm::any_of(llvm::seq<unsigned>(0, kernel.getNumLoops()), [&](unsigned axis) {
        return mayTouchLater(read, write, axes, axis) || mayTouchLater(write, read, axes, axis);
      });
      NarrowRead kept(cast<memref::LoadOp>(read.op), kernel);
      if (meets && !kept.isNarrow())
        return false;
      if (meets)
        narrow.push_back(kept);
      else
        others.push_back(read);
    }
    for (NarrowRead &read : narrow)
      read.keep();
    reads = others;
    orders.assign(kernel.getNumLoops(), Order::any);
    return true;
  }

  /// The view of the target has to stand before the kernel that now writes it.
  bool moveBefore(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != kernel->getBlock() || op->isBeforeInBlock(kernel))
      return true;
    bool isMovable = isMemoryEffectFree(op) || isa<memref::AllocOp>(op);
    if (!isMovable || !llvm::all_of(op->getOperands(), [&](Value operand) { return moveBefore(operand); }))
      return false;
    op->moveBefore(kernel);
    return true;
  }

  /// One loop an axis. Lanes may run side by side in the innermost: all of a turn's loads come before its store.
  void makeLoops() {
    Location loc = kernel.getLoc();
    OpBuilder builder(kernel);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
    SmallVector<Value> indices;
    for (auto [axis, order] : llvm::enumerate(orders)) {
      Value size = builder.createOrFold<memref::DimOp>(loc, target, axis);
      auto loop = scf::ForOp::create(builder, loc, zero, size, one);
      bool isInnermost = axis + 1 == orders.size();
      setSchedule(loop, {.order = order == Order::any ? TurnOrder::parallel
                                  : isInnermost       ? TurnOrder::lanes
                                                      : TurnOrder::sequential});
      builder.setInsertionPointToStart(loop.getBody());
      Value index = loop.getInductionVar();
      if (order == Order::descending) {
        Value last = arith::SubIOp::create(builder, loc, size, one);
        index = arith::SubIOp::create(builder, loc, last, index);
      }
      indices.push_back(index);
    }
    IRMapping mapping;
    for (Operation &op : kernel.getBody()->without_terminator()) {
      if (auto axis = dyn_cast<linalg::IndexOp>(op))
        mapping.map(axis.getResult(), indices[axis.getDim()]);
      else
        builder.clone(op, mapping);
    }
    Value result = kernel.getBody()->getTerminator()->getOperand(0);
    memref::StoreOp::create(builder, loc, mapping.lookupOrDefault(result), target, indices);
    kernel.erase();
  }

  memref::CopyOp copy;
  Value target;
  linalg::GenericOp kernel;
  unsigned position = 0;
  SmallVector<Access> reads;
  SmallVector<Order> orders;
};

struct WriteInPlace : quernel::impl::WriteInPlaceBase<WriteInPlace> {
  void runOnOperation() override {
    SmallVector<memref::CopyOp> copies;
    getOperation().walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    for (memref::CopyOp copy : copies)
      InPlaceWriter(copy).run();
  }
};

} // namespace
