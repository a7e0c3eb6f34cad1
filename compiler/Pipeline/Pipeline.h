// The order of all passes, as named stages.
#ifndef QUERNEL_PIPELINE_PIPELINE_H
#define QUERNEL_PIPELINE_PIPELINE_H

#include "mlir/Pass/PassManager.h"

namespace quernel {

struct PipelineOptions {
  bool gpu = false;
  int64_t vectorBytes = 64;
  /// Whether the processor multiplies and adds with one rounding.
  bool fma = false;
};

/// A named point between passes, at which the program can be looked at.
enum class Stage { quernel, kernels, loops };

/// Adds the passes that lead from the stage before to `stage`.
void buildStage(mlir::OpPassManager &passes, Stage stage, const PipelineOptions &options);

/// Registers the pipeline's dialects.
void registerPipelineDialects(mlir::DialectRegistry &registry);

/// Registers all passes and the stages as pipelines for quernel-opt.
void registerQuernelPasses();

} // namespace quernel

#endif
