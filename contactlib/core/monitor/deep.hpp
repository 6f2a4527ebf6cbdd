// Overlaps deeper than the definition of contact with a mesh allows: docs/manifolds.md, "Deep overlap".
#pragma once

#include "state/data.hpp"

namespace contactlib::monitor {

using geometry::Shape;
using model::Model;
using state::Data;

// m, depth from which a contact of A with B is deep; infinite for pairs that are exact at any depth.
//   overlap patch   d > t/10, t the lesser thickness of the two
//   ball, capsule   d > r + t/10: its middle or axis is inside, t the thickness of the mesh
double deep_from(const Shape& A, const Shape& B) noexcept;

// Without a mesh, no contact is.
inline bool is_deep(const Shape& A, const Shape& B, double depth) noexcept {
  return B.kind == geometry::ShapeKind::mesh && depth > deep_from(A, B);
}

// After summarise(): records the first deep contact for a warning. `time`: s.
void watch_depth(const Model& model, Data& data, double time) noexcept;

}  // namespace contactlib::monitor
