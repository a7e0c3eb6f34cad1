// From kernels to loops over plain pointers.
#ifndef QUERNEL_LOWERING_PASSES_H
#define QUERNEL_LOWERING_PASSES_H

#include "compiler/Dialect/Attributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace quernel {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

#endif
