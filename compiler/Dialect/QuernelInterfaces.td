#ifndef QUERNEL_INTERFACES
#define QUERNEL_INTERFACES

include "mlir/IR/OpBase.td"

def ShapeRuleOpInterface : OpInterface<"ShapeRuleOpInterface"> {
  let cppNamespace = "::quernel";
  let description = [{
    The one statement of an operation's shape and type rule. The graph builder uses it while a function is traced, the verifier
    checks types with it, and the lowering asks it for sizes.
  }];
  let methods = [
    StaticInterfaceMethod<"Computes shape and element type of every result.", "::llvm::LogicalResult", "inferResults",
      (ins "const ::quernel::InferInput &":$input, "::llvm::SmallVectorImpl<::quernel::ArrayInfo> &":$results)>
  ];
  let verify = [{ return ::quernel::verifyShapeRule($_op, ConcreteOp::inferResults); }];
}

def ScalarOpInterface : OpInterface<"ScalarOpInterface"> {
  let cppNamespace = "::quernel";
  let description = [{ An elementwise operation: one scalar of the result from one scalar of each operand. }];
  let methods = [
    InterfaceMethod<"Builds the scalar computation and returns its value.", "::mlir::Value", "lowerScalar",
      (ins "::quernel::ScalarBuilder &":$s, "::mlir::ValueRange":$x)>,
    StaticInterfaceMethod<"The relative cost of one element, in additions.", "int64_t", "scalarCost">
  ];
}

#endif
