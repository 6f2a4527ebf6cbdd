// Overlaps deeper than the definition of contact allows: docs/manifolds.md, "Deep overlap".
#pragma once

#include "state/data.hpp"

namespace contactlib::monitor {

using geometry::Shape;
using model::Model;
using state::Contact, state::Data;

// m, depth from which a contact of A with a mesh is deep; infinite for other pairs.
//   overlap patch   d > t/10, t the lesser thickness of the two
//   ball, capsule   d > r + t/10: its middle or axis is inside, t the thickness of the mesh
double deep_from(const Shape& A, const Shape& B) noexcept;

// Whether a contact is deep: with a mesh as above; any other surface contact from where the middle of the thinner solid
// is inside the other one, beyond which the nearest way out is through the other side.
bool is_deep(const Model& model, const Data& data, const Contact& c) noexcept;

// After summarise(): records the first deep contact for a warning. `time`: s.
void watch_depth(const Model& model, Data& data, double time) noexcept;

}  // namespace contactlib::monitor
