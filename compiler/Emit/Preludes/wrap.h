// needs: wrap_types
template <typename T> inline T NAME(T a, typename Same<T>::type b) {
  typedef typename Unsigned<T>::type U;
  return (T)((U)a OPERATOR (U)b);
}
