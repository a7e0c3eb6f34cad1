// Kernels that do the same to other arrays become one, which is called for all of them. What differs in numbers alone
// gets these as arguments.
//
//   kernel f(x, y):  y[i] = x[i] * 2.0 + 1.0      →    kernel f(x, y, k):  y[i] = x[i] * k + 1.0
//   kernel g(x, y):  y[i] = x[i] * 3.0 + 1.0           f(a, b, 2.0); f(b, c, 3.0)
//   f(a, b); g(b, c)
//
// So the time to compile a long program grows with what is new in it.
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include <deque>
#include <map>

namespace quernel {
#define GEN_PASS_DEF_MERGEKERNELS
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

/// Programs of no more kernels keep those that differ in numbers, since the C++ compiler puts them into the program and
/// knows the numbers, and copies, which are short and which `explain` counts.
constexpr int64_t fewKernels = 8;

/// What a kernel is but for names, lines and numbers that may be arguments. Kernels with equal forms do the same.
class KernelForm {
public:
  /// @param numbersDiffer  whether kernels of one form may have other numbers
  KernelForm(func::FuncOp kernel, bool numbersDiffer) : numbersDiffer(numbersDiffer) {
    // The order of a sum, and which of two functions of math computes an element, may follow from how long a loop is.
    hasFixedSizes = kernel
                        .walk([](Operation *op) {
                          auto loop = dyn_cast<scf::ForOp>(op);
                          bool depends = isFunction(*op) || (loop && loop.getNumResults());
                          return depends ? WalkResult::interrupt() : WalkResult::advance();
                        })
                        .wasInterrupted();
    FunctionAttr description = functionAttrOf(kernel);
    add(description.getTypes().getAsOpaquePointer());
    parts.push_back(!description.getStatement());
    for (auto [number, type] : llvm::enumerate(kernel.getArgumentTypes())) {
      add(type.getAsOpaquePointer());
      parts.push_back(argumentOf(kernel, number).readonly);
    }
    addRegion(kernel.getBody());
  }

  bool operator<(const KernelForm &other) const { return parts < other.parts; }

  /// Constants that may be arguments, in the order of the text.
  SmallVector<arith::ConstantOp> numbers;

private:
  void add(const void *part) { parts.push_back(reinterpret_cast<uintptr_t>(part)); }

  void addRegion(Region &region) {
    for (Block &block : region) {
      for (BlockArgument argument : block.getArguments()) {
        add(argument.getType().getAsOpaquePointer());
        known.try_emplace(argument, known.size());
      }
      parts.push_back(block.getOperations().size());
      for (Operation &op : block)
        addOperation(op);
    }
  }

  void addOperation(Operation &op) {
    add(op.getName().getAsOpaquePointer());
    auto constant = dyn_cast<arith::ConstantOp>(op);
    const bool isNumber = numbersDiffer && constant && mayBeArgument(constant);
    if (isNumber)
      numbers.push_back(constant);
    else
      add(op.getAttrDictionary().getAsOpaquePointer());
    if (isa<QuernelDialect>(op.getDialect())) // a check tells of its line
      add(op.getLoc().getAsOpaquePointer());
    for (Value operand : op.getOperands())
      parts.push_back(known.lookup(operand));
    for (Value result : op.getResults()) {
      add(result.getType().getAsOpaquePointer());
      known.try_emplace(result, known.size());
    }
    for (Region &region : op.getRegions())
      addRegion(region);
  }

  /// Numbers that are computed with; of sizes and places those that decide about nothing but which elements are
  /// touched.
  bool mayBeArgument(arith::ConstantOp constant) const {
    if (constant.getType().isIndex())
      return !hasFixedSizes && llvm::all_of(constant->getUses(), [](OpOperand &use) {
        Operation *user = use.getOwner();
        if (auto loop = dyn_cast<scf::ForOp>(user))
          return use.get() != loop.getStep();
        if (auto loop = dyn_cast<scf::ParallelOp>(user))
          return !llvm::is_contained(loop.getStep(), use.get());
        return isa<memref::LoadOp, memref::StoreOp, arith::AddIOp, arith::SubIOp, arith::MulIOp>(user);
      });
    return isa<FloatType>(constant.getType()) && llvm::all_of(constant->getUsers(), [](Operation *user) {
             return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::CmpFOp, arith::SelectOp,
                        memref::StoreOp>(user);
           });
  }

