// The `_runtime` extension module: what a compiled function's calls go through. Small, loaded at import, without LLVM.
#define QUERNEL_IMPORT_NUMPY
#include "bindings.h"
#include "errors.h"
#include "numpy_api.h"
#include "runtime/abi.h"

namespace py = pybind11;
using namespace quernel::binding;

PYBIND11_MODULE(_runtime, module) {
  if (PyArray_ImportNumPyAPI() < 0)
    throw py::error_already_set();
  findArrayTypes();
  module.doc() = "Compiled programs, and the calls that they answer.";
  module.attr("abi_version") = QN_ABI_VERSION;
  bindPrograms(module);
  bindFunction(module);
  bindHandOver(module);
  bindFloatLog(module);
  bindDiskCache(module);
  bindArrangements(module);
  bindProcess(module);
  bindDevices(module);
  bindDeviceStreams(module);
  bindStreams(module);
  bindRandomDraws(module);
  bindDLPack(module);
  lendSorts();
  lendTransforms();
  lendDistributions();
  watchInterrupts();
}
