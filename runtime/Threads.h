// How many threads a program may use.
#ifndef QUERNEL_RUNTIME_THREADS_H
#define QUERNEL_RUNTIME_THREADS_H

#include <optional>
#include <string>
#include <string_view>

namespace quernel::runtime {

/// The processors that this process may run on.
int affinityCount();

/// The first number of an OMP_NUM_THREADS such as "8" or "8,2"; none where it isn't a positive number.
std::optional<int> parseOmpNumThreads(std::string_view text);

/// What follows from the three: OMP_NUM_THREADS if it is set, else the processors within the quota, rounded up.
int chooseThreads(int processors, std::optional<double> quota, std::optional<int> wanted);

/// The threads of a program whose options name no number. The environment is read at each call.
int defaultThreads();

} // namespace quernel::runtime

#endif
