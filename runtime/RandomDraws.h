// A call of a routine that draws from a random stream, and the ways to compute its draws; for runtime/*.cpp only.
#ifndef QUERNEL_RUNTIME_RANDOM_DRAWS_H
#define QUERNEL_RUNTIME_RANDOM_DRAWS_H

#include "runtime/Library.h"
#include "runtime/SpeculativeDraws.h"

namespace quernel::runtime {

/// Draws that no other way than one by one is worth.
constexpr int64_t fewDraws = 64;
/// One by one, so many draws of any distribution take less time than anyone waits.
constexpr int64_t drawsBetweenPolls = 4096;

/// One stream's draws: the state is changed where it lies. Steps are in elements.
struct Draws {
  const qn_context *context;
  int32_t routine, type;
  uint64_t *state;
  int64_t count;
  void *out;
  int64_t step;
  const void *parameters[3] = {};
  int64_t steps[3] = {};
  /// Of draws that are each of several numbers: how many those are, and the step between them.
  int64_t categories = 0, categoryStep = 0;

  /// A parameter of a draw.
  template <typename T> T at(int parameter, int64_t draw) const {
    return static_cast<const T *>(parameters[parameter])[draw * steps[parameter]];
  }
  bool areForAll() const { return !(steps[0] | steps[1] | steps[2]); }
  bool areMany() const { return count >= fewDraws && hasPositions(state); }
};

/// Draws one by one, for each draw by `draw(generator, number)`, from any generator.
template <typename T, typename Draw> int32_t drawInTurn(const Draws &draws, Draw draw) {
  T *out = static_cast<T *>(draws.out);
  return withGenerator(draws.state, [&](auto &generator) -> int32_t {
    for (int64_t first = 0; first < draws.count; first += drawsBetweenPolls) {
      if (first && draws.context->poll() != QN_OK)
        return QN_INTERRUPTED;
      const int64_t last = std::min(draws.count, first + drawsBetweenPolls);
      for (int64_t k = first; k < last; ++k)
        out[k * draws.step] = draw(generator, k);
    }
    return QN_OK;
  });
}

/// The same from blocks of a stream's words, from a generator with positions.
template <typename Word, typename T, typename Draw> int32_t drawFromBlocks(const Draws &draws, Draw draw) {
  T *out = static_cast<T *>(draws.out);
  Stream<Word> stream(draws.state, 0);
  for (int64_t first = 0; first < draws.count; first += drawsBetweenPolls) {
    if (first && draws.context->poll() != QN_OK)
      return QN_INTERRUPTED;
    const int64_t last = std::min(draws.count, first + drawsBetweenPolls);
    for (int64_t k = first; k < last; ++k)
      out[k * draws.step] = draw(stream, k);
  }
  advanceBy<Word>(draws.state, stream.position());
  return QN_OK;
}

/// Draws that are all alike, by `draw(stream, end, most, out)`: the numbers of those that begin before a position of
/// the stream, of which it says how many there are. By several threads where that is worth it.
template <typename Word, typename T, typename Draw> int32_t drawAlike(const Draws &draws, const Draw &draw) {
  Alike<Word, T, Draw> job(draws.context, draws.state, draws.count, static_cast<T *>(draws.out), draws.step, draw);
  return job.run();
}

/// Changes each number drawn, by several threads: `change(number, k)`.
template <typename T, typename Change> int32_t changeDrawn(const Draws &draws, Change change) {
  struct Data {
    const Draws &draws;
    Change &change;
  } data{draws, change};
  const auto turns = [](void *of, int64_t begin, int64_t end) -> int32_t {
    const auto &[draws, change] = *static_cast<Data *>(of);
    T *out = static_cast<T *>(draws.out);
    for (int64_t k = begin; k < end; ++k)
      out[k * draws.step] = change(out[k * draws.step], k);
    return QN_OK;
  };
  constexpr int64_t worthAThread = 1 << 14;
  return draws.context->parallel_for(draws.context, 0, draws.count, 1, worthAThread, turns, &data);
}

/// The routines that make states of seeds.
int32_t callSeeding(const RoutineCall &call);
/// The routine for parts of uniform numbers whose state is ahead of them.
int32_t callPart(const RoutineCall &call);

/// The functions of the routines.
int32_t drawUniform(const Draws &draws);
int32_t drawAhead(const Draws &draws);
int32_t drawZiggurat(const Draws &draws);
int32_t drawIntegers(const Draws &draws);
int32_t drawPermutation(const Draws &draws);
int32_t drawChoice(const Draws &draws);
int32_t drawBinomial(const Draws &draws);
int32_t drawMultinomial(const Draws &draws);
int32_t drawDirichlet(const Draws &draws);
int32_t drawLegacy(const Draws &draws);

/// Another function has been lent.
void forgetZiggurats();

/// One uniform, standard normal or exponential number, the latter by tables, if there are some by now. False where
/// nothing has been drawn. The states are of six words.
bool drawAtOnce(int32_t routine, const uint64_t *before, uint64_t *after, double &number);

} // namespace quernel::runtime

#endif
