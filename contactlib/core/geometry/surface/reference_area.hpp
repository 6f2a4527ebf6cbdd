// The largest flat face of a surface, however it is divided into faces.
#pragma once

#include "surface.hpp"

namespace contactlib::geometry {

// m2: the largest sum of areas over the faces that look along one direction. A face counts less the further its normal
// is off this direction, and not at all from 20 degrees on, so that noise of the corners and the fineness of a curved
// surface change it little. May throw std::bad_alloc.
double reference_area(const Surface& surface);

struct FaceArea {
  Vec3 n;       // unit, outward
  double area;  // m2
};
double reference_area(const std::vector<FaceArea>& faces);

// m3, enclosed by a closed surface; 0 of an open one.
double enclosed_volume(const Surface& surface) noexcept;

}  // namespace contactlib::geometry
