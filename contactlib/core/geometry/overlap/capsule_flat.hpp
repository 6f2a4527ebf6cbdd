// A capsule on a flat part of a mesh, in closed form: the result of the overlap patch there.
#pragma once

#include "geometry/overlap/springs/emit.hpp"

namespace contactlib::geometry {

// Returns false where the closed form does not apply: B is not flat over the whole patch, or neither side nor ends
// dominate. box: around A, in its axes; noise: m, depths that are rounding.
bool capsule_on_flat(const Shape& A, const Surface& B, const Axes& A_to_B, const BoxNode& box, double noise,
                     Emitter& emitter) noexcept;

}  // namespace contactlib::geometry
