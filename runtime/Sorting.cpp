#include "runtime/Sorting.h"
#include "runtime/Complex.h"
#include "runtime/Library.h"
#include "runtime/Scratch.h"
#include "runtime/Team.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <compare>
#include <cstring>
#include <vector>

using namespace quernel::runtime;

namespace {

/// The bits of a float16, ordered as the number is.
struct Half {
  uint16_t bits;

  bool isNan() const { return (bits & 0x7fff) > 0x7c00; }
  int32_t key() const { return bits & 0x8000 ? -(bits & 0x7fff) : bits; }
  std::partial_ordering operator<=>(const Half &other) const {
    return isNan() || other.isNan() ? std::partial_ordering::unordered : key() <=> other.key();
  }
  bool operator==(const Half &other) const { return (*this <=> other) == 0; }
};

/// NumPy's order: NaN comes last. Without branches, for merges.
template <typename T> bool comesBefore(const T &a, const T &b) { return (a < b) | ((b != b) & (a == a)); }

/// By the real part, then by the imaginary one; those with NaN in the imaginary part come behind those without, those
/// with NaN in the real part last.
template <typename T> bool comesBefore(const Complex<T> &a, const Complex<T> &b) {
  const bool aHasNan = a.im != a.im, bHasNan = b.im != b.im;
  if (a.re < b.re)
    return !aHasNan || bHasNan;
  if (a.re > b.re)
    return !aHasNan && bHasNan;
  const bool aIsNan = a.re != a.re, bIsNan = b.re != b.re;
  return aIsNan == bIsNan ? comesBefore(a.im, b.im) : bIsNan;
}

template <typename T> int sortValues(void *elements, intptr_t count, void *) {
  T *first = static_cast<T *>(elements);
  std::stable_sort(first, first + count, [](const T &a, const T &b) { return comesBefore(a, b); });
  return 0;
}

template <typename T> int sortPlaces(void *elements, intptr_t *places, intptr_t count, void *) {
  const T *of = static_cast<const T *>(elements);
  std::stable_sort(places, places + count, [&](intptr_t a, intptr_t b) { return comesBefore(of[a], of[b]); });
  return 0;
}

/// Elements that are sorted at once; those of longer rows are sorted in pieces, by several threads, between which the
/// program may be stopped.
constexpr int64_t pieceLength = int64_t(1) << 18;
/// So many steps of a merge take less time than anyone waits.
constexpr int64_t stepsBetweenPolls = int64_t(1) << 16;

/// Part of a merge of two runs: where it begins in both, and which items it gives.
struct MergePart {
  int64_t left, leftEnd, right, rightEnd, out, count;
};

/// How many of the first `rank` items of a merge come from the left run. Of equal items those of the left run come
/// first.
template <typename E, typename Before>
int64_t leftOf(int64_t rank, const E *left, int64_t lefts, const E *right, int64_t rights, Before before) {
  int64_t least = std::max<int64_t>(0, rank - rights), most = std::min(rank, lefts);
  while (least < most) {
    const int64_t middle = least + (most - least) / 2;
    if (before(right[rank - middle - 1], left[middle]))
      most = middle;
    else
      least = middle + 1;
  }
  return least;
}

/// Merges items by steps without branches: what is compared can't be foreseen.
template <typename E, typename Before>
int32_t mergeItems(const E *items, const MergePart &part, E *out, Before before, const qn_context *context) {
  const E *left = items + part.left, *leftEnd = items + part.leftEnd, *right = items + part.right,
          *rightEnd = items + part.rightEnd;
  E *end = (out += part.out) + part.count;
  while (out < end && left < leftEnd && right < rightEnd) {
    if (context->poll() != QN_OK)
      return QN_INTERRUPTED;
    // So many steps reach the end of neither run.
    int64_t steps = std::min({leftEnd - left, rightEnd - right, end - out, stepsBetweenPolls});
    for (; steps > 0; --steps) {
      // By arithmetic, of which no compiler makes a branch.
      const int64_t takesRight = before(*right, *left);
      *out++ = left[(right - left) & -takesRight];
      right += takesRight;
      left += 1 - takesRight;
    }
  }
  const int64_t rest = std::min<int64_t>(end - out, leftEnd - left);
  out = std::copy(left, left + rest, out);
  std::copy(right, right + (end - out), out);
  return QN_OK;
}

/// All pairs of runs of `width` items that are merged at once, cut into parts of about `stepsBetweenPolls` items.
template <typename E, typename Before>
std::vector<MergePart> mergeParts(const E *items, int64_t count, int64_t width, Before before) {
  std::vector<MergePart> parts;
  for (int64_t low = 0; low < count; low += 2 * width) {
    const int64_t middle = std::min(low + width, count), high = std::min(low + 2 * width, count);
    int64_t from = 0;
    for (int64_t rank = 0; rank < high - low;) {
      const int64_t next = std::min(rank + stepsBetweenPolls, high - low);
      const int64_t to = leftOf(next, items + low, middle - low, items + middle, high - middle, before);
      parts.push_back({low + from, low + to, middle + rank - from, middle + next - to, low + rank, next - rank});
      from = to;
      rank = next;
    }
  }
  return parts;
}

/// Runs `body` for each number below `count` in the threads of a context; the first code that isn't QN_OK.
template <typename Body> int32_t forEach(const qn_context *context, int64_t count, Body body) {
  struct Job {
    Body &body;
    int64_t count;
    std::atomic<int64_t> next = 0;
    std::atomic<int32_t> code = QN_OK;
  } job{body, count};
  runParts(
      int32_t(std::min<int64_t>(count, context->threads)),
      [](void *data, int32_t) {
        auto &of = *static_cast<Job *>(data);
        for (int64_t k; of.code == QN_OK && (k = of.next++) < of.count;)
          if (const int32_t code = of.body(k))
            of.code = code;
      },
      &job);
  return job.code;
}

/// Merges sorted pieces until all items are in order; `spare` has room for as many.
template <typename E, typename Before>
int32_t mergePieces(E *items, E *spare, int64_t count, Before before, const qn_context *context) {
  E *from = items, *to = spare;
  for (int64_t width = pieceLength; width < count; width *= 2) {
    const std::vector<MergePart> parts = mergeParts(from, count, width, before);
    if (const int32_t code = forEach(context, int64_t(parts.size()),
                                     [&](int64_t k) { return mergeItems(from, parts[k], to, before, context); }))
      return code;
    std::swap(from, to);
  }
  if (from != items)
    std::copy(from, from + count, items);
  return QN_OK;
}

/// Sorts elements, or their places by a stable algorithm, in pieces side by side, and merges these. The lengths of
/// pieces don't depend on the threads.
template <typename T>
int32_t sortInPieces(const SortFunctions &functions, void *elements, intptr_t *places, int64_t count, void *spare,
                     const qn_context *context) {
  T *first = static_cast<T *>(elements);
  const int32_t failed = forEach(context, (count + pieceLength - 1) / pieceLength, [&](int64_t piece) -> int32_t {
    const int64_t at = piece * pieceLength, length = std::min(pieceLength, count - at);
    if (context->poll() != QN_OK)
      return QN_INTERRUPTED;
    if (places ? functions.places(first + at, places + at, length, nullptr)
               : functions.values(first + at, length, nullptr))
      return QN_OUT_OF_MEMORY;
    for (int64_t k = at; places && k < at + length; ++k)
      places[k] += at;
    return QN_OK;
  });
  if (failed)
    return failed;
  if (places)
    return mergePieces(
        places, static_cast<intptr_t *>(spare), count,
        [&](intptr_t a, intptr_t b) { return comesBefore(first[a], first[b]); }, context);
  return mergePieces(
      first, static_cast<T *>(spare), count, [](const T &a, const T &b) { return comesBefore(a, b); }, context);
}

/// Lines of at least so many elements are searched for single positions by what lies around them in a sample.
constexpr int64_t selectLength = int64_t(1) << 15;
constexpr int64_t sampleLength = 512, sampleMargin = 24;
/// For more positions than so many passes find, selection by parts is faster.
constexpr int mostPasses = 6;

/// The elements of a line between two bounds, and how many are below.
template <typename T> struct Between {
  int64_t below = 0, count = 0;
  T *items;

  bool has(int64_t position) const { return position >= below && position < below + count; }
  T at(int64_t position) {
    std::nth_element(items, items + (position - below), items + count);
    return items[position - below];
  }
};

/// Stores what belongs to each position there, for positions in ascending order; the other elements may be anything
/// afterwards. A sample says between which two elements a position lies, one pass collects what is between, which is
/// little. False, with nothing changed, where an element is NaN or the sample was wrong; `spare` has room for all.
template <typename T> bool select(T *first, int64_t count, const std::vector<int64_t> &positions, T *spare) {
  if constexpr (isComplex<T>) {
    return false;
  } else {
    int64_t nans = 0;
    if constexpr (!std::is_integral_v<T>)
      for (int64_t k = 0; k < count; ++k)
        nans += first[k] != first[k];
    if (nans)
      return false;
    std::array<T, sampleLength> sample;
    for (int64_t k = 0; k < sampleLength; ++k)
      sample[k] = first[count / sampleLength * k];
    std::ranges::sort(sample);
    std::vector<T> found;
    Between<T> between{.items = spare};
    int passes = 0;
    for (int64_t position : positions) {
      if (!between.has(position)) {
        if (++passes > mostPasses)
          return false;
        const int64_t place = int64_t(double(position) / double(count) * sampleLength);
        const bool hasLower = place >= sampleMargin, hasUpper = place + sampleMargin < sampleLength;
        const T lower = sample[hasLower ? place - sampleMargin : 0],
                upper = sample[hasUpper ? place + sampleMargin : sampleLength - 1];
        between.below = between.count = 0;
        for (int64_t k = 0; k < count; ++k) {
          const T x = first[k];
          const bool isBelow = hasLower & (x < lower);
          spare[between.count] = x;
          between.below += isBelow;
          between.count += !isBelow & (!hasUpper | (x <= upper));
        }
        if (!between.has(position))
          return false;
      }
      found.push_back(between.at(position));
    }
    for (size_t k = 0; k < positions.size(); ++k)
      first[positions[k]] = found[k];
    return true;
  }
}

/// Puts what belongs to some positions, in ascending order, there; the other elements may be anything afterwards. NaN
/// goes to the end first, so that the rest are numbers alone.
template <typename T>
void partition(void *elements, int64_t count, const std::vector<int64_t> &positions, void *spare) {
  T *first = static_cast<T *>(elements), *numbers = first + count, *from = first;
  if (count >= selectLength && select(first, count, positions, static_cast<T *>(spare)))
    return;
  if constexpr (!std::is_integral_v<T> && !isComplex<T>)
    numbers = std::partition(first, first + count, [](const T &x) { return x == x; });
  for (int64_t position : positions) {
    T *place = first + position;
    if (place < from || place >= numbers)
      continue;
    std::nth_element(from, place, numbers, [](const T &a, const T &b) {
      if constexpr (isComplex<T>)
        return comesBefore(a, b);
      else
        return a < b;
    });
    from = place + 1;
  }
}

/// What sorts elements of one type, beside what a process lends.
struct TypeFunctions {
  SortFunctions plain;
  int32_t (*inPieces)(const SortFunctions &, void *, intptr_t *, int64_t, void *, const qn_context *);
  void (*partition)(void *, int64_t, const std::vector<int64_t> &, void *);
  int64_t bytes; ///< of an element
};

template <typename... T> constexpr std::array<TypeFunctions, sizeof...(T)> functionsOf() {
  return {{{{sortValues<T>, sortPlaces<T>}, sortInPieces<T>, partition<T>, sizeof(T)}...}};
}

/// In the order of abi.h.
constexpr auto typeFunctions = functionsOf<float, double, Complex<float>, Complex<double>, bool, int8_t, uint8_t,
                                           int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, Half>();
static_assert(typeFunctions.size() == QN_TYPES);

constexpr int32_t algorithms = QN_ARGSORT - QN_SORT;
using Table = std::array<SortFunctions, QN_TYPES>;

std::array<Table, algorithms> &tables() {
  static std::array<Table, algorithms> known = [] {
    Table plain;
    std::ranges::transform(typeFunctions, plain.begin(), &TypeFunctions::plain);
    return std::array<Table, algorithms>{plain, plain};
  }();
  return known;
}

PartitionFunction lentPartition = nullptr;

/// Fewer elements are sorted by one thread.
constexpr int64_t enoughElements = 4096;

/// The rows of one call.
struct Rows {
  const qn_context *context;
  const TypeFunctions &type;
  SortFunctions functions;
  bool partitions; ///< whether not all elements are wanted in order
  bool partitionsAsNumpy;
  int32_t number; ///< of the type
  bool isInPieces;
  std::vector<int64_t> positions;
  bool wantsPlaces;
  const char *values;
  char *out;
  const int64_t *strides;
  int64_t rows, count;
  int32_t parts;
  std::atomic<int32_t> code = QN_OK;

