#include "compiler/Emit/Types.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace quernel {

std::optional<std::string> scalarName(Type type) {
  if (type.isF64())
    return "double";
  if (type.isF32())
    return "float";
  if (type.isF16())
    return "_Float16";
  if (type.isBF16())
    return "int16_t"; // its bits: Clang has calls for what a processor doesn't know of a __bf16
  if (type.isIndex())
    return "int64_t";
  if (type.isSignlessInteger(1))
    return "bool";
  for (unsigned bits : {8, 16, 32, 64})
    if (type.isSignlessInteger(bits))
      return "int" + std::to_string(bits) + "_t";
  return std::nullopt;
}

std::string unsignedName(StringRef name) { return "u" + (name.starts_with("int") ? name : name.drop_front()).str(); }

unsigned elementBits(Type type) {
  if (type.isIndex())
    return 64;
  return type.isInteger(1) ? 8 : type.getIntOrFloatBitWidth();
}

bool isNarrow(Type type) { return type.isSignlessInteger(8) || type.isSignlessInteger(16); }

bool hasNoLiterals(Type type) { return isNarrow(type) || type.isF16() || type.isBF16(); }

bool isPrintableVector(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() == 1 && !vector.isScalable() && llvm::isPowerOf2_64(vector.getNumElements()) &&
         scalarName(vector.getElementType());
}

bool isMask(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getElementType().isInteger(1);
}

std::string VectorTypes::add(StringRef scalar, char kind, unsigned bits, int64_t lanes) {
  std::string name = kind + std::to_string(bits) + "x" + std::to_string(lanes);
  if (llvm::none_of(used, [&](const Definition &definition) { return definition.name == name; }))
    used.push_back({name, scalar.str(), bits / 8 * static_cast<uint64_t>(lanes)});
  return name;
}

std::string VectorTypes::name(VectorType type) {
  Type element = type.getElementType();
  assert(!element.isInteger(1) && "a mask has no width of its own");
  const bool isFloat = isa<FloatType>(element) && !element.isBF16();
  return add(*scalarName(element), isFloat ? 'f' : 'i', elementBits(element), type.getNumElements());
}

std::string VectorTypes::integerName(unsigned bits, int64_t lanes, bool isSigned) {
  std::string scalar = (isSigned ? "int" : "uint") + std::to_string(bits) + "_t";
  return add(scalar, isSigned ? 'i' : 'u', bits, lanes);
}

std::string VectorTypes::definitions() const {
  std::string text;
  for (const auto &[name, scalar, bytes] : used)
    text += "typedef " + scalar + " " + name + " __attribute__((vector_size(" + std::to_string(bytes) + ")));\n";
  return text;
}

/// True if the name stands in the text as a whole word.
static bool mentions(StringRef text, StringRef word) {
  for (size_t at = text.find(word); at != StringRef::npos; at = text.find(word, at + 1))
    if (at == 0 || !llvm::isAlnum(text[at - 1]))
      return true;
  return false;
}

std::string integerDefinitions(StringRef text, bool withMacros) {
  static const std::pair<unsigned, const char *> sizes[] = {
      {8, "signed char"}, {16, "short"}, {32, "int"}, {64, "long long"}};
  std::string definitions;
  for (auto [bits, plain] : sizes)
    for (StringRef sign : {"int", "uint"}) {
      std::string name = (sign + llvm::Twine(bits) + "_t").str();
      if (!mentions(text, name))
        continue;
      std::string unsignedPlain = bits == 8 ? "unsigned char" : std::string("unsigned ") + plain;
      std::string type = withMacros      ? "__" + sign.upper() + std::to_string(bits) + "_TYPE__"
                         : sign == "int" ? plain
                                         : unsignedPlain;
      definitions += "typedef " + type + " " + name + ";\n";
    }
  if (mentions(text, "uintptr_t"))
    definitions += "typedef __UINTPTR_TYPE__ uintptr_t;\n";
  return definitions;
}

} // namespace quernel
