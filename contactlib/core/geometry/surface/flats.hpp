// Decides which faces of a surface are flat, and which approximate a part of a curved surface.
#pragma once

#include "surface.hpp"

namespace contactlib::geometry {

// Fills Surface::flats. Across an edge a face approximates a curved surface if the angle with its neighbour is small,
// 1e-4 rad to 30 degrees, and the neighbour is about as wide: a plate beside a fillet stays flat.
void find_flats(Surface& out);

// Fills Surface::fineness, from Surface::flats.
void find_fineness(Surface& out);

}  // namespace contactlib::geometry
