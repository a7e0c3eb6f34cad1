// Where the functions of math come from: the processor, NumPy, SLEEF, or libm.
#include "compiler/Emit/CppPrinter.h"
#include "compiler/Emit/Mathematics.h"
#include "runtime/VectorMath.h"

using namespace mlir;

namespace quernel {

static unsigned isaBytes(StringRef isa) { return isa == "avx512f" ? 64 : isa == "avx2" ? 32 : 16; }

static std::string join(unsigned count, llvm::function_ref<std::string(StringRef)> each) {
  std::string text;
  for (unsigned index = 0; index < count; ++index)
    text += (index ? ", " : "") + each(StringRef("xyz").substr(index, 1));
  return text;
}

using Substitutions = llvm::SmallVector<Prelude::Substitution>;

/// The words of a fragment that depend on the function and on the type of its operands.
static Substitutions signature(const MathFunction &function, const std::string &type) {
  unsigned arity = function.arity;
  return {{"NAME", function.name.str()},
          {"TYPES", join(arity, [&](StringRef) { return type; })},
          {"PARAMETERS", join(arity, [&](StringRef name) { return type + " " + name.str(); })},
          {"ARGUMENTS", join(arity, [&](StringRef name) { return name.str(); })},
          {"LANE_ARGUMENTS", join(arity, [&](StringRef name) { return name.str() + "[lane]"; })}};
}

static std::string builtin(const MathFunction &function, Type element) {
  return ("__builtin_" + function.name).str() + (element.isF32() ? "f" : "");
}

void CppPrinter::requireScalarMath(const MathFunction &function, Type element) {
  Substitutions words = signature(function, *scalarName(element));
  words.push_back({"SCALAR", *scalarName(element)});
  words.push_back({"BUILTIN", builtin(function, element)});
  words.push_back({"FABS", element.isF32() ? "__builtin_fabsf" : "__builtin_fabs"});
  prelude.require(function.name == "fmod" ? "scalar_fmod" : "scalar", words);
}

void CppPrinter::requireMath(const MathFunction &function, Type type) {
  auto vector = dyn_cast<VectorType>(type);
  Type element = getElementTypeOrSelf(type);
  if (!function.accuracy.empty() && !options.mathIsa.empty()) {
    auto native = VectorType::get({isaBytes(options.mathIsa) * 8 / element.getIntOrFloatBitWidth()}, element);
    requireVectorFunction(function, element);
    if (vector && vector != native)
      requireVectorWidth(function, vector, native);
    if (!vector && function.name == "fmod")
      return requireScalarMath(function, element);
    if (!vector) {
      Substitutions words = signature(function, *scalarName(element));
      std::string name = vectors.name(native);
      words.push_back({"SCALAR", *scalarName(element)});
      words.push_back(
          {"SPLATS", join(function.arity, [&](StringRef x) { return "splat<" + name + ">(" + x.str() + ")"; })});
      prelude.require("vector_scalar", words);
    }
    return;
  }
  requireScalarMath(function, element);
  if (!vector)
    return;
  Substitutions words = signature(function, vectors.name(vector));
  words.push_back({"VECTOR", vectors.name(vector)});
  words.push_back({"LANES", std::to_string(vector.getNumElements())});
  words.push_back({"__builtin_elementwise_BUILTIN", ("__builtin_elementwise_" + function.elementwise).str()});
  prelude.require(function.elementwise.empty() ? "lanewise" : "elementwise", words);
}

/// The variants that give each lane the same bits whatever is in the others, which the plain ones don't for big angles.
static std::string sleefSymbol(const MathFunction &function, Type element, StringRef isa) {
  std::string kind = isa == "sse4" ? "cinz" : "finz";
  unsigned lanes = isaBytes(isa) * 8 / element.getIntOrFloatBitWidth();
  return ("Sleef_" + kind + "_" + function.name + (element.isF32() ? "f" : "d") + llvm::Twine(lanes) +
          function.accuracy + isa)
      .str();
}

/// The function of `libquernel_math.so`, which is NumPy's; nothing where it has none.
static std::string svmlSymbol(const MathFunction &function, Type element) {
  const bool isSingle = element.isF32();
  const bool isKnown = llvm::any_of(runtime::vectorFunctions, [&](const runtime::VectorFunction &known) {
    return StringRef(known.name) == function.name && known.isSingle == isSingle;
  });
  return isKnown ? ("qn_" + function.name + (isSingle ? "f16" : "d8")).str() : "";
}

namespace {

/// Arguments that are apart, as conditions in C++.
struct Apart {
  std::string flags; ///< those for which the flags that SLEEF leaves say nothing; libm's lanes among them
  std::string libm;  ///< those for which libm answers, and leaves the flags
};

} // namespace

/// Where a function of SLEEF leaves flags of its own steps, or none of what NumPy warns of, or a value that isn't the
/// function's (a remainder by something tiny, or where what it computes on the way overflows). `libm` holds all
/// arguments of which NumPy warns, as what the others of a vector leave is forgotten with them. With AVX-512 the
/// logarithms leave the flag of invalid values where NumPy warns; narrower variants leave none.
static Apart apartOf(StringRef name, bool single, StringRef isa) {
  const std::string size = "fabs(x)", most = single ? "0x1.fffffep127f" : "0x1.fffffffffffffp1023",
                    belowOne = single ? "0x1.fffffep-1f" : "0x1.fffffffffffffp-1", one = single ? "1.0f" : "1.0";
  auto above = [](const std::string &x, const std::string &limit) { return "above(" + x + ", " + limit + ")"; };
  auto below = [&](const std::string &x, const std::string &limit) { return "~" + above(x, limit); };
  auto whole = [](const std::string &condition) { return Apart{condition, condition}; };
  const std::string special = above(size, most);
  const bool isNarrow = isa != "avx512f";
  if (isNarrow && (name == "log" || name == "log2" || name == "log10"))
    return {below("x", single ? "0.0f" : "0.0") + " | " + above("x", most), below("x", single ? "0.0f" : "0.0")};
  if (isNarrow && name == "tan" && !single)
    return {above(size, "1e9"), special};
  if (name == "fmod")
    return whole(single ? "~((fabs(x) < fabs(y) * 1e9f) & (fabs(y) > 1e-30f))"
                        : "~((fabs(x) < fabs(y) * 1e30) & (fabs(y) > 1e-290))");
  if (name == "asin" || name == "acos")
    return {above(size, belowOne) + " | " + below(size, single ? "1e-20f" : "1e-150"), above(size, one)};
  if (name == "asinh") {
    const std::string large = above(size, single ? "1e18f" : "1e150");
    return {large + " | " + below(size, single ? "1e-37f" : "1e-300"), large};
  }
  if (name == "acosh") {
    const std::string large = above(size, single ? "1e18f" : "1e150");
    return {large + " | " + below("x", one), large + " | " + below("x", belowOne)};
  }
  if (name == "atanh")
    return whole(above(size, belowOne));
  if (name == "sinh" || name == "cosh")
    return whole(above(size, single ? "88.0f" : "709.0"));
  if (name == "expm1" || (name == "exp" && !single))
    return {above(size, single ? "88.0f" : "709.0"), above("x", single ? "88.0f" : "709.0")};
  if (name == "exp2" && !single)
    return {above(size, "1023.0"), above("x", "1023.0")};
  if (name == "log1p")
    return whole(above("x", single ? "1e38f" : "1e307") + " | " + above("-x", belowOne));
  if (name == "tan" && single)
    return {above(size, "1e9f") + " | " + below(size, "0x1p-126f"), special};
  if (name == "cbrt" && single)
    return {above(size, isNarrow ? "1e37f" : most) + " | " + below(size, "0x1p-126f"), special};
  return {};
}

/// How far from 0 the arguments of an exponential in single precision reach for which SLEEF's steps leave the flags of
/// its results: those of others are lost, or there are some of the steps' own. Looking at all arguments, as in double
/// precision, would take longer than such an exponential itself.
static std::string farthestOf(StringRef name, bool single) {
  return !single ? "" : name == "exp" ? "150.0f" : name == "exp2" ? "200.0f" : "";
}

/// The results for which libm answers, where arguments don't tell.
static std::string isDoubtful(const MathFunction &function, bool single) {
  if (function.name == "pow")
    return single ? "above(fabs(result), 0x1.fffffep127f)" : "above(fabs(result), 0x1.fffffffffffffp1023)";
  return "";
}

void CppPrinter::requireVectorFunction(const MathFunction &function, Type element) {
  unsigned lanes = isaBytes(options.mathIsa) * 8 / element.getIntOrFloatBitWidth();
  auto type = VectorType::get({lanes}, element);
  std::string vector = vectors.name(type);
  Substitutions words = signature(function, vector);
  words.push_back({"VECTOR", vector});
  if (std::string symbol = options.svml ? svmlSymbol(function, element) : ""; !symbol.empty()) {
    // The flags that these leave are those of NumPy's warnings.
    callsSvml = true;
    words.push_back({"SYMBOL", symbol});
    return prelude.require("vector_function", words);
  }
  callsSleef = true;
  Apart apart = apartOf(function.name, element.isF32(), options.mathIsa);
  std::string doubtful = isDoubtful(function, element.isF32());
  if (StringRef(apart.flags + doubtful).contains("fabs"))
    requireMath(*findMathFunction("fabs"), type);
  words.push_back({"SYMBOL", sleefSymbol(function, element, options.mathIsa)});
  words.push_back({"LANES", std::to_string(lanes)});
  words.push_back({"BUILTIN", builtin(function, element)});
  words.push_back({"CONDITION", apart.flags.empty() ? doubtful : apart.flags});
  words.push_back({"BEYOND", apart.libm});
  const std::string farthest = farthestOf(function.name, element.isF32());
  words.push_back({"LIMIT", farthest});
  prelude.require(!apart.flags.empty() ? "sleef_patched"
                  : !doubtful.empty()  ? "sleef_checked"
                  : !farthest.empty()  ? "sleef_clamped"
                                       : "vector_function",
                  words);
}

void CppPrinter::requireVectorWidth(const MathFunction &function, VectorType type, VectorType native) {
  std::string vector = vectors.name(type), part = "part<" + vectors.name(native) + ">(";
  Substitutions words = signature(function, vector);
  words.push_back({"VECTOR", vector});
  words.push_back({"NATIVE", vectors.name(native)});
  words.push_back({"PART_ARGUMENTS", join(function.arity, [&](StringRef x) { return part + x.str() + ", at)"; })});
  words.push_back({"PAD_ARGUMENTS", join(function.arity, [&](StringRef x) { return part + x.str() + ", 0)"; })});
  prelude.require(type.getNumElements() > native.getNumElements() ? "vector_wide" : "vector_narrow", words);
}

} // namespace quernel
