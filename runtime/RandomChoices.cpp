// Orders, samples, and draws that are each of several numbers.
#include "runtime/RandomDraws.h"
#include "runtime/RandomIntegers.h"
#include <cmath>
#include <numeric>

using namespace quernel::runtime;

namespace {

/// Exchanges that are drawn at once, so that memory comes meanwhile.
constexpr int64_t exchangesAtOnce = 64;

/// Exchanges each of the elements from the last down to the one of number `least`, which isn't 0, with one before it or
/// itself, of the number that `draw` gives for its own.
template <typename Draw>
int32_t shuffle(const qn_context *context, int64_t *elements, int64_t step, int64_t count, int64_t least, Draw draw) {
  int64_t partners[exchangesAtOnce];
  for (int64_t last = count - 1, block = 1; last >= least; last -= exchangesAtOnce, ++block) {
    if (block % exchangesAtOnce == 0 && context->poll() != QN_OK)
      return QN_INTERRUPTED;
    const int64_t here = std::min(exchangesAtOnce, last - least + 1);
    for (int64_t k = 0; k < here; ++k) {
      partners[k] = int64_t(draw(uint64_t(last - k))) * step;
      __builtin_prefetch(elements + partners[k], 1);
    }
    for (int64_t k = 0; k < here; ++k)
      std::swap(elements[(last - k) * step], elements[partners[k]]);
  }
  return QN_OK;
}

/// Robert Floyd's sample: for each number before `population` one up to it that isn't there yet, or the number itself.
template <typename Generator>
int32_t sampleByHashes(const Draws &draws, Generator &generator, int64_t *out, int64_t population) {
  constexpr uint64_t nothing = ~uint64_t(0);
  const uint64_t mask = maskOf(uint64_t(1.2 * double(draws.count)));
  Scratch scratch;
  uint64_t *taken = scratch.take<uint64_t>(int64_t(mask) + 1);
  if (scratch.out())
    return QN_OUT_OF_MEMORY;
  std::fill_n(taken, mask + 1, nothing);
  const auto placeOf = [&](uint64_t number) {
    uint64_t place = number & mask;
    while (taken[place] != nothing && taken[place] != number)
      place = (place + 1) & mask;
    return place;
  };
  for (int64_t k = 0; k < draws.count; ++k) {
    if (k % drawsBetweenPolls == drawsBetweenPolls - 1 && draws.context->poll() != QN_OK)
      return QN_INTERRUPTED;
    const auto last = uint64_t(population - draws.count + k);
    uint64_t number = boundedWord(generator, last), place = placeOf(number);
    if (taken[place] != nothing) {
      number = last;
      place = placeOf(number);
    }
    taken[place] = number;
    out[k * draws.step] = int64_t(number);
  }
  return QN_OK;
}

/// The last of all numbers below `population` after these have been exchanged.
template <typename Draw> int32_t sampleTail(const Draws &draws, int64_t *out, int64_t population, Draw draw) {
  Scratch scratch;
  int64_t *all = scratch.take<int64_t>(population);
  if (scratch.out())
    return QN_OUT_OF_MEMORY;
  std::iota(all, all + population, int64_t(0));
  const int64_t least = std::max<int64_t>(population - draws.count, 1);
  const int32_t code = shuffle(draws.context, all, 1, population, least, draw);
  for (int64_t k = 0; k < draws.count; ++k)
    out[k * draws.step] = all[population - draws.count + k];
  return code;
}

/// A draw of a binomial distribution by what is lent, with memory of its own.
struct BinomialDraw {
  Binomial function = reinterpret_cast<Binomial>(lentDistribution(QN_BINOMIAL));
  BinomialMemory memory;

  template <typename Generator> int64_t operator()(Generator &generator, int64_t n, double p) {
    BitGenerator from = over(generator);
    return function(&from, p, n, &memory);
  }
};

} // namespace

int32_t quernel::runtime::drawPermutation(const Draws &draws) {
  auto *out = static_cast<int64_t *>(draws.out);
  for (int64_t k = 0; k < draws.count; ++k)
    out[k * draws.step] = k;
  return withGenerator(draws.state, [&](auto &generator) {
    return shuffle(draws.context, out, draws.step, draws.count, 1,
                   [&](uint64_t last) { return interval(generator, last); });
  });
}

int32_t quernel::runtime::drawChoice(const Draws &draws) {
  auto *out = static_cast<int64_t *>(draws.out);
  const auto population = draws.at<int64_t>(0, 0);
  const bool isInOrder = draws.at<int64_t>(1, 0) == 0;
  const int64_t cutoff = isInOrder ? 20 : 50;
  return withGenerator(draws.state, [&](auto &generator) {
    const auto draw = [&](uint64_t last) { return boundedWord(generator, last); };
    if (population > 10000 && draws.count > population / cutoff)
      return sampleTail(draws, out, population, draw);
    const int32_t code = sampleByHashes(draws, generator, out, population);
    if (code != QN_OK || isInOrder)
      return code;
    return shuffle(draws.context, out, draws.step, draws.count, 1, draw);
  });
}

