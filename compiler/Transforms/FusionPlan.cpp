#include "compiler/Transforms/FusionPlan.h"
#include "compiler/Transforms/Sweeps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace quernel;

// Costs are in additions per element.
static constexpr double rowRoundTrip = 6;      // the same where the row stays in a core's cache
static constexpr size_t mostKernels = 8;       // that are looked at for one value
static constexpr double textOfReduction = 250; // as many operations
static constexpr double assumedExtent = 1024;  // of an axis whose size isn't known
static constexpr double cheapInLoops = 3;      // what a loop may compute again in every turn
static constexpr double enoughRows = 16;       // rows that keep all threads busy
static constexpr double selectsOfPiece = 1024; // that cost as much as a kernel of its own
static constexpr double indicesOfUnknown = 64; // times the extent assumed, where a table of known size is gathered from
static constexpr double indicesOfOpen = 2;     // for each element of a table, where the data say how many both are
static constexpr double randomLoad = 4;        // beyond one that follows the load before
static constexpr double fewResults = 16;       // that no threads share
static constexpr double enoughWork = 16384;    // additions that are worth a kernel of their own
static constexpr double serialElements = 4096; // a reduction of fewer needs no kernel of its own

bool quernel::standsAlone(Operation *op) {
  return isa<MatmulOp, RoutineOp, UserCallOp, UpdateSliceOp, ScatterOp, CompressOp, ScanOp>(op);
}

double quernel::textOf(Operation *op) {
  auto scalar = dyn_cast<ScalarOpInterface>(op);
  return scalar ? scalar.scalarCost() : isa<ReduceOp, ArgReduceOp>(op) ? textOfReduction : 1;
}

bool quernel::hasControlFlow(func::FuncOp function) {
  return function
      .walk([](Operation *op) {
        bool found =
            isa<scf::ForOp, scf::WhileOp, scf::IfOp, ScatterOp, CompressOp, ScanOp, CheckOp, HandOverOp, SymbolOp>(op);
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

FusionPlan::FusionPlan(func::FuncOp function, ShapeAnalysis &shapes)
    : shapes(shapes), controlFlow(hasControlFlow(function)), roundTrip(targetOf(function).roundTrip),
      argumentSymbols(llvm::count_if(function.getArgumentTypes(), [](Type type) { return type.isIndex(); })) {
  // The new value of an argument goes into that argument's buffer, which has its shape.
  size_t outputs = function.getNumResults() - updatesOf(function).size();
  for (auto [i, result] : llvm::enumerate(function.getBody().front().getTerminator()->getOperands())) {
    if (controlFlow && shapes.shape(result).empty())
      demandScalar(result);
    else
      require(result, i >= outputs);
  }
  SmallVector<Operation *> ops;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    levels[op] = levelOf(op);
  for (Operation *op : ops)
    requireWhole(op);
  if (controlFlow)
    for (Operation *op : ops) {
      pinWhatIsOverwritten(op);
      for (Value result : op->getResults())
        pinWhatLoopsRead(result);
    }
  costs.clear(); // now more is stored
  for (Operation *op : ops)
    for (Value value : op->getResults()) {
      if (isLeaf(value))
        continue;
      bool isScalarValue = controlFlow && shapes.shape(value).empty();
      std::optional<Decision> decision;
      if (!required.contains(value) && !isScalarValue && !pinned.contains(value))
        decision = worthStoring(value);
      if (decision)
        decisions[value] = *decision;
      if (required.contains(value) || decision || (!isScalarValue && pinned.contains(value)))
        stored.insert(value);
      else if (isScalarValue && (pinned.contains(value) ||
                                 ((feedsKernels(value) || isAskedForTwice(value)) && recomputeCost(value) > roundTrip)))
        scalars.insert(value);
    }
}

/// What an operation needs as arrays in memory.
void FusionPlan::requireWhole(Operation *op) {
  if (standsAlone(op))
    for (Value result : op->getResults())
      require(result, true);
  // The mask is asked for once to count and again to select.
  if (auto compress = dyn_cast<CompressOp>(op); compress && !isCheap(compress.getMask()))
    require(compress.getMask(), false);
  if (auto product = dyn_cast<MatmulOp>(op))
    for (unsigned side : {0, 1})
      require(MatmulOperand(product, side, shapes).source, true);
  else if (isa<RoutineOp>(op))
    for (Value operand : op->getOperands())
      require(operand, true);
  else if (auto call = dyn_cast<UserCallOp>(op)) {
    requireHandedOver(call.getArrays().drop_back(call.getWritten()));
    for (Value operand : call.getArrays().take_back(call.getWritten()))
      require(operand, true);
  } else if (isa<UpdateSliceOp, ScatterOp>(op))
    require(op->getOperand(0), true);
  else if (isa<scf::ForOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp, arith::SelectOp>(op))
    requireHandedOver(op->getOperands());
  else if (isa<tensor::ExtractOp, SymbolOp, CheckOp, HandOverOp, AssumeShapeOp>(
               op)) // folds may put any value behind a shape
    requireHandedOver(op->getOperands());
  auto isOne = [](Dim dim) { return constantDim(dim) == 1; };
  if (auto update = dyn_cast<UpdateSliceOp>(op);
      update && controlFlow && llvm::all_of(update.getSizes().getResults(), isOne))
    demandScalar(update.getValue());
}

void FusionPlan::requireHandedOver(ValueRange values) {
  for (Value value : values) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (type && type.getRank() > 0)
      require(value, true);
    else if (type)
      demandScalar(value);
  }
}

/// The program computes a scalar itself, where it is asked for; long reductions in it still are kernels.
void FusionPlan::demandScalar(Value value) {
  if (isLeaf(value) || required.contains(value) || !demanded.insert(value).second)
    return;
  Operation *op = value.getDefiningOp();
  if (isa<ReduceOp, ArgReduceOp>(op) && needsKernel(value))
    return require(value, false);
  for (Value operand : op->getOperands())
    demandScalar(operand);
}

/// Whether the program asks for a scalar, where it is defined, for more than one of its own values.
bool FusionPlan::isAskedForTwice(Value value) const {
  return llvm::count_if(value.getUsers(), [&](Operation *user) { return user->getBlock() == value.getParentBlock(); }) >
         1;
}

/// Whether some kernel would compute a scalar again.
bool FusionPlan::feedsKernels(Value value) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return isa<ShapeRuleOpInterface>(user) && !isa<UpdateSliceOp>(user) && !demanded.contains(user->getResult(0));
  });
}

