// Products that a BLAS would lose on become multiply and sum.
#include "compiler/Transforms/IndexFunction.h"
#include "compiler/Transforms/Passes.h"
#include "compiler/Transforms/SharedMatrices.h"
#include "mlir/IR/Builders.h"

namespace quernel {
#define GEN_PASS_DEF_INLINEPRODUCTS
#include "compiler/Transforms/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

constexpr int64_t smallInner = 8;  // inner sizes up to this unroll into registers
constexpr int64_t smallMatrix = 8; // and so do matrices of this many rows and columns

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
    if (isOfComputedMatrix())
      return true;
    auto atMost = [](Dim dim, int64_t limit) { return constantDim(dim).value_or(limit + 1) <= limit; };
    bool rows = a.size() == 1 || atMost(a[a.size() - 2], smallMatrix);
    bool columns = b.size() == 1 || atMost(b.back(), smallMatrix);
    return atMost(a.back(), smallInner) && (rows || columns);
  }

  /// The same product with the matrix as it lies in memory.
  void turn(const VectorProduct &product) {
    op.getAMutable().assign(product.alongRows ? product.matrix : product.vector);
    op.getBMutable().assign(product.alongRows ? product.vector : product.matrix);
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
  /// A vector by a matrix that is computed beside it, for this product alone or so large that it doesn't stay in a
  /// cache: a library would have it stored and read again, for one multiplication of each element.
  bool isOfComputedMatrix() {
    Value a = op.getA(), b = op.getB();
    const size_t rankA = shapes.shape(a).size(), rankB = shapes.shape(b).size();
    Value matrix = rankA == 1 ? b : a;
    Operation *producer = matrix.getDefiningOp();
    return std::min(rankA, rankB) == 1 && std::max(rankA, rankB) == 2 && isa_and_nonnull<ScalarOpInterface>(producer) &&
           producer->getBlock() == op->getBlock() && (matrix.hasOneUse() || isLargeMatrix(matrix, shapes));
  }

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
  Value reshape(Value x, ArrayRef<Dim> shape) {
    return ReshapeOp::create(builder, op.getLoc(), tensorType({Shape(shape), element()}), x,
                             mapOf(shape, builder.getContext()));
  }

  MatmulOp op;
  ShapeAnalysis &shapes;
  OpBuilder builder;
};

struct InlineProducts : quernel::impl::InlineProductsBase<InlineProducts> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    if (failed(verifyArgumentShapes(getOperation())))
      return signalPassFailure();
    ShapeAnalysis shapes(getOperation());
    // What was replaced is erased last: the analysis knows values by address, which a new operation could get.
    SmallVector<MatmulOp> products;
    getOperation().walk([&](MatmulOp op) { products.push_back(op); });
    const llvm::DenseSet<Operation *> shared = productsOfSharedMatrices(getOperation(), shapes);
    for (MatmulOp op : products) {
      Rewriter rewriter(op, shapes);
      if (shared.contains(op)) {
        rewriter.turn(*vectorProductOf(op, shapes)); // its vector may be what another product has become
        rewriter.inlineProduct();
        continue;
      }
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
