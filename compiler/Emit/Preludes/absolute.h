/// The absolute value; the least integer's is itself.
template <typename T> inline T absolute(T x) { return x < 0 ? wrap_sub(T{}, x) : x; }
