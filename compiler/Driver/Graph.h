// Builds a function of NumPy primitives, one operation at a time, with every shape known as it grows. No MLIR in this
// header.
#ifndef QUERNEL_DRIVER_GRAPH_H
#define QUERNEL_DRIVER_GRAPH_H

#include "compiler/Toolchain/UserText.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace quernel {

struct GraphState;

/// A size: a constant, or an expression over a graph's symbols with the value that it has in the call being traced.
struct GraphDim {
  const void *expression = nullptr; // null: constant
  int64_t value = 0;
  std::shared_ptr<GraphState> owner; // of the expression
  std::string text() const;
  /// The numbers of its symbols, each once, in order.
  std::vector<unsigned> symbols() const;
  /// Whether the sizes are equal for all values of their symbols: their one form is the same. Constants are never equal
  /// to expressions.
  bool operator==(const GraphDim &other) const;
  size_t hash() const;
};

/// `+ - * /` on sizes, where `/` rounds down; nothing where a constant of the result has no 64 bits.
std::optional<GraphDim> combineDims(char operation, const GraphDim &a, const GraphDim &b);

struct GraphValue {
  int id = -1;
  std::vector<GraphDim> shape;
  std::string dtype;
};

struct GraphAttribute {
  std::string name;
  std::variant<int64_t, std::string, std::vector<GraphDim>> value;
};

/// A line of the user's. `callers` is the number of what has called its function, which capture keeps; 0 for the user's
/// function itself.
struct GraphPlace {
  std::string file;
  int line = 0;
  int callers = 0;
};

/// What a rule rejects: the shape is at fault, or it is too large, or the use of the interface.
struct GraphError {
  enum Kind { none, shape, size, usage } kind = none;
  std::string message;
  explicit operator bool() const { return kind != none; }
};

class Graph {
public:
  explicit Graph(const std::string &name);

  /// A size of the call, never less than 2 where it isn't any size; `value` is that of the call which is captured.
  GraphDim symbol(const std::string &name, int64_t value, bool anySize);
  GraphError argument(const std::string &name, const std::string &dtype, const std::vector<GraphDim> &shape,
                      bool strided, GraphValue &result);
  GraphError scalar(const std::string &name, const std::string &dtype, GraphValue &result);
  GraphError constant(const std::string &bytes, const std::string &dtype, const std::vector<int64_t> &shape,
                      GraphValue &result);
  GraphError op(const std::string &name, const std::vector<GraphValue> &operands,
                const std::vector<GraphAttribute> &attributes, const GraphPlace &place,
                std::vector<GraphValue> &results);
  /// The user's name of a value, for readable code.
  void name(const GraphValue &value, const std::string &name);
  /// The text of a line that operations come from, for comments in the generated code.
  void source(const std::string &file, int line, const std::string &text);
  /// What the callees of `user_call` are defined in; each text counts once.
  void userText(const UserText &text);

  // Loops and branches. What is built after `begin…` stands inside until the matching `end…`.

  /// A loop over [lower, upper); its counter is a symbol.
  GraphError beginFor(const GraphDim &lower, const GraphDim &upper, int64_t step, const std::string &name,
                      GraphDim &counter);
  /// A loop whose condition comes first: it is built now, up to `whileCondition`.
  GraphError beginWhile();
  GraphError whileCondition(const GraphValue &condition);
  GraphError beginIf(const GraphValue &condition);
  GraphError beginElse();
  /// How many loops and branches are open.
  unsigned depth() const;
  /// A value as it is at the head of the innermost loop or branch, or of the one that is number `depth` from outside:
  /// then those inside of it see the marker, too.
  GraphError enter(const GraphValue &value, GraphValue &marker, unsigned depth = 0);
  /// Ends the innermost loop. The markers named here get the paired value in the next turn; all others keep theirs.
  GraphError endLoop(const std::vector<std::pair<GraphValue, GraphValue>> &carried, std::vector<GraphValue> &results);
  /// Ends the innermost branch; each pair is a value after the first and after the second side.
  GraphError endIf(const std::vector<std::pair<GraphValue, GraphValue>> &pairs, std::vector<GraphValue> &results);
  /// Forgets the innermost loop or branch.
  GraphError discard();
  /// What is added from here on is ahead of the outermost loop or branch that is open, until `endAhead`.
  GraphError beginAhead();
  GraphError endAhead();
  /// Replaces a scalar argument by a number where nothing has been computed from it yet; else `isDone` is false.
  GraphError fixScalar(const GraphValue &argument, const std::string &bytes, bool &isDone);
  /// Makes an int64 scalar a symbol from here on; the bounds are inclusive and the caller's promise. The hint is what
  /// it is in this call, where that is known.
  GraphError symbolOf(const GraphValue &value, const std::optional<GraphDim> &lower,
                      const std::optional<GraphDim> &upper, const std::string &name, std::optional<int64_t> hint,
                      GraphDim &symbol);
  /// Whether `dim >= 0` follows from the bounds of its symbols.
  bool isNonNegative(const GraphDim &dim) const;
  /// Gives a symbol an upper bound that has none; the bound is the caller's promise.
  void limit(const GraphDim &symbol, const GraphDim &upper);
  /// A size that `dim` never exceeds, by the upper bounds of symbols that data decide; nothing where they have none.
  std::optional<GraphDim> most(const GraphDim &dim) const;
  /// Ends the program with an exception where the condition is false. `state` are pairs of a written argument and its
  /// value by then, which the argument's memory holds after the exception; others hold what they held at the beginning.
  GraphError check(const GraphValue &condition, const std::string &exception, const std::string &message,
                   const std::vector<GraphValue> &values, const std::vector<std::pair<GraphValue, GraphValue>> &state,
                   const GraphPlace &place);

  /// Ends the function. `updates` are pairs of a written argument and its new value.
  GraphError finish(const std::vector<GraphValue> &results,
                    const std::vector<std::pair<GraphValue, GraphValue>> &updates);
  std::string text() const;

  GraphState &state() const { return *shared; }

private:
  std::shared_ptr<GraphState> shared;
};

struct UfuncRow {
  std::string name;
  int arity;
  bool predicate;
  std::string kinds;
  int ulp;
  std::string combiner;
};
std::vector<UfuncRow> ufuncRows();

} // namespace quernel

#endif
