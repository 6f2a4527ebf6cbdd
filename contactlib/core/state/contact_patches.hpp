// Patches of the contacts of one state, as a query returns them. No law depends on them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/layout.hpp"
#include "contact.hpp"
#include "geometry/outline/outlines.hpp"
#include "geometry/overlap/surface_pieces.hpp"

namespace contactlib::state {

// A connected piece of surface in contact, or a contact of points. World axes; A, B as in the contact.
struct ContactPatch {
  std::int32_t contact;   // number of its contact
  std::int32_t reserved;
  Vec3 p_AC_W;            // m, centre of pressure, from body A's origin
  Vec3 n_AB_W;            // unit, direction of f_B_W, or against it where the patch pulls
  Vec3 f_B_W;             // N, the normal force on B, without friction
  Vec3 t_B_W;             // N m, couple on B of the normal force at p_AC_W
  double load;            // N, of f_B_W along n_AB_W
  double normal_force;    // N, the sum of its pressures
  double area;            // m2
  double radius;          // m, root of the mean squared distance of its pressures from p_AC_W
  double depth;           // m, the greatest
};

// A point that stands for a part of a patch. A contact of points has none.
struct PatchPoint {
  std::int32_t contact, patch;
  Vec3 p_AC_W;          // m, from body A's origin
  Vec3 n_AB_W;          // unit
  Vec3 f_B_W;           // N, the normal force on B
  double normal_force;  // N, of the pressure
  double extent;        // m
  double area;          // m2
};

// The outline of a convex part of a patch.
struct PatchOutline {
  std::int32_t contact, patch;
  std::int32_t first, count;  // its corners
  std::int32_t columns;       // 0: a polygon, on which the extent is linear; else rows of so many places
  std::int32_t sharpness;     // pressure ~ extent^(sharpness - 1)
  double normal_force;        // N, of its points
  double area;                // m2
};

struct PatchCorner {
  Vec3 p_AC_W;    // m, from body A's origin
  double extent;  // m
};

// The result of a query, and its working memory.
struct PatchQuery {
  std::vector<Contact> contacts;
  std::vector<ContactPatch> patches;
  std::vector<PatchPoint> points;
  std::vector<PatchOutline> outlines;
  std::vector<PatchCorner> corners;
  std::vector<std::int32_t> counts;  // patches of each surface contact, in their order

  geometry::Outlines found;       // of the present contact
  geometry::SurfacePoints forces;  // on B at its points: x, y, z in N, along the axes of the points
  bool failed = false;            // no memory
};

}  // namespace contactlib::state

namespace contactlib {

CONTACTLIB_LAYOUT(state::ContactPatch, CONTACTLIB_FIELD(contact), CONTACTLIB_FIELD(reserved), CONTACTLIB_FIELD(p_AC_W),
                  CONTACTLIB_FIELD(n_AB_W), CONTACTLIB_FIELD(f_B_W), CONTACTLIB_FIELD(t_B_W), CONTACTLIB_FIELD(load),
                  CONTACTLIB_FIELD(normal_force), CONTACTLIB_FIELD(area), CONTACTLIB_FIELD(radius),
                  CONTACTLIB_FIELD(depth))
CONTACTLIB_LAYOUT(state::PatchPoint, CONTACTLIB_FIELD(contact), CONTACTLIB_FIELD(patch), CONTACTLIB_FIELD(p_AC_W),
                  CONTACTLIB_FIELD(n_AB_W), CONTACTLIB_FIELD(f_B_W), CONTACTLIB_FIELD(normal_force),
                  CONTACTLIB_FIELD(extent), CONTACTLIB_FIELD(area))
CONTACTLIB_LAYOUT(state::PatchOutline, CONTACTLIB_FIELD(contact), CONTACTLIB_FIELD(patch), CONTACTLIB_FIELD(first),
                  CONTACTLIB_FIELD(count), CONTACTLIB_FIELD(columns), CONTACTLIB_FIELD(sharpness),
                  CONTACTLIB_FIELD(normal_force), CONTACTLIB_FIELD(area))
CONTACTLIB_LAYOUT(state::PatchCorner, CONTACTLIB_FIELD(p_AC_W), CONTACTLIB_FIELD(extent))

}  // namespace contactlib
