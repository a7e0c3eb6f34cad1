/// \file
/// Tracebacks as the user should see them: with the user's frames alone.

#ifndef QUERNEL_BINDINGS_RUNTIME_TRACEBACKS_H
#define QUERNEL_BINDINGS_RUNTIME_TRACEBACKS_H

#include <string>

namespace quernel::binding {

/// Puts a line of the user's source above the current Python error. Where that fails, the error stays as it is.
void addLine(const std::string &file, const std::string &function, int line);

/// Takes the frames of this package off the beginning of the current Python error's traceback.
void dropOwnFrames();

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_TRACEBACKS_H
