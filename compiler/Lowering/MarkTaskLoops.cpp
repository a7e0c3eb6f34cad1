// Marks the loops of a program whose turns are tasks: they call libraries, or keep arrays of their own.
//
//   for i: T = copy of A[i]; solve(T, b[i], out[i])      →      tasks i: …      (a thread has one T at a time)
#include "compiler/Lowering/Passes.h"
#include "compiler/Lowering/TaskTurns.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace quernel {
#define GEN_PASS_DEF_MARKTASKLOOPS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

struct MarkTaskLoops : quernel::impl::MarkTaskLoopsBase<MarkTaskLoops> {
  void runOnOperation() override {
    if (hasRole(getOperation(), FunctionRole::program))
      getOperation().walk<WalkOrder::PreOrder>([](scf::ForOp loop) {
        if (loop.getNumResults() > 0 || !TaskTurns(loop).areTasks(loop.getOperation()))
          return WalkResult::advance();
        changeSchedule(loop, [](Schedule &schedule) { schedule.order = TurnOrder::tasks; });
        loop->walk([](linalg::LinalgOp op) { addDecision(op, "threads share the turns of the loop around it"); });
        return WalkResult::skip();
      });
  }
};

} // namespace
