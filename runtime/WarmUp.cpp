#include "runtime/WarmUp.h"
#include "runtime/Sections.h"

#include <csignal>
#include <dlfcn.h>
#include <memory>
#include <pthread.h>

using namespace quernel::runtime;

namespace {

struct Work {
  std::string library, function;
};

void *run(void *given) {
  takeReservedSection();
  {
    std::unique_ptr<Work> work(static_cast<Work *>(given));
    if (void *handle = dlopen(work->library.c_str(), RTLD_NOW | RTLD_LOCAL))
      if (void *function = dlsym(handle, work->function.c_str()))
        reinterpret_cast<void (*)()>(function)();
  }
  leaveSection();
  return nullptr;
}

} // namespace

bool quernel::runtime::warmUp(const std::string &library, const std::string &function) {
  auto work = std::make_unique<Work>(Work{library, function});
  sigset_t all, before;
  sigfillset(&all);
  reserveSection();
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const bool begun = pthread_create(&thread, nullptr, run, work.get()) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!begun) {
    cancelReservedSection();
    return false;
  }
  pthread_detach(thread);
  work.release();
  return true;
}
