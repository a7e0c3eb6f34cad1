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
#include "compiler/Dialect/ElementTypes.h"
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/Dependence.h"
#include "compiler/Lowering/LoopWork.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <set>

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
constexpr int64_t farthest = 64;    // rows from which a statement reads
constexpr int64_t fewForks = 16;    // that a statement's work is worth, where its start is a part of the time
constexpr int64_t likelyRows = 1024;

/// A statement: `scf.parallel`, or a loop that is marked parallel.
struct Statement {
  Operation *op;
  SmallVector<Value> lower, upper, step, counters;
  SmallVector<Access> accesses;

  explicit Statement(scf::ParallelOp loop)
      : op(loop), lower(loop.getLowerBound()), upper(loop.getUpperBound()), step(loop.getStep()),
        counters(loop.getInductionVars()) {}
  explicit Statement(scf::ForOp loop)
      : op(loop), lower{loop.getLowerBound()}, upper{loop.getUpperBound()}, step{loop.getStep()},
        counters{loop.getInductionVar()} {}

  std::optional<int64_t> knownTrips(unsigned axis) const { return averageTrips(lower[axis], upper[axis], step[axis]); }
  int64_t trips(unsigned axis) const { return std::max<int64_t>(1, knownTrips(axis).value_or(likelyRows)); }
};

/// Whether a number is one that the loop doesn't change.
bool isOutside(const LinearForm &form, scf::ForOp loop) {
  return llvm::all_of(form.terms, [&](const auto &term) { return loop.isDefinedOutsideOfLoop(term.first); });
}
bool isOutside(Value value, scf::ForOp loop) { return isOutside(LinearForm::of(value), loop); }

/// How a statement goes along a direction.
struct Path {
  /// The axis of the statement that counts rows; none of one that touches a single row, `p[0, :] = p[1, :]`.
  std::optional<unsigned> axis;
  /// The row that the statement is at: the counter plus this where there is an axis.
  LinearForm row;
  /// How many rows a tile has lost, on its lower and its upper side, when it comes to the statement in the first turn.
  int64_t below = 0, above = 0;
};

/// A way to number rows: an axis of each array that the loop stores, such that what a statement touches is a known
/// distance from the row that it is at. Tiles and strips are cut across it.
class Direction {
public:
  /// That of the given axis of the statement that has most axes, if each access allows it.
  static std::optional<Direction> find(scf::ForOp loop, ArrayRef<Statement> statements,
                                       const llvm::SmallPtrSetImpl<Value> &stored, unsigned axis);

  std::vector<Path> paths; // of each statement
  /// How many rows a tile loses with each turn on its lower and its upper side.
  int64_t slopeBelow = 0, slopeAbove = 0;
  int64_t slope() const { return slopeBelow + slopeAbove; }

  /// The most that a tile has lost in its first turn.
  int64_t edge() const {
    int64_t most = 0;
    for (const Path &path : paths)
      most = std::max(most, path.below + path.above);
    return most;
  }
  int64_t mostBelow() const { return mostOf(&Path::below); }
  int64_t mostAbove() const { return mostOf(&Path::above); }
  /// How many rows there are.
  int64_t rows(ArrayRef<Statement> statements) const {
    int64_t most = 1;
    for (const auto &[statement, path] : llvm::zip_equal(statements, paths))
      if (path.axis)
        most = std::max(most, statement.trips(*path.axis));
    return most;
  }
  bool rowsAreKnown(ArrayRef<Statement> statements) const {
    return llvm::all_of(llvm::zip_equal(statements, paths), [](const auto &both) {
      const auto &[statement, path] = both;
      return !path.axis || statement.knownTrips(*path.axis);
    });
  }
  int64_t bytesOfRow(ArrayRef<Statement> statements) const;

private:
  /// Where an access goes: the row of its statement, plus `offset`.
  struct RowAccess {
    unsigned statement;
    Value root;
    bool isStore;
    LinearForm offset;
  };

  explicit Direction(scf::ForOp loop) : loop(loop) {}

