// Threads that the process doesn't notice.
#ifndef QUERNEL_COMPILER_TOOLCHAIN_THREAD_H
#define QUERNEL_COMPILER_TOOLCHAIN_THREAD_H

#include <csignal>
#include <pthread.h>

namespace quernel {

/// Starts a thread with the stack that the process's first one has, since LLVM's passes recurse, and without signals,
/// which are for the threads that were there before. False where none can be had; else it is to be joined.
inline bool startThread(pthread_t &thread, void *(*body)(void *), void *data) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 8 << 20);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool isStarted = pthread_create(&thread, &attributes, body, data) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return isStarted;
}

} // namespace quernel

#endif
