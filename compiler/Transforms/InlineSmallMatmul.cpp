// Matrix products that BLAS would lose on become multiply and sum.
#include "compiler/Transforms/Passes.h"
#include "compiler/Transforms/Sweeps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

namespace quernel {
#define GEN_PASS_DEF_INLINESMALLMATMUL
#include "compiler/Transforms/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

constexpr int64_t smallInner = 8;  // inner sizes up to this unroll into registers
constexpr int64_t smallMatrix = 8; // and so do matrices of this many rows and columns
constexpr int64_t manyRows = 1024; // that a sweep cuts into pieces

class Rewriter {
public:
  Rewriter(MatmulOp op, ShapeAnalysis &shapes) : op(op), shapes(shapes), builder(op) {}

  bool shouldInline() {
    if (isa<IntegerType>(element()))
      return true;
    ArrayRef<Dim> a = shapes.shape(op.getA()), b = shapes.shape(op.getB());
    if (constantDim(a.back()) == 0) // zeros, which no library is asked for
      return true;
    if (isInLoop() && a.size() == 1 && b.size() == 1) // a call for three elements would cost more than the product
      return true;
    if (isInLoop() && llvm::all_of(a, [&](Dim dim) { return isShort(dim); }) &&
        llvm::all_of(b, [&](Dim dim) { return isShort(dim); }))
      return true;
    auto atMost = [](Dim dim, int64_t limit) { return constantDim(dim).value_or(limit + 1) <= limit; };
    bool rows = a.size() == 1 || atMost(a[a.size() - 2], smallMatrix);
    bool columns = b.size() == 1 || atMost(b.back(), smallMatrix);
    return atMost(a.back(), smallInner) && (rows || columns);
  }

  /// The matrix that is multiplied by a vector, behind an exchange of its axes; null for other products, and for
  /// matrices that lie in a cache or that no sweep over rows goes through.
  Value largeMatrix() {
    bool vectorA = shapes.shape(op.getA()).size() == 1, vectorB = shapes.shape(op.getB()).size() == 1;
    if (vectorA == vectorB || !isa<FloatType>(element()))
      return {};
    Value matrix = vectorA ? op.getB() : op.getA();
    if (auto transpose = matrix.getDefiningOp<TransposeOp>())
      matrix = transpose.getX();
    ArrayRef<Dim> shape = shapes.shape(matrix);
    bool isSwept = shape.size() == 2 && hasLongRows(shape) && isLarge(shape) &&
                   constantDim(shape[0]).value_or(manyRows) >= manyRows;
    return isSwept ? matrix : Value();
  }

  /// `x @ A` for `A.T @ x`, which says the same of the array as it lies in memory.
  void dropTransposition() {
    bool vectorA = shapes.shape(op.getA()).size() == 1;
    if (auto transpose = op->getOperand(vectorA ? 1 : 0).getDefiningOp<TransposeOp>()) {
      Value vector = op->getOperand(vectorA ? 0 : 1);
      op->setOperand(vectorA ? 0 : 1, transpose.getX());
      op->setOperand(vectorA ? 1 : 0, vector);
    }
  }

