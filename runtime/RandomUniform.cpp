// Draws that take one word each, whatever comes of it.
#include "runtime/RandomDraws.h"
#include <cmath>

using namespace quernel::runtime;

namespace {

/// So many uniform numbers at a time become what is wanted while they are in the cache.
constexpr int64_t blockLength = 1024;

/// Draws by several threads, each number by `change(uniform, number)`; `Word` is the width of a draw.
template <typename Word, typename T, typename Change> int32_t drawEach(const Draws &draws, Change change) {
  if (!draws.areMany())
    return drawInTurn<T>(draws, [&](auto &generator, int64_t k) {
      if constexpr (std::is_same_v<T, double>)
        return change(generator.nextDouble(), k);
      else
        return change(generator.nextFloat(), k);
    });
  struct Data {
    const Draws &draws;
    Change &change;
  } data{draws, change};
  const auto turns = [](void *of, int64_t begin, int64_t end) -> int32_t {
    const auto &[draws, change] = *static_cast<Data *>(of);
    T *out = static_cast<T *>(draws.out);
    Uniform<Word> source(draws.state, begin);
    T block[blockLength];
    for (int64_t first = begin; first < end; first += blockLength) {
      const int64_t count = std::min(blockLength, end - first);
      T *numbers = draws.step == 1 ? out + first : block;
      source.next(numbers, count);
      for (int64_t k = 0; k < count; ++k)
        out[(first + k) * draws.step] = change(numbers[k], first + k);
    }
    return QN_OK;
  };
  if (const int32_t code =
          draws.context->parallel_for(draws.context, 0, draws.count, 1, drawsWorthAThread, turns, &data))
    return code;
  advanceBy<Word>(draws.state, draws.count);
  return QN_OK;
}

} // namespace

int32_t quernel::runtime::drawUniform(const Draws &draws) {
  switch (draws.routine) {
  case QN_RANDOM:
    return drawEach<uint64_t, double>(draws, [](double x, int64_t) { return x; });
  case QN_RANDOM_FLOATS:
    return drawEach<uint32_t, float>(draws, [](float x, int64_t) { return x; });
  case QN_INVERSE_EXPONENTIAL:
    return drawEach<uint64_t, double>(draws, [](double x, int64_t) { return -std::log1p(-x); });
  case QN_INVERSE_EXPONENTIAL_FLOATS:
    return drawEach<uint32_t, float>(draws, [](float x, int64_t) { return float(-std::log1p(-double(x))); });
  default:
    return drawEach<uint64_t, double>(
        draws, [&](double x, int64_t k) { return draws.at<double>(0, k) + draws.at<double>(1, k) * x; });
  }
}

int32_t quernel::runtime::drawAhead(const Draws &draws) {
  if (!hasPositions(draws.state))
    return drawInTurn<double>(draws, [](auto &generator, int64_t) { return generator.nextDouble(); });
  advance(draws.state, draws.count);
  return QN_OK;
}

int32_t quernel::runtime::callPart(const RoutineCall &call) {
  enum { before, stored, first, numbers };
  const auto stepOf = [&](int operand) { return call.strides[3 * operand + 1]; };
  // The sizes are those of m, n and s.
  const int64_t count = call.sizes[2], words = call.sizes[3];
  for (int64_t problem = 0; problem < call.sizes[0]; ++problem) {
    const auto place = [&](int operand) {
      return static_cast<char *>(call.operands[operand]) + problem * call.strides[3 * operand] * 8;
    };
    const auto *from = reinterpret_cast<const uint64_t *>(place(before));
    uint64_t state[mostStreamWords];
    if (words < 1 || words > mostStreamWords)
      return QN_NO_ROUTINE;
    for (int64_t k = 0; k < words; ++k)
      state[k] = from[k * stepOf(before)];
    const int64_t begin = *reinterpret_cast<const int64_t *>(place(first));
    auto *out = reinterpret_cast<double *>(place(numbers));
    if (!hasPositions(state)) {
      const auto *all = reinterpret_cast<const double *>(place(stored));
      for (int64_t k = 0; k < count; ++k)
        out[k * stepOf(numbers)] = all[(begin + k) * stepOf(stored)];
      continue;
    }
    Uniform<uint64_t> source(state, begin);
    double block[blockLength];
    for (int64_t done = 0; done < count; done += blockLength) {
      const int64_t here = std::min(blockLength, count - done);
      if (stepOf(numbers) == 1) {
        source.next(out + done, here);
        continue;
      }
      source.next(block, here);
      for (int64_t k = 0; k < here; ++k)
        out[(done + k) * stepOf(numbers)] = block[k];
    }
  }
  return QN_OK;
}