  int64_t mostOf(int64_t Path::*lost) const {
    int64_t most = 0;
    for (const Path &path : paths)
      most = std::max(most, path.*lost);
    return most;
  }

  std::optional<LinearForm> offsetFrom(const Statement &statement, const Path &path,
                                       const std::optional<LinearForm> &subscript);
  bool findPath(const Statement &statement, Path &path, unsigned firstAxis);
  bool findOffsets(ArrayRef<Statement> statements, const llvm::SmallPtrSetImpl<Value> &stored);
  bool findSlopes();

  scf::ForOp loop;
  /// Which axis of an array counts rows.
  llvm::MapVector<Value, unsigned> rowAxis;
  std::vector<RowAccess> accesses;
};

/// The subscript of an axis, nothing where it isn't linear or the array's axes aren't known.
std::optional<LinearForm> subscriptAt(const Element &element, unsigned axis) {
  return axis < element.subscripts.size() ? element.subscripts[axis] : std::nullopt;
}

/// `subscript` as a distance from the statement's row.
std::optional<LinearForm> Direction::offsetFrom(const Statement &statement, const Path &path,
                                                const std::optional<LinearForm> &subscript) {
  if (!subscript)
    return std::nullopt;
  LinearForm offset = *subscript - path.row;
  if (path.axis)
    offset = offset - LinearForm::of(statement.counters[*path.axis]);
  return isOutside(offset, loop) ? std::optional(offset) : std::nullopt;
}

/// Says which axis of the statement counts the rows of arrays whose rows are known, `firstAxis` where no array's are,
/// and which axis of its other arrays that is.
bool Direction::findPath(const Statement &statement, Path &path, unsigned firstAxis) {
  if (rowAxis.empty()) {
    if (firstAxis >= statement.counters.size())
      return false;
    path.axis = firstAxis;
  } else {
    const Access *first = nullptr;
    for (const Access &access : statement.accesses)
      if (rowAxis.contains(resolveElement(access).root) && (!first || (access.isStore && !first->isStore)))
        first = &access;
    if (!first)
      return false;
    Element element = resolveElement(*first);
    auto subscript = subscriptAt(element, rowAxis[element.root]);
    if (!subscript)
      return false;
    for (const auto &[axis, counter] : llvm::enumerate(statement.counters))
      if (llvm::any_of(subscript->terms, [&](const auto &term) { return term.first == counter; }))
        path.axis = axis;
    if (!path.axis)
      path.row = *subscript;
  }
  if (!path.axis)
    return isOutside(path.row, loop);
  if (getConstantIntValue(statement.step[*path.axis]) != 1 || !isOutside(statement.lower[*path.axis], loop) ||
      !isOutside(statement.upper[*path.axis], loop))
    return false;
  for (const Access &access : statement.accesses) {
    Element element = resolveElement(access);
    if (!rowAxis.contains(element.root))
      for (const auto &[axis, subscript] : llvm::enumerate(element.subscripts))
        if (offsetFrom(statement, path, subscript)) {
          rowAxis.insert({element.root, axis});
          break;
        }
  }
  // The row of what is stored is the statement's.
  for (const Access &access : statement.accesses) {
    Element element = resolveElement(access);
    auto axis = rowAxis.find(element.root);
    auto offset = access.isStore && axis != rowAxis.end()
                      ? offsetFrom(statement, path, subscriptAt(element, axis->second))
                      : std::nullopt;
    if (offset && offset->isConstant()) {
      path.row = *offset;
      break;
    }
  }
  return true;
}

/// Each access to an array that the loop stores is a known distance from its statement's row.
bool Direction::findOffsets(ArrayRef<Statement> statements, const llvm::SmallPtrSetImpl<Value> &stored) {
  for (const auto &[number, statement] : llvm::enumerate(statements))
    for (const Access &access : statement.accesses) {
      Element element = resolveElement(access);
      if (!stored.contains(element.root))
        continue;
      auto axis = rowAxis.find(element.root);
      if (axis == rowAxis.end())
        return false;
      auto offset = offsetFrom(statement, paths[number], subscriptAt(element, axis->second));
      if (!offset)
        return false;
      accesses.push_back({static_cast<unsigned>(number), element.root, access.isStore, *offset});
    }
  return true;
}

