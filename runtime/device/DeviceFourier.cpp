// Fourier transforms by cuFFT.
#include "runtime/device/RoutineWork.h"

using namespace quernel::runtime;

namespace {

/// What cuFFT is asked for: so many points, from lines that have so many elements to such lines.
struct Form {
  bool isReal, givesReal;
  cuda::Direction direction;
  int64_t points, inputs, outputs;
};

Form formOf(int32_t routine, int64_t results) {
  switch (routine) {
  case QN_RFFT_EVEN:
    return {true, false, cuda::forward, 2 * (results - 1), 2 * (results - 1), results};
  case QN_RFFT_ODD:
    return {true, false, cuda::forward, 2 * results - 1, 2 * results - 1, results};
  case QN_IRFFT:
    return {false, true, cuda::inverse, results, results / 2 + 1, results};
  default:
    return {false, false, routine == QN_FFT ? cuda::forward : cuda::inverse, results, results, results};
  }
}

int planType(const Form &form, bool isSingle) {
  if (form.isReal)
    return isSingle ? cuda::realToComplexFloats : cuda::realToComplexDoubles;
  if (form.givesReal)
    return isSingle ? cuda::complexToRealFloats : cuda::complexToRealDoubles;
  return isSingle ? cuda::complexFloats : cuda::complexDoubles;
}

int execute(const Cufft &library, int plan, int type, void *from, void *to, int direction) {
  switch (type) {
  case cuda::complexFloats:
    return library.c2c(plan, from, to, direction);
  case cuda::complexDoubles:
    return library.z2z(plan, from, to, direction);
  case cuda::realToComplexFloats:
    return library.r2c(plan, from, to);
  case cuda::realToComplexDoubles:
    return library.d2z(plan, from, to);
  case cuda::complexToRealFloats:
    return library.c2r(plan, from, to);
  default:
    return library.z2d(plan, from, to);
  }
}

/// Whether lines follow each other without gaps, at an address that cuFFT takes.
bool isPacked(const DeviceMatrices &lines, int64_t size, int64_t count) {
  constexpr uintptr_t boundary = 16;
  return reinterpret_cast<uintptr_t>(lines.data) % boundary == 0 && (lines.row == 1 || size == 1) &&
         (lines.next == size || count == 1);
}

} // namespace

std::optional<int32_t> quernel::runtime::transformOnDevice(RoutineWork &work) {
  const Cufft *library = work.libraries().fourier();
  const int64_t lines = work.batch(), given = work.size(1), results = work.size(2);
  const Form form = formOf(work.routine(), results);
  // No memory holds more; NumPy says what is wrong with a line without points.
  constexpr int64_t most = int64_t(1) << 40;
  if (!library || form.points < 1 || form.points > most)
    return std::nullopt;
  const int32_t type = work.type(), outType = form.givesReal ? realTypeOf(type) : complexTypeOf(type);
  const bool isSingle = realTypeOf(type) == QN_F32;

  // Transforms to real numbers change their input, and only those of complex ones can leave the result in its place.
  const DeviceMatrices out = work.operand(2, outType);
  DeviceMatrices from = work.operand(0);
  if (form.givesReal || (form.isReal && from.data == out.data) || given < form.inputs ||
      !isPacked(from, form.inputs, lines)) {
    RoutineWork::CopyOptions options;
    options.rows = std::min(given, form.inputs);
    if (form.givesReal)
      options.lastReal = form.points % 2 == 0 ? form.points / 2 : 0;
    const DeviceMatrices packed = work.takeMatrices(type, form.inputs, 1);
    work.copy(from, packed, form.inputs, 1, options);
    from = packed;
  }
  const DeviceMatrices to = isPacked(out, form.outputs, lines) ? out : work.takeMatrices(outType, form.outputs, 1);
  const int kind = planType(form, isSingle);
  size_t workBytes = 0;
  const int plan = work.libraries().plan({kind, form.points, lines}, workBytes);
  work.libraries().check(library->setWork(plan, work.takeWork(workBytes)), "cufftSetWorkArea");
  work.libraries().check(execute(*library, plan, kind, from.data, to.data, form.direction), "cufftExec");
  RoutineWork::CopyOptions scaled;
  const DeviceMatrices factors = work.operand(1, realTypeOf(type));
  scaled.factors = {factors.data, factors.type, factors.next};
  work.copy(to, out, form.outputs, 1, scaled);
  return QN_OK;
}
