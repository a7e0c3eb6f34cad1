// Uniform random numbers that one array statement alone reads are drawn where its turns need them, a block at a time.
//
//   x = random(n)                       ahead(state, n)
//   parallel i: y[i] = exp(x[i])   →    tasks b: X = part(state, b, 4096); for i in b … b + 4096: y[i] = exp(X[i - b])
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/LinearForm.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/MapVector.h"

namespace quernel {
#define GEN_PASS_DEF_BLOCKDRAWS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

constexpr int64_t blockLength = 4096;      // numbers, where the statement says no other length
constexpr int64_t mostOfTurn = 1 << 16;    // numbers that a single turn may need
constexpr int64_t fewestNumbers = 1 << 14; // fewer lie in a cache anyway
constexpr StringLiteral uniform = "qn_random_u64", ahead = "qn_random_ahead_u64", part = "qn_random_part_u64";

/// A call `random(state, state afterwards, numbers)` on plain pointers; LibraryCalls says in which order the rest of
/// its arguments comes.
struct DrawCall {
  func::CallOp op;

  explicit DrawCall(func::CallOp op) : op(op) {}
  Value state() { return op.getOperand(0); }
  Value numbers() { return op.getOperand(2); }
  Value count() { return op.getOperand(16); }
  std::optional<int64_t> words() { return getConstantIntValue(op.getOperand(17)); }

  /// Whether it is one problem whose operands begin where their memory does and have no gaps.
  bool isPlain() {
    for (unsigned number : {3, 4, 5})
      if (getConstantIntValue(op.getOperand(number)) != 0)
        return false;
    for (unsigned number : {7, 10, 13, 15})
      if (getConstantIntValue(op.getOperand(number)) != 1)
        return false;
    return words().has_value();
  }
};

/// What the turns of a statement read of an array: in turn i the elements from step · i + first on, `length` of them.
struct Window {
  int64_t step, first, length;
};

/// Draws that one statement reads, and how.
struct Draws {
  DrawCall call;
  Window window;
};

class Statement {
public:
  explicit Statement(scf::ParallelOp loop) : loop(loop), builder(loop) {}

  /// Takes the draws of an array on, if the statement's turns need few of them at a time.
  void add(DrawCall call) {
    if (auto window = windowOf(call.numbers()))
      draws.push_back({call, *window});
  }

  void run() {
    if (draws.empty())
      return;
    const int64_t turns = turnsAtOnce();
    addDecision(loop, "its random numbers are drawn a block at a time, and never stored as an array");
    Location loc = loop.getLoc();
    for (Draws &each : draws)
      states.push_back(keepState(each.call));
    builder.setInsertionPoint(loop);
    Value lower = loop.getLowerBound()[0], upper = loop.getUpperBound()[0];
    auto tasks = scf::ForOp::create(builder, loc, lower, upper, index(turns));
    tasks.getInductionVar().setLoc(loop.getInductionVars()[0].getLoc());
    setSchedule(tasks, {.order = TurnOrder::tasks, .maybeEmpty = true});
    builder.setInsertionPointToStart(tasks.getBody());
    SmallVector<Value> blocks;
    for (auto [each, state] : llvm::zip_equal(draws, states))
      blocks.push_back(drawBlock(each, state, tasks.getInductionVar(), turns));
    moveTurns(tasks, turns);
    for (Value block : blocks)
      memref::DeallocOp::create(builder, loc, block);
  }

private:
  /// What the loads of an array read; nothing where something else than the statement touches it, or where what a turn
  /// reads doesn't follow from its number alone.
  std::optional<Window> windowOf(Value numbers) {
    std::optional<Window> all;
    for (Operation *user : numbers.getUsers()) {
      auto load = dyn_cast<memref::LoadOp>(user);
      if (!load)
        continue;
      auto one = windowOf(load);
      if (!one || (all && all->step != one->step))
        return std::nullopt;
      if (!all) {
        all = one;
        continue;
      }
      const int64_t end = std::max(all->first + all->length, one->first + one->length);
      all->first = std::min(all->first, one->first);
      all->length = end - all->first;
    }
    if (!all || all->first < 0 || all->length > mostOfTurn)
      return std::nullopt;
    return all;
  }

