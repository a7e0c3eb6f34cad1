// needs: wrap_types
template <> struct Unsigned<SIGNED> { typedef UNSIGNED type; };
