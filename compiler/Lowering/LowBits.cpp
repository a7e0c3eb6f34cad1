#include "compiler/Lowering/LowBits.h"
#include "compiler/Lowering/LoopWork.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace quernel;

static constexpr unsigned most = 63;

LowBits LowBits::of(uint64_t number, unsigned count) {
  count = std::min(count, most);
  return {count, number & llvm::maskTrailingOnes<uint64_t>(count)};
}

/// The zeros that end a number with these low bits; those that are known.
static unsigned zeros(LowBits bits) { return std::min<unsigned>(bits.count, llvm::countr_zero(bits.value)); }

static unsigned trailingZeros(int64_t number) { return std::min<unsigned>(most, llvm::countr_zero<uint64_t>(number)); }

/// (a + 2^n x) * (b + 2^m y): what isn't known begins at the lower of 2^n b and 2^m a.
static LowBits product(LowBits a, LowBits b) {
  return LowBits::of(a.value * b.value, std::min(a.count + zeros(b), b.count + zeros(a)));
}

LowBits LowBitsAnalysis::of(Value index) {
  if (auto found = known.find(index); found != known.end())
    return found->second;
  LowBits bits = find(index);
  known[index] = bits;
  return bits;
}

/// The first turn's number and the steps tell.
LowBits LowBitsAnalysis::ofCounter(BlockArgument counter) {
  auto range = counterRange(counter);
  auto distance = range ? getConstantIntValue(range->step) : std::nullopt;
  if (!distance)
    return {};
  LowBits first = of(range->lower);
  return LowBits::of(first.value, std::min(first.count, trailingZeros(*distance)));
}

LowBits LowBitsAnalysis::find(Value index) {
  if (!index.getType().isIndex() && !index.getType().isInteger(64))
    return {}; // narrower ones lose bits that constants are said to have
  if (auto constant = getConstantIntValue(index))
    return LowBits::of(*constant, most);
  if (auto counter = dyn_cast<BlockArgument>(index))
    return ofCounter(counter);
  Operation *op = index.getDefiningOp();
  auto divisor = [&] { return getConstantIntValue(op->getOperand(1)).value_or(0); };
  return llvm::TypeSwitch<Operation *, LowBits>(op)
      .Case([&](arith::AddIOp sum) {
        LowBits a = of(sum.getLhs()), b = of(sum.getRhs());
        return LowBits::of(a.value + b.value, std::min(a.count, b.count));
      })
      .Case([&](arith::SubIOp difference) {
        // n - n % 8, which ends whole vectors.
        if (auto rest = difference.getRhs().getDefiningOp<arith::RemSIOp>();
            rest && rest.getLhs() == difference.getLhs())
          if (auto whole = getConstantIntValue(rest.getRhs()); whole && *whole != 0)
            return LowBits::of(0, trailingZeros(*whole));
        LowBits a = of(difference.getLhs()), b = of(difference.getRhs());
        return LowBits::of(a.value - b.value, std::min(a.count, b.count));
      })
      .Case([&](arith::IndexCastOp cast) { return of(cast.getIn()); })
      .Case([&](arith::MulIOp op) { return product(of(op.getLhs()), of(op.getRhs())); })
      .Case([&](arith::RemUIOp op) {
        LowBits a = of(op.getLhs());
        return divisor() ? LowBits::of(a.value, std::min(a.count, trailingZeros(divisor()))) : LowBits();
      })
      .Case([&](arith::DivUIOp op) {
        LowBits a = of(op.getLhs());
        const unsigned shift = trailingZeros(divisor());
        if (!llvm::isPowerOf2_64(divisor()) || a.count < shift)
          return LowBits();
        return LowBits::of(a.value >> shift, a.count - shift);
      })
      .Default([](Operation *) { return LowBits(); });
}
