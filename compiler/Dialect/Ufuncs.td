// The table of ufuncs. One row: NumPy's name, arity, dtype kinds (b bool, i integer, u unsigned integer, f float,
// c complex), the result (same: the dtype of the operands; bool; part: of complex numbers the float; complex: of floats), cost in
// additions, error bound in ULP (0: bit-identical to NumPy), and the scalar computation. A combiner is what reductions, scans and scatters
// by the ufunc are called, where groups of elements may be combined in any order. Ops, verifiers, documentation, the Python
// registration and the tests against NumPy all come from these rows.
#ifndef QUERNEL_UFUNCS
#define QUERNEL_UFUNCS

include "QuernelDialect.td"
include "QuernelInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Ufunc<string numpyName, int operandCount, string kinds, string result, int cost, int ulp, code scalar>
    : Quernel_Op<numpyName, [Pure, DeclareOpInterfaceMethods<ShapeRuleOpInterface>, DeclareOpInterfaceMethods<ScalarOpInterface>]> {
  string ufuncName = numpyName;
  int ufuncArity = operandCount;
  string ufuncKinds = kinds;
  string ufuncResult = result;
  int ufuncUlp = ulp;
  string ufuncCombiner = "";
  let summary = "`np." # numpyName # "`";
  let arguments = !cond(
    !eq(operandCount, 1): (ins AnyRankedTensor:$x),
    !eq(operandCount, 2): (ins AnyRankedTensor:$x, AnyRankedTensor:$y),
    !eq(operandCount, 3): (ins AnyRankedTensor:$x, AnyRankedTensor:$y, AnyRankedTensor:$z));
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferResults(const ::quernel::InferInput &input, ::llvm::SmallVectorImpl<::quernel::ArrayInfo> &results) {
      return ::quernel::inferUfunc(input, "}] # kinds # [{", "}] # result # [{", results);
    }
    int64_t $cppClass::scalarCost() { return }] # cost # [{; }
    ::mlir::Value $cppClass::lowerScalar(::quernel::ScalarBuilder &s, ::mlir::ValueRange x) {
      (void)s;
      }] # scalar # [{
    }
  }];
}

class Unary<string name, string kinds, int cost, int ulp, code scalar> : Ufunc<name, 1, kinds, "same", cost, ulp, scalar>;
class Binary<string name, string kinds, int cost, int ulp, code scalar> : Ufunc<name, 2, kinds, "same", cost, ulp, scalar>;
class Ternary<string name, string kinds, int cost, int ulp, code scalar> : Ufunc<name, 3, kinds, "same", cost, ulp, scalar>;
class Test<string name, string kinds, code scalar> : Ufunc<name, 1, kinds, "bool", 1, 0, scalar>;
class Compare<string name, code scalar> : Ufunc<name, 2, "biufc", "bool", 1, 0, scalar>;
// A float function of the math dialect, computed by the vector math library.
class Float<string name, string mathOp, int cost = 20, int ulp = 4>
    : Unary<name, "f", cost, ulp, "return s.make<::mlir::math::" # mathOp # ">(x[0]);">;
// The same, and a function of ComplexFunctions.h for complex numbers.
class FloatOrComplex<string name, string mathOp, string complexFunction, int cost = 20, int ulp = 4>
    : Unary<name, "fc", cost, ulp, "return s.isComplex(x[0]) ? ::quernel::complex" # complexFunction # "(s, x[0]) : s.make<::mlir::math::" # mathOp # ">(x[0]);">;

