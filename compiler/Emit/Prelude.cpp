#include "compiler/Emit/Prelude.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <cassert>

using llvm::StringRef;

namespace quernel {

struct Fragment {
  StringRef name, text;
};

static const Fragment library[] = {
#include "compiler/Emit/Preludes.inc"
};

static StringRef findFragment(StringRef name) {
  for (const Fragment &fragment : library)
    if (fragment.name == name)
      return fragment.text;
  llvm_unreachable("no such file in Preludes/");
}

/// Replaces whole words; `NAME` leaves `LANE_NAME` alone.
static std::string replaceWords(StringRef text, llvm::ArrayRef<Prelude::Substitution> substitutions) {
  std::string result;
  while (!text.empty()) {
    StringRef word = text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (word.empty()) {
      result += text.front();
      text = text.drop_front();
      continue;
    }
    auto found = llvm::find_if(substitutions, [&](const auto &entry) { return entry.first == word; });
    result += found == substitutions.end() ? word.str() : found->second;
    text = text.drop_front(word.size());
  }
  return result;
}

void Prelude::require(StringRef name, llvm::ArrayRef<Substitution> substitutions) {
  StringRef source = findFragment(name);
  if (source.consume_front("// needs: ")) {
    auto [needs, rest] = source.split('\n');
    source = rest;
    llvm::SmallVector<StringRef> others;
    needs.split(others, ' ');
    for (StringRef other : others)
      require(other);
  }
  llvm::SmallVector<Substitution> all(substitutions.begin(), substitutions.end());
  if (!functionQualifier.empty())
    all.push_back({"inline", functionQualifier + " inline"});
  std::string text = replaceWords(source, all);
  if (present.insert(text).second)
    fragments.push_back(std::move(text));
}

std::string Prelude::text() const { return llvm::join(fragments, "\n"); }

} // namespace quernel
