// scf's loops and branches, and the variables that they carry.
#include "compiler/Emit/Checks.h"
#include "compiler/Emit/StatementPrinter.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace quernel {

/// What a loop's variable is called after the way it changes.
static StringRef carriedName(Value yielded, Value argument) {
  Operation *op = yielded.getDefiningOp();
  if (!op || !llvm::is_contained(op->getOperands(), argument))
    return "state";
  if (isa<arith::AddFOp, arith::AddIOp>(op))
    return "sum";
  if (isa<arith::MulFOp, arith::MulIOp>(op))
    return "product";
  // A choice by a comparison that doesn't look at the variable itself, as an argmin's index is.
  if (auto choice = dyn_cast<arith::SelectOp>(op))
    if (Operation *test = choice.getCondition().getDefiningOp();
        test && !llvm::is_contained(test->getOperands(), argument))
      return "best_at";
  if (isa<arith::SelectOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, arith::MaxSIOp,
          arith::MinSIOp>(op))
    return "best";
  return "state";
}

std::string StatementPrinter::increment(StringRef name, StringRef step) {
  return step == "1" ? "++" + name.str() : name.str() + " += " + step.str();
}

/// True if a number is stored that has fewer bits than it may be computed with: 8 and 16 bits are computed as `int`,
/// and 32 bits may come from 64.
static bool storesNarrowed(Operation *root) {
  bool stores = false, cuts = false, stores32 = false;
  root->walk([&](Operation *op) {
    if (auto store = dyn_cast<memref::StoreOp>(op)) {
      auto type = dyn_cast<IntegerType>(store.getValueToStore().getType());
      stores |= type && type.getWidth() < 32;
      stores32 |= type && type.getWidth() == 32;
    } else if (isa<arith::TruncIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
      cuts |= getElementTypeOrSelf(op->getResult(0)).isInteger(32);
    } else if (auto call = dyn_cast<func::CallOp>(op); call) {
      // Clang may put the kernel's text in the place of the call.
      Operation *callee = SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr());
      stores |= callee && hasRole(callee, FunctionRole::kernel) && storesNarrowed(callee);
    }
  });
  return stores || (stores32 && cuts);
}

/// The iterations that a C++ compiler may unroll within a remainder, which is a small part of a loop's time but has the
/// whole of its body: those of small vectors and matrices.
static constexpr int64_t unrolledInRemainder = 4;

/// True for a loop of more iterations than those that stands in a loop over what a vectorised one leaves over.
static bool isInRemainder(scf::ForOp loop) {
  APInt lower, upper;
  if (matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) &&
      matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) && (upper - lower).sle(unrolledInRemainder))
    return false;
  for (auto outer = loop->getParentOfType<scf::ForOp>(); outer; outer = outer->getParentOfType<scf::ForOp>())
    if (isRemainder(outer))
      return true;
  return false;
}

void StatementPrinter::printPragma(Operation *loop) {
  auto counted = dyn_cast<scf::ForOp>(loop);
  if (!hasVectors())
    return;
  bool rolled = counted && (isRemainder(counted) || scheduleOf(counted).rolled || isInRemainder(counted));
  if (!rolled && !storesNarrowed(loop))
    return;
  prelude.require(rolled ? "rolled" : "scalar_loop");
  line() << (rolled ? "ROLLED\n" : "SCALAR_LOOP\n");
}

void StatementPrinter::printFor(scf::ForOp loop) {
  for (auto [argument, init, yielded, result] :
       llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs(), loop.getYieldedValues(), loop.getResults())) {
    Expression start = isMask(init.getType()) ? mask(init, masks.of(argument)) : expression(init);
    std::string type = typeOf(argument);
    StringRef named = nameOf(argument.getLoc());
    StringRef fallback = loop.getNumResults() == 1 ? nameOf(result.getLoc()) : StringRef();
    std::string name = identifiers.fresh(!named.empty()      ? named
                                         : !fallback.empty() ? fallback
                                                             : carriedName(yielded, argument));
    names[argument] = name;
    line() << type << " " << name << (start.text == type + "{}" ? "{}" : " = " + start.text) << ";\n";
  }
  std::string lower = expression(loop.getLowerBound()).text;
  std::string upper = operand(loop.getUpperBound(), Precedence::Additive);
  std::string step = expression(loop.getStep()).text;
  beginLoop(loop, lower, upper);
  printLoop(loop, lower, upper, step);
  for (auto [result, argument] : llvm::zip(loop.getResults(), loop.getRegionIterArgs()))
    names[result] = names.lookup(argument);
}

