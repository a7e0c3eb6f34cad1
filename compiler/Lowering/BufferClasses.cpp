#include "compiler/Lowering/BufferClasses.h"
#include "compiler/Dialect/Quernel.h"
#include "compiler/Lowering/TensorSizes.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace quernel;

BufferClasses::BufferClasses(func::FuncOp function) : live(function), function(function) {
  makeClasses();
  for (const Affinity &wish : affinities()) {
    unsigned first = groupOf[wish.target], second = groupOf[wish.source];
    if (first != second && mayMerge(all[first], all[second]))
      merge(first, second);
  }
  function.walk([&](tensor::InsertSliceOp insert) { place(insert); });
}

int BufferClasses::classOf(Value tensor) const {
  int array = live.arrayOf(tensor);
  return array < 0 ? -1 : static_cast<int>(groupOf[array]);
}

int BufferClasses::classInMemory(Value buffer) const {
  int array = live.arrayInMemory(buffer);
  return array < 0 ? -1 : static_cast<int>(groupOf[array]);
}

void BufferClasses::makeClasses() {
  for (auto [i, array] : llvm::enumerate(live.arrays())) {
    groupOf.push_back(i);
    BufferClass &group = all.emplace_back();
    group.arrays = {static_cast<unsigned>(i)};
    group.memory = array.memory;
    group.isFixed = array.isFixed;
    group.isReshaped = array.isReshaped;
    group.isNeeded = array.isNeeded;
    auto use = [&](Operation *op, Point point) {
      group.users.push_back(op);
      group.first = std::min(group.first, point);
      group.last = std::max(group.last, point);
    };
    for (const Definition &definition : array.definitions) {
      if (array.isUndefined) // nothing is set there
        continue;
      group.writes.push_back(definition.point);
      use(definition.op, definition.point);
    }
    for (const Read &read : array.reads) {
      group.reads.push_back(read.point);
      group.isHandedOver |= isa<AddressOp>(read.op);
      use(read.op, read.point);
    }
  }
}

static unsigned loopDepth(Operation *op) {
  unsigned depth = 0;
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    depth += isa<LoopLikeOpInterface>(parent);
  return depth;
}

SmallVector<BufferClasses::Affinity> BufferClasses::affinities() const {
  SmallVector<Affinity> wishes;
  for (auto [i, array] : llvm::enumerate(live.arrays()))
    for (const Definition &definition : array.definitions) {
      if (definition.source < 0 || definition.source == static_cast<int>(i))
        continue;
      Operation *op = definition.op, *owner = op->getParentOp();
      unsigned kind = isa<bufferization::MaterializeInDestinationOp>(op) ? 3
                      : definition.kind == Definition::update            ? 2
                      : isa<scf::YieldOp>(op) && isa<scf::IfOp>(owner)   ? 1
                      : isa<bufferization::AllocTensorOp>(op)            ? 2
                                                                         : 0;
      wishes.push_back({static_cast<unsigned>(i), static_cast<unsigned>(definition.source), loopDepth(op), kind});
    }
  llvm::sort(wishes, [](const Affinity &x, const Affinity &y) {
    return std::tie(y.depth, x.kind, x.target, x.source) < std::tie(x.depth, y.kind, y.target, y.source);
  });
  return wishes;
}

/// The elements of a memref of this type follow each other.
static bool isContiguous(Value memory) { return cast<MemRefType>(memory.getType()).getLayout().isIdentity(); }

bool BufferClasses::mayMerge(const BufferClass &first, const BufferClass &second) const {
  if (first.isFixed || second.isFixed || (first.memory && second.memory))
    return false;
  const bool isGiven = first.isHandedOver || second.isHandedOver;
  if (isGiven && (first.memory || second.memory || (first.isHandedOver && second.isHandedOver)))
    return false;
  for (auto [owner, other] : {std::pair(&first, &second), std::pair(&second, &first)}) {
    if (!owner->memory)
      continue;
    Operation *view = owner->memory.getDefiningOp();
    bool isThere = !view || live.readPoint(view) < other->first;
    if (!isThere || (other->isReshaped && !isContiguous(owner->memory)))
      return false;
  }
  auto typeOf = [&](const BufferClass &group) { return live.arrays()[group.arrays.front()].value.getType(); };
  if (typeOf(first) != typeOf(second))
    return false;
  return llvm::none_of(first.arrays, [&](unsigned x) {
    return llvm::any_of(second.arrays, [&](unsigned y) { return live.interfere(x, y); });
  });
}