  int64_t outBytes() const { return wantsPlaces ? sizeof(int64_t) : type.bytes; }

  static void copy(const char *from, int64_t fromStep, char *to, int64_t toStep, int64_t count, int64_t bytes) {
    if (fromStep == bytes && toStep == bytes) {
      std::memmove(to, from, count * bytes);
      return;
    }
    for (int64_t k = 0; k < count; ++k)
      std::memcpy(to + k * toStep, from + k * fromStep, bytes);
  }

  /// Sorts the elements of a row, or their places.
  int32_t sort(char *elements, intptr_t *places, char *spare) const {
    if (partitionsAsNumpy) {
      const bool done = lentPartition(number, elements, places, count, positions.data(), intptr_t(positions.size()));
      return done ? QN_OK : QN_OUT_OF_MEMORY;
    }
    if (partitions) {
      type.partition(elements, count, positions, spare);
      return QN_OK;
    }
    for (int64_t k = 0; wantsPlaces && k < count; ++k)
      places[k] = isInPieces ? k % pieceLength : k;
    if (isInPieces)
      return type.inPieces(functions, elements, places, count, spare, context);
    const int failed =
        wantsPlaces ? functions.places(elements, places, count, nullptr) : functions.values(elements, count, nullptr);
    return failed ? QN_OUT_OF_MEMORY : QN_OK;
  }

