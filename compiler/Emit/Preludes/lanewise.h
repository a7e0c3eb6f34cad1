inline VECTOR NAME(PARAMETERS) {
  VECTOR result{};
  for (int lane = 0; lane < LANES; ++lane)
    result[lane] = NAME(LANE_ARGUMENTS);
  return result;
}
