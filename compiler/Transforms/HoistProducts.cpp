// Products of a matrix with one vector in each turn of a loop become one product of matrices before it.
//
//   for i: p = x[:, i] @ y[:, i:]                  all = x.T @ y
//          use(p)                          →       for i: use(all[i, i:])
#include "compiler/Transforms/IndexFunction.h"
#include "compiler/Transforms/Passes.h"

namespace quernel {
#define GEN_PASS_DEF_HOISTPRODUCTS
#include "compiler/Transforms/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

constexpr int64_t fewTurns = 16, shortSum = 16; // below, a product of matrices is no faster than its vectors
constexpr int64_t mostMore = 4;                 // times the elements of the arrays that are there anyway
constexpr int64_t spareShare = 8;               // of an axis that is computed as well, where that saves a copy

/// The part of an axis that an operand is: a run of its elements. `place` is the operand's axis, or -1 where the run is
/// one element that is no axis of it.
struct Run {
  Dim offset, size;
  int64_t place;
};

/// An operand as a part of an array from outside of the loop, by the array's axes; `views` lead to it, from the operand
/// on.
struct Part {
  Value whole;
  SmallVector<Run> runs;
  SmallVector<Operation *> views;

  Run *at(int64_t place) {
    auto *found = llvm::find_if(runs, [&](const Run &run) { return run.place == place; });
    return found == runs.end() ? nullptr : found;
  }
};

/// What turns read of an axis: from `first` on, `size` elements.
struct Hull {
  Dim first, size;
};

class Hoisting {
public:
  Hoisting(MatmulOp product, scf::ForOp loop, ShapeAnalysis &shapes, ArrayRef<SymbolBounds> bounds)
      : product(product), loop(loop), shapes(shapes), bounds(bounds), context(product->getContext()) {}

  /// Finds what the turns read, and whether one product of that is worth it.
  bool applies() {
    auto lower = loop.getLowerBound().getDefiningOp<SizeOp>(), upper = loop.getUpperBound().getDefiningOp<SizeOp>(),
         step = loop.getStep().getDefiningOp<SizeOp>();
    if (!lower || !upper || !step || constantDim(step.getDim().getResult(0)) != 1 || !findCounter())
      return false;
    first = lower.getDim().getResult(0);
    turns = canonicalDim(upper.getDim().getResult(0) - first);
    if (!isNonNegative(turns - 1, bounds))
      return false;
    for (unsigned side : {0, 1})
      if (!findPart(product->getOperand(side), parts[side]))
        return false;
    isSame = llvm::all_of(parts, [&](Part &part) { return isTheSame(part); });
    return isSame || (chooseSides() && findHulls() && isWorthIt());
  }

  void run() { isSame ? moveOut() : makeRows(); }

private:
  /// A product that is the same one in all turns. Both operands may be views of one view, which moves once.
  void moveOut() {
    for (Part &part : parts)
      for (Operation *view : llvm::reverse(part.views))
        if (loop->isAncestor(view))
          view->moveBefore(loop);
    product->moveBefore(loop);
  }

  void makeRows() {
    OpBuilder builder(loop);
    // The turns are the first axis of the result, so that each turn reads a row.
    Value rows = matrixOf(builder, parts[vector], vectorAxis, rowsHull, /*summedFirst=*/false);
    Value other = matrixOf(builder, parts[1 - vector], otherAxis, otherHull, /*summedFirst=*/true);
    Shape shape{rowsHull.size};
    if (otherAxis)
      shape.push_back(otherHull.size);
    Value all = MatmulOp::create(builder, product.getLoc(), tensorType({shape, element()}), rows, other);
    builder.setInsertionPoint(product);
    Shape offsets{canonicalDim(vectorAxis->offset - rowsHull.first)}, sizes{one()}, strides(shape.size(), one());
    if (otherAxis) {
      offsets.push_back(canonicalDim(otherAxis->offset - otherHull.first));
      sizes.push_back(otherAxis->size);
    }
    Value row = SliceOp::create(builder, product.getLoc(), tensorType({sizes, element()}), all, mapOf(offsets, context),
                                mapOf(sizes, context), mapOf(strides, context));
    Shape result(shapes.shape(product.getResult()));
    product.replaceAllUsesWith(
        ReshapeOp::create(builder, product.getLoc(), product.getType(), row, mapOf(result, context)).getResult());
  }

