// Every parallel loop of a program becomes a kernel function, and so does every nest that is to be outlined.
#include "compiler/Dialect/UserLines.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"

namespace quernel {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

/// True for loops that only move elements from one buffer to another.
bool isCopy(Operation *nest) {
  unsigned moves = 0;
  return !nest->walk([&](Operation *op) {
                auto store = dyn_cast<memref::StoreOp>(op);
                moves += store && store.getValueToStore().getDefiningOp<memref::LoadOp>() ? 1 : 0;
                bool harmless = store || isa<memref::LoadOp, scf::ParallelOp, scf::ForOp>(op) ||
                                op->hasTrait<OpTrait::IsTerminator>() ||
                                (op->getNumResults() == 1 && op->getResult(0).getType().isIndex());
                return harmless ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted() &&
         moves == 1;
}

/// Adds what index arithmetic computes a value from to `leaves`: the values that other operations give.
void collectLeaves(Value value, llvm::SetVector<Value> &leaves) {
  if (matchPattern(value, m_Constant()))
    return;
  Operation *op = value.getDefiningOp();
  auto isNumber = [](Value part) { return part.getType().isIndex() || part.getType().isInteger(1); };
  if (op && isa<arith::ArithDialect>(op->getDialect()) && isPure(op) && llvm::all_of(op->getOperands(), isNumber))
    for (Value operand : op->getOperands())
      collectLeaves(operand, leaves);
  else
    leaves.insert(value);
}

/// What is known about a nest of loops: its own array statement, or all those inside.
StatementAttr statementOf(Operation *nest, StringRef program) {
  if (StatementAttr own = statementAt(nest->getLoc()))
    return own;
  SmallVector<StatementAttr> inside;
  nest->walk([&](Operation *op) {
    if (StatementAttr inner = statementAt(op->getLoc()))
      inside.push_back(inner);
  });
  return joinStatements(StringAttr::get(nest->getContext(), program + "_loop"), inside);
}

/// The user's lines of a nest: its own, or also those inside.
ArrayAttr linesOf(Operation *nest, bool withInner) {
  SmallVector<Location> locations{nest->getLoc()};
  if (withInner)
    nest->walk([&](Operation *op) { locations.push_back(op->getLoc()); });
  SmallVector<Attribute> result;
  for (const std::string &line : userLines(locations))
    result.push_back(StringAttr::get(nest->getContext(), line));
  return ArrayAttr::get(nest->getContext(), result);
}

class Outliner {
public:
  Outliner(func::FuncOp program, SymbolTable &symbols) : program(program), symbols(symbols) {}

  void run() {
    SmallVector<Operation *> nests;
    program.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isa<scf::ParallelOp>(op) && !scheduleOf(op).outlined)
        return WalkResult::advance();
      nests.push_back(op);
      return WalkResult::skip();
    });
    for (Operation *nest : nests)
      outline(nest);
  }

private:
  void outline(Operation *nest) {
    Location loc = nest->getLoc();
    SmallVector<Value> captured = capturedValues(nest);
    OpBuilder builder(program);
    // A copy is no statement of the user's.
    bool isStatement = !!statementAt(loc);
    StatementAttr statement = isStatement || !isCopy(nest) ? statementOf(nest, program.getName()) : StatementAttr();
    std::string name = statement ? statement.getName().str() : (program.getName() + "_copy").str();
    auto kernel =
        func::FuncOp::create(builder, loc, name, builder.getFunctionType(ValueRange(captured).getTypes(), {}));
    kernel.setPrivate();
    ArrayAttr lines = linesOf(nest, statement && !isStatement);
    setFunctionAttr(kernel, FunctionAttr::get(kernel.getContext(), FunctionRole::kernel, {}, lines, sourceOf(lines),
                                              statement, nullptr, nullptr));
    symbols.insert(kernel, Block::iterator(program));
    changeSchedule(nest, [](Schedule &schedule) { schedule.outlined = false; });
    moveBody(nest, kernel, captured);
    describeArguments(kernel, captured);
    builder.setInsertionPoint(nest);
    func::CallOp::create(builder, loc, kernel, captured);
    nest->erase();
  }

