// needs: parts
inline VECTOR NAME(PARAMETERS) { return part<VECTOR>(NAME(PAD_ARGUMENTS), 0); }
