// Functions of complex numbers from functions of real ones, with the C library's values at infinities, NaN and zeros.
#ifndef QUERNEL_DIALECT_COMPLEXFUNCTIONS_H
#define QUERNEL_DIALECT_COMPLEXFUNCTIONS_H

#include "compiler/Dialect/ScalarBuilder.h"

namespace quernel {

mlir::Value complexSqrt(ScalarBuilder &s, mlir::Value z);
mlir::Value complexExp(ScalarBuilder &s, mlir::Value z);
mlir::Value complexExp2(ScalarBuilder &s, mlir::Value z);
mlir::Value complexExpm1(ScalarBuilder &s, mlir::Value z);
mlir::Value complexLog(ScalarBuilder &s, mlir::Value z);
mlir::Value complexLog2(ScalarBuilder &s, mlir::Value z);
mlir::Value complexLog10(ScalarBuilder &s, mlir::Value z);
mlir::Value complexLog1p(ScalarBuilder &s, mlir::Value z);
mlir::Value complexSin(ScalarBuilder &s, mlir::Value z);
mlir::Value complexCos(ScalarBuilder &s, mlir::Value z);
mlir::Value complexTan(ScalarBuilder &s, mlir::Value z);
mlir::Value complexSinh(ScalarBuilder &s, mlir::Value z);
mlir::Value complexCosh(ScalarBuilder &s, mlir::Value z);
mlir::Value complexTanh(ScalarBuilder &s, mlir::Value z);
mlir::Value complexArcsin(ScalarBuilder &s, mlir::Value z);
mlir::Value complexArccos(ScalarBuilder &s, mlir::Value z);
mlir::Value complexArctan(ScalarBuilder &s, mlir::Value z);
mlir::Value complexArcsinh(ScalarBuilder &s, mlir::Value z);
mlir::Value complexArccosh(ScalarBuilder &s, mlir::Value z);
mlir::Value complexArctanh(ScalarBuilder &s, mlir::Value z);
/// Whole exponents below 100 multiply, as in NumPy.
mlir::Value complexPower(ScalarBuilder &s, mlir::Value x, mlir::Value y);

} // namespace quernel

#endif
