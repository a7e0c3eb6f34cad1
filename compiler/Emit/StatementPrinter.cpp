#include "compiler/Emit/StatementPrinter.h"

#include "compiler/Emit/Mathematics.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace quernel {

StatementPrinter::StatementPrinter(ModuleOp module, const EmitOptions &options, StringRef functionQualifier)
    : ExpressionPrinter(options, functionQualifier), module(module) {}

void StatementPrinter::nameModule() {
  // Programs are called from outside, so their names stay as they are.
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic())
      identifiers.reserve(function.getName());
  for (auto function : module.getOps<func::FuncOp>())
    functionNames[function.getName()] = function.isPublic() || function.isDeclaration()
                                            ? function.getName().str()
                                            : identifiers.fresh(function.getName());
  for (auto global : module.getOps<memref::GlobalOp>())
    globals[global.getName()] = identifiers.fresh(global.getName());
  nameMore();
}

LogicalResult StatementPrinter::print(raw_ostream &os) {
  nameModule();
  for (Operation &op : *module.getBody())
    TypeSwitch<Operation *>(&op)
        .Case([&](memref::GlobalOp global) {
          if (printsGlobal(global))
            printConstantGlobal(global);
        })
        .Case([&](func::FuncOp function) {
          if (function.isDeclaration())
            return;
          Names::Scope scope(identifiers);
          beginFunction(function);
          printFunction(function);
        })
        .Default([&](Operation *other) { unsupported(other); });
  if (failed)
    return failure();
  std::string helpers = prelude.text(), types = vectors.definitions();
  printHead(os);
  os << "namespace quernel {\n\n" << integerDefinitions(types + helpers + text, hasVectors()) << types << "\n";
  if (!helpers.empty())
    os << helpers << "\n";
  os << text << "} // namespace quernel\n";
  return success();
}

raw_ostream &StatementPrinter::line() { return stream.indent(2 * depth); }

void StatementPrinter::block(llvm::function_ref<void()> print) {
  Names::Scope scope(identifiers);
  ++depth;
  print();
  --depth;
}

std::string StatementPrinter::elementType(MemRefType type) { return typeName(type.getElementType()); }

static bool isPlainPointer(MemRefType type) { return type.getRank() == 1 && type.getLayout().isIdentity(); }

static std::string elementText(Attribute element, llvm::function_ref<std::string(TypedAttr)> literal) {
  return literal(cast<TypedAttr>(element));
}

void StatementPrinter::printConstantGlobal(memref::GlobalOp global) {
  MemRefType type = global.getType();
  auto value = dyn_cast_or_null<DenseElementsAttr>(global.getInitialValueAttr());
  if (!isPlainPointer(type) || !scalarName(type.getElementType()) || !value || !global.getConstant()) {
    unsupported(global, "has to be a constant array of rank 1");
    return;
  }
  // C++ has no empty arrays.
  int64_t size = std::max<int64_t>(type.getNumElements(), 1);
  line() << "alignas(" << options.vectorBytes << ") " << constantQualifier() << " const " << elementType(type) << " "
         << globals[global.getName()] << "[" << size << "] = {";
  const char *separator = "";
  for (Attribute element : value.getValues<Attribute>()) {
    stream << separator << elementText(element, [&](TypedAttr one) { return literal(one); });
    separator = ", ";
  }
  stream << "};\n\n";
}

/// A comment ends with its line; a backslash there would not let it.
std::string StatementPrinter::commentText(StringRef text) {
  std::string result = text.trim().str();
  std::replace(result.begin(), result.end(), '\n', ' ');
  while (!result.empty() && (result.back() == '\\' || result.back() == ' '))
    result.pop_back();
  return result;
}

void StatementPrinter::printKernelComment(func::FuncOp kernel) {
  FunctionAttr known = functionAttrOf(kernel);
  ArrayAttr lines = known.getLines(), source = known.getSource();
  auto get = [](ArrayAttr array, size_t index) {
    auto text = array && index < array.size() ? dyn_cast<StringAttr>(array[index]) : StringAttr();
    return text ? commentText(text.getValue()) : std::string();
  };
  size_t count = std::max(lines ? lines.size() : 0, source ? source.size() : 0);
  for (size_t index = 0; index < count; ++index) {
    std::string place = get(lines, index), code = get(source, index);
    line() << "// " << place << (place.empty() || code.empty() ? "" : ": ") << code << "\n";
  }
}

std::string StatementPrinter::nameArgument(func::FuncOp function, BlockArgument argument) {
  StringRef wish = argumentOf(function, argument.getArgNumber()).nameOr(nameOf(argument.getLoc()));
  if (wish.empty())
    wish = isa<MemRefType>(argument.getType()) ? "array" : argument.getType().isIndex() ? "n" : "x";
  std::string result = identifiers.fresh(wish);
  names[argument] = result;
  return result;
}

std::string StatementPrinter::parameter(Value value, StringRef name, bool isReadonly) {
  auto memref = dyn_cast<MemRefType>(value.getType());
  if (!memref)
    return typeName(value.getType()) + " " + name.str();
  return (isReadonly ? "const " : "") + elementType(memref) + " *" + restrictQualifier().str() + " " + name.str();
}

llvm::SmallVector<std::string> StatementPrinter::parameters(func::FuncOp kernel) {
  llvm::SmallVector<std::string> result;
  for (BlockArgument argument : kernel.getArguments()) {
    auto memref = dyn_cast<MemRefType>(argument.getType());
    bool printable = memref ? isPlainPointer(memref) && scalarName(memref.getElementType())
                            : scalarName(argument.getType()).has_value();
    if (!printable)
      unsupported(kernel, "has an argument that is neither a number nor a plain array of rank 1");
    bool isReadonly = argumentOf(kernel, argument.getArgNumber()).readonly;
    result.push_back(parameter(argument, nameArgument(kernel, argument), isReadonly));
  }
  return result;
}

} // namespace quernel