/// A statement at a row waits for each one before it that touches the same element: at the row `distance` below it. So
/// a tile loses rows below by that distance, and above by its opposite, from the one to the other; between the turns,
/// too.
bool Direction::findSlopes() {
  std::set<std::tuple<unsigned, unsigned, int64_t>> waits;
  for (const RowAccess &first : accesses)
    for (const RowAccess &second : accesses) {
      if (first.root != second.root || !(first.isStore || second.isStore))
        continue;
      LinearForm distance = first.offset - second.offset;
      if (!distance.isConstant() || std::abs(distance.constant) > farthest)
        return false;
      waits.insert({first.statement, second.statement, distance.constant});
    }
  for (unsigned number = 0; number < paths.size(); ++number)
    for (auto [first, second, distance] : waits)
      if (first < second && second == number) {
        paths[second].below = std::max(paths[second].below, paths[first].below + distance);
        paths[second].above = std::max(paths[second].above, paths[first].above - distance);
      }
  for (auto [first, second, distance] : waits)
    if (second <= first) {
      slopeBelow = std::max(slopeBelow, paths[first].below - paths[second].below + distance);
      slopeAbove = std::max(slopeAbove, paths[first].above - paths[second].above - distance);
    }
  return true;
}

std::optional<Direction> Direction::find(scf::ForOp loop, ArrayRef<Statement> statements,
                                         const llvm::SmallPtrSetImpl<Value> &stored, unsigned axis) {
  Direction direction(loop);
  direction.paths.resize(statements.size());
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(statements.size()));
  llvm::stable_sort(
      order, [&](unsigned a, unsigned b) { return statements[a].counters.size() > statements[b].counters.size(); });
  for (unsigned number : order)
    if (!direction.findPath(statements[number], direction.paths[number], axis))
      return std::nullopt;
  if (!direction.findOffsets(statements, stored) || !direction.findSlopes())
    return std::nullopt;
  return direction;
}

/// The bytes that the statements touch at a row, each array once.
int64_t Direction::bytesOfRow(ArrayRef<Statement> statements) const {
  llvm::MapVector<Value, int64_t> bytesOf;
  for (const auto &[statement, path] : llvm::zip_equal(statements, paths)) {
    int64_t elements = 1;
    for (unsigned axis = 0; axis < statement.counters.size(); ++axis)
      if (axis != path.axis)
        elements *= statement.trips(axis);
    for (const Access &access : statement.accesses)
      if (Value root = resolveElement(access).root; rowAxis.contains(root)) {
        int64_t size = elementBytes(cast<MemRefType>(root.getType()).getElementType());
        bytesOf[root] = std::max(bytesOf[root], elements * size);
      }
  }
  int64_t bytes = 0;
  for (auto [root, size] : bytesOf)
    bytes += size;
  return std::max<int64_t>(1, bytes);
}

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
  explicit TimeLoop(scf::ForOp loop) : loop(loop) {}

  bool applies() {
    auto step = getConstantIntValue(loop.getStep());
    return step && *step > 0 && !isParallelLoop(loop) && !isTaskLoop(loop) &&
           !loop->getParentOfType<scf::ParallelOp>() && collectIn(*loop.getBody()) && !statements.empty() &&
           collectAccesses() && findDirections() && chooseCut();
  }

  void run();

private:
  bool collectIn(Block &block);
  bool collectAccesses();
  bool findDirections();
  bool chooseCut();

  std::pair<Value, Value> rangeOf(OpBuilder &builder, const Direction &direction);
  void cloneBlock(OpBuilder &builder, Block &block, IRMapping mapping,
                  function_ref<void(OpBuilder &, unsigned, IRMapping &)> onStatement, SmallVectorImpl<Value> &yielded);
  void cloneStatement(OpBuilder &builder, unsigned number, IRMapping mapping,
                      ArrayRef<std::tuple<unsigned, Value, Value>> borders);
  Location describe();

  scf::ForOp loop;
  std::vector<Statement> statements;
  SmallVector<memref::AllocOp> arrays;
  SmallVector<memref::LoadOp> numbers;
  llvm::SmallPtrSet<Value, 8> stored;
  std::vector<Direction> directions;
  Cut cut;
};