bool FusionPlan::needsKernel(Value reduction) {
  Value x = reduction.getDefiningOp()->getOperand(0);
  // In a loop whose counter bounds it a reduction is part of the loop.
  for (Dim dim : shapes.shape(x))
    if (lastSymbol(dim) >= static_cast<int64_t>(argumentSymbols))
      return false;
  return elements(x) >= serialElements;
}

/// Whether `op` runs after `writer`, or in a loop or branch that it is; also behind the branches around the writer.
static bool runsAfter(Operation *op, Operation *writer) {
  for (Operation *around = writer; around->getBlock(); around = around->getParentOp()) {
    Operation *place = around->getBlock()->findAncestorOpInBlock(*op);
    if (place == around)
      return around == writer && op != writer;
    if (place)
      return around->isBeforeInBlock(place);
  }
  return false;
}

/// Values that are made of an array's old elements and asked for after it was written. A matter of cost alone: asking
/// for the old elements later would keep a copy of the whole array.
void FusionPlan::pinWhatIsOverwritten(Operation *writer) {
  SmallVector<Value> work;
  if (isa<UpdateSliceOp, ScatterOp>(writer))
    work.push_back(writer->getOperand(0));
  else if (isa<scf::ForOp, scf::WhileOp>(writer))
    llvm::copy_if(writer->getOperands(), std::back_inserter(work), [](Value value) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      return type && type.getRank() > 0;
    });
  llvm::DenseSet<Value> bases(work.begin(), work.end()), seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second || (required.contains(value) && !bases.contains(value)))
      continue;
    for (Operation *user : value.getUsers()) {
      if (!bases.contains(value) && runsAfter(user, writer))
        pinned.insert(value);
      if (isa<ShapeRuleOpInterface>(user) && !runsAfter(user, writer) && user != writer)
        work.append(user->result_begin(), user->result_end());
    }
  }
}