  Dim one() { return getAffineConstantExpr(1, context); }
  Type element() { return cast<RankedTensorType>(product.getType()).getElementType(); }

  bool findCounter() {
    for (Operation *user : loop.getInductionVar().getUsers())
      if (auto symbol = dyn_cast<SymbolOp>(user))
        counter = getAffineSymbolExpr(symbol.getNumber(), context);
    loop.walk([&](SymbolOp symbol) { inside.insert(symbol.getNumber()); });
    return static_cast<bool>(counter);
  }

  /// Whether a size is the same in all turns.
  bool isInvariant(Dim dim) {
    bool found = false;
    dim.walk([&](AffineExpr expr) {
      if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
        found |= inside.contains(symbol.getPosition());
    });
    return !found;
  }

  bool isInvariant(const Run &run) { return isInvariant(run.offset) && isInvariant(run.size); }

  /// Whether an operand is the same part in all turns, and all that leads to it.
  bool isTheSame(Part &part) {
    return llvm::all_of(part.runs, [&](Run &run) { return isInvariant(run); }) &&
           llvm::all_of(part.views, [&](Operation *view) {
             return llvm::all_of(shapes.shape(view->getResult(0)), [&](Dim dim) { return isInvariant(dim); });
           });
  }

  /// By how much a size grows from turn to turn: -1, 0 or 1; nothing where it does something else.
  std::optional<int64_t> growth(Dim dim) {
    for (int64_t factor : {0, 1, -1})
      if (isInvariant(canonicalDim(dim - counter * factor)))
        return factor;
    return std::nullopt;
  }

  Dim inFirstTurn(Dim dim) { return canonicalDim(dim.replace(counter, first)); }
  Dim inLastTurn(Dim dim) { return canonicalDim(dim.replace(counter, first + turns - 1)); }

  /// Goes through views of whole elements, down to an array that the loop doesn't make.
  bool findPart(Value operand, Part &part) {
    part.whole = operand;
    while (loop->isAncestor(part.whole.getParentBlock()->getParentOp())) {
      Operation *op = part.whole.getDefiningOp();
      if (!isa_and_nonnull<SliceOp, ReshapeOp, TransposeOp>(op))
        return false;
      part.views.push_back(op);
      part.whole = op->getOperand(0);
    }
    for (auto [axis, dim] : llvm::enumerate(shapes.shape(part.whole)))
      part.runs.push_back({getAffineConstantExpr(0, context), dim, static_cast<int64_t>(axis)});
    return llvm::all_of(llvm::reverse(part.views), [&](Operation *view) { return applyView(view, part); });
  }

  bool applyView(Operation *view, Part &part) {
    if (auto slice = dyn_cast<SliceOp>(view)) {
      for (Run &run : part.runs) {
        if (run.place < 0)
          continue;
        if (constantDim(slice.getStrides().getResult(run.place)) != 1)
          return false;
        run.offset = canonicalDim(run.offset + slice.getOffsets().getResult(run.place));
        run.size = slice.getSizes().getResult(run.place);
      }
      return true;
    }
    if (auto transpose = dyn_cast<TransposeOp>(view)) {
      for (Run &run : part.runs)
        if (run.place >= 0)
          run.place = llvm::find(transpose.getPermutation(), run.place) - transpose.getPermutation().begin();
      return true;
    }
    return dropAxes(view, part);
  }

  /// A reshape that does no more than to drop axes of size 1.
  bool dropAxes(Operation *reshape, Part &part) {
    ArrayRef<Dim> from = shapes.shape(reshape->getOperand(0)), to = shapes.shape(reshape->getResult(0));
    SmallVector<int64_t> places(from.size(), -1);
    size_t next = 0;
    for (auto [axis, dim] : llvm::enumerate(from)) {
      if (next < to.size() && to[next] == dim)
        places[axis] = next++;
      else if (constantDim(dim) != 1)
        return false;
    }
    for (Run &run : part.runs)
      if (run.place >= 0)
        run.place = places[run.place];
    return next == to.size();
  }