void StatementPrinter::printLoop(scf::ForOp loop, StringRef lower, StringRef upper, StringRef step) {
  block([&] {
    StringRef named = nameOf(loop.getInductionVar().getLoc());
    std::string counter = named.empty() ? identifiers.freshLoop() : identifiers.fresh(named);
    names[loop.getInductionVar()] = counter;
    --depth;
    printPragma(loop);
    line() << "for (" << typeName(loop.getInductionVar().getType()) << " " << counter << " = " << lower << "; "
           << counter << " < " << upper << "; " << increment(counter, step) << ") {\n";
    ++depth;
    beginTurn(loop);
    printBody(*loop.getBody());
    printYield(loop.getYieldedValues(), ValueRange(loop.getRegionIterArgs()));
  });
  line() << "}\n";
}

void StatementPrinter::printLoop(scf::ParallelOp loop, StringRef lower, StringRef upper, StringRef step) {
  printTurns(loop, loop.getInductionVars().front(), lower, upper, step, [&] { printBody(*loop.getBody()); });
}

void StatementPrinter::printTurns(scf::ParallelOp loop, Value induction, StringRef lower, StringRef upper,
                                  StringRef step, function_ref<void()> printTurn) {
  block([&] {
    StringRef named = nameOf(induction.getLoc());
    std::string counter = named.empty() ? identifiers.freshLoop() : identifiers.fresh(named);
    names[induction] = counter;
    --depth;
    printPragma(loop);
    line() << "for (int64_t " << counter << " = " << lower << "; " << counter << " < " << upper << "; "
           << increment(counter, step) << ") {\n";
    ++depth;
    printTurn();
  });
  line() << "}\n";
}

void StatementPrinter::printIf(scf::IfOp branch) {
  ValueRange results = branch.getResults();
  for (Value result : results) {
    std::string type = typeOf(result);
    line() << type << " " << define(result, "result") << ";\n";
  }
  line() << "if (" << expression(branch.getCondition()).text << ") {\n";
  block([&] {
    printBody(*branch.thenBlock());
    printYield(branch.thenYield().getOperands(), results);
  });
  if (branch.elseBlock() && (branch.elseBlock()->getOperations().size() > 1 || !results.empty())) {
    line() << "} else {\n";
    block([&] {
      printBody(*branch.elseBlock());
      printYield(branch.elseYield().getOperands(), results);
    });
  }
  line() << "}\n";
}

/// Names what the condition hands on after the variable that holds it; declares one where it is made by the condition.
/// False if nothing but the condition itself is to be computed.
bool StatementPrinter::forward(scf::WhileOp loop) {
  bool isPlain =
      llvm::all_of(loop.getBeforeBody()->without_terminator(), [&](Operation &op) { return isInlined(&op); });
  for (auto [value, argument, result] :
       llvm::zip_equal(loop.getConditionOp().getArgs(), loop.getAfterArguments(), loop.getResults())) {
    auto carried = dyn_cast<BlockArgument>(value);
    if (carried && carried.getOwner() == loop.getBeforeBody()) {
      std::string name = names.lookup(carried);
      names[argument] = name;
      names[result] = name; // one after the other: the table may grow in between
      continue;
    }
    isPlain = false;
    std::string type = typeOf(result);
    line() << type << " " << define(result, "result") << ";\n";
    names[argument] = names.lookup(result);
  }
  return isPlain;
}

