// Complex numbers become pairs of floats, and buffers of them buffers of floats, twice as long.
//
//   %z = memref.load %Z[%i] : memref<?xcomplex<f64>>     →     %re = memref.load %Z[%i * 2] : memref<?xf64>
//   %x = complex.re %z                                         %im = memref.load %Z[%i * 2 + 1] : memref<?xf64>
#include "compiler/Dialect/ElementTypes.h"
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/Passes.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

namespace quernel {
#define GEN_PASS_DEF_SPLITCOMPLEX
#include "compiler/Lowering/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

bool isComplex(Type type) { return isa<ComplexType>(type); }
bool isComplex(Value value) { return isComplex(value.getType()); }

bool isComplexBuffer(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && isComplex(memref.getElementType());
}

/// The buffer type of the parts. Everything has rank 1 here.
Type withParts(Type type) {
  if (!isComplexBuffer(type))
    return type;
  auto memref = cast<MemRefType>(type);
  auto sizes = llvm::map_to_vector(memref.getShape(),
                                   [](int64_t size) { return ShapedType::isDynamic(size) ? size : 2 * size; });
  return MemRefType::get(sizes, cast<ComplexType>(memref.getElementType()).getElementType());
}

/// A value called `z` has the parts `z_re` and `z_im`.
Location partLocation(Location loc, StringRef part) {
  auto named = dyn_cast<NameLoc>(loc);
  std::string name = (named ? named.getName().getValue() + "_" + part : Twine(part)).str();
  return NameLoc::get(StringAttr::get(loc.getContext(), name), named ? named.getChildLoc() : loc);
}

class Splitter {
public:
  explicit Splitter(ModuleOp module) : module(module), builder(module.getContext()) {}

  LogicalResult run() {
    for (auto global : module.getOps<memref::GlobalOp>())
      splitGlobal(global);
    for (auto function : module.getOps<func::FuncOp>())
      if (failed(splitFunction(function)))
        return failure();
    return success();
  }

private:
  struct Parts {
    Value re, im;
  };

  void splitGlobal(memref::GlobalOp global) {
    if (!isComplexBuffer(global.getType()))
      return;
    auto type = cast<MemRefType>(withParts(global.getType()));
    auto values = cast<DenseElementsAttr>(*global.getInitialValue());
    std::vector<char> bytes;
    int64_t copies = values.isSplat() ? values.getNumElements() : 1;
    for (int64_t copy = 0; copy < copies; ++copy)
      bytes.insert(bytes.end(), values.getRawData().begin(), values.getRawData().end());
    global.setTypeAttr(TypeAttr::get(type));
    auto tensor = RankedTensorType::get(type.getShape(), type.getElementType());
    global.setInitialValueAttr(DenseElementsAttr::getFromRawBuffer(tensor, bytes));
  }

  LogicalResult splitFunction(func::FuncOp function) {
    if (function.isDeclaration()) {
      auto inputs = llvm::map_to_vector(function.getArgumentTypes(), withParts);
      function.setType(FunctionType::get(function.getContext(), inputs, function.getResultTypes()));
      return success();
    }
    parts.clear();
    splitArguments(function);
    if (failed(splitBlock(function.getBody().front())))
      return failure();
    for (Operation *op : llvm::reverse(replaced))
      op->erase();
    replaced.clear();
    for (BlockArgument argument : llvm::reverse(replacedArguments))
      argument.getOwner()->eraseArgument(argument.getArgNumber());
    replacedArguments.clear();
    function.setType(FunctionType::get(function.getContext(), function.getBody().front().getArgumentTypes(), {}));
    return success();
  }

  /// A kernel gets the parts of a number. A program finds it in memory, where its caller has put it.
  void splitArguments(func::FuncOp function) {
    Block &entry = function.getBody().front();
    bool isProgram = hasRole(function, FunctionRole::program);
    builder.setInsertionPointToStart(&entry);
    SmallVector<DictionaryAttr> attributes;
    SmallVector<BlockArgument> arguments(entry.getArguments());
    for (auto [number, argument] : llvm::enumerate(arguments)) {
      Argument own = argumentOf(function, number);
      argument.setType(withParts(argument.getType()));
      auto complex = dyn_cast<ComplexType>(argument.getType());
      if (!complex) {
        attributes.push_back(attributesOf(module.getContext(), own));
      } else if (isProgram) {
        own.readonly = true;
        own.kind = ArgumentKind::scalar;
        attributes.push_back(attributesOf(module.getContext(), own));
        splitScalar(argument, complex.getElementType());
      } else {
        for (StringRef part : {"re", "im"})
          attributes.push_back(attributesOf(module.getContext(), named(own, part)));
        splitBlockArgument(argument);
      }
    }
    function.setAllArgAttrs(ArrayRef<DictionaryAttr>());
    function.setType(FunctionType::get(function.getContext(), entryTypes(entry), {}));
    function.setAllArgAttrs(attributes);
  }