  std::optional<Window> windowOf(memref::LoadOp load) {
    LinearForm form = LinearForm::of(load.getIndices()[0]);
    int64_t length = 1;
    while (true) {
      auto *inner = llvm::find_if(form.terms, [&](auto &term) { return term.first != turn(); });
      if (inner == form.terms.end())
        break;
      auto [value, factor] = *inner;
      auto counter = counterRange(value);
      if (!counter || factor < 0 || !loop->isProperAncestor(value.getParentBlock()->getParentOp()))
        return std::nullopt;
      auto range = greatestRange(counter->lower, counter->upper);
      if (!range || *range > mostOfTurn)
        return std::nullopt;
      length += factor * (std::max<int64_t>(*range, 1) - 1);
      form.add(LinearForm::of(value), -factor);
      form.add(LinearForm::of(counter->lower), factor);
      if (length > mostOfTurn)
        return std::nullopt;
    }
    if (form.terms.size() != 1 || form.terms[0].second <= 0)
      return std::nullopt;
    return Window{form.terms[0].second, form.constant, length};
  }

  Value turn() { return loop.getInductionVars()[0]; }

  /// So many turns that each block of numbers is about as long as it should be.
  int64_t turnsAtOnce() {
    int64_t turns = blockLength;
    for (const Draws &each : draws)
      turns = std::min(turns, std::max<int64_t>(1, (blockLength - each.window.length) / each.window.step + 1));
    return turns;
  }

  /// The words of the state before the draws, which later draws may replace. Has the call draw nothing that parts can.
  Value keepState(DrawCall call) {
    builder.setInsertionPoint(call.op);
    Location loc = call.op.getLoc();
    auto words = MemRefType::get({*call.words()}, builder.getI64Type());
    Value kept = memref::AllocaOp::create(builder, named(loc, "state"), words);
    for (int64_t word = 0; word < *call.words(); ++word) {
      Value number = memref::LoadOp::create(builder, loc, call.state(), index(word));
      memref::StoreOp::create(builder, loc, number, kept, index(word));
    }
    call.op.setCallee(declare(ahead, call.op.getOperandTypes()).getName());
    return memref::CastOp::create(builder, loc, MemRefType::get({ShapedType::kDynamic}, builder.getI64Type()), kept);
  }

  /// The numbers that the turns from `begin` on need, as the block's first ones; has the loads read them there.
  Value drawBlock(Draws &each, Value state, Value begin, int64_t turns) {
    Location loc = loop.getLoc(), start = named(loc, "start");
    const Window &window = each.window;
    Value numbers = each.call.numbers(), total = each.call.count();
    LinearForm first = LinearForm::of(window.first);
    first.add(LinearForm::of(begin), window.step);
    Value position = valueOf(builder, start, first);
    Value room =
        arith::MinSIOp::create(builder, named(loc, "room"), index(window.step * (turns - 1) + window.length), total);
    Value left = arith::MaxSIOp::create(builder, loc, arith::SubIOp::create(builder, loc, total, position), index(0));
    Value count = arith::MinSIOp::create(builder, named(loc, "count"), room, left);
    auto array = numbers.getDefiningOp<memref::AllocOp>();
    Value block = memref::AllocOp::create(builder, array.getLoc(), array.getType(), room);
    AllocatedOp::create(builder, array.getLoc(), block, room, dtypeOf(array));
    Value place = memref::AllocaOp::create(builder, start, MemRefType::get({1}, builder.getI64Type()));
    Value word = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), position);
    memref::StoreOp::create(builder, loc, word, place, index(0));
    place = memref::CastOp::create(builder, loc, MemRefType::get({ShapedType::kDynamic}, builder.getI64Type()), place);
    callPart({state, numbers, place, block}, {total, count, index(*each.call.words())}, loc);
    for (Operation *user : llvm::make_early_inc_range(numbers.getUsers()))
      if (auto load = dyn_cast<memref::LoadOp>(user)) {
        OpBuilder there(load);
        Value within = arith::SubIOp::create(there, load.getLoc(), load.getIndices()[0], position);
        load.getMemrefMutable().assign(block);
        load.getIndicesMutable().assign(within);
      }
    return block;
  }

  static StringRef dtypeOf(memref::AllocOp array) {
    for (Operation *user : array->getUsers())
      if (auto check = dyn_cast<AllocatedOp>(user))
        return check.getDtype();
    return "float64";
  }

  /// random_part(state, numbers, first, out) with the strides and sizes of one problem.
  void callPart(ArrayRef<Value> operands, ArrayRef<Value> sizes, Location loc) {
    SmallVector<Value> arguments(operands);
    arguments.append(operands.size(), index(0));
    for (size_t operand = 0; operand < operands.size(); ++operand)
      arguments.append({index(0), index(operand == 2 ? 0 : 1), index(0)});
    arguments.push_back(index(1));
    llvm::append_range(arguments, sizes);
    func::CallOp::create(builder, loc, declare(part, ValueRange(arguments).getTypes()), arguments);
  }

  /// Puts the statement's turns where the builder stands, as a loop over those of a block, or as the block's only one.
  void moveTurns(scf::ForOp tasks, int64_t turns) {
    Location loc = loop.getLoc();
    Value begin = tasks.getInductionVar();
    if (turns > 1) {
      Value end = arith::AddIOp::create(builder, loc, begin, index(turns));
      end = arith::MinSIOp::create(builder, loc, end, tasks.getUpperBound());
      loop.getLowerBoundMutable().assign(begin);
      loop.getUpperBoundMutable().assign(end);
      loop->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
      return;
    }
    auto whole = scf::ExecuteRegionOp::create(builder, loc, TypeRange());
    Block &body = whole.getRegion().emplaceBlock();
    turn().replaceAllUsesWith(begin);
    loop.getBody()->getTerminator()->erase();
    body.getOperations().splice(body.end(), loop.getBody()->getOperations());
    OpBuilder inside = OpBuilder::atBlockEnd(&body);
    scf::YieldOp::create(inside, loc);
    loop.erase();
  }

  func::FuncOp declare(StringRef name, TypeRange inputs) {
    auto module = loop->getParentOfType<ModuleOp>();
    if (auto known = module.lookupSymbol<func::FuncOp>(name))
      return known;
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    auto callee = func::FuncOp::create(top, loop.getLoc(), name, top.getFunctionType(inputs, {}));
    callee.setPrivate();
    setFunctionAttr(callee, FunctionAttr::get(callee.getContext(), FunctionRole::library));
    return callee;
  }

  static Location named(Location loc, StringRef name) {
    return NameLoc::get(StringAttr::get(loc.getContext(), name), loc);
  }

  Value index(int64_t number) { return arith::ConstantIndexOp::create(builder, loop.getLoc(), number); }

  scf::ParallelOp loop;
  OpBuilder builder;
  SmallVector<Draws> draws;
  SmallVector<Value> states;
};

