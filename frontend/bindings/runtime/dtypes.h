/// \file
/// Element types by NumPy's names and numbers.

#ifndef QUERNEL_BINDINGS_RUNTIME_DTYPES_H
#define QUERNEL_BINDINGS_RUNTIME_DTYPES_H

#include <cstdint>
#include <string>

namespace quernel::binding {

struct ElementType {
  int number;    ///< NumPy's type number
  int64_t bytes; ///< of an element
};

/// The type that NumPy calls `name`. Throws a ValueError that starts with `where` for other names.
ElementType elementType(const std::string &name, const std::string &where);

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_DTYPES_H
