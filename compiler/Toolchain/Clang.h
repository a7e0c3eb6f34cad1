// C++ text to machine code and to shared objects, with Clang and LLD in the process.
#ifndef QUERNEL_COMPILER_TOOLCHAIN_CLANG_H
#define QUERNEL_COMPILER_TOOLCHAIN_CLANG_H

#include "compiler/Toolchain/Target.h"
#include "compiler/Toolchain/UserText.h"

namespace quernel {

/// What the stages of a run of Clang took, in seconds. Where parts of a program are compiled at the same time, the time
/// until all are done is shared among the stages as their own times are.
struct ClangTimes {
  double frontEnd = 0;
  double optimizer = 0;
  double codeGeneration = 0;
};

struct CompileOptions {
  /// Lets the compiler contract and reassociate. Infinities and NaN keep their meaning.
  bool fastMath = false;
  /// Without it the code is slower, and ready sooner.
  bool optimize = true;
  /// How many threads may compile the parts of a long text; the objects are the same for any number.
  unsigned threads = 1;
  /// What diagnostics call the text.
  std::string fileName = "kernels.cpp";
  /// The user's texts whose functions the text calls; they become part of its module.
  llvm::ArrayRef<UserText> userTexts = {};
  /// Set where the text could be compiled.
  ClangTimes *times = nullptr;
};

/// ELF objects that are linked together: one, or some of a long text, which threads compile at the same time. The text
/// may include nothing. Errors carry Clang's diagnostics. Any thread may call this.
llvm::Expected<std::vector<std::string>> compileToObjects(llvm::StringRef source, const Target &target,
                                                          const CompileOptions &options = {});

/// The same of a user's text alone; its entries can be called. `includes` are the files that it has included from
/// elsewhere than its system folders.
llvm::Expected<std::vector<std::string>> compileUserText(const UserText &text, const Target &target,
                                                         std::vector<std::string> &includes);

/// The whole text for the assembler.
llvm::Expected<std::string> compileToAssembly(llvm::StringRef source, const Target &target,
                                              const CompileOptions &options = {});

struct LinkOptions {
  /// The result's DT_SONAME; none if empty.
  std::string soname;
  /// Paths of shared libraries. The result depends on those it takes symbols from, by their sonames.
  std::vector<std::string> libraries;
};

/// A shared object's bytes. Any thread may call this; one links at a time. Resets the values of LLVM's `cl::opt`s.
llvm::Expected<std::string> linkShared(llvm::ArrayRef<std::string> objects, const LinkOptions &options = {});

} // namespace quernel

#endif
