// What an exported library does around its programs: looks at the caller's arrays, calls, and says what went wrong.
//
// `quernel export` compiles this text with tables that it writes, by the user's C++ compiler, into each library.
// Nothing of it is in a library's interface. A library has one OpenMP, that of its compiler: a program's loops run in
// its threads, as many as OMP_NUM_THREADS and its like say.
#ifndef QUERNEL_RUNTIME_EXPORTED_FUNCTION_H
#define QUERNEL_RUNTIME_EXPORTED_FUNCTION_H

#include "runtime/Processor.h"
#include "runtime/abi.h"
#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>
#ifdef _OPENMP
#include <omp.h>
#endif

// Two libraries in one process may be of two versions of this text.
#ifndef QUERNEL_LIBRARY
#define QUERNEL_LIBRARY plain
#endif

namespace quernel::exported::QUERNEL_LIBRARY {

/// What an exported function returns. The generated header has the same numbers.
enum Status : int32_t { ok, outOfMemory, badArgument, raised, noProcessor, leftToNumPy };

/// An argument of the function: an array or a number.
struct Parameter {
  const char *name;
  /// Of an element, or of the number.
  int64_t bytes;
  /// How many axes an array has; -1 for a number.
  int32_t rank;
  /// The size of each axis; -1 - s where it is symbol s.
  const int64_t *dims;
  /// The program's buffer; -1 where it doesn't look at the argument.
  int32_t buffer;
  bool written;
};

/// What a program computes, in the order of its buffers behind the inputs.
struct Output {
  int64_t bytes;
  /// How many sizes the shapes function gives for it.
  int32_t rank;
  /// The sizes where they are constant in all outputs; null where the shapes function gives them.
  const int64_t *dims;
};

/// A result of the function: an output that the caller lends memory for.
struct Result {
  const char *name;
  int32_t output;
  /// The output that says how many entries along the first axis there are; -1 where all are.
  int32_t count;
  /// The axis that each axis of memory is, the slowest first; null for C order.
  const int32_t *axes;
  /// A number: the caller lends its address instead of an array.
  bool isNumber;
};

/// An exception of the program.
struct Error {
  /// With `{0}` where the first of its numbers stands.
  const char *text;
  /// For each number what its bits are: `i`, `u`, `f`, `c`.
  const char *types;
  Status status;
};

/// The program for one level of the processor.
struct Program {
  /// Its position in `processorLevels`.
  int32_t level;
  qn_entry entry;
  /// Null where all sizes are constant.
  qn_shapes shapes;
};

/// A list that lies elsewhere.
template <class T> struct List {
  const T *items = nullptr;
  int32_t count = 0;
  const T *begin() const { return items; }
  const T *end() const { return items + count; }
};

struct Function {
  const char *name;
  List<Parameter> parameters;
  List<Result> results;
  List<Output> outputs;
  List<Error> errors;
  /// The best level comes last.
  List<Program> programs;
  /// The least value of each symbol.
  List<int64_t> least;
  int32_t inputs;
  /// What is called in its place where a size that varies is 0 or 1; null where nothing is.
  const Function *small;
  /// The context of `libquernel_runtime.so`, which calls libraries; null where no program does.
  const qn_context *(*routines)(int32_t threads);
};

/// The text of the thread's last error.
inline char *lastError() {
  static thread_local char text[1024];
  return text;
}

__attribute__((format(printf, 2, 3))) inline int32_t refuse(int32_t status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(lastError(), 1024, format, arguments);
  va_end(arguments);
  return status;
}

/// The caller's array: its address, its shape, and its strides in elements, as the structs of the generated header lie.
class View {
public:
  View() = default;
  View(const void *array, int32_t rank, int64_t bytes)
      : array(static_cast<char *>(const_cast<void *>(array))), rank(rank), bytes(bytes) {}

  char *&data() const { return *reinterpret_cast<char **>(array); }
  int64_t *shape() const { return reinterpret_cast<int64_t *>(array + sizeof(void *)); }
  int64_t *strides() const { return shape() + rank; }

  int64_t count() const {
    int64_t result = 1;
    for (int32_t axis = 0; axis < rank; ++axis)
      result *= shape()[axis];
    return result;
  }