  /// The types of the arguments that remain.
  SmallVector<Type> entryTypes(Block &entry) {
    SmallVector<Type> types;
    for (BlockArgument argument : entry.getArguments())
      if (!llvm::is_contained(replacedArguments, argument))
        types.push_back(argument.getType());
    return types;
  }

  Argument named(Argument argument, StringRef part) {
    if (argument.name)
      argument.name = builder.getStringAttr(argument.name.getValue() + "_" + part);
    return argument;
  }

  void splitScalar(BlockArgument argument, Type part) {
    argument.setType(MemRefType::get({ShapedType::kDynamic}, part));
    Location loc = argument.getLoc();
    auto load = [&](int64_t position, StringRef name) -> Value {
      Value index = arith::ConstantIndexOp::create(builder, loc, position);
      return memref::LoadOp::create(builder, partLocation(loc, name), argument, index);
    };
    Value re = load(0, "re");
    parts[argument] = {re, load(1, "im")};
  }

  void splitBlockArgument(BlockArgument argument) {
    Type part = cast<ComplexType>(argument.getType()).getElementType();
    Block *block = argument.getOwner();
    unsigned number = argument.getArgNumber();
    Value re = block->insertArgument(number + 1, part, partLocation(argument.getLoc(), "re"));
    Value im = block->insertArgument(number + 2, part, partLocation(argument.getLoc(), "im"));
    parts[argument] = {re, im};
    replacedArguments.push_back(argument);
  }

