// A remainder is exact whoever computes it, and most are those of the divisor's lessers, which libm looks at for long.
inline SCALAR fmod(SCALAR x, SCALAR y) { return FABS(x) < FABS(y) ? x : BUILTIN(x, y); }