  /// sum(a[..., :, None] * b[..., None, :, :], axis=-2), with the axes that vectors lack left out.
  void inlineProduct() {
    bool vectorA = shapes.shape(op.getA()).size() == 1, vectorB = shapes.shape(op.getB()).size() == 1;
    Shape a(shapes.shape(op.getA())), b(shapes.shape(op.getB()));
    if (!vectorB)
      a.push_back(one());
    if (!vectorA)
      b.insert(b.end() - (vectorB ? 1 : 2), one());
    // a: […, m, k, 1] or […, m, k]; b: […, 1, k, n] or […, 1, k]
    Value left = reshape(op.getA(), a), right = reshape(op.getB(), b);
    Shape joined;
    std::string error;
    (void)broadcastShapes({builder.getContext(), {}, {}, &error}, a, b, joined);
    Value product = MultiplyOp::create(builder, op.getLoc(), tensorType({joined, element()}), left, right);
    int64_t axis = joined.size() - (vectorB ? 1 : 2);
    bool isBool = element().isInteger(1);
    op.replaceAllUsesWith(ReduceOp::create(builder, op.getLoc(), op.getType(), product,
                                           builder.getStringAttr(isBool ? "any" : "sum"),
                                           builder.getDenseI64ArrayAttr({axis}), IntegerAttr())
                              .getResult());
  }

private:
  bool isInLoop() { return !isa<func::FuncOp>(op->getParentOp()); }
  /// Few elements, or a number of them that only the loop knows.
  bool isShort(Dim dim) {
    constexpr int64_t few = 32;
    if (auto constant = constantDim(dim))
      return *constant <= few;
    auto function = op->getParentOfType<func::FuncOp>();
    unsigned arguments = llvm::count_if(function.getArgumentTypes(), [](Type type) { return type.isIndex(); });
    return lastSymbol(dim) >= static_cast<int64_t>(arguments);
  }
  Dim one() { return builder.getAffineConstantExpr(1); }
  Type element() { return cast<RankedTensorType>(op.getType()).getElementType(); }
  AffineMap map(ArrayRef<Dim> shape) {
    unsigned symbols = 0;
    for (Dim dim : shape)
      dim.walk([&](AffineExpr expr) {
        if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
          symbols = std::max(symbols, symbol.getPosition() + 1);
      });
    return AffineMap::get(0, symbols, shape, builder.getContext());
  }
  Value reshape(Value x, ArrayRef<Dim> shape) {
    return ReshapeOp::create(builder, op.getLoc(), tensorType({Shape(shape), element()}), x, map(shape));
  }

  MatmulOp op;
  ShapeAnalysis &shapes;
  OpBuilder builder;
};

/// Moves an operation up to behind another one of its block, or behind what it needs if that comes later.
void moveUpTo(Operation *op, Operation *earlier) {
  Operation *place = earlier;
  for (Value operand : op->getOperands())
    if (Operation *producer = operand.getDefiningOp();
        producer && producer->getBlock() == op->getBlock() && place->isBeforeInBlock(producer))
      place = producer;
  if (place->isBeforeInBlock(op))
    op->moveAfter(place);
}

/// Several products of vectors with one large matrix: one sweep over its rows computes them all, where a library reads
/// the matrix for each. They follow each other as far as they can, so that no update of an array stands between.
void inlineSiblings(ArrayRef<MatmulOp> products, ShapeAnalysis &shapes) {
  llvm::MapVector<std::pair<Value, Block *>, SmallVector<MatmulOp>> byMatrix;
  for (MatmulOp op : products)
    if (Value matrix = Rewriter(op, shapes).largeMatrix(); matrix && !op.use_empty())
      byMatrix[{matrix, op->getBlock()}].push_back(op);
  for (auto &[matrix, siblings] : byMatrix) {
    if (siblings.size() < 2)
      continue;
    Operation *before = siblings.front();
    for (MatmulOp op : siblings) {
      if (op != before)
        moveUpTo(op, before);
      before = op;
      Rewriter rewriter(op, shapes);
      rewriter.dropTransposition();
      rewriter.inlineProduct();
    }
  }
}

struct InlineSmallMatmul : quernel::impl::InlineSmallMatmulBase<InlineSmallMatmul> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    if (failed(verifyArgumentShapes(getOperation())))
      return signalPassFailure();
    ShapeAnalysis shapes(getOperation());
    // What was replaced is erased last: the analysis knows values by address, which a new operation could get.
    SmallVector<MatmulOp> products;
    getOperation().walk([&](MatmulOp op) { products.push_back(op); });
    inlineSiblings(products, shapes);
    for (MatmulOp op : products) {
      if (op.use_empty())
        continue;
      Rewriter rewriter(op, shapes);
      int64_t rankA = shapes.shape(op.getA()).size(), rankB = shapes.shape(op.getB()).size();
      bool isManyByVector = std::max(rankA, rankB) > 3 && std::min(rankA, rankB) == 1;
      if (rewriter.shouldInline() || isManyByVector)
        rewriter.inlineProduct();
    }
    for (MatmulOp op : products)
      if (op.use_empty())
        op.erase();
  }
};

} // namespace
