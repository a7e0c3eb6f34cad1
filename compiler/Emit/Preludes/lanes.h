template <typename V> constexpr int lanes = sizeof(V) / sizeof(V{}[0]);
