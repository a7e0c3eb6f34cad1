// Programs: unpack the buffers, hold the temporaries, call the kernels.
#include "compiler/Emit/CppPrinter.h"

using namespace mlir;

namespace quernel {

/// True if nothing that the argument or temporary is handed to writes to it.
static bool isOnlyRead(Value buffer) {
  return llvm::all_of(buffer.getUses(), [](OpOperand &use) {
    auto call = dyn_cast<func::CallOp>(use.getOwner());
    if (!call)
      return isa<memref::CastOp>(use.getOwner()) && isOnlyRead(use.getOwner()->getResult(0));
    auto callee = dyn_cast_or_null<func::FuncOp>(SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr()));
    return callee && callee.getArgAttr(use.getOperandNumber(), "quernel.readonly");
  });
}

void CppPrinter::unpackBuffer(func::FuncOp program, BlockArgument argument, unsigned index) {
  auto memref = dyn_cast<MemRefType>(argument.getType());
  std::optional<std::string> type = scalarName(memref ? memref.getElementType() : argument.getType());
  if (!type || (memref && memref.getRank() != 1)) {
    unsupported(program, "has an argument that is neither a number nor a plain array of rank 1");
    return;
  }
  std::string name = nameArgument(program, argument);
  std::string slot = "buffers[" + std::to_string(index) + "]";
  std::string constant = !memref || isOnlyRead(argument) ? "const " : "";
  if (memref)
    line() << constant << *type << " *" << name << " = (" << constant << *type << " *)" << slot << ";\n";
  else
    line() << "const " << *type << " " << name << " = *(const " << *type << " *)" << slot << ";\n";
}

/// Symbols and strides come in `sizes`, all else in `buffers`.
void CppPrinter::unpack(func::FuncOp program) {
  unsigned sizes = 0, buffers = 0;
  for (BlockArgument argument : program.getArguments()) {
    if (argument.use_empty()) {
      argument.getType().isIndex() ? ++sizes : ++buffers;
      continue;
    }
    if (!argument.getType().isIndex()) {
      unpackBuffer(program, argument, buffers++);
      continue;
    }
    line() << "const int64_t " << nameArgument(program, argument) << " = sizes[" << sizes++ << "];\n";
  }
}

void CppPrinter::printProgram(func::FuncOp program) {
  prelude.require("context");
  live.clear();
  line() << "extern \"C\" int32_t " << functionNames[program.getName()]
         << "(const qn_context *context, void *const *buffers, const int64_t *sizes) {\n";
  block([&] {
    unpack(program);
    for (Operation &op : program.getBody().front())
      printProgramOp(&op);
    line() << "return 0;\n";
  });
  line() << "}\n\n";
}

void CppPrinter::printProgramOp(Operation *op) {
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return printAlloc(alloc);
  if (auto dealloc = dyn_cast<memref::DeallocOp>(op))
    return printDealloc(dealloc);
  if (op->getNumRegions() != 0) {
    unsupported(op, "cannot stand in a program");
    return;
  }
  printOp(op);
}

void CppPrinter::printAlloc(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  if (type.getRank() != 1 || !scalarName(type.getElementType())) {
    unsupported(alloc, "needs rank 1 and elements that can be printed");
    return;
  }
  unsigned bytes = elementBits(type.getElementType()) / 8;
  std::string size = type.hasStaticShape() ? std::to_string(type.getNumElements() * bytes)
                                           : operand(alloc.getDynamicSizes().front(), Precedence::Multiplicative);
  if (!type.hasStaticShape() && bytes != 1)
    size += " * " + std::to_string(bytes);
  std::string name = define(alloc, "temporary"), element = elementType(type);
  line() << element << " *" << name << " = (" << element << " *)context->alloc(" << size << ");\n";
  line() << "if (!" << name << ") {\n";
  block([&] {
    for (Value held : llvm::reverse(live))
      line() << "context->release(" << names.lookup(held) << ");\n";
    line() << "return 1;\n";
  });
  line() << "}\n";
  live.insert(alloc);
}

void CppPrinter::printDealloc(memref::DeallocOp dealloc) {
  if (!live.remove(dealloc.getMemref())) {
    unsupported(dealloc, "releases what is not a temporary of this program");
    return;
  }
  line() << "context->release(" << names.lookup(dealloc.getMemref()) << ");\n";
}

void CppPrinter::printLibraryCall(func::CallOp call) {
  StringRef name = call.getCallee();
  if (name != "qn_matmul_f64" && name != "qn_matmul_f32") {
    unsupported(call, "calls a library function that the runtime doesn't have");
    return;
  }
  llvm::SmallVector<std::string> arguments;
  for (Value value : call.getOperands())
    arguments.push_back(expression(value).text);
  line() << "context->" << name.drop_front(3) << "(" << llvm::join(arguments, ", ") << ");\n";
}

/// Symbols in, every dimension of every output out.
void CppPrinter::printShapes(func::FuncOp shapes) {
  line() << "extern \"C\" void " << functionNames[shapes.getName()] << "(const int64_t *symbols, int64_t *dims) {\n";
  block([&] {
    for (BlockArgument argument : shapes.getArguments())
      if (!argument.use_empty())
        line() << "const int64_t " << nameArgument(shapes, argument) << " = symbols[" << argument.getArgNumber()
               << "];\n";
    Block &body = shapes.getBody().front();
    printBody(body);
    for (auto [index, value] : llvm::enumerate(body.getTerminator()->getOperands()))
      line() << "dims[" << index << "] = " << expression(value).text << ";\n";
  });
  line() << "}\n\n";
}

} // namespace quernel
