// needs: context device launch temporary
/// Where lines of elements, or the places that they had, go: one of both at the end, where they have steps.
struct SortedLines {
  char *values;
  int64_t *places;
  int64_t row, step;
};

/// Puts sizes[0] lines of sizes[1] elements of so many bytes in order, or their places, by a kernel that sorts tiles and
/// the one behind it, which merges runs of them.
inline int32_t sort_or_argsort(const qn_device *device, int32_t kernels, int64_t bytes, bool has_places, const int64_t *sizes,
                               const int64_t *values_steps, const int64_t *out_steps, const void *values, void *out) {
  const int64_t lines = sizes[0], count = sizes[1], least = 8, tile = 2048, block = 256;
  if (lines <= 0 || count <= 0)
    return 0;
  int64_t width = least, merges = 0;
  while (width < count && width < tile)
    width *= 2;
  for (int64_t run = tile; run < count; run *= 2)
    ++merges;
  const int64_t elements = lines * count, copies = merges < 2 ? merges : 2;
  const int64_t words = (copies * elements * bytes - 1) / 8 + 1;
  Temporary<int64_t> memory(&device->context, words + (has_places ? copies * elements : 0));
  if (!memory)
    return 1;
  char *const spare = (char *)(int64_t *)memory;
  int64_t *const spare_places = memory + words;
  // What is merged by turns lies in either half of the spare memory, where lines have no gaps; the last turn writes the result.
  const SortedLines last = {has_places ? nullptr : (char *)out, has_places ? (int64_t *)out : nullptr, out_steps[0], out_steps[1]};
  const auto after = [&](int64_t turn) {
    const int64_t half = turn % 2 * elements;
    return turn == merges ? last : SortedLines{spare + half * bytes, spare_places + half, count, 1};
  };
  const int64_t parts = lines * ((count - 1) / width + 1), parts_of_tile = tile / width;
  SortedLines now = after(0);
  if (int32_t code = launch(device, kernels, {((parts - 1) / parts_of_tile + 1) * block}, {(int32_t)block}, values, values_steps[0],
                            values_steps[1], now.values, now.places, now.row, now.step, lines, count, width))
    return code;
  for (int64_t turn = 1, run = tile; turn <= merges; ++turn, run *= 2) {
    const SortedLines before = now;
    now = after(turn);
    if (int32_t code = launch(device, kernels + 1, {lines * ((count - 1) / tile + 1) * block}, {(int32_t)block}, before.values,
                              before.places, now.values, now.places, now.row, now.step, lines, count, run))
      return code;
  }
  return 0;
}

inline int32_t sort_lines(const qn_device *device, int32_t kernels, int64_t bytes, const int64_t (&sizes)[4], const int64_t (&strides)[6],
                          const void *values, void *out) {
  return sort_or_argsort(device, kernels, bytes, false, sizes, strides, strides + 3, values, out);
}

inline int32_t argsort_lines(const qn_device *device, int32_t kernels, int64_t bytes, const int64_t (&sizes)[4], const int64_t (&strides)[6],
                             const void *values, void *out) {
  return sort_or_argsort(device, kernels, bytes, true, sizes, strides, strides + 3, values, out);
}

/// All of a line in order, whatever positions are wanted.
inline int32_t partition_lines(const qn_device *device, int32_t kernels, int64_t bytes, const int64_t (&sizes)[4], const int64_t (&strides)[9],
                               const void *values, const void *, void *out) {
  return sort_or_argsort(device, kernels, bytes, false, sizes, strides, strides + 6, values, out);
}
