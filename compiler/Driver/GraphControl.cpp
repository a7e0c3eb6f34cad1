// Loops and branches of a graph.
//
// While a loop is built, what it may carry is seen through markers (quernel.enter). When it ends, it is made anew: the
// markers that changed become iteration arguments, the others the values that they stand for.
#include "compiler/Driver/Graph.h"
#include "compiler/Driver/GraphState.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace quernel;

static GraphError noRegion() { return {GraphError::usage, "no such loop or branch is open"}; }

/// A `bool` scalar as an i1.
static GraphError truth(GraphState &g, const GraphValue &condition, Value &result) {
  if (condition.dtype != "bool" || !condition.shape.empty())
    return {GraphError::usage, "a condition must be a bool without axes"};
  if (GraphError error = g.refuse(condition))
    return error;
  result = tensor::ExtractOp::create(g.builder, g.builder.getUnknownLoc(), g.visible(g.values[condition.id]));
  return {};
}

/// Names the sizes of a value that a loop or branch hands over, where its type can't.
static Value withShape(GraphState &g, Value value, ArrayRef<Dim> shape) {
  if (cast<RankedTensorType>(value.getType()).hasStaticShape())
    return value;
  return AssumeShapeOp::create(g.builder, value.getLoc(), value.getType(), value, g.map(shape));
}

static Value sizeOf(GraphState &g, const GraphDim &dim) {
  return SizeOp::create(g.builder, g.builder.getUnknownLoc(), g.builder.getIndexType(), g.map(g.dim(dim)));
}

static void declareSymbol(GraphState &g, Value value, Dim symbol) {
  unsigned number = cast<AffineSymbolExpr>(symbol).getPosition();
  auto bound = [&](Dim dim) { return dim ? AffineMapAttr::get(g.map(dim)) : AffineMapAttr(); };
  const SymbolBounds &bounds = g.symbolBounds[number];
  SymbolOp::create(g.builder, g.builder.getUnknownLoc(), value, g.builder.getI64IntegerAttr(number),
                   bound(bounds.lower), bound(bounds.upper));
}

Value GraphState::visible(Value value) {
  Operation *op = value.getDefiningOp();
  Operation *here = builder.getInsertionBlock()->getParentOp();
  Operation *home = value.getParentBlock()->getParentOp();
  // The two regions of a while loop see one another's markers; they become arguments of both.
  if (home->isAncestor(here) && (home != here || value.getParentBlock() == builder.getInsertionBlock()))
    return value;
  if (!op || isa<EnterOp>(op) || !(isMemoryEffectFree(op) || isa<EmptyOp>(op)) || op->getNumRegions())
    return value;
  Operation *copy = op->clone();
  for (OpOperand &operand : copy->getOpOperands())
    operand.set(visible(operand.get()));
  builder.insert(copy);
  return copy->getResult(cast<OpResult>(value).getResultNumber());
}

GraphError Graph::beginFor(const GraphDim &lower, const GraphDim &upper, int64_t step, const std::string &name,
                           GraphDim &counter) {
  GraphState &g = *shared;
  if (step < 1)
    return {GraphError::usage, "a loop needs a positive step"};
  Value first = sizeOf(g, lower), last = sizeOf(g, upper), stride = sizeOf(g, {nullptr, step, nullptr});
  Location loc = NameLoc::get(g.builder.getStringAttr(name));
  auto loop = scf::ForOp::create(g.builder, loc, first, last, stride);
  loop.getInductionVar().setLoc(loc);
  g.open.push_back({OpenRegion::loop, loop, {}});
  Dim symbol = g.addSymbol(name, lower.value, {g.dim(lower), g.dim(upper) - 1});
  g.builder.setInsertionPoint(loop.getBody()->getTerminator());
  declareSymbol(g, loop.getInductionVar(), symbol);
  counter = g.toGraph(symbol, shared);
  return {};
}

GraphError Graph::beginWhile() {
  GraphState &g = *shared;
  auto loop = scf::WhileOp::create(g.builder, g.builder.getUnknownLoc(), TypeRange(), ValueRange());
  g.builder.createBlock(&loop.getBefore());
  g.open.push_back({OpenRegion::whileLoop, loop, {}});
  return {};
}

GraphError Graph::whileCondition(const GraphValue &condition) {
  GraphState &g = *shared;
  if (g.open.empty() || g.open.back().kind != OpenRegion::whileLoop || g.open.back().second)
    return noRegion();
  Value flag;
  if (GraphError error = truth(g, condition, flag))
    return error;
  scf::ConditionOp::create(g.builder, flag.getLoc(), flag, ValueRange());
  g.builder.createBlock(&cast<scf::WhileOp>(g.open.back().op).getAfter());
  g.open.back().second = true;
  return {};
}

