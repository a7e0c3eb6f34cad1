// What a program is compiled for, as far as decisions about speed ask, and the numbers that no target may change.
#ifndef QUERNEL_DIALECT_TARGETINFO_H
#define QUERNEL_DIALECT_TARGETINFO_H

#include <cstdint>

namespace mlir {
class Operation;
}

namespace quernel {

enum class TargetKind { cpu, gpu };

/// A kind of machine. Passes ask the module for it, `targetOf`; a module without one is for the widest CPU.
///
/// Costs are in additions of one element. Vectors, caches and threads decide about speed alone: a program gives the
/// same bits whatever they are. `roundTrip` is the same for all CPUs, as what is stored may decide how a sum is added.
struct TargetInfo {
  TargetKind kind = TargetKind::cpu;
  /// Of a vector register.
  int64_t vectorBytes = 64;
  /// Whether it multiplies and adds with one rounding.
  bool fma = false;
  /// Of the memory next to a core that is its own: what is stored there is there when it is loaded again.
  int64_t cacheBytes = 512 * 1024;
  /// A core's share of the cache that cores have together.
  int64_t lastCacheBytes = 2 * 1024 * 1024;
  /// Additions of a thread's share below which a second thread costs more than it does.
  int64_t fork = 65536;
  /// Storing an element in memory and loading it again.
  int64_t roundTrip = 12;
  /// Of a GPU: multiprocessors, and the bytes of shared memory and the 32-bit registers that each of them has.
  int64_t multiprocessors = 0, sharedBytes = 0, registers = 0;

  bool operator==(const TargetInfo &) const = default;
};

/// The target of the module around an operation.
TargetInfo targetOf(mlir::Operation *op);
void setTarget(mlir::Operation *module, const TargetInfo &target);

/// In which order sums are added, on every machine. Results have these numbers' bits.
namespace numerics {
/// Elements of a piece of a long reduction: 128 KiB of doubles, which stay in a second-level cache.
constexpr int64_t pieceLength = 16384;
/// Rows that are added into one row of partial results, and that a sweep over rows goes through as one piece.
constexpr int64_t rowsOfPiece = 64;
/// Turns of a piece of a loop that hands on sums, where a device's threads share it.
constexpr int64_t scanLength = 64;
/// Elements that are added plainly before their sum is added with compensation.
constexpr int64_t blockLength = 16;
/// Bytes of the accumulators of a sum along memory, and of the candidates for a minimum or maximum.
constexpr int64_t accumulatorBytes = 128, candidateBytes = 256;
/// Partial sums that NumPy's pairwise sum keeps.
constexpr int64_t pairwiseWidth = 8;
} // namespace numerics

} // namespace quernel

#endif
