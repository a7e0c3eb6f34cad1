#include "compiler/Pipeline/Pipeline.h"
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace quernel;

static void cleanUp(OpPassManager &passes) {
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

/// NumPy's primitives, simplified.
static void buildQuernelStage(OpPassManager &passes) {
  cleanUp(passes.nest<func::FuncOp>());
  passes.nest<func::FuncOp>().addPass(createShareSymbols());
  passes.nest<func::FuncOp>().addPass(createCSEPass());
  passes.nest<func::FuncOp>().addPass(createUpdateBases());
  passes.nest<func::FuncOp>().addPass(createFoldMasks());
  passes.nest<func::FuncOp>().addPass(createHoistProducts());
  passes.nest<func::FuncOp>().addPass(createInlineProducts());
  passes.nest<func::FuncOp>().addPass(createSplitReductions());
  passes.nest<func::FuncOp>().addPass(createGroupScatters());
}

/// What is stored, as index functions.
static void buildKernelsStage(OpPassManager &passes) {
  passes.nest<func::FuncOp>().addPass(createFormKernels());
  passes.nest<func::FuncOp>().addPass(createShareArithmetic());
}

/// Buffers in place, one function per kernel.
static void buildBuffers(OpPassManager &passes, bool isCpu) {
  passes.nest<func::FuncOp>().addPass(createBindBuffers());
  passes.addPass(createCoalesceBuffers());
  passes.nest<func::FuncOp>().addPass(createWriteInPlace());
  if (isCpu) {
    passes.nest<func::FuncOp>().addPass(createDistributeLoops());
    passes.nest<func::FuncOp>().addPass(createMarkTaskLoops());
  }
  // Before the canonicalizer, which drops operations of empty arrays: a routine of nothing has results.
  passes.addPass(createLibraryCalls());
  passes.nest<func::FuncOp>().addPass(createCanonicalizerPass());
  passes.nest<func::FuncOp>().addPass(createConvertLinalgToParallelLoopsPass());
  if (!isCpu)
    passes.nest<func::FuncOp>().addPass(createCheckAhead());
  passes.nest<func::FuncOp>().addPass(createMarkParallelLoops());
  if (isCpu)
    passes.nest<func::FuncOp>().addPass(createStripTurns());
  passes.nest<func::FuncOp>().addPass(createDoubleBuffer());
  passes.nest<func::FuncOp>().addPass(createInterchangeLoops());
  if (isCpu) { // what keeps rows in a core's cache
    passes.nest<func::FuncOp>().addPass(createTileTime());
    passes.nest<func::FuncOp>().addPass(createSkewTurns());
    passes.nest<func::FuncOp>().addPass(createFuseSweeps());
  }
  passes.nest<func::FuncOp>().addPass(createFlattenBuffers());
  passes.nest<func::FuncOp>().addPass(createCollapseLoops());
  passes.nest<func::FuncOp>().addPass(createCSEPass());
  passes.addPass(createBlockDraws());
  if (!isCpu) { // what one thread would run
    passes.nest<func::FuncOp>().addPass(createSplitScans());
    passes.nest<func::FuncOp>().addPass(createShareUpdates());
  }
  passes.nest<func::FuncOp>().addPass(createHoistAllocations());
  passes.nest<func::FuncOp>().addPass(createReuseBuffers());
  passes.nest<func::FuncOp>().addPass(createFormNests());
  passes.addPass(createOutlineKernels());
  passes.addPass(createMergeKernels());
  passes.addPass(createSymbolDCEPass()); // constants that nothing reads any more
  passes.addPass(createSplitComplex());
}

/// Threads, blocks of sums and vectors.
static void buildLoopsStage(OpPassManager &passes, const TargetInfo &target) {
  const bool isCpu = target.kind == TargetKind::cpu;
  buildBuffers(passes, isCpu);
  OpPassManager &functions = passes.nest<func::FuncOp>();
  functions.addPass(createCountWork());
  if (target.fma)
    functions.addPass(createFuseMultiplications());
  if (!isCpu)
    functions.addPass(createFormTiles());
  functions.addPass(isCpu ? createScheduleCpu() : createScheduleGpu());
  cleanUp(functions);
  functions.addPass(createHoistInvariants());
  functions.addPass(createPromoteElements());
  functions.addPass(createFuseReductions());
  functions.addPass(createCSEPass());
  if (isCpu) {
    functions.addPass(createAccumulateRows());
    functions.addPass(createHoistInvariants());
    functions.addPass(createJamRows());
    functions.addPass(createKeepRows());
  }
  functions.addPass(createChooseVectorLoops());
  if (!isCpu)
    functions.addPass(createShareRows());
  functions.addPass(createBlockSums());
  if (isCpu)
    functions.addPass(createSplitRanges());
  functions.addPass(createVectorize());
  if (!isCpu) {
    functions.addPass(createDistributeLanes());
    functions.addPass(createStageWalks());
  }
  cleanUp(functions);
  functions.addPass(createHoistInvariants());
  if (!isCpu) {
    functions.addPass(createFormTeams());
    functions.addPass(createShareTables());
  }
  functions.addPass(createExpandBooleans());
  if (!isCpu) {
    functions.addPass(createPackTurns());
    functions.addPass(createCoarsenTurns());
    passes.addPass(createFormGraphs());
    passes.addPass(createNumberKernels());
    passes.addPass(createOffload());
  }
  passes.addPass(createSymbolDCEPass()); // kernels that stood where the program never comes to
}

void quernel::buildStage(OpPassManager &passes, Stage stage, const TargetInfo &target) {
  switch (stage) {
  case Stage::quernel:
    return buildQuernelStage(passes);
  case Stage::kernels:
    return buildKernelsStage(passes);
  case Stage::loops:
    return buildLoopsStage(passes, target);
  }
}

void quernel::registerPipelineDialects(DialectRegistry &registry) {
  registry.insert<QuernelDialect, func::FuncDialect, arith::ArithDialect, math::MathDialect, tensor::TensorDialect,
                  linalg::LinalgDialect, scf::SCFDialect, memref::MemRefDialect, bufferization::BufferizationDialect,
                  vector::VectorDialect, affine::AffineDialect, complex::ComplexDialect>();
}

namespace {

/// Says that a module is for a GPU, as the driver does before it runs any pass.
struct TargetGpu : PassWrapper<TargetGpu, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TargetGpu)
  StringRef getArgument() const override { return "quernel-target-gpu"; }
  StringRef getDescription() const override { return "says that the module is for a GPU"; }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<QuernelDialect>(); }
  void runOnOperation() override { setTarget(getOperation(), {.kind = TargetKind::gpu}); }
};

} // namespace

void quernel::registerQuernelPasses() {
  PassRegistration<TargetGpu>();
  registerQuernelTransformsPasses();
  registerQuernelLoweringPasses();
  PassPipelineRegistration<>("quernel-to-kernels", "from NumPy's primitives to kernels", [](OpPassManager &passes) {
    buildStage(passes, Stage::quernel, {});
    buildStage(passes, Stage::kernels, {});
  });
  PassPipelineRegistration<>("quernel-to-loops", "from NumPy's primitives to vector loops", [](OpPassManager &passes) {
    for (Stage stage : {Stage::quernel, Stage::kernels, Stage::loops})
      buildStage(passes, stage, {});
  });
  PassPipelineRegistration<>("quernel-kernels-to-loops", "from kernels to vector loops",
                             [](OpPassManager &passes) { buildStage(passes, Stage::loops, {}); });
  PassPipelineRegistration<>("quernel-to-gpu-loops", "from NumPy's primitives to loops for a GPU",
                             [](OpPassManager &passes) {
                               passes.addPass(std::make_unique<TargetGpu>());
                               for (Stage stage : {Stage::quernel, Stage::kernels, Stage::loops})
                                 buildStage(passes, stage, {.kind = TargetKind::gpu});
                             });
}
