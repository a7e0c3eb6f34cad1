#include "compiler/Lowering/TensorLiveness.h"
#include "compiler/Dialect/Quernel.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace quernel;

void PointSet::finish() {
  llvm::sort(intervals);
  SmallVector<std::pair<Point, Point>, 2> joined;
  for (auto [from, to] : intervals) {
    if (!joined.empty() && from <= joined.back().second)
      joined.back().second = std::max(joined.back().second, to);
    else
      joined.push_back({from, to});
  }
  intervals = joined;
}

bool PointSet::contains(Point point) const {
  const auto *next = llvm::upper_bound(
      intervals, point, [](Point at, const std::pair<Point, Point> &interval) { return at < interval.first; });
  return next != intervals.begin() && std::prev(next)->second >= point;
}

bool Array::isDefinedAt(Point point) const {
  return llvm::any_of(definitions, [&](const Definition &definition) { return definition.point == point; });
}

bool quernel::isTensorView(Operation *op) {
  return isa_and_nonnull<tensor::ExtractSliceOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(op);
}

Value quernel::viewedTensor(Value tensor) {
  while (isTensorView(tensor.getDefiningOp()))
    tensor = tensor.getDefiningOp()->getOperand(0);
  return tensor;
}

static bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

/// The copy that only this update changes: the updated array from its beginning on.
static Value ownCopyOf(Operation *update) {
  if (!isa<tensor::InsertOp, tensor::InsertSliceOp>(update))
    return {};
  auto copy = update->getOperand(1).getDefiningOp<bufferization::AllocTensorOp>();
  return copy && copy.getCopy() && copy->hasOneUse() ? copy.getResult() : Value();
}

TensorLiveness::TensorLiveness(func::FuncOp function) {
  number(function.getBody().front());
  for (Operation *op : order)
    makeArrays(op);
  for (Operation *op : order)
    connect(op);
  findNeeded();
  for (Array &array : all)
    findLive(array);
}

/// Kernels are one operation each: what is in them has no place of its own.
void TensorLiveness::number(Block &block) {
  for (Operation &op : block) {
    unsigned start = ++count;
    order.push_back(&op);
    if (!isa<linalg::LinalgOp>(op))
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          number(inner);
    places[&op] = {start, op.getNumRegions() == 0 ? start : ++count};
  }
}

// Arrays

unsigned TensorLiveness::make(Value value, Point from) {
  all.emplace_back().value = value;
  same(value, all.size() - 1, from);
  return all.size() - 1;
}

void TensorLiveness::same(Value value, unsigned array, Point from) {
  numbers[value] = array;
  beginnings[value] = from;
}

void TensorLiveness::makeArrays(Operation *op) {
  if (isTensorView(op))
    return;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [argument, result] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getResults()))
      if (isTensor(argument))
        same(result, make(argument, readPoint(op) + 1), endPoint(op));
    return;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (BlockArgument argument : loop.getBeforeArguments())
      if (isTensor(argument))
        make(argument, readPoint(op) + 1);
    for (auto [argument, result] : llvm::zip_equal(loop.getAfterArguments(), loop.getResults()))
      if (isTensor(argument))
        same(result, make(argument, readPoint(loop.getConditionOp()) + 1), endPoint(op));
    return;
  }
  for (Value result : op->getResults()) {
    if (!isTensor(result))
      continue;
    Point from = isa<scf::IfOp>(op) ? endPoint(op) : readPoint(op) + 1;
    if (Value copy = ownCopyOf(op)) {
      same(result, numbers.lookup(copy), from);
      continue;
    }
    Array &array = all[make(result, from)];
    if (auto bound = dyn_cast<bufferization::ToTensorOp>(op)) {
      array.memory = bound.getBuffer();
      array.isFixed = !bound.getWritable();
      memories[array.memory] = numbers.lookup(result);
    }
    array.isFixed |= matchPattern(op, m_Constant());
    auto plain = dyn_cast<bufferization::AllocTensorOp>(op);
    array.isUndefined = isa<tensor::EmptyOp>(op) || (plain && !plain.getCopy());
  }
  auto put = dyn_cast<bufferization::MaterializeInDestinationOp>(op);
  if (put && isa<BaseMemRefType>(put.getDest().getType()) && !memories.count(put.getDest())) {
    memories[put.getDest()] = all.size();
    Array &array = all.emplace_back();
    array.value = put.getSource();
    array.memory = put.getDest();
    array.isFixed = !put.getWritable();
  }
}

