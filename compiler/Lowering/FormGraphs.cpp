// Loops that end when the device's memory says so become loops that the device can repeat by itself.
//
//   scf.while (%k = %first) {                       store %first, %K;
//     call @sum(%x, %S)                             quernel.repeat %G test {
//     %s = load %S[0]                                 call @sum(%x, %S)
//     %more = cmpf ogt, %s, %tolerance       →        store (load %S[0] > %tolerance), %G
//     condition(%more) %k                           } turn {
//   } do {                                            call @halve(%x)
//     call @halve(%x)                                 store (load %K + 1), %K
//     yield %k + 1                                  }
//   }
//
// What turns hand on gets places in the device's memory. quernel-number-kernels has the device compute it there.
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/DeviceNumbers.h"
#include "compiler/Lowering/Offload.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace quernel {
#define GEN_PASS_DEF_FORMGRAPHS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

class GraphFormer {
public:
  GraphFormer(func::FuncOp program, SymbolTable &symbols)
      : program(program), symbols(symbols), start(&program.getBody().front(), program.getBody().front().begin()) {}

  void run() {
    SmallVector<scf::WhileOp> loops; // inner ones first
    program.walk([&](scf::WhileOp loop) { loops.push_back(loop); });
    for (scf::WhileOp loop : loops)
      if (waitsForDevice(loop) && isAlikeInAllTurns(loop))
        form(loop);
  }

private:
  /// Whether each turn has the device compute something, and the host wait for it.
  bool waitsForDevice(scf::WhileOp loop) const {
    const DeviceNumbers known(program, symbols);
    bool launches = false, waits = false;
    loop.walk([&](Operation *op) {
      auto call = dyn_cast<func::CallOp>(op);
      launches |= call && kernelOf(call, symbols);
      auto load = dyn_cast<memref::LoadOp>(op);
      waits |= load && known.isFetched(load);
    });
    return launches && waits;
  }

  /// Whether the program does nothing in a turn but to ask for kernels, of which it gives none another grid than in the
  /// turn before, once what turns hand on lies in the device's memory.
  bool isAlikeInAllTurns(scf::WhileOp loop) const {
    const auto isNumber = [](Value value) { return value.getType().isIntOrIndexOrFloat(); };
    if (!llvm::all_of(loop.getBeforeArguments(), isNumber) || !llvm::all_of(loop.getAfterArguments(), isNumber))
      return false;
    const DeviceNumbers assumed(program, symbols, loop);
    const auto isFetched = [&](Value value) { return assumed.isFetched(value); };
    if (llvm::any_of(loop.getBeforeArguments(), isFetched) || llvm::any_of(loop.getAfterArguments(), isFetched))
      return false;
    return !loop.walk([&](Operation *op) {
                  const bool isAlike = op == loop || (mayStand(op) && llvm::none_of(op->getResults(), isFetched));
                  return isAlike ? WalkResult::advance() : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  bool mayStand(Operation *op) const {
    if (auto call = dyn_cast<func::CallOp>(op))
      return !!kernelOf(call, symbols);
    if (auto store = dyn_cast<memref::StoreOp>(op))
      return !isOnHost(store.getMemRef());
    return isa<scf::ForOp, scf::IfOp, scf::YieldOp, scf::ConditionOp, memref::LoadOp, AllocatedOp>(op) || isPure(op);
  }

  /// A place in the device's memory for one number.
  Value placeFor(Type type, Location loc) {
    if (!zero)
      zero = arith::ConstantIndexOp::create(start, program.getLoc(), 0);
    return memref::AllocOp::create(start, loc, MemRefType::get({1}, type));
  }
  Value load(OpBuilder &builder, Location loc, Value place) {
    return memref::LoadOp::create(builder, loc, place, zero);
  }
  void store(OpBuilder &builder, Value number, Value place) {
    memref::StoreOp::create(builder, number.getLoc(), number, place, zero);
  }

  void form(scf::WhileOp loop) {
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    MLIRContext *context = builder.getContext();
    Value goesOn = placeFor(builder.getI1Type(), NameLoc::get(StringAttr::get(context, "goes_on"), loc));
    scf::ConditionOp condition = loop.getConditionOp();
    SmallVector<Value> carried, given; // the places of what turns begin with, and of what the condition hands on
    for (auto [argument, init] : llvm::zip_equal(loop.getBeforeArguments(), loop.getInits())) {
      carried.push_back(placeFor(argument.getType(), argument.getLoc()));
      store(builder, init, carried.back());
    }
    for (Value value : condition.getArgs()) {
      auto argument = dyn_cast<BlockArgument>(value);
      const bool isSame = argument && argument.getOwner() == loop.getBeforeBody();
      given.push_back(isSame ? carried[argument.getArgNumber()] : placeFor(value.getType(), value.getLoc()));
    }
    auto repeat = RepeatOp::create(builder, loc, goesOn);
    builder.setInsertionPointAfter(repeat);
    for (auto [result, place] : llvm::zip_equal(loop.getResults(), given))
      if (!result.use_empty())
        result.replaceAllUsesWith(load(builder, result.getLoc(), place));

    builder.setInsertionPoint(condition);
    for (auto [value, place] : llvm::zip_equal(condition.getArgs(), given))
      if (!llvm::is_contained(carried, place))
        store(builder, value, place);
    store(builder, condition.getCondition(), goesOn);
    scf::YieldOp yield = loop.getYieldOp();
    builder.setInsertionPoint(yield);
    for (auto [value, place] : llvm::zip_equal(yield.getOperands(), carried))
      store(builder, value, place);
    condition.erase();
    yield.erase();
    takeTurn(repeat.getTest(), loop.getBefore(), carried);
    takeTurn(repeat.getTurn(), loop.getAfter(), given);
    loop.erase();
  }

  /// Moves a region of a loop, where loads stand for its arguments then.
  void takeTurn(Region &to, Region &from, ArrayRef<Value> places) {
    to.takeBody(from);
    Block &body = to.front();
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    for (auto [argument, place] : llvm::zip_equal(body.getArguments(), places))
      if (!argument.use_empty())
        argument.replaceAllUsesWith(load(builder, argument.getLoc(), place));
    body.eraseArguments(0, body.getNumArguments());
  }

  func::FuncOp program;
  SymbolTable &symbols;
  OpBuilder start; ///< where places are allocated
  Value zero;
};

struct FormGraphs : quernel::impl::FormGraphsBase<FormGraphs> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (hasRole(function, FunctionRole::program))
        GraphFormer(function, symbols).run();
  }
};

} // namespace
