// What passes tell each other: the one way to the dialect's attributes on functions, arguments and loops.
#ifndef QUERNEL_DIALECT_ATTRIBUTES_H
#define QUERNEL_DIALECT_ATTRIBUTES_H

#include "compiler/Dialect/TargetInfo.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "compiler/Dialect/QuernelEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "compiler/Dialect/QuernelAttributes.h.inc"

namespace quernel {

/// The names of the attributes, for the accessors below and the verifier.
namespace attributeNames {
inline constexpr llvm::StringLiteral schedule = "quernel.schedule", function = "quernel.function",
                                     argument = "quernel.argument", axes = "quernel.axes",
                                     sourceLines = "quernel.source_lines", target = "quernel.target";
} // namespace attributeNames

/// How a loop may run, and what was decided about it. Attributes.td says what each field means.
struct Schedule {
  TurnOrder order = TurnOrder::sequential;
  VectorForm vector = VectorForm::none;
  bool maybeEmpty = false, polled = false, rolled = false, outlined = false, inOrder = false;
  int64_t grain = 0;
  llvm::SmallVector<ReductionKind, 2> reduces = {};

  bool operator==(const Schedule &) const = default;
};

/// The schedule of a loop; of all other operations an empty one.
Schedule scheduleOf(mlir::Operation *op);
void setSchedule(mlir::Operation *op, const Schedule &schedule);
/// Changes some fields and keeps the others.
void changeSchedule(mlir::Operation *op, llvm::function_ref<void(Schedule &)> change);

/// Whether all turns may run at once: an `scf.parallel`, or a loop that is marked.
bool isParallelLoop(mlir::Operation *op);
/// Whether threads share the turns of a loop in the program itself.
bool isTaskLoop(mlir::Operation *op);
/// Whether a loop's carried values are reductions.
bool isReductionLoop(mlir::Operation *op);

/// What FormKernels wrote into the location of an array statement; null for other locations.
StatementAttr statementAt(mlir::Location loc);

/// The statement that consists of others: their operations and decisions, each once, and a decision about all of them.
StatementAttr joinStatements(mlir::StringAttr name, llvm::ArrayRef<StatementAttr> statements,
                             mlir::StringAttr decision = {});

/// Says one more sentence of the array statement that an operation is, or of a loop without a name inside of a kernel.
void addDecision(mlir::Operation *op, llvm::StringRef decision);

/// The threads of a block on every device, and those that run together and give each other values: a turn's lanes are
/// among them.
constexpr int64_t mostThreads = 1024;
constexpr int64_t threadsOfWarp = 32;

/// What is known of a function; null for one that is nothing of ours.
FunctionAttr functionAttrOf(mlir::Operation *function);
void setFunctionAttr(mlir::Operation *function, FunctionAttr attribute);
bool hasRole(mlir::Operation *function, FunctionRole role);
/// The arguments that a graph writes, in the order of its last results.
llvm::ArrayRef<int64_t> updatesOf(mlir::Operation *function);

/// What is known of a function's argument.
struct Argument {
  mlir::StringAttr name = {};
  ArgumentKind kind = ArgumentKind::array;
  ArrayLayout layout = ArrayLayout::contiguous;
  bool readonly = false;
  mlir::AffineMapAttr shape = {};
  mlir::TypeAttr output = {};
  bool anySize = false;

  llvm::StringRef nameOr(llvm::StringRef other) const { return name ? name.getValue() : other; }
};

Argument argumentOf(mlir::FunctionOpInterface function, unsigned number);
/// What the sizes that a symbol among the arguments stands for are at least.
int64_t leastOf(mlir::FunctionOpInterface function, unsigned number);
void setArgument(mlir::FunctionOpInterface function, unsigned number, const Argument &argument);
/// The attributes of an argument that is about to be made.
mlir::DictionaryAttr attributesOf(mlir::MLIRContext *context, const Argument &argument);

/// What the axes of a library call are, as Attributes.td says; empty for other operations.
llvm::StringRef axesOf(mlir::Operation *op);
void setAxes(mlir::Operation *op, llvm::StringRef letters);

/// The user's source by lines, `f.py:6`; null where the module has none.
mlir::DictionaryAttr sourceLinesOf(mlir::Operation *module);
void setSourceLines(mlir::Operation *module, mlir::DictionaryAttr lines);

} // namespace quernel

#endif