/// The one statement of the call's block that reads its numbers; null where anything else touches them.
scf::ParallelOp readerOf(DrawCall call) {
  auto array = call.numbers().getDefiningOp<memref::AllocOp>();
  if (!array || !call.isPlain())
    return {};
  scf::ParallelOp reader;
  for (Operation *user : array->getUsers()) {
    if (user == call.op || isa<AllocatedOp, memref::DeallocOp>(user))
      continue;
    Operation *statement = isa<memref::LoadOp>(user) ? call.op->getBlock()->findAncestorOpInBlock(*user) : nullptr;
    auto parallel = dyn_cast_if_present<scf::ParallelOp>(statement);
    if (!parallel || (reader && reader != parallel))
      return {};
    reader = parallel;
  }
  if (!reader || reader.getInductionVars().size() != 1 || !reader.getInitVals().empty() ||
      getConstantIntValue(reader.getLowerBound()[0]) != 0 || getConstantIntValue(reader.getStep()[0]) != 1)
    return {};
  const bool isFew = getConstantIntValue(call.count()).value_or(fewestNumbers) < fewestNumbers;
  return isFew ? scf::ParallelOp() : reader;
}

bool isInTask(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    if (isTaskLoop(parent) || isParallelLoop(parent))
      return true;
  return false;
}

struct BlockDraws : quernel::impl::BlockDrawsBase<BlockDraws> {
  void runOnOperation() override {
    for (auto program : getOperation().getOps<func::FuncOp>())
      if (hasRole(program, FunctionRole::program) && targetOf(program).kind == TargetKind::cpu)
        runOn(program);
  }

  static void runOn(func::FuncOp program) {
    llvm::MapVector<Operation *, Statement> statements;
    program.walk([&](func::CallOp op) {
      if (op.getCallee() != uniform || isInTask(op))
        return;
      DrawCall call(op);
      if (scf::ParallelOp reader = readerOf(call))
        statements.try_emplace(reader, reader).first->second.add(call);
    });
    for (auto &[loop, statement] : statements)
      statement.run();
  }
};

} // namespace
