// Sums and products that wrap around, as NumPy's do; in C++ a signed overflow is undefined.
template <typename T> struct Same { typedef T type; };
template <typename T> struct Unsigned;
