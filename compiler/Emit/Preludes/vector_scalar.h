// needs: splat
// One element takes the vector's way, so that the end of an array has the bits of its middle.
inline SCALAR NAME(PARAMETERS) { return NAME(SPLATS)[0]; }