  std::vector<uintptr_t> parts;
  llvm::DenseMap<Value, uintptr_t> known;
  bool numbersDiffer, hasFixedSizes;
};

/// Kernels of one form, with their forms.
using Group = SmallVector<std::pair<func::FuncOp, const KernelForm *>>;

class Merger {
public:
  explicit Merger(ModuleOp module) : module(module) {
    module.walk([&](func::CallOp call) { calls[call.getCallee()].push_back(call); });
  }

  void run() {
    std::deque<KernelForm> forms;
    std::map<KernelForm *, size_t, Before> places;
    std::vector<Group> groups;
    SmallVector<func::FuncOp> kernels;
    for (auto function : module.getOps<func::FuncOp>())
      if (hasRole(function, FunctionRole::kernel))
        kernels.push_back(function);
    const bool isLong = static_cast<int64_t>(kernels.size()) > fewKernels;
    for (func::FuncOp function : kernels) {
      if (!isLong && !functionAttrOf(function).getStatement())
        continue;
      KernelForm &form = forms.emplace_back(function, isLong);
      auto [place, isNew] = places.try_emplace(&form, groups.size());
      if (isNew)
        groups.emplace_back();
      groups[place->second].push_back({function, &form});
    }
    for (Group &group : groups)
      if (group.size() > 1)
        merge(group);
  }

private:
  struct Before {
    bool operator()(const KernelForm *a, const KernelForm *b) const { return *a < *b; }
  };

  static Attribute valueOf(arith::ConstantOp constant) { return constant.getValue(); }

  /// Makes the first kernel the only one.
  void merge(Group &group) {
    auto [first, form] = group.front();
    SmallVector<unsigned> differing;
    for (unsigned number = 0; number < form->numbers.size(); ++number)
      if (llvm::any_of(group, [&](const auto &member) {
            return valueOf(member.second->numbers[number]) != valueOf(form->numbers[number]);
          }))
        differing.push_back(number);
    for (auto [kernel, other] : group)
      for (func::CallOp call : calls[kernel.getName()]) {
        OpBuilder builder(call);
        SmallVector<Value> operands(call.getOperands());
        for (unsigned number : differing)
          operands.push_back(builder.clone(*arith::ConstantOp(other->numbers[number]))->getResult(0));
        func::CallOp::create(builder, call.getLoc(), first, operands);
        call.erase();
      }
    describe(group);
    for (unsigned number : differing) {
      arith::ConstantOp constant = form->numbers[number];
      (void)first.insertArgument(first.getNumArguments(), constant.getType(), {}, constant.getLoc());
      constant.replaceAllUsesWith(first.getArguments().back());
      constant.erase();
    }
    for (auto [kernel, other] : llvm::drop_begin(group))
      kernel.erase();
  }

  /// The one kernel has the lines, and what is known of the statements, of all.
  void describe(Group &group) {
    llvm::MapVector<Attribute, Attribute> lines;
    SmallVector<StatementAttr> statements;
    for (auto [kernel, form] : group) {
      FunctionAttr known = functionAttrOf(kernel);
      if (StatementAttr statement = known.getStatement())
        statements.push_back(statement);
      ArrayAttr source = known.getSource();
      for (auto [number, line] : llvm::enumerate(known.getLines()))
        lines.insert({line, source ? source[number] : Attribute()});
    }
    FunctionAttr known = functionAttrOf(group.front().first);
    SmallVector<Attribute> numbers, texts;
    for (auto [line, text] : lines) {
      numbers.push_back(line);
      texts.push_back(text);
    }
    MLIRContext *context = known.getContext();
    const bool hasTexts = llvm::all_of(texts, [](Attribute text) { return !!text; });
    StatementAttr statement = statements.empty() ? nullptr : joinStatements(statements[0].getName(), statements);
    setFunctionAttr(group.front().first,
                    FunctionAttr::get(context, known.getRole(), known.getUpdates(), ArrayAttr::get(context, numbers),
                                      hasTexts ? ArrayAttr::get(context, texts) : nullptr, statement, known.getWork(),
                                      known.getTypes()));
  }

  ModuleOp module;
  llvm::StringMap<SmallVector<func::CallOp>> calls;
};

struct MergeKernels : quernel::impl::MergeKernelsBase<MergeKernels> {
  void runOnOperation() override { Merger(getOperation()).run(); }
};

} // namespace
