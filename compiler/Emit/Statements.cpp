// One op, one statement (or none, where the op is inside its user's expression).
#include "compiler/Dialect/Quernel.h"
#include "compiler/Emit/StatementPrinter.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace quernel {

void StatementPrinter::printBody(Block &block) {
  for (Operation &op : block)
    printOp(&op);
}

void StatementPrinter::printOp(Operation *op) {
  if (isInlined(op))
    return;
  TypeSwitch<Operation *>(op)
      .Case([&](scf::ForOp loop) { printFor(loop); })
      .Case([&](scf::IfOp branch) { printIf(branch); })
      .Case([&](scf::WhileOp loop) { printWhile(loop); })
      .Case([&](scf::ParallelOp loop) {
        if (loop.getNumLoops() > mostAxes() || loop.getNumReductions() != 0)
          unsupported(loop, "has reductions, or more induction variables than it may have");
        else
          printParallel(loop);
      })
      .Case([&](memref::StoreOp store) { printStore(store); })
      .Case([&](vector::StoreOp store) { printVectorStore(store); })
      .Case([&](vector::ScatterOp scatter) { printScatter(scatter); })
      .Case([&](memref::AllocaOp scratch) { printScratch(scratch); })
      .Case([&](func::CallOp call) { printCall(call); })
      .Case<memref::AllocOp, memref::DeallocOp, AllocatedOp, CheckOp, AddressOp>(
          [&](Operation *resource) { printResource(resource); })
      .Case<LaneOp, LaneValueOp, LaneBehindOp, JoinLanesOp>([&](Operation *shared) { printLanes(shared); })
      .Case<WorkerOp, BarrierOp>([&](Operation *team) { printTeams(team); })
      .Case<PackTurnsOp, CopyPackOp>([&](Operation *packs) { printPacks(packs); })
      .Case([&](memref::AtomicRMWOp update) { printAtomic(update); })
      .Case<LaunchOp, ReadOp, WriteOp, RepeatOp>([&](Operation *request) { printDeviceOp(request); })
      .Case<scf::YieldOp, scf::ConditionOp, scf::ReduceOp, func::ReturnOp>([](Operation *) {})
      .Default([&](Operation *other) {
        if (other->getNumResults() == 1 && other->getNumRegions() == 0)
          printVariable(other);
        else
          unsupported(other);
      });
}

/// A name for a value that the user gave none.
static StringRef suggestedName(Operation *op, StringRef loadedFrom) {
  if (!loadedFrom.empty())
    return loadedFrom;
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<arith::CmpFOp, arith::CmpIOp>([](Operation *) { return "test"; })
      .Case<arith::SelectOp>([](Operation *) { return "chosen"; })
      .Case<vector::StepOp>([](Operation *) { return "step"; })
      .Default(
          [](Operation *other) { return getElementTypeOrSelf(other->getResult(0).getType()).isIndex() ? "at" : "t"; });
}

std::string StatementPrinter::define(Value value, StringRef fallback) {
  StringRef name = nameOf(value.getLoc());
  std::string result = identifiers.fresh(name.empty() ? fallback : name);
  names[value] = result;
  return result;
}

/// What an element of an array is called: an `x` of `X`, and a `y_value` of `y`.
static std::string elementName(StringRef array) {
  std::string lower = array.lower();
  return lower == array ? lower + "_value" : lower;
}

void StatementPrinter::printVariable(Operation *op) {
  std::string loadedFrom;
  if (isLoad(op))
    loadedFrom = elementName(expression(op->getOperand(0)).text);
  // The text is made before the name is taken, so that a variable can't stand in its own initialiser.
  std::string value = definition(op).text;
  Value result = op->getResult(0);
  std::string type = typeOf(result);
  // Clang follows both sides of `a ? b : c` into the constants that they name, so a chain of these takes it 2^n steps.
  line() << (isa<arith::SelectOp>(op) ? "" : "const ") << type << " " << define(result, suggestedName(op, loadedFrom))
         << " = " << value << ";\n";
}

void StatementPrinter::printStore(memref::StoreOp store) {
  if (store.getIndices().size() != 1) {
    unsupported(store, "needs a memref of rank 1");
    return;
  }
  line() << operand(store.getMemRef(), Precedence::Primary) << "[" << expression(store.getIndices()[0]).text
         << "] = " << expression(store.getValueToStore()).text << ";\n";
}

void StatementPrinter::printVectorStore(vector::StoreOp store) {
  if (!hasVectors() || store.getIndices().size() != 1) {
    unsupported(store, "needs a memref of rank 1, and vectors");
    return;
  }
  Value value = store.getValueToStore();
  bool isBoolean = isMask(value.getType());
  const char *function = isBoolean ? "store_mask" : store.getNontemporal() ? "store_nontemporal" : "store";
  prelude.require(function);
  line() << function << "(" << pointer(store.getBase(), store.getIndices()) << ", "
         << (isBoolean ? mask(value, 8).text : argument(value)) << ");\n";
}

void StatementPrinter::printScatter(vector::ScatterOp scatter) {
  Value value = scatter.getValueToStore();
  if (!hasVectors() || scatter.getOffsets().size() != 1 || isMask(value.getType()) ||
      !isa<MemRefType>(scatter.getBase().getType())) {
    unsupported(scatter, "needs a memref of rank 1, and vectors of numbers");
    return;
  }
  std::string address = pointer(scatter.getBase(), scatter.getOffsets());
  if (!isFullMask(scatter.getMask())) {
    prelude.require("scatter_where");
    unsigned bits = elementBits(getElementTypeOrSelf(value.getType()));
    line() << "scatter_where(" << address << ", " << argument(scatter.getIndices()) << ", "
           << mask(scatter.getMask(), bits).text << ", " << argument(value) << ");\n";
    return;
  }
  if (std::optional<Strided> access = strided(scatter.getBase(), scatter.getOffsets(), scatter.getIndices())) {
    prelude.require("store_strided");
    line() << "store_strided(" << access->pointer << ", " << access->stride << ", " << argument(value) << ");\n";
    return;
  }
  prelude.require("scatter");
  line() << "scatter(" << address << ", " << argument(scatter.getIndices()) << ", " << argument(value) << ");\n";
}

void StatementPrinter::printScratch(memref::AllocaOp scratch) {
  MemRefType type = scratch.getType();
  if (!type.hasStaticShape() || type.getRank() != 1 || !scalarName(type.getElementType())) {
    unsupported(scratch, "needs a constant size and rank 1");
    return;
  }
  line() << "alignas(" << scratch.getAlignment().value_or(options.vectorBytes) << ") " << elementType(type) << " "
         << define(scratch, "scratch") << "[" << std::max<int64_t>(type.getNumElements(), 1) << "];\n";
}

} // namespace quernel
