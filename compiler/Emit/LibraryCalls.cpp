// Calls of the library: products of matrices, the routines of LAPACK, and sorting.
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
static constexpr const char *orders[] = {"sort", "sort_stable", "argsort", "argsort_stable", "partition"};
static_assert(std::size(orders) == QN_SORT_ORDERS);
static constexpr const char *types[] = {"f32", "f64", "c64", "c128", "b8",  "i8", "u8",
                                        "i16", "u16", "i32", "u32",  "i64", "u64"};
static_assert(std::size(types) == QN_TYPES);
constexpr size_t lapackTypes = QN_C128 + 1;

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
  const char *const *findOrder() const { return llvm::find(orders, routine); }
  bool isLapackType() const { return findType() - types < static_cast<ptrdiff_t>(lapackTypes); }
};

} // namespace

bool isRoutine(func::CallOp call) {
  LibraryFunction function(call.getCallee());
  return function.findRoutine() != std::end(routines) && function.isLapackType();
}

/// Whether an operand of a function for such elements has two floats for each: places have none.
static bool isPairs(Value operand, bool isComplex) {
  auto type = dyn_cast<MemRefType>(operand.getType());
  return isComplex && type && isa<FloatType>(type.getElementType());
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

/// A sort of `operands`: values, positions where there are some, the result. `numbers` has for each the strides of
/// batch, row and column, then the sizes: batch, rows, elements of a row, positions.
void CppPrinter::printSort(int64_t order, int64_t type, llvm::ArrayRef<std::string> operands,
                           llvm::ArrayRef<std::string> numbers) {
  prelude.require("sort");
  size_t result = operands.size() - 1;
  bool hasPositions = operands.size() == 3;
  llvm::ArrayRef<std::string> sizes = numbers.take_back(4);
  std::string strides = llvm::join(llvm::ArrayRef{numbers[1], numbers[2], numbers[3 * result + 1],
                                                  numbers[3 * result + 2], hasPositions ? numbers[5] : "0"},
                                   ", ");
  std::string positions = hasPositions ? ", " + operands[1] + ", " + sizes[3] : "";
  line() << "if (int32_t code = sort(context, " << order << " /* " << orders[order] << " */, " << type << " /* "
         << types[type] << " */, " << operands.front() << ", " << operands.back() << ", {" << strides << "}, "
         << sizes[1] << ", " << sizes[2] << positions << "))\n";
  line() << "  return code;\n";
}

void CppPrinter::printLibraryCall(func::CallOp call) {
  LibraryFunction function(call.getCallee());
  unsigned pointers = llvm::count_if(call.getOperandTypes(), llvm::IsaPred<MemRefType>);
  unsigned numbers = call.getNumOperands() - std::min(2 * pointers, call.getNumOperands());
  bool hasStrides = pointers > 1 && numbers == 3 * pointers + 4, isLapackType = function.isLapackType();
  bool isProduct = function.routine == "matmul" && isLapackType && pointers == 3 && numbers == 10;
  bool isRoutine = function.findRoutine() != std::end(routines) && isLapackType && hasStrides;
  bool isSort = function.findOrder() != std::end(orders) && hasStrides;
  if (function.findType() == std::end(types) || (!isProduct && !isRoutine && !isSort)) {
    unsupported(call, "calls a library function that the runtime doesn't have");
    return;
  }
  llvm::SmallVector<std::string> operands, rest;
  for (unsigned k = 0; k < pointers; ++k)
    operands.push_back(libraryPointer(call, k, pointers, isPairs(call.getOperand(k), function.isComplex())));
  for (Value value : call.getOperands().drop_front(2 * pointers))
    rest.push_back(expression(value).text);
  if (isProduct) {
    line() << "if (int32_t code = context->matmul_" << function.type << "(context, " << llvm::join(operands, ", ")
           << ", " << llvm::join(rest, ", ") << "))\n";
    line() << "  return code;\n";
    return;
  }
  if (isSort)
    return printSort(function.findOrder() - orders, function.findType() - types, operands, rest);
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
