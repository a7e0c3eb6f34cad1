// From NumPy's primitives to kernels.
#ifndef QUERNEL_TRANSFORMS_PASSES_H
#define QUERNEL_TRANSFORMS_PASSES_H

#include "compiler/Dialect/Quernel.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

namespace quernel {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/Transforms/Passes.h.inc"
} // namespace quernel

#endif
