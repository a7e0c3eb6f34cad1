// A product and a sum that may be rounded once become one operation, for processors that have it.
//
//   %p = arith.mulf %x, %y fastmath<contract>
//   %s = arith.addf %p, %z fastmath<contract>     →     %s = math.fma %x, %y, %z
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace quernel {
#define GEN_PASS_DEF_FUSEMULTIPLICATIONS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

bool mayFuse(arith::ArithFastMathInterface op) {
  return bitEnumContainsAll(op.getFastMathFlagsAttr().getValue(), arith::FastMathFlags::contract);
}

struct FuseMultiplications : quernel::impl::FuseMultiplicationsBase<FuseMultiplications> {
  void runOnOperation() override {
    getOperation().walk([](arith::AddFOp sum) {
      auto product = sum.getLhs().getDefiningOp<arith::MulFOp>();
      if (!product || !mayFuse(sum) || !mayFuse(product))
        return;
      OpBuilder builder(sum);
      sum.replaceAllUsesWith(
          math::FmaOp::create(builder, sum.getLoc(), product.getLhs(), product.getRhs(), sum.getRhs()).getResult());
      sum.erase();
      if (product.use_empty())
        product.erase();
    });
  }
};

} // namespace
