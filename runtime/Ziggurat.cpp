// Normal and exponential numbers by the method of the ziggurat: NumPy's, which gives nearly every number after one look
// at tables. The tables are learned from NumPy's functions, which also draw the numbers that take more than that.
#include "runtime/FloatFlags.h"
#include "runtime/RandomDraws.h"
#include <atomic>
#include <cmath>
#include <memory>

using namespace quernel::runtime;

namespace {

/// Where a draw has the number of its layer and its place in it; a normal number's sign is the bit before the place.
template <typename Word, bool isSigned> struct Bits {
  static constexpr int width = 8 * sizeof(Word);
  static constexpr int layer = isSigned ? 0 : width == 64 ? 3 : 1;
  static constexpr int place = width == 64 && !isSigned ? 11 : 9;
  static constexpr int placeBits = width == 32 ? 23 : isSigned ? 52 : 53;

  static constexpr int layerOf(Word draw) { return int(draw >> layer & 0xff); }
  static constexpr Word placeOf(Word draw) { return draw >> place & ((Word(1) << placeBits) - 1); }
  static constexpr Word make(int layerNumber, Word placeNumber) {
    return Word(layerNumber) << layer | placeNumber << place;
  }
};

/// A generator that gives one word, and then what ends any draw soon; it knows how often it was asked.
template <typename Word> struct Question {
  Word first;
  int asked = 0;

  Word next() { return asked++ ? Word(asked % 2) << (8 * sizeof(Word) - 1) : first; }
  uint64_t next64() { return next(); }
  uint32_t next32() { return uint32_t(next()); }
  double nextDouble() { return toDouble(next64()); }
  uint64_t nextRaw() { return next64(); }
};

template <typename Word, typename T, bool isSigned> class Ziggurat {
  using Where = Bits<Word, isSigned>;

public:
  using Function = T (*)(BitGenerator *);

  explicit Ziggurat(Function function) : function(function) {
    for (int layer = 0; layer < 256; ++layer) {
      Word least = 0, most = Word(1) << Where::placeBits; // the first place that isn't taken at once
      while (least < most) {
        const Word middle = least + (most - least) / 2;
        if (ask(layer, middle).second == 1)
          least = middle + 1;
        else
          most = middle;
      }
      limits[layer] = least;
      widths[layer] = least > 1 ? ask(layer, 1).first : 0;
    }
  }

  int64_t operator()(Stream<Word> &stream, int64_t end, int64_t most, T *out) const {
    int64_t done = 0;
    while (done < most && stream.position() < end) {
      int64_t there;
      const Word *words = stream.ready(there);
      const int64_t here = std::min({there, most - done, end - stream.position()});
      int64_t k = 0;
      for (; k < here; ++k) {
        const Word place = Where::placeOf(words[k]);
        const int layer = Where::layerOf(words[k]);
        const T number = T(std::make_signed_t<Word>(place)) * widths[layer];
        if (place >= limits[layer]) [[unlikely]]
          break;
        out[done + k] = isSigned && (words[k] >> 8 & 1) ? -number : number;
      }
      stream.take(k);
      done += k;
      if (k < here) {
        BitGenerator from = over(stream);
        out[done++] = function(&from);
      }
    }
    return done;
  }

  /// One number from a generator that has its state for itself.
  template <typename Generator> T one(Generator &generator) const {
    Generator after = generator;
    const Word word = after.next64(), place = Where::placeOf(word);
    const int layer = Where::layerOf(word);
    if (place >= limits[layer]) [[unlikely]]
      return byFunction(generator);
    generator = after;
    const T number = T(std::make_signed_t<Word>(place)) * widths[layer];
    return isSigned ? std::bit_cast<T>(std::bit_cast<Word>(number) | (word >> 8 & 1) << (8 * sizeof(T) - 1)) : number;
  }

private:
  /// A number that takes more than a look at the tables. Out of line, so that the others don't pay for its calls.
  template <typename Generator> [[gnu::noinline, gnu::cold]] T byFunction(Generator &generator) const {
    const FlagsKept flags;
    BitGenerator from = over(generator);
    return function(&from);
  }

  /// The number that a layer and a place give, and how many words that took.
  std::pair<T, int> ask(int layer, Word place) const {
    Question<Word> question{Where::make(layer, place)};
    BitGenerator from = over(question);
    const T number = function(&from);
    return {number, question.asked};
  }

  Function function;
  std::array<T, 256> widths;
  std::array<Word, 256> limits;
};

/// The tables of a routine's function, learned when somebody first draws many.
template <int32_t routine, typename Word, typename T, bool isSigned> struct Tables {
  using Table = Ziggurat<Word, T, isSigned>;
  static constexpr int singlesBeforeTables = 4096;
  static inline std::atomic<const Table *> known = nullptr;
  static inline std::atomic<int> singles = 0;

  static const Table &get() {
    const Table *found = known.load(std::memory_order_acquire);
    if (found)
      return *found;
    auto made = std::make_unique<const Table>(reinterpret_cast<Table::Function>(lentDistribution(routine)));
    return known.compare_exchange_strong(found, made.get()) ? *made.release() : *found;
  }

  /// The tables, if so many numbers have been drawn one by one that they are worth their making, a millisecond.
  static const Table *forSingles() {
    const Table *found = known.load(std::memory_order_acquire);
    if (!found && ++singles >= singlesBeforeTables && lentDistribution(routine)) [[unlikely]]
      found = &get();
    return found;
  }

  /// Draws standard numbers.
  static int32_t draw(const Draws &draws) {
    const auto function = reinterpret_cast<Table::Function>(lentDistribution(routine));
    if (!function)
      return QN_NO_DISTRIBUTION;
    if (draws.areMany())
      return drawAlike<Word, T>(draws, get());
    return drawInTurn<T>(draws, [&](auto &generator, int64_t) {
      BitGenerator from = over(generator);
      return function(&from);
    });
  }
};

using Normal = Tables<QN_STANDARD_NORMAL, uint64_t, double, true>;
using NormalFloats = Tables<QN_STANDARD_NORMAL_FLOATS, uint32_t, float, true>;
using Exponential = Tables<QN_STANDARD_EXPONENTIAL, uint64_t, double, false>;
using ExponentialFloats = Tables<QN_STANDARD_EXPONENTIAL_FLOATS, uint32_t, float, false>;

/// Draws standard numbers, and has each become `change(number, k)`.
template <typename Standard, typename Change> int32_t drawChanged(const Draws &draws, Change change) {
  const int32_t code = Standard::draw(draws);
  return code == QN_OK ? changeDrawn<double>(draws, change) : code;
}

} // namespace

