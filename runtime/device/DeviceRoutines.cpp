#include "runtime/device/DeviceRoutines.h"
#include "runtime/device/RoutineWork.h"
#include <span>

using namespace quernel::runtime;

namespace {

/// A routine that a library of the device has, for elements that are floats or complex numbers of them.
struct Row {
  int32_t routine;
  std::optional<int32_t> (*compute)(RoutineWork &work);
};

constexpr Row rows[] = {
    {QN_MATMUL, multiplyOnDevice},
    {QN_SOLVE, solveOnDevice},
    {QN_INV, invertOnDevice},
    {QN_CHOLESKY, choleskyOnDevice},
    {QN_EIGH, eighOnDevice},
    {QN_EIGVALSH, symmetricEigenvaluesOnDevice},
    {QN_EIG, eigOnDevice},
    {QN_EIGVALS, eigenvaluesOnDevice},
    {QN_DET, determinantsOnDevice},
    {QN_SLOGDET, signsAndLogarithmsOnDevice},
    {QN_LU, factorizeOnDevice},
    {QN_SOLVE_LOWER, solveLowerOnDevice},
    {QN_SOLVE_UPPER, solveUpperOnDevice},
    {QN_QR, qrOnDevice},
    {QN_QR_COMPLETE, qrCompleteOnDevice},
    {QN_QR_R, qrTriangleOnDevice},
    {QN_SVD, svdOnDevice},
    {QN_SVD_FULL, svdFullOnDevice},
    {QN_SVDVALS, singularValuesOnDevice},
    {QN_FFT, transformOnDevice},
    {QN_IFFT, transformOnDevice},
    {QN_RFFT_EVEN, transformOnDevice},
    {QN_RFFT_ODD, transformOnDevice},
    {QN_IRFFT, transformOnDevice},
};

const Row *find(int32_t routine, int32_t type) {
  const auto row = std::ranges::find(rows, routine, &Row::routine);
  return row != std::end(rows) && type >= QN_F32 && type <= QN_C128 ? row : nullptr;
}

} // namespace

std::optional<int32_t> quernel::runtime::callOnDevice(Device &device, Kernels &kernels, const RoutineCall &call) {
  const Row *row = find(call.routine, call.type);
  if (!row || !kernels.forRoutines().areThere())
    return std::nullopt;
  if (const int32_t code = call.context->poll(); code != QN_OK)
    return code;
  if (call.sizes[0] == 0)
    return QN_OK;
  std::lock_guard lock(device.libraries().mutex);
  RoutineWork work(device, kernels, call);
  return row->compute(work);
}
