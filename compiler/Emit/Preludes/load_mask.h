// needs: load
/// Booleans from memory, one byte each, as lanes of 0 or -1.
template <typename V> inline V load_mask(const bool *p) { return -load<V>(p); }
