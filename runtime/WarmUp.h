// What a library does the first time, done ahead of need.
#ifndef QUERNEL_RUNTIME_WARMUP_H
#define QUERNEL_RUNTIME_WARMUP_H

#include <string>

namespace quernel::runtime {

/// Loads a library in a thread of its own, and calls a function of it there that takes and gives nothing. The library
/// stays loaded. Whatever fails fails silently: who needs the library loads it again and learns why. Signals are for
/// the other threads. The thread is in a section from before this returns until it ends, so forks and the end of the
/// process wait for it; the caller has to be in one, too.
/// @return whether there is such a thread
bool warmUp(const std::string &library, const std::string &function);

} // namespace quernel::runtime

#endif
