# The one place that pins LLVM.
set(QUERNEL_LLVM_VERSION 22)
set(QUERNEL_LLVM_PREFIX /usr/lib/llvm-${QUERNEL_LLVM_VERSION} CACHE PATH "Where LLVM, MLIR, Clang and LLD are installed")
