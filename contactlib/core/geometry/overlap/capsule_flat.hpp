// a capsule on a flat part of a mesh, in closed form: what the patch there comes to.
#pragma once

#include "geometry/overlap/springs/emit.hpp"

namespace contactlib {

// false where this does not tell: B is not flat over the whole patch, or both side and end rule. box: around A, in its
// axes; noise: m, depths that are rounding
bool capsule_on_flat(const Shape& A, const Surface& B, const Axes& A_to_B, const BoxNode& box, double noise,
                     Emitter& emitter) noexcept;

}  // namespace contactlib
