// Shape rules of routines of libraries.
#include "compiler/Dialect/Quernel.h"
#include "compiler/Dialect/Routines.h"
#include "mlir/IR/Builders.h"
#include <map>

using namespace mlir;
using namespace quernel;

using Results = SmallVectorImpl<ArrayInfo>;

namespace {

/// Finds the sizes of a routine's axes in its inputs, and from them the shapes of its outputs.
class RoutineShapes {
public:
  RoutineShapes(const InferInput &input, const Routine &routine)
      : input(input), routine(routine), axis(input.integer("axis")) {}

  LogicalResult run(Results &results) {
    if (failed(readFirst()))
      return failure();
    for (auto [array, operand] : llvm::zip_equal(input.operands.drop_front(), ArrayRef(routine.inputs).drop_front()))
      if (failed(readOther(array, operand)))
        return failure();
    if (routine.isSquare && failed(bind('j', sizes['i'])))
      return input.fail("last 2 dimensions of the array must be square");
    if (failed(bindOutputs()))
      return failure();
    const Type own = input.operands[0].element;
    for (const RoutineOperand &operand : routine.outputs)
      results.push_back({shapeOf(operand), routineElement(operand.element, own)});
    if (routine.mayFail)
      results.push_back({{}, routineElement(RoutineElement::places, own)});
    return success();
  }

private:
  LogicalResult readFirst() {
    const ArrayInfo &array = input.operands[0];
    const size_t own = routine.inputs.front().axes.size(), rank = array.shape.size();
    if (!routine.takes(array.element))
      return input.fail("dtype isn't supported by this operation");
    if (isNumber(array))
      return success();
    if (rank < own)
      return input.fail("needs arrays of at least " + Twine(own == 2 ? "two dimensions" : "one dimension"));
    if (axis < 0 || axis + own > rank)
      return input.fail("axis " + Twine(axis) + " is out of bounds for array of dimension " + Twine(rank));
    batch.assign(array.shape.begin(), array.shape.end());
    batch.erase(batch.begin() + axis, batch.begin() + axis + own);
    return bindAll(ArrayRef<Dim>(array.shape).slice(axis, own), routine.inputs[0]);
  }

  /// An input of the first one's batch, or one that all problems share.
  LogicalResult readOther(const ArrayInfo &array, const RoutineOperand &operand) {
    const size_t own = operand.axes.size(), rank = array.shape.size();
    if (array.element != routineElement(operand.element, input.operands[0].element))
      return input.fail("'" + routine.name + "' needs an input of another dtype beside the first one");
    if (isNumber(array))
      return success();
    if (rank != own && rank != batch.size() + own)
      return input.fail("'" + routine.name + "' needs inputs of one batch");
    if (rank == own)
      return bindAll(array.shape, operand);
    Shape others(array.shape);
    others.erase(others.begin() + axis, others.begin() + axis + own);
    if (!agree(batch, others))
      return input.fail("'" + routine.name + "' needs inputs of one batch");
    return bindAll(ArrayRef<Dim>(array.shape).slice(axis, own), operand);
  }

  bool isNumber(const ArrayInfo &array) const { return array.shape.empty() && routine.takesNumbers(); }

  LogicalResult bindAll(ArrayRef<Dim> own, const RoutineOperand &operand) {
    for (auto [letter, size] : llvm::zip_equal(operand.axes, own))
      if (failed(bind(letter, size)))
        return input.fail("'" + routine.name + "' needs inputs whose axes are equally long");
    return success();
  }

  /// Unknown sizes agree with all.
  LogicalResult bind(char letter, Dim size) {
    auto [place, isNew] = sizes.try_emplace(letter, size);
    if (!isNew && !place->second)
      place->second = size;
    return success(!size || place->second == size);
  }

  /// The letters that no input has.
  LogicalResult bindOutputs() {
    Shape named = input.dims("sizes");
    ArrayRef<Dim> rest(named);
    for (char letter : routine.letters()) {
      if (sizes.count(letter))
        continue;
      if (routine.library == Library::lapack) {
        if (failed(bindLesser(letter)))
          return failure();
      } else if (rest.empty()) {
        return input.fail("needs a size for each axis that only outputs have");
      } else {
        sizes[letter] = rest.consume_front();
      }
    }
    return rest.empty() ? success() : input.fail("has more sizes than axes that only outputs have");
  }

  LogicalResult bindLesser(char letter) {
    auto constantOf = [](Dim dim) { return dim ? constantDim(dim) : std::nullopt; };
    std::optional<int64_t> rows = constantOf(sizes['i']), columns = constantOf(sizes['j']);
    if (!rows || !columns)
      return input.fail("needs matrices of known sizes");
    sizes[letter] = getAffineConstantExpr(std::min(*rows, *columns), input.context);
    return success();
  }

  Shape shapeOf(const RoutineOperand &operand) {
    Shape shape(batch), own;
    for (char letter : operand.axes)
      own.push_back(sizes[letter]);
    shape.insert(shape.begin() + (operand.axes.empty() ? 0 : axis), own.begin(), own.end());
    return shape;
  }

  const InferInput &input;
  const Routine &routine;
  const int64_t axis;
  Shape batch;
  std::map<char, Dim> sizes;
};

} // namespace

LogicalResult RoutineOp::inferResults(const InferInput &input, Results &results) {
  StringRef kind = input.string("kind");
  const Routine *routine = findRoutine(kind);
  if (!routine)
    return input.fail("unknown routine '" + kind + "'");
  size_t expected = routine->inputs.size();
  if (input.operands.size() != expected)
    return input.fail("'" + kind + "' takes " + Twine(expected) + (expected == 1 ? " array" : " arrays"));
  return RoutineShapes(input, *routine).run(results);
}
