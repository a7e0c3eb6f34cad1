#include "compiler/Lowering/Turn.h"
#include "compiler/Dialect/ElementTypes.h"
#include "compiler/Dialect/Quernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <set>

using namespace mlir;
using namespace quernel;

static constexpr int64_t farthest = 64; // rows from which a statement reads
static constexpr int64_t likelyRows = 1024;

Statement::Statement(scf::ParallelOp loop)
    : op(loop), lower(loop.getLowerBound()), upper(loop.getUpperBound()), step(loop.getStep()),
      counters(loop.getInductionVars()) {}

Statement::Statement(scf::ForOp loop)
    : op(loop), lower{loop.getLowerBound()}, upper{loop.getUpperBound()}, step{loop.getStep()},
      counters{loop.getInductionVar()} {}

int64_t Statement::trips(unsigned axis) const { return std::max<int64_t>(1, knownTrips(axis).value_or(likelyRows)); }

/// Whether a number is one that the loop doesn't change.
static bool isOutside(const LinearForm &form, scf::ForOp loop) {
  return llvm::all_of(form.terms, [&](const auto &term) { return loop.isDefinedOutsideOfLoop(term.first); });
}
static bool isOutside(Value value, scf::ForOp loop) { return isOutside(LinearForm::of(value), loop); }

int64_t Direction::edge() const {
  int64_t most = 0;
  for (const Path &path : paths)
    most = std::max(most, path.below + path.above);
  return most;
}

int64_t Direction::mostOf(int64_t Path::*lost) const {
  int64_t most = 0;
  for (const Path &path : paths)
    most = std::max(most, path.*lost);
  return most;
}

int64_t Direction::rows(ArrayRef<Statement> statements) const {
  int64_t most = 1;
  for (const auto &[statement, path] : llvm::zip_equal(statements, paths))
    if (path.axis)
      most = std::max(most, statement.trips(*path.axis));
  return most;
}

bool Direction::rowsAreKnown(ArrayRef<Statement> statements) const {
  return llvm::all_of(llvm::zip_equal(statements, paths), [](const auto &both) {
    const auto &[statement, path] = both;
    return !path.axis || statement.knownTrips(*path.axis);
  });
}

std::optional<unsigned> Direction::axisOf(Value root) const {
  const auto *found = rowAxis.find(root);
  return found == rowAxis.end() ? std::nullopt : std::optional(found->second);
}

/// The subscript of an axis, nothing where it isn't linear or the array's axes aren't known.
static std::optional<LinearForm> subscriptAt(const Element &element, unsigned axis) {
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
      accesses.push_back({static_cast<unsigned>(number), element, access.isStore, *offset});
    }
  return true;
}

/// Whether two accesses of one turn may touch the same element at some rows: no known distance apart in another axis.
static bool mayMeetInTurn(const Element &first, const Element &second, unsigned rowAxis) {
  for (const auto &[axis, both] : llvm::enumerate(llvm::zip(first.subscripts, second.subscripts))) {
    const auto &[a, b] = both;
    LinearForm distance = a && b ? *a - *b : LinearForm();
    if (axis != rowAxis && distance.isConstant() && distance.constant != 0)
      return false;
  }
  return true;
}

/// A statement at a row waits for each one before it that touches the same element: at the row `distance` below it. So
/// a tile loses rows below by that distance, and above by its opposite, from the one to the other; between the turns,
/// too.
bool Direction::findSlopes() {
  std::set<std::tuple<unsigned, unsigned, int64_t>> waits, waitsInTurn;
  for (const RowAccess &first : accesses)
    for (const RowAccess &second : accesses) {
      if (first.element.root != second.element.root || !(first.isStore || second.isStore))
        continue;
      LinearForm distance = first.offset - second.offset;
      if (!distance.isConstant() || std::abs(distance.constant) > farthest)
        return false;
      waits.insert({first.statement, second.statement, distance.constant});
      if (first.statement < second.statement &&
          mayMeetInTurn(first.element, second.element, rowAxis[first.element.root]))
        waitsInTurn.insert({first.statement, second.statement, distance.constant});
    }
  for (unsigned number = 0; number < paths.size(); ++number) {
    std::optional<int64_t> behind;
    for (auto [first, second, distance] : waitsInTurn)
      if (second == number) {
        paths[second].below = std::max(paths[second].below, paths[first].below + distance);
        paths[second].above = std::max(paths[second].above, paths[first].above - distance);
        behind = std::max(behind.value_or(INT64_MIN), paths[first].behind - distance);
      }
    paths[number].behind = behind.value_or(0);
  }
  for (auto [first, second, distance] : waits)
    if (second <= first) {
      slopeBelow = std::max(slopeBelow, paths[first].below - paths[second].below + distance);
      slopeAbove = std::max(slopeAbove, paths[first].above - paths[second].above - distance);
      turnBehind = std::max(turnBehind, paths[first].behind - paths[second].behind - distance);
    }
  return true;
}

