/// \file
/// Sizes and offsets that a call knows: integers, and texts such as "s0 floordiv 2 - 1" over named numbers.

#ifndef QUERNEL_BINDINGS_RUNTIME_SIZE_EXPRESSION_H
#define QUERNEL_BINDINGS_RUNTIME_SIZE_EXPRESSION_H

#include "frame.h"

#include <functional>
#include <string>
#include <vector>

namespace quernel::binding {

namespace py = pybind11;

/// Sums, products and floor divisions of int64, compiled once from a text.
class SizeExpression {
public:
  /// Where a call has a named number: in a symbol's place of `Frame::sizes`, or in the memory of a buffer.
  struct Name {
    bool isBuffer;
    size_t place;
  };
  using Resolve = std::function<Name(const std::string &name)>;

  /// From an int or a str. `resolve` is asked about each name, and throws for one that it doesn't know. Throws a
  /// TypeError or ValueError with what is wrong with the form.
  SizeExpression(py::handle form, const Resolve &resolve, const std::string &where);

  /// The number in a call whose program has returned. A division by zero gives 0.
  int64_t value(const Frame &frame) const;

private:
  friend class SizeParser;

  enum class Kind { Constant, Symbol, Buffer, Add, Subtract, Multiply, FloorDivide };
  struct Step {
    Kind kind;
    int64_t operand = 0;
  };
  static constexpr size_t maximumDepth = 32;

  std::vector<Step> steps; ///< postfix; never deeper than `maximumDepth`
};

} // namespace quernel::binding

#endif // QUERNEL_BINDINGS_RUNTIME_SIZE_EXPRESSION_H
