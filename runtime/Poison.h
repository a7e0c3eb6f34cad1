// Memory that nobody may touch, as the address sanitizer knows it. Without a sanitizer in the process these do nothing.
#ifndef QUERNEL_RUNTIME_POISON_H
#define QUERNEL_RUNTIME_POISON_H

#include <cstddef>

// Weak, because the runtime itself needn't be built for the sanitizer: kernels that are find it in the process.
extern "C" {
[[gnu::weak]] void __asan_poison_memory_region(const volatile void *memory, size_t bytes);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void *memory, size_t bytes);
}

namespace quernel::runtime {

inline void poison(void *memory, size_t bytes) {
  if (__asan_poison_memory_region)
    __asan_poison_memory_region(memory, bytes);
}

inline void unpoison(void *memory, size_t bytes) {
  if (__asan_unpoison_memory_region)
    __asan_unpoison_memory_region(memory, bytes);
}

} // namespace quernel::runtime

#endif
