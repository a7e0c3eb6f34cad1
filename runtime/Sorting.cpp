#include "runtime/Sorting.h"
#include "runtime/Complex.h"
#include "runtime/Scratch.h"
#include "runtime/Team.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <vector>

using namespace quernel::runtime;

namespace {

/// NumPy's order: NaN comes last.
template <typename T> bool comesBefore(const T &a, const T &b) { return a < b || (b != b && a == a); }

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

/// Elements that are sorted at once; those of longer rows are sorted in pieces, between which the program may be
/// stopped.
constexpr int64_t pieceLength = int64_t(1) << 18;
/// So many steps of a merge take less time than anyone waits.
constexpr int64_t stepsBetweenPolls = int64_t(1) << 16;

/// Merges two runs into `out`; of equal items those of the first run come first.
template <typename E, typename Before>
int32_t mergeRuns(const E *first, const E *middle, const E *last, E *out, Before before, const qn_context *context) {
  const E *left = first, *right = middle;
  while (left < middle && right < last) {
    if (context->poll() != QN_OK)
      return QN_INTERRUPTED;
    for (int64_t step = 0; step < stepsBetweenPolls && left < middle && right < last; ++step) {
      const bool takesRight = before(*right, *left);
      *out++ = takesRight ? *right : *left;
      right += takesRight;
      left += !takesRight;
    }
  }
  std::copy(right, last, std::copy(left, middle, out));
  return QN_OK;
}

/// Merges sorted pieces until all items are in order; `spare` has room for as many.
template <typename E, typename Before>
int32_t mergePieces(E *items, E *spare, int64_t count, Before before, const qn_context *context) {
  E *from = items, *to = spare;
  for (int64_t width = pieceLength; width < count; width *= 2) {
    for (int64_t low = 0; low < count; low += 2 * width) {
      const int64_t middle = std::min(low + width, count), high = std::min(low + 2 * width, count);
      if (const int32_t code = mergeRuns(from + low, from + middle, from + high, to + low, before, context))
        return code;
    }
    std::swap(from, to);
  }
  if (from != items)
    std::copy(from, from + count, items);
  return QN_OK;
}

/// Sorts elements, or their places by a stable algorithm, as one piece after the other.
template <typename T>
int32_t sortInPieces(const SortFunctions &functions, void *elements, intptr_t *places, int64_t count, void *spare,
                     const qn_context *context) {
  T *first = static_cast<T *>(elements);
  for (int64_t at = 0; at < count; at += pieceLength) {
    const int64_t length = std::min(pieceLength, count - at);
    if (context->poll() != QN_OK)
      return QN_INTERRUPTED;
    if (places ? functions.places(first + at, places + at, length, nullptr)
               : functions.values(first + at, length, nullptr))
      return QN_OUT_OF_MEMORY;
    for (int64_t k = at; places && k < at + length; ++k)
      places[k] += at;
  }
  if (places)
    return mergePieces(
        places, static_cast<intptr_t *>(spare), count,
        [&](intptr_t a, intptr_t b) { return comesBefore(first[a], first[b]); }, context);
  return mergePieces(
      first, static_cast<T *>(spare), count, [](const T &a, const T &b) { return comesBefore(a, b); }, context);
}

/// Puts what belongs to some positions, in ascending order, there. NaN goes to the end first, so that the rest are
/// numbers alone.
template <typename T> void partition(void *elements, int64_t count, const std::vector<int64_t> &positions) {
  T *first = static_cast<T *>(elements), *numbers = first + count, *from = first;
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
  void (*partition)(void *, int64_t, const std::vector<int64_t> &);
  int64_t bytes; ///< of an element
};

template <typename... T> constexpr std::array<TypeFunctions, sizeof...(T)> functionsOf() {
  return {{{{sortValues<T>, sortPlaces<T>}, sortInPieces<T>, partition<T>, sizeof(T)}...}};
}

/// In the order of abi.h.
constexpr auto typeFunctions = functionsOf<float, double, Complex<float>, Complex<double>, bool, int8_t, uint8_t,
                                           int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t>();
static_assert(typeFunctions.size() == QN_TYPES);

constexpr size_t algorithms = QN_ARGSORT;
using Table = std::array<SortFunctions, QN_TYPES>;

std::array<Table, algorithms> &tables() {
  static std::array<Table, algorithms> known = [] {
    Table plain;
    std::ranges::transform(typeFunctions, plain.begin(), &TypeFunctions::plain);
    return std::array<Table, algorithms>{plain, plain};
  }();
  return known;
}

/// Fewer elements are sorted by one thread.
constexpr int64_t enoughElements = 4096;

/// The rows of one call.
struct Rows {
  const qn_context *context;
  const TypeFunctions &type;
  SortFunctions functions;
  bool partitions; ///< whether not all elements are wanted in order
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
    if (partitions) {
      type.partition(elements, count, positions);
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

  void sortPart(int32_t part) {
    const int64_t bytes = type.bytes;
    Scratch scratch;
    char *elements = scratch.take<char>(count * bytes);
    intptr_t *places = wantsPlaces ? scratch.take<intptr_t>(count) : nullptr;
    char *spare = isInPieces ? scratch.take<char>(count * outBytes()) : nullptr;
    int32_t found = scratch.out() ? QN_OUT_OF_MEMORY : QN_OK;
    for (int64_t row = rows * part / parts; row < rows * (part + 1) / parts; ++row) {
      if (found == QN_OK)
        found = context->poll();
      if (found != QN_OK)
        break;
      copy(values + row * strides[0] * bytes, strides[1] * bytes, elements, bytes, count, bytes);
      found = sort(elements, places, spare);
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

void quernel::runtime::lendSortFunctions(int32_t algorithm, int32_t type, SortFunctions functions) {
  tables()[algorithm][type] = functions;
}

int32_t quernel::runtime::sortRows(const qn_context *context, int32_t order, int32_t type, const void *values,
                                   void *out, const int64_t *strides, int64_t rows, int64_t count,
                                   const int64_t *positions, int64_t wanted) {
  const bool wantsPlaces = order >= QN_ARGSORT && order < QN_PARTITION;
  std::vector<int64_t> places;
  for (int64_t k = 0; k < wanted; ++k)
    places.push_back(positions[k * strides[4]]);
  std::ranges::sort(places);
  const bool isWorthThreads = rows > 1 && rows * count >= enoughElements;
  // Nobody can tell how the default algorithm orders the places of equal elements but by running it.
  const bool isLong = count > pieceLength && order != QN_ARGSORT && order != QN_PARTITION;
  Rows job{context,
           typeFunctions[type],
           tables()[order % algorithms][type],
           order == QN_PARTITION,
           isLong,
           std::move(places),
           wantsPlaces,
           static_cast<const char *>(values),
           static_cast<char *>(out),
           strides,
           rows,
           count,
           isWorthThreads ? int32_t(std::min<int64_t>(rows, context->threads)) : 1};
  context->parallel(job.parts, [](void *data, int32_t part) { static_cast<Rows *>(data)->sortPart(part); }, &job);
  return job.code;
}
