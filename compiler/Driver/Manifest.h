// The JSON that tells the runtime how to call a program.
#ifndef QUERNEL_DRIVER_MANIFEST_H
#define QUERNEL_DRIVER_MANIFEST_H

#include "compiler/Driver/GraphState.h"

namespace quernel {

/// The manifest of a graph that was lowered to `loops`; docs/architecture.md lists its fields.
std::string manifestOf(GraphState &graph, mlir::ModuleOp loops);

/// Adds `NAME_shapes`, which computes the sizes of the outputs from the symbols, where an output has a size that isn't
/// constant.
void addShapesFunction(GraphState &graph, mlir::ModuleOp loops);

} // namespace quernel

#endif
