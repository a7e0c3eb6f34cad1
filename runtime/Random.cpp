#include "runtime/FloatFlags.h"
#include "runtime/Library.h"
#include "runtime/RandomDraws.h"

using namespace quernel;
using namespace quernel::runtime;

namespace {

constexpr int32_t firstRoutine = QN_RANDOM, routines = QN_ROUTINES - firstRoutine;
static_assert(std::all_of(routineRows.begin() + firstRoutine, routineRows.end(),
                          [](const RoutineRow &row) { return row.library == Library::random; }));

std::array<Distribution, routines> lent;

/// What a row's signature says: of the operands, which is the state, and how long elements are.
struct Shape {
  int inputs = 0, operands = 0, state = 0;
  int bytes[6] = {}; ///< 0 where the call's type says it
  bool hasCategories = false;

  constexpr Shape() = default;
  constexpr explicit Shape(std::string_view signature) {
    const size_t arrow = signature.find("->");
    addAll(signature.substr(0, arrow));
    inputs = operands;
    addAll(signature.substr(arrow + 2));
  }

private:
  constexpr void addAll(std::string_view side) {
    for (size_t end = 0; end != side.npos; side = side.substr(std::min(end, side.size() - 1) + 1)) {
      end = side.find(',');
      add(side.substr(0, end));
    }
  }

  constexpr void add(std::string_view operand) {
    const size_t colon = operand.find(':');
    const std::string_view letters = operand.substr(0, colon);
    const bool isState = letters == "s";
    if (isState && !inputs)
      state = operands;
    hasCategories |= letters.find('j') != letters.npos;
    bytes[operands++] = operand.ends_with(":floats") ? 4 : isState || colon != operand.npos ? 8 : 0;
  }
};

constexpr auto shapes = [] {
  std::array<Shape, routines> all;
  for (int32_t k = 0; k < routines; ++k)
    all[k] = Shape(routineRows[firstRoutine + k].signature);
  return all;
}();

/// Draws by a function of NumPy's of some parameters.
template <typename Result, typename... Parameters, size_t... Numbers>
int32_t drawByNumpy(const Draws &draws, std::index_sequence<Numbers...>) {
  const auto function = reinterpret_cast<Result (*)(BitGenerator *, Parameters...)>(lentDistribution(draws.routine));
  if (!function)
    return QN_NO_DISTRIBUTION;
  const auto one = [&](BitGenerator *generator, int64_t k) {
    return function(generator, draws.at<Parameters>(Numbers, k)...);
  };
  // The hypergeometric distribution draws words of both widths.
  constexpr bool hasOneWidth = !(std::is_same_v<Parameters, int64_t> || ...);
  if (!draws.areMany() || !hasOneWidth)
    return drawInTurn<Result>(draws, [&](auto &generator, int64_t k) {
      BitGenerator from = over(generator);
      return one(&from, k);
    });
  using Word = std::conditional_t<std::is_same_v<Result, float>, uint32_t, uint64_t>;
  if (!draws.areForAll())
    return drawFromBlocks<Word, Result>(draws, [&](Stream<Word> &stream, int64_t k) {
      BitGenerator from = over(stream);
      return one(&from, k);
    });
  return drawAlike<Word, Result>(draws, [&](Stream<Word> &stream, int64_t end, int64_t most, Result *out) {
    BitGenerator from = over(stream);
    int64_t done = 0;
    for (; done < most && stream.position() < end; ++done)
      out[done] = one(&from, 0);
    return done;
  });
}

template <typename Result, typename... Parameters> int32_t drawBy(const Draws &draws) {
  return drawByNumpy<Result, Parameters...>(draws, std::index_sequence_for<Parameters...>());
}

/// The function of each routine.
constexpr auto loops = [] {
  std::array<int32_t (*)(const Draws &), routines> all = {};
  const auto set = [&](auto loop, auto... ids) { ((all[ids - firstRoutine] = loop), ...); };
#define QN_DISTRIBUTION(ID, function, ...) set(drawBy<__VA_ARGS__>, QN_##ID);
#include "runtime/Distributions.def"
  set(drawAhead, QN_RANDOM_AHEAD, QN_RANDOM_PART); // parts aren't draws
  set(drawUniform, QN_RANDOM, QN_RANDOM_FLOATS, QN_UNIFORM, QN_INVERSE_EXPONENTIAL, QN_INVERSE_EXPONENTIAL_FLOATS);
  set(drawZiggurat, QN_STANDARD_NORMAL, QN_STANDARD_NORMAL_FLOATS, QN_STANDARD_EXPONENTIAL,
      QN_STANDARD_EXPONENTIAL_FLOATS, QN_NORMAL, QN_LOGNORMAL, QN_EXPONENTIAL, QN_RAYLEIGH);
  set(drawIntegers, QN_INTEGERS, QN_MASKED_INTEGERS);
  set(drawPermutation, QN_PERMUTATION);
  set(drawChoice, QN_CHOICE);
  set(drawBinomial, QN_BINOMIAL);
  set(drawMultinomial, QN_MULTINOMIAL);
  set(drawDirichlet, QN_DIRICHLET);
  for (int32_t routine = QN_LEGACY_STANDARD_NORMAL; routine < QN_ROUTINES; ++routine)
    set(drawLegacy, routine);
  return all;
}();
static_assert(std::ranges::find(loops, nullptr) == loops.end());

/// Whether words are a state that draws can begin with.
bool isState(const uint64_t *words, int64_t count, int64_t step, int32_t routine) {
  if (count < 1 || words[0] >= uint64_t(streamKinds))
    return false;
  const auto kind = StreamKind(words[0]);
  if (count != streamWords(kind))
    return false;
  if (routine >= QN_LEGACY_STANDARD_NORMAL && kind != StreamKind::legacy)
    return false;
  return kind == StreamKind::philox ? words[11 * step] <= 4 : kind < StreamKind::mt19937 || words[313 * step] <= 624;
}

/// One problem of a call's batch.
int32_t drawProblem(const RoutineCall &call, const Shape &shape, int64_t problem) {
  const auto place = [&](int operand) {
    const int bytes = shape.bytes[operand] ? shape.bytes[operand] : typeBytes[call.type];
    return static_cast<char *>(call.operands[operand]) + problem * call.strides[3 * operand] * bytes;
  };
  const int64_t *sizes = call.sizes + (shape.hasCategories ? 2 : 1);
  const int64_t words = sizes[1], from = call.strides[3 * shape.state + 1];
  // Of the outputs, which come in the order of the inputs, the state has its place.
  const int stateOut = shape.inputs, out = shape.inputs + 1;
  const int64_t to = call.strides[3 * stateOut + 1];
  const auto *before = reinterpret_cast<const uint64_t *>(place(shape.state));
  auto *after = reinterpret_cast<uint64_t *>(place(stateOut));
  if (!isState(before, words, from, call.routine))
    return QN_NO_ROUTINE;
  uint64_t elsewhere[mostStreamWords];
  uint64_t *state = to == 1 ? after : elsewhere;
  if (state != before)
    for (int64_t k = 0; k < words; ++k)
      state[k] = before[k * from];
  Draws draws = {call.context, call.routine, call.type, state, sizes[0], place(out), call.strides[3 * out + 1]};
  draws.categories = shape.hasCategories ? call.sizes[1] : 0;
  draws.categoryStep = call.strides[3 * out + 2];
  for (int operand = 0, parameter = 0; operand < shape.inputs; ++operand) {
    if (operand == shape.state)
      continue;
    draws.parameters[parameter] = place(operand);
    draws.steps[parameter++] = call.strides[3 * operand + 1];
  }
  const int32_t code = draws.count ? loops[call.routine - firstRoutine](draws) : int32_t(QN_OK);
  if (state != after)
    for (int64_t k = 0; k < words; ++k)
      after[k * to] = state[k];
  return code;
}

/// One number by the loop of a routine. Out of line, so that a draw at once doesn't pay for its calls.
[[gnu::noinline]] int32_t drawOneByLoop(const qn_context *context, int32_t routine, int64_t words,
                                        const uint64_t *before, uint64_t *after, double *number) {
  if (routine < firstRoutine || routine >= QN_ROUTINES || !isState(before, words, 1, routine))
    return QN_NO_ROUTINE;
  if (after != before)
    std::copy_n(before, words, after);
  void *const operands[] = {after, after, number};
  const int64_t strides[] = {0, 1, 0, 0, 1, 0, 0, 1, 0}, sizes[] = {1, 1, words, 1};
  return callRandom({context, routine, QN_U64, operands, strides, sizes});
}

} // namespace

