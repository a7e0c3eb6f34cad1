// Complex numbers as NumPy's C loops compute with them: without a look at infinities.
#ifndef QUERNEL_RUNTIME_COMPLEX_H
#define QUERNEL_RUNTIME_COMPLEX_H

#include <type_traits>

namespace quernel::runtime {

template <typename T> struct Complex {
  T re = 0;
  T im = 0;

  Complex() = default;
  Complex(T re, T im = 0) : re(re), im(im) {}
  template <typename U> explicit Complex(const Complex<U> &other) : re(T(other.re)), im(T(other.im)) {}

  Complex &operator+=(const Complex &other) {
    re += other.re;
    im += other.im;
    return *this;
  }
  friend Complex operator*(const Complex &a, const Complex &b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend bool operator==(const Complex &a, const Complex &b) = default;
};

template <typename T> inline constexpr bool isComplex = false;
template <typename T> inline constexpr bool isComplex<Complex<T>> = true;

template <typename T> struct RealOfType {
  using Type = T;
};
template <typename T> struct RealOfType<Complex<T>> {
  using Type = T;
};
/// The type of the parts; of a real type itself.
template <typename T> using RealOf = typename RealOfType<T>::Type;

/// The type that numpy.linalg computes in: that with doubles.
template <typename T> using WideOf = std::conditional_t<isComplex<T>, Complex<double>, double>;

} // namespace quernel::runtime

#endif
