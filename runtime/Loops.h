// The loops of programs whose turns threads share.
#ifndef QUERNEL_RUNTIME_LOOPS_H
#define QUERNEL_RUNTIME_LOOPS_H

#include "runtime/abi.h"

namespace quernel::runtime {

/// The function of `qn_context`: some turns each for the threads of the process's team. A thread that has done with
/// its own part takes pieces of others', whose threads the system may have stopped.
int32_t parallelFor(const qn_context *context, int64_t begin, int64_t end, int64_t step, int64_t grain, qn_turns turns,
                    void *data);

/// The function of `qn_context`: the same for turns that call libraries, which compute each call in the thread that
/// makes it.
int32_t parallelTasks(const qn_context *context, int64_t begin, int64_t end, int64_t step, qn_tasks tasks, void *data);

} // namespace quernel::runtime

#endif
