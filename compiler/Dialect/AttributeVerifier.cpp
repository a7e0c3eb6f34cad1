// What has our prefix has one of our names, stands where it belongs, and agrees with its operation.
#include "compiler/Dialect/Quernel.h"
#include "compiler/Dialect/Routines.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace quernel;

static InFlightDiagnostic refuse(Operation *op, NamedAttribute attribute) {
  return op->emitOpError() << "attribute '" << attribute.getName().getValue() << "' ";
}

static LogicalResult verifySchedule(Operation *op, NamedAttribute named) {
  auto schedule = dyn_cast<ScheduleAttr>(named.getValue());
  if (!schedule)
    return refuse(op, named) << "has to be a #quernel.schedule";
  auto loop = dyn_cast<scf::ForOp>(op);
  auto parallel = dyn_cast<scf::ParallelOp>(op);
  Schedule outlined;
  outlined.outlined = true;
  if (!loop && !parallel && (!isa<scf::WhileOp, scf::IfOp, scf::ExecuteRegionOp>(op) || !(scheduleOf(op) == outlined)))
    return refuse(op, named) << "belongs to a counted loop; others may be outlined at most";
  if (schedule.getGrain() < 0 || (schedule.getGrain() && !parallel))
    return refuse(op, named) << "has a grain, which only threads have, or a negative one";
  if (parallel && (schedule.getOrder() != TurnOrder::sequential || schedule.getPolled() || schedule.getRolled() ||
                   schedule.getOutlined() || !schedule.getReduces().empty()))
    return refuse(op, named) << "says what a parallel loop can't be";
  size_t kinds = schedule.getReduces().size();
  if (kinds && kinds != op->getNumResults())
    return refuse(op, named) << "has " << kinds << " reductions for " << op->getNumResults() << " carried values";
  if (!kinds && schedule.getVector() == VectorForm::lanes)
    return refuse(op, named) << "has lanes of accumulators without a reduction";
  // An array that is carried is memory in which each turn has places of its own.
  const bool carriesNumbers = llvm::any_of(op->getResultTypes(), [](Type type) { return !isa<TensorType>(type); });
  if (carriesNumbers && (schedule.getOrder() != TurnOrder::sequential || schedule.getVector() == VectorForm::parallel))
    return refuse(op, named) << "has turns side by side that carry numbers";
  return success();
}

static bool areStrings(ArrayAttr array) {
  return !array || llvm::all_of(array, [](Attribute element) { return isa<StringAttr>(element); });
}

static LogicalResult verifyFunction(Operation *op, NamedAttribute named) {
  auto attribute = dyn_cast<FunctionAttr>(named.getValue());
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!attribute || !function)
    return refuse(op, named) << "has to be the #quernel.function of a function";
  FunctionRole role = attribute.getRole();
  if (role != FunctionRole::kernel && (attribute.getLines() || attribute.getSource() || attribute.getStatement()))
    return refuse(op, named) << "has lines or a statement, which only kernels have";
  if (attribute.getBlock() < 0 || attribute.getBlock() > mostThreads ||
      (attribute.getBlock() && role != FunctionRole::kernel))
    return refuse(op, named) << "has blocks of " << attribute.getBlock() << " threads, which no kernel has";
  if (!areStrings(attribute.getLines()) || !areStrings(attribute.getSource()))
    return refuse(op, named) << "has lines that aren't strings";
  if (role != FunctionRole::graph && !attribute.getUpdates().empty())
    return refuse(op, named) << "has updates, which only graphs have";
  if (attribute.getUpdates().size() > function.getNumResults())
    return refuse(op, named) << "has more updates than the function has results";
  ArrayAttr types = attribute.getTypes();
  if (types && (role != FunctionRole::graph || types.size() != function.getNumResults()))
    return refuse(op, named) << "has types of other results than those of its graph";
  auto isTensor = [](Attribute type) {
    return isa<TypeAttr>(type) && isa<RankedTensorType>(cast<TypeAttr>(type).getValue());
  };
  if (types && !llvm::all_of(types, isTensor))
    return refuse(op, named) << "has types that aren't those of arrays";
  for (int64_t update : attribute.getUpdates())
    if (update < 0 || update >= function.getNumArguments() || !isa<TensorType>(function.getArgumentTypes()[update]))
      return refuse(op, named) << "updates argument " << update << ", which is no array";
  return success();
}

