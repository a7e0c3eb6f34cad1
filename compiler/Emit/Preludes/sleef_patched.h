extern "C" __attribute__((const)) VECTOR SYMBOL(TYPES);
inline VECTOR NAME(PARAMETERS) {
  VECTOR result = SYMBOL(ARGUMENTS);
  // Out of SLEEF's range libm answers.
  auto beyond = CONDITION;
  for (int lane = 0; lane < LANES; ++lane)
    if (beyond[lane])
      result[lane] = BUILTIN(LANE_ARGUMENTS);
  return result;
}
