#include "runtime/Fourier.h"
#include "runtime/Batch.h"
#include "runtime/Library.h"
#include "runtime/Scratch.h"
#include <algorithm>
#include <array>
#include <bit>

using namespace quernel::runtime;

namespace {

constexpr int32_t types = QN_C128 + 1;
std::array<std::array<Transform, types>, QN_IRFFT - QN_FFT + 1> table;

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

void quernel::runtime::lendTransform(int32_t routine, int32_t type, Transform function) {
  table[routine - QN_FFT][type] = function;
}

int32_t quernel::runtime::callFourier(const RoutineCall &call) {
  const qn_context *context = call.context;
  const int64_t *strides = call.strides;
  const auto [lines, points, results] = std::to_array({call.sizes[0], call.sizes[1], call.sizes[2]});
  const bool isKnown = call.type >= 0 && call.type < types;
  const Transform transform = isKnown ? table[call.routine - QN_FFT][call.type] : Transform();
  if (!transform.loop)
    return QN_NO_TRANSFORM;
  const int64_t longest = std::max({points, results, int64_t(1)});
  if (!hasRoom(longest))
    return QN_OUT_OF_MEMORY;
  const int64_t real = realBytes(call.type), ofInput = isPairs(call.type) ? 2 * real : real,
                ofOutput = call.routine == QN_IRFFT ? real : 2 * real;
  const intptr_t steps[] = {strides[0] * ofInput, strides[3] * real, strides[6] * ofOutput, strides[1] * ofInput,
                            strides[7] * ofOutput};
  // A block of lines is a problem of the batch.
  const int64_t fair = (lines + context->threads - 1) / std::max(context->threads, 1);
  const int64_t ofBlock = std::clamp<int64_t>(fair, 1, std::max<int64_t>(enoughElements / longest, 1));
  const double work = double(ofBlock) * double(longest) * std::bit_width(uint64_t(longest));
  return runBatch(context, {(lines + ofBlock - 1) / ofBlock, work, nullptr}, [&](int64_t first, int64_t count) {
    const int64_t from = first * ofBlock, to = std::min(lines, (first + count) * ofBlock);
    char *operands[3];
    for (int k = 0; k < 3; ++k)
      operands[k] = static_cast<char *>(call.operands[k]) + from * steps[k];
    const intptr_t dimensions[] = {to - from, points, results};
    transform.loop(operands, dimensions, steps, transform.data);
    return QN_OK;
  });
}
