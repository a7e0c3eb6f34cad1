#include "size_expression.h"

#include "forms.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <string_view>

namespace quernel::binding {

/// Reads one text by recursive descent. Assumes nothing of the text: it may come from a file.
class SizeParser {
public:
  SizeParser(std::string text, const SizeExpression::Resolve &resolve, std::string where)
      : text(std::move(text)), resolve(resolve), where(std::move(where)) {}

  std::vector<SizeExpression::Step> parse() {
    sum();
    if (skipSpaces(); at != text.size())
      fail();
    return std::move(steps);
  }

private:
  using Kind = SizeExpression::Kind;

  [[noreturn]] void fail() const { throw py::value_error(where + ": '" + text + "' is no size"); }

  void skipSpaces() {
    while (at < text.size() && text[at] == ' ')
      ++at;
  }

  bool take(std::string_view word) {
    skipSpaces();
    if (text.compare(at, word.size(), word) != 0)
      return false;
    at += word.size();
    return true;
  }

  void push(Kind kind, int64_t operand = 0) {
    const bool isLeaf = kind == Kind::Constant || kind == Kind::Symbol || kind == Kind::Buffer;
    depth += isLeaf ? 1 : -1;
    if (depth > SizeExpression::maximumDepth)
      fail();
    steps.push_back({kind, operand});
  }

  struct Operator {
    std::string_view word;
    Kind kind;
  };

  /// Parts with operators between them, from left to right.
  void chain(void (SizeParser::*part)(), const std::array<Operator, 2> &operators) {
    (this->*part)();
    while (true) {
      const auto found =
          std::find_if(operators.begin(), operators.end(), [&](const Operator &each) { return take(each.word); });
      if (found == operators.end())
        return;
      (this->*part)();
      push(found->kind);
    }
  }

  void sum() { chain(&SizeParser::product, {{{"+", Kind::Add}, {"-", Kind::Subtract}}}); }

  void product() { chain(&SizeParser::factor, {{{"*", Kind::Multiply}, {"floordiv", Kind::FloorDivide}}}); }

  void factor() {
    if (++nesting > SizeExpression::maximumDepth)
      fail();
    if (take("-")) {
      push(Kind::Constant, 0);
      factor();
      push(Kind::Subtract);
    } else if (take("(")) {
      sum();
      if (!take(")"))
        fail();
    } else {
      leaf();
    }
    --nesting;
  }

  void leaf() {
    skipSpaces();
    const size_t begin = at;
    if (at < text.size() && text[at] == 's')
      ++at;
    const size_t digits = at;
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])))
      ++at;
    const std::string word = text.substr(begin, at - begin);
    if (at == digits || at - digits > 18) // as many digits always fit into an int64
      fail();
    if (digits == begin)
      return push(Kind::Constant, std::stoll(word));
    const SizeExpression::Name name = resolve(word);
    push(name.isBuffer ? Kind::Buffer : Kind::Symbol, static_cast<int64_t>(name.place));
  }

  std::string text;
  const SizeExpression::Resolve &resolve;
  std::string where;
  size_t at = 0;
  size_t depth = 0;
  size_t nesting = 0;
  std::vector<SizeExpression::Step> steps;
};

SizeExpression::SizeExpression(py::handle form, const Resolve &resolve, const std::string &where) {
  if (PyUnicode_Check(form.ptr()))
    steps = SizeParser(textOf(form, "a size", where), resolve, where).parse();
  else
    steps = {{Kind::Constant, integerOf(form, "a size", std::numeric_limits<int64_t>::min(),
                                        std::numeric_limits<int64_t>::max(), where)}};
}

static int64_t floorDivided(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  if (b == -1)
    return static_cast<int64_t>(-static_cast<uint64_t>(a));
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

int64_t SizeExpression::value(const Frame &frame) const {
  std::array<int64_t, maximumDepth> stack;
  size_t top = 0;
  // Sums that wrap are found by those who use the number as a size.
  const auto wrapped = [](auto operation, int64_t a, int64_t b) {
    return static_cast<int64_t>(operation(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
  };
  for (const Step &step : steps) {
    switch (step.kind) {
    case Kind::Constant:
      stack[top++] = step.operand;
      continue;
    case Kind::Symbol:
      stack[top++] = frame.sizes[step.operand];
      continue;
    case Kind::Buffer:
      std::memcpy(&stack[top++], frame.buffers[step.operand], sizeof(int64_t));
      continue;
    default:
      break;
    }
    const int64_t second = stack[--top];
    int64_t &first = stack[top - 1];
    if (step.kind == Kind::Add)
      first = wrapped(std::plus<>(), first, second);
    else if (step.kind == Kind::Subtract)
      first = wrapped(std::minus<>(), first, second);
    else if (step.kind == Kind::Multiply)
      first = wrapped(std::multiplies<>(), first, second);
    else
      first = floorDivided(first, second);
  }
  return stack[0];
}

} // namespace quernel::binding
