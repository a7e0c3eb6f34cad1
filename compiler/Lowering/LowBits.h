// What is known of an index's low bits: that a loop's counter is a multiple of 8, say.
#ifndef QUERNEL_LOWERING_LOWBITS_H
#define QUERNEL_LOWERING_LOWBITS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace quernel {

/// The last `count` bits of an index, from 0 to 63 of them; `value` has zeros above. Bits of sums and products depend
/// on lower ones alone, so what is known holds also where an index wraps around.
struct LowBits {
  unsigned count = 0;
  uint64_t value = 0;

  static LowBits of(uint64_t number, unsigned count);
  bool operator==(const LowBits &other) const { return count == other.count && value == other.value; }
};

/// Finds low bits from constants, from loops' first turns and steps, and by arithmetic. Answers are remembered, so what
/// was asked about may not change afterwards.
class LowBitsAnalysis {
public:
  LowBits of(mlir::Value index);

private:
  LowBits find(mlir::Value index);
  LowBits ofCounter(mlir::BlockArgument counter);

  llvm::DenseMap<mlir::Value, LowBits> known;
};

} // namespace quernel

#endif
