#include "compiler/Transforms/FusionPlan.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace quernel;

// Costs are in additions per element.
static constexpr double storeAndLoad = 12;    // a round trip through memory
static constexpr double largestBody = 4000;   // a kernel body beyond this is cut
static constexpr double assumedExtent = 1024; // of an axis whose size isn't known
static constexpr double enoughRows = 16;      // rows that keep all threads busy

Value quernel::matmulSource(Value operand) {
  auto transpose = operand.getDefiningOp<TransposeOp>();
  if (!transpose)
    return operand;
  int64_t rank = transpose.getPermutation().size();
  if (rank < 2)
    return operand;
  auto swapped = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(swapped[rank - 1], swapped[rank - 2]);
  return llvm::equal(swapped, transpose.getPermutation()) ? transpose.getX() : operand;
}

FusionPlan::FusionPlan(func::FuncOp function, ShapeAnalysis &shapes) : shapes(shapes) {
  Block &body = function.getBody().front();
  // The new value of an argument goes into that argument's buffer, which has its shape.
  auto updates = function->getAttrOfType<DenseI64ArrayAttr>("quernel.updates");
  size_t outputs = function.getNumResults() - (updates ? updates.size() : 0);
  for (auto [i, result] : llvm::enumerate(body.getTerminator()->getOperands()))
    require(result, i >= outputs);
  for (Operation &op : body)
    if (isa<MatmulOp, UpdateSliceOp>(op)) {
      require(op.getResult(0), true);
      if (isa<MatmulOp>(op))
        for (Value operand : op.getOperands())
          require(matmulSource(operand), true);
      else
        require(op.getOperand(0), true);
    }
  for (Operation &op : body)
    for (Value value : op.getResults())
      if (!isLeaf(value) && (required.contains(value) || worthStoring(value)))
        stored.insert(value);
}

bool FusionPlan::isLeaf(Value value) const { return !value.getDefiningOp(); }

double FusionPlan::extent(Dim dim) const {
  auto constant = constantDim(dim);
  return constant ? static_cast<double>(*constant) : assumedExtent;
}

double FusionPlan::elements(Value value) const {
  double count = 1;
  for (Dim dim : shapes.shape(value))
    count *= std::max(1.0, extent(dim));
  return count;
}

void FusionPlan::require(Value value, bool keepsShape) {
  required.insert(value);
  if (keepsShape)
    shaped.insert(value);
}

double FusionPlan::recomputeCost(Value value) {
  if (isLeaf(value) || stored.contains(value))
    return 1;
  auto [entry, isNew] = costs.try_emplace(value, 0);
  if (!isNew)
    return entry->second;
  Operation *op = value.getDefiningOp();
  double cost = 0;
  // What is broadcast is hoisted: its cost is shared by the elements that use it.
  double size = elements(op->getResult(0));
  for (Value operand : op->getOperands())
    cost += recomputeCost(operand) * (isa<ScalarOpInterface, BroadcastToOp>(op) ? elements(operand) / size : 1);
  if (auto scalar = dyn_cast<ScalarOpInterface>(op))
    cost += scalar.scalarCost();
  if (auto reduce = dyn_cast<ReduceOp>(op))
    for (int64_t axis : reduce.getAxes())
      cost = (cost + 1) * extent(shapes.shape(reduce.getX())[axis]);
  if (auto search = dyn_cast<ArgReduceOp>(op))
    cost = (cost + 3) * extent(shapes.shape(search.getX())[search.getAxis()]);
  return costs[value] = cost;
}

