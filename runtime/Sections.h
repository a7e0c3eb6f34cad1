// Sections of code that a fork must not fall into: compiles, and whatever else leaves locks behind in the child.
#ifndef QUERNEL_RUNTIME_SECTIONS_H
#define QUERNEL_RUNTIME_SECTIONS_H

#include <chrono>

namespace quernel::runtime {

/// Begins a section of the calling thread; sections may stand in each other. Waits where `awaitSections` keeps it from
/// that.
void enterSection();

/// Begins a section for a thread that doesn't run yet: the thread takes it over as it begins, and leaves it as any
/// other. Where there is no such thread after all, the caller cancels it. Waits for nothing, so the caller has to be in
/// a section, or to be sure that nobody forks meanwhile.
void reserveSection();
void takeReservedSection();
void cancelReservedSection();

/// Ends the section that the calling thread began last.
void leaveSection();

/// Waits until no other thread is in a section; true if so before the time is over. No thread enters one until
/// `resumeSections`, for a second at most; the caller has to call that, in the parent if it forks.
bool awaitSections(std::chrono::milliseconds time);
void resumeSections();

/// Whether this process, or one it descends from, was forked while another thread was in a section: what that thread
/// held there, no thread of this process will ever let go.
bool forkedAmidSection();

} // namespace quernel::runtime

#endif
