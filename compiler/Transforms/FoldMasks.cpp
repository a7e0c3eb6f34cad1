// Reduces what a mask selects, or stores it through the same mask, without an array of what is selected.
//
//   %c = quernel.compress %x, %mask                  %w = quernel.where %mask, (%x * %x), 0
//   %s = quernel.reduce (%c * %c) {sum}        →     %s = quernel.reduce %w {sum}
//
//   %s = quernel.scatter %x, f(%c), nonzero(%mask)   →   %s = quernel.where %mask, f(%x), %x
#include "compiler/Transforms/Passes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Iterators.h"

namespace quernel {
#define GEN_PASS_DEF_FOLDMASKS
#include "compiler/Transforms/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

/// Elementwise operations over arrays that one mask has selected, and scalars. Each value is looked at, and made anew,
/// once, however often others use it.
class SelectedTree {
public:
  explicit SelectedTree(ShapeAnalysis &shapes) : shapes(shapes) {}

  /// Whether `value` is such a tree; finds its mask.
  bool accepts(Value value) {
    if (shapes.shape(value).empty())
      return true;
    if (!accepted.insert(value).second)
      return true; // one that isn't accepted ends the search
    Operation *op = value.getDefiningOp();
    if (auto compress = dyn_cast_or_null<CompressOp>(op)) {
      if (shapes.shape(compress.getX()).size() != shapes.shape(compress.getMask()).size() ||
          (mask && mask != compress.getMask()))
        return false;
      mask = compress.getMask();
      return true;
    }
    if (auto reshape = dyn_cast_or_null<BroadcastToOp>(op))
      return shapes.shape(value).size() == 1 && accepts(reshape.getX());
    if (!op || !isa<ScalarOpInterface>(op) || shapes.shape(value).size() != 1)
      return false;
    return llvm::all_of(op->getOperands(), [&](Value operand) { return accepts(operand); });
  }

  /// The tree over the whole arrays.
  Value whole(OpBuilder &builder, Value value) {
    if (shapes.shape(value).empty())
      return value;
    Operation *op = value.getDefiningOp();
    if (auto compress = dyn_cast<CompressOp>(op))
      return compress.getX();
    if (auto repeated = dyn_cast<BroadcastToOp>(op))
      return whole(builder, repeated.getX());
    if (Value known = made.lookup(value))
      return known;
    SmallVector<Value> operands;
    SmallVector<ArrayInfo> infos, inferred;
    for (Value operand : op->getOperands()) {
      operands.push_back(whole(builder, operand));
      infos.push_back({Shape(shapes.shape(operands.back())), getElementTypeOrSelf(operands.back())});
    }
    auto rule = cast<ShapeRuleOpInterface>(op);
    (void)rule.inferResults({op->getContext(), infos, op->getAttrDictionary(), nullptr}, inferred);
    canonicalize(inferred);
    OperationState state(op->getLoc(), op->getName(), operands, tensorType(inferred[0]), op->getAttrs());
    return made[value] = builder.create(state)->getResult(0);
  }

  Value mask;

private:
  ShapeAnalysis &shapes;
  llvm::DenseSet<Value> accepted;
  llvm::DenseMap<Value, Value> made;
};

class MaskFolder {
public:
  explicit MaskFolder(func::FuncOp function) : function(function), shapes(function) {}

  void run() {
    useCounts();
    dropCertainChecks();
    SmallVector<Operation *> work;
    function.walk([&](Operation *op) {
      if (isa<ReduceOp, ScatterOp>(op))
        work.push_back(op);
    });
    for (Operation *op : work)
      isa<ReduceOp>(op) ? foldReduction(cast<ReduceOp>(op)) : foldStore(cast<ScatterOp>(op));
    eraseUnused();
  }

private:
  /// The size of a selection, as a number, is the number that became its symbol.
  void useCounts() {
    llvm::DenseMap<int64_t, Value> values;
    function.walk([&](SymbolOp symbol) {
      if (isa<RankedTensorType>(symbol.getValue().getType()))
        values[symbol.getNumber()] = symbol.getValue();
    });
    function.walk([&](DimOp dim) {
      auto symbol = dyn_cast<AffineSymbolExpr>(dim.getDim().getResult(0));
      if (auto found = symbol ? values.find(symbol.getPosition()) : values.end(); found != values.end())
        dim.replaceAllUsesWith(found->second);
    });
  }

  /// That a size equals itself needs no check.
  void dropCertainChecks() {
    SmallVector<CheckOp> certain;
    function.walk([&](CheckOp check) {
      auto equal = check.getOk().getDefiningOp<EqualOp>();
      if (equal && equal.getX() == equal.getY() && isa<IntegerType>(getElementTypeOrSelf(equal.getX())))
        certain.push_back(check);
    });
    for (CheckOp check : certain)
      check.erase();
  }