void StatementPrinter::printWhile(scf::WhileOp loop) {
  for (auto [argument, init, yielded] :
       llvm::zip_equal(loop.getBeforeArguments(), loop.getInits(), loop.getYieldOp().getOperands())) {
    // The name may be that of the variable as the body sees it.
    Value seen = argument;
    for (auto [value, after] : llvm::zip_equal(loop.getConditionOp().getArgs(), loop.getAfterArguments()))
      if (value == argument)
        seen = after;
    StringRef named = nameOf(seen.getLoc());
    std::string start = expression(init).text, type = typeOf(argument);
    line() << type << " " << define(argument, named.empty() ? carriedName(yielded, seen) : named) << " = " << start
           << ";\n";
  }
  bool isPlain = forward(loop);
  Value condition = loop.getConditionOp().getCondition();
  printPragma(loop);
  line() << "while (" << (isPlain ? expression(condition).text : "true") << ") {\n";
  block([&] {
    beginTurn(loop);
    if (!isPlain) {
      printBody(*loop.getBeforeBody());
      SmallVector<Value> made, targets;
      for (auto [value, result] : llvm::zip_equal(loop.getConditionOp().getArgs(), loop.getResults()))
        if (!isa<BlockArgument>(value) || cast<BlockArgument>(value).getOwner() != loop.getBeforeBody())
          made.push_back(value), targets.push_back(result);
      printYield(made, targets);
      line() << "if (!" << operand(condition, Precedence::Unary) << ")\n";
      line() << "  break;\n";
    }
    printBody(*loop.getAfterBody());
    printYield(loop.getYieldOp().getOperands(), ValueRange(loop.getBeforeArguments()));
  });
  line() << "}\n";
}

/// True if the text of the value reads the variable.
bool StatementPrinter::mentions(Value value, StringRef name) {
  if (auto found = names.find(value); found != names.end())
    return found->second == name;
  Operation *op = value.getDefiningOp();
  return op && llvm::any_of(op->getOperands(), [&](Value operand) { return mentions(operand, name); });
}

std::string StatementPrinter::assigned(Value value, Value target) {
  return isMask(target.getType()) ? mask(value, masks.of(target)).text : expression(value).text;
}

/// Assigns all values at once: no assignment may change a variable that a later one reads.
void StatementPrinter::printYield(ValueRange values, ValueRange targets) {
  llvm::SmallVector<unsigned> left;
  for (unsigned index = 0; index < values.size(); ++index) {
    auto found = names.find(values[index]);
    if (found == names.end() || found->second != names.lookup(targets[index]))
      left.push_back(index);
  }
  llvm::SmallDenseMap<unsigned, std::string> early;
  auto isSafe = [&](unsigned index) {
    return llvm::none_of(left, [&](unsigned other) {
      return other != index && !early.contains(other) && mentions(values[other], names.lookup(targets[index]));
    });
  };
  while (!left.empty()) {
    auto next = llvm::find_if(left, isSafe);
    if (next == left.end()) {
      // They read each other: one value is computed ahead of its turn.
      auto last = llvm::find_if(llvm::reverse(left), [&](unsigned index) { return !early.contains(index); });
      std::string name = identifiers.fresh("next_" + names.lookup(targets[*last]));
      line() << "const " << typeOf(targets[*last]) << " " << name << " = " << assigned(values[*last], targets[*last])
             << ";\n";
      early[*last] = name;
      continue;
    }
    if (early.contains(*next))
      line() << names.lookup(targets[*next]) << " = " << early.lookup(*next) << ";\n";
    else
      printAssignment(values[*next], targets[*next]);
    left.erase(next);
  }
}

static StringRef accumulationSymbol(Operation *op) {
  if (isa<arith::AddFOp>(op) || (isa<arith::AddIOp>(op) && getElementTypeOrSelf(op->getResult(0)).isIndex()))
    return "+=";
  return isa<arith::SubFOp>(op) ? "-=" : isa<arith::MulFOp>(op) ? "*=" : "";
}

/// `sum += x` for a value that adds to its own variable.
std::optional<std::string> StatementPrinter::accumulation(Value value, StringRef target) {
  Operation *op = names.contains(value) ? nullptr : value.getDefiningOp();
  StringRef symbol = op ? accumulationSymbol(op) : "";
  if (symbol.empty())
    return std::nullopt;
  auto isTarget = [&](Value operand) {
    auto found = names.find(operand);
    return found != names.end() && found->second == target;
  };
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  Value other = isTarget(lhs) ? rhs : symbol != "-=" && isTarget(rhs) ? lhs : Value();
  if (!other)
    return std::nullopt;
  return (target + " " + symbol + " " + laneOrOperand(other, Precedence::Conditional)).str();
}

void StatementPrinter::printAssignment(Value value, Value target) {
  std::string name = names.lookup(target);
  if (std::optional<std::string> sum = accumulation(value, name))
    line() << *sum << ";\n";
  else
    line() << name << " = " << assigned(value, target) << ";\n";
}

} // namespace quernel
