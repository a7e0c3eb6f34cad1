#include "compiler/Transforms/SharedMatrices.h"
#include "compiler/Dialect/ElementTypes.h"

using namespace mlir;
using namespace quernel;

static constexpr int64_t manyRows = 1024, longRow = 128; // of a sweep over pieces of rows
static constexpr int64_t largeMatrix = 16 << 20;         // bytes that no cache has

std::optional<VectorProduct> quernel::vectorProductOf(MatmulOp op, ShapeAnalysis &shapes) {
  const bool isRight = shapes.shape(op.getB()).size() == 1; // the vector
  Value matrix = isRight ? op.getA() : op.getB(), vector = isRight ? op.getB() : op.getA();
  if (shapes.shape(vector).size() != 1 || shapes.shape(matrix).size() != 2 ||
      !isa<FloatType>(getElementTypeOrSelf(op.getType())))
    return std::nullopt;
  bool alongRows = isRight;
  if (auto transpose = matrix.getDefiningOp<TransposeOp>()) {
    matrix = transpose.getX();
    alongRows = !alongRows;
  }
  return VectorProduct{op, matrix, vector, alongRows};
}

bool quernel::isLargeMatrix(Value matrix, ShapeAnalysis &shapes) {
  ArrayRef<Dim> shape = shapes.shape(matrix);
  const int64_t rows = constantDim(shape[0]).value_or(largeMatrix), columns = constantDim(shape[1]).value_or(longRow);
  return rows >= manyRows && columns >= longRow &&
         double(rows) * double(columns) * elementBytes(getElementTypeOrSelf(matrix)) >= double(largeMatrix);
}

/// Whether `value` is made of `source`. `isAtRow` becomes false where not each of its elements is made of the element
/// of `source` at the same place alone.
static bool isMadeOf(Value value, Value source, bool &isAtRow, llvm::DenseMap<Value, bool> &known) {
  if (value == source)
    return true;
  if (auto found = known.find(value); found != known.end())
    return found->second;
  known[value] = false;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != source.getParentBlock())
    return false;
  bool isMade = false;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      isMade |= isMadeOf(operand, source, isAtRow, known);
  });
  if (isMade && (!isa<ScalarOpInterface>(op) || value.getType() != source.getType()))
    isAtRow = false;
  return known[value] = isMade;
}

static bool arePartners(const VectorProduct &first, const VectorProduct &second) {
  if (first.matrix != second.matrix || first.op->getBlock() != second.op->getBlock())
    return false;
  bool isAtRow = true;
  llvm::DenseMap<Value, bool> known;
  if (!isMadeOf(second.vector, MatmulOp(first.op).getResult(), isAtRow, known))
    return true;
  return isAtRow && first.alongRows && !second.alongRows;
}

llvm::DenseSet<Operation *> quernel::productsOfSharedMatrices(Operation *function, ShapeAnalysis &shapes) {
  SmallVector<VectorProduct> products;
  function->walk([&](MatmulOp op) {
    auto product = vectorProductOf(op, shapes);
    if (product && isLargeMatrix(product->matrix, shapes))
      products.push_back(*product);
  });
  llvm::DenseSet<Operation *> shared;
  for (size_t second = 1; second < products.size(); ++second)
    for (size_t first = 0; first < second; ++first)
      if (arePartners(products[first], products[second]))
        shared.insert_range(ArrayRef<Operation *>{products[first].op, products[second].op});
  return shared;
}
