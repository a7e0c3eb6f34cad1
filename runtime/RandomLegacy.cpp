// The distributions of a RandomState, which stay as they have always been: normal numbers come in pairs by the polar
// method, and most others of them and of logarithms.
#include "runtime/RandomDraws.h"
#include <cmath>
#include <utility>

using namespace quernel::runtime;

namespace {

constexpr double pi = 3.14159265358979323846;

/// A function that a routine is lent, or nothing.
template <typename Function> Function lentAs(int32_t routine) {
  return reinterpret_cast<Function>(lentDistribution(routine));
}

class Legacy {
public:
  Legacy(Mt19937 &words, uint64_t *left) : words(words), left(left) {}

  double uniform() { return words.nextDouble(); }

  double gauss() {
    if (left[0]) {
      left[0] = 0;
      return std::bit_cast<double>(std::exchange(left[1], 0));
    }
    double x, y, square;
    do {
      x = 2.0 * uniform() - 1.0;
      y = 2.0 * uniform() - 1.0;
      square = x * x + y * y;
    } while (square >= 1.0 || square == 0.0);
    const double factor = std::sqrt(-2.0 * std::log(square) / square);
    left[0] = 1;
    left[1] = std::bit_cast<uint64_t>(factor * x);
    return factor * y;
  }

  double exponential() { return -std::log(1.0 - uniform()); }

  double gamma(double shape) {
    if (shape == 1.0)
      return exponential();
    if (shape == 0.0)
      return 0.0;
    return shape < 1.0 ? smallGamma(shape) : largeGamma(shape);
  }

  double chisquare(double freedom) { return 2.0 * gamma(freedom / 2.0); }

  double noncentralChisquare(double freedom, double noncentrality) {
    if (noncentrality == 0)
      return chisquare(freedom);
    if (1 < freedom) {
      const double square = chisquare(freedom - 1), normal = gauss() + std::sqrt(noncentrality);
      return square + normal * normal;
    }
    const int64_t more = poisson(noncentrality / 2.0);
    const double found = chisquare(freedom + double(2 * more));
    return std::isnan(noncentrality) ? NAN : found;
  }

  double beta(double a, double b) {
    if (a <= 1.0 && b <= 1.0)
      return smallBeta(a, b);
    const double first = gamma(a), second = gamma(b);
    return first / (first + second);
  }

  double wald(double mean, double scale) {
    const double half = mean / (2 * scale);
    double y = gauss();
    y = mean * y * y;
    const double x = mean + half * (y - std::sqrt(4 * scale * y + y * y));
    return uniform() <= mean / (mean + x) ? x : mean * mean / x;
  }

  double vonmises(double mu, double kappa);

  int64_t poisson(double mean) {
    BitGenerator from = over(words);
    return lentAs<int64_t (*)(BitGenerator *, double)>(QN_POISSON)(&from, mean);
  }
  int64_t binomial(int64_t n, double p);
  int64_t logseries(double p);
  int64_t geometric(double p);
  int64_t zipf(double a);
  int64_t hypergeometric(int64_t good, int64_t bad, int64_t sample);

private:
  double smallGamma(double shape);
  double largeGamma(double shape);
  double smallBeta(double a, double b);
  int64_t fewOf(int64_t n, double p);
  int64_t fewDrawn(int64_t good, int64_t bad, int64_t sample);
  int64_t manyDrawn(int64_t good, int64_t bad, int64_t sample);

