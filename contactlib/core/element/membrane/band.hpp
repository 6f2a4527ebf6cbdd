// The membrane in 2-D: a band over two suspension points, seen from the side, and the lower hull of the body in it.
#pragma once

#include "spread.hpp"

namespace contactlib::element {

// Writes length, its rate, depth and corners to `out`; returns the loads of the body and the winches for a tension of 1
// N.
UnitPull measure_band(const MembraneDesign& design, const MembraneMotion& X, MembraneScratch& scratch,
                      MembraneResult& out) noexcept;

// One contact force of each segment on each of its corners under tension a, N:  F = a tan(delta / 2)
void collect_band(const MembraneDesign& design, const MembraneMotion& X, double a, MembraneScratch& scratch) noexcept;

}  // namespace contactlib::element
