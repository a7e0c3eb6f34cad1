// needs: context device launch
/// sizes[1] uniform numbers each of sizes[0] random streams, whose states have sizes[2] words, by a kernel that draws them, and the
/// one behind it, which moves the state: a state may be moved where it lies.
inline int32_t draw_uniform(const qn_device *device, int32_t kernels, const int64_t (&sizes)[4], const int64_t (&strides)[9],
                            const int64_t *before, int64_t *after, double *numbers) {
  const int64_t count = sizes[1], words = sizes[2], block = 256, chunk = 64 * block;
  for (int64_t problem = 0; problem < sizes[0]; ++problem) {
    const int64_t *from = before + problem * strides[0];
    int64_t *to = after + problem * strides[3];
    double *out = numbers + problem * strides[6];
    if (int32_t code = launch(device, kernels, {(count + chunk - 1) / chunk * block}, {(int32_t)block}, from, strides[1], words, out, strides[7], count))
      return code;
    if (int32_t code = launch(device, kernels + 1, {1}, {1}, from, strides[1], to, strides[4], words, out, strides[7], count))
      return code;
  }
  return 0;
}
