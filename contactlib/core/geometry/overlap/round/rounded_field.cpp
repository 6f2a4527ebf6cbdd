// Outside of a convex core the nearest point is in a face, on an edge, or a corner. Where it is which, is bounded by planes
// that are the same for both neighbours: walls of a face along its edges, ends of an edge at its corners.
#include "rounded_field.hpp"

#include <algorithm>
#include <limits>

#include "geometry/overlap/polygon_cut.hpp"
#include "geometry/surface/surface.hpp"
#include "round_field.hpp"

namespace contactlib::geometry {

namespace {

class AroundCore {
 public:
  AroundCore(const Surface& core, double r, const PolygonPlane& plane, int count, SurfaceScratch& out) noexcept
      : core_(core), r_(r), plane_(plane), out_(out), count_(count) {}

  int add() noexcept {
    set_ball();
    if (!cut_to_reach()) return 0;
    set_ball();
    for (const Face& face : core_.faces) add_above(face);
    for (const Edge& edge : core_.edges) add_beside(edge);
    for (std::size_t v = 0; v < core_.vertices.size(); ++v) add_at(v);
    return count_;
  }

 private:
  // A part of the polygon, in out.polygon[at].
  struct Cell {
    int at, count;
    int other() const noexcept { return at == 1 ? 2 : 1; }
  };

  // n.(x - from) on the plane
  Slope height(const Vec3& n, const Vec3& from) const noexcept {
    return {n.dot(plane_.o - from), n.dot(plane_.t_u), n.dot(plane_.t_v)};
  }

  // Into the face across one of its edges, in its plane. The same numbers for the face and for the edge.
  Vec3 inward(const Face& face, const Edge& edge) const noexcept {
    const Vec3 across = face.n.cross(edge.t);
    return &face == &core_.faces[edge.f0] ? across : Vec3(-across);
  }
  Slope above_wall(const Face& face, const Edge& edge) const noexcept {
    return height(inward(face, edge), core_.vertices[edge.v0]);
  }

  // A ball around the polygon.
  void set_ball() noexcept {
    const Corner* const x = out_.polygon[0].data();
    const auto at = [&](const Corner& c) { return Vec3(plane_.o + c.u * plane_.t_u + c.v * plane_.t_v); };
    Vec3 low = at(x[0]), high = low;
    for (int i = 1; i < count_; ++i) low = low.cwiseMin(at(x[i])), high = high.cwiseMax(at(x[i]));
    middle_ = 0.5 * (low + high), radius_ = 0.5 * (high - low).norm();
  }

  bool cut_to_reach() noexcept {
    for (const Face& face : core_.faces) {
      const double h = face.n.dot(middle_) - face.d;
      if (h - radius_ >= r_) return false;
      if (h + radius_ <= r_) continue;
      count_ = keep_positive(within(face), 0, count_, 1, out_);
      if (count_ < 3) return false;
      out_.polygon[0].swap(out_.polygon[1]);
    }
    return true;
  }
  // r less the height above the face's plane
  Slope within(const Face& face) const noexcept {
    const Vec3& n = face.n;
    return {r_ + face.d - n.dot(plane_.o), -n.dot(plane_.t_u), -n.dot(plane_.t_v)};
  }

  // Of a polygon in a wall, the neighbour that keeps it is the face, or else the edge: the other one asks for `more`.
  bool keep(const Slope& slope, Cell& cell, bool more) const noexcept {
    double* const heights = out_.heights.data();
    const Corner* const x = out_.polygon[cell.at].data();
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (int i = 0; i < cell.count; ++i) {
      heights[i] = slope.at(x[i]);
      low = std::min(low, heights[i]), high = std::max(high, heights[i]);
    }
    if (more ? !(high > 0.0) : high < 0.0) return false;
    if (low >= 0.0) return true;
    cell.count = cut(x, heights, cell.count, out_.polygon[cell.other()].data());
    cell.at = cell.other();
    return cell.count > 2;
  }

  // Where the cell may be changed: the polygon itself is needed again.
  int own(const Cell& cell) const noexcept {
    if (cell.at != 0) return cell.at;
    std::copy_n(out_.polygon[0].data(), cell.count, out_.polygon[1].data());
    return 1;
  }

  // e = r - height
  void add_above(const Face& face) noexcept {
    const double inward = border_width * core_.size;
    if (face.n.dot(middle_) - face.d + radius_ < -inward) return;
    Cell cell{0, count_};
    const Slope extent = within(face);
    if (!keep({r_ + inward - extent.c, -extent.du, -extent.dv}, cell, false)) return;
    for (int i = 0; i < face.count; ++i)
      if (!keep(above_wall(face, core_.edges[core_.loop_edges[face.first + i]]), cell, false)) return;
    Corner* const x = out_.polygon[own(cell)].data();
    for (int i = 0; i < cell.count; ++i) x[i].e = extent.at(x[i]);
    add_piece(plane_, x, cell.count, face.n, out_);
  }

  bool is_far(const Vec3& from) const noexcept { return from.squaredNorm() > (r_ + radius_) * (r_ + radius_); }

  void add_beside(const Edge& edge) noexcept {
    if (!(edge.bend > sharp)) return;
    const Vec3 w = middle_ - core_.vertices[edge.v0];
    if (is_far(w - std::clamp(w.dot(edge.t), 0.0, edge.length) * edge.t)) return;
    Cell cell{0, count_};
    if (!keep(height(edge.t, core_.vertices[edge.v0]), cell, false)) return;
    if (!keep(-height(edge.t, core_.vertices[edge.v1]), cell, false)) return;
    for (const std::int32_t f : {edge.f0, edge.f1})
      if (!keep(-above_wall(core_.faces[f], edge), cell, true)) return;
    add_polygon({core_.vertices[edge.v0], edge.t, r_}, plane_, own(cell), cell.count, out_);
  }

  void add_at(std::size_t v) noexcept {
    if (is_far(middle_ - core_.vertices[v])) return;
    Cell cell{0, count_};
    for (int k = core_.first_incident_edge[v]; k < core_.first_incident_edge[v + 1]; ++k) {
      const IncidentEdge& incident = core_.incident_edges[k];
      const Edge& edge = core_.edges[incident.edge];
      const bool first = edge.v0 == static_cast<std::int32_t>(v);
      if (!keep(first ? -height(edge.t, core_.vertices[v]) : height(edge.t, core_.vertices[v]), cell, true)) return;
    }
    add_polygon({core_.vertices[v], Vec3::Zero(), r_}, plane_, own(cell), cell.count, out_);
  }

  const Surface& core_;
  const double r_;
  const PolygonPlane& plane_;
  SurfaceScratch& out_;
  int count_;
  Vec3 middle_;
  double radius_ = 0.0;
};

}  // namespace

int add_around_core(const Surface& core, double r, const PolygonPlane& plane, int count, SurfaceScratch& out) noexcept {
  return AroundCore(core, r, plane, count, out).add();
}

void move_to_rounding(double r, SurfaceScratch& out) noexcept {
  for (std::size_t j = 0; j < out.count; ++j) out.pieces[j].centre -= r * out.pieces[j].n;
  SurfacePoints& p = out.points;
  const double by = r * out.frame.sign();
  for (std::size_t i = 0; i < p.count; ++i) p.x[i] -= by * p.nx[i], p.y[i] -= by * p.ny[i], p.z[i] -= by * p.nz[i];
}

}  // namespace contactlib::geometry
