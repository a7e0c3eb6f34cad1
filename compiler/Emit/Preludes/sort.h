/// Lines of elements are put in order by merges, of which each keeps the order of equal elements. The threads of a block
/// share a tile of items in shared memory: first each sorts its own, then they merge runs of those, each thread its part
/// of the result. Longer runs are merged by a launch for each length, of which a block makes a tile of the result.
enum { sort_items = 8, sort_tile = 256 * sort_items };

/// A float of 16 bits as it lies in memory.
struct HalfBits {
  unsigned short bits;
};

/// A complex number as it lies in memory.
template <class T> struct ComplexPair {
  T re, im;
};

/// NumPy's order: NaN comes last.
template <class T> inline bool comes_before(const T &a, const T &b) { return (a < b) | ((b != b) & (a == a)); }

inline bool comes_before(const HalfBits &a, const HalfBits &b) {
  const int a_size = a.bits & 0x7fff, b_size = b.bits & 0x7fff, infinity = 0x7c00;
  const int a_number = a.bits & 0x8000 ? -a_size : a_size, b_number = b.bits & 0x8000 ? -b_size : b_size;
  return a_size <= infinity && (b_size > infinity || a_number < b_number);
}

/// By the real part, then by the imaginary one; those with NaN in the imaginary part come behind those without, those with
/// NaN in the real part last.
template <class T> inline bool comes_before(const ComplexPair<T> &a, const ComplexPair<T> &b) {
  const bool a_has_nan = a.im != a.im, b_has_nan = b.im != b.im;
  if (a.re < b.re)
    return !a_has_nan || b_has_nan;
  if (a.re > b.re)
    return !a_has_nan && b_has_nan;
  const bool a_is_nan = a.re != a.re, b_is_nan = b.re != b.re;
  return a_is_nan == b_is_nan ? comes_before(a.im, b.im) : b_is_nan;
}

/// How many of the first `rank` items of a merge come from the left run.
template <class T, class Place>
inline Place items_of_left(Place rank, const T *left, Place lefts, const T *right, Place rights) {
  Place least = rank > rights ? rank - rights : 0, most = rank < lefts ? rank : lefts;
  while (least < most) {
    const Place middle = least + (most - least) / 2;
    if (comes_before(right[rank - middle - 1], left[middle]))
      most = middle;
    else
      least = middle + 1;
  }
  return least;
}

/// The items of a merge from `rank` on, no more than are left, and where in the tile each of them was. The left run
/// begins at `left`, the right one at `right`.
template <class T>
inline void merge_items(const T *tile, int left, int lefts, int right, int rights, int rank, T (&items)[sort_items],
                        int (&places)[sort_items]) {
  const int all = lefts + rights;
  rank = rank < all ? rank : all;
  const int taken = items_of_left(rank, tile + left, lefts, tile + right, rights);
  const int left_end = left + lefts, right_end = right + rights;
  left += taken;
  right += rank - taken;
#pragma unroll
  for (int k = 0; k < sort_items; ++k) {
    if (left >= left_end && right >= right_end)
      break;
    const bool takes_right =
        left >= left_end || (right < right_end && comes_before(tile[right], tile[left]));
    places[k] = takes_right ? right++ : left++;
    items[k] = tile[places[k]];
  }
}

/// How much of a line a part of a tile has.
struct TilePart {
  int64_t line, first;
  int length;

  inline TilePart(int64_t part, int width, int64_t lines, int64_t count) {
    const int64_t parts = (count - 1) / width + 1;
    line = parts == 1 ? part : part / parts;
    first = (part - line * parts) * width;
    length = line >= lines ? 0 : count - first < width ? (int)(count - first) : width;
  }
};

