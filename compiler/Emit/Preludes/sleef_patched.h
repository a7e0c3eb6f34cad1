// needs: any_lane
extern "C" __attribute__((const)) VECTOR SYMBOL(TYPES);
inline VECTOR NAME(PARAMETERS) {
  const VECTOR result = SYMBOL(ARGUMENTS);
  auto beyond = CONDITION;
  if (!any_lane(beyond)) [[likely]]
    return result;
  // Out of SLEEF's range libm answers.
  return [=]() __attribute__((noinline, cold)) {
    VECTOR patched = result;
    for (int lane = 0; lane < LANES; ++lane)
      if (beyond[lane])
        patched[lane] = BUILTIN(LANE_ARGUMENTS);
    return patched;
  }();
}
