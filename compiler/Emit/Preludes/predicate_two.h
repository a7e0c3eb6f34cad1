template <typename T> inline auto NAME(T a, T b) { return CONDITION; }