void quernel::runtime::forgetZiggurats() {
  Normal::known = nullptr;
  NormalFloats::known = nullptr;
  Exponential::known = nullptr;
  ExponentialFloats::known = nullptr;
}

int32_t quernel::runtime::drawZiggurat(const Draws &draws) {
  const auto normal = [&](double x, int64_t k) { return draws.at<double>(0, k) + draws.at<double>(1, k) * x; };
  switch (draws.routine) {
  case QN_STANDARD_NORMAL:
    return Normal::draw(draws);
  case QN_STANDARD_NORMAL_FLOATS:
    return NormalFloats::draw(draws);
  case QN_STANDARD_EXPONENTIAL:
    return Exponential::draw(draws);
  case QN_STANDARD_EXPONENTIAL_FLOATS:
    return ExponentialFloats::draw(draws);
  case QN_NORMAL:
    return drawChanged<Normal>(draws, normal);
  case QN_LOGNORMAL:
    return drawChanged<Normal>(draws, [&](double x, int64_t k) { return std::exp(normal(x, k)); });
  case QN_EXPONENTIAL:
    return drawChanged<Exponential>(draws, [&](double x, int64_t k) { return draws.at<double>(0, k) * x; });
  default: // QN_RAYLEIGH
    return drawChanged<Exponential>(draws,
                                    [&](double x, int64_t k) { return draws.at<double>(0, k) * std::sqrt(2.0 * x); });
  }
}

/// One draw from a generator, each in a function of its own: a call has few instructions beside those of its draw.
template <typename Generator> struct Single {
  [[gnu::noinline]] static bool uniform(const uint64_t *before, uint64_t *after, double &number) {
    return draw(before, after, number, [](Generator &generator) { return generator.nextDouble(); });
  }

  template <typename Standard>
  [[gnu::noinline]] static bool byTables(const uint64_t *before, uint64_t *after, double &number) {
    const auto *tables = Standard::forSingles();
    return tables && draw(before, after, number, [&](Generator &generator) { return tables->one(generator); });
  }

  static bool any(int32_t routine, const uint64_t *before, uint64_t *after, double &number) {
    switch (routine) {
    case QN_RANDOM:
      return uniform(before, after, number);
    case QN_STANDARD_NORMAL:
      return byTables<Normal>(before, after, number);
    case QN_STANDARD_EXPONENTIAL:
      return byTables<Exponential>(before, after, number);
    default:
      return false;
    }
  }

private:
  template <typename By> static bool draw(const uint64_t *before, uint64_t *after, double &number, By by) {
    Generator generator(const_cast<uint64_t *>(before)); // which is only read
    number = by(generator);
    generator.store(after);
    return true;
  }
};

bool quernel::runtime::drawAtOnce(int32_t routine, const uint64_t *before, uint64_t *after, double &number) {
  switch (StreamKind(before[0])) {
  case StreamKind::pcg64:
    return Single<Pcg64>::any(routine, before, after, number);
  case StreamKind::pcg64dxsm:
    return Single<Pcg64Dxsm>::any(routine, before, after, number);
  case StreamKind::sfc64:
    return Single<Sfc64>::any(routine, before, after, number);
  default:
    return false;
  }
}
