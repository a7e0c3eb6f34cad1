// What `own_functions.py` calls.
#include <quernel.h>

// An array knows its sizes; `x[i]` is the element at a place in memory, `a(i, j)` the one at an index.
void add(qn::array<const double, 1> x, qn::array<const double, 1> y, qn::array<double, 1> sum) {
  for (int64_t i = 0; i < x.size(); ++i)
    sum[i] = x[i] + y[i];
}

// Rows are shared by the threads of the runtime. A status that isn't 0 is an exception in Python.
int product(const qn::context &context, qn::array<const double, 2> a, qn::array<const double, 1> x,
            qn::array<double, 1> result) {
  return qn::parallel_for(context, 0, a.size(0), 64, [&](int64_t i) {
    double total = 0;
    for (int64_t j = 0; j < a.size(1); ++j)
      total += a(i, j) * x[j];
    result[i] = total;
  });
}