  /// One operand has to be a vector, of which each turn has its own; the other one may be another part in each turn
  /// along the axis that isn't summed. All else stays the same.
  bool chooseSides() {
    for (unsigned side : {0, 1}) {
      Part &part = parts[side], &beside = parts[1 - side];
      const size_t rank = shapes.shape(product->getOperand(side)).size(),
                   otherRank = shapes.shape(product->getOperand(1 - side)).size();
      if (rank != 1 || otherRank > 2)
        continue;
      SmallVector<Run *> moving = llvm::to_vector(
          llvm::make_pointer_range(llvm::make_filter_range(part.runs, [&](Run &run) { return !isInvariant(run); })));
      if (moving.size() != 1 || moving[0]->place >= 0 || growth(moving[0]->offset).value_or(0) == 0)
        continue;
      vector = side;
      vectorAxis = moving[0];
      // Of the matrix beside it the axis that isn't summed.
      otherAxis = otherRank == 1 ? nullptr : beside.at(side == 0 ? 1 : 0);
      bool isSteady = llvm::all_of(beside.runs, [&](Run &run) { return &run == otherAxis || isInvariant(run); });
      bool isMade = otherRank == 1 || otherAxis;
      if (isSteady && isMade && llvm::all_of(parts, [](Part &each) { return isSimple(each); }))
        return true;
    }
    return false;
  }

  /// Whether each axis of an operand is one of the array's.
  static bool isSimple(Part &part) {
    SmallVector<int64_t> places;
    for (const Run &run : part.runs)
      if (run.place >= 0)
        places.push_back(run.place);
    llvm::sort(places);
    return places == llvm::to_vector(llvm::seq<int64_t>(0, places.size()));
  }

  bool findHulls() {
    Dim offset = vectorAxis->offset;
    rowsHull = {*growth(offset) > 0 ? inFirstTurn(offset) : inLastTurn(offset), turns};
    if (!widen(rowsHull, wholeDim(parts[vector], vectorAxis)))
      return false;
    if (!otherAxis)
      return true;
    Dim begin = otherAxis->offset, end = canonicalDim(begin + otherAxis->size);
    auto first = growth(begin), last = growth(end);
    if (!first || !last)
      return false;
    otherHull.first = *first >= 0 ? inFirstTurn(begin) : inLastTurn(begin);
    otherHull.size = canonicalDim((*last > 0 ? inLastTurn(end) : inFirstTurn(end)) - otherHull.first);
    // One turn reads all of it, so that all of them read half of it on average, at least.
    if (inFirstTurn(otherAxis->size) != otherHull.size && inLastTurn(otherAxis->size) != otherHull.size)
      return false;
    return widen(otherHull, wholeDim(parts[1 - vector], otherAxis));
  }

  Dim wholeDim(Part &part, Run *axis) { return shapes.shape(part.whole)[axis - part.runs.begin()]; }

  /// Takes the whole axis where that is little more. False where the axis isn't proven to have all of it.
  bool widen(Hull &hull, Dim whole) {
    Dim rest = canonicalDim(whole - hull.size);
    if (!isNonNegative(hull.first, bounds) || !isNonNegative(rest - hull.first, bounds) ||
        !isNonNegative(hull.size - 1, bounds))
      return false;
    auto spare = constantDim(rest), size = constantDim(whole);
    if (spare && *spare * spareShare <= size.value_or(*spare * spareShare))
      hull = {getAffineConstantExpr(0, context), whole};
    return true;
  }

  /// Few turns or short sums are loops of their own, and the product may not need much more memory than there is.
  bool isWorthIt() {
    if (constantDim(turns).value_or(fewTurns) < fewTurns ||
        constantDim(parts[vector].at(0)->size).value_or(shortSum) < shortSum)
      return false;
    if (!otherAxis)
      return true;
    if (constantDim(otherHull.size).value_or(fewTurns) < fewTurns)
      return false;
    SmallVector<Value> arrays{parts[0].whole, parts[1].whole};
    llvm::append_range(arrays, loop.getInitArgs());
    return llvm::any_of(arrays, [&](Value array) { return hasRoom(array); });
  }

