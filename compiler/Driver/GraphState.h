// What a graph holds; for the driver's own files.
#ifndef QUERNEL_DRIVER_GRAPHSTATE_H
#define QUERNEL_DRIVER_GRAPHSTATE_H

#include "compiler/Dialect/Quernel.h"
#include "compiler/Driver/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace quernel {

/// A loop or branch under construction. Its operation is made anew, with what it carries, when it ends.
struct OpenRegion {
  enum Kind { loop, whileLoop, branch } kind;
  mlir::Operation *op;
  llvm::SmallVector<unsigned> markers; // ids of values
  bool second = false;                 // the body of a while loop, the other side of a branch
};

struct GraphState {
  explicit GraphState(const std::string &name);

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  mlir::OpBuilder builder;
  std::vector<mlir::Value> values;
  std::vector<Shape> shapes;
  std::vector<int64_t> symbolValues;
  std::vector<SymbolBounds> symbolBounds;
  std::vector<bool> symbolsOfCall; // the others differ within a call
  std::vector<OpenRegion> open;
  std::optional<mlir::OpBuilder::InsertPoint> behind; // where it goes on after what is ahead of all regions
  std::vector<std::string> symbolNames;
  std::vector<UserText> userTexts;
  unsigned symbolArguments = 0;
  bool finished = false;

  Dim dim(const GraphDim &dim);
  GraphDim toGraph(Dim dim, const std::shared_ptr<GraphState> &self) const;
  mlir::AffineMap map(llvm::ArrayRef<Dim> dims);
  mlir::Type type(const std::string &dtype);
  /// A new symbol, with the value that its expressions are evaluated with.
  Dim addSymbol(const std::string &name, int64_t value, SymbolBounds bounds, bool ofCall = false);
  /// Says what is wrong with a value that belongs to no graph, or to a loop or branch that was forgotten.
  GraphError refuse(const GraphValue &value) const;
  /// The operand at the insertion point: where its own place isn't seen from there, it is computed again.
  mlir::Value visible(mlir::Value value);
  mlir::Location location(const GraphPlace &place);
  GraphValue add(mlir::Value value, Shape shape, const std::shared_ptr<GraphState> &self);
};

} // namespace quernel

#endif
