// Functions, loops and stores as C++ statements. The children add what differs between C++ and CUDA.
#ifndef QUERNEL_COMPILER_EMIT_STATEMENTPRINTER_H
#define QUERNEL_COMPILER_EMIT_STATEMENTPRINTER_H

#include "compiler/Dialect/Attributes.h"
#include "compiler/Emit/ExpressionPrinter.h"
#include "compiler/Emit/Names.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace quernel {

class StatementPrinter : public ExpressionPrinter {
public:
  mlir::LogicalResult print(llvm::raw_ostream &os);

protected:
  StatementPrinter(mlir::ModuleOp module, const EmitOptions &options, llvm::StringRef functionQualifier);

  virtual void printHead(llvm::raw_ostream &os) = 0;
  virtual void printFunction(mlir::func::FuncOp function) = 0;
  virtual void printParallel(mlir::scf::ParallelOp loop) = 0;
  /// How many axes a parallel loop may have.
  virtual unsigned mostAxes() const { return 1; }
  virtual void printCall(mlir::func::CallOp call) = 0;
  virtual void printFor(mlir::scf::ForOp loop);
  /// Memory and checks, which are a program's business.
  virtual void printResource(mlir::Operation *op) { unsupported(op); }
  /// Launches and copies of a program for a device.
  virtual void printDeviceOp(mlir::Operation *op) { unsupported(op, "can stand in a program for a device alone"); }
  /// What threads that share a turn of a device's grid have to do with each other.
  virtual void printTeams(mlir::Operation *op) { unsupported(op, "can stand in a kernel of a device alone"); }
  virtual void printLanes(mlir::Operation *op) { unsupported(op, "can stand in a kernel of a device alone"); }
  /// Memory that a kernel has for itself.
  virtual void printScratch(mlir::memref::AllocaOp scratch);
  /// What any thread of a device may do to an element at any time.
  virtual void printAtomic(mlir::memref::AtomicRMWOp op) { unsupported(op, "can stand in a kernel of a device alone"); }
  /// What a thread of a device loads and stores at once.
  virtual void printPacks(mlir::Operation *op) { unsupported(op, "can stand in a kernel of a device alone"); }
  /// What every turn of a loop begins with.
  virtual void beginTurn(mlir::Operation *) {}
  /// Whatever a target does before a loop, whose bounds are given as they are printed.
  virtual void beginLoop(mlir::scf::ForOp, llvm::StringRef, llvm::StringRef) {}
  virtual bool printsGlobal(mlir::memref::GlobalOp) { return true; }
  /// Takes names of what a target prints beside the module's functions and constants.
  virtual void nameMore() {}
  virtual llvm::StringRef constantQualifier() const = 0;
  virtual llvm::StringRef restrictQualifier() const = 0;

  /// Starts a line of the text; what follows ends it.
  llvm::raw_ostream &line();
  /// Prints between braces, one level deeper, in a scope of its own.
  void block(llvm::function_ref<void()> print);

  void printKernelComment(mlir::func::FuncOp kernel);
  /// Names the arguments and returns them as parameters.
  llvm::SmallVector<std::string> parameters(mlir::func::FuncOp kernel);
  std::string nameArgument(mlir::func::FuncOp function, mlir::BlockArgument argument);
  std::string parameter(mlir::Value value, llvm::StringRef name, bool isReadonly);
  void beginFunction(mlir::func::FuncOp function) { plan.emplace(function); }
  static std::string commentText(llvm::StringRef text);

  void printBody(mlir::Block &block);
  void printOp(mlir::Operation *op);
  /// Names a value after its location, or else after `fallback`.
  std::string define(mlir::Value value, llvm::StringRef fallback);
  /// The body of a parallel loop, as a loop over one thread's part.
  /// The loop itself, without what it carries.
  void printLoop(mlir::scf::ForOp loop, llvm::StringRef lower, llvm::StringRef upper, llvm::StringRef step);
  void printLoop(mlir::scf::ParallelOp loop, llvm::StringRef lower, llvm::StringRef upper, llvm::StringRef step);
  /// A loop over the turns of one axis of a parallel loop.
  void printTurns(mlir::scf::ParallelOp loop, mlir::Value induction, llvm::StringRef lower, llvm::StringRef upper,
                  llvm::StringRef step, llvm::function_ref<void()> printTurn);
  /// What a step of the loop adds: `++i` or `i += 8`.
  static std::string increment(llvm::StringRef name, llvm::StringRef step);
  std::string elementType(mlir::MemRefType type);

  mlir::ModuleOp module;
  Names identifiers;
  llvm::StringMap<std::string> functionNames;
  std::string text;
  llvm::raw_string_ostream stream{text};
  unsigned depth = 0;

private:
  void printConstantGlobal(mlir::memref::GlobalOp global);
  void nameModule();
  void printStatement(mlir::Operation *op);
  void printVariable(mlir::Operation *op);
  /// Says before a loop what a compiler has to do with it, or may not do.
  virtual void printPragma(mlir::Operation *loop);
  void printIf(mlir::scf::IfOp branch);
  void printWhile(mlir::scf::WhileOp loop);
  bool forward(mlir::scf::WhileOp loop);
  void printYield(mlir::ValueRange values, mlir::ValueRange targets);
  void printAssignment(mlir::Value value, mlir::Value target);
  std::string assigned(mlir::Value value, mlir::Value target);
  std::optional<std::string> accumulation(mlir::Value value, llvm::StringRef target);
  bool mentions(mlir::Value value, llvm::StringRef name);
  void printStore(mlir::memref::StoreOp store);
  void printVectorStore(mlir::vector::StoreOp store);
  void printScatter(mlir::vector::ScatterOp scatter);
};

} // namespace quernel

#endif
