#include "compiler/Toolchain/SkippedPasses.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/Passes/PassBuilder.h"

#include <memory>

using llvm::StringRef;

namespace quernel {

namespace {

/// A pass that the optimizer leaves out.
struct Skipped {
  /// What the name begins with.
  StringRef pass;
  /// The times that are left out of those that the pass runs for one function, a bit each; all where it is 0.
  unsigned times = 0;
};

constexpr unsigned first = 1 << 0, third = 1 << 2, fifth = 1 << 4, seventh = 1 << 6;

// What our own passes have done already, and what the text has nothing for: together a tenth of Clang's time. What
// isn't here was measured to be worth its time: unrolling loops in full before they are vectorised, say, or loads that
// a later turn of a loop finds in a register (LoopLoadElimination).
const Skipped skipped[] = {
    // They look at every function once for each function, and the runtime's threads need no OpenMP.
    {"OpenMPOpt"},
    // Constants that go from function to function, or through branches: sizes and places that are known are constants
    // in the text, and folded. `SCCPPass` does so within a function.
    {"IPSCCPPass"},
    {"CalledValuePropagationPass"},
    {"SCCPPass"},
    {"ArgumentPromotionPass"},
    {"CallSiteSplittingPass"},
    // Facts of branches: our passes have cut loops where what a branch asks for changes. One of two runs is enough for
    // those that vectorising and unrolling ask for.
    {"ConstraintEliminationPass"},
    {"JumpThreadingPass", first},
    {"CorrelatedValuePropagationPass", first},
    {"SpeculativeExecutionPass"},
    // Stores that a later one overwrites, and what nobody uses: a value of the program is stored once, by the kernel
    // that makes it, and what isn't used is gone before anything is printed.
    {"DSEPass"},
    {"MergedLoadStoreMotionPass"},
    {"ADCEPass"},
    {"BDCEPass"},
    {"LoopDeletionPass"},
    {"LoopDistributePass"},
    // Copies of structures, recursion, calls of C's library whose errors nobody reads, floats that are integers: the
    // text has none. Its `memcpy`s are loads and stores of vectors, which are made such before.
    {"MemCpyOptPass"},
    {"TailCallElimPass"},
    {"LibCallsShrinkWrapPass"},
    {"Float2IntPass"},
    // Sums in another order: indices are printed as sums of what doesn't change in the loop and of the loop's counter.
    {"ReassociatePass"},
    // Patterns over several instructions: the text has been canonicalised and shared, so the runs that are left out
    // would find little, and the next run finds it. The loops of small factorisations are shorter by a tenth where
    // these
    // don't turn their counters around.
    {"AggressiveInstCombinePass"},
    {"InstCombinePass", third | fifth | seventh},
};

/// The function that a pass runs for; null where it isn't one function's.
const llvm::Function *functionOf(const llvm::Any &unit) {
  if (const auto *function = llvm::any_cast<const llvm::Function *>(&unit))
    return *function;
  if (const auto *loop = llvm::any_cast<const llvm::Loop *>(&unit))
    return (*loop)->getHeader()->getParent();
  return nullptr;
}

} // namespace

void skipPasses(llvm::PassBuilder &builder) {
  llvm::PassInstrumentationCallbacks *callbacks = builder.getPassInstrumentationCallbacks();
  if (!callbacks)
    return;
  using Runs = llvm::DenseMap<std::pair<const llvm::Function *, StringRef>, unsigned>;
  callbacks->registerShouldRunOptionalPassCallback(
      [runs = std::make_shared<Runs>()](StringRef pass, const llvm::Any &unit) {
        const llvm::Function *function = functionOf(unit);
        const unsigned time = function ? (*runs)[{function, pass}]++ : 0;
        for (const Skipped &skip : skipped)
          if (pass.starts_with(skip.pass))
            return skip.times != 0 && !(time < 32 && skip.times >> time & 1);
        return true;
      });
}

bool CodeGenerationGate::shouldRunPass(StringRef pass, StringRef) const {
  // Addresses are printed as what doesn't change in a loop and its counter, which is what x86's addresses can be:
  // counters that are addresses instead take more registers. Processors that run instructions out of their order need
  // no second schedule after registers are allocated.
  return pass != "Loop Strength Reduction" && pass != "post-RA-sched";
}

} // namespace quernel
