#include "compiler/Dialect/Routines.h"
#include "compiler/Dialect/ElementTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using llvm::StringRef;
using namespace mlir;

namespace quernel {

/// In the order of abi.h.
static constexpr StringRef typeNames[] = {"f32", "f64", "c64", "c128", "b8",  "i8",  "u8",
                                          "i16", "u16", "i32", "u32",  "i64", "u64", "h16"};
static_assert(std::size(typeNames) == QN_TYPES);

/// Operands such as `ij,i:real,` of a signature.
static void readOperands(StringRef text, llvm::SmallVectorImpl<RoutineOperand> &operands) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    auto [axes, element] = part.split(':');
    operands.push_back({axes, llvm::StringSwitch<RoutineElement>(element)
                                  .Case("real", RoutineElement::real)
                                  .Case("complex", RoutineElement::complex)
                                  .Case("places", RoutineElement::places)
                                  .Case("words", RoutineElement::words)
                                  .Case("doubles", RoutineElement::doubles)
                                  .Case("floats", RoutineElement::floats)
                                  .Default(RoutineElement::own)});
  }
}

Routine::Routine(const RoutineRow &row)
    : name(row.name), library(row.library), elements(row.elements), isSquare(row.has(routineTraits::square)),
      mayFail(row.has(routineTraits::mayFail)), hasContiguousResults(row.has(routineTraits::contiguousResults)),
      alwaysEnds(row.has(routineTraits::alwaysEnds)) {
  auto [before, behind] = StringRef(row.signature).split("->");
  readOperands(before, inputs);
  readOperands(behind, outputs);
}

llvm::SmallVector<RoutineOperand> Routine::arrays() const {
  llvm::SmallVector<RoutineOperand> all(inputs.begin(), inputs.end());
  all.append(outputs);
  return all;
}

llvm::SmallVector<char> Routine::letters() const {
  llvm::SmallVector<char> found;
  for (const RoutineOperand &operand : arrays())
    found.append(operand.axes.begin(), operand.axes.end());
  llvm::sort(found);
  found.erase(llvm::unique(found), found.end());
  return found;
}

static llvm::ArrayRef<Routine> routines() {
  static const std::vector<Routine> all(routineRows.begin(), routineRows.end());
  return all;
}

const Routine *findRoutine(StringRef name) {
  const Routine *found = llvm::find_if(routines(), [&](const Routine &routine) { return routine.name == name; });
  return found == routines().end() ? nullptr : found;
}

Type routineElement(RoutineElement element, Type own) {
  auto pair = dyn_cast<ComplexType>(own);
  switch (element) {
  case RoutineElement::own:
    return own;
  case RoutineElement::real:
    return pair ? pair.getElementType() : own;
  case RoutineElement::complex:
    return pair ? own : ComplexType::get(own);
  case RoutineElement::places:
    return IntegerType::get(own.getContext(), 64);
  case RoutineElement::words:
    return IntegerType::get(own.getContext(), 64, IntegerType::Unsigned);
  case RoutineElement::doubles:
    return Float64Type::get(own.getContext());
  case RoutineElement::floats:
    return Float32Type::get(own.getContext());
  }
  llvm_unreachable("an element of no kind");
}

bool Routine::takes(Type element) const {
  return !element.isBF16() && elements.contains(element.isF16() ? 'h' : kindOf(element));
}

static std::string typeName(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return "c" + std::to_string(2 * complex.getElementType().getIntOrFloatBitWidth());
  StringRef letter = element.isF16()               ? "h"
                     : isa<FloatType>(element)     ? "f"
                     : element.isInteger(1)        ? "b"
                     : element.isUnsignedInteger() ? "u"
                                                   : "i";
  return (letter + Twine(element.isInteger(1) ? 8 : element.getIntOrFloatBitWidth())).str();
}

std::string RoutineFunction::nameOf(StringRef routine, Type element) {
  return ("qn_" + routine + "_" + typeName(element)).str();
}

std::optional<RoutineFunction> RoutineFunction::find(StringRef name) {
  if (!name.consume_front("qn_"))
    return std::nullopt;
  auto [routine, type] = name.rsplit('_');
  const Routine *found = findRoutine(routine);
  if (!found || !llvm::is_contained(typeNames, type) || !found->elements.contains(type.front()))
    return std::nullopt;
  return RoutineFunction{found, type};
}

unsigned RoutineFunction::routineNumber() const { return routine - routines().begin(); }

unsigned RoutineFunction::typeNumber() const { return llvm::find(typeNames, type) - std::begin(typeNames); }

} // namespace quernel