  /// Whether an array isn't much smaller than the product.
  bool hasRoom(Value array) {
    if (!isa<RankedTensorType>(array.getType()))
      return false;
    SmallVector<Dim> shape(shapes.shape(array));
    auto rows = constantDim(rowsHull.size), columns = constantDim(otherHull.size);
    if (rows && columns && llvm::all_of(shape, [](Dim dim) { return constantDim(dim).has_value(); })) {
      double elements = mostMore;
      for (Dim dim : shape)
        elements *= static_cast<double>(*constantDim(dim));
      return static_cast<double>(*rows) * static_cast<double>(*columns) <= elements;
    }
    for (Dim size : {rowsHull.size, otherHull.size}) {
      auto *found = llvm::find_if(shape, [&](Dim dim) { return isNonNegative(dim - size, bounds); });
      if (found == shape.end())
        return false;
      shape.erase(found);
    }
    return true;
  }

  /// What all turns read of an operand: [hull, summed] or [summed, hull]; [summed] without `axis`.
  Value matrixOf(OpBuilder &builder, Part &part, Run *axis, const Hull &hull, bool summedFirst) {
    Location loc = product.getLoc();
    Shape offsets, sizes, kept, strides(part.runs.size(), one());
    SmallVector<const Run *> order;
    bool isWhole = true;
    for (Run &run : part.runs) {
      const bool isHull = &run == axis;
      offsets.push_back(isHull ? hull.first : run.offset);
      sizes.push_back(isHull ? hull.size : run.size);
      isWhole &= constantDim(offsets.back()) == 0 && sizes.back() == wholeDim(part, &run);
      if (isHull || run.place >= 0) {
        order.push_back(&run);
        kept.push_back(sizes.back());
      }
    }
    Value matrix = part.whole;
    if (!isWhole)
      matrix = SliceOp::create(builder, loc, tensorType({sizes, element()}), matrix, mapOf(offsets, context),
                               mapOf(sizes, context), mapOf(strides, context));
    if (kept.size() != sizes.size())
      matrix = ReshapeOp::create(builder, loc, tensorType({kept, element()}), matrix, mapOf(kept, context));
    if (!axis || (order[0] == axis) != summedFirst)
      return matrix;
    std::swap(kept[0], kept[1]);
    return TransposeOp::create(builder, loc, tensorType({kept, element()}), matrix,
                               builder.getDenseI64ArrayAttr({1, 0}));
  }

  MatmulOp product;
  scf::ForOp loop;
  ShapeAnalysis &shapes;
  ArrayRef<SymbolBounds> bounds;
  MLIRContext *context;
  Dim counter, first, turns;
  llvm::DenseSet<unsigned> inside; // symbols of the loop
  Part parts[2];
  bool isSame = false;       // in all turns
  unsigned vector = 0;       // the operand that is a vector
  Run *vectorAxis = nullptr; // of its array: which vector it is
  Run *otherAxis = nullptr;  // of the other array: what isn't summed; null where that is a vector, too
  Hull rowsHull, otherHull;
};

struct HoistProducts : quernel::impl::HoistProductsBase<HoistProducts> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    if (failed(verifyArgumentShapes(getOperation())))
      return signalPassFailure();
    // What leaves an inner loop may leave the next one, too.
    while (hoist())
      ;
  }

  bool hoist() {
    SmallVector<std::pair<MatmulOp, scf::ForOp>> products;
    getOperation().walk([&](MatmulOp op) {
      auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
      if (loop && !isa<IntegerType>(getElementTypeOrSelf(op.getType())))
        products.push_back({op, loop});
    });
    if (products.empty())
      return false;
    bool changed = false;
    ShapeAnalysis shapes(getOperation());
    SmallVector<SymbolBounds> bounds = symbolBoundsOf(getOperation());
    for (auto [op, loop] : products)
      if (Hoisting hoisting(op, loop, shapes, bounds); hoisting.applies()) {
        hoisting.run();
        changed = true;
      }
    // What was replaced is erased last: the analysis knows values by address, which a new operation could get.
    for (auto [op, loop] : products)
      if (op.use_empty())
        op.erase();
    return changed;
  }
};

} // namespace
