#include "runtime/Fourier.h"
#include "runtime/Batch.h"
#include "runtime/Scratch.h"
#include <algorithm>
#include <array>
#include <bit>

using namespace quernel::runtime;

namespace {

constexpr int32_t types = QN_C128 + 1;
std::array<std::array<Transform, types>, QN_TRANSFORMS> table;

bool isPairs(int32_t type) { return type == QN_C64 || type == QN_C128; }
int64_t realBytes(int32_t type) { return type == QN_F32 || type == QN_C64 ? sizeof(float) : sizeof(double); }

/// Elements that one call of a loop transforms at least, where there are so many: each call computes the factors of its
/// lines anew.
constexpr int64_t enoughElements = int64_t(1) << 19;

/// Whether there is memory for what a loop keeps of a line: some functions only say so in a way that nobody hears.
bool hasRoom(int64_t elements) {
  Scratch scratch;
  scratch.take<std::array<double, 8>>(elements);
  return !scratch.out();
}

} // namespace

void quernel::runtime::lendTransform(int32_t kind, int32_t type, Transform function) { table[kind][type] = function; }

int32_t quernel::runtime::transformLines(const qn_context *context, int32_t kind, int32_t type, const void *in,
                                         const void *scale, void *out, const int64_t *strides, int64_t lines,
                                         int64_t points, int64_t results) {
  const bool isKnown = kind >= 0 && kind < QN_TRANSFORMS && type >= 0 && type < types;
  if (!isKnown || !table[kind][type].loop)
    return QN_NO_TRANSFORM;
  const int64_t longest = std::max({points, results, int64_t(1)});
  if (!hasRoom(longest))
    return QN_OUT_OF_MEMORY;
  const Transform transform = table[kind][type];
  const int64_t real = realBytes(type), ofInput = isPairs(type) ? 2 * real : real,
                ofOutput = kind == QN_IRFFT ? real : 2 * real;
  const intptr_t steps[] = {strides[0] * ofInput, strides[3] * real, strides[6] * ofOutput, strides[1] * ofInput,
                            strides[7] * ofOutput};
  // A block of lines is a problem of the batch.
  const int64_t fair = (lines + context->threads - 1) / std::max(context->threads, 1);
  const int64_t ofBlock = std::clamp<int64_t>(fair, 1, std::max<int64_t>(enoughElements / longest, 1));
  const double work = double(ofBlock) * double(longest) * std::bit_width(uint64_t(longest));
  return runBatch(context, {(lines + ofBlock - 1) / ofBlock, work, nullptr}, [&](int64_t first, int64_t count) {
    const int64_t from = first * ofBlock, to = std::min(lines, (first + count) * ofBlock);
    char *operands[] = {static_cast<char *>(const_cast<void *>(in)) + from * steps[0],
                        static_cast<char *>(const_cast<void *>(scale)) + from * steps[1],
                        static_cast<char *>(out) + from * steps[2]};
    const intptr_t dimensions[] = {to - from, points, results};
    transform.loop(operands, dimensions, steps, transform.data);
    return QN_OK;
  });
}
