// Which stores one loop makes together.
#ifndef QUERNEL_TRANSFORMS_SIBLINGS_H
#define QUERNEL_TRANSFORMS_SIBLINGS_H

#include "compiler/Dialect/Quernel.h"

namespace quernel {

/// Whether two scatters go through the same iteration space to the same places, and both replace what is there, or both
/// combine with it. Says nothing about whether one needs what the other gives.
bool haveOneIndex(ScatterOp a, ScatterOp b, ShapeAnalysis &shapes);

} // namespace quernel

#endif
