// Programs: unpack the buffers, hold the temporaries, call the kernels, stop where a check fails or the user wants it.
#include "compiler/Emit/CppPrinter.h"
#include "runtime/abi.h"

using namespace mlir;

namespace quernel {

/// True if nothing that the argument or temporary is handed to writes to it.
static bool isOnlyRead(Value buffer) {
  return llvm::all_of(buffer.getUses(), [](OpOperand &use) {
    if (isa<memref::LoadOp, ReadOp>(use.getOwner()))
      return true;
    if (auto launch = dyn_cast<LaunchOp>(use.getOwner())) {
      auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(launch, launch.getKernelAttr());
      return argumentOf(kernel, use.getOperandNumber()).readonly;
    }
    auto call = dyn_cast<func::CallOp>(use.getOwner());
    if (!call)
      return isa<memref::CastOp>(use.getOwner()) && isOnlyRead(use.getOwner()->getResult(0));
    auto callee = dyn_cast_or_null<func::FuncOp>(SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr()));
    return callee && argumentOf(callee, use.getOperandNumber()).readonly;
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

/// A program of more calls isn't optimised: what a C++ compiler asks about them takes time that grows much faster than
/// their number.
static constexpr int64_t mostOptimizedCalls = 64;

/// The temporary that the caller gets; of constant size it is seen through a cast.
static memref::AllocOp memoryOf(AddressOp given) {
  Value memory = given.getArray();
  while (auto cast = memory.getDefiningOp<memref::CastOp>())
    memory = cast.getSource();
  return memory.getDefiningOp<memref::AllocOp>();
}

/// Whether a program does little else than to call kernels.
static bool isRowOfCalls(func::FuncOp program) {
  int64_t calls = 0;
  program.walk([&](func::CallOp) { ++calls; });
  return calls > mostOptimizedCalls;
}

void CppPrinter::printProgram(func::FuncOp program) {
  prelude.require("context");
  const bool isPlain = isRowOfCalls(program);
  if (isPlain)
    prelude.require("unoptimized");
  line() << "extern \"C\" " << (isPlain ? "UNOPTIMIZED " : "") << "int32_t " << functionNames[program.getName()]
         << "(const qn_context *context, void *const *buffers, const int64_t *sizes) {\n";
  block([&] {
    unpack(program);
    beginProgram(program);
    countTurns(program);
    printBody(program.getBody().front());
    endProgram();
    for (auto given : program.getOps<AddressOp>()) // nothing fails any more
      if (memref::AllocOp memory = memoryOf(given))
        line() << names.lookup(memory) << ".hand_over();\n";
    line() << "return 0;\n";
  });
  line() << "}\n\n";
}

void CppPrinter::printResource(Operation *op) {
  if (auto check = dyn_cast<CheckOp>(op))
    return printCheck(check);
  if (!hasRole(op->getParentOfType<func::FuncOp>(), FunctionRole::program)) {
    unsupported(op, "can stand in a program alone");
    return;
  }
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return printAlloc(alloc);
  if (auto allocated = dyn_cast<AllocatedOp>(op))
    return printAllocated(allocated);
  if (auto given = dyn_cast<AddressOp>(op))
    return printAddress(given);
  printDealloc(cast<memref::DeallocOp>(op));
}

/// Whether the program looks by itself if the memory is there; where the size is constant, through a cast.
static bool isChecked(Operation *memory) {
  return llvm::any_of(memory->getUsers(), [](Operation *user) {
    return isa<AllocatedOp>(user) || (isa<memref::CastOp>(user) && isChecked(user));
  });
}

void CppPrinter::printAlloc(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  if (type.getRank() != 1 || !scalarName(type.getElementType())) {
    unsupported(alloc, "needs rank 1 and elements that can be printed");
    return;
  }
  std::string count =
      type.hasStaticShape() ? std::to_string(type.getNumElements()) : expression(alloc.getDynamicSizes().front()).text;
  prelude.require("temporary");
  std::string name = define(alloc, "temporary");
  line() << "Temporary<" << elementType(type) << "> " << name << "(context, " << count << ");\n";
  if (isChecked(alloc))
    return;
  line() << "if (!" << name << ")\n";
  line() << "  return " << QN_OUT_OF_MEMORY << ";\n";
}

void CppPrinter::printAllocated(AllocatedOp allocated) {
  llvm::SmallVector<std::string> arguments{"context", std::to_string(errorCode(errors, allocated))};
  // Of more axes than an error has numbers nothing is told but the last ones.
  for (Value size : allocated.getShape().take_back(QN_ERROR_VALUES))
    arguments.push_back(expression(size).text);
  prelude.require("fail");
  line() << "if (!" << operand(allocated.getMemory(), Precedence::Unary) << ")\n";
  line() << "  return fail(" << llvm::join(arguments, ", ") << ");\n";
}

/// The end of a block releases what it holds.
void CppPrinter::printDealloc(memref::DeallocOp dealloc) {
  auto alloc = dealloc.getMemref().getDefiningOp<memref::AllocOp>();
  if (!alloc || alloc->getBlock() != dealloc->getBlock()) {
    unsupported(dealloc, "releases what is not a temporary of its block");
    return;
  }
  bool isLast = true;
  for (Operation *after = dealloc->getNextNode(); after && isLast; after = after->getNextNode())
    isLast = isa<memref::DeallocOp>(after) || after->hasTrait<OpTrait::IsTerminator>();
  if (!isLast)
    line() << names.lookup(alloc) << ".release();\n";
}

void CppPrinter::printAddress(AddressOp given) {
  memref::AllocOp memory = memoryOf(given);
  if (!memory) {
    unsupported(given, "gives away what is not a temporary");
    return;
  }
  std::string data = names.lookup(memory) + ".data";
  line() << "const int64_t " << define(given.getAddress(), "address") << " = (int64_t)" << data << ";\n";
}

std::string CppPrinter::failure(CheckOp check) {
  llvm::SmallVector<std::string> arguments{"context", std::to_string(errorCode(errors, check))};
  for (Value value : check.getValues())
    arguments.push_back(expression(value).text);
  prelude.require("fail");
  return "fail(" + llvm::join(arguments, ", ") + ")";
}

void CppPrinter::printCheck(CheckOp check) {
  ErrorSite site = errorSite(check);
  std::string failed = failure(check);
  line() << "if (!" << operand(check.getOk(), Precedence::Unary) << ")\n";
  line() << "  return " << failed << "; // " << commentText(site.exception) << ": " << commentText(site.message)
         << "\n";
}

void CppPrinter::beginTurn(Operation *loop) {
  std::optional<unsigned> charge = pollCharge(loop);
  if (!charge)
    return;
  if (*charge == 0) {
    line() << "if (int32_t code = context->poll())\n";
  } else {
    prelude.require("poll");
    line() << "if (int32_t code = poll(context, turns, " << *charge << "))\n";
  }
  line() << "  return code;\n";
}

void CppPrinter::beginLoop(scf::ForOp loop, StringRef lower, StringRef upper) {
  if (!isCharged(loop))
    return;
  line() << "turns += " << upper << (lower == "0" ? "" : " - (" + lower.str() + ")") << ";\n";
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
