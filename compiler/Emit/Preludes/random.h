/// Uniform numbers of a random stream, of which each thread finds its own by a jump of the generator. A state's words are those
/// of runtime/Random.h: the first says which generator it is.
enum { pcg64 = 0, pcg64dxsm = 1, philox = 2, random_block = 256, random_chunk = 64 * random_block };

struct Wide {
  uint64_t low, high;
};

inline Wide operator*(const Wide &a, const Wide &b) {
  return {a.low * b.low, __umul64hi(a.low, b.low) + a.low * b.high + a.high * b.low};
}

inline Wide operator+(const Wide &a, const Wide &b) {
  const uint64_t low = a.low + b.low;
  return {low, a.high + b.high + (low < a.low)};
}

/// The state of a PCG after several steps at once.
struct PcgJump {
  Wide multiplier = {1, 0}, added = {0, 0};

  inline PcgJump(uint64_t kind, const Wide &increment, uint64_t steps) {
    Wide square = kind == pcg64 ? Wide{4865540595714422341u, 2549297995355413924u} : Wide{0xda942042e4dd58b5u, 0};
    Wide sum = {1, 0};
    for (; steps; steps >>= 1) {
      if (steps & 1) {
        added = added * square + sum;
        multiplier = multiplier * square;
      }
      sum = sum * (square + Wide{1, 0});
      square = square * square;
    }
    added = added * increment;
  }
  inline Wide operator()(const Wide &state) const { return multiplier * state + added; }
};

/// The word of a PCG64's state after its step, or of a PCG64DXSM's before it.
inline uint64_t pcg_word(uint64_t kind, const Wide &state) {
  if (kind == pcg64) {
    const uint64_t mixed = state.high ^ state.low;
    const int turn = (int)(state.high >> 58);
    return mixed >> turn | mixed << (-turn & 63);
  }
  uint64_t high = state.high;
  high ^= high >> 32;
  high *= 0xda942042e4dd58b5u;
  high ^= high >> 48;
  return high * (state.low | 1);
}

/// The four words of the counter of a Philox so many blocks behind the state's.
inline void philox_block(const uint64_t *state, uint64_t blocks, uint64_t *counter, uint64_t *out) {
  for (int k = 0; k < 4; ++k) {
    counter[k] = state[1 + k] + blocks;
    blocks = counter[k] < blocks;
  }
  uint64_t a = counter[0], b = counter[1], c = counter[2], d = counter[3], key0 = state[5], key1 = state[6];
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = 0xD2E7470EE14C6C93u, second = 0xCA5A826395121157u;
    const uint64_t low0 = first * a, high0 = __umul64hi(first, a), low1 = second * c, high1 = __umul64hi(second, c);
    a = high1 ^ b ^ key0;
    b = low1;
    c = high0 ^ d ^ key1;
    d = low0;
    key0 += 0x9E3779B97F4A7C15u;
    key1 += 0xBB67AE8584CAA73Bu;
  }
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
}

inline double uniform_of(uint64_t word) { return (double)(int64_t)(word >> 11) * (1.0 / 9007199254740992.0); }

/// Draws from a state of a generator that can jump; nothing from another one.
inline void draw_numbers(const uint64_t *words, int64_t words_step, int64_t words_count, double *numbers, int64_t step, int64_t count) {
  uint64_t state[13], counter[4], block[4];
  for (int k = 0; k < words_count; ++k)
    state[k] = words[k * words_step];
  const uint64_t kind = state[0];
  if (kind > philox)
    return;
  const Wide increment = {state[3], state[4]};
  const PcgJump next(kind, increment, random_block);
  for (int64_t begin = blockIdx.x * (int64_t)random_chunk; begin < count; begin += gridDim.x * (int64_t)random_chunk) {
    const int64_t end = begin + random_chunk < count ? begin + random_chunk : count;
    int64_t k = begin + threadIdx.x;
    if (kind == philox) {
      const int64_t left = 4 - (int64_t)state[11];
      for (; k < end; k += random_block) {
        uint64_t word = state[7 + (k < left ? (int64_t)state[11] + k : 0)];
        if (k >= left) {
          philox_block(state, (k - left) / 4 + 1, counter, block);
          word = block[(k - left) % 4];
        }
        numbers[k * step] = uniform_of(word);
      }
      continue;
    }
    Wide own = PcgJump(kind, increment, k + (kind == pcg64))({state[1], state[2]});
    for (; k < end; k += random_block) {
      numbers[k * step] = uniform_of(pcg_word(kind, own));
      own = next(own);
    }
  }
}

/// The state behind so many draws. A generator that can't jump, SFC64, draws them here.
inline void advance_state(const uint64_t *before, int64_t before_step, uint64_t *after, int64_t after_step, int64_t words_count,
                          double *numbers, int64_t step, int64_t count) {
  uint64_t state[13];
  for (int k = 0; k < words_count; ++k)
    state[k] = before[k * before_step];
  if (state[0] == philox) {
    const int64_t left = 4 - (int64_t)state[11];
    if (count <= left) {
      state[11] += count;
    } else {
      const int64_t blocks = (count - left + 3) / 4;
      uint64_t counter[4];
      philox_block(state, blocks, counter, state + 7);
      for (int k = 0; k < 4; ++k)
        state[1 + k] = counter[k];
      state[11] = count - left - 4 * (blocks - 1);
    }
  } else if (state[0] < philox) {
    const Wide found = PcgJump(state[0], {state[3], state[4]}, count)({state[1], state[2]});
    state[1] = found.low;
    state[2] = found.high;
  } else {
    for (int64_t k = 0; k < count; ++k) {
      const uint64_t word = state[1] + state[2] + state[4]++;
      state[1] = state[2] ^ state[2] >> 11;
      state[2] = state[3] + (state[3] << 3);
      state[3] = (state[3] << 24 | state[3] >> 40) + word;
      numbers[k * step] = uniform_of(word);
    }
  }
  for (int k = 0; k < words_count; ++k)
    after[k * after_step] = state[k];
}
