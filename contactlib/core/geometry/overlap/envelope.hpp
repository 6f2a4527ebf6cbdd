// The lower envelope of the distances from a polygon to the faces, edges and vertices of a mesh near it: the parts of the
// polygon on each of which one feature is the nearest.
#pragma once

#include <algorithm>

#include "geometry/surface/nearest.hpp"
#include "polygon_box.hpp"
#include "surface_pieces.hpp"

namespace contactlib::geometry {

// A ball around a polygon.
struct Around {
  Vec3 middle;
  double radius;
};

class Envelope {
  using Feature = MeshFeature;
  using Part = PolygonPart;

 public:
  Envelope(const Surface& mesh, const PolygonPlane& plane, SurfaceScratch& out) noexcept
      : mesh_(mesh), plane_(plane), out_(out), s_(out.mesh), on_line_(rounding * mesh.size) {}

  // The polygon in out.polygon[0].
  void add(int count) noexcept;

 private:
  static constexpr double rounding = 1e-15, thinnest = 1e-13;  // of the mesh's size: on a line; a part that is thinner

  // `limit`: m, no point of the polygon is deeper
  void add(const Part& polygon, int divisions, double limit) noexcept;
  void add_inner(const Part& polygon, int divisions, double limit) noexcept;
  bool add_envelope(const Part& polygon, double limit) noexcept;
  bool cut_by(const Slope& height, Part& polygon) noexcept;
  double cut_to_box(Part& polygon) noexcept;
  PolygonBox box_of(const Part& polygon) noexcept;
  Vec3 box_axis(const Part& polygon) noexcept;
  bool find_near(const PolygonBox& box, std::size_t most) noexcept;
  void add_samples(const Part& polygon) noexcept;
  void add_flat(const Part& polygon, const Region& region) noexcept;
  bool is_before_all(const Part& polygon) noexcept;
  bool add_near() noexcept;
  void sort_features() noexcept;
  Around around(const Part& polygon) noexcept;
  Vec3 at(const Corner& x) const noexcept { return plane_.o + x.u * plane_.t_u + x.v * plane_.t_v; }
  double height_of(const Vec3& x) const noexcept { return plane_.n.dot(x - plane_.o); }
  Corner* corners(const Part& part) noexcept { return s_.corners.data() + part.first; }
  Slope slope(const Vec3& n, double d) const noexcept {  // of n.x - d
    return {n.dot(plane_.o) - d, n.dot(plane_.t_u), n.dot(plane_.t_v)};
  }
  void divide(const Part& polygon, int divisions, double limit) noexcept;
  bool add_features() noexcept;
  bool add_edges(const Facet& facet) noexcept;
  bool is_hollow(const Facet& facet) const noexcept;
  bool add_face(const Facet& facet) noexcept;
  bool add_edge(const Facet& facet, int i) noexcept;
  bool add_vertex(const Facet& facet, int i) noexcept;
  bool add_wall(const Vec3& n, const Vec3& p) noexcept;
  bool within_walls(std::size_t first, Part& part) noexcept;
  bool keep(Feature feature, const Part& part) noexcept;
  bool add_lowest(const FeatureBounds& of) noexcept;
  bool is_elsewhere(const Feature& g, const Part& part) noexcept;
  bool take_away(const Feature& f, const Feature& g, bool later, const Part& part) noexcept;
  double excess(const Feature& f, const Feature& g, const Corner& x) const noexcept;
  bool is_straight(const Feature& f, const Feature& g, const Part& part) noexcept;
  bool keep_further(const Feature& f, const Feature& g, const Part& part) noexcept;
  bool split_curved(const Feature& f, const Feature& g, const Part& part) noexcept;
  bool take_curved(const Feature& f, const Feature& g, bool later, const Part& part, const Part& both,
                   std::size_t first) noexcept;
  void add_part(const Feature& feature, const Part& part) noexcept;
  bool split(const Part& part, const Slope& height, Part& below, Part& above) noexcept;
  bool push(const Part& part) noexcept;
  Range range(const Slope& height, const Part& part) noexcept;

  const Surface& mesh_;
  const PolygonPlane& plane_;
  SurfaceScratch& out_;
  MeshScratch& s_;
  const double on_line_;
  Vec3 along_ = Vec3::UnitX();  // an axis of the boxes around its parts
  Part whole_{}, polygon_{};  // the given one, and its part of which the envelope is added
  double limit_ = 0.0;  // m: what seems to be deeper is not inside
  double widest_ = 0.0;  // of the features, along u
  std::size_t near_count_ = 0, feature_count_ = 0, wall_count_ = 0, corner_count_ = 0, part_count_ = 0,
              lowest_count_ = 0, kept_count_ = 0;
};

inline double distance(const MeshFeature& f, const Corner& x) noexcept {
  if (f.kind == MeshFeature::face) return f.distance.at(x);
  return (f.w0 + x.u * f.w_u + x.v * f.w_v).norm();
}

}  // namespace contactlib::geometry
