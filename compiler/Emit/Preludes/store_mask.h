// needs: store
/// Booleans to memory, one byte each, from lanes of 0 or -1.
template <typename V> inline void store_mask(bool *p, V mask) { store(p, -mask); }
