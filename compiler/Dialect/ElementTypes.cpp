#include "compiler/Dialect/ElementTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace quernel;

Type quernel::elementTypeOf(StringRef dtype, MLIRContext *context) {
  if (dtype == "bool")
    return IntegerType::get(context, 1);
  if (dtype == "bfloat16")
    return BFloat16Type::get(context);
  unsigned bits = 0;
  auto isKind = [&](StringRef kind) {
    StringRef rest = dtype;
    return rest.consume_front(kind) && !rest.getAsInteger(10, bits);
  };
  auto floating = [&](unsigned width) -> Type {
    if (width == 16)
      return Float16Type::get(context);
    if (width == 32)
      return Float32Type::get(context);
    return width == 64 ? Type(Float64Type::get(context)) : Type();
  };
  auto isWidth = [&] { return bits == 8 || bits == 16 || bits == 32 || bits == 64; };
  if (isKind("int") && isWidth())
    return IntegerType::get(context, bits);
  if (isKind("uint") && isWidth())
    return IntegerType::get(context, bits, IntegerType::Unsigned);
  if (isKind("float"))
    return floating(bits);
  if (isKind("complex") && bits > 32)
    if (Type part = floating(bits / 2))
      return ComplexType::get(part);
  return Type();
}

char quernel::kindOf(Type element) {
  if (element.isInteger(1))
    return 'b';
  if (isa<ComplexType>(element))
    return 'c';
  if (isa<FloatType>(element))
    return 'f';
  return element.isUnsignedInteger() ? 'u' : 'i';
}

static unsigned bitsOf(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * bitsOf(complex.getElementType());
  return element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
}

std::string quernel::dtypeName(Type element) {
  if (element.isBF16())
    return "bfloat16";
  switch (kindOf(element)) {
  case 'b':
    return "bool";
  case 'i':
    return "int" + std::to_string(bitsOf(element));
  case 'u':
    return "uint" + std::to_string(bitsOf(element));
  case 'c':
    return "complex" + std::to_string(bitsOf(element));
  default:
    return "float" + std::to_string(bitsOf(element));
  }
}

int64_t quernel::elementBytes(Type element) { return llvm::divideCeil(bitsOf(element), 8); }

Type quernel::signless(Type type) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    return shaped.clone(signless(shaped.getElementType()));
  auto integer = dyn_cast<IntegerType>(type);
  return integer && !integer.isSignless() ? IntegerType::get(type.getContext(), integer.getWidth()) : type;
}

DenseElementsAttr quernel::signless(DenseElementsAttr elements) {
  Type element = elements.getElementType(), target = signless(element);
  return element == target ? elements : elements.bitcast(target);
}

ArrayAttr quernel::signedTypes(MLIRContext *context, TypeRange types) {
  bool hasSign = llvm::any_of(types, [](Type type) { return signless(type) != type; });
  return hasSign ? Builder(context).getTypeArrayAttr(llvm::to_vector(types)) : ArrayAttr();
}

Location quernel::withType(Location loc, Type type) {
  bool isPlain = !isa<ShapedType>(type) && signless(type) == type;
  return isPlain ? loc : FusedLoc::get(loc.getContext(), {loc}, TypeAttr::get(type));
}

Type quernel::typeAt(Location loc, Type element) {
  Type found = element;
  loc->walk([&](Location inner) {
    auto fused = dyn_cast<FusedLoc>(inner);
    auto known = fused ? dyn_cast_or_null<TypeAttr>(fused.getMetadata()) : TypeAttr();
    if (!known || signless(getElementTypeOrSelf(known.getValue())) != element)
      return WalkResult::advance();
    found = known.getValue();
    return WalkResult::interrupt();
  });
  return found;
}
