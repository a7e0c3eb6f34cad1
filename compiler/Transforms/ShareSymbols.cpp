// Symbols of one value become one, and checks of one condition are made once.
#include "compiler/Transforms/Passes.h"
#include "mlir/IR/Dominance.h"

namespace quernel {
#define GEN_PASS_DEF_SHARESYMBOLS
#include "compiler/Transforms/Passes.h.inc"
} // namespace quernel

using namespace mlir;
using namespace quernel;

namespace {

/// Writes one symbol for another in all sizes.
void replaceSymbol(func::FuncOp function, unsigned from, unsigned to) {
  AffineExpr old = getAffineSymbolExpr(from, function.getContext()),
             made = getAffineSymbolExpr(to, function.getContext());
  function.walk([&](Operation *op) {
    for (NamedAttribute attribute : llvm::to_vector(op->getAttrs()))
      if (auto map = dyn_cast<AffineMapAttr>(attribute.getValue()))
        op->setAttr(attribute.getName(), AffineMapAttr::get(map.getValue().replace(
                                             old, made, map.getValue().getNumDims(), map.getValue().getNumSymbols())));
  });
}

struct ShareSymbols : quernel::impl::ShareSymbolsBase<ShareSymbols> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    getOperation().walk([&](Block *block) { share(*block); });
  }

  /// In one block alone, where the first of two has been carried out when the second is come to.
  void share(Block &block) {
    llvm::DenseMap<Value, SymbolOp> symbols;
    llvm::DenseSet<Value> checked;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto check = dyn_cast<CheckOp>(op)) {
        if (!checked.insert(check.getOk()).second)
          check.erase();
      } else if (auto symbol = dyn_cast<SymbolOp>(op)) {
        auto [entry, isNew] = symbols.try_emplace(symbol.getValue(), symbol);
        SymbolOp first = entry->second;
        if (isNew || first.getLowerAttr() != symbol.getLowerAttr() || first.getUpperAttr() != symbol.getUpperAttr())
          continue;
        replaceSymbol(getOperation(), symbol.getNumber(), first.getNumber());
        symbol.erase();
      }
    }
  }
};

} // namespace