/// Values that a loop would compute again in every turn.
void FusionPlan::pinWhatLoopsRead(Value value) {
  if (isLeaf(value) || isa<ConstantOp, FullOp, IotaOp, DimOp, EmptyOp>(value.getDefiningOp()))
    return;
  for (Operation *user : value.getUsers())
    for (Operation *parent = user->getParentOp(); parent != value.getParentBlock()->getParentOp();
         parent = parent->getParentOp())
      if (isa<scf::ForOp, scf::WhileOp>(parent) && !isCheap(value))
        pinned.insert(value);
}

bool FusionPlan::isLeaf(Value value) const {
  Operation *op = value.getDefiningOp();
  return !op || !isa<ShapeRuleOpInterface>(op) || isa<AssumeShapeOp, HandOverOp>(op);
}

double FusionPlan::extent(Dim dim) const {
  auto constant = constantDim(dim);
  return constant ? static_cast<double>(*constant) : assumedExtent;
}

double FusionPlan::elements(ArrayRef<Dim> shape) const {
  double count = 1;
  for (Dim dim : shape)
    count *= std::max(1.0, extent(dim));
  return count;
}

double FusionPlan::elements(Value value) const { return elements(shapes.shape(value)); }

bool FusionPlan::isCheap(Value value) { return recomputeCost(value) <= cheapInLoops; }

bool FusionPlan::isStoredByPieces(Value value) const {
  auto joined = value.getDefiningOp<ConcatenateOp>();
  if (!joined || !stored.contains(value))
    return false;
  const auto pieces = static_cast<double>(joined.getArrays().size());
  // Array by array, since a size of the whole that isn't known counts as that of one. What only a loop or the data know
  // counts as little.
  const bool isOpen = llvm::any_of(shapes.shape(value),
                                   [&](Dim dim) { return lastSymbol(dim) >= static_cast<int64_t>(argumentSymbols); });
  double all = 0;
  for (Value array : joined.getArrays())
    all += elements(array);
  return isOpen ? elements(value) >= selectsOfPiece * pieces : all * (pieces - 1) >= selectsOfPiece * pieces;
}

void FusionPlan::require(Value value, bool keepsShape) {
  required.insert(value);
  if (keepsShape)
    shaped.insert(value);
}

FusionPlan::Costs FusionPlan::costsOf(Value value) {
  if (isLeaf(value) || stored.contains(value))
    return {1, 1};
  auto [entry, isNew] = costs.try_emplace(value, Costs{0, 0});
  if (!isNew)
    return entry->second;
  Operation *op = value.getDefiningOp();
  auto scalar = dyn_cast<ScalarOpInterface>(op);
  double own = scalar ? scalar.scalarCost() : isa<GatherOp>(op) ? randomLoad : 0;
  Costs found{0, textOf(op)};
  // What is broadcast is hoisted: its cost is shared by the elements that use it.
  double size = elements(op->getResult(0));
  for (Value operand : op->getOperands()) {
    Costs part = costsOf(operand);
    found.again += part.again * (isa<ScalarOpInterface, BroadcastToOp>(op) ? elements(operand) / size : 1);
    found.text += part.text;
  }
  found.again += own;
  if (auto reduce = dyn_cast<ReduceOp>(op))
    for (int64_t axis : reduce.getAxes())
      found.again = (found.again + 1) * extent(shapes.shape(reduce.getX())[axis]);
  if (auto search = dyn_cast<ArgReduceOp>(op))
    found.again = (found.again + 3) * extent(shapes.shape(search.getX())[search.getAxis()]);
  return costs[value] = found;
}

