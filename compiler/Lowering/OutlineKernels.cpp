// Every parallel loop of a program becomes a kernel function.
#include "compiler/Lowering/Passes.h"
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

/// What FormKernels wrote into the kernel's location.
DictionaryAttr aboutKernel(Location loc) {
  DictionaryAttr about;
  loc->walk([&](Location inner) {
    if (auto fused = dyn_cast<FusedLoc>(inner); fused && isa_and_nonnull<DictionaryAttr>(fused.getMetadata()))
      about = cast<DictionaryAttr>(fused.getMetadata());
    return about ? WalkResult::interrupt() : WalkResult::advance();
  });
  return about;
}

/// The user's lines, each once, in order.
ArrayAttr linesOf(Location loc) {
  std::map<std::pair<StringRef, unsigned>, bool> lines;
  loc->walk([&](Location inner) {
    if (auto line = dyn_cast<FileLineColLoc>(inner); line && line.getLine() > 0)
      lines[{line.getFilename().getValue(), line.getLine()}] = true;
    return WalkResult::advance();
  });
  Builder builder(loc.getContext());
  SmallVector<Attribute> result;
  for (auto &[line, unused] : lines)
    result.push_back(builder.getStringAttr(line.first + ":" + Twine(line.second)));
  return builder.getArrayAttr(result);
}

class Outliner {
public:
  Outliner(func::FuncOp program, SymbolTable &symbols) : program(program), symbols(symbols) {}

  void run() {
    SmallVector<scf::ParallelOp> loops(program.getOps<scf::ParallelOp>());
    for (scf::ParallelOp loop : loops)
      outline(loop);
  }

private:
  void outline(scf::ParallelOp loop) {
    Location loc = loop.getLoc();
    SmallVector<Value> captured = capturedValues(loop);
    OpBuilder builder(program);
    DictionaryAttr about = aboutKernel(loc);
    std::string name = (program.getName() + "_kernel").str();
    if (about)
      name = about.getAs<StringAttr>("name").str();
    auto kernel =
        func::FuncOp::create(builder, loc, name, builder.getFunctionType(ValueRange(captured).getTypes(), {}));
    kernel.setPrivate();
    kernel->setAttr("quernel.kernel", builder.getUnitAttr());
    kernel->setAttr("quernel.lines", linesOf(loc));
    if (about)
      kernel->setAttr("quernel.about", about);
    addSource(kernel);
    symbols.insert(kernel, Block::iterator(program));
    moveBody(loop, kernel, captured);
    describeArguments(kernel, captured);
    builder.setInsertionPoint(loop);
    func::CallOp::create(builder, loc, kernel, captured);
    loop.erase();
  }

  /// The text of the kernel's lines, where the module has it.
  void addSource(func::FuncOp kernel) {
    auto texts = program->getParentOp()->getAttrOfType<DictionaryAttr>("quernel.source_lines");
    auto lines = kernel->getAttrOfType<ArrayAttr>("quernel.lines");
    SmallVector<Attribute> source;
    for (StringRef line : lines.getAsValueRange<StringAttr>())
      if (Attribute text = texts ? texts.get(line) : Attribute())
        source.push_back(text);
    if (!source.empty() && source.size() == lines.size())
      kernel->setAttr("quernel.source", ArrayAttr::get(kernel.getContext(), source));
  }

  /// Pointers first, then sizes and scalars; constants are repeated inside instead.
  SmallVector<Value> capturedValues(scf::ParallelOp loop) {
    llvm::SetVector<Value> used(loop->operand_begin(), loop->operand_end());
    getUsedValuesDefinedAbove(loop->getRegions(), used);
    SmallVector<Value> pointers, others;
    for (Value value : used) {
      if (matchPattern(value, m_Constant()) || value.getDefiningOp<memref::GetGlobalOp>() || isConstantTable(value))
        continue;
      (isa<MemRefType>(value.getType()) ? pointers : others).push_back(value);
    }
    llvm::append_range(pointers, others);
    return pointers;
  }

  static bool isConstantTable(Value value) {
    auto cast = value.getDefiningOp<memref::CastOp>();
    return cast && cast.getSource().getDefiningOp<memref::GetGlobalOp>();
  }

  void moveBody(scf::ParallelOp loop, func::FuncOp kernel, ArrayRef<Value> captured) {
    Block *entry = kernel.addEntryBlock();
    OpBuilder builder = OpBuilder::atBlockBegin(entry);
    IRMapping mapping;
    mapping.map(captured, entry->getArguments());
    llvm::SetVector<Value> used(loop->operand_begin(), loop->operand_end());
    getUsedValuesDefinedAbove(loop->getRegions(), used);
    for (Value value : used) {
      if (mapping.contains(value))
        continue;
      if (isConstantTable(value))
        builder.clone(*value.getDefiningOp<memref::CastOp>().getSource().getDefiningOp(), mapping);
      builder.clone(*value.getDefiningOp(), mapping);
    }
    builder.clone(*loop, mapping);
    func::ReturnOp::create(builder, kernel.getLoc());
  }

  void describeArguments(func::FuncOp kernel, ArrayRef<Value> captured) {
    Builder builder(kernel.getContext());
    unsigned temporaries = 0;
    for (auto [i, value] : llvm::enumerate(captured)) {
      Attribute name;
      if (auto argument = dyn_cast<BlockArgument>(value))
        name = program.getArgAttr(argument.getArgNumber(), "quernel.name");
      else if (isa<MemRefType>(value.getType()))
        name = builder.getStringAttr("tmp" + Twine(temporaries++));
      if (name)
        kernel.setArgAttr(i, "quernel.name", name);
      bool stored =
          llvm::any_of(kernel.getArgument(i).getUsers(), [](Operation *user) { return isa<memref::StoreOp>(user); });
      if (isa<MemRefType>(value.getType()) && !stored)
        kernel.setArgAttr(i, "quernel.readonly", builder.getUnitAttr());
    }
  }

  func::FuncOp program;
  SymbolTable &symbols;
};

struct OutlineKernels : quernel::impl::OutlineKernelsBase<OutlineKernels> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> programs;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr("quernel.program"))
        programs.push_back(function);
    for (func::FuncOp program : programs)
      Outliner(program, symbols).run();
  }
};

} // namespace
