// The cache of compiled programs on disk, for Python.
#include "bindings.h"
#include "frontend/bindings/python_lock.h"
#include "runtime/DiskCache.h"

#include <set>
#include <string>

namespace quernel::binding {

namespace py = pybind11;
using runtime::DiskCache;

namespace {

/// A path as Python's own functions give it, which may hold any bytes.
py::str pathText(const std::string &path) {
  PyObject *text = PyUnicode_DecodeFSDefaultAndSize(path.data(), static_cast<Py_ssize_t>(path.size()));
  if (!text)
    throw py::error_already_set();
  return py::reinterpret_steal<py::str>(text);
}

/// A RuntimeWarning, once in a process for each folder and kind of fault; nothing for an empty reason. The kind is what
/// a reason says at its end, after the names of files.
void warnOnce(const DiskCache &cache, const std::string &reason, const std::string &key = "") {
  static auto *const given = new std::set<std::string>; // guarded by the GIL
  const size_t mark = reason.rfind(": ");
  const std::string kind = mark == std::string::npos ? reason : reason.substr(mark + 2);
  if (reason.empty() || !given->insert(cache.path() + ": " + kind).second)
    return;
  const std::string text = "the cache at " + cache.path() + ": " + (key.empty() ? "" : key + ": ") + reason;
  if (PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "%U", pathText(text).ptr()) < 0)
    throw py::error_already_set();
}

template <typename Work> auto withoutGil(Work work) {
  LockReleased released;
  return work();
}

std::string bytesOf(const py::object &path) {
  PyObject *bytes = nullptr;
  if (!PyUnicode_FSConverter(path.ptr(), &bytes))
    throw py::error_already_set();
  return py::reinterpret_steal<py::bytes>(bytes);
}

DiskCache opened(const py::object &path) { return DiskCache(bytesOf(path)); }

py::object load(const DiskCache &cache, const std::string &key) {
  const runtime::CacheLoad found = withoutGil([&] { return cache.load(key); });
  warnOnce(cache, found.reason, key);
  if (!found.hit)
    return py::none();
  return py::make_tuple(pathText(found.object), found.manifest);
}

py::object store(const DiskCache &cache, const std::string &key, const py::bytes &object, const std::string &manifest) {
  const std::string_view bytes = object;
  const runtime::CacheStore stored = withoutGil([&] { return cache.store(key, bytes, manifest); });
  warnOnce(cache, stored.reason);
  if (stored.object.empty())
    return py::none();
  return pathText(stored.object);
}

py::dict info(const DiskCache &cache) {
  const runtime::CacheInfo found = withoutGil([&] { return cache.info(); });
  warnOnce(cache, found.reason);
  py::dict result;
  result["path"] = pathText(found.path);
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
      .def(py::init(&opened), py::arg("path"))
      .def_property_readonly("path", [](const DiskCache &cache) { return pathText(cache.path()); })
      .def("load", load, py::arg("key"), "The object's path and the manifest, or None.")
      .def("store", store, py::arg("key"), py::arg("object"), py::arg("manifest"),
           "The path of the stored object, or None where it can't be stored.")
      .def(
          "warn", [](const DiskCache &cache, const py::object &reason) { warnOnce(cache, bytesOf(reason)); },
          py::arg("reason"),
          "Tell of a fault of the folder, once for each kind, which the reason says after its last colon.")
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
