// Eigenvalues of small symmetric matrices, without a call of LAPACK for each.
#ifndef QUERNEL_RUNTIME_SMALLEIGENVALUES_H
#define QUERNEL_RUNTIME_SMALLEIGENVALUES_H

namespace quernel::runtime {

/// The most rows that such matrices have.
inline constexpr int mostEigenRows = 3;

/// The eigenvalues of a matrix in ascending order and, where `vectors` isn't null, its eigenvectors: column k of n rows
/// at vectors[k * n]. Of the matrix, in Fortran's order, the lower triangle is read, and nothing of it stays.
///
/// The steps are those of LAPACK's dsyevd, for vectors with LAPACK's signs. False where that isn't certain: where
/// rounding might turn a decision on the way, where eigenvalues lie so close together that rounding errors choose among
/// their vectors, where numbers are very large or small. Then the outputs hold anything.
bool smallEigenvalues(int n, double *matrix, double *values, double *vectors);

} // namespace quernel::runtime

#endif
