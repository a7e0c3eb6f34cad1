/// A vector whose lanes are all x. The difference keeps the sign of a zero.
template <typename V, typename T> inline V splat(T x) { return x - V{}; }
