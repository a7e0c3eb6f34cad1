#include "compiler/Emit/Names.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace mlir;

namespace quernel {

static const llvm::StringSet<> &keywords() {
  static const llvm::StringSet<> words = {
      "alignas",     "alignof",  "and",       "and_eq",    "asm",       "auto",         "bitand",
      "bitor",       "bool",     "break",     "case",      "catch",     "char",         "char16_t",
      "char32_t",    "char8_t",  "class",     "co_await",  "co_return", "co_yield",     "compl",
      "concept",     "const",    "consteval", "constexpr", "constinit", "continue",     "const_cast",
      "decltype",    "default",  "delete",    "do",        "double",    "dynamic_cast", "else",
      "enum",        "explicit", "export",    "extern",    "false",     "float",        "for",
      "friend",      "goto",     "if",        "inline",    "int",       "long",         "mutable",
      "namespace",   "new",      "noexcept",  "not",       "not_eq",    "nullptr",      "operator",
      "or",          "or_eq",    "private",   "protected", "public",    "register",     "reinterpret_cast",
      "requires",    "return",   "short",     "signed",    "sizeof",    "static",       "static_assert",
      "static_cast", "struct",   "switch",    "template",  "this",      "thread_local", "throw",
      "true",        "try",      "typedef",   "typeid",    "typename",  "union",        "unsigned",
      "using",       "virtual",  "void",      "volatile",  "wchar_t",   "while",        "xor",
      "xor_eq",      "typeof",   "main",      "linux",     "unix",      "quernel"};
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
  if (keywords().contains(name) || vectorType.match(name))
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