  /// The strides of an array without gaps, of which `axes` are the axes in the order of memory.
  std::vector<int64_t> denseStrides(const int32_t *axes = nullptr) const {
    std::vector<int64_t> result(rank);
    int64_t step = 1;
    for (int32_t k = rank; k-- > 0;) {
      const int32_t axis = axes ? axes[k] : k;
      result[axis] = step;
      step *= std::max<int64_t>(shape()[axis], 1);
    }
    return result;
  }

  /// Whether the elements lie in that order. How far it is between elements that aren't there is no matter.
  bool isDense(const int32_t *axes = nullptr) const {
    if (count() == 0)
      return true;
    const std::vector<int64_t> dense = denseStrides(axes);
    for (int32_t axis = 0; axis < rank; ++axis)
      if (shape()[axis] > 1 && strides()[axis] != dense[axis])
        return false;
    return true;
  }

  /// The bytes that the array has elements in: first, and behind the last.
  std::pair<const char *, const char *> range() const {
    const char *first = data(), *last = data();
    if (count() == 0)
      return {first, first};
    for (int32_t axis = 0; axis < rank; ++axis) {
      const int64_t reach = (shape()[axis] - 1) * strides()[axis] * bytes;
      (reach < 0 ? first : last) += reach;
    }
    return {first, last + bytes};
  }

  /// Copies all elements to or from dense memory, of which `steps` are the strides.
  void copy(char *dense, const std::vector<int64_t> &steps, bool toDense) const {
    if (count() != 0)
      copyAxis(0, data(), dense, steps, toDense);
  }

private:
  void copyAxis(int32_t axis, char *own, char *dense, const std::vector<int64_t> &steps, bool toDense) const {
    if (axis == rank) {
      toDense ? std::memcpy(dense, own, bytes) : std::memcpy(own, dense, bytes);
      return;
    }
    for (int64_t k = 0; k < shape()[axis]; ++k)
      copyAxis(axis + 1, own + k * strides()[axis] * bytes, dense + k * steps[axis] * bytes, steps, toDense);
  }

