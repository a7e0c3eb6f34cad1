// Runs passes on text.
#include "compiler/Pipeline/Pipeline.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  quernel::registerPipelineDialects(registry);
  quernel::registerQuernelPasses();
  mlir::registerTransformsPasses();
  mlir::registerLinalgPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Quernel's optimizer\n", registry));
}
