// Where the functions of math come from: the processor, SLEEF, or libm.
#include "compiler/Emit/CppPrinter.h"
#include "compiler/Emit/Mathematics.h"

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
  prelude.require("scalar", words);
}

void CppPrinter::requireMath(const MathFunction &function, Type type) {
  auto vector = dyn_cast<VectorType>(type);
  Type element = getElementTypeOrSelf(type);
  if (!function.accuracy.empty() && !options.mathIsa.empty()) {
    auto native = VectorType::get({isaBytes(options.mathIsa) * 8 / element.getIntOrFloatBitWidth()}, element);
    requireSleef(function, element);
    if (vector && vector != native)
      requireSleefWidth(function, vector, native);
    if (!vector) {
      Substitutions words = signature(function, *scalarName(element));
      std::string name = vectors.name(native);
      words.push_back({"SCALAR", *scalarName(element)});
      words.push_back(
          {"SPLATS", join(function.arity, [&](StringRef x) { return "splat<" + name + ">(" + x.str() + ")"; })});
      prelude.require("sleef_scalar", words);
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

/// The arguments for which libm answers: where SLEEF's value is not the function's (a remainder by something tiny, or
/// where what it computes on the way overflows), and where it leaves no flag of what NumPy warns of: a result beyond
/// the greatest number, an argument outside of the domain.
static std::string outOfRange(const MathFunction &function, bool single) {
  if (function.name == "fmod")
    return single ? "~((fabs(x) < fabs(y) * 1e9f) & (fabs(y) > 1e-30f))"
                  : "~((fabs(x) < fabs(y) * 1e30) & (fabs(y) > 1e-290))";
  if (function.name == "asinh" || function.name == "acosh")
    return single ? "above(fabs(x), 1e18f)" : "above(fabs(x), 1e150)";
  if (function.name == "sinh" || function.name == "cosh")
    return single ? "above(fabs(x), 88.0f)" : "above(fabs(x), 709.0)";
  if (function.name == "log1p")
    return single ? "above(x, 1e38f) | above(-x, 1.0f)" : "above(x, 1e307) | above(-x, 1.0)";
  if (function.name == "atanh")
    return single ? "above(fabs(x), 1.0f)" : "above(fabs(x), 1.0)";
  if (function.name == "expm1")
    return single ? "above(x, 100.0f)" : "above(x, 710.0)";
  return "";
}

/// The results for which libm answers, where arguments don't tell.
static std::string isDoubtful(const MathFunction &function, bool single) {
  if (function.name == "pow")
    return single ? "above(fabs(result), 0x1.fffffep127f)" : "above(fabs(result), 0x1.fffffffffffffp1023)";
  return "";
}

void CppPrinter::requireSleef(const MathFunction &function, Type element) {
  unsigned lanes = isaBytes(options.mathIsa) * 8 / element.getIntOrFloatBitWidth();
  auto type = VectorType::get({lanes}, element);
  std::string vector = vectors.name(type);
  std::string beyond = outOfRange(function, element.isF32()), doubtful = isDoubtful(function, element.isF32());
  if (StringRef(beyond + doubtful).contains("fabs"))
    requireMath(*findMathFunction("fabs"), type);
  Substitutions words = signature(function, vector);
  words.push_back({"VECTOR", vector});
  words.push_back({"SYMBOL", sleefSymbol(function, element, options.mathIsa)});
  words.push_back({"LANES", std::to_string(lanes)});
  words.push_back({"BUILTIN", builtin(function, element)});
  words.push_back({"CONDITION", beyond.empty() ? doubtful : beyond});
  prelude.require(!beyond.empty() ? "sleef_patched" : !doubtful.empty() ? "sleef_checked" : "sleef", words);
}

void CppPrinter::requireSleefWidth(const MathFunction &function, VectorType type, VectorType native) {
  std::string vector = vectors.name(type), part = "part<" + vectors.name(native) + ">(";
  Substitutions words = signature(function, vector);
  words.push_back({"VECTOR", vector});
  words.push_back({"NATIVE", vectors.name(native)});
  words.push_back({"PART_ARGUMENTS", join(function.arity, [&](StringRef x) { return part + x.str() + ", at)"; })});
  words.push_back({"PAD_ARGUMENTS", join(function.arity, [&](StringRef x) { return part + x.str() + ", 0)"; })});
  prelude.require(type.getNumElements() > native.getNumElements() ? "sleef_wide" : "sleef_narrow", words);
}

} // namespace quernel
