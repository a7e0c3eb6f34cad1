// C++17 with OpenMP and vector types.
#ifndef QUERNEL_COMPILER_EMIT_CPPPRINTER_H
#define QUERNEL_COMPILER_EMIT_CPPPRINTER_H

#include "compiler/Dialect/Routines.h"
#include "compiler/Emit/Checks.h"
#include "compiler/Emit/StatementPrinter.h"

#include "llvm/ADT/SetVector.h"

namespace quernel {

class CppPrinter : public StatementPrinter {
public:
  CppPrinter(mlir::ModuleOp module, const EmitOptions &options);

protected:
  bool hasVectors() const override { return true; }
  std::string halfName() override;
  std::string specialFloat(const llvm::APFloat &value) override;
  void requireMath(const MathFunction &function, mlir::Type type) override;
  llvm::StringRef constantQualifier() const override { return "static"; }
  llvm::StringRef restrictQualifier() const override { return "__restrict"; }

  void printHead(llvm::raw_ostream &os) override;
  void printFunction(mlir::func::FuncOp function) override;
  void printParallel(mlir::scf::ParallelOp loop) override;
  void printFor(mlir::scf::ForOp loop) override;
  void printCall(mlir::func::CallOp call) override;
  void printCallOrStop(const std::string &call, bool givesCode);
  /// What a program for a device begins with behind its arguments, and ends with.
  virtual void beginProgram(mlir::func::FuncOp) {}
  virtual void endProgram() {}

  void printKernel(mlir::func::FuncOp kernel);
  void outline(llvm::function_ref<void()> print);
  void collectCaptures(mlir::Value value, mlir::Region &body, llvm::SetVector<mlir::Value> &captures);
  std::string captureParameter(mlir::Value value);

  // Programs.cpp
  void printProgram(mlir::func::FuncOp program);
  void printShapes(mlir::func::FuncOp shapes);
  void printResource(mlir::Operation *op) override;
  void beginTurn(mlir::Operation *loop) override;
  void beginLoop(mlir::scf::ForOp loop, llvm::StringRef lower, llvm::StringRef upper) override;
  void countTurns(mlir::Operation *root);
  virtual void printCheck(CheckOp check);
  /// The call that notes the error of a check that has failed.
  std::string failure(CheckOp check);
  void printAddress(AddressOp given);
  void unpack(mlir::func::FuncOp program);
  void unpackBuffer(mlir::func::FuncOp program, mlir::BlockArgument argument, unsigned index);
  void printAlloc(mlir::memref::AllocOp alloc);
  void printAllocated(AllocatedOp allocated);
  void printDealloc(mlir::memref::DeallocOp dealloc);
  void printLibraryCall(mlir::func::CallOp call);
  /// What a call of a routine is given, as texts.
  struct RoutineArguments {
    llvm::SmallVector<std::string> pointers, strides, sizes;
  };
  /// The expression that calls a routine, and is its code.
  virtual std::string routineCall(mlir::func::CallOp call, const RoutineFunction &function,
                                  const RoutineArguments &given);
  void printUserCall(mlir::func::CallOp call);
  std::string withOffset(std::string pointer, mlir::Value offset, bool isComplex);

  // CppMath.cpp
  void requireScalarMath(const MathFunction &function, mlir::Type element);
  void requireVectorFunction(const MathFunction &function, mlir::Type element);
  void requireVectorWidth(const MathFunction &function, mlir::VectorType type, mlir::VectorType native);

  /// Functions that stand above the kernel that is being printed.
  std::string outlined;
  /// The exceptions of the module's checks.
  std::vector<ErrorSite> errors;
  /// Whether kernels may become parts of the programs that call them.
  bool inlinesKernels;
  /// Which libraries of math the text needs.
  bool callsSleef = false, callsSvml = false;
};

} // namespace quernel

#endif
