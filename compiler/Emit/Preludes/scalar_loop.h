#if defined(__clang__)
// Clang 22 writes whole lanes where it stores narrowed lanes under a mask, so it must not vectorise such a loop.
#define SCALAR_LOOP _Pragma("clang loop vectorize(disable)")
#else
#define SCALAR_LOOP
#endif