int TensorLiveness::arrayOf(Value tensor) const {
  auto found = numbers.find(viewedTensor(tensor));
  return found == numbers.end() ? -1 : static_cast<int>(found->second);
}

int TensorLiveness::arrayInMemory(Value buffer) const {
  auto found = memories.find(buffer);
  return found == memories.end() ? -1 : static_cast<int>(found->second);
}

bool TensorLiveness::isUndefined(Value tensor) const {
  int array = arrayOf(tensor);
  return array >= 0 && all[array].isUndefined;
}

// Definitions and reads

void TensorLiveness::write(Value target) {
  Operation *op = target.getDefiningOp();
  all[numbers.lookup(target)].definitions.push_back({Definition::write, readPoint(op) + 1, op});
}

void TensorLiveness::copyInto(unsigned target, OpOperand &operand, Definition::Kind kind) {
  Operation *op = operand.getOwner();
  bool isWhole = !isTensorView(operand.get().getDefiningOp()) && !isUndefined(operand.get());
  int source = isWhole ? arrayOf(operand.get()) : -1;
  all[target].definitions.push_back({kind, readPoint(op) + 1, op, &operand, source});
}

void TensorLiveness::define(Value target, OpOperand &operand, Definition::Kind kind) {
  if (isTensor(target))
    copyInto(numbers.lookup(target), operand, kind);
}

void TensorLiveness::read(Value tensor, Operation *op, bool isInterleaved) {
  Value root = viewedTensor(tensor);
  if (auto found = numbers.find(root); found != numbers.end())
    all[found->second].reads.push_back({readPoint(op) + isInterleaved, op, root});
}

/// True if a kernel reads an element of an array only where it stores that element of its results.
static bool isAtOwnIndex(tensor::ExtractOp extract, linalg::LinalgOp kernel) {
  return llvm::all_of(llvm::enumerate(extract.getIndices()), [&](auto index) {
    auto axis = index.value().template getDefiningOp<linalg::IndexOp>();
    return axis && axis.getDim() == index.index() && axis->template getParentOfType<linalg::LinalgOp>() == kernel;
  });
}

void TensorLiveness::connectKernel(linalg::LinalgOp kernel) {
  auto isIdentity = [&](OpOperand &operand) { return kernel.getMatchingIndexingMap(&operand).isIdentity(); };
  bool isPointwise = !kernel->hasAttr("library_call") && kernel.getNumLoops() == kernel.getNumParallelLoops() &&
                     llvm::all_of(kernel.getDpsInitsMutable(), isIdentity);
  for (OpOperand *input : kernel.getDpsInputOperands())
    if (isTensor(input->get()))
      read(input->get(), kernel, !isPointwise || !isIdentity(*input) || isTensorView(input->get().getDefiningOp()));
  kernel->getRegion(0).walk([&](tensor::ExtractOp extract) {
    bool isOwn = isPointwise && !isTensorView(extract.getTensor().getDefiningOp()) &&
                 extract.getTensor().getType() == kernel->getResult(0).getType() && isAtOwnIndex(extract, kernel);
    read(extract.getTensor(), kernel, !isOwn);
  });
  for (OpOperand &init : kernel.getDpsInitsMutable()) {
    Value result = kernel.getTiedOpResult(&init);
    if (kernel.payloadUsesValueFromOperand(&init))
      define(result, init, Definition::update);
    else
      write(result);
  }
}

void TensorLiveness::connect(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<scf::ForOp>([&](auto loop) {
        for (auto [argument, init, yielded] :
             llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgsMutable(), *loop.getYieldedValuesMutable())) {
          define(argument, init, Definition::copy);
          define(argument, yielded, Definition::copy);
        }
      })
      .Case<scf::WhileOp>([&](auto loop) {
        for (auto [argument, init, yielded] :
             llvm::zip_equal(loop.getBeforeArguments(), loop.getInitsMutable(), loop.getYieldOp()->getOpOperands())) {
          define(argument, init, Definition::copy);
          define(argument, yielded, Definition::copy);
        }
        for (auto [argument, forwarded] :
             llvm::zip_equal(loop.getAfterArguments(), loop.getConditionOp().getArgsMutable()))
          define(argument, forwarded, Definition::copy);
      })
      .Case<scf::IfOp>([&](auto branch) {
        for (OpResult result : branch.getResults())
          for (scf::YieldOp side : {branch.thenYield(), branch.elseYield()})
            define(result, side->getOpOperand(result.getResultNumber()), Definition::copy);
      })
      .Case<linalg::LinalgOp>([&](auto kernel) { connectKernel(kernel); })
      .Case<tensor::InsertOp>([&](auto insert) { define(insert, insert.getDestMutable(), Definition::update); })
      .Case<tensor::InsertSliceOp>([&](auto insert) {
        read(insert.getSource(), op, true);
        define(insert, insert.getDestMutable(), Definition::update);
      })
      .Case<bufferization::AllocTensorOp>([&](auto array) {
        if (array.getCopy())
          define(array, array.getCopyMutable()[0], Definition::copy);
        else
          write(array);
      })
      .Case<bufferization::MaterializeInDestinationOp>([&](auto put) {
        if (int target = arrayInMemory(put.getDest()); target >= 0)
          copyInto(target, put.getSourceMutable(), Definition::copy);
      })
      .Case<scf::YieldOp, scf::ConditionOp, tensor::DimOp>([](auto) {})
      .Default([&](Operation *other) {
        if (isTensorView(other)) {
          if (int array = arrayOf(other->getResult(0)); array >= 0)
            all[array].isReshaped |= isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(other);
          return;
        }
        for (Value operand : other->getOperands())
          if (isTensor(operand))
            read(operand, other, other->getNumResults() != 0 && isTensor(other->getResult(0)));
        for (Value result : other->getResults())
          if (isTensor(result))
            write(result);
      });
}

