#include "compiler/Driver/Driver.h"
#include "compiler/Toolchain/Clang.h"

using namespace quernel;

// A function with a loop goes through all of Clang's stages. A longer text would find more tables built and more pages
// read later on, but where no processor is idle each millisecond here is one that the first call waits.
void quernel::warmUp() {
  llvm::consumeError(
      compileToObject("void warmUp(double *x, long n) { for (long i = 0; i < n; ++i) x[i] += 1; }", Target::host())
          .takeError());
}
