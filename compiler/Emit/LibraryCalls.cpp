// Calls of the library: products of matrices, and the routines of Routines.h.
#include "compiler/Dialect/Routines.h"
#include "compiler/Emit/CppPrinter.h"
#include "mlir/IR/Matchers.h"
#include "runtime/abi.h"

using namespace mlir;

namespace quernel {

/// In the order of abi.h.
static constexpr const char *lapackRoutines[] = {
    "solve", "inv",     "cholesky", "cholesky_upper", "eigh", "eigh_upper", "eigvalsh", "eigvalsh_upper",
    "det",   "slogdet", "qr",       "qr_complete",    "qr_r", "svd",        "svd_full", "svdvals",
    "eig",   "eigvals"};
static_assert(std::size(lapackRoutines) == QN_LAPACK_ROUTINES);
static constexpr const char *orders[] = {"sort", "sort_stable", "argsort", "argsort_stable", "partition"};
static_assert(std::size(orders) == QN_SORT_ORDERS);
static constexpr const char *transforms[] = {"fft", "ifft", "rfft_n_even", "rfft_n_odd", "irfft"};
static_assert(std::size(transforms) == QN_TRANSFORMS);
static constexpr const char *types[] = {"f32", "f64", "c64", "c128", "b8",  "i8", "u8",
                                        "i16", "u16", "i32", "u32",  "i64", "u64"};
static_assert(std::size(types) == QN_TYPES);

namespace {

/// What a name such as `qn_solve_f64` says.
struct LibraryFunction {
  StringRef name, type;

  explicit LibraryFunction(StringRef callee) {
    callee.consume_front("qn_");
    std::tie(name, type) = callee.rsplit('_');
  }

  /// Complex elements are pairs of floats here.
  bool isComplex() const { return type.starts_with("c"); }
  const char *const *findType() const { return llvm::find(types, type); }
  bool isLapackType() const { return findType() - types <= QN_C128; }
  bool isProduct() const { return name == "matmul"; }
};

} // namespace

/// Whether operand `k` of a function has two floats for each element.
static bool isPairs(const LibraryFunction &function, unsigned k) {
  if (function.isProduct())
    return function.isComplex();
  const Routine &routine = *findRoutine(function.name);
  llvm::ArrayRef<RoutineOperand> outputs = routine.outputs;
  if (k >= routine.inputs.size() + outputs.size())
    return false;
  const RoutineElement element =
      k < routine.inputs.size() ? routine.inputs[k].element : outputs[k - routine.inputs.size()].element;
  return element == RoutineElement::complex || (element == RoutineElement::own && function.isComplex());
}

/// The pointer of operand `k`, whose offset stands behind all pointers.
std::string CppPrinter::libraryPointer(func::CallOp call, unsigned k, unsigned pointers, bool isComplex) {
  Value offset = call.getOperand(pointers + k);
  std::string pointer = expression(call.getOperand(k)).text;
  if (matchPattern(offset, m_Zero()))
    return pointer;
  if (isComplex)
    return pointer + " + " + operand(offset, Precedence::Multiplicative) + " * 2";
  return pointer + " + " + operand(offset, Precedence::Additive);
}

/// The call of a sort of `operands`: values, positions where there are some, the result.
static std::string sortText(const std::string &what, llvm::ArrayRef<std::string> operands,
                            llvm::ArrayRef<std::string> numbers) {
  bool hasPositions = operands.size() == 3;
  llvm::ArrayRef<std::string> out = numbers.slice(3 * (operands.size() - 1)), sizes = numbers.take_back(4);
  std::string strides =
      llvm::join(llvm::ArrayRef{numbers[0], numbers[1], out[0], out[1], hasPositions ? numbers[4] : "0"}, ", ");
  std::string positions = hasPositions ? ", " + operands[1] + ", " + sizes[2] : "";
  return "sort(context, " + what + ", " + operands.front() + ", " + operands.back() + ", {" + strides + "}, " +
         sizes[0] + ", " + sizes[1] + positions + ")";
}

/// The position of a name in a table of abi.h, and the name.
static std::string numberOf(llvm::ArrayRef<const char *> table, StringRef name) {
  return std::to_string(llvm::find(table, name) - table.begin()) + " /* " + name.str() + " */";
}

bool isRoutine(func::CallOp call) { return findRoutine(LibraryFunction(call.getCallee()).name); }

/// A call of a routine, which ends the program where the runtime can't make it.
void CppPrinter::printRoutine(func::CallOp call, const std::string &text) {
  prelude.require("fail");
  auto site = llvm::find(errors, errorSite(call));
  line() << "if (int32_t code = " << text << ")\n";
  line() << "  return fail(context, " << QN_FIRST_ERROR + (site - errors.begin()) << ", code);\n";
}

void CppPrinter::printLibraryCall(func::CallOp call) {
  LibraryFunction function(call.getCallee());
  const Routine *routine = findRoutine(function.name);
  unsigned pointers = llvm::count_if(call.getOperandTypes(), llvm::IsaPred<MemRefType>);
  unsigned numbers = call.getNumOperands() - std::min(2 * pointers, call.getNumOperands());
  bool isProduct = function.isProduct() && function.isLapackType() && pointers == 3 && numbers == 10;
  bool fits = routine && pointers == routine->inputs.size() + routine->outputs.size() + routine->mayFail &&
              numbers == 3 * (pointers - routine->mayFail) + 4 &&
              (routine->library == Routine::Library::sorting || function.isLapackType());
  if (function.findType() == std::end(types) || (!isProduct && !fits)) {
    unsupported(call, "calls a library function that the runtime doesn't have");
    return;
  }
  llvm::SmallVector<std::string> operands, rest;
  for (unsigned k = 0; k < pointers; ++k)
    operands.push_back(libraryPointer(call, k, pointers, isPairs(function, k)));
  for (Value value : call.getOperands().drop_front(2 * pointers))
    rest.push_back(expression(value).text);
  if (isProduct) {
    line() << "if (int32_t code = context->matmul_" << function.type << "(context, " << llvm::join(operands, ", ")
           << ", " << llvm::join(rest, ", ") << "))\n";
    line() << "  return code;\n";
    return;
  }
  const std::string type = numberOf(types, function.type);
  if (routine->library == Routine::Library::sorting) {
    prelude.require("sort");
    return printRoutine(call, sortText(numberOf(orders, function.name) + ", " + type, operands, rest));
  }
  const bool isTransform = routine->library == Routine::Library::fourier;
  prelude.require(isTransform ? "transform" : "lapack");
  llvm::ArrayRef<std::string> strides = llvm::ArrayRef(rest).drop_back(4), sizes = llvm::ArrayRef(rest).take_back(4);
  std::string what = isTransform ? "transform(context, " + numberOf(transforms, function.name)
                                 : "lapack(context, " + numberOf(lapackRoutines, function.name);
  std::string status = isTransform ? "" : routine->mayFail ? operands.pop_back_val() + ", " : "nullptr, ";
  printRoutine(call, what + ", " + type + ", " + status + "{" + llvm::join(sizes, ", ") + "}, {" +
                         llvm::join(strides, ", ") + "}, " + llvm::join(operands, ", ") + ")");
}

} // namespace quernel
