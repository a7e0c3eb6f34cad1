// A loop in time around statements that each read a few neighbouring rows runs several turns on a tile of rows, while
// the tile is in the cache; tiles run at the same time.
//
//   for t:                                    for block of turns:
//     parallel i, j: b[i, j] = f(a[i ± 1, j])   for phase in 0, 1:
//     parallel i, j: a[i, j] = f(b[i ± 1, j])     parallel p:                     (tiles, then the gaps between them)
//                                          →        for t in block:
//                                                     parallel i in rows(p, t, 0), j: b[i, j] = f(a[i ± 1, j])
//                                                     parallel i in rows(p, t, 1), j: a[i, j] = f(b[i ± 1, j])
//
// With each statement a tile loses the rows that depend on what lies outside of it. What is lost on both sides of a
// border between two tiles is a gap, which grows from nothing, and is computed when all tiles are done.
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Lowering/Turn.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace quernel {
#define GEN_PASS_DEF_TILETIME
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

constexpr int64_t fewestTiles = 16; // what threads can share
constexpr int64_t mostTurns = 64;   // in a block
constexpr int64_t enoughTurns = 8;  // for memory to take little of the time
constexpr int64_t highestStrip = 8; // rows
constexpr int64_t fewForks = 16;    // that a statement's work is worth, where its start is a part of the time

/// How the turns of a loop are cut. Where only the run knows how many rows there are, it may take fewer turns and rows.
struct Cut {
  int64_t turns = 0; // in a block
  int64_t width = 0; // rows of a tile in the first direction
  int64_t least = 1; // rows of a tile, where only the run knows how many rows there are
  /// Where a tile's rows don't fit into the cache it is computed strip by strip: `height` rows of this direction.
  std::optional<unsigned> across;
  int64_t height = 0;
};

class TimeLoop {
public:
  explicit TimeLoop(scf::ForOp loop) : loop(loop), body(loop) {}

  bool applies() {
    auto step = getConstantIntValue(loop.getStep());
    return step && *step > 0 && !isParallelLoop(loop) && !isTaskLoop(loop) &&
           !loop->getParentOfType<scf::ParallelOp>() && body.collect([](scf::ForOp) { return false; }) &&
           findDirections() && chooseCut();
  }

  void run();

private:
  bool findDirections();
  bool chooseCut();

  Location describe();

  scf::ForOp loop;
  Turn body;
  std::vector<Direction> directions;
  Cut cut;
};

/// Tiles are cut across the first axis; strips across that or the second one, if that isn't the one along memory.
bool TimeLoop::findDirections() {
  unsigned axes = 0;
  for (const Statement &statement : body.statements())
    axes = std::max<unsigned>(axes, statement.counters.size());
  for (unsigned axis = 0; axis < std::max(1u, std::min(2u, axes - 1)); ++axis) {
    auto direction = body.findDirection(axis);
    if (!direction)
      break;
    directions.push_back(std::move(*direction));
  }
  return !directions.empty();
}

/// Tiles are so many that threads can share them, and have rows left in the last turn of a block. Either a tile's rows
/// stay in the cache, or those that a strip of it touches do. Of the cuts that allow this the one with most turns wins,
/// up to a number that makes memory cheap; then the one without strips, and the one for the nearer cache.
bool TimeLoop::chooseCut() {
  const TargetInfo target = targetOf(loop);
  const Direction &first = directions.front();
  const int64_t rows = first.rows(body.statements()), bytes = first.bytesOfRow(body.statements());
  auto turnsOf = [&](int64_t width) -> int64_t {
    if (width <= first.edge())
      return 0;
    return first.slope() ? std::min(mostTurns, (width - first.edge()) / first.slope()) : mostTurns;
  };
  auto offer = [&](const Cut &other) {
    if (std::min(other.turns, enoughTurns) > std::min(cut.turns, enoughTurns))
      cut = other;
  };
  const bool isKnown = first.rowsAreKnown(body.statements());
  const int64_t share = llvm::divideCeil(rows, fewestTiles), fitting = target.cacheBytes / 2 / bytes;
  const int64_t width = isKnown ? std::min(fitting, share) : fitting;
  cut = {.turns = turnsOf(width), .width = width};
  const bool isLarge = rows * bytes > target.cacheBytes;
  if (isLarge) {
    for (int64_t cache : {target.cacheBytes, target.lastCacheBytes})
      for (const auto &[number, across] : llvm::enumerate(directions)) {
        const int64_t bytesOfStrip =
            number == 0 ? bytes : llvm::divideCeil(bytes, across.rows(body.statements())) * share;
        const int64_t window = cache / bytesOfStrip - across.edge();
        int64_t turns = std::min(turnsOf(share), enoughTurns);
        if (across.slope())
          turns = std::min(turns, (window - 1) / across.slope());
        const int64_t height = std::min(highestStrip, window - turns * across.slope());
        if (height > 0)
          offer({.turns = turns, .width = share, .across = number, .height = height});
      }
  }
  if (cut.turns < 2)
    return false;
  // Blocks of one length.
  const int64_t trips = std::max<int64_t>(1, likelyTrips(loop));
  cut.turns = llvm::divideCeil(trips, llvm::divideCeil(trips, cut.turns));
  int64_t most = 0, all = 0;
  for (const Statement &statement : body.statements()) {
    most = std::max(most, statement.work());
    all += statement.work();
  }
  const bool startsCount = most < fewForks * target.fork && (!isKnown || all * cut.turns >= 2 * target.fork);
  if (cut.turns < 2 || !(isLarge || startsCount))
    return false;
  int64_t workOfRow = 1;
  for (const auto &[statement, path] : llvm::zip_equal(body.statements(), first.paths))
    if (path.axis)
      workOfRow += statement.work() / statement.knownTrips(*path.axis).value_or(assumedTrips);
  cut.least = first.edge() + std::max<int64_t>(1, first.slope());
  cut.least = std::max(cut.least, target.fork / 2 / (workOfRow * cut.turns));
  return true;
}

Location TimeLoop::describe() {
  const char *most = directions.front().rowsAreKnown(body.statements()) ? "" : "at most ";
  std::string strips = cut.across ? (Twine(", strips of ") + Twine(cut.height)).str() : "";
  return body.describe(Twine(most) + Twine(cut.turns) + " turns of the loop at a time, in tiles of " + most +
                       Twine(cut.width) + " rows" + strips);
}

void TimeLoop::run() {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  auto constant = [&](OpBuilder &at, int64_t value) -> Value { return arith::ConstantIndexOp::create(at, loc, value); };
  auto add = [&](OpBuilder &at, Value a, Value b) { return at.createOrFold<arith::AddIOp>(loc, a, b); };
  auto subtract = [&](OpBuilder &at, Value a, Value b) { return at.createOrFold<arith::SubIOp>(loc, a, b); };
  IRMapping outside = body.hoistArrays(builder);

  const Direction &rows = directions.front();
  auto [base, end] = body.rangeOf(builder, rows);
  Value zero = constant(builder, 0), one = constant(builder, 1), two = constant(builder, 2);
  Value width = constant(builder, cut.width), turns = constant(builder, cut.turns);
  if (!rows.rowsAreKnown(body.statements())) {
    Value share =
        builder.createOrFold<arith::CeilDivSIOp>(loc, subtract(builder, end, base), constant(builder, fewestTiles));
    share = builder.createOrFold<arith::MaxSIOp>(loc, share, constant(builder, cut.least));
    width = builder.createOrFold<arith::MinSIOp>(loc, width, share);
    if (rows.slope()) {
      Value fitting = subtract(builder, width, constant(builder, rows.edge()));
      fitting = builder.createOrFold<arith::DivSIOp>(loc, fitting, constant(builder, rows.slope()));
      turns = builder.createOrFold<arith::MinSIOp>(loc, turns, fitting);
    }
  }
  Value tiles = builder.createOrFold<arith::CeilDivSIOp>(loc, subtract(builder, end, base), width);
  Value count = subtract(builder, loop.getUpperBound(), loop.getLowerBound());
  count = builder.createOrFold<arith::CeilDivSIOp>(loc, builder.createOrFold<arith::MaxSIOp>(loc, count, zero),
                                                   loop.getStep());
  // The strips of a tile begin at its lowest row, or all at the lowest row of their direction.
  const Direction *acrossStrips = cut.across ? &directions[*cut.across] : nullptr;
  Value stripBase, stripEnd;
  if (acrossStrips && *cut.across != 0)
    std::tie(stripBase, stripEnd) = body.rangeOf(builder, *acrossStrips);

  auto blocks = scf::ForOp::create(builder, loc, zero, count, turns, loop.getInitArgs());
  setSchedule(blocks, scheduleOf(loop));
  auto name = [&](Value counter, StringRef word) {
    counter.setLoc(NameLoc::get(StringAttr::get(loop.getContext(), word)));
    return counter;
  };
  Value firstTurn = name(blocks.getInductionVar(), "first");
  builder.setInsertionPointToStart(blocks.getBody());
  /// The turns of a block, with the numbers that turns hand on.
  auto overTurns = [&](OpBuilder &at, function_ref<void(OpBuilder &, unsigned, IRMapping &, Value)> onStatement) {
    Value behind = at.createOrFold<arith::MinSIOp>(loc, add(at, firstTurn, turns), count);
    auto inner = scf::ForOp::create(at, loc, firstTurn, behind, constant(at, 1), blocks.getRegionIterArgs());
    name(inner.getInductionVar(), "turn");
    if (inner.getBody()->mightHaveTerminator())
      inner.getBody()->getTerminator()->erase();
    OpBuilder inside = OpBuilder::atBlockEnd(inner.getBody());
    IRMapping mapping = outside;
    Value turn = inside.createOrFold<arith::MulIOp>(loc, inner.getInductionVar(), loop.getStep());
    mapping.map(loop.getInductionVar(), add(inside, turn, loop.getLowerBound()));
    mapping.map(loop.getRegionIterArgs(), inner.getRegionIterArgs());
    Value number = subtract(inside, inner.getInductionVar(), firstTurn);
    SmallVector<Value> yielded;
    body.clone(
        inside, *loop.getBody(), mapping,
        [&](OpBuilder &at, unsigned statement, IRMapping &names) { onStatement(at, statement, names, number); },
        yielded);
    scf::YieldOp::create(inside, loc, yielded);
    return inner;
  };

  const bool hasGaps = rows.slope() || rows.edge();
  auto phases = scf::ForOp::create(builder, loc, zero, hasGaps ? two : one, one);
  setSchedule(phases, {});
  OpBuilder inPhase(phases.getBody()->getTerminator());
  Value phase = name(phases.getInductionVar(), "phase");
  Value isGap = arith::CmpIOp::create(inPhase, loc, arith::CmpIPredicate::eq, phase, one);
  auto number = [&](int64_t value) { return constant(inPhase, value); };
  auto choose = [&](Value ofGap, Value ofTile) {
    return inPhase.createOrFold<arith::SelectOp>(loc, isGap, ofGap, ofTile);
  };
  Value slopeFrom = choose(number(-rows.slopeAbove), number(rows.slopeBelow));
  Value slopeTo = choose(number(rows.slopeBelow), number(-rows.slopeAbove));
  SmallVector<std::pair<Value, Value>> edges;
  for (const Path &path : rows.paths)
    edges.push_back({choose(number(-path.above), number(path.below)),
                     choose(number(path.below), subtract(inPhase, width, number(path.above)))});
  const int64_t above = cut.turns * rows.slopeAbove + rows.mostAbove(),
                below = cut.turns * rows.slopeBelow + rows.mostBelow();
  Value lowest = choose(number(-above), zero), extent = choose(number(above + below), width);
  Value parts = choose(add(inPhase, tiles, one), tiles);
  auto over = scf::ParallelOp::create(inPhase, describe(), ValueRange{zero}, ValueRange{parts}, ValueRange{one},
                                      function_ref<void(OpBuilder &, Location, ValueRange)>());
  setSchedule(over, {.maybeEmpty = true});
  name(over.getInductionVars()[0], "tile");
  OpBuilder inTile(over.getBody()->getTerminator());
  Value corner = inTile.createOrFold<arith::MulIOp>(loc, over.getInductionVars()[0], width);
  corner = add(inTile, corner, base);

  Value stripFrom;
  if (acrossStrips) {
    Value begin = stripBase, past = stripEnd;
    if (*cut.across == 0) {
      begin = add(inTile, corner, lowest);
      past = add(inTile, begin, extent);
    }
    past = add(inTile, past, constant(inTile, cut.turns * acrossStrips->slopeAbove + acrossStrips->mostAbove()));
    auto strips = scf::ForOp::create(inTile, loc, begin, past, constant(inTile, cut.height));
    setSchedule(strips, {});
    inTile.setInsertionPoint(strips.getBody()->getTerminator());
    stripFrom = name(strips.getInductionVar(), "strip");
  }
  overTurns(inTile, [&](OpBuilder &at, unsigned statement, IRMapping &names, Value number) {
    auto border = [&](Value slope, Value edge) {
      Value moved = at.createOrFold<arith::MulIOp>(loc, number, slope);
      return add(at, add(at, corner, moved), edge);
    };
    auto [from, to] = edges[statement];
    SmallVector<Border> borders{{&rows, border(slopeFrom, from), border(slopeTo, to)}};
    if (acrossStrips) {
      Value moved = at.createOrFold<arith::MulIOp>(loc, number, constant(at, acrossStrips->slopeAbove));
      Value place = subtract(at, stripFrom, moved);
      place = subtract(at, place, constant(at, acrossStrips->paths[statement].above));
      borders.push_back({acrossStrips, place, add(at, place, constant(at, cut.height))});
    }
    body.cloneStatement(at, statement, names, borders);
  });

  auto handedOn = overTurns(builder, [](OpBuilder &, unsigned, IRMapping &, Value) {});
  if (blocks.getNumResults()) {
    builder.setInsertionPointToEnd(blocks.getBody());
    scf::YieldOp::create(builder, loc, handedOn.getResults());
  } else {
    handedOn.erase();
  }
  loop.replaceAllUsesWith(blocks.getResults());
  loop.erase();
}

struct TileTime : quernel::impl::TileTimeBase<TileTime> {
  void runOnOperation() override { rewriteLoops<TimeLoop>(getOperation()); }
};

} // namespace