std::optional<Direction> Turn::findDirection(unsigned axis) const {
  Direction direction(loop);
  direction.paths.resize(all.size());
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(all.size()));
  llvm::stable_sort(order, [&](unsigned a, unsigned b) { return all[a].counters.size() > all[b].counters.size(); });
  for (unsigned number : order)
    if (!direction.findPath(all[number], direction.paths[number], axis))
      return std::nullopt;
  if (!direction.findOffsets(all, stored) || !direction.findSlopes())
    return std::nullopt;
  return direction;
}

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

/// Statements, branches with statements in them, and numbers; memory of a constant size that a turn takes.
bool Turn::collectIn(Block &block, function_ref<bool(scf::ForOp)> isStatement) {
  for (Operation &op : block.without_terminator()) {
    if (auto parallel = dyn_cast<scf::ParallelOp>(op)) {
      all.emplace_back(parallel);
    } else if (auto other = dyn_cast<scf::ForOp>(op);
               other && !other.getNumResults() && (isParallelLoop(other) || isStatement(other))) {
      all.emplace_back(other);
    } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
      all.emplace_back(store);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (Region &region : branch->getRegions())
        if (!region.empty() && !collectIn(region.front(), isStatement))
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
bool Turn::collectAccesses() {
  for (Statement &statement : all) {
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

bool Turn::collect(function_ref<bool(scf::ForOp)> isStatement) {
  return collectIn(*loop.getBody(), isStatement) && !all.empty() && collectAccesses();
}

IRMapping Turn::hoistArrays(OpBuilder &builder) {
  IRMapping outside;
  for (memref::AllocOp array : arrays) {
    IRMapping sizes;
    for (Value size : array.getOperands())
      sizes.map(size, valueOf(builder, loop.getLoc(), LinearForm::of(size)));
    outside.map(array.getResult(), builder.clone(*array.getOperation(), sizes)->getResult(0));
  }
  return outside;
}

std::pair<Value, Value> Turn::rangeOf(OpBuilder &builder, const Direction &direction) {
  Location loc = loop.getLoc();
  Value begin, end;
  for (const auto &[statement, path] : llvm::zip_equal(all, direction.paths)) {
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

void Turn::cloneStatement(OpBuilder &builder, unsigned number, IRMapping mapping, ArrayRef<Border> borders) {
  const Statement &statement = all[number];
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
  for (auto [direction, from, to] : borders) {
    const Path &path = direction->paths[number];
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
  if (isa<memref::StoreOp>(copy))
    return;
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

void Turn::clone(OpBuilder &builder, Block &block, IRMapping mapping,
                 function_ref<void(OpBuilder &, unsigned, IRMapping &)> onStatement, SmallVectorImpl<Value> &yielded) {
  for (Operation &op : block.without_terminator()) {
    auto statement = llvm::find_if(all, [&](const Statement &known) { return known.op == &op; });
    if (statement != all.end()) {
      onStatement(builder, statement - all.begin(), mapping);
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
      clone(inner, from.front(), mapping, onStatement, results);
      if (!target.mightHaveTerminator())
        scf::YieldOp::create(inner, branch.getLoc(), results);
    }
    mapping.map(branch.getResults(), copy.getResults());
  }
  for (Value value : block.getTerminator()->getOperands())
    yielded.push_back(mapping.lookupOrDefault(value));
}

Location Turn::describe(const Twine &how) {
  MLIRContext *context = loop.getContext();
  SmallVector<Location> lines;
  SmallVector<StatementAttr> parts;
  for (const Statement &statement : all)
    if (StatementAttr part = statementAt(statement.op->getLoc())) {
      lines.push_back(statement.op->getLoc());
      parts.push_back(part);
    }
  if (parts.empty())
    return loop.getLoc();
  return FusedLoc::get(context, lines, joinStatements(parts.back().getName(), parts, StringAttr::get(context, how)));
}
