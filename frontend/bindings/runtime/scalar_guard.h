/// \file
/// Guards for numbers that are handed in at each call.

#ifndef QUERNEL_BINDINGS_RUNTIME_SCALARGUARD_H
#define QUERNEL_BINDINGS_RUNTIME_SCALARGUARD_H

#include "guards.h"

namespace quernel::binding {

/// A guard for a number of a kind: "float", "complex", "int", "bool", or "np." and a dtype. Throws a ValueError for
/// other kinds.
std::unique_ptr<Guard> makeScalarGuard(size_t input, const std::string &kind, const std::string &where);

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_SCALARGUARD_H
