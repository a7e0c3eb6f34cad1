// needs: thread_of_block
/// The threads of the warp that share this thread's turn.
template <int lanes> inline unsigned lanes_mask() {
  return lanes == 32 ? ~0u : ((1u << lanes % 32) - 1) << (thread_of_block() % 32 / lanes * lanes);
}