  LogicalResult splitBlock(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block))
      if (failed(split(&op)))
        return failure();
    return success();
  }

  LogicalResult split(Operation *op) {
    builder.setInsertionPoint(op);
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](complex::CreateOp create) { return become(create, {create.getReal(), create.getImaginary()}); })
        .Case([&](complex::ReOp part) { return become(part, parts.lookup(part.getComplex()).re); })
        .Case([&](complex::ImOp part) { return become(part, parts.lookup(part.getComplex()).im); })
        .Case([&](complex::ConstantOp constant) { return splitConstant(constant); })
        .Case([&](arith::SelectOp select) { return splitSelect(select); })
        .Case([&](memref::LoadOp load) { return splitLoad(load); })
        .Case([&](memref::StoreOp store) { return splitStore(store); })
        .Case([&](memref::AllocOp alloc) { return splitAllocation(alloc); })
        .Case<memref::AllocaOp, memref::GetGlobalOp, memref::CastOp>([&](Operation *buffer) {
          buffer->getResult(0).setType(withParts(buffer->getResult(0).getType()));
          return success();
        })
        .Default([&](Operation *other) { return splitOther(other); });
  }

  LogicalResult become(Operation *op, Parts values) {
    parts[op->getResult(0)] = values;
    replaced.push_back(op);
    return success();
  }

  LogicalResult become(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    replaced.push_back(op);
    return success();
  }

  LogicalResult splitConstant(complex::ConstantOp op) {
    auto part = [&](unsigned position) -> Value {
      return arith::ConstantOp::create(builder, op.getLoc(), cast<TypedAttr>(op.getValue()[position]));
    };
    Value re = part(0);
    return become(op, {re, part(1)});
  }

  LogicalResult splitSelect(arith::SelectOp op) {
    if (!isComplex(op))
      return success();
    auto [yesRe, yesIm] = parts.lookup(op.getTrueValue());
    auto [noRe, noIm] = parts.lookup(op.getFalseValue());
    auto choose = [&](Value yes, Value no) -> Value {
      return arith::SelectOp::create(builder, op.getLoc(), op.getCondition(), yes, no);
    };
    Value re = choose(yesRe, noRe);
    return become(op, {re, choose(yesIm, noIm)});
  }

  /// Twice an index, as the sum or product that it is, so that strides stay visible.
  Value doubled(Location loc, Value index) {
    Operation *op = index.getDefiningOp();
    if (auto constant = getConstantIntValue(index))
      return arith::ConstantIndexOp::create(builder, loc, 2 * *constant);
    if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op) && index.getType().isIndex()) {
      Value left = doubled(loc, op->getOperand(0)), right = doubled(loc, op->getOperand(1));
      return isa<arith::AddIOp>(op) ? arith::AddIOp::create(builder, loc, left, right).getResult()
                                    : arith::SubIOp::create(builder, loc, left, right).getResult();
    }
    // FlattenBuffers writes index * stride.
    if (isa_and_nonnull<arith::MulIOp>(op))
      return arith::MulIOp::create(builder, loc, op->getOperand(0), doubled(loc, op->getOperand(1)));
    return arith::MulIOp::create(builder, loc, index, arith::ConstantIndexOp::create(builder, loc, 2));
  }

  Value next(Location loc, Value index) {
    return builder.createOrFold<arith::AddIOp>(loc, index, arith::ConstantIndexOp::create(builder, loc, 1));
  }

  LogicalResult splitLoad(memref::LoadOp op) {
    if (!isComplex(op))
      return success();
    Location loc = op.getLoc();
    Value first = doubled(loc, op.getIndices()[0]);
    auto load = [&](Value index, StringRef part) -> Value {
      return memref::LoadOp::create(builder, partLocation(loc, part), op.getMemRef(), index);
    };
    Value re = load(first, "re");
    return become(op, {re, load(next(loc, first), "im")});
  }

  LogicalResult splitStore(memref::StoreOp op) {
    if (!parts.contains(op.getValueToStore()))
      return success();
    Location loc = op.getLoc();
    auto [re, im] = parts.lookup(op.getValueToStore());
    Value first = doubled(loc, op.getIndices()[0]);
    memref::StoreOp::create(builder, loc, re, op.getMemRef(), first);
    memref::StoreOp::create(builder, loc, im, op.getMemRef(), next(loc, first));
    replaced.push_back(op);
    return success();
  }

  LogicalResult splitAllocation(memref::AllocOp op) {
    if (!isComplexBuffer(op.getType()))
      return success();
    op.getResult().setType(cast<MemRefType>(withParts(op.getType())));
    for (OpOperand &size : op.getDynamicSizesMutable()) {
      Value two = arith::ConstantIndexOp::create(builder, op.getLoc(), 2);
      size.set(builder.createOrFold<CountOp>(op.getLoc(), builder.getIndexType(), ValueRange{size.get(), two}));
    }
    return success();
  }

  SmallVector<Value> expanded(ValueRange values) {
    SmallVector<Value> result;
    for (Value value : values) {
      auto found = parts.find(value);
      if (found == parts.end())
        result.push_back(value);
      else
        result.append({found->second.re, found->second.im});
    }
    return result;
  }

  /// Loops, branches, calls and what ends them hand values on.
  LogicalResult splitOther(Operation *op) {
    bool handsOn = isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::ParallelOp, scf::YieldOp, scf::ConditionOp,
                       func::CallOp, func::ReturnOp>(op);
    if (llvm::any_of(op->getOperands(), [&](Value value) { return parts.contains(value); })) {
      if (!handsOn)
        return op->emitOpError("has complex operands and no form on their parts");
      op->setOperands(expanded(op->getOperands()));
    }
    Operation *whole = op;
    if (llvm::any_of(op->getResultTypes(), [](Type type) { return isComplex(type); })) {
      if (!handsOn)
        return op->emitOpError("has a complex result and no form on its parts");
      whole = withPartResults(op);
    }
    for (Region &region : whole->getRegions())
      for (Block &block : region) {
        for (BlockArgument argument : llvm::to_vector(block.getArguments()))
          if (isComplex(argument))
            splitBlockArgument(argument);
        if (failed(splitBlock(block)))
          return failure();
      }
    return success();
  }

  Operation *withPartResults(Operation *op) {
    SmallVector<Type> types;
    for (Type type : op->getResultTypes()) {
      auto complex = dyn_cast<ComplexType>(type);
      types.append(complex ? 2 : 1, complex ? complex.getElementType() : type);
    }
    OperationState state(op->getLoc(), op->getName(), op->getOperands(), types, op->getAttrs());
    for (Region &region : op->getRegions())
      state.addRegion()->takeBody(region);
    Operation *whole = builder.create(state);
    splitReductions(op, whole);
    unsigned position = 0;
    for (OpResult result : op->getResults()) {
      if (!isComplex(result)) {
        result.replaceAllUsesWith(whole->getResult(position++));
        continue;
      }
      parts[result] = {whole->getResult(position), whole->getResult(position + 1)};
      position += 2;
    }
    replaced.push_back(op);
    return whole;
  }

  /// The sum of complex numbers is two sums. No other reduction keeps the parts apart.
  void splitReductions(Operation *op, Operation *whole) {
    if (!isReductionLoop(op))
      return;
    Schedule schedule = scheduleOf(op);
    SmallVector<ReductionKind, 2> kinds = std::exchange(schedule.reduces, {});
    bool keepsPartsApart = true;
    for (auto [kind, type] : llvm::zip_equal(kinds, op->getResultTypes())) {
      keepsPartsApart &= !isComplex(type) || kind == ReductionKind::sum;
      schedule.reduces.append(isComplex(type) ? 2 : 1, kind);
    }
    if (!keepsPartsApart)
      schedule.reduces.clear();
    setSchedule(whole, schedule);
  }

  ModuleOp module;
  OpBuilder builder;
  llvm::DenseMap<Value, Parts> parts;
  SmallVector<Operation *> replaced;
  SmallVector<BlockArgument> replacedArguments;
};

struct SplitComplex : quernel::impl::SplitComplexBase<SplitComplex> {
  void runOnOperation() override {
    if (failed(Splitter(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
