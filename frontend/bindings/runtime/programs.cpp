// Programs and specializations, for Python.
#include "bindings.h"
#include "forms.h"
#include "runtime/Context.h"
#include "specialization.h"

#include <limits>
#include <optional>

#include <pybind11/stl.h>

namespace quernel::binding {

using runtime::Program;

namespace {

template <typename Make> std::unique_ptr<Program> loaded(Make make) {
  try {
    return std::make_unique<Program>(make());
  } catch (const std::runtime_error &error) {
    py::set_error(PyExc_OSError, error.what());
    throw py::error_already_set();
  }
}

std::unique_ptr<Program> fromFile(const std::string &path, const std::string &entry,
                                  const std::optional<std::string> &shapes) {
  return loaded([&] { return Program(path, entry, shapes.value_or("")); });
}

std::unique_ptr<Program> fromBytes(const py::bytes &object, const std::string &entry,
                                   const std::optional<std::string> &shapes) {
  return loaded([&] { return Program::fromBytes(std::string_view(object), entry, shapes.value_or("")); });
}

std::unique_ptr<Specialization> makeSpecialization(const py::object &program, const py::object &nargs,
                                                   const py::object &kwnames, const py::object &parameters,
                                                   const py::object &extras, const py::object &symbols,
                                                   const py::object &outputs, const py::object &result,
                                                   const py::object &errors, const py::object &loops,
                                                   const py::object &threads, const py::object &keep) {
  if (!py::isinstance<Program>(program))
    throw py::type_error("program: expected a Program, not " + std::string(Py_TYPE(program.ptr())->tp_name));
  constexpr int64_t many = 1 << 16;
  const SpecializationForms forms = {
      integerOf(nargs, "the number", 0, many, "nargs"),
      kwnames,
      parameters,
      extras,
      integerOf(symbols, "the number", 0, many, "symbols"),
      outputs,
      result,
      errors,
      boolOf(loops, "the flag", "loops"),
      integerOf(threads, "the number", 0, runtime::threadLimit + 1, "threads"),
      keep,
  };
  return std::make_unique<Specialization>(program, program.cast<const Program &>(), forms);
}

/// The Specialization of an object that may still be under construction, or null.
Specialization *made(PyObject *object) {
  return py::detail::is_holder_constructed(object) ? &py::cast<Specialization &>(py::handle(object)) : nullptr;
}

/// Specializations refer to namespaces, which refer to functions, which refer to specializations.
void collectGarbage(PyHeapTypeObject *heapType) {
  PyTypeObject *type = &heapType->ht_type;
  type->tp_flags |= Py_TPFLAGS_HAVE_GC;
  type->tp_traverse = [](PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(object));
    Specialization *specialization = made(object);
    return specialization ? specialization->traverse(visit, arg) : 0;
  };
  type->tp_clear = [](PyObject *object) {
    if (Specialization *specialization = made(object))
      specialization->clear();
    return 0;
  };
}

} // namespace

void bindPrograms(py::module_ &module) {
  py::class_<Program>(module, "Program", "An entry of a loaded object. OSError where it can't be loaded.")
      .def(py::init(&fromFile), py::arg("path"), py::arg("entry"), py::arg("shapes") = py::none())
      .def_static("from_bytes", fromBytes, py::arg("object"), py::arg("entry"), py::arg("shapes") = py::none(),
                  "Load an object from memory.")
      .def_property_readonly("path", &Program::path);

  py::class_<Specialization>(module, "Specialization", py::custom_type_setup(collectGarbage),
                             "A program with the guards under which it answers a call.")
      .def(py::init(&makeSpecialization), py::arg("program"), py::kw_only(), py::arg("nargs"),
           py::arg("kwnames") = py::tuple(), py::arg("parameters"), py::arg("extras") = py::tuple(), py::arg("symbols"),
           py::arg("outputs"), py::arg("result"), py::arg("errors") = py::tuple(), py::arg("loops") = false,
           py::arg("threads") = 0, py::arg("keep") = py::none());
}

} // namespace quernel::binding
