#include "compiler/Driver/Manifest.h"
#include "compiler/Dialect/Routines.h"
#include "compiler/Dialect/UserLines.h"
#include "compiler/Emit/Checks.h"
#include "compiler/Lowering/LoopWork.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "runtime/abi.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace quernel;
namespace json = llvm::json;

static size_t outputCount(GraphState &graph) {
  return graph.function.getNumResults() - updatesOf(graph.function).size();
}

static SmallVector<Shape> outputShapes(GraphState &graph) {
  ShapeAnalysis shapes(graph.function);
  SmallVector<Shape> result;
  for (Value value : graph.function.getBody().front().getTerminator()->getOperands().take_front(outputCount(graph)))
    result.push_back(Shape(shapes.shape(value)));
  return result;
}

static bool isDynamic(ArrayRef<Dim> shape) {
  return llvm::any_of(shape, [](Dim dim) { return !constantDim(dim); });
}

/// A size of an output. Where a product doesn't fit, NumPy gets the greatest number to refuse.
static Value sizeOf(OpBuilder &builder, Location loc, Dim dim, ValueRange symbols) {
  auto product = dyn_cast<AffineBinaryOpExpr>(dim);
  if (!product || dim.getKind() != AffineExprKind::Mul)
    return affine::expandAffineExpr(builder, loc, dim, {}, symbols);
  Value factors[] = {sizeOf(builder, loc, product.getLHS(), symbols), sizeOf(builder, loc, product.getRHS(), symbols)};
  return CountOp::create(builder, loc, builder.getIndexType(), factors);
}

void quernel::addShapesFunction(GraphState &graph, ModuleOp loops) {
  SmallVector<Shape> outputs = outputShapes(graph);
  if (!llvm::any_of(outputs, [](const Shape &shape) { return isDynamic(shape); }))
    return;
  OpBuilder builder = OpBuilder::atBlockEnd(loops.getBody());
  Location loc = loops.getLoc();
  Type index = builder.getIndexType();
  size_t count = 0;
  for (const Shape &shape : outputs)
    count += shape.size();
  SmallVector<Type> inputs(graph.symbolArguments, index), results(count, index);
  auto function = func::FuncOp::create(builder, loc, (graph.function.getName() + "_shapes").str(),
                                       builder.getFunctionType(inputs, results));
  setFunctionAttr(function, FunctionAttr::get(builder.getContext(), FunctionRole::shapes));
  for (auto [i, name] : llvm::enumerate(ArrayRef(graph.symbolNames).take_front(graph.symbolArguments)))
    setArgument(function, i, {.name = builder.getStringAttr(name), .kind = ArgumentKind::symbol});
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  SmallVector<Value> symbols(entry->getArguments()), dims;
  for (const Shape &shape : outputs)
    for (Dim dim : shape)
      dims.push_back(sizeOf(builder, loc, dim, symbols));
  func::ReturnOp::create(builder, loc, dims);
}

static json::Array shapeJson(GraphState &graph, ArrayRef<Dim> shape) {
  json::Array result;
  for (Dim dim : shape) {
    if (auto constant = constantDim(dim))
      result.push_back(*constant);
    else if (auto symbol = dyn_cast<AffineSymbolExpr>(dim))
      result.push_back(graph.symbolNames[symbol.getPosition()]);
    else
      result.push_back(
          GraphDim{dim.getAsOpaquePointer(), 0, std::shared_ptr<GraphState>(std::shared_ptr<GraphState>(), &graph)}
              .text());
  }
  return result;
}

static json::Array inputsJson(GraphState &graph) {
  json::Array inputs;
  func::FuncOp function = graph.function;
  ShapeAnalysis shapes(function);
  ArrayRef<int64_t> updates = updatesOf(function);
  for (BlockArgument argument : function.getArguments()) {
    if (argument.getType().isIndex())
      continue;
    unsigned number = argument.getArgNumber();
    Argument known = argumentOf(function, number);
    inputs.push_back(json::Object{
        {"name", known.name.getValue()},
        {"kind", stringifyArgumentKind(known.kind)},
        {"dtype", dtypeName(getElementTypeOrSelf(argument))},
        {"shape", shapeJson(graph, shapes.shape(argument))},
        {"layout", known.layout == ArrayLayout::strided ? "strided" : "C"},
        {"written", llvm::is_contained(updates, static_cast<int64_t>(number))},
    });
  }
  return inputs;
}