/// Whether a reduction asks for the same element again for each of its results: where what it reduces has the reduced
/// axis, but not all of the axes that it keeps.
bool FusionPlan::isRepeatedBy(Operation *reduction, ArrayRef<int64_t> axes) {
  SmallVector<int64_t> reduced;
  if (auto reduce = dyn_cast<ReduceOp>(reduction))
    llvm::append_range(reduced, reduce.getAxes());
  else if (auto search = dyn_cast<ArgReduceOp>(reduction))
    reduced.push_back(search.getAxis());
  if (llvm::none_of(axes, [&](int64_t axis) { return llvm::is_contained(reduced, axis); }))
    return false;
  for (auto [axis, dim] : llvm::enumerate(shapes.shape(reduction->getOperand(0))))
    if (constantDim(dim) != 1 && !llvm::is_contained(reduced, axis) && !llvm::is_contained(axes, axis))
      return true;
  return false;
}

/// Follows `value` into its consumers' index spaces. True where some consumer asks for the same element again: along an
/// axis that the value doesn't have. A leading value of enough rows is exempt, because it is hoisted out of the axes
/// that follow. What a step leads to is looked for once: values are asked about in the program's order, so what is
/// stored meanwhile lies behind none of the later ones.
bool FusionPlan::repeats(Value value, bool isReduction) {
  struct Step {
    Value array;
    Shape space;               // of the loops that store it: an update's are over its region
    SmallVector<int64_t> axes; // where the value's axes are in `space`, or -1
    size_t before;             // the step that led to this one
  };
  SmallVector<int64_t> own;
  ArrayRef<Dim> shape = shapes.shape(value);
  for (auto [axis, dim] : llvm::enumerate(shape))
    if (constantDim(dim) != 1)
      own.push_back(axis);
  std::vector<Step> steps{{value, Shape(shape), own, 0}};
  SmallVector<size_t> work{0};
  SmallVector<std::map<Repetition, bool>::iterator> begun;
  auto keyOf = [&](const Step &step) { return Repetition{step.array.getAsOpaquePointer(), step.axes, isReduction}; };
  auto found = [&](size_t last) {
    for (auto step : begun) // some of what they lead to hasn't been looked at
      repetitions.erase(step);
    for (size_t number = last;; number = steps[number].before) {
      repetitions[keyOf(steps[number])] = true;
      if (number == 0)
        return true;
    }
  };
  auto isHoistable = [&](const Step &step) {
    double rows = 1;
    for (auto [i, axis] : llvm::enumerate(step.axes)) {
      int64_t expected = 0; // a prefix, not counting axes of size 1
      for (int64_t before = 0; before < axis; ++before)
        expected += constantDim(step.space[before]) != 1;
      if (axis < 0 || expected != static_cast<int64_t>(i))
        return false;
      rows *= extent(step.space[axis]);
    }
    return rows >= enoughRows;
  };
  while (!work.empty()) {
    const size_t number = work.pop_back_val();
    const Step step = steps[number];
    auto [known, isNew] = repetitions.try_emplace(keyOf(step), false);
    if (!isNew && known->second)
      return found(number);
    if (!isNew)
      continue;
    begun.push_back(known);
    int64_t present = llvm::count_if(step.space, [](Dim dim) { return constantDim(dim) != 1; });
    if (present > static_cast<int64_t>(step.axes.size()) && !isHoistable(step))
      return found(number);
    if (step.array != value && (required.contains(step.array) || stored.contains(step.array)))
      continue;
    for (Operation *user : step.array.getUsers()) {
      if (!isa<ShapeRuleOpInterface>(user) || (standsAlone(user) && !isa<UpdateSliceOp>(user)))
        continue;
      auto update = dyn_cast<UpdateSliceOp>(user);
      if (update && update.getValue() != step.array)
        continue; // its elements stay where they are
      Shape space(update ? update.getSizes().getResults() : shapes.shape(user->getResult(0)));
      int64_t from = step.space.size(), to = space.size();
      SmallVector<int64_t> axes;
      if (isa<ScalarOpInterface, BroadcastToOp, UpdateSliceOp>(user)) {
        for (int64_t axis : step.axes)
          axes.push_back(axis + to - from);
      } else if (auto transpose = dyn_cast<TransposeOp>(user)) {
        for (int64_t axis : step.axes)
          axes.push_back(llvm::find(transpose.getPermutation(), axis) - transpose.getPermutation().begin());
        if (!llvm::is_sorted(axes) && isReduction)
          return found(number);
      } else if (isa<ReshapeOp>(user)) {
        // Only axes of size 1 come and go: the others keep their order.
        SmallVector<int64_t> targets;
        for (auto [axis, dim] : llvm::enumerate(space))
          if (constantDim(dim) != 1)
            targets.push_back(axis);
        // A position in other axes can't be hoisted any more.
        if (static_cast<int64_t>(targets.size()) != present) {
          if (isReduction || present > static_cast<int64_t>(step.axes.size()))
            return found(number);
          continue;
        }
        for (int64_t axis : step.axes) {
          int64_t order = 0;
          for (int64_t before = 0; before < axis; ++before)
            order += constantDim(step.space[before]) != 1;
          axes.push_back(targets[order]);
        }
      } else if (isa<SliceOp, ConcatenateOp>(user)) {
        // An axis that a slice cuts down to one element isn't walked any more.
        for (int64_t axis : step.axes)
          if (constantDim(space[axis]) != 1)
            axes.push_back(axis);
      } else {
        // A reduction asks once for each element of its operand; its own axes are loops of their own, inside of the
        // loops over its results.
        if (isRepeatedBy(user, step.axes))
          return found(number);
        continue;
      }
      work.push_back(steps.size());
      steps.push_back({user->getResult(0), std::move(space), axes, number});
    }
  }
  return false;
}

