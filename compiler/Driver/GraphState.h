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

struct GraphState {
  explicit GraphState(const std::string &name);

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  mlir::OpBuilder builder;
  std::vector<mlir::Value> values;
  std::vector<Shape> shapes;
  std::vector<int64_t> symbolValues;
  std::vector<std::string> symbolNames;
  unsigned symbolArguments = 0;
  bool finished = false;

  Dim dim(const GraphDim &dim);
  GraphDim toGraph(Dim dim, const std::shared_ptr<GraphState> &self) const;
  mlir::AffineMap map(llvm::ArrayRef<Dim> dims);
  mlir::Type type(const std::string &dtype);
  GraphValue add(mlir::Value value, Shape shape, const std::shared_ptr<GraphState> &self);
};

/// NumPy's name of an element type.
std::string dtypeName(mlir::Type type);

} // namespace quernel

#endif