  /// The text of a kernel's lines; null where the module doesn't have all of it.
  ArrayAttr sourceOf(ArrayAttr lines) {
    DictionaryAttr texts = sourceLinesOf(program->getParentOp());
    SmallVector<Attribute> source;
    for (StringRef line : lines.getAsValueRange<StringAttr>())
      if (Attribute text = texts ? texts.get(line) : Attribute())
        source.push_back(text);
    bool isWhole = !source.empty() && source.size() == lines.size();
    return isWhole ? ArrayAttr::get(lines.getContext(), source) : ArrayAttr();
  }

  /// Pointers first, then sizes and scalars. Constants, and index arithmetic of one number, are repeated inside
  /// instead: so the passes over kernels know how many turns a loop has.
  SmallVector<Value> capturedValues(Operation *nest) {
    llvm::SetVector<Value> used(nest->operand_begin(), nest->operand_end());
    getUsedValuesDefinedAbove(nest->getRegions(), used);
    llvm::SetVector<Value> pointers, others;
    for (Value value : used) {
      if (matchPattern(value, m_Constant()) || value.getDefiningOp<memref::GetGlobalOp>() || isConstantTable(value))
        continue;
      llvm::SetVector<Value> leaves;
      if (isa<MemRefType>(value.getType()))
        pointers.insert(value);
      else if (collectLeaves(value, leaves); leaves.size() == 1)
        others.insert(leaves.front());
      else
        others.insert(value);
    }
    pointers.insert_range(others);
    return pointers.takeVector();
  }

  /// Repeats what computes `value`, from values that `mapping` has.
  static void repeat(OpBuilder &builder, Value value, IRMapping &mapping) {
    if (mapping.contains(value))
      return;
    for (Value operand : value.getDefiningOp()->getOperands())
      repeat(builder, operand, mapping);
    builder.clone(*value.getDefiningOp(), mapping);
  }

  static bool isConstantTable(Value value) {
    auto cast = value.getDefiningOp<memref::CastOp>();
    return cast && cast.getSource().getDefiningOp<memref::GetGlobalOp>();
  }

  void moveBody(Operation *nest, func::FuncOp kernel, ArrayRef<Value> captured) {
    Block *entry = kernel.addEntryBlock();
    OpBuilder builder = OpBuilder::atBlockBegin(entry);
    IRMapping mapping;
    mapping.map(captured, entry->getArguments());
    llvm::SetVector<Value> used(nest->operand_begin(), nest->operand_end());
    getUsedValuesDefinedAbove(nest->getRegions(), used);
    for (Value value : used)
      repeat(builder, value, mapping);
    builder.clone(*nest, mapping);
    func::ReturnOp::create(builder, kernel.getLoc());
  }

  void describeArguments(func::FuncOp kernel, ArrayRef<Value> captured) {
    Builder builder(kernel.getContext());
    unsigned temporaries = 0;
    for (auto [i, value] : llvm::enumerate(captured)) {
      Argument known;
      kernel.getArgument(i).setLoc(value.getLoc());
      if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == &program.getBody().front())
        known.name = argumentOf(program, argument.getArgNumber()).name;
      else if (isa<MemRefType>(value.getType()))
        known.name = builder.getStringAttr("tmp" + Twine(temporaries++));
      known.readonly = isa<MemRefType>(value.getType()) && !isStored(kernel.getArgument(i));
      setArgument(kernel, i, known);
    }
  }

  static bool isStored(Value buffer) {
    return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
      return storedBuffer(user) || (isa<memref::CastOp>(user) && isStored(user->getResult(0)));
    });
  }

  func::FuncOp program;
  SymbolTable &symbols;
};

struct OutlineKernels : quernel::impl::OutlineKernelsBase<OutlineKernels> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> programs;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (hasRole(function, FunctionRole::program))
        programs.push_back(function);
    for (func::FuncOp program : programs)
      Outliner(program, symbols).run();
  }
};

} // namespace