  char *array = nullptr;
  int32_t rank = 0;
  int64_t bytes = 0;
};

/// Memory at a 64-byte boundary, or null.
inline void *allocate(int64_t bytes) {
  constexpr int64_t boundary = 64;
  if (bytes < 0 || bytes > INT64_MAX - boundary)
    return nullptr;
  return std::aligned_alloc(boundary, (std::max<int64_t>(bytes, 1) + boundary - 1) / boundary * boundary);
}

struct Freed {
  void operator()(char *memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<char, Freed>;

/// What a program is lent for one call. It notes the first check that fails.
class Context : public qn_context {
public:
  explicit Context(const Function &function) : qn_context() {
#ifdef _OPENMP
    const int32_t count = omp_get_max_threads();
#else
    const int32_t count = 1;
#endif
    if (function.routines)
      static_cast<qn_context &>(*this) = *function.routines(count);
    threads = count;
    alloc = allocate;
    release = std::free;
    fail = note;
    poll = [] { return int32_t(QN_OK); };
    // What a program itself shares out runs in OpenMP's threads; turns that call libraries run in the runtime's.
    parallel_for = inOrder;
  }

  int32_t code() const { return first.load(std::memory_order_acquire); }
  const int64_t *values() const { return kept; }

private:
  static int32_t note(const qn_context *context, int32_t code, const int64_t *values, int32_t count) {
    // Programs see their context as constant; this one was made by the constructor above.
    auto *call = static_cast<Context *>(const_cast<qn_context *>(context));
    int32_t none = QN_OK;
    if (call->first.compare_exchange_strong(none, code))
      std::copy_n(values, std::clamp<int32_t>(count, 0, QN_ERROR_VALUES), call->kept);
    return code;
  }

  /// For compilers without OpenMP.
  static int32_t inOrder(const qn_context *, int64_t begin, int64_t end, int64_t, int64_t, qn_turns turns, void *data) {
    return begin < end ? turns(data, begin, end) : int32_t(QN_OK);
  }

  std::atomic<int32_t> first = QN_OK;
  int64_t kept[QN_ERROR_VALUES] = {};
};

/// One call of a function. `arguments` has the addresses of the parameters (a number's, or an array's struct), then of
/// the results.
class Call {
public:
  Call(const Function &function, const void *const *arguments) : function(function), arguments(arguments) {}

  /// Gives the results' arrays the shapes that they have, or have at most, and the strides without gaps.
  int32_t shapes() {
    if (int32_t status = begin())
      return status;
    for (const Result &result : function.results) {
      if (result.isNumber)
        continue;
      View view = viewOf(result);
      std::copy_n(sizes(result).data(), rank(result), view.shape());
      std::copy_n(view.denseStrides(result.axes).data(), rank(result), view.strides());
    }
    return ok;
  }

  int32_t run() {
    if (int32_t status = begin())
      return status;
    buffers.resize(function.inputs + function.outputs.count);
    if (int32_t status = lendInputs())
      return status;
    if (int32_t status = lendOutputs())
      return status;
    Context context(function);
    const int32_t code = program->entry(&context, buffers.data(), symbols.data());
    giveBack(code == QN_OK);
    return code == QN_OK ? int32_t(ok) : told(code, context);
  }

private:
  /// Memory of ours in place of an argument's or a result's; strides are those of the copy.
  struct Replaced {
    View view;
    Memory memory;
    std::vector<int64_t> strides;
    bool isResult, isWritten;
  };
  struct Slot {
    alignas(16) char bytes[16];
  };

  /// Finds the program, the sizes, and the shapes of the outputs.
  int32_t begin() {
    lastError()[0] = 0;
    for (const Program &candidate : function.programs)
      if (candidate.level <= usableLevel())
        program = &candidate;
    if (!program)
      return refuse(noProcessor, "%s: the library has no program for this processor", function.name);
    symbols.assign(function.least.count, -1);
    const void *const *argument = arguments;
    for (const Parameter &parameter : function.parameters)
      if (int32_t status = match(parameter, *argument++))
        return status;
    for (const Result &result : function.results)
      if (!*argument++)
        return refuse(badArgument, "%s: `%s` is null", function.name, result.name);
    outputShapes();
    return ok;
  }

  static int32_t usableLevel() {
    static const int32_t level = [] {
      const auto &levels = runtime::processorLevels;
      return int32_t(std::find(levels.begin(), levels.end(), runtime::processorLevel()) - levels.begin());
    }();
    return level;
  }

  /// Compares an argument's sizes with what the function takes.
  int32_t match(const Parameter &parameter, const void *argument) {
    if (!argument)
      return refuse(badArgument, "%s: `%s` is null", function.name, parameter.name);
    if (parameter.rank < 0)
      return ok;
    View view(argument, parameter.rank, parameter.bytes);
    for (int32_t axis = 0; axis < parameter.rank; ++axis) {
      const int64_t size = view.shape()[axis], dim = parameter.dims[axis];
      if (size < 0)
        return refuse(badArgument, "%s: axis %d of `%s` has size %" PRId64, function.name, axis, parameter.name, size);
      int64_t wanted = dim;
      if (dim < 0) {
        int64_t &symbol = symbols[-1 - dim];
        const int64_t least = function.least.items[-1 - dim];
        if (size < least)
          return refuse(badArgument,
                        "%s: axis %d of `%s` has size %" PRId64 ", and the function takes %" PRId64 " and more",
                        function.name, axis, parameter.name, size, least);
        wanted = symbol = symbol < 0 ? size : symbol;
      }
      if (size != wanted)
        return refuse(badArgument, "%s: axis %d of `%s` has size %" PRId64 ", not %" PRId64, function.name, axis,
                      parameter.name, size, wanted);
    }
    return ok;
  }

  void outputShapes() {
    size_t count = 0;
    for (const Output &output : function.outputs)
      count += output.rank;
    std::vector<int64_t> all(count);
    if (program->shapes)
      program->shapes(symbols.data(), all.data());
    const int64_t *next = all.data();
    for (const Output &output : function.outputs) {
      const int64_t *dims = output.dims ? output.dims : next;
      outputDims.emplace_back(dims, dims + output.rank);
      next += output.rank;
    }
  }

  const Output &outputOf(const Result &result) const { return function.outputs.items[result.output]; }
  int32_t rank(const Result &result) const { return outputOf(result).rank; }

  View viewOf(const Result &result) const {
    const auto position = function.parameters.count + (&result - function.results.items);
    return View(arguments[position], rank(result), outputOf(result).bytes);
  }

  /// The sizes of a result's axes, which the output has in the order of memory.
  std::vector<int64_t> sizes(const Result &result) const {
    const std::vector<int64_t> &dims = outputDims[result.output];
    std::vector<int64_t> found(dims.size());
    for (size_t k = 0; k < dims.size(); ++k)
      found[result.axes ? result.axes[k] : k] = dims[k];
    return found;
  }

  /// Numbers get slots of their own; arrays with gaps, and in another order, are copied.
  int32_t lendInputs() {
    slots.resize(function.inputs + function.outputs.count);
    const void *const *argument = arguments;
    for (const Parameter &parameter : function.parameters) {
      const void *given = *argument++;
      if (parameter.rank < 0) {
        if (parameter.buffer < 0)
          continue;
        std::memcpy(slots[parameter.buffer].bytes, given, parameter.bytes);
        buffers[parameter.buffer] = slots[parameter.buffer].bytes;
        continue;
      }
      View view(given, parameter.rank, parameter.bytes);
      if (!view.data() && view.count() != 0)
        return refuse(badArgument, "%s: `%s` has no data", function.name, parameter.name);
      if (parameter.buffer >= 0) {
        buffers[parameter.buffer] = view.data();
        if (!view.isDense() && !replace(view, nullptr, parameter.buffer, parameter.bytes, false, parameter.written))
          return refuse(outOfMemory, "%s: not enough memory for a copy of `%s`", function.name, parameter.name);
      }
      if (int32_t status = checkOverlap(view, parameter.name, parameter.written))
        return status;
      seen.push_back({view.range(), parameter.name, parameter.written});
    }
    return ok;
  }

  /// Results that lie otherwise than the program stores them, or where an argument lies, are computed elsewhere first.
  int32_t lendOutputs() {
    for (int32_t k = 0; k < function.outputs.count; ++k)
      buffers[function.inputs + k] = slots[function.inputs + k].bytes;
    const void *const *argument = arguments + function.parameters.count;
    for (const Result &result : function.results) {
      const void *given = *argument++;
      const int32_t buffer = function.inputs + result.output;
      if (result.isNumber) {
        buffers[buffer] = const_cast<void *>(given);
        continue;
      }
      View view = viewOf(result);
      const std::vector<int64_t> wanted = sizes(result);
      for (size_t axis = 0; axis < wanted.size(); ++axis)
        if (view.shape()[axis] != wanted[axis])
          return refuse(badArgument, "%s: axis %zu of `%s` has size %" PRId64 ", not %" PRId64, function.name, axis,
                        result.name, view.shape()[axis], wanted[axis]);
      if (!view.data() && view.count() != 0)
        return refuse(badArgument, "%s: `%s` has no data", function.name, result.name);
      for (const Seen &other : seen)
        if (other.written && meet(other.range, view.range()))
          return refuse(badArgument, "%s: `%s` and `%s`, which is written, share memory", function.name, result.name,
                        other.name);
      const bool isShared =
          std::any_of(seen.begin(), seen.end(), [&](const Seen &other) { return meet(other.range, view.range()); });
      // A program takes a null address for memory that there isn't.
      buffers[buffer] = view.data() ? view.data() : buffers[buffer];
      if ((isShared || !view.isDense(result.axes)) &&
          !replace(view, result.axes, buffer, outputOf(result).bytes, true, true))
        return refuse(outOfMemory, "%s: not enough memory for a copy of `%s`", function.name, result.name);
      seen.push_back({view.range(), result.name, true});
    }
    return ok;
  }

  bool replace(const View &view, const int32_t *axes, int32_t buffer, int64_t bytes, bool isResult, bool isWritten) {
    Memory memory(static_cast<char *>(allocate(view.count() * bytes)));
    if (!memory)
      return false;
    buffers[buffer] = memory.get();
    std::vector<int64_t> strides = view.denseStrides(axes);
    if (!isResult)
      view.copy(memory.get(), strides, true);
    replaced.push_back({view, std::move(memory), std::move(strides), isResult, isWritten});
    return true;
  }

  static bool meet(std::pair<const char *, const char *> a, std::pair<const char *, const char *> b) {
    return a.first < b.second && b.first < a.second;
  }

  int32_t checkOverlap(const View &view, const char *name, bool written) {
    for (const Seen &other : seen)
      if ((written || other.written) && meet(other.range, view.range()))
        return refuse(badArgument, "%s: `%s` and `%s` share memory, and the function writes to one", function.name,
                      other.name, name);
    return ok;
  }

  /// Arguments that the program writes get what they hold by then, also after an error; results only where there are.
  void giveBack(bool hasResults) {
    for (const Replaced &copy : replaced)
      if (copy.isWritten && (hasResults || !copy.isResult))
        copy.view.copy(copy.memory.get(), copy.strides, false);
    if (!hasResults)
      return;
    for (const Result &result : function.results)
      if (result.count >= 0)
        std::memcpy(viewOf(result).shape(), slots[function.inputs + result.count].bytes, sizeof(int64_t));
  }

  /// The status and the text of a program's code.
  int32_t told(int32_t code, const Context &context) const {
    if (code == QN_OUT_OF_MEMORY)
      return refuse(outOfMemory, "%s: %s", function.name, qn_error_text(code));
    if (code == QN_NO_LAPACK)
      return refuse(raised, "%s: there is no OpenBLAS: link the program with one, or load it before", function.name);
    const int32_t position = code - QN_FIRST_ERROR;
    if (position < 0 || position >= function.errors.count)
      return refuse(raised, "%s: %s", function.name, qn_error_text(code));
    const Error &error = function.errors.items[position];
    char *next = lastError(), *end = next + 1024;
    const int64_t none[QN_ERROR_VALUES] = {};
    write(error, context.code() == code ? context.values() : none, next, end);
    return error.status;
  }

  /// Puts the numbers into a message.
  static void write(const Error &error, const int64_t *values, char *next, char *end) {
    const char *text = error.text;
    while (*text && next + 1 < end) {
      if ((*text == '{' || *text == '}') && text[1] == *text) {
        *next++ = *text;
        text += 2;
        continue;
      }
      if (*text != '{') {
        *next++ = *text++;
        continue;
      }
      const int number = std::atoi(++text);
      text = std::strchr(text, '}') ? std::strchr(text, '}') + 1 : text;
      next += std::min<int64_t>(end - next - 1, writeNumber(error.types, number, values, next, end - next));
    }
    *next = 0;
  }

  static int64_t writeNumber(const char *types, int number, const int64_t *values, char *next, size_t room) {
    const int known = int(std::strlen(types));
    int position = 0;
    for (int k = 0; k < number; ++k)
      position += k < known && types[k] == 'c' ? 2 : 1;
    if (position >= QN_ERROR_VALUES)
      return std::snprintf(next, room, "?");
    const char type = number < known ? types[number] : 'i';
    double parts[2] = {};
    std::memcpy(parts, values + position, (type == 'c' && position + 1 < QN_ERROR_VALUES ? 2 : 1) * sizeof(double));
    if (type == 'f')
      return std::snprintf(next, room, "%.17g", parts[0]);
    if (type == 'c')
      return std::snprintf(next, room, "(%.17g%+.17gj)", parts[0], parts[1]);
    if (type == 'u')
      return std::snprintf(next, room, "%" PRIu64, uint64_t(values[position]));
    return std::snprintf(next, room, "%" PRId64, values[position]);
  }

  struct Seen {
    std::pair<const char *, const char *> range;
    const char *name;
    bool written;
  };

  const Function &function;
  const void *const *arguments;
  const Program *program = nullptr;
  std::vector<int64_t> symbols;
  std::vector<std::vector<int64_t>> outputDims;
  std::vector<void *> buffers;
  std::vector<Slot> slots;
  std::vector<Seen> seen;
  std::vector<Replaced> replaced;
};

/// The description that a call goes by.
inline const Function &chosen(const Function &function, const void *const *arguments) {
  if (!function.small)
    return function;
  const void *const *argument = arguments;
  for (const Parameter &parameter : function.parameters) {
    const void *given = *argument++;
    for (int32_t axis = 0; given && axis < parameter.rank; ++axis)
      if (parameter.dims[axis] < 0 && View(given, parameter.rank, parameter.bytes).shape()[axis] < 2)
        return *function.small;
  }
  return function;
}

/// Calls a function; no exception leaves it.
inline int32_t call(const Function &function, const void *const *arguments) {
  try {
    return Call(chosen(function, arguments), arguments).run();
  } catch (const std::bad_alloc &) {
    return refuse(outOfMemory, "%s: not enough memory", function.name);
  }
}

/// Gives the results' arrays their shapes.
inline int32_t shapes(const Function &function, const void *const *arguments) {
  try {
    return Call(chosen(function, arguments), arguments).shapes();
  } catch (const std::bad_alloc &) {
    return refuse(outOfMemory, "%s: not enough memory", function.name);
  }
}

} // namespace quernel::exported::QUERNEL_LIBRARY

#endif