static json::Array stringsJson(ArrayAttr attributes) {
  json::Array result;
  if (attributes)
    for (StringRef text : attributes.getAsValueRange<StringAttr>())
      result.push_back(text);
  return result;
}

/// How often a program reaches an operation; null where only the run knows.
static json::Value turnsOf(Operation *op) {
  int64_t turns = 1;
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(parent);
    auto trips = loop ? staticTrips(loop) : std::nullopt;
    if (isa<scf::WhileOp, RepeatOp>(parent) || (loop && !trips))
      return nullptr;
    turns *= trips.value_or(1);
  }
  return turns;
}

/// Who computes a routine, as Library.def has it.
static StringRef libraryOf(func::CallOp call) {
  auto function = RoutineFunction::find(call.getCallee());
  if (!function)
    return "";
  switch (function->routine->library) {
  case Library::blas:
    return "blas";
  case Library::lapack:
    return "lapack";
  case Library::sorting:
    return "sorting";
  case Library::fourier:
    return "fourier";
  case Library::random:
    return "random";
  }
  llvm_unreachable("all libraries are named");
}

/// A call of a library's routine, with the user's lines.
static json::Object libraryCallJson(func::CallOp call) {
  json::Array lines;
  for (const std::string &line : userLines(call.getLoc()))
    lines.push_back(line);
  return json::Object{
      {"name", call.getCallee()}, {"library", libraryOf(call)}, {"lines", std::move(lines)}, {"turns", turnsOf(call)}};
}

static json::Object kernelJson(func::FuncOp kernel, json::Value turns) {
  FunctionAttr known = functionAttrOf(kernel);
  StatementAttr statement = known.getStatement();
  WorkAttr work = known.getWork();
  return json::Object{{"name", kernel.getName()},
                      {"lines", stringsJson(known.getLines())},
                      {"parallel", !kernel.getOps<scf::ParallelOp>().empty()},
                      {"ops", stringsJson(statement ? statement.getOps() : ArrayAttr())},
                      {"decisions", stringsJson(statement ? statement.getDecisions() : ArrayAttr())},
                      {"bytes_read", work ? work.getBytesRead() : 0},
                      {"bytes_written", work ? work.getBytesWritten() : 0},
                      {"flops", work ? work.getOperations() : 0},
                      {"assumed", work ? work.getAssumed() : 0},
                      {"turns", std::move(turns)}};
}

/// How often a run of the program calls each kernel; no kernel is there that it doesn't call.
static llvm::StringMap<json::Value> turnsOfKernels(ModuleOp loops) {
  llvm::StringMap<json::Value> result;
  loops.walk([&](Operation *op) {
    auto call = dyn_cast<func::CallOp>(op);
    auto launch = dyn_cast<LaunchOp>(op);
    if (!call && !launch)
      return;
    json::Value turns = turnsOf(op);
    auto [known, isNew] = result.try_emplace(call ? call.getCallee() : launch.getKernel(), turns);
    if (isNew)
      return;
    auto before = known->second.getAsInteger(), now = turns.getAsInteger();
    known->second = before && now ? json::Value(*before + *now) : json::Value(nullptr);
  });
  return result;
}

static json::Object temporaryJson(memref::AllocOp alloc) {
  json::Array shape;
  MemRefType type = alloc.getType();
  for (int64_t size : type.getShape()) {
    APInt constant;
    if (!ShapedType::isDynamic(size))
      shape.push_back(size);
    else if (matchPattern(alloc.getDynamicSizes()[0], m_ConstantInt(&constant)))
      shape.push_back(constant.getSExtValue());
    else
      shape.push_back("?");
  }
  return json::Object{{"dtype", dtypeName(type.getElementType())}, {"shape", std::move(shape)}};
}