int32_t quernel::runtime::drawOne(const qn_context *context, int32_t routine, int64_t words, const uint64_t *before,
                                  uint64_t *after, double *number) {
  constexpr int64_t few = streamWords(StreamKind::pcg64);
  if (words == few && drawAtOnce(routine, before, after, *number)) [[likely]]
    return QN_OK;
  return drawOneByLoop(context, routine, words, before, after, number);
}

void quernel::runtime::lendDistribution(int32_t routine, Distribution function) {
  lent[routine - firstRoutine] = function;
  forgetZiggurats();
}

Distribution quernel::runtime::lentDistribution(int32_t routine) { return lent[routine - firstRoutine]; }

int32_t quernel::runtime::callRandom(const RoutineCall &call) {
  if (call.routine < firstRoutine)
    return callSeeding(call);
  if (call.routine == QN_RANDOM_PART)
    return callPart(call);
  const Shape &shape = shapes[call.routine - firstRoutine];
  if (call.type < 0 || call.type >= QN_TYPES)
    return QN_NO_ROUTINE;
  const FlagsKept flags; // nobody hears of NumPy's own ones either
  int32_t code = QN_OK;
  for (int64_t problem = 0; problem < call.sizes[0] && code == QN_OK; ++problem)
    code = drawProblem(call, shape, problem);
  return code;
}
