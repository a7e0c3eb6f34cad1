// NumPy's own functions for sorting elements of one dtype, lent to the runtime.
#include "bindings.h"
#include "numpy_api.h"
#include "runtime/Sorting.h"

namespace quernel::binding {

/// In the order of abi.h.
static constexpr int typeNumbers[] = {NPY_FLOAT32, NPY_FLOAT64, NPY_COMPLEX64, NPY_COMPLEX128, NPY_BOOL,
                                      NPY_INT8,    NPY_UINT8,   NPY_INT16,     NPY_UINT16,     NPY_INT32,
                                      NPY_UINT32,  NPY_INT64,   NPY_UINT64};
static_assert(std::size(typeNumbers) == QN_TYPES);
static_assert(sizeof(npy_intp) == sizeof(intptr_t));

void lendSorts() {
  for (int32_t type = 0; type < QN_TYPES; ++type) {
    PyArray_Descr *dtype = PyArray_DescrFromType(typeNumbers[type]);
    const PyArray_ArrFuncs *functions = PyDataType_GetArrFuncs(dtype);
    for (auto [algorithm, kind] : {std::pair(QN_SORT, NPY_QUICKSORT), std::pair(QN_SORT_STABLE, NPY_STABLESORT)})
      if (functions->sort[kind] && functions->argsort[kind])
        runtime::lendSortFunctions(algorithm, type, {functions->sort[kind], functions->argsort[kind]});
    Py_DECREF(dtype);
  }
}

} // namespace quernel::binding
