#include "compiler/Dialect/LinalgRoutines.h"
#include "llvm/ADT/STLExtras.h"

using llvm::StringRef;

namespace quernel {

static constexpr StringRef matrix[] = {"ij"}, systems[] = {"ij", "ik"};
static constexpr StringRef solution[] = {"ik"}, values[] = {"i"}, system[] = {"i", "ij"}, number[] = {""};
static constexpr StringRef numbers[] = {"", ""}, qr[] = {"ik", "kj"}, completeQr[] = {"ii", "ij"}, triangle[] = {"kj"};
static constexpr StringRef svd[] = {"ik", "k", "kj"}, fullSvd[] = {"ii", "k", "jj"}, singularValues[] = {"k"};

/// The names are those of abi.h.
static const LinalgRoutine routines[] = {
    {"solve", true, systems, solution, -1},
    {"inv", true, matrix, matrix, -1},
    {"cholesky", true, matrix, matrix, -1},
    {"eigh", true, matrix, system, 0},
    {"eigvalsh", true, matrix, values, 0},
    {"det", true, matrix, number, -1},
    {"slogdet", true, matrix, numbers, 1},
    {"qr", false, matrix, qr, -1},
    {"qr_complete", false, matrix, completeQr, -1},
    {"qr_r", false, matrix, triangle, -1},
    {"svd", false, matrix, svd, 1},
    {"svd_full", false, matrix, fullSvd, 1},
    {"svdvals", false, matrix, singularValues, 0},
};

const LinalgRoutine *findLinalgRoutine(StringRef kind) {
  const auto *found = llvm::find_if(routines, [&](const LinalgRoutine &routine) { return routine.kind == kind; });
  return found == std::end(routines) ? nullptr : found;
}

} // namespace quernel
