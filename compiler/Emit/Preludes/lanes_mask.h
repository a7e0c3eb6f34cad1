/// The threads of the warp that share this thread's turn.
template <int lanes> inline unsigned lanes_mask() {
  return lanes == 32 ? ~0u : ((1u << lanes % 32) - 1) << (threadIdx.x % 32 / lanes * lanes);
}
