// needs: context
/// Where a number is during a call.
template <class T> inline const T *address_of(const T &number) { return &number; }
/// Calls a function of the user's with the sizes of its signature, and what it reads, then what it writes. What it does to the
/// processor's flags, it doesn't tell.
template <class... T, int64_t count>
inline int32_t call_user(int32_t (*function)(const qn_context *, void *const *, const int64_t *), const qn_context *context,
                         const int64_t (&sizes)[count], const T &...given) {
  void *const buffers[] = {(void *)given...};
  const unsigned flags = __builtin_ia32_stmxcsr();
  asm volatile("" ::: "memory");
  const int32_t code = function(context, buffers, sizes);
  asm volatile("" ::: "memory");
  __builtin_ia32_ldmxcsr(flags);
  return code;
}
