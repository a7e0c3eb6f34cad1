/// The quotient rounded towards plus infinity.
template <typename T> inline T ceil_div(T a, T b) {
  T q = a / b;
  return (a % b != 0) && ((a < 0) == (b < 0)) ? q + 1 : q;
}
