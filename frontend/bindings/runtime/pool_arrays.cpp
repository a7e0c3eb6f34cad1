#include "pool_arrays.h"

#include "numpy_api.h"
#include "runtime/Pool.h"

#include <cstring>
#include <utility>

namespace quernel::binding {

using runtime::Pool;

namespace {

/// What the next array of this thread is made of; null for new memory.
thread_local void **handed = nullptr;

void *allocate(void *, size_t bytes) {
  if (!handed)
    return Pool::shared().allocate(bytes);
  void **address = std::exchange(handed, nullptr);
  return std::exchange(*address, nullptr);
}

void *allocateZeroed(void *context, size_t count, size_t itemBytes) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, itemBytes, &bytes))
    return nullptr;
  void *memory = allocate(context, bytes);
  return memory ? std::memset(memory, 0, bytes) : nullptr;
}

void *reallocate(void *, void *memory, size_t bytes) { return Pool::shared().reallocate(memory, bytes); }

void release(void *, void *memory, size_t) { Pool::shared().release(memory); }

PyObject *handlerCapsule() {
  static PyDataMem_Handler handler = {"quernel_pool", 1, {nullptr, allocate, allocateZeroed, reallocate, release}};
  // NumPy looks capsules up by this name. Arrays hold the capsule; this reference keeps it for the process.
  static PyObject *const capsule = PyCapsule_New(&handler, "mem_handler", nullptr);
  return capsule;
}

} // namespace

HandedMemory::HandedMemory(void *&address) { handed = &address; }

HandedMemory::~HandedMemory() { handed = nullptr; }

PoolArrays::PoolArrays() : previous(PyDataMem_SetHandler(handlerCapsule())) {}

PoolArrays::~PoolArrays() {
  if (!previous)
    return;
  // Putting the handler back must not hide the error of an allocation that failed.
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  Py_XDECREF(PyDataMem_SetHandler(previous));
  Py_DECREF(previous);
  PyErr_Restore(type, value, trace);
}

} // namespace quernel::binding
