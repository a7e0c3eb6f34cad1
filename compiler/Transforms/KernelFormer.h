// Writes the stored arrays of a function as kernels, in the order of the program.
#ifndef QUERNEL_TRANSFORMS_KERNELFORMER_H
#define QUERNEL_TRANSFORMS_KERNELFORMER_H

#include "compiler/Dialect/Routines.h"
#include "compiler/Transforms/FusionPlan.h"
#include "compiler/Transforms/IndexFunction.h"
#include "compiler/Transforms/SizeChecks.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace quernel {

/// Turns a function of NumPy primitives into kernels.
///
/// New operations are appended to the block that is being formed: the function's own, or that of a loop or branch that
/// is made anew. The old operations stay until all is done, since index functions are asked about them.
class KernelFormer {
public:
  explicit KernelFormer(mlir::func::FuncOp function);
  void run();

private:
  /// Stores that share one index space and one kernel. Groups of one sweep follow each other and share their rows.
  struct Group {
    Shape space;
    llvm::SmallVector<mlir::Value> members;
    std::optional<int64_t> sweep = std::nullopt;
    llvm::DenseSet<mlir::Operation *> ops = {};
    double text = 0;
  };
  /// The stored values that a kernel reads, and whether at its own index alone; the operations that it computes.
  struct Reads {
    llvm::MapVector<mlir::Value, bool> values;
    llvm::SetVector<mlir::Operation *> ops;
  };
  using Values = llvm::SmallVector<mlir::Value>;

  void giveResultsTheirOwnValues();
  void flattenArguments();
  void finish();

  // A block: runs of array operations, cut where something has to happen in order.
  void formBlock(mlir::Block &block);
  bool formInOrder(mlir::Operation *op);
  void flush(Values &segment);
  bool isAlone(mlir::Value value);
  bool shareLoop(mlir::Value value, mlir::Value other);
  llvm::SmallVector<Group> partition(llvm::ArrayRef<mlir::Value> segment);
  void formSweeps(llvm::SmallVector<Group> &groups);
  /// The stored arrays that `value` reads; the flag says whether always at its own index.
  Reads readsOf(mlir::Value at);

  // Loops, branches and what they are made of.
  void formFor(mlir::scf::ForOp old);
  void formWhile(mlir::scf::WhileOp old);
  void formIf(mlir::scf::IfOp old);
  void formRegion(mlir::Block &from, mlir::Block *to);
  void mapValues(mlir::ValueRange from, mlir::ValueRange to);
  void formSelect(mlir::arith::SelectOp select);
  void copyScalarOp(mlir::Operation *op);
  void declareSymbol(SymbolOp op);
  void formCheck(CheckOp op);
  void formHandOver(HandOverOp op);
  /// Ends the program where an array that is made from here on would be too big to be counted.
  void checkSizes(mlir::Operation *place);
  /// What a loop or branch hands over: a scalar for what has no axes, otherwise the stored array.
  Values handedOver(mlir::ValueRange values);
  /// The scalar of an array without axes, in the block that is being formed.
  mlir::Value scalarOf(mlir::Value value);
  /// The new form of an old index or condition.
  mlir::Value scalar(mlir::Value old);

  struct Nest;

