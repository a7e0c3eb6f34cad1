template <typename T> inline T NAME(T a, T b) { return (CONDITION) ? a : b; }
