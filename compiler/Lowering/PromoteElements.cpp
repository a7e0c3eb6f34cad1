// Elements that stay the same in all turns of a loop are carried in registers.
//
//   for k: y[i] = y[i] * x[i] + c[k]     →     s = y[i]; for k: s = s * x[i] + c[k]; y[i] = s
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/LinearForm.h"
#include "compiler/Lowering/LoopDependence.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace quernel {
#define GEN_PASS_DEF_PROMOTEELEMENTS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

/// An element of a buffer, and the loads and stores of it in the loop's body, in order.
struct PlaceInMemory {
  Value buffer, index;
  LinearForm form;
  SmallVector<Operation *> accesses;
  bool isStored = false;
};

class Promotion {
public:
  explicit Promotion(scf::ForOp loop) : loop(loop) {}

  void run() {
    if (isParallelLoop(loop) || isReductionLoop(loop) || !collectPlaces() || places.empty())
      return;
    IRRewriter rewriter(loop);
    if (mayBeEmpty())
      enterIfThereAreTurns(rewriter);
    rewriter.setInsertionPoint(loop);
    SmallVector<Value> before;
    for (PlaceInMemory &place : places)
      before.push_back(memref::LoadOp::create(rewriter, loop.getLoc(), place.buffer, place.index));
    carry(rewriter, before);
  }

private:
  static Value indexOf(Operation *access) {
    auto load = dyn_cast<memref::LoadOp>(access);
    return load ? load.getIndices()[0] : cast<memref::StoreOp>(access).getIndices()[0];
  }

  /// The elements that may be carried; false where the loop does what isn't a load, a store or arithmetic. A check may
  /// end the program between two turns, when what has been written by then has to be in memory.
  bool collectPlaces() {
    llvm::MapVector<Value, SmallVector<Operation *>> accesses;
    bool isPlain = !loop->walk([&](Operation *op) {
                          if (auto load = dyn_cast<memref::LoadOp>(op))
                            accesses[LoopDependence::rootOf(load.getMemRef())].push_back(op);
                          else if (auto store = dyn_cast<memref::StoreOp>(op))
                            accesses[LoopDependence::rootOf(store.getMemRef())].push_back(op);
                          else if (isa<CheckOp>(op) || !(isMemoryEffectFree(op) || op->getNumRegions() != 0))
                            return WalkResult::interrupt();
                          return WalkResult::advance();
                        })
                        .wasInterrupted();
    if (!isPlain)
      return false;
    for (auto &[buffer, touching] : accesses)
      addPlacesOf(buffer, touching);
    return true;
  }

  /// Adds the elements of a buffer that is stored to, where it is known which they are and that they are different
  /// ones.
  void addPlacesOf(Value buffer, ArrayRef<Operation *> accesses) {
    if (!loop.isDefinedOutsideOfLoop(buffer) || llvm::none_of(accesses, llvm::IsaPred<memref::StoreOp>))
      return;
    SmallVector<PlaceInMemory> found;
    for (Operation *access : accesses) {
      Value index = indexOf(access);
      if (access->getBlock() != loop.getBody() || !loop.isDefinedOutsideOfLoop(index))
        return;
      LinearForm form = LinearForm::of(index);
      auto *place = llvm::find_if(found, [&](PlaceInMemory &other) { return other.form == form; });
      if (place == found.end()) {
        bool isApart = llvm::all_of(found, [&](PlaceInMemory &other) { return (other.form - form).isConstant(); });
        if (!isApart)
          return;
        found.push_back({buffer, index, form, {}});
        place = &found.back();
      }
      place->accesses.push_back(access);
      place->isStored |= isa<memref::StoreOp>(access);
    }
    llvm::append_range(places, found);
  }

  bool mayBeEmpty() { return scheduleOf(loop).maybeEmpty; }

  /// Where a loop has no turn, its elements may not exist.
  void enterIfThereAreTurns(IRRewriter &rewriter) {
    rewriter.setInsertionPoint(loop);
    Value hasTurns = arith::CmpIOp::create(rewriter, loop.getLoc(), arith::CmpIPredicate::slt, loop.getLowerBound(),
                                           loop.getUpperBound());
    auto branch = scf::IfOp::create(rewriter, loop.getLoc(), loop.getResultTypes(), hasTurns, loop.getNumResults() > 0);
    SmallVector<Value> initial(loop.getInitArgs());
    rewriter.replaceAllUsesWith(loop.getResults(), branch.getResults());
    rewriter.moveOpBefore(loop, branch.thenBlock(), branch.thenBlock()->begin());
    if (loop.getNumResults() == 0)
      return;
    rewriter.setInsertionPointToEnd(branch.thenBlock());
    scf::YieldOp::create(rewriter, loop.getLoc(), loop.getResults());
    rewriter.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(rewriter, loop.getLoc(), initial);
  }

  void carry(IRRewriter &rewriter, ArrayRef<Value> before) {
    Schedule schedule = scheduleOf(loop);
    schedule.maybeEmpty = false;
    unsigned carried = loop.getNumResults();
    auto fresh = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, before, false, [&](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
          return lastOf(rewriter, SmallVector<Value>(arguments.begin(), arguments.end()));
        }));
    setSchedule(fresh, schedule);
    rewriter.setInsertionPointAfter(fresh);
    for (auto [place, after] : llvm::zip_equal(places, fresh.getResults().drop_front(carried)))
      if (place.isStored)
        memref::StoreOp::create(rewriter, fresh.getLoc(), after, place.buffer, place.index);
  }

  /// What the elements are at the end of a turn that begins with `current`; their loads and stores are gone then. They
  /// go in the order of the program, so that no value is one that a later step replaces.
  SmallVector<Value> lastOf(IRRewriter &rewriter, SmallVector<Value> current) {
    llvm::DenseMap<Operation *, size_t> placeOf;
    for (auto [i, place] : llvm::enumerate(places))
      for (Operation *access : place.accesses)
        placeOf[access] = i;
    for (Operation &op : llvm::make_early_inc_range(*loop.getBody())) {
      auto found = placeOf.find(&op);
      if (found == placeOf.end())
        continue;
      Value &element = current[found->second];
      if (auto store = dyn_cast<memref::StoreOp>(op))
        element = store.getValueToStore();
      else
        rewriter.replaceAllUsesWith(op.getResult(0), element);
      rewriter.eraseOp(&op);
    }
    return current;
  }

  scf::ForOp loop;
  SmallVector<PlaceInMemory> places;
};

struct PromoteElements : quernel::impl::PromoteElementsBase<PromoteElements> {
  void runOnOperation() override {
    if (!hasRole(getOperation(), FunctionRole::kernel))
      return;
    // Inner loops first: what they leave before and after them may be carried by those around them.
    SmallVector<scf::ForOp> loops;
    getOperation().walk<WalkOrder::PostOrder>([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      Promotion(loop).run();
  }
};

} // namespace
