// The order of all passes, as named stages.
#ifndef QUERNEL_PIPELINE_PIPELINE_H
#define QUERNEL_PIPELINE_PIPELINE_H

#include "compiler/Dialect/TargetInfo.h"
#include "mlir/Pass/PassManager.h"

namespace quernel {

/// A named point between passes, at which the program can be looked at.
enum class Stage { quernel, kernels, loops };

/// Adds the passes that lead from the stage before to `stage`. The passes themselves ask the module for its target,
/// which has to be the same.
void buildStage(mlir::OpPassManager &passes, Stage stage, const TargetInfo &target);

/// Registers the pipeline's dialects.
void registerPipelineDialects(mlir::DialectRegistry &registry);

/// Registers all passes and the stages as pipelines for quernel-opt.
void registerQuernelPasses();

} // namespace quernel

#endif