static LogicalResult verifyAxes(Operation *op, NamedAttribute named) {
  auto attribute = dyn_cast<AxesAttr>(named.getValue());
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!attribute || !generic || !generic.getLibraryCallAttr())
    return refuse(op, named) << "has to be the #quernel.axes of a library call";
  auto function = RoutineFunction::find(generic.getLibraryCallAttr().getValue());
  if (!function)
    return refuse(op, named) << "stands at a call of no routine";
  StringRef letters = attribute.getLetters().getValue();
  if (letters.size() != generic.getNumLoops())
    return refuse(op, named) << "names " << letters.size() << " of " << generic.getNumLoops() << " axes";
  for (char letter : letters)
    if (letter != '*' && (!llvm::is_contained(function->routine->letters(), letter) || letters.count(letter) > 1))
      return refuse(op, named) << "names axis '" << StringRef(&letter, 1) << "', which '" << function->routine->name
                               << "' doesn't have once";
  return success();
}

static LogicalResult verifySourceLines(Operation *op, NamedAttribute named) {
  auto lines = dyn_cast<DictionaryAttr>(named.getValue());
  bool isText = lines && llvm::all_of(lines, [](NamedAttribute line) { return isa<StringAttr>(line.getValue()); });
  return isText && isa<ModuleOp>(op) ? success() : refuse(op, named) << "has to be a module's dictionary of strings";
}

static LogicalResult verifyTarget(Operation *op, NamedAttribute named) {
  auto target = dyn_cast<TargetAttr>(named.getValue());
  if (!target || !isa<ModuleOp>(op))
    return refuse(op, named) << "has to be the #quernel.target of a module";
  TargetInfo info = target.info();
  if (info.vectorBytes < 1 || !llvm::isPowerOf2_64(info.vectorBytes))
    return refuse(op, named) << "has vectors of " << info.vectorBytes << " bytes, which is no power of two";
  if (info.kind == TargetKind::cpu && (info.multiprocessors || info.sharedBytes || info.registers))
    return refuse(op, named) << "gives a CPU what only GPUs have";
  return success();
}

LogicalResult QuernelDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (name == attributeNames::schedule)
    return verifySchedule(op, attribute);
  if (name == attributeNames::function)
    return verifyFunction(op, attribute);
  if (name == attributeNames::axes)
    return verifyAxes(op, attribute);
  if (name == attributeNames::sourceLines)
    return verifySourceLines(op, attribute);
  if (name == attributeNames::target)
    return verifyTarget(op, attribute);
  return refuse(op, attribute) << "isn't known";
}

LogicalResult QuernelDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned number, NamedAttribute named) {
  auto known = dyn_cast<ArgumentAttr>(named.getValue());
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (named.getName() != attributeNames::argument || !known || !function)
    return refuse(op, named) << "isn't known of an argument";
  Type type = function.getArgumentTypes()[number];
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (known.getKind() == ArgumentKind::symbol && !type.isIndex())
    return refuse(op, named) << "makes argument " << number << " a symbol, which isn't an index";
  if (known.getAnySize() && !type.isIndex())
    return refuse(op, named) << "lets argument " << number << ", which isn't an index, be any size";
  // A complex number of a program is memory with its parts.
  if (known.getKind() == ArgumentKind::scalar && !isa<MemRefType>(type) && !(tensor && tensor.getRank() == 0))
    return refuse(op, named) << "makes argument " << number << " a scalar, which isn't a tensor without axes";
  if (!tensor && (known.getShape() || known.getLayout() == ArrayLayout::strided))
    return refuse(op, named) << "has the shape or strides of argument " << number << ", which isn't a tensor";
  if (known.getShape() && known.getShape().getValue().getNumResults() != tensor.getRank())
    return refuse(op, named) << "has another rank than argument " << number;
  if (known.getReadonly() && !isa<MemRefType>(type))
    return refuse(op, named) << "makes argument " << number << " readonly, which isn't memory";
  if (known.getOutput() && !isa<MemRefType>(type))
    return refuse(op, named) << "has the output's type of argument " << number << ", which isn't memory";
  if (known.getOutput() && !isa<RankedTensorType>(known.getOutput().getValue()))
    return refuse(op, named) << "has a type of the output at argument " << number << " that isn't a tensor's";
  return success();
}

LogicalResult QuernelDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned, NamedAttribute named) {
  return refuse(op, named) << "isn't known of a result";
}
