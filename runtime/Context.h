// The context that programs are called with.
#ifndef QUERNEL_RUNTIME_CONTEXT_H
#define QUERNEL_RUNTIME_CONTEXT_H

#include "runtime/abi.h"

namespace quernel::runtime {

/// No context has more threads.
inline constexpr int threadLimit = 1024;

/// The context of a number of threads; 0 or less takes `defaultThreads()`. It lives until the process ends.
const qn_context &context(int threads);

} // namespace quernel::runtime

#endif
