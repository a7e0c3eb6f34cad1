"""Functions in C++ that the tests of `quernel.load` call."""

import functools

import quernel as qn

AXPY = """
void axpy(double a, qn::array<const double, 1> x, qn::array<const double, 1> y,
          qn::array<double, 1> out) {
  for (int64_t i = 0; i < x.size(); ++i)
    out[i] = a * x[i] + y[i];
}
"""
SIGNATURE = "float64, float64[n], float64[n] -> float64[n]"
MORE = """
double total(qn::array<const double, 1> x) {
  double sum = 0;
  for (double value : x)
    sum += value;
  return sum;
}

void split(qn::array<const int32_t, 2> x, int64_t &rows, qn::array<int32_t, 1> diagonal) {
  rows = x.size(0);
  for (int64_t i = 0; i < x.size(0); ++i)
    diagonal[i] = x(i, i);
}

void pad(qn::array<const float, 1> x, float edge, qn::array<float, 1> out) {
  out[0] = out[out.size() - 1] = edge;
  for (int64_t i = 0; i < x.size(); ++i)
    out[i + 1] = x[i];
}

void add_to(qn::array<double, 1> x, qn::array<const double, 1> y) {
  for (int64_t i = 0; i < x.size(); ++i)
    x[i] += y[i];
}

int root(qn::array<const double, 1> x, qn::array<double, 1> out) {
  for (int64_t i = 0; i < x.size(); ++i) {
    if (x[i] < 0)
      return int(i) + 1;
    out[i] = __builtin_sqrt(x[i]);
  }
  return 0;
}

int rows(const qn::context &context, qn::array<const double, 2> a, qn::array<double, 1> out) {
  return qn::parallel_for(context, 0, a.size(0), 16, [&](int64_t i) {
    out[i] = 0;
    for (int64_t j = 0; j < a.size(1); ++j)
      out[i] += a(i, j);
  });
}

void conjugate(qn::array<const qn::complex<double>, 1> x, qn::array<qn::complex<double>, 1> out) {
  for (int64_t i = 0; i < x.size(); ++i)
    out[i] = {x[i].real, -x[i].imag};
}

void invert(qn::array<const bool, 1> x, uint8_t mask, qn::array<bool, 1> out) {
  for (int64_t i = 0; i < x.size(); ++i)
    out[i] = !x[i] && mask;
}
"""


@functools.lru_cache(maxsize=1)
def loaded_axpy():
    """`axpy`, which many tests call."""
    return qn.load(AXPY, axpy=SIGNATURE)


@functools.lru_cache(maxsize=1)
def loaded_more():
    """One function of each kind."""
    return qn.load(
        MORE,
        total="float64[n] -> float64",
        split="int32[n, n] -> int64, int32[n]",
        pad="float32[n], float32 -> float32[n + 2]",
        add_to="out float64[n], float64[n]",
        root="float64[n] -> float64[n], status",
        rows="context, float64[m, :] -> float64[m], status",
        conjugate="complex128[n] -> complex128[n]",
        invert="bool[n], uint8 -> bool[n]",
    )


def compiled(function):
    """A function of which all is compiled."""
    return qn.compile(function, fullgraph=True)


def inside(function):
    """A compiled function that does nothing but call one."""

    @compiled
    def call(*args):
        return function(*args)

    return call
