// Over the directions for which one corner w of D is the support vertex, overlap = n.w decreases towards the border of
// this region. So minima occur only where three vertices are active: at the normals of D's faces, and there only if the
// foot of the origin, overlap n, lies in the face. The descent turns n along the steepest tangent, which follows from
// the active vertices, until the next vertex becomes active, and so on. Each turn lowers the overlap or, where more
// than three vertices are active, moves the hull of the active vertices towards the foot.
#include "descent.hpp"

#include "base/storage.hpp"
#include "geometry/manifold/ball.hpp"
#include "turn.hpp"

namespace contactlib::geometry {

namespace {

constexpr int max_turns = 1000;
constexpr double further = 1.25;

// Detects that three active vertices return. Where faces are parallel to rounding, vertices that are equal to the last
// digit can alternate for ever. Compares with the triple at the last power of two (Brent's cycle detection).
class Returns {
 public:
  bool operator()(const ActiveVertices& active_vertices) noexcept {
    bool same = true;
    for (int i = 0; i < 3; ++i)
      same = same && old_[i].a == active_vertices.active_vertex[i].a && old_[i].b == active_vertices.active_vertex[i].b;
    if (++count_ == next_) {
      next_ *= 2;
      for (int i = 0; i < 3; ++i) old_[i] = {active_vertices.active_vertex[i].a, active_vertices.active_vertex[i].b};
    }
    return same;
  }

 private:
  struct Corners {
    int a = -1, b = -1;
  };
  Corners old_[3];
  int count_ = 0, next_ = 1;
};

// One descent, in parts: between two of them it has no result that the next one needs at once.
struct Path {
  enum State { descends, turns, lands, separates, arrived };  // what it does next, or how it ended

  const MinkowskiDifference& D;
  Minimum& out;
  Vec3 n, tau;  // unit: the direction, and the tangent along which it turns
  double most;  // tan of the angle at which the overlap vanishes
  Tie tie;  // where the turn ends
  State state = descends;
  int count = 0;
  Returns returns;

  Path(const MinkowskiDifference& difference, const Vec3& start, Minimum& minimum) noexcept
      : D(difference), out(minimum), n(start) {}

  template <class Lanes>
  void begin() noexcept {
    int a = -1, b = -1;
    out.sharp = {};
    climb_in_lanes<Lanes>(D, n, a, b);
    out.active_vertices.count = 1;
    out.active_vertices.active_vertex[0] = {D.corner(a, b), a, b};
  }

  // Finds the tangent, unless three vertices are active.
  State aim() noexcept {
    ActiveVertices& active_vertices = out.active_vertices;
    if (count++ == max_turns) return arrived;
    const double overlap = n.dot(active_vertices.active_vertex[0].w);
    if (!(overlap > 0.0)) return separates;
    const Vec3 down = -nearest(active_vertices, n, overlap * n, D.fine());
    if (active_vertices.count == 3) return lands;
    const double slope = down.norm();
    if (active_vertices.count == 2) {  // across the two, sharper than the difference is
      const Vec3 level = n.cross(active_vertices.active_vertex[1].w - active_vertices.active_vertex[0].w);
      tau = level / std::copysign(level.norm(), level.dot(down));
    } else {  // at a maximum every direction descends
      tau = slope > D.fine() ? Vec3(down / slope) : perpendicular(n);
    }
    most = slope > 0.0 ? overlap / slope : 1e300;
    return turns;
  }

  // At the normal of three vertices, unless another one is further along it.
  template <class Lanes>
  State land() noexcept {
    ActiveVertices& active_vertices = out.active_vertices;
    const Vec3 before = n;
    out.sharp = sharpen(D, active_vertices, n);
    if ((n - before).squaredNorm() < 4e-30 || returns(active_vertices)) return arrived;
    int a = active_vertices.active_vertex[0].a, b = active_vertices.active_vertex[0].b;
    climb_in_lanes<Lanes>(D, n, a, b);
    const Vec3 w = D.corner(a, b);
    if (n.dot(w - active_vertices.active_vertex[0].w) <= 1e-15 * D.size) return arrived;
    out.sharp = {};
    active_vertices.count = 1;
    active_vertices.active_vertex[0] = {w, a, b};
    return descends;
  }

