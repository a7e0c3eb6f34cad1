// Calls of the library: products of matrices, and the routines of LAPACK.
#include "compiler/Emit/CppPrinter.h"
#include "mlir/IR/Matchers.h"
#include "runtime/abi.h"

using namespace mlir;

namespace quernel {

/// In the order of abi.h.
static constexpr const char *routines[] = {
    "solve", "inv",     "cholesky", "cholesky_upper", "eigh", "eigh_upper", "eigvalsh", "eigvalsh_upper",
    "det",   "slogdet", "qr",       "qr_complete",    "qr_r", "svd",        "svd_full", "svdvals"};
static_assert(std::size(routines) == QN_LAPACK_ROUTINES);
static constexpr const char *types[] = {"f32", "f64", "c64", "c128"};
static_assert(QN_F32 == 0 && QN_F64 == 1 && QN_C64 == 2 && QN_C128 == 3);

namespace {

/// What a name such as `qn_solve_f64` says.
struct LibraryFunction {
  StringRef routine, type;

  explicit LibraryFunction(StringRef name) {
    name.consume_front("qn_");
    std::tie(routine, type) = name.rsplit('_');
  }

  /// Complex elements are pairs of floats here.
  bool isComplex() const { return type.starts_with("c"); }
  const char *const *findType() const { return llvm::find(types, type); }
  const char *const *findRoutine() const { return llvm::find(routines, routine); }
};

} // namespace

bool isRoutine(func::CallOp call) {
  LibraryFunction function(call.getCallee());
  return function.findRoutine() != std::end(routines) && function.findType() != std::end(types);
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

void CppPrinter::printLibraryCall(func::CallOp call) {
  LibraryFunction function(call.getCallee());
  unsigned pointers = llvm::count_if(call.getOperandTypes(), llvm::IsaPred<MemRefType>);
  unsigned numbers = call.getNumOperands() - std::min(2 * pointers, call.getNumOperands());
  bool isProduct = function.routine == "matmul" && pointers == 3 && numbers == 10;
  bool isRoutine = function.findRoutine() != std::end(routines) && pointers > 1 && numbers == 3 * pointers + 4;
  if (function.findType() == std::end(types) || (!isProduct && !isRoutine)) {
    unsupported(call, "calls a library function that the runtime doesn't have");
    return;
  }
  llvm::SmallVector<std::string> operands, rest;
  for (unsigned k = 0; k < pointers; ++k)
    operands.push_back(libraryPointer(call, k, pointers, function.isComplex()));
  for (Value value : call.getOperands().drop_front(2 * pointers))
    rest.push_back(expression(value).text);
  if (isProduct) {
    line() << "context->matmul_" << function.type << "(" << llvm::join(operands, ", ") << ", " << llvm::join(rest, ", ")
           << ");\n";
    return;
  }
  prelude.require("lapack");
  prelude.require("fail");
  auto found = llvm::find(errors, errorSite(call));
  llvm::ArrayRef<std::string> strides = llvm::ArrayRef(rest).drop_back(4), sizes = llvm::ArrayRef(rest).take_back(4);
  line() << "if (int32_t code = lapack(context, " << function.findRoutine() - routines << " /* " << function.routine
         << " */, " << function.findType() - types << " /* " << function.type << " */, {" << llvm::join(sizes, ", ")
         << "}, {" << llvm::join(strides, ", ") << "}, " << llvm::join(operands, ", ") << "))\n";
  line() << "  return fail(context, " << QN_FIRST_ERROR + (found - errors.begin()) << ", code);\n";
}

} // namespace quernel
