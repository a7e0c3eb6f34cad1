#include "dtypes.h"

#include "numpy_api.h"

namespace quernel::binding {

namespace {

struct Row {
  const char *name;
  ElementType type;
};

constexpr Row table[] = {
    {"bool", {NPY_BOOL, 1}},           {"int8", {NPY_INT8, 1}},
    {"int16", {NPY_INT16, 2}},         {"int32", {NPY_INT32, 4}},
    {"int64", {NPY_INT64, 8}},         {"uint8", {NPY_UINT8, 1}},
    {"uint16", {NPY_UINT16, 2}},       {"uint32", {NPY_UINT32, 4}},
    {"uint64", {NPY_UINT64, 8}},       {"float16", {NPY_FLOAT16, 2}},
    {"float32", {NPY_FLOAT32, 4}},     {"float64", {NPY_FLOAT64, 8}},
    {"complex64", {NPY_COMPLEX64, 8}}, {"complex128", {NPY_COMPLEX128, 16}},
};

} // namespace

ElementType elementType(const std::string &name, const std::string &where) {
  for (const Row &row : table)
    if (name == row.name)
      return row.type;
  if (name == "bfloat16") // a dtype of another package, which numbers it when it is imported
    return {pybind11::module_::import("numpy")
                .attr("dtype")(pybind11::module_::import("ml_dtypes").attr("bfloat16"))
                .attr("num")
                .cast<int>(),
            2};
  throw pybind11::value_error(where + ": programs have no dtype '" + name + "'");
}

} // namespace quernel::binding