  void foldReduction(ReduceOp op) {
    SelectedTree tree(shapes);
    if (shapes.shape(op.getX()).size() != 1 || !tree.accepts(op.getX()) || !tree.mask)
      return;
    OpBuilder builder(op);
    Type element = getElementTypeOrSelf(op.getX());
    Value nothing = neutral(builder, op, element);
    if (!nothing)
      return;
    Value all = tree.whole(builder, op.getX());
    auto type = cast<RankedTensorType>(tensorType({Shape(shapes.shape(tree.mask)), element}));
    Value chosen = WhereOp::create(builder, op.getLoc(), type, tree.mask, all, nothing);
    auto axes = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    Value folded = ReduceOp::create(builder, op.getLoc(), op.getType(), chosen, op.getKindAttr(),
                                    builder.getDenseI64ArrayAttr(axes), IntegerAttr());
    op.replaceAllUsesWith(folded);
  }

  /// What changes nothing in a reduction, as a scalar array; null where that isn't a plain number.
  static Value neutral(OpBuilder &builder, ReduceOp op, Type element) {
    auto type = RankedTensorType::get({}, element);
    auto make = [&](Attribute value) -> Value {
      return ConstantOp::create(builder, op.getLoc(), type, DenseElementsAttr::get(type, value));
    };
    StringRef kind = op.getKind();
    if (auto number = dyn_cast<FloatType>(element)) {
      if (kind == "sum" || kind == "prod")
        return make(builder.getFloatAttr(number, kind == "sum" ? 0.0 : 1.0));
      return make(builder.getFloatAttr(number, APFloat::getInf(number.getFloatSemantics(), kind == "max")));
    }
    if (auto number = dyn_cast<IntegerType>(element)) {
      if (kind == "sum" || kind == "any" || kind == "xor")
        return make(builder.getIntegerAttr(number, 0));
      if (kind == "all")
        return make(builder.getIntegerAttr(number, APInt::getAllOnes(number.getWidth())));
      if (kind == "prod" && !number.isInteger(1))
        return make(builder.getIntegerAttr(number, 1));
    }
    return Value();
  }

  void foldStore(ScatterOp op) {
    SelectedTree tree(shapes);
    size_t rank = shapes.shape(op.getBase()).size();
    if (op.getKind() != "set" || op.getIndices().size() != rank || !tree.accepts(op.getValue()))
      return;
    Value mask;
    for (auto [axis, index] : llvm::enumerate(op.getIndices())) {
      Value positions = index;
      if (auto same = positions.getDefiningOp<BroadcastToOp>(); same && shapes.shape(same.getX()).size() == 1)
        positions = same.getX();
      auto places = positions.getDefiningOp<CompressOp>();
      auto iota = places ? places.getX().getDefiningOp<IotaOp>() : IotaOp();
      if (!iota || iota.getAxis() != axis || (mask && mask != places.getMask()))
        return;
      mask = places.getMask();
    }
    if (!mask || (tree.mask && tree.mask != mask) || shapes.shape(mask).size() != rank)
      return;
    OpBuilder builder(op);
    Value all = tree.whole(builder, op.getValue());
    op.replaceAllUsesWith(WhereOp::create(builder, op.getLoc(), op.getType(), mask, all, op.getBase()).getResult());
  }

  /// Symbols that no size depends on any more, checks of what is now certain, and what only they needed.
  void eraseUnused() {
    bool changed = true;
    while (changed) {
      changed = false;
      llvm::DenseSet<unsigned> used;
      SmallVector<Operation *> symbols;
      function.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
        if (op != function && isOpTriviallyDead(op)) {
          op->erase();
          changed = true;
          return;
        }
        if (isa<SymbolOp>(op)) { // what bounds it needn't be kept for that
          symbols.push_back(op);
          return;
        }
        for (NamedAttribute attribute : op->getAttrs())
          if (auto map = dyn_cast<AffineMapAttr>(attribute.getValue()))
            map.getValue().walkExprs([&](AffineExpr expr) {
              if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
                used.insert(symbol.getPosition());
            });
      });
      for (Operation *op : symbols)
        if (!used.contains(cast<SymbolOp>(op).getNumber())) {
          op->erase();
          changed = true;
        }
    }
  }

  func::FuncOp function;
  ShapeAnalysis shapes;
};

struct FoldMasks : quernel::impl::FoldMasksBase<FoldMasks> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    if (failed(verifyArgumentShapes(getOperation())))
      return signalPassFailure();
    bool selects = getOperation().walk([](CompressOp) { return WalkResult::interrupt(); }).wasInterrupted();
    if (selects)
      MaskFolder(getOperation()).run();
  }
};

} // namespace
