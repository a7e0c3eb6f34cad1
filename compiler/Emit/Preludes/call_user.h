// needs: context
/// Calls a function of the user's with the arrays that it reads, then those that it writes. What it does to the processor's
/// flags, it doesn't tell.
template <class... T>
inline int32_t call_user(int32_t (*function)(const qn_context *, void *const *, const int64_t *), const qn_context *context,
                         const int64_t *sizes, const T &...arrays) {
  void *const pointers[] = {(void *)arrays...};
  const unsigned flags = __builtin_ia32_stmxcsr();
  asm volatile("" ::: "memory");
  const int32_t code = function(context, pointers, sizes);
  asm volatile("" ::: "memory");
  __builtin_ia32_ldmxcsr(flags);
  return code;
}
