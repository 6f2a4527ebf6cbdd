// which faces of a surface are flat, and which only stand for a part of a curved one.
#pragma once

#include "surface.hpp"

namespace contactlib {

// fills Surface::flats. across an edge a face stands for a curved surface if it makes a small angle with its neighbour
// there, 1e-4 rad to 30 degrees, and the neighbour is about as wide: beside a fillet a plate stays flat.
void find_flats(Surface& out);

}  // namespace contactlib
