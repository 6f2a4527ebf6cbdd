// the membrane in 2-D: a band over two suspension points, seen from the side, and the lower hull of the body in it.
#pragma once

#include "spread.hpp"

namespace contactlib {

// length, its rate, depth and corners into `out`; what the body and the winches feel of a tension of 1 N.
UnitPull measure_band(const MembraneDesign& design, const MembraneMotion& X, MembraneScratch& scratch,
                      MembraneResult& out) noexcept;

// one push of each segment on each of its corners under tension a, N:  F = a tan(delta / 2)
void collect_band(const MembraneDesign& design, const MembraneMotion& X, double a, MembraneScratch& scratch) noexcept;

}  // namespace contactlib
