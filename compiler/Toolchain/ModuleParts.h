// A long program's functions in modules that may be compiled at the same time.
#ifndef QUERNEL_COMPILER_TOOLCHAIN_MODULEPARTS_H
#define QUERNEL_COMPILER_TOOLCHAIN_MODULEPARTS_H

#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace quernel {

/// The bitcode of modules that together hold what `module` holds; none where that is too short to be worth it, or hangs
/// together. Functions of the text's own that call each other stay together, and so may be inlined; what the program
/// calls of another part becomes visible within the shared object. Inline functions, and constants, are in each part
/// that uses them. The text alone decides what the parts are.
std::vector<std::string> splitModule(llvm::Module &module);

} // namespace quernel

#endif
