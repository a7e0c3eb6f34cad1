// RUN: quernel-opt %s --quernel-carry-in-place --split-input-file --verify-diagnostics

func.func @condition(%x: tensor<4xf64>, %limit: f64) -> tensor<4xf64> {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{'scf.while' op has a condition that makes an array of its own}}
  %r = scf.while (%a = %x) : (tensor<4xf64>) -> (tensor<4xf64>) {
    %s = tensor.extract %a[%c0] : tensor<4xf64>
    %e = tensor.empty() : tensor<4xf64>
    %new = linalg.fill ins(%s : f64) outs(%e : tensor<4xf64>) -> tensor<4xf64>
    %go = arith.cmpf olt, %s, %limit : f64
    scf.condition(%go) %new : tensor<4xf64>
  } do {
  ^bb0(%b: tensor<4xf64>):
    scf.yield %b : tensor<4xf64>
  }
  return %r : tensor<4xf64>
}

// -----

func.func @size(%yes: i1, %n: tensor<2xi64>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error@+1 {{'scf.if' op gives an array whose size is only known inside}}
  %r = scf.if %yes -> (tensor<?xf64>) {
    %s = tensor.extract %n[%c0] : tensor<2xi64>
    %m = arith.index_cast %s : i64 to index
    %e = tensor.empty(%m) : tensor<?xf64>
    scf.yield %e : tensor<?xf64>
  } else {
    %s = tensor.extract %n[%c1] : tensor<2xi64>
    %m = arith.index_cast %s : i64 to index
    %e = tensor.empty(%m) : tensor<?xf64>
    scf.yield %e : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}