  template <class Lanes>
  void find_tie() noexcept {
    tie = first_to_tie<Lanes>(D, out.active_vertices.active_vertex[0], n, tau, most);
  }

  State turn() noexcept {
    ActiveVertices& active_vertices = out.active_vertices;
    const Step step = turn_until(tie, D, active_vertices.active_vertex[0], n, tau, most);
    if (!step.blocked) {  // there the overlap is zero: a little further they are apart
      n = (n + further * step.tan * tau).normalized();
      return separates;
    }
    n = (n + step.tan * tau).normalized();
    active_vertices.active_vertex[active_vertices.count++] = step.next;
    return descends;
  }

  // Returns whether the two overlap.
  bool give() const noexcept {
    out.n = n;
    if (state == separates) return false;
    out.overlap = n.dot(out.active_vertices.active_vertex[0].w);
    out.round_A = out.round_B = Vec3::Zero();
    return out.overlap > 0.0;
  }
};

struct Alone {
  template <class Lanes>
  static void run(const MinkowskiDifference& D, const Vec3& n, Minimum* const& out, bool* const& overlap) noexcept {
    Path path(D, n, *out);
    path.begin<Lanes>();
    Path::State state = Path::descends;
    while (state == Path::descends) {
      state = path.aim();
      if (state == Path::turns)
        path.find_tie<Lanes>(), state = path.turn();
      else if (state == Path::lands)
        state = path.land<Lanes>();
    }
    path.state = state;
    *overlap = path.give();
  }
};

// Each part for all before the next one: the processor computes one while it waits for the numbers of another. Without
// branches on the state, which is random.
struct SideBySide {
  template <class Lanes>
  static void run(Path* const* const& paths, const std::size_t& count) noexcept {
    Path *descending[most_descents], *turning[most_descents], *landing[most_descents];
    std::size_t left = count;
    for (std::size_t k = 0; k < count; ++k) descending[k] = paths[k], paths[k]->begin<Lanes>();
    while (left > 0) {
      std::size_t turns = 0, lands = 0, still = 0;
      for (std::size_t k = 0; k < left; ++k) {
        Path* const each = descending[k];
        each->state = each->aim();
        turning[turns] = landing[lands] = each;
        turns += each->state == Path::turns, lands += each->state == Path::lands;
      }
      for (std::size_t k = 0; k < turns; ++k) turning[k]->find_tie<Lanes>();
      for (std::size_t k = 0; k < turns; ++k) turning[k]->state = turning[k]->turn();
      for (std::size_t k = 0; k < lands; ++k) landing[k]->state = landing[k]->land<Lanes>();
      for (std::size_t k = 0; k < left; ++k) {
        Path* const each = descending[k];
        descending[still] = each, still += each->state == Path::descends;
      }
      left = still;
    }
  }
};

}  // namespace

bool descend(const MinkowskiDifference& D, const Vec3& n, Minimum& out) noexcept {
  if (D.is_round()) return descend_rounded(D, n, out);
  bool overlap = false;
  math::in_lanes<Alone>(wheel_lanes, D, n, &out, &overlap);
  return overlap;
}

void descend_side_by_side(Descent* descents, std::size_t count) noexcept {
  Storage<Path, most_descents> storage;
  Path* paths[most_descents];
  for (std::size_t k = 0; k < count; ++k) paths[k] = storage.make(k, *descents[k].D, descents[k].n, *descents[k].out);
  math::in_lanes<SideBySide>(wheel_lanes, paths + 0, count);
  for (std::size_t k = 0; k < count; ++k) descents[k].overlap = paths[k]->give();
}

Step turn(const MinkowskiDifference& D, const ActiveVertex& active_vertex, const Vec3& n, const Vec3& tau,
          double most) noexcept {
  return turn_until(first_to_tie<TwoLanes>(D, active_vertex, n, tau, most), D, active_vertex, n, tau, most);
}

}  // namespace contactlib::geometry