/// Copies that nobody reads aren't made. What is copied into an array that is needed is read there.
void TensorLiveness::findNeeded() {
  SmallVector<unsigned> work;
  auto need = [&](unsigned array) {
    if (!std::exchange(all[array].isNeeded, true))
      work.push_back(array);
  };
  for (auto [i, array] : llvm::enumerate(all))
    if (!array.reads.empty() || array.memory)
      need(i);
  while (!work.empty()) {
    unsigned target = work.pop_back_val();
    for (const Definition &definition : llvm::to_vector(all[target].definitions)) {
      if (!definition.operand || isUndefined(definition.operand->get()))
        continue;
      Value root = viewedTensor(definition.operand->get());
      // A loop's own array is not copied onto itself.
      if (int source = arrayOf(root); source >= 0) {
        all[source].reads.push_back({readPoint(definition.op), definition.op, root});
        need(source);
      }
    }
  }
  for (Array &array : all)
    if (!array.isNeeded)
      llvm::erase_if(array.definitions, [](const Definition &it) { return it.kind == Definition::copy; });
}

// Liveness

/// Makes an array live from a point of its home block to a read: in a loop in between from end to end, in a branch on
/// the side of the read alone.
void TensorLiveness::extend(PointSet &live, Block *home, Point from, Operation *user, Point to) const {
  Operation *top = home->findAncestorOpInBlock(*user);
  if (top == user)
    return live.add(from, to);
  if (!isa<scf::IfOp>(top))
    return live.add(from, endPoint(top));
  live.add(from, readPoint(top));
  Block *inner = user->getBlock();
  while (inner->getParentOp() != top)
    inner = inner->getParentOp()->getBlock();
  extend(live, inner, readPoint(&inner->front()), user, to);
}

void TensorLiveness::findLive(Array &array) {
  for (const Definition &definition : array.definitions) {
    Operation *op = definition.op;
    bool isLast = isa<bufferization::MaterializeInDestinationOp>(op); // the caller reads it afterwards
    bool isNextTurn = isa<scf::YieldOp>(op) && isa<LoopLikeOpInterface>(op->getParentOp());
    array.live.add(definition.point, isLast       ? std::numeric_limits<Point>::max()
                                     : isNextTurn ? endPoint(op->getParentOp())
                                                  : definition.point);
  }
  if (array.memory && array.value.getDefiningOp<bufferization::ToTensorOp>() && array.definitions.empty())
    array.live.add(beginnings.lookup(array.value), beginnings.lookup(array.value));
  for (Read &read : array.reads)
    extend(array.live, read.value.getParentBlock(), beginnings.lookup(read.value), read.op, read.point);
  array.live.finish();
}

bool TensorLiveness::overwrites(const Array &writer, unsigned other) const {
  const Array &kept = all[other];
  return llvm::any_of(writer.definitions, [&](const Definition &definition) {
    if (!kept.live.contains(definition.point))
      return false;
    // Where one becomes a copy of the other both hold the same, unless the other changes at the same moment.
    bool isCopyOfIt = definition.kind == Definition::copy && definition.source == static_cast<int>(other);
    return !isCopyOfIt || kept.isDefinedAt(definition.point);
  });
}

bool TensorLiveness::interfere(unsigned first, unsigned second) const {
  return overwrites(all[first], second) || overwrites(all[second], first);
}
