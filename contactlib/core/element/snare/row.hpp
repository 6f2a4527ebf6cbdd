// snares as the element table names them: `cables`, anchored to bodies, and `snare`, with ring, carriage and control.
#pragma once

#include "element/elements.hpp"

namespace contactlib {

bool read_snare(ElementRecord& record, const Model& model, Element& out);
std::unique_ptr<ElementScratch> snare_scratch(const Element& element);
void place_snare(const ElementNow& now) noexcept;
Status solve_snare(const ElementNow& now) noexcept;
Status step_snare(const ElementNow& now) noexcept;

// where the cables of an element are now: how many nodes cable `k` has, 0 if there is no such cable, and of each node,
// if `out` is not null, r, r', v, v' in world axes, m and m/s.
inline constexpr int node_numbers = 12;
std::size_t cable_nodes(const Model& model, const Data& data, std::size_t element, std::size_t k, double* out) noexcept;
bool admits_snare(const Element& element, const double* state) noexcept;

}  // namespace contactlib
