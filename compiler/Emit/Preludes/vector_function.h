extern "C" __attribute__((const)) VECTOR SYMBOL(TYPES);
inline VECTOR NAME(PARAMETERS) { return SYMBOL(ARGUMENTS); }
