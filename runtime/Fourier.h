// Fourier transforms, by the functions of whoever lends some.
#ifndef QUERNEL_RUNTIME_FOURIER_H
#define QUERNEL_RUNTIME_FOURIER_H

#include "runtime/abi.h"

namespace quernel::runtime {

/// The inner loop of one of NumPy's generalised ufuncs of the signature (n),()->(m), and its data: `operands` are the
/// first elements, `dimensions` the number of lines, n and m, `steps` those from line to line of the three operands and
/// along a line of the first and the last, in bytes. Any thread may call it.
struct Transform {
  using Loop = void (*)(char **operands, const intptr_t *dimensions, const intptr_t *steps, void *data);

  Loop loop = nullptr;
  void *data = nullptr;
};

/// Has a routine of Fourier transforms of elements of a type computed by a function from now on. For the beginning of a
/// process: nobody may transform meanwhile.
void lendTransform(int32_t routine, int32_t type, Transform function);

} // namespace quernel::runtime

#endif
