// needs: context device
/// Runs a kernel in blocks of so many threads, which share its turns.
template <class... T>
inline int32_t launch(const qn_device *device, int32_t kernel, int64_t turns, int32_t block, const T &...arguments) {
  if (turns <= 0)
    return 0;
  const int64_t blocks = (turns - 1) / block + 1, most = 1 << 20;
  const qn_grid grid = {{(int32_t)(blocks < most ? blocks : most), 1, 1}, {block, 1, 1}, 0};
  void *const addresses[] = {(void *)&arguments..., nullptr};
  return device->launch(device, kernel, &grid, addresses);
}
