// The pool, threads and libraries of the process, for Python.
#include "bindings.h"
#include "frontend/bindings/python_lock.h"
#include "runtime/Lapack.h"
#include "runtime/Loader.h"
#include "runtime/Pool.h"
#include "runtime/Processor.h"
#include "runtime/Sections.h"
#include "runtime/Threads.h"
#include "runtime/VectorMath.h"
#include "runtime/WarmUp.h"

#include <pybind11/stl.h>

namespace quernel::binding {

namespace py = pybind11;

/// Longer than almost every compile; after that a process is forked all the same, and its child can't compile.
static constexpr std::chrono::seconds forkPatience(10);

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

static std::string hostTarget() {
  std::string name(runtime::processorLevel());
  return runtime::hasVectorMath() ? name.append(runtime::vectorMathFeature) : name;
}

/// The targets whose programs this process can run, the best one first.
static std::vector<std::string> usableTargets() {
  std::vector<std::string> targets;
  for (std::string_view level : runtime::processorLevels) {
    targets.emplace(targets.begin(), level);
    if (level == runtime::processorLevel())
      break;
  }
  if (targets.front() != hostTarget())
    targets.insert(targets.begin(), hostTarget());
  return targets;
}

void bindProcess(py::module_ &module) {
  module.def(
      "preload", preload, py::arg("paths"),
      "Load libraries that programs need, so that they are found by name. OSError for one that can't be loaded.");
  module.def("default_threads", runtime::defaultThreads, "The threads of a program whose options name no number.");
  module.def("host_target", hostTarget,
             "The target that programs of this process are compiled for: the highest level of x86-64's ABI that the "
             "processor has, with NumPy's functions of math where programs can call them.");
  module.def("usable_targets", usableTargets, "The targets whose programs this process can run, the best one first.");
  module.def(
      "has_lapack", [] { return runtime::findLapack() != nullptr; },
      "Whether programs can call the library that numpy.linalg computes with.");
  module.def("pool_info", poolInfo, "What the pool of output and temporary memory holds, and how often it was of use.");
  module.def(
      "pool_trim", [](size_t keep) { return runtime::Pool::shared().trim(keep); }, py::arg("keep") = 0,
      py::call_guard<LockReleased>(), "Free idle memory beyond `keep` bytes; returns the bytes freed.");
  module.def("enter_section", runtime::enterSection, py::call_guard<LockReleased>(),
             "Begin code of this thread that a fork waits for.");
  module.def("leave_section", [](const py::args &) { runtime::leaveSection(); }, "End the code that began last.");
  module.def(
      "await_sections", [] { return runtime::awaitSections(forkPatience); }, py::call_guard<LockReleased>(),
      "Wait, for some seconds at most, until no other thread is in such code; whether that is so.");
  module.def("resume_sections", runtime::resumeSections, "Let threads begin such code again, after `await_sections`.");
  module.def("warm_up", runtime::warmUp, py::arg("library"),
             "Load a library in a thread of its own; whether there is one. Within such code.");
  module.def("forked_amid_section", runtime::forkedAmidSection,
             "Whether this process was forked while another thread was in such code.");
}

} // namespace quernel::binding
