#include "compiler/Emit/Names.h"

#include "compiler/Emit/Mathematics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace mlir;

namespace quernel {

/// What no variable, kernel or program may be called: the language's words, macros that compilers or
/// headers may define, the types and helpers of the preludes, and what the printers write themselves.
static const llvm::StringSet<> &reserved() {
  static const llvm::StringSet<> words = [] {
    llvm::StringSet<> made = {
        "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch",
        "char", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "compl", "concept",
        "const", "consteval", "constexpr", "constinit", "continue", "const_cast", "decltype", "default", "delete", "do",
        "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend",
        "goto", "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr",
        "operator", "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires",
        "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template",
        "this", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using",
        "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq", "typeof", "quernel", "ROLLED",
        "SCALAR_LOOP", "UNOPTIMIZED", "element_count", "parallel_for", "splat", "load", "store", "strided", "gather",
        "scatter", "insert", "lanes", "Lanes", "LanesOf", "every", "part", "max", "min", "maximum", "minimum", "fmax",
        "fmin", "isnan", "isinf", "isfinite", "unordered", "to_integer", "to_integers", "divisor", "divisors",
        "any_lane", "above", "raise_flags", "flags_before", "keep_flags", "wrap_add", "wrap_sub", "wrap_mul", "Same",
        "Unsigned", "absolute", "floor_div", "ceil_div", "load_mask", "store_mask", "store_nontemporal",
        "store_strided", "gather_where", "scatter_where", "less_or_greater", "Temporary", "fail", "poll", "call",
        "launch", "read", "write", "sort_or_argsort", "sort_lines", "argsort_lines", "partition_lines", "SortedLines",
        "sort_items", "sort_tile", "HalfBits", "ComplexPair", "comes_before", "items_of_left", "merge_items",
        "TilePart", "sort_each_tile", "merge_each_run", "pcg64", "pcg64dxsm", "philox", "random_block", "random_chunk",
        "Wide", "PcgJump", "pcg_word", "philox_block", "uniform_of", "draw_numbers", "advance_state", "draw_uniform",
        "TYPE", "HAS_PLACES", "failed", "has_failed", "first_failure", "Failure", "device", "qn_device", "qn_grid",
        "Float16", "lanes_mask", "threadIdx", "blockIdx", "blockDim", "gridDim", "threads_for", "rows_for", "Turns",
        "thread_of_block", "shared_memory", "Block", "Pack", "pack_turns", "copy_pack", "warpSize", "turns", "code",
        "routine_copy", "routine_determinants", "routine_places", "routine_triangles", "routine_pairs",
        "routine_addresses", "routine_status", "routine_load", "routine_store", "RoutineNumber", "RoutineCopy",
        "RoutineDeterminants", "computed", "qn_context", "context", "buffers", "sizes", "int8_t", "int16_t", "int32_t",
        "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "uintptr_t", "size_t", "ptrdiff_t", "low", "high",
        "repeat",
        // Macros: of the preludes, of compilers, and of headers for whoever compiles the text by hand.
        "QUERNEL_RUNTIME", "linux", "unix", "i386", "NULL", "INFINITY", "NAN", "HUGE_VAL", "EOF", "I", "errno",
        "assert", "offsetof", "stdin", "stdout", "stderr", "M_E", "M_PI",
        // What C's library has with C linkage: a program of that name would be another declaration of it.
        "main", "malloc", "calloc", "realloc", "free", "memcpy", "memmove", "memset", "memcmp", "abort", "exit"};
    for (const MathFunction &function : mathFunctions())
      made.insert(function.name);
    return made;
  }();
  return words;
}

StringRef nameOf(Location location) {
  if (auto named = dyn_cast<NameLoc>(location))
    return named.getName();
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return nameOf(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (StringRef name = nameOf(part); !name.empty())
        return name;
  return {};
}

std::string sanitizeName(StringRef text) {
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) ? c : '_';
  // Names with a leading or a double underscore belong to the compiler.
  name = StringRef(name).ltrim('_').str();
  for (size_t at; (at = name.find("__")) != std::string::npos;)
    name.erase(at, 1);
  if (name.empty() || llvm::isDigit(name.front()))
    name = "v" + name;
  static const llvm::Regex vectorType("^[fiu][0-9]+x[0-9]+$");
  if (reserved().contains(name) || vectorType.match(name))
    name += '_';
  return name;
}

bool Names::taken(StringRef name) const {
  return llvm::any_of(scopes, [&](const llvm::StringSet<> &scope) { return scope.contains(name); });
}

std::string Names::fresh(StringRef wish) {
  std::string base = sanitizeName(wish), name = base;
  const char *separator = llvm::isDigit(base.back()) ? "_" : "";
  for (unsigned number = 1; taken(name); ++number)
    name = base + separator + std::to_string(number);
  scopes.back().insert(name);
  return name;
}

std::string Names::freshLoop() {
  for (const char *name : {"i", "j", "k", "l", "m", "p", "q", "r"})
    if (!taken(name))
      return fresh(name);
  return fresh("i");
}

} // namespace quernel
