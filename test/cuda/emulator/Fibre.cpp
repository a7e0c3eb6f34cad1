#include "Fibre.h"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

namespace emulator {

static constexpr uintptr_t guardBytes = 4096;

Fibre::Fibre() {
  void *memory = mmap(nullptr, guardBytes + stackBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory, guardBytes, PROT_NONE) != 0) {
    fprintf(stderr, "emulator: no memory for the stack of a thread\n");
    abort();
  }
  low = reinterpret_cast<uintptr_t>(memory) + guardBytes;
}

Fibre::~Fibre() { munmap(reinterpret_cast<void *>(low - guardBytes), guardBytes + stackBytes); }

#ifdef __x86_64__

// Keeps what a call has to keep, and goes on where `to` was left.
extern "C" __attribute__((visibility("hidden"))) void emulator_switch(void **from, void *to);
asm(R"(
.text
.type emulator_switch, @function
.hidden emulator_switch
.globl emulator_switch
emulator_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size emulator_switch, .-emulator_switch
)");

void Fibre::prepare(void (*entry)()) {
  // Six registers, the entry as what `ret` returns to, and a return address of it that keeps the alignment of a call.
  auto **top = reinterpret_cast<void **>(low + stackBytes) - 8;
  for (int i = 0; i < 8; ++i)
    top[i] = nullptr;
  top[6] = reinterpret_cast<void *>(entry);
  own = top;
}

void Fibre::resume() { emulator_switch(&caller, own); }
void Fibre::suspend() { emulator_switch(&own, caller); }

#else

void Fibre::prepare(void (*entry)()) {
  getcontext(&own);
  own.uc_stack.ss_sp = reinterpret_cast<void *>(low);
  own.uc_stack.ss_size = stackBytes;
  own.uc_link = nullptr;
  makecontext(&own, entry, 0);
}

void Fibre::resume() { swapcontext(&caller, &own); }
void Fibre::suspend() { swapcontext(&own, &caller); }

#endif

} // namespace emulator
