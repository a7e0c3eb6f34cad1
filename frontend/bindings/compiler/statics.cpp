// Nothing of this module is destroyed when the process ends: a thread may still be compiling then, and would use LLVM's
// global objects while they go. The linker takes this definition for all of LLVM's archives, and nobody else sees it.
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void *), void *, void *) { return 0; }
