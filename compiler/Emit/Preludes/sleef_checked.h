// needs: any_lane above
extern "C" __attribute__((const)) VECTOR SYMBOL(TYPES);
inline VECTOR NAME(PARAMETERS) {
  const VECTOR result = SYMBOL(ARGUMENTS);
  const auto doubtful = CONDITION;
  if (!any_lane(doubtful))
    return result;
  // Where SLEEF's result says that there may be something to warn of, libm answers.
  return [=]() __attribute__((noinline, cold)) {
    VECTOR patched = result;
    for (int lane = 0; lane < LANES; ++lane)
      if (doubtful[lane])
        patched[lane] = BUILTIN(LANE_ARGUMENTS);
    return patched;
  }();
}
