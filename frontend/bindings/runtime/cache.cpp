// The cache of compiled programs on disk, for Python.
#include "bindings.h"
#include "runtime/DiskCache.h"

#include <set>
#include <string>

namespace quernel::binding {

namespace py = pybind11;
using runtime::DiskCache;

namespace {

/// A RuntimeWarning, once in a process for each folder and reason; nothing for an empty reason.
void warnOnce(const DiskCache &cache, const std::string &reason, const std::string &key = "") {
  static auto *const given = new std::set<std::string>; // guarded by the GIL
  if (reason.empty() || !given->insert(cache.path() + ": " + reason).second)
    return;
  const std::string text = "the cache at " + cache.path() + ": " + (key.empty() ? "" : key + ": ") + reason;
  if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) < 0)
    throw py::error_already_set();
}

template <typename Work> auto withoutGil(Work work) {
  py::gil_scoped_release release;
  return work();
}

py::object load(const DiskCache &cache, const std::string &key) {
  const runtime::CacheLoad found = withoutGil([&] { return cache.load(key); });
  warnOnce(cache, found.reason, key);
  if (!found.hit)
    return py::none();
  return py::make_tuple(found.object, found.manifest);
}

py::object store(const DiskCache &cache, const std::string &key, const py::bytes &object, const std::string &manifest) {
  const std::string_view bytes = object;
  const runtime::CacheStore stored = withoutGil([&] { return cache.store(key, bytes, manifest); });
  warnOnce(cache, stored.reason);
  if (stored.object.empty())
    return py::none();
  return py::str(stored.object);
}

py::dict info(const DiskCache &cache) {
  const runtime::CacheInfo found = withoutGil([&] { return cache.info(); });
  warnOnce(cache, found.reason);
  py::dict result;
  result["path"] = found.path;
  result["entries"] = found.entries;
  result["bytes"] = found.bytes;
  return result;
}

py::list verify(const DiskCache &cache) {
  py::list faults;
  for (const runtime::CacheFault &fault : withoutGil([&] { return cache.verify(); }))
    faults.append(py::make_tuple(fault.key, fault.reason));
  return faults;
}

py::dict removed(const DiskCache &cache, const runtime::CacheRemoval &removal) {
  warnOnce(cache, removal.reason);
  py::dict result;
  result["entries"] = removal.entries;
  result["bytes"] = removal.bytes;
  return result;
}

} // namespace

void bindDiskCache(py::module_ &module) {
  py::class_<DiskCache>(module, "DiskCache", "A folder of compiled programs, shared by processes.")
      .def(py::init<std::string>(), py::arg("path"))
      .def_property_readonly("path", &DiskCache::path)
      .def("load", load, py::arg("key"), "The object's path and the manifest, or None.")
      .def("store", store, py::arg("key"), py::arg("object"), py::arg("manifest"),
           "The path of the stored object, or None where it can't be stored.")
      .def("info", info, "The folder's path, and the number of programs and bytes in it.")
      .def("verify", verify, "(key, reason) of every program that `load` would refuse.")
      .def(
          "prune",
          [](const DiskCache &cache, uint64_t most) {
            return removed(cache, withoutGil([&] { return cache.prune(most); }));
          },
          py::arg("max_bytes"), "Remove the programs that were used longest ago until the rest fits.")
      .def(
          "clear", [](const DiskCache &cache) { return removed(cache, withoutGil([&] { return cache.clear(); })); },
          "Remove every program.");
}

} // namespace quernel::binding
