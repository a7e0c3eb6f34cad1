#include "compiler/Dialect/Routines.h"
#include "llvm/ADT/STLExtras.h"

using llvm::StringRef;
using namespace mlir;

namespace quernel {

using Operands = llvm::ArrayRef<RoutineOperand>;
using enum RoutineElement;
using enum Routine::Library;

static constexpr RoutineOperand matrix[] = {{"ij"}}, systems[] = {{"ij"}, {"ik"}};
static constexpr RoutineOperand solution[] = {{"ik"}}, values[] = {{"i", real}}, system[] = {{"i", real}, {"ij"}};
static constexpr RoutineOperand complexValues[] = {{"i", complex}}, complexSystem[] = {{"i", complex}, {"ij", complex}};
static constexpr RoutineOperand number[] = {{""}}, signAndLogarithm[] = {{""}, {"", real}};
static constexpr RoutineOperand qr[] = {{"ik"}, {"kj"}}, completeQr[] = {{"ii"}, {"ij"}}, triangle[] = {{"kj"}};
static constexpr RoutineOperand svd[] = {{"ik"}, {"k", real}, {"kj"}}, fullSvd[] = {{"ii"}, {"k", real}, {"jj"}};
static constexpr RoutineOperand singularValues[] = {{"k", real}};
static constexpr RoutineOperand line[] = {{"i"}}, order[] = {{"i", places}}, lineAndPlaces[] = {{"i"}, {"j", places}};
static constexpr RoutineOperand scaled[] = {{"i"}, {"", real}}, complexLine[] = {{"j", complex}};
static constexpr RoutineOperand realLine[] = {{"j", real}};

/// The names are those of abi.h.
static const Routine routines[] = {
    {"solve", lapack, systems, solution, "fc", true, true},
    {"inv", lapack, matrix, matrix, "fc", true, true},
    {"cholesky", lapack, matrix, matrix, "fc", true, true},
    {"eigh", lapack, matrix, system, "fc", true, true},
    {"eigvalsh", lapack, matrix, values, "fc", true, true},
    {"eig", lapack, matrix, complexSystem, "fc", true, true},
    {"eigvals", lapack, matrix, complexValues, "fc", true, true},
    {"det", lapack, matrix, number, "fc", true},
    {"slogdet", lapack, matrix, signAndLogarithm, "fc", true},
    {"qr", lapack, matrix, qr, "fc", false, true},
    {"qr_complete", lapack, matrix, completeQr, "fc", false, true},
    {"qr_r", lapack, matrix, triangle, "fc", false, true},
    {"svd", lapack, matrix, svd, "fc", false, true},
    {"svd_full", lapack, matrix, fullSvd, "fc", false, true},
    {"svdvals", lapack, matrix, singularValues, "fc", false, true},
    {"sort", sorting, line, line, "bifc"},
    {"sort_stable", sorting, line, line, "bifc"},
    {"argsort", sorting, line, order, "bifc"},
    {"argsort_stable", sorting, line, order, "bifc"},
    {"partition", sorting, lineAndPlaces, line, "bifc"},
    {"fft", fourier, scaled, complexLine, "c"},
    {"ifft", fourier, scaled, complexLine, "c"},
    {"rfft_n_even", fourier, scaled, complexLine, "f"},
    {"rfft_n_odd", fourier, scaled, complexLine, "f"},
    {"irfft", fourier, scaled, realLine, "c"},
};

llvm::SmallVector<char> Routine::letters() const {
  llvm::SmallVector<char> found;
  for (Operands operands : {inputs, outputs})
    for (const RoutineOperand &operand : operands)
      found.append(operand.axes.begin(), operand.axes.end());
  llvm::sort(found);
  found.erase(llvm::unique(found), found.end());
  return found;
}

const Routine *findRoutine(StringRef kind) {
  const auto *found = llvm::find_if(routines, [&](const Routine &routine) { return routine.kind == kind; });
  return found == std::end(routines) ? nullptr : found;
}

Type routineElement(RoutineElement element, Type own) {
  auto pair = dyn_cast<ComplexType>(own);
  switch (element) {
  case RoutineElement::own:
    return own;
  case RoutineElement::real:
    return pair ? pair.getElementType() : own;
  case RoutineElement::complex:
    return pair ? own : ComplexType::get(own);
  case RoutineElement::places:
    return IntegerType::get(own.getContext(), 64);
  }
  llvm_unreachable("an element of no kind");
}

} // namespace quernel