GraphError Graph::beginIf(const GraphValue &condition) {
  GraphState &g = *shared;
  Value flag;
  if (GraphError error = truth(g, condition, flag))
    return error;
  auto branch = scf::IfOp::create(g.builder, flag.getLoc(), TypeRange(), flag, /*withElseRegion=*/true);
  g.open.push_back({OpenRegion::branch, branch, {}});
  g.builder.setInsertionPoint(branch.thenYield());
  return {};
}

GraphError Graph::beginElse() {
  GraphState &g = *shared;
  if (g.open.empty() || g.open.back().kind != OpenRegion::branch || g.open.back().second)
    return noRegion();
  g.builder.setInsertionPoint(cast<scf::IfOp>(g.open.back().op).elseYield());
  g.open.back().second = true;
  return {};
}

/// Puts a value in a marker's place, also where inner markers, gone by now, stood for it.
static void replaceMarker(GraphState &g, EnterOp marker, Value value) {
  std::replace(g.values.begin(), g.values.end(), Value(marker.getResult()), value);
  marker.replaceAllUsesWith(value);
  marker.erase();
}

unsigned Graph::depth() const { return shared->open.size(); }

GraphError Graph::enter(const GraphValue &value, GraphValue &marker, unsigned depth) {
  GraphState &g = *shared;
  if (g.open.empty() || depth > g.open.size())
    return noRegion();
  if (GraphError error = g.refuse(value))
    return error;
  OpBuilder::InsertionGuard guard(g.builder);
  OpenRegion &region = depth ? g.open[depth - 1] : g.open.back();
  // Before all else in the region, so that everything there sees it; a counter's symbol is declared first.
  Block *block = depth ? &region.op->getRegion(0).front() : g.builder.getInsertionBlock();
  auto place = block->begin();
  while (place != block->end() && isa<SymbolOp, EnterOp>(*place))
    ++place;
  g.builder.setInsertionPoint(block, place);
  Value entered = g.visible(g.values[value.id]);
  Shape shape = g.shapes[value.id];
  marker = g.add(EnterOp::create(g.builder, entered.getLoc(), entered.getType(), entered), shape, shared);
  region.markers.push_back(marker.id);
  return {};
}

namespace {

/// Ends a loop: makes it anew with the values that it carries.
class LoopEnd {
public:
  LoopEnd(GraphState &g, ArrayRef<std::pair<GraphValue, GraphValue>> carried) : g(g), region(g.open.back()) {
    for (auto &[marker, next] : carried) {
      markers.push_back(marker.id);
      inits.push_back(g.values[marker.id].getDefiningOp<EnterOp>().getX());
      yielded.push_back(g.visible(g.values[next.id]));
    }
  }

  /// The values after the loop.
  SmallVector<Value> run() {
    Operation *made = region.kind == OpenRegion::loop ? rebuildFor() : rebuildWhile();
    g.builder.setInsertionPoint(made);
    for (unsigned id : region.markers) // what isn't carried is what it was before
      if (auto marker = g.values[id].getDefiningOp<EnterOp>()) {
        Value entered = marker.getX(); // a constant both regions of a loop have to see
        replaceMarker(g, marker, matchPattern(entered, m_Constant()) ? g.visible(entered) : entered);
      }
    g.builder.setInsertionPointAfter(made);
    SmallVector<Value> results;
    for (auto [id, result] : llvm::zip_equal(markers, made->getResults()))
      results.push_back(withShape(g, result, g.shapes[id]));
    g.open.pop_back();
    return results;
  }

private:
  /// Puts arguments of `block` in the markers' place, within `within`.
  void replaceMarkers(Block *block, unsigned first, Region *within, bool last) {
    OpBuilder::InsertionGuard guard(g.builder);
    for (auto [i, id] : llvm::enumerate(markers)) {
      auto marker = cast<EnterOp>(marked[i]);
      BlockArgument argument = block->getArgument(first + i);
      argument.setLoc(marker.getLoc());
      g.builder.setInsertionPointToStart(block);
      Value seen = withShape(g, argument, g.shapes[id]);
      marker.getResult().replaceUsesWithIf(
          seen, [&](OpOperand &use) { return within->isAncestor(use.getOwner()->getParentRegion()); });
      if (last)
        replaceMarker(g, marker, seen);
    }
  }

