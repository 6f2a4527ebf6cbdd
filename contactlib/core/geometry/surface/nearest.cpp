#include "nearest.hpp"

#include <utility>

namespace contactlib::geometry {

namespace {

Place on_face(const Facet& facet, const Vec3& x) noexcept {
  const double h = facet.n.dot(x - facet.corner[0]);
  return {h, x - h * facet.n, facet.n, Part::face, facet.face, facet.face, h < 0.0};
}

// The faces around S have the sum of normals g, of any length; at a `border` they end there.
//   phi = +-|x - S|,  grad phi = (x - S)/phi
Place place_at(const Vec3& x, const Vec3& S, const Vec3& g, bool border) noexcept {
  const Vec3 w = x - S;
  const double distance = w.norm();
  Place out;
  out.S = S;
  out.behind = w.dot(g) < 0.0;
  out.phi = out.behind && !border ? -distance : distance;
  out.g = distance > 0.0 ? Vec3(w / out.phi) : Vec3(g.normalized());
  return out;
}

}  // namespace

// D is the vector from the middle of a ball to x. For a point in the ball, D changes by at most the ball's radius, and
// must be a direction of the cone:
//   distance >= |D| - radius,  |D across| cos - |D along| sin <= radius
inline Seeker::Seen Seeker::see(const Bvh4Node& bvh4_node, int k) const noexcept {
  const float dx = x - bvh4_node.middle[0][k], dy = y - bvh4_node.middle[1][k], dz = z - bvh4_node.middle[2][k];
  const float ax = bvh4_node.axis[0][k], ay = bvh4_node.axis[1][k], az = bvh4_node.axis[2][k];
  const float cx = dy * az - dz * ay, cy = dz * ax - dx * az, cz = dx * ay - dy * ax;
  const float across2 = cx * cx + cy * cy + cz * cz, along = std::fabs(dx * ax + dy * ay + dz * az);
  const float wide = bvh4_node.radius[k] + slop + along * bvh4_node.sine[k],
              cos2 = bvh4_node.cosine[k] * bvh4_node.cosine[k];
  return {dx * dx + dy * dy + dz * dz, (bvh4_node.radius[k] >= 0.0f) & (across2 * cos2 <= wide * wide)};
}

void Seeker::evaluate(const Bvh4Node& bvh4_node, float* bound) const noexcept {
  for (int k = 0; k < 4; ++k) {
    const Seen seen = see(bvh4_node, k);
    bound[k] =
        std::sqrt(seen.squared) - bvh4_node.radius[k] + (seen.may ? 0.0f : std::numeric_limits<float>::infinity());
  }
}

void Seeker::evaluate(const Bvh4Node& bvh4_node, float limit, std::int32_t* meets) const noexcept {
  for (int k = 0; k < 4; ++k) {
    const Seen seen = see(bvh4_node, k);
    const float reach = bvh4_node.radius[k] + limit;
    meets[k] = (seen.squared < reach * reach) & seen.may;
  }
}

// The normals of a sheet's two sides add to zero: then g, which matters only for x = S, is that of one side.
Place place_on_edge(const Surface& surface, const Vec3& x, const Vec3& S, std::int32_t e) noexcept {
  const Edge& edge = surface.edges[e];
  const Vec3& n = surface.faces[edge.f0].n;
  const bool border = edge.f1 < 0;
  Place out = place_at(x, S, border ? n : Vec3(n + surface.faces[edge.f1].n), border);
  if (out.phi == 0.0 && out.g.isZero(0.0)) out.g = n;
  out.part = Part::edge;
  out.index = e;
  out.face = edge.f0;
  return out;
}

Place place_at_vertex(const Surface& surface, const Vec3& x, std::int32_t v, std::int32_t face) noexcept {
  Place out = place_at(x, surface.vertices[v], surface.vertex_normals[v], surface.border_vertex[v]);
  if (out.phi == 0.0 && out.g.isZero(0.0)) out.g = surface.faces[face].n;
  out.part = Part::vertex;
  out.index = v;
  out.face = face;
  return out;
}

// A side that is no edge lies inside a face.
Place NearestFoot::place(const Surface& surface) const noexcept {
  const Facet& facet = *facet_;
  const int i = where_ >= 4 ? where_ - 4 : where_ - 1;
  if (where_ == 0 || (where_ < 4 && facet.edge[i] < 0)) return on_face(facet, x_);
  if (where_ >= 4) return place_at_vertex(surface, x_, facet.vertex[i], facet.face);
  const Vec3 e = facet.corner[(i + 1) % 3] - facet.corner[i];
  const Vec3 S = facet.corner[i] + e * ((x_ - facet.corner[i]).dot(e) / e.squaredNorm());
  return place_on_edge(surface, x_, S, facet.edge[i]);
}

// The nearest group first: its result excludes most of the others.
bool nearest_place(const Surface& surface, const Vec3& x, double within, Place& out) noexcept {
  struct Open {
    float bound;
    std::int32_t child;
  };
  const Seeker seeker(surface, x);
  NearestFoot nearest(x, within * within);
  float limit = seeker.limit(within), bound[4];
  Open stack[3 * deepest_bvh4_node + 2];
  int open = 0;
  if (!surface.bvh4_nodes.empty()) stack[open++] = {0.0f, 0};
  while (open > 0) {
    const Open top = stack[--open];
    if (!(top.bound < limit)) continue;
    if (top.child < 0) {
      const Facet& facet = surface.facets[~top.child];
      Foot foot;
      if (!foot_on(facet, x, nearest.limit(), foot)) continue;
      nearest.evaluate(facet, foot);
      limit = seeker.limit(std::sqrt(nearest.limit()));
      continue;
    }
    const Bvh4Node& bvh4_node = surface.bvh4_nodes[top.child];
    seeker.evaluate(bvh4_node, bound);
    const int first = open;
    for (int k = 3; k >= 0; --k) {
      stack[open] = {bound[k], bvh4_node.child[k]};
      surface.fetch(bvh4_node.child[k]);
      open += bound[k] < limit;
    }
    for (int k = first; k + 1 < open; ++k)
      if (stack[k].bound < stack[open - 1].bound) std::swap(stack[k], stack[open - 1]);
  }
  if (!nearest.found()) return false;
  out = nearest.place(surface);
  return true;
}

bool is_inside(const Surface& surface, const Vec3& x) noexcept {
  Place place;
  if (surface.nodes.empty() || squared_distance(surface.nodes[0], x) > 0.0) return false;
  return nearest_place(surface, x, std::numeric_limits<double>::infinity(), place) && place.phi < 0.0;
}

bool lies_on(const Surface& surface, const Place& place, std::int32_t face) noexcept {
  if (place.part == Part::face) return place.index == face;
  if (place.part == Part::edge) return surface.edges[place.index].f0 == face || surface.edges[place.index].f1 == face;
  const Face& polygon = surface.faces[face];
  for (std::int32_t i = 0; i < polygon.count; ++i)
    if (surface.loops[polygon.first + i] == place.index) return true;
  return false;
}

}  // namespace contactlib::geometry
