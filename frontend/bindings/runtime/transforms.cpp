// NumPy's own Fourier transforms, lent to the runtime.
#include "bindings.h"
#include "numpy_api.h"
#include "runtime/Fourier.h"
#include "runtime/Library.h"
#include <algorithm>
#include <numpy/ufuncobject.h>

namespace py = pybind11;

namespace quernel::binding {

/// In the order of abi.h.
static constexpr int typeNumbers[] = {NPY_FLOAT32, NPY_FLOAT64, NPY_COMPLEX64, NPY_COMPLEX128};
static_assert(sizeof(npy_intp) == sizeof(intptr_t));

/// Lends the loops of one of NumPy's generalised ufuncs (n),()->(m) for the types of its first operand.
static void lendLoops(int32_t routine, const PyUFuncObject *ufunc) {
  if (ufunc->nin != 2 || ufunc->nout != 1)
    return;
  for (int loop = 0; loop < ufunc->ntypes; ++loop) {
    const auto *type = std::ranges::find(typeNumbers, ufunc->types[loop * ufunc->nargs]);
    if (type != std::end(typeNumbers))
      runtime::lendTransform(routine, int32_t(type - typeNumbers),
                             {ufunc->functions[loop], ufunc->data ? const_cast<void *>(ufunc->data[loop]) : nullptr});
  }
}

void lendTransforms() {
  const py::module_ library = py::module_::import("numpy.fft._pocketfft_umath");
  const py::object ufunc = py::module_::import("numpy").attr("ufunc");
  for (int32_t routine = 0; routine < QN_ROUTINES; ++routine) {
    const RoutineRow &row = routineRows[routine];
    if (row.library != Library::fourier)
      continue;
    const py::object function = py::getattr(library, py::str(row.name), py::none());
    if (py::isinstance(function, ufunc))
      lendLoops(routine, reinterpret_cast<const PyUFuncObject *>(function.ptr()));
  }
}

} // namespace quernel::binding
