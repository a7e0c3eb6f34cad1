// Comparisons of booleans become logic. Upstream folds make them from comparisons of converted booleans, and masks have
// no other form.
#include "compiler/Dialect/ScalarBuilder.h"
#include "compiler/Lowering/Passes.h"

namespace quernel {
#define GEN_PASS_DEF_EXPANDBOOLEANS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

/// The order that a predicate asks of booleans; as signed numbers true is -1, so their order is turned round.
Order orderOf(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return Order::eq;
  case P::ne:
    return Order::ne;
  case P::ult:
  case P::sgt:
    return Order::lt;
  case P::ule:
  case P::sge:
    return Order::le;
  case P::ugt:
  case P::slt:
    return Order::gt;
  default:
    return Order::ge;
  }
}

struct ExpandBooleans : quernel::impl::ExpandBooleansBase<ExpandBooleans> {
  void runOnOperation() override {
    SmallVector<arith::CmpIOp> comparisons;
    getOperation().walk([&](arith::CmpIOp op) {
      if (ScalarBuilder::isBool(op.getLhs()))
        comparisons.push_back(op);
    });
    for (arith::CmpIOp op : comparisons) {
      OpBuilder builder(op);
      ScalarBuilder scalars(builder, op.getLoc());
      op.replaceAllUsesWith(scalars.compare(orderOf(op.getPredicate()), op.getLhs(), op.getRhs()));
      op.erase();
    }
  }
};

} // namespace