  // Stores, by what makes them.
  void store(Group &group);
  void storeKernel(Group &group);
  void storeMatmul(MatmulOp op);
  mlir::Value inMemory(mlir::Location loc, mlir::Value operand);
  void storeRoutine(RoutineOp op);
  mlir::Value handedOver(mlir::Location loc, mlir::Value operand);
  void storeUserCall(UserCallOp op);
  mlir::AffineMap axesOf(RoutineOp op, const Routine &routine, llvm::StringRef letters, mlir::Value operand,
                         mlir::Value holder);
  /// Each of the arrays that are joined into its part of the result.
  void storePieces(ConcatenateOp op);
  void storeUpdate(UpdateSliceOp op);
  void storeElement(UpdateSliceOp op);
  /// What is scattered to the same places, in one loop.
  void storeScatters(llvm::ArrayRef<mlir::Value> members);
  struct Pieces;
  std::optional<Pieces> piecesOf(llvm::ArrayRef<ScatterOp> ops);
  bool mayAskSizes(llvm::ArrayRef<ScatterOp> ops);
  std::pair<mlir::Value, mlir::Value> updatesAndPlaces(ScatterOp op);
  mlir::Value areCut(llvm::ArrayRef<ScatterOp> ops, const std::optional<Pieces> &pieces);
  mlir::Value takeRounds(llvm::ArrayRef<ScatterOp> ops);
  Values choose(mlir::Value condition, const Values &arrays, llvm::function_ref<Values()> first,
                llvm::function_ref<Values()> second);
  Values scatterInOrder(llvm::ArrayRef<ScatterOp> ops, Values arrays);
  Values scatterByPieces(llvm::ArrayRef<ScatterOp> ops, Values arrays, const Pieces &pieces);
  struct Range;
  mlir::Value tablesOf(ScatterOp op, mlir::Value count);
  mlir::Value fillTables(ScatterOp op, mlir::Value tables, mlir::Value first, mlir::Value end);
  Values addTables(ScatterOp op, mlir::Value array, const Values &to, mlir::Value tables, const Range &numbers,
                   llvm::ArrayRef<mlir::Value> place);
  Values scatterByThreads(llvm::ArrayRef<ScatterOp> ops, Values arrays, const Pieces &pieces);
  struct Rounds;
  Values placeOf(ScatterOp op, llvm::ArrayRef<mlir::Value> update);
  mlir::Value keyOf(const Rounds &rounds, mlir::Value round, llvm::ArrayRef<mlir::Value> update);
  Values scatterRound(const Rounds &rounds, mlir::Value round, Values carried);
  Values scatterWhere(const Rounds &rounds, mlir::Value condition, Nest &at);
  Values scatterRest(const Rounds &rounds, Values carried);
  Values scatterInRounds(llvm::ArrayRef<ScatterOp> ops, Values arrays);
  Values scatterBlocks(llvm::ArrayRef<ScatterOp> ops, mlir::Value first, mlir::Value last, Values carried, Nest &outer,
                       int64_t tables, mlir::Value table);
  Values scatterElement(llvm::ArrayRef<ScatterOp> ops, Nest &at, mlir::Value table);
  mlir::Value combineTables(ScatterOp op, mlir::Value array, mlir::Value tables, mlir::Value count);
  /// What one mask chooses of each array.
  void storeCompress(llvm::ArrayRef<mlir::Value> members);
  Values storePiecesOfMask(llvm::MutableArrayRef<CompressOp> ops, ReduceOp counts, mlir::Value rows, Values arrays);
  Values storeChosen(llvm::MutableArrayRef<CompressOp> ops, mlir::Value lower, mlir::Value upper, mlir::Value end,
                     Values carried, Nest &outer);
  ReduceOp countsOf(CompressOp op);
  void storeScan(ScanOp op);

  struct Nest {
    llvm::SmallVector<mlir::Value> indices, carried;
  };
  /// A loop that carries values; `build` gets the indices and what is carried, and gives the next.
  Values loop(mlir::Location loc, mlir::Value lower, mlir::Value upper, Values carried, Nest &outer,
              llvm::function_ref<Values(Nest &)> build);
  /// Loops over `space` in C order that carry values; `build` gets the indices and what is carried, and gives the next.
  Values nest(mlir::Location loc, llvm::ArrayRef<Dim> space, Values carried, Nest &outer,
              llvm::function_ref<Values(Nest &)> build);
  IndexFunction here();
  mlir::Value viewOf(const MatmulOperand &operand);

  void fillBody(mlir::linalg::GenericOp generic, llvm::function_ref<Values(mlir::OpBuilder &, IndexFunction &)> build);
  mlir::linalg::GenericOp makeGeneric(llvm::ArrayRef<Dim> space, llvm::ArrayRef<mlir::Value> members, bool flat,
                                      std::optional<int64_t> sweep = std::nullopt);
  mlir::Location describe(llvm::ArrayRef<mlir::Value> members, std::optional<int64_t> sweep = std::nullopt);
  void collectOps(mlir::Value value, mlir::Value at, llvm::SetVector<mlir::Operation *> &ops);
  mlir::Value empty(mlir::Location loc, llvm::ArrayRef<Dim> shape, mlir::Type element, bool flat);
  mlir::Value unwritten(mlir::Location loc, llvm::ArrayRef<Dim> shape, mlir::Type element);
  mlir::Value tensorOf(mlir::Value value);

  mlir::func::FuncOp function;
  mlir::Block &body;
  bool hasControlFlow = false;
  ShapeAnalysis shapes;
  SymbolSizes sizes;
  SizeChecks sizeChecks;
  mlir::OpBuilder builder;
  std::optional<FusionPlan> plan;
  StoredArrays stored;
  FlatArguments flatArguments;
  /// Indices and conditions of the old loops and branches, in the new ones.
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
  mlir::Block *forming = nullptr;
  int64_t sweeps = 0;
  llvm::SmallVector<mlir::Operation *> replaced;
  llvm::DenseSet<mlir::Operation *> written; // new operations of our own dialect
};

} // namespace quernel

#endif
