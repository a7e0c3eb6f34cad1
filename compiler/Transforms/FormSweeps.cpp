// Which groups of a segment become one sweep over rows, and the order of groups in which those of a sweep follow each
// other.
#include "compiler/Transforms/KernelFormer.h"
#include "compiler/Transforms/Sweeps.h"

using namespace mlir;
using namespace quernel;

namespace {

constexpr size_t mostGroups = 64;  // of a segment: the search takes their number squared
constexpr size_t largestSweep = 8; // groups of one: Clang takes longer for a loop than for two of half its length

/// What the search knows of a group.
struct Candidate {
  std::optional<RowSpace> space; // nothing where the group can't be in a sweep
  SmallVector<RowRead> reads;
  llvm::SmallSetVector<unsigned, 4> needs; // groups whose arrays it reads
  unsigned node;                           // groups of one sweep are one node; its number is that of the first
};

class SweepSearch {
public:
  explicit SweepSearch(std::vector<Candidate> groups) : groups(std::move(groups)) {}

  void run(function_ref<bool(const Candidate &, const Candidate &)> shareRows) {
    for (unsigned late = 1; late < groups.size(); ++late)
      for (unsigned early = 0; early < late; ++early)
        if (groups[early].node == early && fits(early, late) &&
            llvm::any_of(membersOf(early), [&](unsigned member) { return shareRows(groups[member], groups[late]); })) {
          groups[late].node = early;
          break;
        }
  }

  /// All groups, those of a node one after the other, each behind what it needs.
  SmallVector<unsigned> order() {
    SmallVector<unsigned> result;
    llvm::DenseSet<unsigned> placed;
    for (unsigned group = 0; group < groups.size(); ++group)
      place(groups[group].node, result, placed);
    return result;
  }

  unsigned nodeOf(unsigned group) const { return groups[group].node; }
  size_t sizeOf(unsigned node) { return membersOf(node).size(); }

private:
  SmallVector<unsigned> membersOf(unsigned node) {
    SmallVector<unsigned> members;
    for (unsigned group = 0; group < groups.size(); ++group)
      if (groups[group].node == node)
        members.push_back(group);
    return members;
  }

  /// Whether `late` may join: of the same rows, in pieces of the same length, and nothing between needs the sweep and
  /// is needed by `late`.
  bool fits(unsigned node, unsigned late) {
    SmallVector<unsigned> members = membersOf(node);
    if (!groups[late].space || members.size() >= largestSweep)
      return false;
    for (unsigned member : members) {
      const auto &space = groups[member].space;
      if (!space || space->rows != groups[late].space->rows ||
          (space->chunk && groups[late].space->chunk && space->chunk != groups[late].space->chunk))
        return false;
    }
    return llvm::none_of(groups[late].needs, [&](unsigned need) {
      llvm::DenseSet<unsigned> seen;
      return groups[need].node != node && reaches(groups[need].node, node, seen);
    });
  }

  /// Whether `node` needs `target`, also by way of others.
  bool reaches(unsigned node, unsigned target, llvm::DenseSet<unsigned> &seen) {
    if (node == target)
      return true;
    if (!seen.insert(node).second)
      return false;
    for (unsigned member : membersOf(node))
      for (unsigned need : groups[member].needs)
        if (groups[need].node != node && reaches(groups[need].node, target, seen))
          return true;
    return false;
  }

  void place(unsigned node, SmallVectorImpl<unsigned> &result, llvm::DenseSet<unsigned> &placed) {
    if (!placed.insert(node).second)
      return;
    for (unsigned member : membersOf(node))
      for (unsigned need : groups[member].needs)
        place(groups[need].node, result, placed);
    llvm::append_range(result, membersOf(node));
  }

  std::vector<Candidate> groups;
};

} // namespace

/// Assumes groups in an order in which each stands behind what it reads. Leaves such an order, in which the groups that
/// go through the rows of one large array, or of what one of them stores, follow each other and have a sweep's number.
/// None of them reads another row of what one of them stores than the row that it is at.
void KernelFormer::formSweeps(SmallVector<Group> &groups) {
  if (groups.size() < 2 || groups.size() > mostGroups)
    return;
  llvm::DenseMap<Value, unsigned> groupOf;
  for (auto [i, group] : llvm::enumerate(groups))
    for (Value member : group.members)
      groupOf[member] = i;
  auto isStored = [&](Value value) { return plan->isStored(value) || stored.count(value); };
  std::vector<Candidate> candidates(groups.size());
  for (auto [i, group] : llvm::enumerate(groups)) {
    Candidate &candidate = candidates[i];
    candidate.node = i;
    for (Value member : group.members) {
      auto space = rowSpaceOf(member, shapes);
      bool isOdd = isAlone(member) || (member != group.members[0] && space != candidate.space);
      candidate.space = isOdd ? std::nullopt : space;
      if (isOdd)
        break;
    }
    for (Value member : group.members) {
      for (auto [read, pointwise] : readsOf(member).values)
        if (auto found = groupOf.find(read); found != groupOf.end() && found->second != i)
          candidate.needs.insert(found->second);
      if (candidate.space)
        llvm::append_range(candidate.reads, rowReadsOf(member, shapes, isStored));
    }
  }
  SweepSearch search(candidates);
  search.run([&](const Candidate &early, const Candidate &late) {
    bool shares = false;
    for (const RowRead &read : late.reads) {
      auto made = groupOf.find(read.array);
      bool isMade = made != groupOf.end() && search.nodeOf(made->second) == early.node;
      if (isMade && !read.isOwnRow)
        return false;
      bool isRead =
          llvm::any_of(early.reads, [&](const RowRead &other) { return other.array == read.array && other.isOwnRow; });
      ArrayRef<Dim> shape = shapes.shape(read.array);
      shares |= read.isOwnRow && (isMade || isRead) && hasLongRows(shape) && isLarge(shape);
    }
    return shares;
  });
  SmallVector<Group> ordered;
  llvm::DenseMap<unsigned, int64_t> numbers;
  for (unsigned group : search.order()) {
    unsigned node = search.nodeOf(group);
    if (search.sizeOf(node) > 1) {
      auto [entry, isNew] = numbers.try_emplace(node, sweeps);
      sweeps += isNew;
      groups[group].sweep = entry->second;
    }
    ordered.push_back(std::move(groups[group]));
  }
  groups = std::move(ordered);
}
