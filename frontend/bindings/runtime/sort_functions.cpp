// NumPy's own functions for sorting elements of one dtype, lent to the runtime.
#include "bindings.h"
#include "entering.h"
#include "numpy_api.h"
#include "runtime/Sorting.h"
#include <algorithm>

namespace quernel::binding {

/// In the order of abi.h.
static constexpr int typeNumbers[] = {NPY_FLOAT32, NPY_FLOAT64, NPY_COMPLEX64, NPY_COMPLEX128, NPY_BOOL,
                                      NPY_INT8,    NPY_UINT8,   NPY_INT16,     NPY_UINT16,     NPY_INT32,
                                      NPY_UINT32,  NPY_INT64,   NPY_UINT64,    NPY_FLOAT16};
static_assert(std::size(typeNumbers) == QN_TYPES);
static_assert(sizeof(npy_intp) == sizeof(intptr_t));

/// Runs with Python's lock, which the thread may have or not.
template <typename Body> static auto withLock(Body body) {
  if (Entering::withLock())
    return body();
  const PyGILState_STATE state = inPython([] { return PyGILState_Ensure(); });
  auto result = body();
  PyGILState_Release(state);
  return result;
}

static PyObject *arrayOver(void *elements, intptr_t count, int type) {
  const npy_intp size = count;
  return PyArray_SimpleNewFromData(1, &size, type, elements);
}

/// NumPy's own partition of a row.
static bool partition(int32_t type, void *elements, intptr_t *places, intptr_t count, const int64_t *positions,
                      intptr_t wanted) {
  return withLock([&] {
    PyObject *row = arrayOver(elements, count, typeNumbers[type]),
             *kth = arrayOver(const_cast<int64_t *>(positions), wanted, NPY_INT64), *order = nullptr;
    bool done = row && kth;
    auto *array = reinterpret_cast<PyArrayObject *>(row), *places_ = reinterpret_cast<PyArrayObject *>(kth);
    if (done && !places)
      done = PyArray_Partition(array, places_, 0, NPY_INTROSELECT) == 0;
    else if (done)
      done = (order = PyArray_ArgPartition(array, places_, 0, NPY_INTROSELECT)) != nullptr;
    if (order)
      std::copy_n(static_cast<intptr_t *>(PyArray_DATA(reinterpret_cast<PyArrayObject *>(order))), count, places);
    Py_XDECREF(order);
    Py_XDECREF(kth);
    Py_XDECREF(row);
    if (!done)
      PyErr_Clear();
    return done;
  });
}

void lendSorts() {
  runtime::lendPartition(partition);
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
