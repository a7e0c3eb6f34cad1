#ifndef QUERNEL_DIALECT
#define QUERNEL_DIALECT

include "mlir/IR/OpBase.td"

def Quernel_Dialect : Dialect {
  let name = "quernel";
  let cppNamespace = "::quernel";
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let extraClassDeclaration = [{ void registerAttributes(); }];
  let summary = "NumPy's array primitives on tensors";
  let description = [{
    One operation per NumPy primitive, in value semantics. Operands already have the dtypes of the NumPy loop that runs
    (`quernel.cast` makes conversions explicit), shapes follow NumPy's broadcasting, and a size that isn't constant is an
    affine expression over the symbols of the enclosing function.

    ```mlir
    func.func @f(%x: tensor<?x2xf64> {quernel.argument = #quernel.argument<"x", shape = affine_map<()[n0] -> (n0, 2)>>}) -> tensor<?xf64> {
      %0 = quernel.square %x : (tensor<?x2xf64>) -> tensor<?x2xf64>
      %1 = quernel.reduce %0 {kind = "sum", axes = array<i64: 1>} : (tensor<?x2xf64>) -> tensor<?xf64>
      return %1 : tensor<?xf64>
    }
    ```
  }];
}

class Quernel_Op<string mnemonic, list<Trait> traits = []> : Op<Quernel_Dialect, mnemonic, traits>;

#endif
