// Prints lowered modules as C++ or CUDA C++; the text side of compiler/Emit's tests.
#include "compiler/Dialect/Quernel.h"
#include "compiler/Emit/Emit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;

static llvm::cl::opt<std::string> mathIsa("math-isa", llvm::cl::desc("SLEEF's instruction set; none calls libm"));
static llvm::cl::opt<bool> svml("svml", llvm::cl::desc("Call NumPy's functions of math where there are such"));
static llvm::cl::opt<std::string> machine("machine", llvm::cl::desc("What the text says of the processor it is for"));
static llvm::cl::opt<unsigned> vectorBytes("vector-bytes", llvm::cl::desc("Bytes of a vector register"),
                                           llvm::cl::init(64));

static void registerDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, func::FuncDialect, index::IndexDialect, math::MathDialect, memref::MemRefDialect,
                  scf::SCFDialect, vector::VectorDialect, quernel::QuernelDialect>();
}

int main(int argc, char **argv) {
  auto options = [] { return quernel::EmitOptions{vectorBytes, mathIsa, svml, machine}; };
  TranslateFromMLIRRegistration toCpp(
      "to-cpp", "print as C++ with OpenMP",
      [=](ModuleOp module, llvm::raw_ostream &os) { return quernel::emitCpp(module, os, options()); },
      registerDialects);
  TranslateFromMLIRRegistration toCuda(
      "to-cuda", "print as CUDA C++",
      [=](ModuleOp module, llvm::raw_ostream &os) { return quernel::emitCuda(module, os, options()); },
      registerDialects);
  return failed(mlirTranslateMain(argc, argv, "Quernel's printers"));
}