int32_t quernel::runtime::drawBinomial(const Draws &draws) {
  if (!lentDistribution(QN_BINOMIAL))
    return QN_NO_DISTRIBUTION;
  const auto one = [draw = BinomialDraw(), &draws](auto &generator, int64_t k) mutable {
    return draw(generator, draws.at<int64_t>(0, k), draws.at<double>(1, k));
  };
  if (!draws.areMany())
    return drawInTurn<int64_t>(draws, one);
  if (!draws.areForAll())
    return drawFromBlocks<uint64_t, int64_t>(draws, one);
  const auto n = draws.at<int64_t>(0, 0);
  const auto p = draws.at<double>(1, 0);
  return drawAlike<uint64_t, int64_t>(draws, [n, p](Stream<uint64_t> &stream, int64_t end, int64_t most, int64_t *out) {
    BinomialDraw draw;
    int64_t done = 0;
    for (; done < most && stream.position() < end; ++done)
      out[done] = draw(stream, n, p);
    return done;
  });
}

int32_t quernel::runtime::drawMultinomial(const Draws &draws) {
  if (!lentDistribution(QN_BINOMIAL))
    return QN_NO_DISTRIBUTION;
  BinomialDraw draw;
  auto *out = static_cast<int64_t *>(draws.out);
  return withGenerator(draws.state, [&](auto &generator) -> int32_t {
    for (int64_t k = 0; k < draws.count; ++k) {
      if (k && draws.context->poll() != QN_OK)
        return QN_INTERRUPTED;
      int64_t left = draws.at<int64_t>(0, k);
      double probability = 1;
      for (int64_t category = 0; category < draws.categories; ++category) {
        int64_t &found = out[k * draws.step + category * draws.categoryStep];
        const bool isLast = category == draws.categories - 1;
        const auto p = draws.at<double>(1, category);
        found = left <= 0 ? 0 : isLast ? left : draw(generator, left, p / probability);
        left -= found;
        probability -= p;
      }
    }
    return QN_OK;
  });
}

namespace {

/// One draw of a Dirichlet distribution whose parameters are all small: shares of what is left, by beta numbers.
template <typename Put> void breakStick(const Draws &draws, BitGenerator *from, const double *sums, Put put) {
  const auto beta = reinterpret_cast<double (*)(BitGenerator *, double, double)>(lentDistribution(QN_BETA));
  double left = 1;
  for (int64_t k = 0; k < draws.categories; ++k)
    put(k, 0.0);
  for (int64_t k = 0; k < draws.categories - 1; ++k) {
    const double share = beta(from, draws.at<double>(0, k), sums[k + 1]);
    put(k, left * share);
    left *= 1 - share;
    if (sums[k + 1] == 0)
      break;
  }
  put(draws.categories - 1, left);
}

} // namespace

int32_t quernel::runtime::drawDirichlet(const Draws &draws) {
  if (!lentDistribution(QN_BETA) || !lentDistribution(QN_STANDARD_GAMMA))
    return QN_NO_DISTRIBUTION;
  const auto gamma = reinterpret_cast<double (*)(BitGenerator *, double)>(lentDistribution(QN_STANDARD_GAMMA));
  const int64_t categories = draws.categories;
  Scratch scratch;
  double *sums = scratch.take<double>(categories);
  if (scratch.out())
    return QN_OUT_OF_MEMORY;
  double sum = 0;
  bool areSmall = categories > 0;
  for (int64_t k = categories - 1; k >= 0; --k) {
    sums[k] = sum += draws.at<double>(0, k);
    areSmall &= draws.at<double>(0, k) < 0.1;
  }
  return withGenerator(draws.state, [&](auto &generator) -> int32_t {
    BitGenerator from = over(generator);
    for (int64_t k = 0; k < draws.count; ++k) {
      if (k && draws.context->poll() != QN_OK)
        return QN_INTERRUPTED;
      double *row = static_cast<double *>(draws.out) + k * draws.step;
      const auto at = [&](int64_t category) -> double & { return row[category * draws.categoryStep]; };
      if (areSmall && sum > 0) {
        breakStick(draws, &from, sums, [&](int64_t category, double share) { at(category) = share; });
        continue;
      }
      double total = 0;
      for (int64_t category = 0; category < categories; ++category)
        total += at(category) = areSmall ? 0 : gamma(&from, draws.at<double>(0, category));
      const double inverse = areSmall ? 0 : 1 / total;
      for (int64_t category = 0; category < categories; ++category)
        at(category) *= inverse;
    }
    return QN_OK;
  });
}
