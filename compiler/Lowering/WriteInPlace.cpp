// An update that reads the old array only where it writes needs no temporary.
//
//   T[i] = A[i + 1] * 2 for all i; copy T to A[1:n]     →     A[i + 1] = A[i + 1] * 2
//
// Bufferisation can't see that, since it knows which arrays a kernel reads but not where.
#include "compiler/Lowering/BufferViews.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace quernel {
#define GEN_PASS_DEF_WRITEINPLACE
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

/// Writes indices as affine expressions over a kernel's axes; whatever else they are made of is a symbol.
class IndexExpressions {
public:
  explicit IndexExpressions(MLIRContext *context) : context(context) {}

  AffineExpr of(Value value) {
    if (auto constant = getConstantIntValue(value))
      return getAffineConstantExpr(*constant, context);
    Operation *op = value.getDefiningOp();
    if (auto axis = dyn_cast_or_null<linalg::IndexOp>(op))
      return getAffineDimExpr(axis.getDim(), context);
    if (isa_and_nonnull<arith::AddIOp>(op))
      return of(op->getOperand(0)) + of(op->getOperand(1));
    if (isa_and_nonnull<arith::SubIOp>(op))
      return of(op->getOperand(0)) - of(op->getOperand(1));
    if (isa_and_nonnull<arith::MulIOp>(op)) {
      AffineExpr left = of(op->getOperand(0)), right = of(op->getOperand(1));
      if (left.isSymbolicOrConstant() || right.isSymbolicOrConstant())
        return left * right;
    }
    return symbol(value);
  }

  AffineExpr of(OpFoldResult value) {
    if (auto constant = getConstantIntValue(value))
      return getAffineConstantExpr(*constant, context);
    return of(cast<Value>(value));
  }

private:
  AffineExpr symbol(Value value) {
    unsigned position = symbols.insert({value, symbols.size()}).first->second;
    return getAffineSymbolExpr(position, context);
  }

  MLIRContext *context;
  llvm::DenseMap<Value, unsigned> symbols;
};

class InPlaceWriter {
public:
  explicit InPlaceWriter(memref::CopyOp copy) : copy(copy) {}

  bool run() {
    auto temporary = copy.getSource().getDefiningOp<memref::AllocOp>();
    if (!temporary || !findKernel(temporary) || !nothingBetween())
      return false;
    OpBuilder builder(kernel);
    BufferView target = resolveBuffer(builder, copy.getLoc(), copy.getTarget());
    if (!target.pointer || !readsOnlyWhereItWrites(target))
      return false;
    // The view of the target has to stand before the kernel that now writes it.
    if (Operation *view = copy.getTarget().getDefiningOp(); view && kernel->isBeforeInBlock(view)) {
      if (!llvm::all_of(view->getOperands(), [&](Value value) {
            Operation *op = value.getDefiningOp();
            return !op || op->isBeforeInBlock(kernel);
          }))
        return false;
      view->moveBefore(kernel);
    }
    kernel->setOperand(position, copy.getTarget());
    copy.erase();
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
    return kernel && kernel.getMatchingIndexingMap(&kernel->getOpOperand(position)).isIdentity();
  }

  /// No kernel, call or copy runs between the kernel and the copy.
  bool nothingBetween() {
    for (Operation *op = kernel->getNextNode(); op && op != copy; op = op->getNextNode())
      if (!isMemoryEffectFree(op) && !isa<memref::AllocOp>(op))
        return false;
    return true;
  }

  bool readsOnlyWhereItWrites(const BufferView &target) {
    IndexExpressions expressions(copy.getContext());
    AffineExpr written = expressions.of(target.offset);
    for (auto [axis, stride] : llvm::enumerate(target.strides))
      written = written + getAffineDimExpr(axis, copy.getContext()) * expressions.of(stride);
    OpBuilder builder(kernel);
    for (Value operand : kernel->getOperands())
      if (operand != kernel->getOperand(position) &&
          resolveBuffer(builder, copy.getLoc(), operand).pointer == target.pointer)
        return false;
    return !kernel.getRegion()
                .walk([&](memref::LoadOp load) {
                  BufferView source = resolveBuffer(builder, load.getLoc(), load.getMemRef());
                  if (source.pointer && source.pointer != target.pointer)
                    return WalkResult::advance();
                  if (!source.pointer)
                    return WalkResult::interrupt();
                  AffineExpr read = expressions.of(source.offset);
                  for (auto [index, stride] : llvm::zip_equal(load.getIndices(), source.strides))
                    read = read + expressions.of(index) * expressions.of(stride);
                  return read == written ? WalkResult::advance() : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  memref::CopyOp copy;
  linalg::GenericOp kernel;
  unsigned position = 0;
};

struct WriteInPlace : quernel::impl::WriteInPlaceBase<WriteInPlace> {
  void runOnOperation() override {
    SmallVector<memref::CopyOp> copies(getOperation().getOps<memref::CopyOp>());
    for (memref::CopyOp copy : copies)
      InPlaceWriter(copy).run();
  }
};

} // namespace