  Mt19937 &words;
  uint64_t *left; ///< whether a normal number is left of a pair, and which
  BinomialMemory memory;
};

double Legacy::smallGamma(double shape) {
  for (;;) {
    const double u = uniform(), v = exponential();
    if (u <= 1.0 - shape) {
      const double x = std::pow(u, 1. / shape);
      if (x <= v)
        return x;
    } else {
      const double y = -std::log((1 - u) / shape), x = std::pow(1.0 - shape + shape * y, 1. / shape);
      if (x <= v + y)
        return x;
    }
  }
}

double Legacy::largeGamma(double shape) {
  const double b = shape - 1. / 3., c = 1. / std::sqrt(9 * b);
  for (;;) {
    double x, v;
    do {
      x = gauss();
      v = 1.0 + c * x;
    } while (v <= 0.0);
    v = v * v * v;
    const double u = uniform();
    if (u < 1.0 - 0.0331 * (x * x) * (x * x) || std::log(u) < 0.5 * x * x + b * (1. - v + std::log(v)))
      return b * v;
  }
}

/// Jöhnk's algorithm.
double Legacy::smallBeta(double a, double b) {
  for (;;) {
    const double u = uniform(), v = uniform(), x = std::pow(u, 1.0 / a), y = std::pow(v, 1.0 / b);
    if (!(x + y <= 1.0))
      continue;
    if (x + y > 0)
      return x / (x + y);
    double logX = std::log(u) / a, logY = std::log(v) / b;
    const double most = logX > logY ? logX : logY;
    logX -= most;
    logY -= most;
    return std::exp(logX - std::log(std::exp(logX) + std::exp(logY)));
  }
}

double Legacy::vonmises(double mu, double kappa) {
  if (std::isnan(kappa))
    return NAN;
  if (kappa < 1e-8)
    return pi * (2 * uniform() - 1);
  double s = 1. / kappa + kappa;
  if (kappa >= 1e-5) {
    const double r = 1 + std::sqrt(1 + 4 * kappa * kappa), rho = (r - std::sqrt(2 * r)) / (2 * kappa);
    s = (1 + rho * rho) / (2 * rho);
  }
  double w;
  for (;;) {
    const double z = std::cos(pi * uniform());
    w = (1 + s * z) / (s + z);
    const double y = kappa * (s - w), v = uniform();
    if (y * (2 - y) - v >= 0 || std::log(y / v) + 1 - y >= 0)
      break;
  }
  double angle = std::acos(w);
  if (uniform() < 0.5)
    angle = -angle;
  angle += mu;
  const double turned = std::fmod(std::fabs(angle) + pi, 2 * pi) - pi;
  return angle < 0 ? turned * -1 : turned;
}

/// A binomial number of a small mean, by inversion.
int64_t Legacy::fewOf(int64_t n, double p) {
  const double q = 1.0 - p, first = std::exp(double(n) * std::log(q)), mean = double(n) * p;
  const double most = mean + 10.0 * std::sqrt(mean * q + 1);
  const auto bound = int64_t(double(n) < most ? double(n) : most);
  int64_t found = 0;
  double probability = first, u = uniform();
  while (u > probability) {
    if (++found > bound) {
      found = 0;
      probability = first;
      u = uniform();
    } else {
      u -= probability;
      probability = double(n - found + 1) * p * probability / (double(found) * q);
    }
  }
  return found;
}

int64_t Legacy::binomial(int64_t n, double p) {
  const bool isTurned = !(p <= 0.5);
  const double less = isTurned ? 1.0 - p : p;
  BitGenerator from = over(words);
  const int64_t found =
      less * double(n) <= 30.0 ? fewOf(n, less) : lentAs<ManyBinomial>(QN_LEGACY_BINOMIAL)(&from, n, less, &memory);
  return isTurned ? n - found : found;
}

int64_t Legacy::logseries(double p) {
  const double r = std::log(1.0 - p);
  for (;;) {
    const double v = uniform();
    if (v >= p)
      return 1;
    const double u = uniform(), q = 1.0 - std::exp(r * u);
    if (v <= q * q) {
      const auto found = int64_t(std::floor(1 + std::log(v) / std::log(q)));
      if (found < 1 || v == 0.0)
        continue;
      return found;
    }
    return v >= q ? 1 : 2;
  }
}

int64_t Legacy::geometric(double p) {
  if (!(p >= 0.333333333333333333333333))
    return int64_t(std::ceil(std::log1p(-uniform()) / std::log(1 - p)));
  const double u = uniform();
  int64_t found = 1;
  for (double sum = p, product = p; u > sum; ++found) {
    product *= 1.0 - p;
    sum += product;
  }
  return found;
}

int64_t Legacy::zipf(double a) {
  const double less = a - 1.0, b = std::pow(2.0, less);
  for (;;) {
    const double u = 1.0 - uniform(), v = uniform(), x = std::floor(std::pow(u, -1.0 / less));
    if (x > double(INT64_MAX) || x < 1.0)
      continue;
    const double t = std::pow(1.0 + 1.0 / x, less);
    if (v * x * (t - 1.0) / (b - 1.0) <= t / b)
      return int64_t(x);
  }
}

/// The logarithm of the gamma function as NumPy has it: by Zhang and Jin, Computation of Special Functions, 1996.
double logGamma(double x) {
  constexpr double a[] = {8.333333333333333e-02, -2.777777777777778e-03, 7.936507936507937e-04, -5.952380952380952e-04,
                          8.417508417508418e-04, -1.917526917526918e-03, 6.410256410256410e-03, -2.955065359477124e-02,
                          1.796443723688307e-01, -1.39243221690590e+00};
  if (x == 1.0 || x == 2.0)
    return 0.0;
  const int64_t n = x < 7.0 ? int64_t(7 - x) : 0;
  double x0 = x + double(n), sum = a[9];
  const double square = (1.0 / x0) * (1.0 / x0), logOfTwoPi = 1.8378770664093453;
  for (int k = 8; k >= 0; --k) {
    sum *= square;
    sum += a[k];
  }
  double found = sum / x0 + 0.5 * logOfTwoPi + (x0 - 0.5) * std::log(x0) - x0;
  for (int64_t k = 1; k <= n; ++k) {
    found -= std::log(x0 - 1.0);
    x0 -= 1.0;
  }
  return found;
}

int64_t Legacy::fewDrawn(int64_t good, int64_t bad, int64_t sample) {
  const int64_t others = bad + good - sample;
  const auto least = double(std::min(bad, good));
  double left = least;
  for (int64_t k = sample; left > 0.0;) {
    const double u = uniform();
    left -= double(int64_t(std::floor(u + left / double(others + k))));
    if (--k == 0)
      break;
  }
  const auto found = int64_t(least - left);
  return good > bad ? sample - found : found;
}

/// The algorithm HRUA* of Ernst Stadlober, with Ivan Frohne's corrections.
int64_t Legacy::manyDrawn(int64_t good, int64_t bad, int64_t sample) {
  const int64_t least = std::min(good, bad), all = good + bad, most = std::max(good, bad),
                few = std::min(sample, all - sample);
  const double share = double(least) / double(all), rest = 1.0 - share, mean = double(few) * share + 0.5;
  const double deviation = std::sqrt(double(all - few) * double(sample) * share * rest / double(all - 1) + 0.5);
  const double width = 1.7155277699214135 * deviation + 0.8989161620588988;
  const auto mode = int64_t(std::floor(double(few + 1) * double(least + 1) / double(all + 2)));
  const auto height = [&](int64_t k) {
    return logGamma(double(k + 1)) + logGamma(double(least - k + 1)) + logGamma(double(few - k + 1)) +
           logGamma(double(most - few + k + 1));
  };
  const double atMode = height(mode);
  const double byLeast = double(std::min(few, least)) + 1.0, byWidth = std::floor(mean + 16 * deviation);
  const double bound = byLeast < byWidth ? byLeast : byWidth;
  int64_t found;
  for (;;) {
    const double x = uniform(), y = uniform(), w = mean + width * (y - 0.5) / x;
    if (w < 0.0 || w >= bound)
      continue;
    found = int64_t(std::floor(w));
    const double t = atMode - height(found);
    if (x * (4.0 - x) - 3.0 <= t)
      break;
    if (x * (x - t) >= 1)
      continue;
    if (2.0 * std::log(x) <= t)
      break;
  }
  if (good > bad)
    found = few - found;
  return few < sample ? good - found : found;
}

int64_t Legacy::hypergeometric(int64_t good, int64_t bad, int64_t sample) {
  if (sample > 10)
    return manyDrawn(good, bad, sample);
  return sample > 0 ? fewDrawn(good, bad, sample) : 0;
}

/// Draws by a function of a Legacy and of parameters.
template <typename Result, typename... Parameters, typename Draw, size_t... Numbers>
int32_t drawBy(const Draws &draws, Draw draw, std::index_sequence<Numbers...>) {
  auto *out = static_cast<Result *>(draws.out);
  Mt19937 words(draws.state);
  Legacy legacy(words, draws.state + streamWords(StreamKind::mt19937));
  int32_t code = QN_OK;
  for (int64_t k = 0; k < draws.count && code == QN_OK; ++k) {
    out[k * draws.step] = draw(legacy, draws.at<Parameters>(Numbers, k)...);
    if (k % drawsBetweenPolls == drawsBetweenPolls - 1)
      code = draws.context->poll();
  }
  words.store();
  return code;
}

template <typename Result, typename... Parameters>
int32_t drawAll(const Draws &draws, Result (*draw)(Legacy &, Parameters...)) {
  return drawBy<Result, Parameters...>(draws, draw, std::index_sequence_for<Parameters...>());
}

int32_t drawDirichletOf(const Draws &draws) {
  Mt19937 words(draws.state);
  Legacy legacy(words, draws.state + streamWords(StreamKind::mt19937));
  int32_t code = QN_OK;
  for (int64_t k = 0; k < draws.count && code == QN_OK; ++k) {
    double *row = static_cast<double *>(draws.out) + k * draws.step, total = 0;
    for (int64_t category = 0; category < draws.categories; ++category)
      total += row[category * draws.categoryStep] = legacy.gamma(draws.at<double>(0, category));
    const double inverse = 1 / total;
    for (int64_t category = 0; category < draws.categories; ++category)
      row[category * draws.categoryStep] *= inverse;
    code = draws.context->poll();
  }
  words.store();
  return code;
}

} // namespace