  /// New memory for a long row takes as long as its elements.
  int32_t pollInLongRow() const { return count >= pieceLength ? context->poll() : QN_OK; }

  void sortPart(int32_t part) {
    const int64_t bytes = type.bytes;
    Scratch scratch;
    char *elements = scratch.take<char>(count * bytes);
    intptr_t *places = wantsPlaces ? scratch.take<intptr_t>(count) : nullptr;
    const bool needsSpare = isInPieces || (partitions && count >= selectLength);
    char *spare = needsSpare ? scratch.take<char>(count * outBytes()) : nullptr;
    int32_t found = scratch.out() ? QN_OUT_OF_MEMORY : QN_OK;
    for (int64_t row = rows * part / parts; row < rows * (part + 1) / parts; ++row) {
      if (found == QN_OK)
        found = context->poll();
      if (found != QN_OK)
        break;
      copy(values + row * strides[0] * bytes, strides[1] * bytes, elements, bytes, count, bytes);
      found = pollInLongRow();
      if (found == QN_OK)
        found = sort(elements, places, spare);
      if (found == QN_OK)
        found = pollInLongRow();
      if (found != QN_OK)
        break; // half merged; the row stays as it is
      const char *sorted = wantsPlaces ? reinterpret_cast<const char *>(places) : elements;
      copy(sorted, outBytes(), out + row * strides[2] * outBytes(), strides[3] * outBytes(), count, outBytes());
    }
    if (found != QN_OK)
      code = found;
  }
};

} // namespace

