inline VECTOR NAME(PARAMETERS) {
#if defined(__clang__)
  return __builtin_elementwise_BUILTIN(ARGUMENTS);
#else
  VECTOR result{};
  for (int lane = 0; lane < LANES; ++lane)
    result[lane] = NAME(LANE_ARGUMENTS);
  return result;
#endif
}
