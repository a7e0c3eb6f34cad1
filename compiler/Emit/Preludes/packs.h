/// So many elements that are loaded or stored at once.
template <int lanes, class T> struct alignas(lanes * sizeof(T)) Pack {
  T elements[lanes];
};

/// How many of the first turns packs can take that begin at all of these places, each copied so many elements at once.
template <int lanes, int width, int... widths, class First, class... T>
inline int64_t pack_turns(int64_t turns, const First *first, const T *...places) {
  const bool are_aligned =
      (uint64_t)first % (width * sizeof(First)) == 0 && (... && ((uint64_t)places % (widths * sizeof(T)) == 0));
  return are_aligned ? turns / lanes * lanes : 0;
}

/// The same where that is an element of each turn.
template <int lanes, class... T> inline int64_t pack_turns(int64_t turns, const T *...places) {
  const bool are_aligned = (... && ((uint64_t)places % (lanes * sizeof(T)) == 0));
  return are_aligned ? turns / lanes * lanes : 0;
}

template <int lanes, class T> inline void copy_pack(T *__restrict__ to, const T *__restrict__ from) {
  *(Pack<lanes, T> *)to = *(const Pack<lanes, T> *)from;
}
