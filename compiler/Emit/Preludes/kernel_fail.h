/// What a kernel leaves where a check in it has failed; kernels behind it do nothing.
struct Failure {
  unsigned long long code;
  int64_t count, values[8];
};

inline bool has_failed(const Failure *failure) { return *(const volatile unsigned long long *)&failure->code != 0; }

/// Notes a check that has failed, with the numbers of its message. The first one counts.
template <typename... T> inline void fail(Failure *failure, int code, T... numbers) {
  const int64_t values[] = {(int64_t)numbers..., 0};
  if (atomicCAS(&failure->code, 0ull, (unsigned long long)code) != 0)
    return;
  constexpr int count = sizeof...(numbers);
  failure->count = count;
  for (int k = 0; k < count; ++k)
    failure->values[k] = values[k];
}
