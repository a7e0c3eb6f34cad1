// RUN: quernel-opt %s --quernel-bind-buffers --quernel-coalesce-buffers --verify-diagnostics

func.func @size(%yes: tensor<i1> {quernel.argument = #quernel.argument<scalar>}, %n: tensor<2xi64>) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c = tensor.extract %yes[] : tensor<i1>
  // expected-error@+1 {{'scf.if' op needs an array whose size is only known later}}
  %r = scf.if %c -> (tensor<?xf64>) {
    %s = tensor.extract %n[%c0] : tensor<2xi64>
    %m = arith.index_cast %s : i64 to index
    %t = arith.sitofp %s : i64 to f64
    %e = tensor.empty(%m) : tensor<?xf64>
    %f = linalg.fill ins(%t : f64) outs(%e : tensor<?xf64>) -> tensor<?xf64>
    scf.yield %f : tensor<?xf64>
  } else {
    %s = tensor.extract %n[%c1] : tensor<2xi64>
    %m = arith.index_cast %s : i64 to index
    %t = arith.sitofp %s : i64 to f64
    %e = tensor.empty(%m) : tensor<?xf64>
    %f = linalg.fill ins(%t : f64) outs(%e : tensor<?xf64>) -> tensor<?xf64>
    scf.yield %f : tensor<?xf64>
  }
  %v = tensor.extract %r[%c0] : tensor<?xf64>
  return %v : f64
}
