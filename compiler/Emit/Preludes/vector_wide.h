// needs: parts
inline VECTOR NAME(PARAMETERS) {
  VECTOR result{};
  for (int at = 0; at < (int)sizeof result; at += (int)sizeof(NATIVE)) {
    NATIVE r = NAME(PART_ARGUMENTS);
    __builtin_memcpy((char *)&result + at, &r, sizeof r);
  }
  return result;
}