/// Sorts tiles, of which each part of `width` items, a power of two, is a line or a part of one. `sorted` and `places`
/// get the elements and where in the line each was; either may be null.
template <bool has_places, class T>
inline void sort_each_tile(T *tile, unsigned short *sources, const T *values, int64_t values_row, int64_t values_step,
                           T *sorted, int64_t *places, int64_t row, int64_t step, int64_t lines, int64_t count,
                           int width) {
  const int own = threadIdx.x * sort_items, parts = sort_tile / width, part_begin = own & ~(width - 1);
  const int64_t all_parts = lines * ((count - 1) / width + 1);
  for (int64_t at = blockIdx.x * (int64_t)parts; at < all_parts; at += gridDim.x * (int64_t)parts) {
    for (int k = threadIdx.x; k < sort_tile; k += blockDim.x) {
      const TilePart part(at + k / width, width, lines, count);
      if (k % width < part.length)
        tile[k] = values[part.line * values_row + (part.first + k % width) * values_step];
    }
    __syncthreads();
    const int part_end = part_begin + TilePart(at + own / width, width, lines, count).length;
    T items[sort_items];
    int from[sort_items];
#pragma unroll
    for (int k = 0; k < sort_items; ++k) {
      from[k] = own + k;
      if (own + k < part_end)
        items[k] = tile[own + k];
    }
    // Neighbours change places, those that begin at even numbers and at odd ones by turns.
#pragma unroll 1
    for (int turn = 0; turn < sort_items; turn += 2)
#pragma unroll
      for (int number = 0; number < sort_items - 1; ++number) {
        const int k = number < sort_items / 2 ? 2 * number : 2 * (number - sort_items / 2) + 1;
        if (own + k + 1 < part_end && comes_before(items[k + 1], items[k])) {
          const T item = items[k];
          items[k] = items[k + 1];
          items[k + 1] = item;
          const int place = from[k];
          from[k] = from[k + 1];
          from[k + 1] = place;
        }
      }
    for (int run = sort_items;; run *= 2) {
#pragma unroll
      for (int k = 0; k < sort_items; ++k)
        if (own + k < part_end) {
          tile[own + k] = items[k];
          if (has_places)
            sources[own + k] = (unsigned short)from[k];
        }
      __syncthreads();
      if (run >= width)
        break;
      const int left = own & ~(2 * run - 1), right = left + run;
      const int lefts = part_end - left < run ? part_end - left : run;
      const int rights = part_end - right < run ? part_end - right : run;
      if (own < part_end) {
        merge_items(tile, left, lefts, right, rights > 0 ? rights : 0, own - left, items, from);
        if (has_places) {
#pragma unroll
          for (int k = 0; k < sort_items; ++k)
            if (own + k < part_end)
              from[k] = sources[from[k]];
        }
      }
      __syncthreads();
    }
    for (int k = threadIdx.x; k < sort_tile; k += blockDim.x) {
      const TilePart part(at + k / width, width, lines, count);
      if (k % width >= part.length)
        continue;
      const int64_t to = part.line * row + (part.first + k % width) * step;
      if (sorted)
        sorted[to] = tile[k];
      if (has_places && places)
        places[to] = part.first + sources[k] % width;
    }
    __syncthreads();
  }
}

/// Merges the runs of `run` elements of each line, a multiple of a tile by a power of two, two at a time. `values`, and
/// `values_places` beside them, have no gaps.
template <bool has_places, class T>
inline void merge_each_run(T *tile, unsigned short *sources, int64_t *splits, const T *values,
                           const int64_t *values_places, T *sorted, int64_t *places, int64_t row, int64_t step,
                           int64_t lines, int64_t count, int64_t run) {
  const int64_t tiles = (count - 1) / sort_tile + 1, all_tiles = lines * tiles;
  for (int64_t at = blockIdx.x; at < all_tiles; at += gridDim.x) {
    const int64_t line = at / tiles, first = (at - line * tiles) * sort_tile, begin = first & ~(2 * run - 1);
    const int64_t middle = begin + run < count ? begin + run : count;
    const int64_t end = begin + 2 * run < count ? begin + 2 * run : count;
    const int64_t rank = first - begin;
    const int length = end - first < sort_tile ? (int)(end - first) : sort_tile;
    const T *left = values + line * count + begin, *right = values + line * count + middle;
    if (threadIdx.x < 2)
      splits[threadIdx.x] =
          items_of_left(rank + (threadIdx.x ? length : 0), left, middle - begin, right, end - middle);
    __syncthreads();
    const int64_t from_left = splits[0], from_right = rank - from_left;
    const int lefts = (int)(splits[1] - from_left);
    for (int k = threadIdx.x; k < length; k += blockDim.x)
      tile[k] = k < lefts ? left[from_left + k] : right[from_right + (k - lefts)];
    __syncthreads();
    T items[sort_items];
    int from[sort_items];
    const int own = threadIdx.x * sort_items;
    merge_items(tile, 0, lefts, lefts, length - lefts, own, items, from);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < sort_items; ++k)
      if (own + k < length) {
        tile[own + k] = items[k];
        if (has_places)
          sources[own + k] = (unsigned short)from[k];
      }
    __syncthreads();
    for (int k = threadIdx.x; k < length; k += blockDim.x) {
      const int64_t to = line * row + (first + k) * step;
      if (sorted)
        sorted[to] = tile[k];
      if (has_places) {
        const int64_t place = sources[k] < lefts ? begin + from_left + sources[k] : middle + from_right + sources[k] - lefts;
        places[to] = values_places[line * count + place];
      }
    }
    __syncthreads();
  }
}
