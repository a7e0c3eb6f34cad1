// Decides in which buffer each array lies, and turns tensors into buffers.
//
//   %r = scf.for … iter_args(%x = %a) {           %m = memref.alloc
//     %new = linalg.generic outs(%empty) …        copy %a to %m
//     scf.yield %new                          →   scf.for … {
//   }                                               %new = memref.alloc; linalg.generic outs(%new) …; copy %new to %m
//                                                 }
//
// To begin with, every array has a buffer of its own, and whatever a loop carries, a branch joins, an update starts
// from or the caller gets is a copy from one buffer to another. That is right as it stands. Arrays that copies relate
// then share a buffer where they don't interfere, as variables do when a compiler leaves SSA form, and those copies
// vanish.
#include "compiler/Lowering/BufferRewriter.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Lowering/TensorSizes.h"

namespace quernel {
#define GEN_PASS_DEF_COALESCEBUFFERS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

/// A choice between arrays is a branch.
void expandChoices(func::FuncOp function) {
  SmallVector<arith::SelectOp> choices;
  function.walk([&](arith::SelectOp choice) {
    if (isa<RankedTensorType>(choice.getType()) && choice.getCondition().getType().isInteger(1))
      choices.push_back(choice);
  });
  for (arith::SelectOp choice : choices) {
    OpBuilder builder(choice);
    auto yield = [](Value value) {
      return [value](OpBuilder &inner, Location loc) { scf::YieldOp::create(inner, loc, value); };
    };
    auto branch = scf::IfOp::create(builder, choice.getLoc(), choice.getCondition(), yield(choice.getTrueValue()),
                                    yield(choice.getFalseValue()));
    choice.replaceAllUsesWith(branch.getResult(0));
    choice.erase();
  }
}

/// Tables stand before all kernels that read them.
void hoistTables(func::FuncOp function) {
  SmallVector<arith::ConstantOp> tables;
  function.walk([&](arith::ConstantOp constant) {
    if (isa<RankedTensorType>(constant.getType()))
      tables.push_back(constant);
  });
  Block &body = function.getBody().front();
  for (arith::ConstantOp table : tables)
    table->moveBefore(&body, body.begin());
}

/// True for an array of one value that isn't read from anywhere.
bool isFill(linalg::GenericOp generic) {
  return generic && generic->getNumResults() == 1 && generic.getNumDpsInputs() == 0 && !generic.getLibraryCallAttr() &&
         llvm::all_of(generic.getBody()->getOperations(), [](Operation &op) {
           return op.hasTrait<OpTrait::ConstantLike>() || op.hasTrait<OpTrait::IsTerminator>();
         });
}

/// Fills each place by itself just before it is needed, instead of one array that is copied to all of them.
void separateFills(ArrayRef<tensor::InsertSliceOp> inserts) {
  for (tensor::InsertSliceOp insert : inserts) {
    auto fill = insert.getSource().getDefiningOp<linalg::GenericOp>();
    if (!isFill(fill))
      continue;
    insert.getSourceMutable().assign(OpBuilder(insert).clone(*fill)->getResult(0));
    if (fill.use_empty())
      fill.erase();
  }
}

/// An update of all elements needs nothing of the old array.
void forgetOverwritten(ArrayRef<tensor::InsertSliceOp> inserts) {
  auto areAll = [](ArrayRef<OpFoldResult> values, int64_t number) {
    return llvm::all_of(values, [&](OpFoldResult value) { return getConstantIntValue(value) == number; });
  };
  for (tensor::InsertSliceOp insert : inserts) {
    RankedTensorType type = insert.getDestType();
    if (!type.hasStaticShape() || insert.getStaticSizes() != type.getShape() || !areAll(insert.getMixedOffsets(), 0) ||
        !areAll(insert.getMixedStrides(), 1))
      continue;
    OpBuilder builder(insert);
    insert.getDestMutable().assign(
        tensor::EmptyOp::create(builder, insert.getLoc(), type.getShape(), type.getElementType()));
  }
}

/// An update copies the old array before the kernel that computes the new part, so that the part can be computed in its
/// place, whether the old array is read afterwards or not.
void copyBeforeKernels(ArrayRef<tensor::InsertSliceOp> inserts) {
  for (tensor::InsertSliceOp insert : inserts) {
    auto kernel = insert.getSource().getDefiningOp<linalg::GenericOp>();
    Value old = insert.getDest();
    if (!kernel || kernel->getBlock() != insert->getBlock() || !isKnownBefore(old, kernel) ||
        isa_and_nonnull<tensor::EmptyOp>(old.getDefiningOp()))
      continue;
    OpBuilder builder(kernel);
    auto copy = bufferization::AllocTensorOp::create(builder, old.getLoc(), insert.getDestType(), ValueRange(), old);
    insert.getDestMutable().assign(copy);
  }
}

/// The loops that may run for long, in which the program looks whether the user wants it to stop.
void markTurns(func::FuncOp function) {
  function.walk([](scf::ForOp loop) {
    if (!loop->getParentOfType<linalg::GenericOp>() && !isReductionLoop(loop))
      changeSchedule(loop, [](Schedule &schedule) { schedule.polled = true; });
  });
}

struct CoalesceBuffers : quernel::impl::CoalesceBuffersBase<CoalesceBuffers> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(run(function)))
        return signalPassFailure();
  }

  LogicalResult run(func::FuncOp function) {
    expandChoices(function);
    hoistTables(function);
    markTurns(function);
    SmallVector<tensor::InsertSliceOp> inserts;
    function.walk([&](tensor::InsertSliceOp insert) { inserts.push_back(insert); });
    separateFills(inserts);
    forgetOverwritten(inserts);
    copyBeforeKernels(inserts);
    BufferClasses classes(function);
    return BufferRewriter(function, classes).run();
  }
};

} // namespace