// Arithmetic
let ufuncCombiner = "sum" in
def AddOp : Binary<"add", "biufc", 1, 0, [{ return s.add(x[0], x[1]); }]>;
def SubtractOp : Binary<"subtract", "iufc", 1, 0, [{ return s.sub(x[0], x[1]); }]>;
let ufuncCombiner = "prod" in
def MultiplyOp : Binary<"multiply", "biufc", 1, 0, [{ return s.mul(x[0], x[1]); }]>;
def DivideOp : Binary<"divide", "fc", 6, 0, [{ return s.divide(x[0], x[1]); }]>;
def FloorDivideOp : Binary<"floor_divide", "iuf", 16, 0, [{ return s.floorDivide(x[0], x[1]); }]>;
def RemainderOp : Binary<"remainder", "iuf", 16, 0, [{ return s.remainder(x[0], x[1]); }]>;
def FmodOp : Binary<"fmod", "iuf", 16, 0, [{ return s.fmod(x[0], x[1]); }]>;
def PowerOp : Binary<"power", "iufc", 40, 4, [{ return s.power(x[0], x[1]); }]>;
def NegativeOp : Unary<"negative", "iufc", 1, 0, [{ return s.negate(x[0]); }]>;
def PositiveOp : Unary<"positive", "iufc", 0, 0, [{ return x[0]; }]>;
def AbsoluteOp : Ufunc<"absolute", 1, "biufc", "part", 1, 0, [{ return s.absolute(x[0]); }]>;
def SignOp : Unary<"sign", "iufc", 2, 0, [{ return s.sign(x[0]); }]>;
def SquareOp : Unary<"square", "iufc", 1, 0, [{ return s.mul(x[0], x[0]); }]>;
def ReciprocalOp : Unary<"reciprocal", "iufc", 6, 0, [{ return s.reciprocal(x[0]); }]>;
def SqrtOp : FloatOrComplex<"sqrt", "SqrtOp", "Sqrt", 8, 0>;
def ConjugateOp : Unary<"conjugate", "iufc", 1, 0, [{ return s.conjugate(x[0]); }]>;
def CopysignOp : Binary<"copysign", "f", 1, 0, [{ return s.make<::mlir::math::CopySignOp>(x[0], x[1]); }]>;
def HypotOp : Binary<"hypot", "f", 24, 0, [{ return s.hypot(x[0], x[1]); }]>;
def NextafterOp : Binary<"nextafter", "f", 10, 0, [{ return s.nextafter(x[0], x[1]); }]>;
def SpacingOp : Unary<"spacing", "f", 6, 0, [{ return s.spacing(x[0]); }]>;
def GcdOp : Binary<"gcd", "iu", 400, 0, [{ return s.greatestDivisor(x[0], x[1]); }]>;
def DegreesOp : Unary<"degrees", "f", 1, 4, [{ return s.mul(x[0], s.constantLike(x[0], 57.29577951308232)); }]>;
def RadiansOp : Unary<"radians", "f", 1, 4, [{ return s.mul(x[0], s.constantLike(x[0], 0.017453292519943295)); }]>;

// Exponentials, logarithms, trigonometry
def CbrtOp : Float<"cbrt", "CbrtOp">;
def ExpOp : FloatOrComplex<"exp", "ExpOp", "Exp">;
def Exp2Op : FloatOrComplex<"exp2", "Exp2Op", "Exp2">;
def Expm1Op : FloatOrComplex<"expm1", "ExpM1Op", "Expm1">;
def LogOp : FloatOrComplex<"log", "LogOp", "Log">;
def Log2Op : FloatOrComplex<"log2", "Log2Op", "Log2">;
def Log10Op : FloatOrComplex<"log10", "Log10Op", "Log10">;
def Log1pOp : FloatOrComplex<"log1p", "Log1pOp", "Log1p">;
def SinOp : FloatOrComplex<"sin", "SinOp", "Sin">;
def CosOp : FloatOrComplex<"cos", "CosOp", "Cos">;
def TanOp : FloatOrComplex<"tan", "TanOp", "Tan">;
def ArcsinOp : FloatOrComplex<"arcsin", "AsinOp", "Arcsin">;
def ArccosOp : FloatOrComplex<"arccos", "AcosOp", "Arccos">;
def ArctanOp : FloatOrComplex<"arctan", "AtanOp", "Arctan">;
def Arctan2Op : Binary<"arctan2", "f", 40, 4, [{ return s.make<::mlir::math::Atan2Op>(x[0], x[1]); }]>;
def SinhOp : FloatOrComplex<"sinh", "SinhOp", "Sinh">;
def CoshOp : FloatOrComplex<"cosh", "CoshOp", "Cosh">;
def TanhOp : FloatOrComplex<"tanh", "TanhOp", "Tanh">;
def ArcsinhOp : FloatOrComplex<"arcsinh", "AsinhOp", "Arcsinh">;
def ArccoshOp : FloatOrComplex<"arccosh", "AcoshOp", "Arccosh">;
def ArctanhOp : FloatOrComplex<"arctanh", "AtanhOp", "Arctanh">;
def ErfOp : Float<"erf", "ErfOp">;
def ErfcOp : Float<"erfc", "ErfcOp">;

// Parts of complex numbers
def RealOp : Ufunc<"real", 1, "c", "part", 0, 0, [{ return s.real(x[0]); }]>;
def ImagOp : Ufunc<"imag", 1, "c", "part", 0, 0, [{ return s.imag(x[0]); }]>;
def ComplexOp : Ufunc<"complex", 2, "f", "complex", 0, 0, [{ return s.join(x[0], x[1]); }]>;

