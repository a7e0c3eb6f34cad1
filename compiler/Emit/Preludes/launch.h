// needs: context device
/// The turns of a kernel along each axis of its grid.
struct Turns {
  int64_t x, y = 1, z = 1;
};

/// The most threads of a block, and the bytes of shared memory that it gets besides what the kernel declares. Where
/// workers share a turn, the threads of one, and the fewest of a block.
struct Block {
  int32_t threads, shared = 0, worker = 0, least = 0;
};

/// A power of two of threads, as many as turns but at most so many.
inline int32_t threads_for(int64_t turns, int32_t most) {
  int32_t threads = 1;
  while (threads < turns && 2 * threads <= most)
    threads *= 2;
  return threads;
}

/// The same for rows, which leaves hardly any thread without turns.
inline int32_t rows_for(int64_t turns, int32_t most) {
  int32_t threads = 1;
  while (2 * threads <= most && ((turns - 1) / (2 * threads) + 1) * 2 * threads - turns <= turns / 8)
    threads *= 2;
  return threads;
}

/// The threads of a block that has one turn: as many workers as keep a large device busy, but some at least.
inline int32_t threads_of_team(const Turns &turns, Block block) {
  const int64_t busy = 1 << 17;
  int32_t threads = block.worker;
  while (2 * threads <= block.threads && (threads < block.least || turns.x * turns.y * turns.z < busy / (threads / block.worker)))
    threads *= 2;
  return threads;
}

/// Runs a kernel. A block has a warp's threads along x, where there are so many turns; then y and z have theirs, and x
/// has what they leave: turns along x alone, so many or more, make whole blocks. Where workers share a turn, a block
/// has it alone; it counts along x once for each thread of a worker.
template <class... T>
inline int32_t launch(const qn_device *device, int32_t kernel, const Turns &turns, Block block, const T &...arguments) {
  if (turns.x <= 0 || turns.y <= 0 || turns.z <= 0)
    return 0;
  int64_t along[3] = {turns.x, turns.y, turns.z};
  const int64_t most_along[3] = {1 << 20, 65535, 65535};
  qn_grid grid = {{1, 1, 1}, {1, 1, 1}, block.shared};
  int32_t *threads = grid.threads;
  if (block.worker) {
    threads[0] = threads_of_team(turns, block);
    along[0] = turns.x / block.worker * threads[0];
  } else {
    threads[0] = threads_for(turns.x, block.threads < 32 ? block.threads : 32);
    threads[1] = rows_for(turns.y, block.threads / threads[0]);
    const int32_t left = block.threads / threads[0] / threads[1];
    threads[2] = rows_for(turns.z, left < 64 ? left : 64);
    threads[0] *= threads_for((turns.x - 1) / threads[0] + 1, left / threads[2]);
  }
  int64_t most = most_along[0]; // blocks in all, about
  for (int axis = 0; axis < 3; ++axis) {
    const int64_t limit = most < most_along[axis] ? most : most_along[axis];
    const int64_t blocks = (along[axis] - 1) / threads[axis] + 1;
    grid.blocks[axis] = (int32_t)(blocks < limit ? blocks : limit);
    most = most / grid.blocks[axis] > 1 ? most / grid.blocks[axis] : 1;
  }
  void *const addresses[] = {(void *)&arguments..., nullptr};
  return device->launch(device, kernel, &grid, addresses);
}
