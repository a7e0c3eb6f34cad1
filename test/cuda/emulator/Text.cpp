#include "Text.h"

#include <regex>

namespace emulator {

/// Blanks in place of comments.
static std::string withoutComments(const std::string &text) {
  std::string result = text;
  for (size_t i = 0; i + 1 < text.size();) {
    bool isLine = text.compare(i, 2, "//") == 0, isBlock = text.compare(i, 2, "/*") == 0;
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i)
        i += text[i] == '\\';
      ++i;
      continue;
    }
    if (!isLine && !isBlock) {
      ++i;
      continue;
    }
    size_t end = isLine ? text.find('\n', i) : text.find("*/", i + 2);
    end = end == std::string::npos ? text.size() : isLine ? end : end + 2;
    for (; i < end; ++i)
      if (result[i] != '\n')
        result[i] = ' ';
  }
  return result;
}

static bool isWord(char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Behind the bracket that closes the one at `i`.
static size_t behindBrackets(const std::string &text, size_t i) {
  int depth = 0;
  for (; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0)
      return i + 1;
  }
  return i;
}

std::vector<KernelName> findKernels(const std::string &given) {
  static const std::string keyword = "__global__";
  std::string text = withoutComments(given);
  std::vector<KernelName> result;
  for (size_t at = text.find(keyword); at != std::string::npos; at = text.find(keyword, at + 1)) {
    size_t before = text.find_last_of(";}", at);
    before = before == std::string::npos ? 0 : before;
    if (text.substr(before, at - before).find("template") != std::string::npos)
      continue;
    KernelName kernel;
    std::string word;
    for (size_t i = at + keyword.size(); i < text.size();) {
      if (isWord(text[i])) {
        size_t end = i;
        while (end < text.size() && isWord(text[end]))
          ++end;
        word = text.substr(i, end - i);
        i = end;
      } else if (text[i] == '(' && (word.rfind("__", 0) == 0 || word == "alignas")) {
        size_t end = behindBrackets(text, i);
        if (word == "__launch_bounds__")
          kernel.threads = text.substr(i + 1, std::min(text.find(',', i), end - 1) - i - 1);
        i = end;
      } else if (text[i] == '(') {
        kernel.name = word;
        break;
      } else {
        ++i;
      }
    }
    bool isKnown = false;
    for (const KernelName &other : result)
      isKnown |= other.name == kernel.name;
    if (!kernel.name.empty() && !isKnown)
      result.push_back(kernel);
  }
  return result;
}

std::string rewrite(const std::string &text) {
  static const std::regex dynamic(R"(\bextern\s+__shared__\s+((?:__align__|alignas)\s*\([^)]*\)\s*)?)"
                                  R"(([A-Za-z_][\w:<>, ]*?)\s*\b(\w+)\s*\[\s*\]\s*;)");
  static const std::regex aligned(R"(__shared__\s+alignas\s*\()");
  std::string result = std::regex_replace(text, dynamic, "$2 *const $3 = ($2 *)emulator_dynamic;");
  return std::regex_replace(result, aligned, "__shared__ __align__(");
}

std::string complete(const std::string &text, const std::string &name, const std::string &architecture) {
  std::string result = "#include \"prelude.h\"\n#line 1 \"" + name + "\"\n" + rewrite(text);
  result += "\n#line 1 \"the list of kernels\"\nnamespace quernel {}\nnamespace emulator_list {\nusing namespace "
            "quernel;\n";
  std::string list;
  for (const KernelName &kernel : findKernels(text))
    list += "  {\"" + kernel.name + "\", [](const void *const *a) { emulator::call(" + kernel.name +
            ", a); }, emulator::parameters(" + kernel.name + "), emulator::Sizes<decltype(" + kernel.name +
            ")>::sizes, " + (kernel.threads.empty() ? "0" : "(int)(" + kernel.threads + ")") + "},\n";
  result += "extern \"C\" {\nextern __attribute__((visibility(\"default\"))) const emulator::Kernel "
            "emulator_kernels[];\nconst emulator::Kernel emulator_kernels[] = {\n" +
            list +
            "  {}};\nextern __attribute__((visibility(\"default\"))) const char emulator_architecture[];\nconst char "
            "emulator_architecture[] = \"" +
            architecture + "\";\n}\n}\n";
  return result;
}

} // namespace emulator