/// The index spaces of the required values that `value` ends in, two of them at most. Each value is looked at once.
ArrayRef<Shape> FusionPlan::spacesBehind(Value value) {
  SmallVector<Value> work{value};
  while (!work.empty()) {
    Value next = work.back();
    const size_t before = work.size();
    SmallVector<Shape, 2> found;
    auto add = [&](const Shape &space) {
      if (found.size() < 2 && !llvm::is_contained(found, space))
        found.push_back(space);
    };
    if (!endSpaces.contains(next))
      for (Operation *user : next.getUsers()) {
        if (!isa<ShapeRuleOpInterface>(user))
          continue;
        for (Value result : user->getResults())
          if (required.contains(result))
            add(Shape(shapes.shape(result)));
          else if (auto known = endSpaces.find(result); known == endSpaces.end())
            work.push_back(result);
          else
            llvm::for_each(known->second, add);
      }
    if (work.size() > before)
      continue;
    endSpaces.try_emplace(next, std::move(found));
    work.pop_back();
  }
  return endSpaces.find(value)->second;
}

/// How many reductions an operation waits for, one after the other.
unsigned FusionPlan::levelOf(Operation *op) {
  unsigned level = 0;
  for (Value operand : op->getOperands()) {
    Operation *producer = operand.getDefiningOp();
    if (auto found = levels.find(producer); found != levels.end())
      level = std::max(level, found->second + isa<ReduceOp, ArgReduceOp>(producer));
  }
  return level;
}

static bool isAskedAtOtherPlaces(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) { return isa<SliceOp, ConcatenateOp>(user); });
}

/// Whether one use of a value waits for a reduction for which another one doesn't: a loop of its own computes it again.
bool FusionPlan::isAskedAfterReduction(Value value) {
  unsigned level = levels.lookup(*value.user_begin());
  return llvm::any_of(value.getUsers(), [&](Operation *user) { return levels.lookup(user) != level; });
}

/// Whether gathers ask for so many elements of a value that it costs less to compute each once and load it. Index
/// arrays of unknown sizes count as long beside a value of known size, and as somewhat longer beside one of another
/// unknown size.
bool FusionPlan::isGatheredOften(Value value) {
  double cost = recomputeCost(value), asked = 0;
  bool isKnown = llvm::all_of(shapes.shape(value), [](Dim dim) { return constantDim(dim).has_value(); });
  for (Operation *user : value.getUsers())
    if (auto gather = dyn_cast<GatherOp>(user); gather && gather.getX() == value) {
      ArrayRef<Dim> shape = shapes.shape(gather.getResult());
      bool isOpen = llvm::any_of(shape, [](Dim dim) { return !constantDim(dim); });
      bool isOther = !isKnown && Shape(shape) != Shape(shapes.shape(value));
      asked += elements(gather.getResult()) * (isKnown && isOpen   ? indicesOfUnknown
                                               : isOpen && isOther ? indicesOfOpen
                                                                   : 1);
    }
  return cost > cheapInLoops && cost * asked > (cost + roundTrip) * elements(value);
}

