/// Sets the processor's flags of a division by zero and of an overflow, as operations on floats would.
inline void raise_flags(bool is_zero, bool overflows) {
#if defined(__CUDACC_RTC__) || defined(__CUDA_ARCH__)
  (void)is_zero, (void)overflows;
#elif defined(__x86_64__) && defined(__SSE2__)
  const unsigned flags = (is_zero ? 4u : 0u) | (overflows ? 8u : 0u), old = __builtin_ia32_stmxcsr();
  if (flags & ~old)
    __builtin_ia32_ldmxcsr(old | flags);
#else
  volatile double zero = is_zero ? 0 : 1, huge = overflows ? 1e300 : 1;
  zero = 1 / zero, huge = huge * huge;
#endif
}
