// Constants as C++ literals that read back as the same bits.
#ifndef QUERNEL_COMPILER_EMIT_LITERALS_H
#define QUERNEL_COMPILER_EMIT_LITERALS_H

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"

#include <string>

namespace quernel {

/// The shortest decimal that reads back exactly; finite values only.
std::string floatLiteral(const llvm::APFloat &value);

/// A signed integer of 8 to 64 bits, or `true`/`false` for one bit.
std::string integerLiteral(const llvm::APInt &value);

} // namespace quernel

#endif
