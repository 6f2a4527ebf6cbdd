// What users and viewers read of the cables of an element: nodes, and contacts with their forces.
#pragma once

#include "base/layout.hpp"
#include "element/elements.hpp"

namespace contactlib::element {

bool has_cables(const Element& element) noexcept;

// Returns the number of nodes of cable `k`, or 0 if there is no such cable. If `out` is not null, writes r, r', v, v'
// of each node in world axes, m and m/s.
inline constexpr int node_numbers = 12;
std::size_t cable_nodes(const Model& model, const Data& data, std::size_t element, std::size_t k, double* out) noexcept;

// A contact of a cable with its force, world axes. The force acts on the cable's centre line, at p_WC + (radius -
// depth/2) n: a cable does not resist torsion.
struct CableContact {
  std::int32_t cable;        // its number within the element
  std::int32_t other_cable;  // the cable that it touches, by its number within the element, or -1: a shape
  std::int32_t shape, body;  // the shape that it touches, and the body of this shape; -1: a cable
  Vec3 p_WC;     // m, half-way between both surfaces
  Vec3 n_W;      // unit, from what it touches to the cable
  Vec3 f_W;      // N, on the cable with friction, mean over the last sub-step; what it touches feels the opposite
  double depth;  // m, as the sub-step begins; < 0 where they are apart
};

// Returns the number of contacts of an element's cables in the last accepted sub-step, and writes them to `out` if it is
// not null. There are none unless the present state is the end of that sub-step: the impulses that a state remembers are
// compared. Bodies that were placed since then take the points along with their origins.
std::size_t cable_contacts(const Model& model, const Data& data, std::size_t element, CableContact* out) noexcept;

}  // namespace contactlib::element

namespace contactlib {

CONTACTLIB_LAYOUT(element::CableContact, CONTACTLIB_FIELD(cable), CONTACTLIB_FIELD(other_cable),
                  CONTACTLIB_FIELD(shape), CONTACTLIB_FIELD(body), CONTACTLIB_FIELD(p_WC), CONTACTLIB_FIELD(n_W),
                  CONTACTLIB_FIELD(f_W), CONTACTLIB_FIELD(depth))

}  // namespace contactlib
