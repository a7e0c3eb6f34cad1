#include "answer.h"

namespace quernel::binding {

py::tuple Arguments::asTuple() const {
  py::tuple tuple(static_cast<size_t>(positional));
  for (Py_ssize_t k = 0; k < positional; ++k)
    tuple[static_cast<size_t>(k)] = py::handle(values[k]);
  return tuple;
}

py::dict Arguments::asDict() const {
  py::dict dict;
  for (Py_ssize_t k = 0; k < named(); ++k)
    dict[py::handle(PyTuple_GET_ITEM(names, k))] = py::handle(values[positional + k]);
  return dict;
}

} // namespace quernel::binding