/// Statements, branches with statements in them, and numbers; memory of a constant size that a turn takes.
bool TimeLoop::collectIn(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (auto parallel = dyn_cast<scf::ParallelOp>(op)) {
      statements.emplace_back(parallel);
    } else if (auto other = dyn_cast<scf::ForOp>(op); other && isParallelLoop(other) && !other.getNumResults()) {
      statements.emplace_back(other);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (Region &region : branch->getRegions())
        if (!region.empty() && !collectIn(region.front()))
          return false;
    } else if (auto array = dyn_cast<memref::AllocOp>(op)) {
      if (!llvm::all_of(op.getOperands(), [&](Value size) { return isOutside(size, loop); }))
        return false;
      arrays.push_back(array);
    } else if (auto number = dyn_cast<memref::LoadOp>(op)) {
      numbers.push_back(number);
    } else if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op)) {
      return false;
    }
  }
  return true;
}

/// Each access is to known elements of a known array, nothing may fail, and no turn stores what a number is loaded
/// from.
bool TimeLoop::collectAccesses() {
  for (Statement &statement : statements) {
    if (failed(quernel::collectAccesses(statement.op, statement.accesses)) ||
        statement.op->walk([](CheckOp) { return WalkResult::interrupt(); }).wasInterrupted())
      return false;
    for (const Access &access : statement.accesses) {
      Value root = resolveElement(access).root;
      if (!root || !access.indices)
        return false;
      if (access.isStore)
        stored.insert(root);
    }
  }
  for (memref::LoadOp number : numbers) {
    SmallVector<Access> loads;
    if (failed(quernel::collectAccesses(number, loads)))
      return false;
    for (const Access &load : loads)
      if (Value root = resolveElement(load).root; !root || stored.contains(root))
        return false;
  }
  return true;
}