void BufferClasses::merge(unsigned first, unsigned second) {
  if (all[first].arrays.size() < all[second].arrays.size())
    std::swap(first, second);
  BufferClass &into = all[first], &from = all[second];
  for (unsigned array : from.arrays)
    groupOf[array] = first;
  into.arrays.append(from.arrays);
  into.memory = into.memory ? into.memory : from.memory;
  into.isReshaped |= from.isReshaped;
  into.isNeeded |= from.isNeeded;
  into.isHandedOver |= from.isHandedOver;
  into.writes.append(from.writes);
  into.reads.append(from.reads);
  into.users.append(from.users);
  into.first = std::min(into.first, from.first);
  into.last = std::max(into.last, from.last);
  from = BufferClass();
}

// Placing

Operation *BufferClasses::beginningOf(const BufferClass &group) const {
  Block *home = group.users.front()->getBlock();
  for (Operation *user : group.users)
    while (!home->findAncestorOpInBlock(*user))
      home = home->getParentOp()->getBlock();
  Operation *first = nullptr;
  for (Operation *user : group.users) {
    Operation *place = home->findAncestorOpInBlock(*user);
    if (!first || live.readPoint(place) < live.readPoint(first))
      first = place;
  }
  return first;
}

/// A part may be made in its place if nobody looks at the elements that were there before it is put there, and nothing
/// changes them while it is needed.
bool BufferClasses::mayPlace(tensor::InsertSliceOp insert, const BufferClass &part, const BufferClass &whole) const {
  if (part.memory || part.isHandedOver || part.isFixed || part.isReshaped || part.whole >= 0 || whole.isFixed ||
      part.users.empty())
    return false;
  Operation *beginning = beginningOf(part);
  if (beginning->getBlock() != insert->getBlock())
    return false;
  Point own = live.readPoint(insert), from = live.readPoint(beginning);
  if (whole.memory && whole.memory.getDefiningOp() && live.readPoint(whole.memory.getDefiningOp()) >= from)
    return false;
  bool isDisturbed =
      llvm::any_of(whole.writes,
                   [&](Point point) { return point >= from && point <= part.last && point != own + 1; }) ||
      llvm::any_of(whole.reads, [&](Point point) { return point >= from && point < own; });
  if (isDisturbed)
    return false;
  OpBuilder builder(beginning);
  auto isKnown = [&](OpFoldResult value) {
    auto dynamic = dyn_cast<Value>(value);
    return !dynamic || valueBefore(builder, dynamic, beginning);
  };
  return llvm::all_of(insert.getMixedOffsets(), isKnown) && llvm::all_of(insert.getMixedSizes(), isKnown) &&
         llvm::all_of(insert.getMixedStrides(), isKnown);
}

void BufferClasses::place(tensor::InsertSliceOp insert) {
  int part = classOf(insert.getSource()), whole = classOf(insert);
  bool isInPlace = live.isUndefined(insert.getDest()) || classOf(insert.getDest()) == whole;
  if (isTensorView(insert.getSource().getDefiningOp()) || isTensorView(insert.getDest().getDefiningOp()) || part < 0 ||
      whole < 0 || part == whole || !isInPlace || !mayPlace(insert, all[part], all[whole]))
    return;
  BufferClass &inner = all[part], &outer = all[whole];
  inner.whole = whole;
  inner.part = insert;
  placed.insert(insert);
  llvm::erase(outer.writes, live.readPoint(insert) + 1);
  // The elements are read and written in the outer buffer from now on.
  outer.writes.append(inner.writes);
  outer.reads.append(inner.reads);
  outer.users.append(inner.users);
  outer.first = std::min(outer.first, inner.first);
  outer.last = std::max(outer.last, inner.last);
}
