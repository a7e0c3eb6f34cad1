#include "compiler/Toolchain/SkippedPasses.h"
#include "compiler/Toolchain/Clang.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/JumpThreading.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace quernel;

namespace {

class SkippedPasses : public testing::Test {
protected:
  SkippedPasses() { skipPasses(builder); }

  Function *function(const char *name) {
    return Function::Create(FunctionType::get(Type::getVoidTy(context), false), Function::ExternalLinkage, name,
                            module);
  }

  /// Which of the times that a pass is about to run for a function it does run.
  template <typename Pass> std::vector<bool> runs(Pass pass, Function *function, int times) {
    std::vector<bool> result;
    for (int time = 0; time < times; ++time)
      result.push_back(PassInstrumentation(&callbacks).runBeforePass(pass, *function));
    return result;
  }

  LLVMContext context;
  Module module{"text", context};
  PassInstrumentationCallbacks callbacks;
  PassBuilder builder{nullptr, PipelineTuningOptions(), std::nullopt, &callbacks};
};

} // namespace

TEST_F(SkippedPasses, NeverRun) { EXPECT_EQ(runs(DSEPass(), function("f"), 3), std::vector<bool>({0, 0, 0})); }

TEST_F(SkippedPasses, AreNoOthers) { EXPECT_EQ(runs(GVNPass(), function("f"), 3), std::vector<bool>({1, 1, 1})); }

TEST_F(SkippedPasses, AreCountedForEachFunction) {
  const std::vector<bool> combined = {1, 1, 0, 1, 0, 1, 0, 1, 1};
  EXPECT_EQ(runs(InstCombinePass(), function("f"), 9), combined);
  EXPECT_EQ(runs(InstCombinePass(), function("g"), 9), combined);
  EXPECT_EQ(runs(JumpThreadingPass(), function("h"), 3), std::vector<bool>({0, 1, 1}));
}

TEST(CodeGenerationGate, BeginsBehindTheOptimizer) {
  CodeGenerationGate gate;
  EXPECT_FALSE(gate.isEnabled());
  gate.begin();
  EXPECT_TRUE(gate.isEnabled());
  EXPECT_TRUE(gate.shouldRunPass("machine-scheduler", ""));
  EXPECT_FALSE(gate.shouldRunPass("post-RA-sched", ""));
}

TEST(CodeGenerationGate, IsAskedByItsPassesNames) {
  Expected<std::string> text =
      compileToAssembly("extern \"C\" void f(float *__restrict x, const float *y, const float *z, long n) {\n"
                        "#pragma clang loop vectorize(disable) unroll(disable)\n"
                        "  for (long i = 0; i < n; ++i) x[i * 3] = y[i * 5] / z[i * 7];\n"
                        "}",
                        Target::host());
  ASSERT_TRUE(!!text) << toString(text.takeError());
  // Loop strength reduction would make counters of the addresses.
  EXPECT_EQ(text->find("$20,"), std::string::npos) << *text;
  EXPECT_EQ(text->find("$28,"), std::string::npos) << *text;
}