  /// Moves the builder to the old loop, where the initial values have to be seen.
  void enterFrom(Operation *old) {
    for (unsigned id : markers)
      marked.push_back(g.values[id].getDefiningOp());
    g.builder.setInsertionPoint(old);
    for (Value &init : inits)
      init = g.visible(init);
  }

  Operation *rebuildFor() {
    auto old = cast<scf::ForOp>(region.op);
    enterFrom(old);
    auto made =
        scf::ForOp::create(g.builder, old.getLoc(), old.getLowerBound(), old.getUpperBound(), old.getStep(), inits);
    Block *body = made.getBody();
    if (!body->empty())
      body->getTerminator()->erase();
    old.getInductionVar().replaceAllUsesWith(made.getInductionVar());
    made.getInductionVar().setLoc(old.getInductionVar().getLoc());
    old.getBody()->getTerminator()->erase();
    body->getOperations().splice(body->end(), old.getBody()->getOperations());
    OpBuilder inside = OpBuilder::atBlockEnd(body);
    scf::YieldOp::create(inside, old.getLoc(), yielded);
    replaceMarkers(body, 1, &made.getRegion(), true);
    old.erase();
    return made;
  }

  Operation *rebuildWhile() {
    auto old = cast<scf::WhileOp>(region.op);
    enterFrom(old);
    TypeRange types = ValueRange(inits).getTypes();
    auto made = scf::WhileOp::create(g.builder, old.getLoc(), types, inits);
    SmallVector<Location> locs(inits.size(), old.getLoc());
    made.getBefore().takeBody(old.getBefore());
    made.getAfter().takeBody(old.getAfter());
    Block *before = &made.getBefore().front(), *after = &made.getAfter().front();
    before->addArguments(types, locs);
    after->addArguments(types, locs);
    OpBuilder inside = OpBuilder::atBlockEnd(after);
    scf::YieldOp::create(inside, old.getLoc(), yielded);
    auto condition = cast<scf::ConditionOp>(before->getTerminator());
    condition.getArgsMutable().assign(before->getArguments());
    replaceMarkers(before, 0, &made.getBefore(), false);
    replaceMarkers(after, 0, &made.getAfter(), true);
    old.erase();
    return made;
  }

  GraphState &g;
  OpenRegion region;
  SmallVector<unsigned> markers;
  SmallVector<Operation *> marked;
  SmallVector<Value> inits, yielded;
};

} // namespace

static GraphError checkPair(GraphState &g, const GraphValue &first, const GraphValue &second, const char *what) {
  for (const GraphValue *value : {&first, &second})
    if (GraphError error = g.refuse(*value))
      return error;
  if (first.dtype != second.dtype)
    return {GraphError::usage, std::string(what) + " changes its dtype from " + first.dtype + " to " + second.dtype};
  if (g.shapes[first.id] != g.shapes[second.id])
    return {GraphError::shape, std::string(what) + " changes its shape from " + shapeText(g.shapes[first.id]) + " to " +
                                   shapeText(g.shapes[second.id])};
  return {};
}

GraphError Graph::endLoop(const std::vector<std::pair<GraphValue, GraphValue>> &carried,
                          std::vector<GraphValue> &results) {
  GraphState &g = *shared;
  if (g.open.empty() || g.open.back().kind == OpenRegion::branch)
    return noRegion();
  if (g.open.back().kind == OpenRegion::whileLoop && !g.open.back().second)
    return {GraphError::usage, "the loop has no condition yet"};
  for (auto &[marker, next] : carried) {
    if (!llvm::is_contained(g.open.back().markers, static_cast<unsigned>(marker.id)))
      return {GraphError::usage, "only what was entered into the loop can be carried"};
    if (GraphError error = checkPair(g, marker, next, "a value that a loop carries"))
      return error;
  }
  for (auto [value, pair] : llvm::zip_equal(LoopEnd(g, carried).run(), carried))
    results.push_back(g.add(value, g.shapes[pair.first.id], shared));
  return {};
}

