#include "compiler/Emit/DeviceTexts.h"

#include "compiler/Dialect/Quernel.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using llvm::StringRef;

namespace quernel {

static constexpr StringRef sortKernels[] = {"sort_tiles", "sort_merge"};
static constexpr std::pair<StringRef, StringRef> valuesAlone[] = {{"HAS_PLACES", "false"}};
static constexpr std::pair<StringRef, StringRef> withPlaces[] = {{"HAS_PLACES", "true"}};

static constexpr DeviceText sort = {"sort", "sort_kernels", "sort_lines", sortKernels, valuesAlone, true};
static constexpr DeviceText argsort = {"argsort", "sort_kernels", "sort_lines", sortKernels, withPlaces, true};

static constexpr StringRef randomKernels[] = {"random_numbers", "random_state"};
static constexpr DeviceText random = {"random", "random_kernels", "draw_uniform", randomKernels, {}, false};

/// Whether the state of a call of `random` is known to have the words of a generator that a kernel has.
static bool hasKernelOf(func::CallOp call) {
  constexpr unsigned words = 17; // behind three pointers and offsets, nine strides, the sizes of the batch and of `n`
  const auto count = getConstantIntValue(call.getOperand(words));
  return count == 6 || count == 13;
}

/// A routine that a text computes, by a function of it.
struct Row {
  StringRef routine;
  const DeviceText *text;
  StringRef function;
};

static constexpr Row rows[] = {
    {"sort", &sort, "sort_lines"},           {"sort_stable", &sort, "sort_lines"},
    {"argsort", &argsort, "argsort_lines"},  {"argsort_stable", &argsort, "argsort_lines"},
    {"partition", &sort, "partition_lines"}, {"random", &random, "draw_uniform"},
};

/// What the elements of a type are in a kernel.
static StringRef elementName(StringRef type) {
  return llvm::StringSwitch<StringRef>(type)
      .Case("f32", "float")
      .Case("f64", "double")
      .Case("c64", "ComplexPair<float>")
      .Case("c128", "ComplexPair<double>")
      .Cases({"b8", "u8"}, "uint8_t")
      .Case("i8", "int8_t")
      .Case("i16", "int16_t")
      .Case("u16", "uint16_t")
      .Case("i32", "int32_t")
      .Case("u32", "uint32_t")
      .Case("i64", "int64_t")
      .Case("u64", "uint64_t")
      .Default("HalfBits");
}

DeviceTextUse deviceTextOf(func::CallOp call) {
  const auto function = RoutineFunction::find(call.getCallee());
  if (!function)
    return {};
  for (const Row &row : rows)
    if (row.routine == function->routine->name && (row.text != &random || hasKernelOf(call)))
      return {row.text, row.function};
  return {};
}

/// The type that a text is printed for.
static StringRef typeOf(const DeviceText &text, func::CallOp call) {
  return text.isTyped ? RoutineFunction::find(call.getCallee())->type : "";
}

DeviceTexts::DeviceTexts(ModuleOp module, Names &names) {
  module.walk([&](func::CallOp call) {
    const DeviceTextUse use = deviceTextOf(call);
    if (!use || find(use.text, typeOf(*use.text, call)))
      return;
    Printed added = {use.text, typeOf(*use.text, call), {}};
    for (StringRef kernel : use.text->kernels) {
      const StringRef action = kernel.split('_').second;
      const std::string name = (use.text->name + "_" + action).str();
      added.kernels.push_back(names.fresh(added.type.empty() ? name : name + "_" + added.type.str()));
    }
    printed.push_back(std::move(added));
  });
}

const DeviceTexts::Printed *DeviceTexts::find(const DeviceText *text, StringRef type) const {
  auto found = llvm::find_if(printed, [&](const Printed &each) { return each.text == text && each.type == type; });
  return found == printed.end() ? nullptr : &*found;
}

llvm::SmallVector<std::string> DeviceTexts::kernels() const {
  llvm::SmallVector<std::string> all;
  for (const Printed &each : printed)
    all.append(each.kernels.begin(), each.kernels.end());
  return all;
}

unsigned DeviceTexts::firstKernel(func::CallOp call) const {
  const DeviceText *text = deviceTextOf(call).text;
  const Printed *wanted = find(text, typeOf(*text, call));
  unsigned number = 0;
  for (const Printed &each : printed) {
    if (&each == wanted)
      break;
    number += each.kernels.size();
  }
  return number;
}

void DeviceTexts::requireKernels(Prelude &prelude) const {
  for (const Printed &each : printed) {
    llvm::SmallVector<Prelude::Substitution> words;
    for (auto [word, meaning] : each.text->words)
      words.push_back({word, meaning.str()});
    for (auto [word, name] : llvm::zip_equal(each.text->kernels, each.kernels))
      words.push_back({word, name});
    if (each.text->isTyped)
      words.push_back({"TYPE", elementName(each.type).str()});
    prelude.require(each.text->kernelPrelude, words);
  }
}

} // namespace quernel