// Rounding
def FloorOp : Unary<"floor", "biuf", 1, 0, [{ return s.isFloat(x[0]) ? s.make<::mlir::math::FloorOp>(x[0]) : x[0]; }]>;
def CeilOp : Unary<"ceil", "biuf", 1, 0, [{ return s.isFloat(x[0]) ? s.make<::mlir::math::CeilOp>(x[0]) : x[0]; }]>;
def TruncOp : Unary<"trunc", "biuf", 1, 0, [{ return s.isFloat(x[0]) ? s.make<::mlir::math::TruncOp>(x[0]) : x[0]; }]>;
def RintOp : Unary<"rint", "fc", 1, 0, [{ return s.rint(x[0]); }]>;

// Extremes
let ufuncCombiner = "max" in
def MaximumOp : Binary<"maximum", "biufc", 1, 0, [{ return s.maximum(x[0], x[1]); }]>;
let ufuncCombiner = "min" in
def MinimumOp : Binary<"minimum", "biufc", 1, 0, [{ return s.minimum(x[0], x[1]); }]>;
// The upper bound wins over the lower one.
def ClipOp : Ternary<"clip", "biufc", 2, 0, [{ return s.minimum(s.maximum(x[0], x[1]), x[2]); }]>;
def FmaxOp : Binary<"fmax", "biufc", 1, 0, [{ return s.fmax(x[0], x[1]); }]>;
def FminOp : Binary<"fmin", "biufc", 1, 0, [{ return s.fmin(x[0], x[1]); }]>;

// Comparisons and logic
def EqualOp : Compare<"equal", [{ return s.compare(::quernel::Order::eq, x[0], x[1]); }]>;
def NotEqualOp : Compare<"not_equal", [{ return s.compare(::quernel::Order::ne, x[0], x[1]); }]>;
def LessOp : Compare<"less", [{ return s.compare(::quernel::Order::lt, x[0], x[1]); }]>;
def LessEqualOp : Compare<"less_equal", [{ return s.compare(::quernel::Order::le, x[0], x[1]); }]>;
def GreaterOp : Compare<"greater", [{ return s.compare(::quernel::Order::gt, x[0], x[1]); }]>;
def GreaterEqualOp : Compare<"greater_equal", [{ return s.compare(::quernel::Order::ge, x[0], x[1]); }]>;
let ufuncCombiner = "all" in
def LogicalAndOp : Compare<"logical_and", [{ return s.make<::mlir::arith::AndIOp>(s.truth(x[0]), s.truth(x[1])); }]>;
let ufuncCombiner = "any" in
def LogicalOrOp : Compare<"logical_or", [{ return s.make<::mlir::arith::OrIOp>(s.truth(x[0]), s.truth(x[1])); }]>;
let ufuncCombiner = "xor" in
def LogicalXorOp : Compare<"logical_xor", [{ return s.make<::mlir::arith::XOrIOp>(s.truth(x[0]), s.truth(x[1])); }]>;
def LogicalNotOp : Test<"logical_not", "biufc", [{ return s.invert(s.truth(x[0])); }]>;
def IsnanOp : Test<"isnan", "biufc", [{ return s.isnan(x[0]); }]>;
def IsinfOp : Test<"isinf", "biufc", [{ return s.isinf(x[0]); }]>;
def IsfiniteOp : Test<"isfinite", "biufc", [{ return s.isfinite(x[0]); }]>;
def SignbitOp : Test<"signbit", "f", [{ return s.signbit(x[0]); }]>;

// Bits
let ufuncCombiner = "all" in
def BitwiseAndOp : Binary<"bitwise_and", "biu", 1, 0, [{ return s.make<::mlir::arith::AndIOp>(x[0], x[1]); }]>;
let ufuncCombiner = "any" in
def BitwiseOrOp : Binary<"bitwise_or", "biu", 1, 0, [{ return s.make<::mlir::arith::OrIOp>(x[0], x[1]); }]>;
let ufuncCombiner = "xor" in
def BitwiseXorOp : Binary<"bitwise_xor", "biu", 1, 0, [{ return s.make<::mlir::arith::XOrIOp>(x[0], x[1]); }]>;
def InvertOp : Unary<"invert", "biu", 1, 0, [{ return s.invert(x[0]); }]>;
// Of the absolute value; NumPy gives uint8, to which it is cast.
def BitwiseCountOp : Unary<"bitwise_count", "iu", 8, 0, [{ return s.bitCount(x[0]); }]>;
def LeftShiftOp : Binary<"left_shift", "iu", 1, 0, [{ return s.shift(x[0], x[1], /*left=*/true); }]>;
def RightShiftOp : Binary<"right_shift", "iu", 1, 0, [{ return s.shift(x[0], x[1], /*left=*/false); }]>;

#endif
