#if defined(__clang__)
// A long row of calls stays as it is; to ask what may come of it takes longer than to compile all kernels.
#define UNOPTIMIZED __attribute__((optnone))
#else
#define UNOPTIMIZED
#endif
