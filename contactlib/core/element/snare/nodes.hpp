// Nodes of the cables of an element.
#pragma once

#include "element/elements.hpp"

namespace contactlib::element {

// Returns the number of nodes of cable `k`, or 0 if there is no such cable. If `out` is not null, writes r, r', v, v'
// of each node in world axes, m and m/s.
inline constexpr int node_numbers = 12;
std::size_t cable_nodes(const Model& model, const Data& data, std::size_t element, std::size_t k, double* out) noexcept;

}  // namespace contactlib::element
