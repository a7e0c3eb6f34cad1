// needs: any_lane above kept_flags
extern "C" __attribute__((const)) VECTOR SYMBOL(TYPES);
inline VECTOR NAME(PARAMETERS) {
  if (!any_lane(CONDITION))
    return SYMBOL(ARGUMENTS);
  // The flags that SLEEF leaves here are those of its own steps. Out of its range libm answers.
  return [](PARAMETERS) __attribute__((noinline, cold)) {
    const unsigned before = flags_before(ARGUMENTS);
    VECTOR result = SYMBOL(ARGUMENTS);
    keep_flags(before, result);
    const auto beyond = BEYOND;
    for (int lane = 0; lane < LANES; ++lane)
      if (beyond[lane])
        result[lane] = BUILTIN(LANE_ARGUMENTS);
    return result;
  }(ARGUMENTS);
}
