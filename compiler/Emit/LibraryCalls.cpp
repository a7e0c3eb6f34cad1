// Calls of the routines of Routines.h.
#include "compiler/Emit/CppPrinter.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "runtime/abi.h"

using namespace mlir;

namespace quernel {

/// Whether an operand has two floats for each element.
static bool isPairs(const RoutineFunction &function, RoutineElement element) {
  const bool isComplex = function.type.starts_with("c");
  return element == RoutineElement::complex || (element == RoutineElement::own && isComplex);
}

/// A pointer that is so many elements behind another.
std::string CppPrinter::withOffset(std::string pointer, Value offset, bool isComplex) {
  if (matchPattern(offset, m_Zero()))
    return pointer;
  if (isComplex)
    return pointer + " + " + operand(offset, Precedence::Multiplicative) + " * 2";
  return pointer + " + " + operand(offset, Precedence::Additive);
}

bool mayEndProgram(func::CallOp call) {
  auto function = RoutineFunction::find(call.getCallee());
  return function && !function->routine->alwaysEnds;
}

bool isSingleDraw(func::CallOp call) {
  auto function = RoutineFunction::find(call.getCallee());
  const auto arrays = function ? function->routine->arrays() : llvm::SmallVector<RoutineOperand>();
  constexpr StringRef axes[] = {"s", "s", "n"};
  if (arrays.size() != std::size(axes) || function->routine->library != Library::random ||
      arrays.back().element != RoutineElement::doubles)
    return false;
  for (auto [array, letters] : llvm::zip_equal(arrays, axes))
    if (array.axes != letters)
      return false;
  // Offsets, strides, and the sizes of the batch and of n, as LibraryCalls leaves them.
  constexpr int64_t expected[] = {0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 1, 1};
  for (auto [value, number] : llvm::zip(call.getOperands().drop_front(arrays.size()), expected))
    if (getConstantIntValue(value) != number)
      return false;
  return true;
}

/// Pointers, and numbers among them, up to the last pointer; an offset for each pointer; sizes.
void CppPrinter::printUserCall(func::CallOp call) {
  auto isPointer = [&](Value operand) { return isa<MemRefType>(operand.getType()); };
  auto operands = call.getOperands();
  size_t given = operands.size();
  while (given > 0 && !isPointer(operands[given - 1]))
    --given;
  const size_t pointers = llvm::count_if(operands, isPointer);
  if (pointers == 0 || operands.size() < given + pointers) {
    unsupported(call, "calls a function of the user's without the pointers and offsets that it needs");
    return;
  }
  llvm::SmallVector<std::string> arguments, sizes;
  size_t offset = given;
  for (Value operand : operands.take_front(given))
    if (isPointer(operand))
      arguments.push_back(withOffset(expression(operand).text, operands[offset++], false));
    else
      arguments.push_back("address_of<" + typeOf(operand) + ">(" + expression(operand).text + ")");
  for (Value size : operands.drop_front(given + pointers))
    sizes.push_back(expression(size).text);
  prelude.require("user_function", {{"NAME", call.getCallee().str()}});
  prelude.require("call_user");
  line() << "if (int32_t code = call_user(" << call.getCallee() << ", context, {"
         << (sizes.empty() ? "0" : llvm::join(sizes, ", ")) << "}, " << llvm::join(arguments, ", ") << "))\n";
  line() << "  return code;\n";
}

/// A number of abi.h, and the name that it stands for.
static std::string numberOf(unsigned number, StringRef name) {
  return std::to_string(number) + " /* " + name.str() + " */";
}

std::string CppPrinter::routineCall(func::CallOp call, const RoutineFunction &function, const RoutineArguments &given) {
  const std::string routine = numberOf(function.routineNumber(), function.routine->name);
  if (isSingleDraw(call)) {
    prelude.require("draw");
    const std::string &words = given.sizes[2];
    return "draw(context, " + routine + ", " + words + ", " + llvm::join(given.pointers, ", ") + ")";
  }
  prelude.require("call");
  return "call(context, " + routine + ", " + numberOf(function.typeNumber(), function.type) + ", {" +
         llvm::join(given.sizes, ", ") + "}, {" + llvm::join(given.strides, ", ") + "}, " +
         llvm::join(given.pointers, ", ") + ")";
}

void CppPrinter::printLibraryCall(func::CallOp call) {
  auto function = RoutineFunction::find(call.getCallee());
  const unsigned pointers = llvm::count_if(call.getOperandTypes(), llvm::IsaPred<MemRefType>);
  auto arrays = function ? function->routine->arrays() : llvm::SmallVector<RoutineOperand>();
  const unsigned strides = 3 * arrays.size();
  const bool fits = function && pointers == arrays.size() + function->routine->mayFail &&
                    call.getNumOperands() == 2 * pointers + strides + 4;
  if (!fits) {
    unsupported(call, "calls a library function that the runtime doesn't have");
    return;
  }
  RoutineArguments given;
  for (unsigned k = 0; k < pointers; ++k)
    given.pointers.push_back(withOffset(expression(call.getOperand(k)).text, call.getOperand(pointers + k),
                                        k < arrays.size() && isPairs(*function, arrays[k].element)));
  for (auto [number, value] : llvm::enumerate(call.getOperands().drop_front(2 * pointers)))
    (number < strides ? given.strides : given.sizes).push_back(expression(value).text);
  line() << "if (int32_t code = " << routineCall(call, *function, given) << ")\n";
  if (!mayEndProgram(call)) {
    line() << "  return code;\n";
    return;
  }
  prelude.require("fail");
  line() << "  return fail(context, " << errorCode(errors, call) << ", code);\n";
}

} // namespace quernel
