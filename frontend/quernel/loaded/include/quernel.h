/** What functions of one's own see, and kernels for devices: arrays, and what the runtime lends. A text that
 *  `quernel.load` compiles has it already; it may include it for an editor's sake. */
#ifndef QUERNEL_H
#define QUERNEL_H

using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned;
using uint64_t = unsigned long;

#ifdef __CUDACC__
#define QN_ANYWHERE __host__ __device__
#else
#define QN_ANYWHERE

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

/** The blocks and the threads of a kernel, along x, y and z, and the bytes of shared memory that a block gets. */
struct qn_grid {
  int32_t blocks[3], threads[3];
  int32_t shared;
};

/** What the runtime lends to what launches kernels. */
struct qn_device {
  qn_context context;
  int32_t (*launch)(const qn_device *device, int32_t kernel, const qn_grid *grid, void *const *arguments);
  int32_t (*read)(const qn_device *device, void *to, const void *from, int64_t bytes);
  int32_t (*write)(const qn_device *device, void *to, const void *from, int64_t bytes);
  int32_t (*repeat)(const qn_device *device, const void *goes_on, const void *failure, int32_t (*turn)(void *data),
                    void *data);
};
#endif

namespace qn {

/** An array in C order: its elements follow each other. `array<const double, 2>` is one that is only read. */
template <class T, int rank> struct array {
  T *data;
  int64_t sizes[rank > 0 ? rank : 1];

  QN_ANYWHERE array(T *data, const int64_t (&given)[rank > 0 ? rank : 1]) : data(data) {
    for (int axis = 0; axis < rank; ++axis)
      sizes[axis] = given[axis];
  }

  /** The size of an axis. */
  QN_ANYWHERE int64_t size(int axis) const { return sizes[axis]; }
  /** The number of elements. */
  QN_ANYWHERE int64_t size() const {
    int64_t count = 1;
    for (int axis = 0; axis < rank; ++axis)
      count *= sizes[axis];
    return count;
  }

  /** The element at an index for each axis. */
  template <class... Index> QN_ANYWHERE T &operator()(Index... index) const {
    static_assert(sizeof...(Index) == rank, "an array takes one index for each axis");
    const int64_t at[] = {int64_t(index)..., 0};
    int64_t place = 0;
    for (int axis = 0; axis < rank; ++axis)
      place = place * sizes[axis] + at[axis];
    return data[place];
  }
  /** The element at a place in the order of memory. */
  QN_ANYWHERE T &operator[](int64_t place) const { return data[place]; }

  QN_ANYWHERE T *begin() const { return data; }
  QN_ANYWHERE T *end() const { return data + size(); }
};

/** A complex number, as NumPy keeps it. */
template <class T> struct complex {
  T real, imag;
};

#ifdef __CUDACC__
/** A number of 16 bits, as `__ushort_as_half` of cuda_fp16.h takes them. */
struct half {
  uint16_t bits;
};

/** One of two types for the same integers. */
template <class T> struct canonical {
  using type = T;
};
template <> struct canonical<long long> {
  using type = long;
};
template <> struct canonical<unsigned long long> {
  using type = unsigned long;
};

template <class A, class B> inline constexpr bool is_same = false;
template <class A> inline constexpr bool is_same<A, A> = true;

/** Whether a kernel's parameter may be what stands for an argument: that itself, or a pointer to an array's elements.
 */
template <class P, class A> inline constexpr bool is_parameter = is_same<typename canonical<P>::type, A>;
template <class P, class T, int rank> inline constexpr bool is_parameter<P *, array<T, rank>> = is_parameter<P, T>;
template <class P, class T, int rank>
inline constexpr bool is_parameter<const P *, array<T, rank>> = is_parameter<P, T> || is_parameter<const P, T>;
template <class P, class T> inline constexpr bool is_parameter<const P, const T> = is_parameter<P, T>;

template <class... T> struct types {};

/** Whether parameters may be what stands for all arguments; behind them there may be so many sizes. */
template <int sizes, class P, class A> inline constexpr bool are_parameters = false;
template <int sizes, class... P>
inline constexpr bool are_parameters<sizes, types<P...>, types<>> =
    sizeof...(P) == 0 || (sizeof...(P) == sizes && (is_same<typename canonical<P>::type, int64_t> && ...));
template <int sizes, class P, class... Rest, class A, class... Others>
inline constexpr bool are_parameters<sizes, types<P, Rest...>, types<A, Others...>> =
    is_parameter<P, A> && are_parameters<sizes, types<Rest...>, types<Others...>>;

template <int sizes, class Kernel, class... A> inline constexpr bool takes = false;
template <int sizes, class... P, class... A>
inline constexpr bool takes<sizes, void(P...), A...> = are_parameters<sizes, types<P...>, types<A...>>;

#else
using context = qn_context;

/** An extent of a launch; one that no device has where it is out of range. */
inline int32_t extent(int64_t size) { return size < 0 || size > 0x7fffffff ? -1 : int32_t(size); }

/** Launches a kernel; `shape` has the blocks and the threads along x, y and z, and the bytes of shared memory. */
template <class... T>
int32_t launch(const context *context, int32_t kernel, const int64_t (&shape)[7], const T &...arguments) {
  qn_grid grid = {};
  for (int axis = 0; axis < 3; ++axis) {
    grid.blocks[axis] = extent(shape[axis]);
    grid.threads[axis] = extent(shape[3 + axis]);
  }
  grid.shared = extent(shape[6]);
  void *const addresses[] = {(void *)&arguments..., nullptr};
  const qn_device *device = reinterpret_cast<const qn_device *>(context);
  return device->launch(device, kernel, &grid, addresses);
}

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
#endif

} // namespace qn

#endif
