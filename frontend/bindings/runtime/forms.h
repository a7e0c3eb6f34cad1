/// \file
/// Reading the nested tuples that guards, outputs and results are described with. Every function throws a TypeError or
/// ValueError that starts with `where` when the form is another one.

#ifndef QUERNEL_BINDINGS_RUNTIME_FORMS_H
#define QUERNEL_BINDINGS_RUNTIME_FORMS_H

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <vector>

namespace quernel::binding {

namespace py = pybind11;

/// The items of a tuple or list.
py::tuple itemsOf(py::handle form, const std::string &where);

/// The items of a form ("kind", …), whose kind is in `kind` afterwards.
py::tuple kindAndItems(py::handle form, std::string &kind, const std::string &where);

/// Throws unless the form `kind` has as many items as `names`, which says what they are.
void expectItems(const py::tuple &items, size_t count, const char *names, const std::string &where);

std::string textOf(py::handle object, const char *what, const std::string &where);
bool boolOf(py::handle object, const char *what, const std::string &where);

/// An integer with `least` ≤ value < `end`.
int64_t integerOf(py::handle object, const char *what, int64_t least, int64_t end, const std::string &where);

/// The axes of an array in some order, each once.
std::vector<uint8_t> axesOf(py::handle form, const std::string &where);

/// "where[k]"
std::string itemName(const std::string &where, size_t k);

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_FORMS_H
