#if defined(__clang__)
// What is left over after whole vectors is too little to be worth the compiler's time.
#define SHORT_LOOP _Pragma("clang loop vectorize(disable) unroll(disable)")
#else
#define SHORT_LOOP
#endif
