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
void warnOnce(const DiskCache &cache, const std::string &reason) {
  static auto *const given = new std::set<std::string>; // guarded by the GIL
  const size_t mark = reason.rfind(": ");
  const std::string kind = mark == std::string::npos ? reason : reason.substr(mark + 2);
  if (reason.empty() || !given->insert(cache.path() + ": " + kind).second)
    return;
  const std::string text = "the cache at " + cache.path() + ": " + reason;
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

DiskCache opened(const py::object &path, uint64_t most) { return DiskCache(bytesOf(path), most); }

runtime::RecordKind kindOf(const std::string &name) {
  if (name == "program")
    return runtime::RecordKind::program;
  if (name == "index")
    return runtime::RecordKind::index;
  throw py::value_error("no record is of the kind '" + name + "'");
}

py::object load(const DiskCache &cache, const std::string &kind, const std::string &key) {
  const auto known = kindOf(kind);
  const runtime::CacheLoad found = withoutGil([&] { return cache.load(known, key); });
  warnOnce(cache, found.reason);
  if (!found.hit)
    return py::none();
  return py::make_tuple(py::bytes(found.bytes), py::bytes(found.text));
}

int openTrusted(const py::object &path) {
  const std::string name = bytesOf(path);
  std::string reason;
  runtime::Descriptor file = withoutGil([&] { return runtime::openTrusted(name, reason); });
  if (!file) {
    PyErr_SetObject(PyExc_OSError, pathText(reason).ptr());
    throw py::error_already_set();
  }
  return file.release();
}

py::tuple unpackRecord(const std::string &kind, const std::string &key, const py::bytes &content) {
  const runtime::CacheLoad found = runtime::unpackRecord(kindOf(kind), key, std::string_view(content));
  if (!found.hit)
    throw py::value_error(found.reason);
  return py::make_tuple(py::bytes(found.bytes), py::bytes(found.text));
}

bool store(const DiskCache &cache, const std::string &kind, const std::string &key, const py::bytes &text,
           const py::bytes &bytes) {
  const auto known = kindOf(kind);
  const std::string_view first = text, second = bytes;
  const std::string reason = withoutGil([&] { return cache.store(known, key, first, second); });
  warnOnce(cache, reason);
  return reason.empty();
}

void drop(const DiskCache &cache, const std::string &kind, const std::string &key, const py::object &reason) {
  cache.drop(kindOf(kind), key);
  warnOnce(cache, bytesOf(reason));
}

/// A lock, which Python's `with` gives back; the object is kept there for as long.
std::unique_ptr<runtime::CacheLock> tryToLock(const DiskCache &cache, const std::string &key) {
  std::optional<runtime::CacheLock> lock = withoutGil([&] { return cache.tryToLock(key); });
  return lock ? std::make_unique<runtime::CacheLock>(std::move(*lock)) : nullptr;
}

py::dict info(const DiskCache &cache) {
  const runtime::CacheInfo found = withoutGil([&] { return cache.info(); });
  warnOnce(cache, found.reason);
  py::dict result;
  result["path"] = pathText(found.path);
  result["programs"] = found.programs;
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
  result["programs"] = removal.programs;
  result["bytes"] = removal.bytes;
  return result;
}

} // namespace

void bindDiskCache(py::module_ &module) {
  module.def(
      "unpack_record", unpackRecord, py::arg("kind"), py::arg("key"), py::arg("content"),
      "The bytes and the text of a record that is somewhere else. ValueError where it isn't whole, or another one.");
  module.def("open_trusted", openTrusted, py::arg("path"),
             "The descriptor of a file that nobody but the user and root can have put there. OSError where others "
             "could, or it can't be opened.");
  py::class_<runtime::CacheLock>(module, "CacheLock", "A key's lock among processes, until the object is gone.");
  py::class_<DiskCache>(module, "DiskCache", "A folder of compiled programs, shared by processes.")
      .def(py::init(&opened), py::arg("path"), py::arg("max_bytes") = DiskCache::usualBytes)
      .def_readonly_static("usual_bytes", &DiskCache::usualBytes)
      .def_property_readonly("path", [](const DiskCache &cache) { return pathText(cache.path()); })
      .def("load", load, py::arg("kind"), py::arg("key"),
           "The bytes and the text of a record: a program's object and manifest, or b'' and an index; or None.")
      .def("store", store, py::arg("kind"), py::arg("key"), py::arg("text"), py::arg("bytes") = py::bytes(),
           "Put a record in place; whether that could be done.")
      .def("drop", drop, py::arg("kind"), py::arg("key"), py::arg("reason"),
           "Remove a record that is of no use, and tell why, once for each kind of reason.")
      .def("try_lock", tryToLock, py::arg("key"), "A `CacheLock`, or None where another process or thread has it.")
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