/// The exceptions that the program may raise, in the order of their codes.
static json::Array errorsJson(ModuleOp loops) {
  json::Array result;
  for (const ErrorSite &site : errorSites(loops))
    result.push_back(json::Object{{"exception", site.exception},
                                  {"message", site.message},
                                  {"file", site.file},
                                  {"line", site.line},
                                  {"callers", site.callers}});
  return result;
}

/// Whether loops of the user's run in a function: how long they take doesn't follow from the sizes of arrays.
static bool hasLoops(func::FuncOp function) {
  return function
      .walk([](Operation *op) {
        bool isUsers = isa<scf::WhileOp, RepeatOp>(op) || scheduleOf(op).polled;
        bool isShared = op->getParentOfType<scf::ParallelOp>();
        return isUsers && !isShared && pollCharge(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The outputs whose memory a program looks for. They are its last arguments.
static llvm::DenseSet<int64_t> checkedOutputs(ModuleOp loops, int64_t count) {
  llvm::DenseSet<int64_t> found;
  loops.walk([&](AllocatedOp op) {
    if (auto pointer = dyn_cast<BlockArgument>(op.getMemory()))
      found.insert(pointer.getArgNumber() - (pointer.getOwner()->getNumArguments() - count));
  });
  return found;
}

std::string quernel::manifestOf(GraphState &graph, ModuleOp loops) {
  json::Array kernels, calls, temporaries, outputs, symbols, copies;
  bool programLoops = false;
  llvm::StringMap<json::Value> turns = turnsOfKernels(loops);
  for (auto function : loops.getOps<func::FuncOp>()) {
    programLoops |= hasLoops(function);
    if (hasRole(function, FunctionRole::kernel)) {
      bool isCopy = !functionAttrOf(function).getStatement();
      (isCopy ? copies : kernels).push_back(kernelJson(function, turns.at(function.getName())));
    }
    if (!hasRole(function, FunctionRole::program))
      continue;
    function.walk([&](memref::AllocOp alloc) { temporaries.push_back(temporaryJson(alloc)); });
    function.walk([&](func::CallOp call) {
      auto callee = loops.lookupSymbol<func::FuncOp>(call.getCallee());
      const bool isUsers = callee && hasRole(callee, FunctionRole::user);
      programLoops |= isUsers; // nobody knows how long it works
      if (isUsers || (callee && hasRole(callee, FunctionRole::library)))
        calls.push_back(libraryCallJson(call));
    });
  }
  func::FuncOp function = graph.function;
  bool dynamic = false;
  auto checked = checkedOutputs(loops, outputShapes(graph).size());
  for (auto [shape, type] : llvm::zip(outputShapes(graph), function.getResultTypes())) {
    dynamic |= isDynamic(shape);
    json::Object output{{"dtype", dtypeName(getElementTypeOrSelf(type))}, {"shape", shapeJson(graph, shape)}};
    if (checked.contains(outputs.size()))
      output["checked"] = true;
    outputs.push_back(std::move(output));
  }
  for (const std::string &name : ArrayRef(graph.symbolNames).take_front(graph.symbolArguments))
    symbols.push_back(name);
  json::Object manifest{
      {"abi", QN_ABI_VERSION},         {"name", function.getName()},        {"entry", function.getName()},
      {"symbols", std::move(symbols)}, {"inputs", inputsJson(graph)},       {"outputs", std::move(outputs)},
      {"kernels", std::move(kernels)}, {"library_calls", std::move(calls)}, {"temporaries", std::move(temporaries)},
      {"copies", std::move(copies)},   {"errors", errorsJson(loops)},       {"loops", programLoops}};
  manifest["shapes"] = dynamic ? json::Value((function.getName() + "_shapes").str()) : json::Value(nullptr);
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(manifest));
  return text;
}
