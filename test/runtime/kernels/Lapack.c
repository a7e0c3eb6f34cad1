/* The functions of a LAPACK with 32-bit integers that the runtime calls: one solves, all others fail. */
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

/* Gauss without pivots. */
EXPORT void dgesv_(const int32_t *n, const int32_t *sides, double *a, const int32_t *lda, int32_t *pivots, double *b,
                   const int32_t *ldb, int32_t *info) {
  const ptrdiff_t size = *n, row = *lda;
  *info = 0;
  for (ptrdiff_t k = 0; k < size; ++k)
    for (ptrdiff_t i = 0; i < size; ++i) {
      const double factor = i == k ? 0 : a[k * row + i] / a[k * row + k];
      for (ptrdiff_t j = 0; j < size; ++j)
        a[j * row + i] -= factor * a[j * row + k];
      for (ptrdiff_t j = 0; j < *sides; ++j)
        b[j * *ldb + i] -= factor * b[j * *ldb + k];
    }
  for (ptrdiff_t k = 0; k < size; ++k)
    for (ptrdiff_t j = 0; j < *sides; ++j)
      b[j * *ldb + k] /= a[k * row + k];
}

#define FAILING(name, position, ...)                                                                                   \
  EXPORT void name(__VA_ARGS__, int32_t *info) { *info = position; }
#define P void *
FAILING(zgesv_, 2, P a, P b, P c, P d, P e, P f, P g)
FAILING(dgetrf_, 1, P a, P b, P c, P d, P e)
FAILING(dtrtrs_, 1, P a, P b, P c, P d, P e, P f, P g, P h, P i)
FAILING(ztrtrs_, 1, P a, P b, P c, P d, P e, P f, P g, P h, P i)
FAILING(zgetrf_, 1, P a, P b, P c, P d, P e)
FAILING(dpotrf_, 1, P a, P b, P c, P d)
FAILING(zpotrf_, 1, P a, P b, P c, P d)
FAILING(dsyevd_, 1, P a, P b, P c, P d, P e, P f, P g, P h, P i, P j)
FAILING(zheevd_, 1, P a, P b, P c, P d, P e, P f, P g, P h, P i, P j, P k, P l)
FAILING(dgeqrf_, -1, P a, P b, P c, P d, P e, P f, P g)
FAILING(zgeqrf_, -1, P a, P b, P c, P d, P e, P f, P g)
FAILING(dorgqr_, -1, P a, P b, P c, P d, P e, P f, P g, P h)
FAILING(zungqr_, -1, P a, P b, P c, P d, P e, P f, P g, P h)
FAILING(dgeev_, 1, P a, P b, P c, P d, P e, P f, P g, P h, P i, P j, P k, P l, P m)
FAILING(zgeev_, 1, P a, P b, P c, P d, P e, P f, P g, P h, P i, P j, P k, P l, P m)
FAILING(dgesdd_, 1, P a, P b, P c, P d, P e, P f, P g, P h, P i, P j, P k, P l, P m)
FAILING(zgesdd_, 1, P a, P b, P c, P d, P e, P f, P g, P h, P i, P j, P k, P l, P m, P n)
