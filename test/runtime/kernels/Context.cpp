// The contexts of a process, for test_matmul_bits.py.
#include "runtime/Context.h"

extern "C" __attribute__((visibility("default"))) const qn_context *quernel_test_context(int threads) {
  return &quernel::runtime::context(threads);
}
