// A large library, made ready ahead of need.
#ifndef QUERNEL_RUNTIME_WARMUP_H
#define QUERNEL_RUNTIME_WARMUP_H

#include <string>

namespace quernel::runtime {

/// Loads a library in a thread of its own. It stays loaded. Whatever fails fails silently: who needs the library loads
/// it again and learns why. Signals are for the other threads. The thread is in a section from before this returns
/// until it ends, so forks and the end of the process wait for it; the caller has to be in one, too.
/// @return whether there is such a thread
bool warmUp(const std::string &library);

} // namespace quernel::runtime

#endif
