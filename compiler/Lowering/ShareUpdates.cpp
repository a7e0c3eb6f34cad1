// Loops that update elements at places that the data name become loops of atomic updates, whose turns threads of a
// device share.
//
//   for i:                      parallel i:
//     k = p[i]             →      k = p[i]
//     y[k] = y[k] + v[i]          y[k] += v[i], atomically
//
// Only updates that give the same in any order: integers that are added, the least, the greatest, and bits.
#include "compiler/Dialect/Attributes.h"
#include "compiler/Lowering/Dependence.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace quernel {
#define GEN_PASS_DEF_SHAREUPDATES
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;
using arith::AtomicRMWKind;

namespace {

/// What a device can do with an element at once, of the operations whose order doesn't matter.
std::optional<AtomicRMWKind> kindOf(Operation *op) {
  if (isa<arith::AddIOp>(op))
    return AtomicRMWKind::addi;
  if (isa<arith::AndIOp>(op))
    return AtomicRMWKind::andi;
  if (isa<arith::OrIOp>(op))
    return AtomicRMWKind::ori;
  if (isa<arith::XOrIOp>(op))
    return AtomicRMWKind::xori;
  if (isa<arith::MaxSIOp>(op))
    return AtomicRMWKind::maxs;
  if (isa<arith::MinSIOp>(op))
    return AtomicRMWKind::mins;
  if (isa<arith::MaxUIOp>(op))
    return AtomicRMWKind::maxu;
  return isa<arith::MinUIOp>(op) ? std::optional(AtomicRMWKind::minu) : std::nullopt;
}

/// An element that is loaded, combined with a number that doesn't depend on it, and stored.
struct Update {
  memref::LoadOp load;
  Operation *combine;
  memref::StoreOp store;
  Value term;
  AtomicRMWKind kind;
};

std::optional<Update> updateOf(memref::StoreOp store) {
  Operation *combine = store.getValueToStore().getDefiningOp();
  auto kind = combine ? kindOf(combine) : std::nullopt;
  Type type = store.getValueToStore().getType();
  if (!kind || !(type.isInteger(32) || type.isInteger(64)) || !combine->hasOneUse())
    return std::nullopt;
  for (unsigned side : {0, 1}) {
    auto load = combine->getOperand(side).getDefiningOp<memref::LoadOp>();
    if (load && load->hasOneUse() && load.getMemRef() == store.getMemRef() &&
        llvm::equal(load.getIndices(), store.getIndices()) && load->getBlock() == store->getBlock() &&
        combine->getBlock() == store->getBlock())
      return Update{load, combine, store, combine->getOperand(1 - side), *kind};
  }
  return std::nullopt;
}

class Updates {
public:
  explicit Updates(scf::ForOp loop) : loop(loop) {}

  bool applies() {
    SmallVector<Access> accesses;
    auto isAtomic = [](Operation *op) { return isa<memref::AtomicRMWOp>(op); };
    if (loop.getNumResults() > 0 || isParallelLoop(loop) || isTaskLoop(loop) ||
        failed(collectAccesses(loop, accesses, isAtomic)))
      return false;
    const bool isPlain = llvm::all_of(accesses, [](const Access &access) { return access.indices.has_value(); });
    return isPlain && collect() && othersStayApart(accesses);
  }

  void run() {
    for (Update &update : updates) {
      OpBuilder builder(update.store);
      memref::AtomicRMWOp::create(builder, update.store.getLoc(), update.kind, update.term, update.store.getMemRef(),
                                  update.store.getIndices());
      update.store->erase();
      update.combine->erase();
      update.load->erase();
    }
    changeSchedule(loop, [](Schedule &schedule) { schedule.order = TurnOrder::parallel; });
  }

private:
  /// Collects the updates, and the arrays that they change: each by one operation alone.
  bool collect() {
    bool isPossible = true;
    loop->walk([&](Operation *op) {
      isPossible &= !isa<memref::AllocOp, memref::AllocaOp>(op);
      if (auto atomic = dyn_cast<memref::AtomicRMWOp>(op))
        isPossible &= add(atomic.getMemref(), atomic.getKind());
      else if (auto store = dyn_cast<memref::StoreOp>(op))
        if (auto update = updateOf(store); update && isAnyPlace(store)) {
          isPossible &= add(store.getMemRef(), update->kind);
          updates.push_back(*update);
        }
    });
    return isPossible && !changed.empty();
  }

  /// Whether a store's place is one that the data name.
  bool isAnyPlace(memref::StoreOp store) {
    SmallVector<Value> open(store.getIndices());
    llvm::SmallPtrSet<Operation *, 8> seen;
    while (!open.empty()) {
      Operation *op = open.pop_back_val().getDefiningOp();
      if (!op || !loop->isAncestor(op) || !seen.insert(op).second)
        continue;
      if (isa<memref::LoadOp>(op))
        return true;
      llvm::append_range(open, op->getOperands());
    }
    return false;
  }

  static Value rootOf(Value buffer, Operation *op) { return resolveElement({op, buffer, std::nullopt, true}).root; }

  bool add(Value buffer, AtomicRMWKind kind) {
    Value root = rootOf(buffer, loop);
    return root && changed.insert({root, kind}).first->second == kind;
  }

  /// Whether nothing else touches the arrays that are changed, and all else may run at the same time.
  bool othersStayApart(ArrayRef<Access> accesses) {
    llvm::SmallPtrSet<Operation *, 8> known;
    for (Update &update : updates)
      known.insert({update.load, update.store});
    SmallVector<Access> others;
    for (const Access &access : accesses) {
      if (known.contains(access.op))
        continue;
      Value root = resolveElement(access).root;
      if (!root || changed.contains(root))
        return false;
      others.push_back(access);
    }
    return !mayTurnsMeet(loop, others);
  }

  scf::ForOp loop;
  SmallVector<Update> updates;
  llvm::DenseMap<Value, AtomicRMWKind> changed;
};

struct ShareUpdates : quernel::impl::ShareUpdatesBase<ShareUpdates> {
  void runOnOperation() override {
    if (!hasRole(getOperation(), FunctionRole::program))
      return;
    rewriteLoops<Updates>(getOperation());
  }
};

} // namespace
