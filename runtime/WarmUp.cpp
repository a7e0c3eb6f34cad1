#include "runtime/WarmUp.h"
#include "runtime/Sections.h"

#include <algorithm>
#include <csignal>
#include <dlfcn.h>
#include <link.h>
#include <memory>
#include <pthread.h>
#include <sys/mman.h>
#include <vector>

using namespace quernel::runtime;

namespace {

// Since Linux 5.14; older headers don't have it, and older systems refuse it.
constexpr int populateRead = 22;
constexpr uintptr_t page = 4096, piece = 256 * page;

/// Enters what is in memory of a library's code and constants: a segment that can be written has been written by the
/// loader. Nothing is read from the disk, which others may be waiting for.
int enterPages(dl_phdr_info *object, size_t, void *base) {
  if (object->dlpi_addr != *static_cast<ElfW(Addr) *>(base))
    return 0;
  std::vector<unsigned char> resident(piece / page);
  for (int k = 0; k < object->dlpi_phnum; ++k) {
    const ElfW(Phdr) &segment = object->dlpi_phdr[k];
    if (segment.p_type != PT_LOAD || segment.p_flags & PF_W)
      continue;
    uintptr_t at = (object->dlpi_addr + segment.p_vaddr) & -page;
    const uintptr_t end = object->dlpi_addr + segment.p_vaddr + segment.p_filesz;
    for (; at < end; at += piece) {
      const uintptr_t size = std::min(piece, end - at), pages = (size + page - 1) / page;
      void *start = reinterpret_cast<void *>(at);
      if (mincore(start, size, resident.data()) != 0)
        return 1;
      if (std::all_of(resident.begin(), resident.begin() + pages, [](unsigned char in) { return in & 1; }) &&
          madvise(start, size, populateRead) != 0)
        return 1;
    }
  }
  return 1;
}

void load(const std::string &library) {
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  link_map *loaded = nullptr;
  if (handle && dlinfo(handle, RTLD_DI_LINKMAP, &loaded) == 0)
    dl_iterate_phdr(enterPages, &loaded->l_addr);
}

void *run(void *given) {
  takeReservedSection();
  load(*std::unique_ptr<std::string>(static_cast<std::string *>(given)));
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
