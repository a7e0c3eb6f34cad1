// NumPy's LAPACK, found in the process.
#ifndef QUERNEL_RUNTIME_LAPACK_H
#define QUERNEL_RUNTIME_LAPACK_H

#include <array>
#include <cstdint>
#include <string>

namespace quernel::runtime {

/// The functions that programs need; `Evd` and `Gqr` have other names for real and for complex elements.
enum class LapackFunction { Gesv, Getrf, Trtrs, Potrf, Evd, Geqrf, Gqr, Gesdd, Geev, Count };

/// A LAPACK with Fortran's interface. `wide` says that its integers have 64 bits; else every size must fit 32.
struct Lapack {
  using Table = std::array<void *, size_t(LapackFunction::Count)>;

  std::string library;
  bool wide = false;
  /// For doubles and for complex elements of doubles: NumPy computes with no others.
  Table real{}, complex{};

  /// Calls a function, whose parameters are all pointers. Behind them Fortran has the lengths of up to three texts.
  template <typename... Parameters>
  static void call(const Table &table, LapackFunction function, Parameters... parameters) {
    using Signature = void(Parameters..., size_t, size_t, size_t);
    reinterpret_cast<Signature *>(table[size_t(function)])(parameters..., 1, 1, 1);
  }
};

/// The LAPACK that numpy.linalg's extension module, `_umath_linalg`, is linked to; in a process without NumPy that of
/// the BLAS, if it has one. The answer is kept once there is one; null as long as there is none.
const Lapack *findLapack();

/// The functions of a library that is loaded already, or of one that it is linked to; `library` is empty where the
/// library isn't loaded, or where functions are missing.
Lapack openLapack(const std::string &path);

} // namespace quernel::runtime

#endif