GraphError Graph::endIf(const std::vector<std::pair<GraphValue, GraphValue>> &pairs, std::vector<GraphValue> &results) {
  GraphState &g = *shared;
  if (g.open.empty() || g.open.back().kind != OpenRegion::branch || !g.open.back().second)
    return noRegion();
  for (auto &[first, second] : pairs)
    if (GraphError error = checkPair(g, first, second, "a value after a branch"))
      return error;
  OpenRegion region = g.open.back();
  auto old = cast<scf::IfOp>(region.op);
  SmallVector<Value> yields[2];
  for (auto &[first, second] : pairs) {
    g.builder.setInsertionPoint(old.thenYield());
    yields[0].push_back(g.visible(g.values[first.id]));
    g.builder.setInsertionPoint(old.elseYield());
    yields[1].push_back(g.visible(g.values[second.id]));
  }
  g.builder.setInsertionPoint(old);
  auto made = scf::IfOp::create(g.builder, old.getLoc(), ValueRange(yields[0]).getTypes(), old.getCondition(),
                                /*addThenBlock=*/false, /*addElseBlock=*/false);
  made.getThenRegion().takeBody(old.getThenRegion());
  made.getElseRegion().takeBody(old.getElseRegion());
  made.thenYield()->setOperands(yields[0]);
  made.elseYield()->setOperands(yields[1]);
  for (unsigned id : region.markers) {
    auto marker = g.values[id].getDefiningOp<EnterOp>();
    replaceMarker(g, marker, marker.getX());
  }
  old.erase();
  g.open.pop_back();
  g.builder.setInsertionPointAfter(made);
  for (auto [result, pair] : llvm::zip_equal(made.getResults(), pairs))
    results.push_back(g.add(withShape(g, result, g.shapes[pair.first.id]), g.shapes[pair.first.id], shared));
  return {};
}

GraphError Graph::beginAhead() {
  GraphState &g = *shared;
  if (g.behind)
    return {GraphError::usage, "operations are added ahead of all loops and branches already"};
  g.behind = g.builder.saveInsertionPoint();
  if (!g.open.empty())
    g.builder.setInsertionPoint(g.open.front().op);
  return {};
}

GraphError Graph::endAhead() {
  GraphState &g = *shared;
  if (!g.behind)
    return {GraphError::usage, "no operations are added ahead of all loops and branches"};
  g.builder.restoreInsertionPoint(*g.behind);
  g.behind.reset();
  return {};
}

GraphError Graph::discard() {
  GraphState &g = *shared;
  if (g.open.empty())
    return noRegion();
  Operation *op = g.open.back().op;
  g.builder.setInsertionPointAfter(op);
  for (Value &value : g.values)
    if (value && op->isAncestor(value.getParentBlock()->getParentOp()))
      value = Value();
  op->dropAllReferences(); // its regions may use each other's values
  op->dropAllUses();
  op->erase();
  g.open.pop_back();
  return {};
}

GraphError Graph::symbolOf(const GraphValue &value, const std::optional<GraphDim> &lower,
                           const std::optional<GraphDim> &upper, const std::string &name, std::optional<int64_t> hint,
                           GraphDim &symbol) {
  GraphState &g = *shared;
  if (value.dtype != "int64" || !value.shape.empty())
    return {GraphError::usage, "a symbol must be an int64 without axes"};
  if (GraphError error = g.refuse(value))
    return error;
  SymbolBounds bounds{lower ? g.dim(*lower) : Dim(), upper ? g.dim(*upper) : Dim()};
  Dim made = g.addSymbol(name, hint.value_or(lower ? lower->value : 0), bounds);
  declareSymbol(g, g.visible(g.values[value.id]), made);
  symbol = g.toGraph(made, shared);
  return {};
}

GraphError Graph::check(const GraphValue &condition, const std::string &exception, const std::string &message,
                        const std::vector<GraphValue> &values,
                        const std::vector<std::pair<GraphValue, GraphValue>> &state, const GraphPlace &place) {
  GraphState &g = *shared;
  if (condition.dtype != "bool" || !condition.shape.empty())
    return {GraphError::usage, "a condition must be a bool without axes"};
  if (GraphError error = g.refuse(condition))
    return error;
  SmallVector<Value> shown;
  for (const GraphValue &value : values) {
    if (value.dtype != "int64" || !value.shape.empty())
      return {GraphError::usage, "a value in a message must be an int64 without axes"};
    if (GraphError error = g.refuse(value))
      return error;
    shown.push_back(g.visible(g.values[value.id]));
  }
  SmallVector<Value> held;
  for (const auto &[argument, value] : state) {
    if (GraphError error = checkPair(g, argument, value, "a written argument"))
      return error;
    held.append({g.values[argument.id], g.visible(g.values[value.id])});
  }
  CheckOp::create(g.builder, g.location(place), g.visible(g.values[condition.id]), shown, held, ValueRange(), exception,
                  message);
  return {};
}