std::optional<FusionPlan::Decision> FusionPlan::worthStoring(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa<ConstantOp, FullOp, IotaOp, DimOp, EmptyOp>(op) || value.use_empty())
    return std::nullopt;
  double cost = recomputeCost(value);
  bool isReduction = isa<ReduceOp, ArgReduceOp>(op);
  if (auto reduce = dyn_cast<ReduceOp>(op); reduce && reduce.getChunk())
    return Decision{"its pieces are reduced side by side"};
  if (auto search = dyn_cast<ArgReduceOp>(op); search && search.getChunk())
    return Decision{"its pieces are searched side by side"};
  if (!isReduction && isGatheredOften(value))
    return Decision{"gathers ask for each of its elements several times"};
  if (isa<GatherOp>(op)) {
    const double loops = kernelsBehind(value).size();
    if (cost * (loops - 1) > roundTrip)
      return Decision{"several kernels would load it from the same random places", roundTrip, cost * (loops - 1)};
  }
  if (cost <= roundTrip || isa<ReshapeOp, TransposeOp, BroadcastToOp, SliceOp>(op))
    return std::nullopt;
  if (!isReduction && costsOf(value).text > largestBody)
    return Decision{"a kernel with all that it is made of would be too long"};
  if (isReduction) {
    if (repeats(value, true))
      return Decision{"its kernel would reduce again for each element of another axis", roundTrip, cost};
    if (spacesBehind(value).size() > 1) // so that several kernels would compute it
      return Decision{"several kernels ask for it", roundTrip, cost};
    if (isReducedToFew(value, cost))
      return Decision{"what is made of it is one thread's work, it is that of many"};
    if (sharesRows(value))
      return Decision{"it is reduced of rows that another kernel goes through, too"};
    return std::nullopt;
  }
  int64_t uses = std::distance(value.getUses().begin(), value.getUses().end());
  double again = cost * (uses - 1);
  if (again > 8 * roundTrip && isAskedAtOtherPlaces(value))
    return Decision{"it is asked for at several places", 8 * roundTrip, again};
  if (again > 2 * roundTrip && isAskedAfterReduction(value))
    return Decision{"it is asked for before and after a reduction", 2 * roundTrip, again};
  if (repeats(value, false))
    return Decision{"its kernel would compute it again for each element of another axis", roundTrip, cost};
  if (auto decision = feedsSweep(value, cost))
    return decision;
  return feedsUpdates(value, cost);
}

std::optional<std::string> FusionPlan::decisionFor(Value value) const {
  auto found = decisions.find(value);
  if (found == decisions.end())
    return std::nullopt;
  Operation *op = value.getDefiningOp();
  StringRef name = op->getName().stripDialect();
  if (auto kind = op->getAttrOfType<StringAttr>("kind"))
    name = kind.getValue();
  const Decision &decision = found->second;
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "stores " << name << ": " << decision.why;
  if (decision.again > 0)
    stream << " (" << llvm::format("%.0f", decision.store) << " additions an element, "
           << llvm::format("%.0f", decision.again) << " without)";
  return text;
}

/// Whether a reduction of much work gives many results, of which only a few are made: threads, and lanes, can share the
/// many.
bool FusionPlan::isReducedToFew(Value value, double cost) {
  const double results = elements(value);
  return results >= enoughRows && results * cost >= enoughWork &&
         llvm::all_of(spacesBehind(value), [&](const Shape &space) { return elements(space) < fewResults; });
}