/// Tiles are cut across the first axis; strips across that or the second one, if that isn't the one along memory.
bool TimeLoop::findDirections() {
  unsigned axes = 0;
  for (const Statement &statement : statements)
    axes = std::max<unsigned>(axes, statement.counters.size());
  for (unsigned axis = 0; axis < std::max(1u, std::min(2u, axes - 1)); ++axis) {
    auto direction = Direction::find(loop, statements, stored, axis);
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
  const int64_t rows = first.rows(statements), bytes = first.bytesOfRow(statements);
  auto turnsOf = [&](int64_t width) -> int64_t {
    if (width <= first.edge())
      return 0;
    return first.slope() ? std::min(mostTurns, (width - first.edge()) / first.slope()) : mostTurns;
  };
  auto offer = [&](const Cut &other) {
    if (std::min(other.turns, enoughTurns) > std::min(cut.turns, enoughTurns))
      cut = other;
  };
  const bool isKnown = first.rowsAreKnown(statements);
  const int64_t share = llvm::divideCeil(rows, fewestTiles), fitting = target.cacheBytes / 2 / bytes;
  const int64_t width = isKnown ? std::min(fitting, share) : fitting;
  cut = {.turns = turnsOf(width), .width = width};
  const bool isLarge = rows * bytes > target.cacheBytes;
  if (isLarge) {
    for (int64_t cache : {target.cacheBytes, target.lastCacheBytes})
      for (const auto &[number, across] : llvm::enumerate(directions)) {
        const int64_t bytesOfStrip = number == 0 ? bytes : llvm::divideCeil(bytes, across.rows(statements)) * share;
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
  for (const Statement &statement : statements) {
    most = std::max(most, loopWork(statement.op));
    all += loopWork(statement.op);
  }
  const bool startsCount = most < fewForks * target.fork && (!isKnown || all * cut.turns >= 2 * target.fork);
  if (cut.turns < 2 || !(isLarge || startsCount))
    return false;
  int64_t workOfRow = 1;
  for (const auto &[statement, path] : llvm::zip_equal(statements, first.paths))
    if (path.axis)
      workOfRow += loopWork(statement.op) / statement.knownTrips(*path.axis).value_or(assumedTrips);
  cut.least = first.edge() + std::max<int64_t>(1, first.slope());
  cut.least = std::max(cut.least, target.fork / 2 / (workOfRow * cut.turns));
  return true;
}

/// The first row that a statement is at in a direction, and the one behind the last.
std::pair<Value, Value> TimeLoop::rangeOf(OpBuilder &builder, const Direction &direction) {
  Location loc = loop.getLoc();
  Value begin, end;
  for (const auto &[statement, path] : llvm::zip_equal(statements, direction.paths)) {
    LinearForm first = path.row, last = path.row;
    if (path.axis) {
      first = first + LinearForm::of(statement.lower[*path.axis]);
      last = last + LinearForm::of(statement.upper[*path.axis]);
    } else {
      last.constant += 1;
    }
    Value low = valueOf(builder, loop.getLoc(), first), high = valueOf(builder, loop.getLoc(), last);
    begin = begin ? builder.createOrFold<arith::MinSIOp>(loc, begin, low) : low;
    end = end ? builder.createOrFold<arith::MaxSIOp>(loc, end, high) : high;
  }
  return {begin, builder.createOrFold<arith::MaxSIOp>(loc, begin, end)};
}

/// The statement at its rows between the borders in each of the directions named.
void TimeLoop::cloneStatement(OpBuilder &builder, unsigned number, IRMapping mapping,
                              ArrayRef<std::tuple<unsigned, Value, Value>> borders) {
  Statement &statement = statements[number];
  Location loc = statement.op->getLoc();
  OpBuilder::InsertionGuard guard(builder);
  auto clamp = [&](Value lower, Value upper, Value from, Value to) {
    return std::pair(builder.createOrFold<arith::MaxSIOp>(loc, lower, from),
                     builder.createOrFold<arith::MinSIOp>(loc, upper, to));
  };
  SmallVector<Value> lowers, uppers;
  for (auto [lower, upper] : llvm::zip_equal(statement.lower, statement.upper)) {
    lowers.push_back(mapping.lookupOrDefault(lower));
    uppers.push_back(mapping.lookupOrDefault(upper));
  }
  for (auto [which, from, to] : borders) {
    const Path &path = directions[which].paths[number];
    Value row = valueOf(builder, loop.getLoc(), path.row);
    if (path.axis) {
      std::tie(lowers[*path.axis], uppers[*path.axis]) =
          clamp(lowers[*path.axis], uppers[*path.axis], builder.createOrFold<arith::SubIOp>(loc, from, row),
                builder.createOrFold<arith::SubIOp>(loc, to, row));
      continue;
    }
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    auto [lower, upper] = clamp(row, builder.createOrFold<arith::AddIOp>(loc, row, one), from, to);
    auto once = scf::ForOp::create(builder, loc, lower, upper, one);
    setSchedule(once, {.maybeEmpty = true});
    builder.setInsertionPoint(once.getBody()->getTerminator());
  }
  Operation *copy = builder.clone(*statement.op, mapping);
  Schedule schedule = scheduleOf(statement.op);
  schedule.maybeEmpty = true;
  setSchedule(copy, schedule);
  if (auto parallel = dyn_cast<scf::ParallelOp>(copy)) {
    parallel.getLowerBoundMutable().assign(lowers);
    parallel.getUpperBoundMutable().assign(uppers);
  } else {
    cast<scf::ForOp>(copy).setLowerBound(lowers[0]);
    cast<scf::ForOp>(copy).setUpperBound(uppers[0]);
  }
}

/// Copies numbers and branches, and hands statements to `onStatement`.
void TimeLoop::cloneBlock(OpBuilder &builder, Block &block, IRMapping mapping,
                          function_ref<void(OpBuilder &, unsigned, IRMapping &)> onStatement,
                          SmallVectorImpl<Value> &yielded) {
  for (Operation &op : block.without_terminator()) {
    auto statement = llvm::find_if(statements, [&](const Statement &known) { return known.op == &op; });
    if (statement != statements.end()) {
      onStatement(builder, statement - statements.begin(), mapping);
      continue;
    }
    if (isa<memref::AllocOp>(op))
      continue;
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch) {
      builder.clone(op, mapping);
      continue;
    }
    auto copy = scf::IfOp::create(builder, branch.getLoc(), branch.getResultTypes(),
                                  mapping.lookupOrDefault(branch.getCondition()),
                                  /*withElseRegion=*/!branch.getElseRegion().empty());
    for (auto [from, to] : llvm::zip_equal(branch->getRegions(), copy->getRegions())) {
      if (from.empty())
        continue;
      Block &target = to.front();
      OpBuilder inner =
          target.mightHaveTerminator() ? OpBuilder(target.getTerminator()) : OpBuilder::atBlockEnd(&target);
      SmallVector<Value> results;
      cloneBlock(inner, from.front(), mapping, onStatement, results);
      if (!target.mightHaveTerminator())
        scf::YieldOp::create(inner, branch.getLoc(), results);
    }
    mapping.map(branch.getResults(), copy.getResults());
  }
  for (Value value : block.getTerminator()->getOperands())
    yielded.push_back(mapping.lookupOrDefault(value));
}

/// The tiles are named after the last statement; their lines and operations are those of all.
Location TimeLoop::describe() {
  MLIRContext *context = loop.getContext();
  SmallVector<Location> lines;
  SmallVector<StatementAttr> parts;
  for (Statement &statement : statements)
    if (StatementAttr part = statementAt(statement.op->getLoc())) {
      lines.push_back(statement.op->getLoc());
      parts.push_back(part);
    }
  if (parts.empty())
    return loop.getLoc();
  const char *most = directions.front().rowsAreKnown(statements) ? "" : "at most ";
  std::string how = (Twine(most) + Twine(cut.turns) + " turns of the loop at a time, in tiles of " + most +
                     Twine(cut.width) + " rows")
                        .str();
  if (cut.across)
    how += (Twine(", strips of ") + Twine(cut.height)).str();
  return FusedLoc::get(context, lines, joinStatements(parts.back().getName(), parts, StringAttr::get(context, how)));
}

void TimeLoop::run() {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  auto constant = [&](OpBuilder &at, int64_t value) -> Value { return arith::ConstantIndexOp::create(at, loc, value); };
  auto add = [&](OpBuilder &at, Value a, Value b) { return at.createOrFold<arith::AddIOp>(loc, a, b); };
  auto subtract = [&](OpBuilder &at, Value a, Value b) { return at.createOrFold<arith::SubIOp>(loc, a, b); };
  IRMapping outside;
  for (memref::AllocOp array : arrays) {
    IRMapping sizes;
    for (Value size : array.getOperands())
      sizes.map(size, valueOf(builder, loop.getLoc(), LinearForm::of(size)));
    outside.map(array.getResult(), builder.clone(*array, sizes)->getResult(0));
  }

  const Direction &rows = directions.front();
  auto [base, end] = rangeOf(builder, rows);
  Value zero = constant(builder, 0), one = constant(builder, 1), two = constant(builder, 2);
  Value width = constant(builder, cut.width), turns = constant(builder, cut.turns);
  if (!rows.rowsAreKnown(statements)) {
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
    std::tie(stripBase, stripEnd) = rangeOf(builder, *acrossStrips);

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
    cloneBlock(
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
    SmallVector<std::tuple<unsigned, Value, Value>> borders{{0u, border(slopeFrom, from), border(slopeTo, to)}};
    if (acrossStrips) {
      Value moved = at.createOrFold<arith::MulIOp>(loc, number, constant(at, acrossStrips->slopeAbove));
      Value place = subtract(at, stripFrom, moved);
      place = subtract(at, place, constant(at, acrossStrips->paths[statement].above));
      borders.push_back({*cut.across, place, add(at, place, constant(at, cut.height))});
    }
    cloneStatement(at, statement, names, borders);
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
