// The pool, threads and libraries of the process, for Python.
#include "bindings.h"
#include "runtime/Lapack.h"
#include "runtime/Loader.h"
#include "runtime/Pool.h"
#include "runtime/Threads.h"

#include <pybind11/stl.h>

namespace quernel::binding {

namespace py = pybind11;

static py::dict poolInfo() {
  const runtime::PoolStatistics counts = runtime::Pool::shared().statistics();
  py::dict info;
  info["used_bytes"] = counts.usedBytes;
  info["idle_bytes"] = counts.idleBytes;
  info["idle_blocks"] = counts.idleBlocks;
  info["idle_limit"] = counts.idleLimit;
  info["recycled"] = counts.recycled;
  info["fresh"] = counts.fresh;
  return info;
}

static void preload(const std::vector<std::string> &paths) {
  try {
    runtime::preload(paths);
  } catch (const std::runtime_error &error) {
    py::set_error(PyExc_OSError, error.what());
    throw py::error_already_set();
  }
}

void bindProcess(py::module_ &module) {
  module.def(
      "preload", preload, py::arg("paths"),
      "Load libraries that programs need, so that they are found by name. OSError for one that can't be loaded.");
  module.def("default_threads", runtime::defaultThreads, "The threads of a program whose options name no number.");
  module.def(
      "has_lapack", [] { return runtime::findLapack() != nullptr; },
      "Whether programs can call the library that numpy.linalg computes with.");
  module.def("pool_info", poolInfo, "What the pool of output and temporary memory holds, and how often it was of use.");
  module.def(
      "pool_trim", [](size_t keep) { return runtime::Pool::shared().trim(keep); }, py::arg("keep") = 0,
      py::call_guard<py::gil_scoped_release>(), "Free idle memory beyond `keep` bytes; returns the bytes freed.");
}

} // namespace quernel::binding
