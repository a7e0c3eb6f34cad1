#include "compiler/Toolchain/ModuleParts.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace quernel {

/// Instructions, as Clang's front end makes them, that take about 8 ms to compile: three times what a part costs.
static constexpr size_t shortestPart = 1200;
static constexpr size_t mostParts = 4;

namespace {

/// Functions that stay together.
struct Unit {
  SmallVector<Function *> functions;
  size_t instructions = 0;
};

} // namespace

/// The text's functions but its entries, by what calls what. Only an entry may be in another part than what it calls.
static std::vector<Unit> unitsOf(Module &module) {
  EquivalenceClasses<Function *> together;
  for (Function &function : module) {
    if (!function.hasLocalLinkage() || function.isDeclaration())
      continue;
    together.insert(&function);
    for (Instruction &instruction : instructions(function))
      for (Value *operand : instruction.operands())
        if (auto *other = dyn_cast<Function>(operand); other && other->hasLocalLinkage())
          together.unionSets(&function, other);
  }
  MapVector<Function *, Unit> units;
  for (Function &function : module) {
    if (!function.hasLocalLinkage() || function.isDeclaration())
      continue;
    Unit &unit = units[together.getLeaderValue(&function)];
    unit.functions.push_back(&function);
    unit.instructions += function.getInstructionCount();
  }
  std::vector<Unit> result;
  for (auto &[leader, unit] : units)
    result.push_back(std::move(unit));
  return result;
}

/// True where a function of the text is used by more than instructions of functions (an address in a constant, say), or
/// inline functions use one, or something is stored that all functions share: then a part can't have it alone.
static bool hangsTogether(Module &module) {
  for (GlobalVariable &variable : module.globals())
    if (!variable.isDeclaration() && !variable.isConstant())
      return true;
  for (Function &function : module)
    if (function.hasLocalLinkage())
      for (User *user : function.users()) {
        auto *instruction = dyn_cast<Instruction>(user);
        if (!instruction || instruction->getFunction()->hasLinkOnceLinkage())
          return true;
      }
  return !module.alias_empty() || !module.ifunc_empty();
}

/// Drops functions that nothing in the module calls.
static void dropUnused(Module &module) {
  for (bool dropped = true; dropped;) {
    dropped = false;
    for (Function &function : llvm::make_early_inc_range(module))
      if (function.use_empty() && (function.isDeclaration() || function.isDiscardableIfUnused())) {
        function.eraseFromParent();
        dropped = true;
      }
  }
}

std::vector<std::string> splitModule(Module &module) {
  size_t instructions = 0;
  for (Function &function : module)
    instructions += function.getInstructionCount();
  const size_t count = std::min(mostParts, instructions / shortestPart);
  if (count < 2 || hangsTogether(module))
    return {};
  std::vector<Unit> units = unitsOf(module);
  if (units.size() < 2)
    return {};
  llvm::stable_sort(units, [](const Unit &a, const Unit &b) { return a.instructions > b.instructions; });
  std::vector<size_t> sizes(std::min(count, units.size()));
  DenseMap<const GlobalValue *, size_t> partOf;
  for (const Unit &unit : units) {
    size_t part = llvm::min_element(sizes) - sizes.begin();
    sizes[part] += unit.instructions;
    for (Function *function : unit.functions)
      partOf[function] = part;
  }
  const size_t last = llvm::min_element(sizes) - sizes.begin(); // of the entries
  for (Function &function : module) {
    if (!function.hasLocalLinkage() || function.isDeclaration())
      continue;
    function.setLinkage(GlobalValue::ExternalLinkage);
    function.setVisibility(GlobalValue::HiddenVisibility);
  }
  std::vector<std::string> parts;
  for (size_t part = 0; part < sizes.size(); ++part) {
    ValueToValueMapTy map;
    std::unique_ptr<Module> clone = CloneModule(module, map, [&](const GlobalValue *value) {
      if (auto found = partOf.find(value); found != partOf.end())
        return found->second == part;
      return part == last || value->hasLinkOnceLinkage() || value->hasLocalLinkage();
    });
    dropUnused(*clone);
    raw_string_ostream stream(parts.emplace_back());
    WriteBitcodeToFile(*clone, stream);
  }
  return parts;
}

} // namespace quernel
