/** What functions of one's own see: arrays, and what the runtime lends. A text that `quernel.load` compiles has it
 *  already; it may include it for an editor's sake. */
#ifndef QUERNEL_H
#define QUERNEL_H

using int8_t = __INT8_TYPE__;
using int16_t = __INT16_TYPE__;
using int32_t = __INT32_TYPE__;
using int64_t = __INT64_TYPE__;
using uint8_t = __UINT8_TYPE__;
using uint16_t = __UINT16_TYPE__;
using uint32_t = __UINT32_TYPE__;
using uint64_t = __UINT64_TYPE__;

/** What the runtime lends; the layout is that of its own header, `runtime/abi.h`. */
struct qn_context {
  /** The most threads that a function may use; at least 1. */
  int32_t threads;
  /** Memory at a 64-byte boundary, or null where there is none. */
  void *(*alloc)(int64_t bytes);
  /** Takes back what `alloc` gave; null is fine. */
  void (*release)(void *memory);
  int32_t (*fail)(const qn_context *context, int32_t code, const int64_t *values, int32_t count);
  /** Not 0 where the user wants the program to stop: return soon. */
  int32_t (*poll)(void);
  int32_t (*call)(const qn_context *context, int32_t routine, int32_t type, void *const *operands,
                  const int64_t *strides, const int64_t *sizes);
  /** Calls `turns` for ranges that together are the turns from `begin` to `end`, where threads are free at the same
   * time. */
  int32_t (*parallel_for)(const qn_context *context, int64_t begin, int64_t end, int64_t step, int64_t grain,
                          int32_t (*turns)(void *data, int64_t begin, int64_t end), void *data);
  int32_t (*parallel_tasks)(const qn_context *context, int64_t begin, int64_t end, int64_t step,
                            int32_t (*tasks)(void *data, const qn_context *context, int64_t begin, int64_t end),
                            void *data);
  int32_t (*draw)(const qn_context *context, int32_t routine, int64_t words, const uint64_t *before, uint64_t *after,
                  double *number);
};

namespace qn {

using context = qn_context;

/** An array in C order: its elements follow each other. `array<const double, 2>` is one that is only read. */
template <class T, int rank> struct array {
  T *data;
  int64_t sizes[rank > 0 ? rank : 1];

  array(T *data, const int64_t (&given)[rank > 0 ? rank : 1]) : data(data) {
    for (int axis = 0; axis < rank; ++axis)
      sizes[axis] = given[axis];
  }

  /** The size of an axis. */
  int64_t size(int axis) const { return sizes[axis]; }
  /** The number of elements. */
  int64_t size() const {
    int64_t count = 1;
    for (int axis = 0; axis < rank; ++axis)
      count *= sizes[axis];
    return count;
  }

  /** The element at an index for each axis. */
  template <class... Index> T &operator()(Index... index) const {
    static_assert(sizeof...(Index) == rank, "an array takes one index for each axis");
    const int64_t at[] = {int64_t(index)..., 0};
    int64_t place = 0;
    for (int axis = 0; axis < rank; ++axis)
      place = place * sizes[axis] + at[axis];
    return data[place];
  }
  /** The element at a place in the order of memory. */
  T &operator[](int64_t place) const { return data[place]; }

  T *begin() const { return data; }
  T *end() const { return data + size(); }
};

/** A complex number, as NumPy keeps it. */
template <class T> struct complex {
  T real, imag;
};

/** Calls `turn(i)` for all turns of a loop, in threads where there are at least `grain` turns for each; not 0 where the
 *  user wants the program to stop, and not all turns were computed. */
template <class Turn>
int32_t parallel_for(const context &context, int64_t begin, int64_t end, int64_t grain, const Turn &turn) {
  auto turns = [](void *data, int64_t first, int64_t last) -> int32_t {
    for (int64_t i = first; i < last; ++i)
      (*static_cast<const Turn *>(data))(i);
    return 0;
  };
  return context.parallel_for(&context, begin, end, 1, grain, turns, const_cast<Turn *>(&turn));
}

inline int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

template <class T> inline constexpr bool gives_nothing = false;
template <> inline constexpr bool gives_nothing<void> = true;

} // namespace qn

#endif
