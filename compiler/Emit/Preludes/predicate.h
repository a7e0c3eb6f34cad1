template <typename T> inline auto NAME(T x) { return CONDITION; }
