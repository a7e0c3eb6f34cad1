#include "compiler/Lowering/OutputChecks.h"
#include "compiler/Dialect/Attributes.h"
#include "compiler/Dialect/ElementTypes.h"
#include "compiler/Dialect/Quernel.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace quernel;

namespace {

/// Memory that is always there.
constexpr int64_t smallBytes = 64 << 10;

class OutputCheck {
public:
  OutputCheck(BlockArgument pointer, RankedTensorType type) : pointer(pointer), type(type) {}

  void run() {
    if (!findSizes() || isSmall())
      return;
    findUses(pointer);
    place(*pointer.getOwner());
  }

private:
  /// Dynamic sizes are those of the view that shows the result's own shape.
  bool findSizes() {
    Builder builder(pointer.getContext());
    sizes = getAsOpFoldResult(builder.getI64ArrayAttr(type.getShape()));
    if (type.hasStaticShape())
      return true;
    for (Operation *user : pointer.getUsers())
      if (auto view = dyn_cast<memref::ReinterpretCastOp>(user);
          view && static_cast<int64_t>(view.getMixedSizes().size()) == type.getRank())
        sizes = view.getMixedSizes();
    return llvm::none_of(sizes, [](OpFoldResult size) { return getConstantIntValue(size) == ShapedType::kDynamic; });
  }

  bool isSmall() {
    int64_t bytes = elementBytes(type.getElementType());
    return llvm::all_of(sizes, [&](OpFoldResult size) {
      auto known = getConstantIntValue(size);
      return known && !llvm::MulOverflow(bytes, *known, bytes) && bytes <= smallBytes;
    });
  }

  /// The line that an error names: that of what is first put into the output.
  Location locationOf(Operation *place) {
    Location found = pointer.getLoc();
    place->walk<WalkOrder::PreOrder>([&](Operation *op) {
      bool hasLine =
          uses.contains(op) && op->getLoc()
                                   ->walk([](Location part) {
                                     return isa<FileLineColLoc>(part) ? WalkResult::interrupt() : WalkResult::advance();
                                   })
                                   .wasInterrupted();
      if (hasLine)
        found = op->getLoc();
      return hasLine ? WalkResult::interrupt() : WalkResult::advance();
    });
    return found;
  }

  /// What touches the elements, through all views.
  void findUses(Value buffer) {
    for (Operation *user : buffer.getUsers()) {
      bool isView = isa<ViewLikeOpInterface>(user) || isa<memref::CastOp, UnrealizedConversionCastOp>(user);
      if (isView)
        findUses(user->getResult(0));
      else if (!isa<memref::DimOp>(user))
        uses.insert(user);
    }
  }

  bool isUsedIn(Operation *op) {
    return op
        ->walk([&](Operation *inner) { return uses.contains(inner) ? WalkResult::interrupt() : WalkResult::advance(); })
        .wasInterrupted();
  }

  /// Before the first use in a block; on the way there also inside of branches and loops that may not come to a use.
  void place(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (!isUsedIn(&op))
        continue;
      const bool isStatement =
          scheduleOf(&op).order != TurnOrder::sequential; // it makes the array, with elements or not
      if (isStatement || (!isa<scf::IfOp, scf::WhileOp>(op) && !(isa<scf::ForOp>(op) && hasBranch(&op)))) {
        check(&op);
        return;
      }
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          place(inner);
    }
  }

  /// Whether some turn of a loop may not come to a use.
  bool hasBranch(Operation *loop) {
    return llvm::any_of(uses, [&](Operation *use) {
      for (Operation *parent = use->getParentOp(); parent != loop && loop->isAncestor(parent);
           parent = parent->getParentOp())
        if (isa<scf::IfOp, scf::WhileOp>(parent))
          return loop->isAncestor(use);
      return false;
    });
  }

  void check(Operation *use) {
    OpBuilder builder(use);
    Location loc = locationOf(use);
    if (auto loop = dyn_cast<scf::ForOp>(use)) { // which may have no turn
      Value runs = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, loop.getLowerBound(),
                                                       loop.getUpperBound());
      if (!matchPattern(runs, m_One()))
        builder.setInsertionPoint(scf::IfOp::create(builder, loc, runs).thenYield());
    }
    SmallVector<Value> shown;
    for (OpFoldResult size : sizes)
      shown.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
    if (auto count = shown.size() == 1 ? shown[0].getDefiningOp<CountOp>() : CountOp())
      shown = SmallVector<Value>(count.getSizes()); // an array that its kernel sees as one axis
    AllocatedOp::create(builder, loc, pointer, shown, dtypeName(type.getElementType()));
  }

  BlockArgument pointer;
  /// Of the result, with signs.
  RankedTensorType type;
  SmallVector<OpFoldResult> sizes;
  llvm::SetVector<Operation *> uses;
};

} // namespace

void quernel::checkOutputs(func::FuncOp program) {
  for (BlockArgument argument : program.getArguments()) {
    Argument known = argumentOf(program, argument.getArgNumber());
    if (!known.output)
      continue;
    OutputCheck(argument, cast<RankedTensorType>(known.output.getValue())).run();
    known.output = {};
    setArgument(program, argument.getArgNumber(), known);
  }
}
