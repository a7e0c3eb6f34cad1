#include "runtime/WarmUp.h"
#include "runtime/Sections.h"

#include <csignal>
#include <dlfcn.h>
#include <memory>
#include <pthread.h>

using namespace quernel::runtime;

namespace {

void *run(void *given) {
  takeReservedSection();
  {
    std::unique_ptr<std::string> library(static_cast<std::string *>(given));
    dlopen(library->c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  leaveSection();
  return nullptr;
}

} // namespace

bool quernel::runtime::warmUp(const std::string &library) {
  auto path = std::make_unique<std::string>(library);
  sigset_t all, before;
  sigfillset(&all);
  reserveSection();
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const bool begun = pthread_create(&thread, nullptr, run, path.get()) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!begun) {
    cancelReservedSection();
    return false;
  }
  pthread_detach(thread);
  path.release();
  return true;
}
