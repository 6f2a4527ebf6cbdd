// The fabric over some corners of the body, when its own edges are no guide because other corners do not touch the
// fabric: a hull built corner by corner. No corner below the plane sees the frame's own face, so the triangles form a
// disc whose border is the rim.
#include "fabric.hpp"

namespace contactlib::element {

namespace {

constexpr double rounding = 1e-14;  // as in fabric.cpp
constexpr std::int32_t none = -1;
constexpr std::int32_t alive = 0, visible = 1, dead = 2;  // marks in `border`

struct Stretch {
  const MembraneDesign& design;
  MembraneScratch& scratch;
  const double capacity;
  std::size_t free = 0, seen = 0, fresh = 0;

  Stretch(const MembraneDesign& d, MembraneScratch& c) noexcept
      : design(d), scratch(c), capacity(rounding * d.size * d.size * d.size) {}

  bool sees(std::int32_t corner, std::int32_t t) const noexcept {
    const FabricTriangle& triangle = scratch.fabric[t];
    return triangle.n_B.dot(scratch.p_B[corner] - scratch.p_B[triangle.point[0]]) > capacity;
  }

  // its n_B is not normalised yet
  std::int32_t make(std::int32_t p0, std::int32_t p1, std::int32_t p2) noexcept {
    const auto t = free > 0 ? scratch.free[--free] : static_cast<std::int32_t>(scratch.triangles++);
    const Vec3* const p = scratch.p_B.data();
    scratch.fabric[t] = {{p0, p1, p2}, {none, none, none}, (p[p1] - p[p0]).cross(p[p2] - p[p0]), {}, {}};
    scratch.border[t] = alive;
    return t;
  }

  // The triangles from the rim to one corner.
  void begin(std::int32_t corner) noexcept {
    const auto n = static_cast<std::int32_t>(design.p_CS.size());
    scratch.triangles = 0;
    for (std::int32_t k = 0; k < n; ++k) {
      const std::int32_t t = make((k + 1) % n, k, corner);
      scratch.fabric[t].next[1] = (t + n - 1) % n;
      scratch.fabric[t].next[2] = (t + 1) % n;
    }
  }

  void evaluate(std::int32_t corner, std::int32_t t) noexcept {
    if (t == none || scratch.border[t] != alive || !sees(corner, t)) return;
    scratch.border[t] = visible;
    scratch.seen[seen++] = t;
    for (const std::int32_t point : scratch.fabric[t].point) scratch.begins[point] = none;
  }

  // Whether edge i of triangle t borders the part that the corner sees.
  bool is_around(std::int32_t t, int i) const noexcept {
    const std::int32_t beyond = scratch.fabric[t].next[i];
    return beyond == none || scratch.border[beyond] != visible;
  }

  // Adds a triangle from such an edge to the corner.
  void close(std::int32_t corner, std::int32_t t, int i) noexcept {
    const std::int32_t beyond = scratch.fabric[t].next[i];
    const std::int32_t from = scratch.fabric[t].point[i], to = scratch.fabric[t].point[(i + 1) % 3];
    const std::int32_t made = make(from, to, corner);
    scratch.fabric[made].next[0] = beyond;
    if (beyond != none) {
      FabricTriangle& other = scratch.fabric[beyond];
      other.next[other.point[0] == to ? 0 : other.point[1] == to ? 1 : 2] = made;
    }
    scratch.begins[from] = made;
    scratch.fresh[fresh++] = made;
  }

  // Collects the triangles that the corner sees, from the first one to its neighbours.
  void evaluate_around(std::int32_t corner) noexcept {
    seen = 0;
    for (std::size_t t = 0; t < scratch.triangles && seen == 0; ++t) evaluate(corner, static_cast<std::int32_t>(t));
    for (std::size_t i = 0; i < seen; ++i)
      for (const std::int32_t beyond : scratch.fabric[scratch.seen[i]].next) evaluate(corner, beyond);
  }

  // The seen part must be a disc of triangles; if rounding prevents this, the corner is left out.
  bool has_room() noexcept {
    std::size_t around = 0;
    for (std::size_t i = 0; i < seen; ++i)
      for (int edge = 0; edge < 3; ++edge) around += is_around(scratch.seen[i], edge);
    if (around <= free + scratch.fabric.size() - scratch.triangles) return true;
    for (std::size_t i = 0; i < seen; ++i) scratch.border[scratch.seen[i]] = alive;
    return false;
  }

  void put_in(std::int32_t corner) noexcept {
    evaluate_around(corner);
    if (!has_room()) return;
    fresh = 0;
    for (std::size_t i = 0; i < seen; ++i)
      for (int edge = 0; edge < 3; ++edge)
        if (is_around(scratch.seen[i], edge)) close(corner, scratch.seen[i], edge);
    for (std::size_t i = 0; i < fresh; ++i) {
      const std::int32_t t = scratch.fresh[i], after = scratch.begins[scratch.fabric[t].point[1]];
      scratch.fabric[t].next[1] = after;
      if (after != none) scratch.fabric[after].next[2] = t;
    }
    for (std::size_t i = 0; i < seen; ++i) {
      scratch.border[scratch.seen[i]] = dead;
      scratch.free[free++] = scratch.seen[i];
    }
  }

  // Compacts the list.
  void pack() noexcept {
    std::int32_t count = 0;
    for (std::size_t t = 0; t < scratch.triangles; ++t)
      if (scratch.border[t] == alive) scratch.fresh[t] = count++;
    for (std::size_t t = 0; t < scratch.triangles; ++t) {
      if (scratch.border[t] != alive) continue;
      FabricTriangle& moved = scratch.fabric[scratch.fresh[t]] = scratch.fabric[t];
      for (std::int32_t& beyond : moved.next)
        if (beyond != none) beyond = scratch.fresh[beyond];
    }
    scratch.triangles = scratch.bordering = count;
  }
};

}  // namespace

void stretch_fabric(const MembraneDesign& design, const std::int32_t* corners, std::size_t count,
                    MembraneScratch& scratch) noexcept {
  const auto n = static_cast<std::int32_t>(design.p_CS.size());
  Stretch stretch(design, scratch);
  stretch.begin(n + corners[0]);
  for (std::size_t i = 1; i < count; ++i) stretch.put_in(n + corners[i]);
  stretch.pack();
}

}  // namespace contactlib::element