int32_t quernel::runtime::drawLegacy(const Draws &draws) {
  using L = Legacy;
  const int32_t routine = draws.routine;
  const bool needsPoisson = routine == QN_LEGACY_NONCENTRAL_CHISQUARE || routine == QN_LEGACY_NONCENTRAL_F ||
                            routine == QN_LEGACY_NEGATIVE_BINOMIAL;
  if ((needsPoisson && !lentDistribution(QN_POISSON)) ||
      (routine == QN_LEGACY_BINOMIAL && !lentDistribution(QN_LEGACY_BINOMIAL)))
    return QN_NO_DISTRIBUTION;
  switch (routine) {
  case QN_LEGACY_STANDARD_NORMAL:
    return drawAll(draws, +[](L &l) { return l.gauss(); });
  case QN_LEGACY_NORMAL:
    return drawAll(draws, +[](L &l, double loc, double scale) { return loc + scale * l.gauss(); });
  case QN_LEGACY_STANDARD_EXPONENTIAL:
    return drawAll(draws, +[](L &l) { return l.exponential(); });
  case QN_LEGACY_EXPONENTIAL:
    return drawAll(draws, +[](L &l, double scale) { return scale * l.exponential(); });
  case QN_LEGACY_STANDARD_GAMMA:
    return drawAll(draws, +[](L &l, double shape) { return l.gamma(shape); });
  case QN_LEGACY_GAMMA:
    return drawAll(draws, +[](L &l, double shape, double scale) { return scale * l.gamma(shape); });
  case QN_LEGACY_BETA:
    return drawAll(draws, +[](L &l, double a, double b) { return l.beta(a, b); });
  case QN_LEGACY_CHISQUARE:
    return drawAll(draws, +[](L &l, double freedom) { return l.chisquare(freedom); });
  case QN_LEGACY_F:
    return drawAll(
        draws, +[](L &l, double above, double below) {
          const double first = l.chisquare(above) * below;
          return first / (l.chisquare(below) * above);
        });
  case QN_LEGACY_STANDARD_CAUCHY:
    return drawAll(
        draws, +[](L &l) {
          const double first = l.gauss();
          return first / l.gauss();
        });
  case QN_LEGACY_PARETO:
    return drawAll(draws, +[](L &l, double a) { return std::exp(l.exponential() / a) - 1; });
  case QN_LEGACY_WEIBULL:
    return drawAll(draws, +[](L &l, double a) { return a == 0.0 ? 0.0 : std::pow(l.exponential(), 1. / a); });
  case QN_LEGACY_POWER:
    return drawAll(draws, +[](L &l, double a) { return std::pow(1 - std::exp(-l.exponential()), 1. / a); });
  case QN_LEGACY_LOGNORMAL:
    return drawAll(draws, +[](L &l, double mean, double sigma) { return std::exp(mean + sigma * l.gauss()); });
  case QN_LEGACY_RAYLEIGH:
    return drawAll(draws, +[](L &l, double mode) { return mode * std::sqrt(-2.0 * std::log1p(-l.uniform())); });
  case QN_LEGACY_STANDARD_T:
    return drawAll(
        draws, +[](L &l, double freedom) {
          const double normal = l.gauss(), gamma = l.gamma(freedom / 2);
          return std::sqrt(freedom / 2) * normal / std::sqrt(gamma);
        });
  case QN_LEGACY_NONCENTRAL_CHISQUARE:
    return drawAll(draws, +[](L &l, double freedom, double by) { return l.noncentralChisquare(freedom, by); });
  case QN_LEGACY_NONCENTRAL_F:
    return drawAll(
        draws, +[](L &l, double above, double below, double by) {
          const double first = l.noncentralChisquare(above, by) * below;
          return first / (l.chisquare(below) * above);
        });
  case QN_LEGACY_WALD:
    return drawAll(draws, +[](L &l, double mean, double scale) { return l.wald(mean, scale); });
  case QN_LEGACY_VONMISES:
    return drawAll(draws, +[](L &l, double mu, double kappa) { return l.vonmises(mu, kappa); });
  case QN_LEGACY_NEGATIVE_BINOMIAL:
    return drawAll(draws, +[](L &l, double n, double p) { return l.poisson((1 - p) / p * l.gamma(n)); });
  case QN_LEGACY_BINOMIAL:
    return drawAll(draws, +[](L &l, int64_t n, double p) { return l.binomial(n, p); });
  case QN_LEGACY_LOGSERIES:
    return drawAll(draws, +[](L &l, double p) { return l.logseries(p); });
  case QN_LEGACY_GEOMETRIC:
    return drawAll(draws, +[](L &l, double p) { return l.geometric(p); });
  case QN_LEGACY_ZIPF:
    return drawAll(draws, +[](L &l, double a) { return l.zipf(a); });
  case QN_LEGACY_HYPERGEOMETRIC:
    return drawAll(
        draws, +[](L &l, int64_t good, int64_t bad, int64_t sample) { return l.hypergeometric(good, bad, sample); });
  default:
    return drawDirichletOf(draws);
  }
}