/// Whether a reduction of rows goes through a large array of which pieces of rows are reduced as well: one sweep does
/// both, for the price of storing a number a row.
bool FusionPlan::sharesRows(Value value) {
  auto reduce = value.getDefiningOp<ReduceOp>();
  if (!reduce || reduce.getChunk() || shapes.shape(value).empty())
    return false;
  auto ownRows = [&](Value of) {
    llvm::SmallSetVector<Value, 4> arrays;
    for (const RowRead &read : rowReadsOf(of, shapes, [&](Value other) { return isStored(other); }))
      if (read.isOwnRow && hasLongRows(shapes.shape(read.array)) && isLarge(shapes.shape(read.array)))
        arrays.insert(read.array);
    return arrays;
  };
  auto [swept, isNew] = sweptInPieces.try_emplace(reduce->getBlock());
  if (isNew)
    for (Operation &op : *reduce->getBlock())
      if (auto other = dyn_cast<ReduceOp>(op); other && other.getChunk() && rowSpaceOf(other.getResult(), shapes))
        swept->second.insert_range(ownRows(other.getResult()));
  return llvm::any_of(ownRows(value), [&](Value array) { return swept->second.contains(array); });
}

/// The stored values that `value` is computed for, as far as is known before all are chosen: what is required, and
/// reductions in pieces, and those that the program computes.
SmallVector<Value> FusionPlan::kernelsBehind(Value value) const {
  SmallVector<Value> work{value}, found;
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    auto reduce = next.getDefiningOp<ReduceOp>();
    bool isScalarLoop = isa_and_nonnull<ReduceOp, ArgReduceOp>(next.getDefiningOp()) && demanded.contains(next);
    if (next != value && (required.contains(next) || isScalarLoop || (reduce && reduce.getChunk()))) {
      found.push_back(next);
      continue;
    }
    for (Operation *user : next.getUsers())
      if (isa<ShapeRuleOpInterface>(user))
        llvm::append_range(work, user->getResults());
  }
  return found;
}

/// Whether updates of parts of arrays ask for `value`, so that it is computed again for each: they share no loop.
std::optional<FusionPlan::Decision> FusionPlan::feedsUpdates(Value value, double cost) {
  const double size = elements(value);
  if (cost <= 2 * roundTrip || size < serialElements || required.contains(value))
    return std::nullopt;
  SmallVector<Value> kernels = kernelsBehind(value);
  if (kernels.size() < 2 || kernels.size() > mostKernels)
    return std::nullopt;
  double asked = 0;
  SmallVector<Shape> others; // of kernels that share a loop where they have one space
  for (Value kernel : kernels) {
    auto update = kernel.getDefiningOp<UpdateSliceOp>();
    Shape space(shapes.shape(update ? update.getValue() : kernel));
    if (!update && llvm::is_contained(others, space))
      continue;
    asked += std::min(elements(space), size);
    if (!update)
      others.push_back(space);
  }
  if (others.size() == kernels.size() || cost * (asked - size) <= roundTrip * asked)
    return std::nullopt;
  return Decision{"several updates ask for it", roundTrip * asked / size, cost * (asked / size - 1)};
}

/// Whether kernels over different index spaces ask for `value` for the row that they are at, so that in one sweep over
/// the rows they find it in the cache. Kernels that ask for other places read it from memory.
std::optional<FusionPlan::Decision> FusionPlan::feedsSweep(Value value, double cost) {
  if (!hasLongRows(shapes.shape(value)) || !isLarge(shapes.shape(value)) || required.contains(value))
    return std::nullopt;
  SmallVector<Value> kernels = kernelsBehind(value);
  if (kernels.size() < 2 || kernels.size() > mostKernels)
    return std::nullopt;
  SmallVector<Shape> spaces;
  int64_t elsewhere = 0;
  for (Value kernel : kernels) {
    auto space = rowSpaceOf(kernel, shapes);
    auto reads = rowReadsOf(kernel, shapes, [&](Value other) { return other == value || isStored(other); });
    bool isAtRow = space && space->rows == shapes.shape(value)[0] &&
                   llvm::none_of(reads, [&](const RowRead &read) { return read.array == value && !read.isOwnRow; });
    if (!isAtRow)
      ++elsewhere;
    else if (!llvm::is_contained(spaces, Shape(shapes.shape(kernel))))
      spaces.push_back(Shape(shapes.shape(kernel)));
  }
  double price = elsewhere == 0 ? rowRoundTrip : roundTrip * (1 + elsewhere);
  double again = cost * (spaces.size() + elsewhere - 1);
  if (spaces.size() < 2 || again <= price)
    return std::nullopt;
  return Decision{"several kernels go through its rows", price, again};
}
