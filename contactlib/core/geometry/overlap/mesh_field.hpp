// The extent field of a closed mesh: the distance of an inner point to its surface. The point of the surface that is
// nearest to x lies in a face, on an edge or at a corner; x is then in the normal cone of this feature: the prism over
// the face, the wedge between the prisms of two faces, the cone between the wedges of a corner's edges. On a polygon, the
// field is the lower envelope of the distances to all features, each in its cone.
#pragma once

#include "surface_pieces.hpp"

namespace contactlib::geometry {

// Adds the part of a convex polygon (out.polygon[0], in the mesh's axes) that is inside the mesh.
void add_in_mesh(const Surface& mesh, const PolygonPlane& plane, int count, SurfaceScratch& out) noexcept;

// Whether a box in the mesh's axes may have a point inside the mesh.
bool may_be_inside(const Surface& mesh, const Vec3& low, const Vec3& high) noexcept;

}  // namespace contactlib::geometry
