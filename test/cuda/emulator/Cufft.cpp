// A stand-in for cuFFT: plans for lines that follow each other, computed by sums, on the emulated device's memory.
#include "LibraryTasks.h"

#include <cmath>
#include <map>
#include <vector>

using namespace emulator;

namespace {

enum Type : int {
  realToComplexFloats = 0x2a,
  complexToRealFloats = 0x2c,
  complexFloats = 0x29,
  realToComplexDoubles = 0x6a,
  complexToRealDoubles = 0x6c,
  complexDoubles = 0x69
};

struct Plan {
  int type = 0;
  int64_t points = 0, lines = 0;
  void *stream = nullptr, *work = nullptr;
  size_t workBytes = 0;
  bool allocates = true;
};

std::map<int, Plan> plans;

Plan *find(int plan) {
  const auto found = plans.find(plan);
  return found == plans.end() ? nullptr : &found->second;
}

using Wide = std::complex<double>;

/// The transform of a line, by halves as long as there are any.
std::vector<Wide> transform(const std::vector<Wide> &x, int direction) {
  const size_t n = x.size();
  std::vector<Wide> out(n);
  if (n % 2 != 0) {
    for (size_t k = 0; k < n; ++k)
      for (size_t j = 0; j < n; ++j)
        out[k] += x[j] * std::polar(1.0, direction * 2 * M_PI * double(j * k % n) / double(n));
    return out;
  }
  std::vector<Wide> even(n / 2), odd(n / 2);
  for (size_t j = 0; j < n / 2; ++j)
    even[j] = x[2 * j], odd[j] = x[2 * j + 1];
  even = transform(even, direction);
  odd = transform(odd, direction);
  for (size_t k = 0; k < n / 2; ++k) {
    const Wide turned = odd[k] * std::polar(1.0, direction * 2 * M_PI * double(k) / double(n));
    out[k] = even[k] + turned;
    out[k + n / 2] = even[k] - turned;
  }
  return out;
}

template <typename In, typename Out>
int execute(const char *name, int handle, int type, void *from, void *to, int direction) {
  LibraryCall call(name);
  const Plan *plan = find(handle);
  call.demand(plan && plan->type == type, "a plan of another type");
  call.demand(direction == 1 || direction == -1, "an unknown direction");
  if (!plan)
    return BadArgument;
  call.demand(reinterpret_cast<uintptr_t>(from) % 16 == 0 && reinterpret_cast<uintptr_t>(to) % 16 == 0,
              "lines at an address that is no multiple of 16");
  call.demand(from != to || (isPair<In> && isPair<Out>), "the result in the place of lines of another size");
  const Plan own = *plan;
  const int64_t n = own.points, half = n / 2 + 1, inputs = isPair<In> && !isPair<Out> ? half : n,
                outputs = isPair<Out> && !isPair<In> ? half : n;
  return call.run(own.stream, [=](const LibraryCall &call) {
    auto *lines = static_cast<In *>(from);
    auto *results = static_cast<Out *>(to);
    if (!call.writes("the work area", static_cast<char *>(own.work), int64_t(own.workBytes)) ||
        !call.reads("the lines", lines, inputs * own.lines) ||
        !call.writes("the results", results, outputs * own.lines))
      return false;
    for (int64_t line = 0; line < own.lines; ++line) {
      const In *x = lines + line * inputs;
      std::vector<Wide> all(n);
      for (int64_t j = 0; j < n; ++j)
        all[j] = j < inputs ? Wide(x[j]) : std::conj(Wide(x[n - j]));
      all = transform(all, direction);
      for (int64_t k = 0; k < outputs; ++k)
        if constexpr (isPair<Out>)
          results[line * outputs + k] = Out(all[k]);
        else
          results[line * outputs + k] = Out(all[k].real());
    }
    // What transforms to real numbers leave of their input is nothing that anybody may rely on.
    if constexpr (!isPair<Out>)
      std::fill_n(lines, inputs * own.lines, In(NAN));
    return true;
  });
}

} // namespace

LIBRARY cufftCreate(int *plan) {
  static int count;
  plans[ *plan = ++count];
  return Done;
}
LIBRARY cufftDestroy(int plan) { return plans.erase(plan) ? Done : BadArgument; }
LIBRARY cufftSetAutoAllocation(int handle, int does) {
  Plan *plan = find(handle);
  if (!plan)
    return BadArgument;
  plan->allocates = does != 0;
  return Done;
}
LIBRARY cufftMakePlanMany64(int handle, int rank, long long *n, long long *ofInput, long long, long long,
                            long long *ofOutput, long long, long long, int type, long long batch, size_t *workBytes) {
  Plan *plan = find(handle);
  if (!plan || plan->allocates || rank != 1 || ofInput || ofOutput || *n < 1 || batch < 1)
    return BadArgument;
  *workBytes = plan->workBytes = size_t(*n) * 16;
  plan->type = type;
  plan->points = *n;
  plan->lines = batch;
  return Done;
}
LIBRARY cufftSetStream(int handle, void *stream) {
  Plan *plan = find(handle);
  if (!plan)
    return BadArgument;
  plan->stream = stream;
  return Done;
}
LIBRARY cufftSetWorkArea(int handle, void *work) {
  Plan *plan = find(handle);
  if (!plan)
    return BadArgument;
  plan->work = work;
  return Done;
}

LIBRARY cufftExecC2C(int plan, std::complex<float> *from, std::complex<float> *to, int direction) {
  return execute<std::complex<float>, std::complex<float>>("cufftExecC2C", plan, complexFloats, from, to, direction);
}
LIBRARY cufftExecZ2Z(int plan, Wide *from, Wide *to, int direction) {
  return execute<Wide, Wide>("cufftExecZ2Z", plan, complexDoubles, from, to, direction);
}
LIBRARY cufftExecR2C(int plan, float *from, std::complex<float> *to) {
  return execute<float, std::complex<float>>("cufftExecR2C", plan, realToComplexFloats, from, to, -1);
}
LIBRARY cufftExecD2Z(int plan, double *from, Wide *to) {
  return execute<double, Wide>("cufftExecD2Z", plan, realToComplexDoubles, from, to, -1);
}
LIBRARY cufftExecC2R(int plan, std::complex<float> *from, float *to) {
  return execute<std::complex<float>, float>("cufftExecC2R", plan, complexToRealFloats, from, to, 1);
}
LIBRARY cufftExecZ2D(int plan, Wide *from, double *to) {
  return execute<Wide, double>("cufftExecZ2D", plan, complexToRealDoubles, from, to, 1);
}