void quernel::runtime::lendPartition(PartitionFunction function) { lentPartition = function; }

void quernel::runtime::lendSortFunctions(int32_t algorithm, int32_t type, SortFunctions functions) {
  tables()[algorithm - QN_SORT][type] = functions;
}

int32_t quernel::runtime::sortRows(const qn_context *context, int32_t order, int32_t type, const void *values,
                                   void *out, const int64_t *strides, int64_t rows, int64_t count,
                                   const int64_t *positions, int64_t wanted) {
  const bool asNumpy = order == QN_INTROSELECT || order == QN_ARGINTROSELECT;
  const bool wantsPlaces = order == QN_ARGSORT || order == QN_ARGSORT_STABLE || order == QN_ARGINTROSELECT;
  if (asNumpy && !lentPartition)
    return QN_NO_ROUTINE;
  // NumPy's partition takes Python's lock for some moments: a call that has it gives it back when it polls.
  if (asNumpy && context->poll() != QN_OK)
    return QN_INTERRUPTED;
  std::vector<int64_t> places;
  for (int64_t k = 0; k < wanted; ++k)
    places.push_back(positions[k * strides[4]]);
  std::ranges::sort(places);
  // Nobody can tell how the default algorithm orders the places of equal elements but by running it.
  const bool isLong = count > pieceLength && order != QN_ARGSORT && order < QN_PARTITION;
  // Threads share a long row where there aren't rows enough for all of them.
  const bool sharesRows = rows > 1 && rows * count >= enoughElements && !(isLong && rows < context->threads);
  Rows job{context,
           typeFunctions[type],
           tables()[(order - QN_SORT) % algorithms][type],
           order == QN_PARTITION,
           asNumpy,
           type,
           isLong,
           std::move(places),
           wantsPlaces,
           static_cast<const char *>(values),
           static_cast<char *>(out),
           strides,
           rows,
           count,
           sharesRows ? int32_t(std::min<int64_t>(rows, context->threads)) : 1};
  runParts(job.parts, [](void *data, int32_t part) { static_cast<Rows *>(data)->sortPart(part); }, &job);
  return job.code;
}

int32_t quernel::runtime::callSorting(const RoutineCall &call) {
  const bool partitions = call.routine >= QN_PARTITION;
  const int result = partitions ? 2 : 1;
  const int64_t *values = call.strides, *positions = call.strides + 3, *out = call.strides + 3 * result;
  const int64_t strides[] = {values[0], values[1], out[0], out[1], partitions ? positions[1] : 0};
  return sortRows(call.context, call.routine, call.type, call.operands[0], call.operands[result], strides,
                  call.sizes[0], call.sizes[1], partitions ? static_cast<int64_t *>(call.operands[1]) : nullptr,
                  partitions ? call.sizes[2] : 0);
}
