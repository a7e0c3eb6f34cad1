#include "compiler/Dialect/TargetInfo.h"
#include "compiler/Dialect/Attributes.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace quernel;

TargetInfo quernel::targetOf(Operation *op) {
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  auto known = module ? module->getAttrOfType<TargetAttr>(attributeNames::target) : TargetAttr();
  return known ? known.info() : TargetInfo();
}

void quernel::setTarget(Operation *module, const TargetInfo &target) {
  module->setDiscardableAttr(attributeNames::target, TargetAttr::of(module->getContext(), target));
}