/// Follows `value` into its consumers' index spaces. True where some consumer asks for the same element again: along an
/// axis that the value doesn't have. A leading value of enough rows is exempt, because it is hoisted out of the axes
/// that follow.
bool FusionPlan::repeats(Value value, bool isReduction) {
  struct Step {
    Value array;
    SmallVector<int64_t> axes; // where the value's axes are in `array`, or -1
  };
  SmallVector<int64_t> own;
  ArrayRef<Dim> shape = shapes.shape(value);
  for (auto [axis, dim] : llvm::enumerate(shape))
    if (constantDim(dim) != 1)
      own.push_back(axis);
  SmallVector<Step> work{{value, own}};
  llvm::DenseSet<Value> seen;
  auto isHoistable = [&](const Step &step) {
    double rows = 1;
    for (auto [i, axis] : llvm::enumerate(step.axes)) {
      int64_t expected = 0; // a prefix, not counting axes of size 1
      for (int64_t before = 0; before < axis; ++before)
        expected += constantDim(shapes.shape(step.array)[before]) != 1;
      if (axis < 0 || expected != static_cast<int64_t>(i))
        return false;
      rows *= extent(shapes.shape(step.array)[axis]);
    }
    return rows >= enoughRows;
  };
  while (!work.empty()) {
    Step step = work.pop_back_val();
    if (!seen.insert(step.array).second)
      continue;
    int64_t present = llvm::count_if(shapes.shape(step.array), [](Dim dim) { return constantDim(dim) != 1; });
    if (present > static_cast<int64_t>(step.axes.size()) && !isHoistable(step))
      return true;
    if (step.array != value && (required.contains(step.array) || stored.contains(step.array)))
      continue;
    for (Operation *user : step.array.getUsers()) {
      if (isa<func::ReturnOp, MatmulOp>(user))
        continue;
      int64_t from = shapes.shape(step.array).size(), to = shapes.shape(user->getResult(0)).size();
      SmallVector<int64_t> axes;
      if (isa<ScalarOpInterface, BroadcastToOp>(user)) {
        for (int64_t axis : step.axes)
          axes.push_back(axis + to - from);
      } else if (auto transpose = dyn_cast<TransposeOp>(user)) {
        for (int64_t axis : step.axes)
          axes.push_back(llvm::find(transpose.getPermutation(), axis) - transpose.getPermutation().begin());
        if (!llvm::is_sorted(axes) && isReduction)
          return true;
      } else if (isa<ReshapeOp>(user)) {
        // Only axes of size 1 come and go: the others keep their order.
        SmallVector<int64_t> targets;
        for (auto [axis, dim] : llvm::enumerate(shapes.shape(user->getResult(0))))
          if (constantDim(dim) != 1)
            targets.push_back(axis);
        if (static_cast<int64_t>(targets.size()) != present)
          return isReduction;
        for (int64_t axis : step.axes) {
          int64_t order = 0;
          for (int64_t before = 0; before < axis; ++before)
            order += constantDim(shapes.shape(step.array)[before]) != 1;
          axes.push_back(targets[order]);
        }
      } else if (isa<SliceOp, ConcatenateOp>(user)) {
        // An axis that a slice cuts down to one element isn't walked any more.
        for (int64_t axis : step.axes)
          if (constantDim(shapes.shape(user->getResult(0))[axis]) != 1)
            axes.push_back(axis);
      } else if (isa<UpdateSliceOp>(user)) {
        for (int64_t axis : step.axes)
          axes.push_back(axis + to - from);
      } else {
        // A reduction asks once for each element of its operand; its own axes are loops of their own.
        continue;
      }
      work.push_back({user->getResult(0), axes});
    }
  }
  return false;
}

/// Whether `value` ends in results over different index spaces, so that several kernels would compute it.
bool FusionPlan::feedsSeveralKernels(Value value) {
  SmallVector<Value> work{value};
  llvm::DenseSet<Value> seen;
  SmallVector<Shape> roots;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (next != value && required.contains(next)) {
      if (!llvm::is_contained(roots, Shape(shapes.shape(next))))
        roots.push_back(Shape(shapes.shape(next)));
      continue;
    }
    for (Operation *user : next.getUsers())
      work.append(user->result_begin(), user->result_end());
  }
  return roots.size() > 1;
}

bool FusionPlan::worthStoring(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa<ConstantOp, FullOp, IotaOp, DimOp>(op) || value.use_empty())
    return false;
  double cost = recomputeCost(value);
  bool isReduction = isa<ReduceOp, ArgReduceOp>(op);
  if (auto reduce = dyn_cast<ReduceOp>(op); reduce && reduce.getChunk())
    return true;
  if (auto search = dyn_cast<ArgReduceOp>(op); search && search.getChunk())
    return true;
  if (cost <= storeAndLoad)
    return false;
  if (isa<ReshapeOp, TransposeOp, BroadcastToOp, SliceOp>(op))
    return false;
  if (cost > largestBody && !isReduction)
    return true;
  if (isReduction)
    return repeats(value, true) || feedsSeveralKernels(value);
  int64_t uses = std::distance(value.getUses().begin(), value.getUses().end());
  if (uses > 1 && cost * (uses - 1) > 8 * storeAndLoad &&
      llvm::any_of(value.getUsers(), [](Operation *user) { return isa<SliceOp, ConcatenateOp>(user); }))
    return true;
  return repeats(value, false);
}
