// needs: any_lane above
extern "C" __attribute__((const)) VECTOR SYMBOL(TYPES);
inline VECTOR NAME(PARAMETERS) {
  const auto beyond = CONDITION;
  if (!any_lane(beyond))
    return SYMBOL(ARGUMENTS);
  // Out of SLEEF's range libm answers.
  return [=]() __attribute__((noinline, cold)) {
    VECTOR result = SYMBOL(ARGUMENTS);
    for (int lane = 0; lane < LANES; ++lane)
      if (beyond[lane])
        result[lane] = BUILTIN(LANE_ARGUMENTS);
    return result;
  }();
}
