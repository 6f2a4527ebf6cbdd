#include "hull.hpp"

namespace contactlib {

namespace {

constexpr std::int16_t across(int face, int edge) noexcept { return static_cast<std::int16_t>(4 * face + edge); }

// the edges between what the new corner sees and what it does not, in their order around.
struct Border {
  int count = 0;
  std::int16_t beyond[Hull::most_border];  // on the side that stays
};

// walks over the faces that w sees, beginning with f. false if there are too many.
bool look(Hull& hull, const Vec3& w, int f, Border& border, std::int16_t (&seen)[Hull::most_border], int& count) noexcept {
  std::int16_t open[2 * Hull::most_border + 3];
  int open_count = 0;
  hull.face[f].seen = true;
  count = 0;
  seen[count++] = static_cast<std::int16_t>(f);
  for (int i = 2; i >= 0; --i) open[open_count++] = hull.face[f].beyond[i];
  while (open_count > 0) {
    const std::int16_t edge = open[--open_count];
    Hull::Face& next = hull.face[edge / 4];
    if (next.seen) continue;
    if (!(next.N.dot(w) - next.d > next.blur)) {
      if (border.count == Hull::most_border) return false;
      border.beyond[border.count++] = edge;
      continue;
    }
    if (count == Hull::most_border) return false;
    next.seen = true;
    seen[count++] = static_cast<std::int16_t>(edge / 4);
    open[open_count++] = next.beyond[(edge % 4 + 2) % 3];
    open[open_count++] = next.beyond[(edge % 4 + 1) % 3];
  }
  return true;
}

// where the border's edge i begins, seen from inside of it.
std::int16_t begin(const Hull& hull, std::int16_t edge) noexcept { return hull.face[edge / 4].v[(edge % 4 + 1) % 3]; }
std::int16_t end(const Hull& hull, std::int16_t edge) noexcept { return hull.face[edge / 4].v[edge % 4]; }

}  // namespace

Hull::Hull(const Tie (&corners)[4], bool settled, double near, double blur) noexcept : fine(blur), bound(near) {
  std::copy(corners, corners + 4, point);
  const Vec3 N = (point[1].w - point[0].w).cross(point[2].w - point[0].w);
  if (N.dot(point[3].w - point[0].w) > 0.0) std::swap(point[1], point[2]);
  points = faces = 4;
  set_face(0, 0, 1, 2, settled);
  for (int i = 0; i < 3; ++i) {
    const int next = (i + 1) % 3, last = (i + 2) % 3;
    set_face(1 + i, next, i, 3, false);
    face[0].beyond[i] = across(1 + i, 0);
    face[1 + i].beyond[0] = across(0, i);
    face[1 + i].beyond[1] = across(1 + last, 2);
    face[1 + i].beyond[2] = across(1 + next, 1);
  }
}

bool Hull::is_near(const Face& f) const noexcept {
  const double d2 = f.d * f.d, bound2 = bound * bound * f.N.squaredNorm();
  return bound > 0.0 ? f.d < 0.0 || d2 < bound2 : f.d < 0.0 && d2 > bound2;
}

void Hull::set_face(int f, int i, int j, int k, bool settled) noexcept {
  Face& made = face[f];
  made.v[0] = static_cast<std::int16_t>(i);
  made.v[1] = static_cast<std::int16_t>(j);
  made.v[2] = static_cast<std::int16_t>(k);
  made.seen = false;
  const Vec3 along = point[j].w - point[i].w, beside = point[k].w - point[i].w;
  made.N = along.cross(beside);
  made.d = made.N.dot(point[i].w);
  made.blur = fine * along.cwiseAbs().sum() * beside.cwiseAbs().sum();
  made.settled = settled || !is_near(made);
  if (!made.settled && suspects < most_faces) suspect[suspects++] = static_cast<std::int16_t>(f);
}

int Hull::next_suspect() noexcept {
  while (suspects > 0) {
    Face& f = face[suspect[--suspects]];
    const bool open = !f.settled && is_near(f);
    f.settled = true;
    if (open) return suspect[suspects];
  }
  return -1;
}

bool Hull::has(const Tie& tie) const noexcept {
  for (int i = 0; i < points; ++i)
    if (point[i].a == tie.a && point[i].b == tie.b) return true;
  return false;
}

bool Hull::grow(const Tie& tie, int f) noexcept {
  Border border;
  std::int16_t seen[most_border];
  int count = 0;
  bool fits = points < most_points && look(*this, tie.w, f, border, seen, count);
  fits = fits && faces + border.count - count <= most_faces;
  for (int i = 0; i < border.count && fits; ++i)  // one closed loop
    fits = end(*this, border.beyond[i]) == begin(*this, border.beyond[i + 1 < border.count ? i + 1 : 0]);
  for (int i = 0; i < count; ++i) face[seen[i]].seen = false;
  if (!fits) return false;

  std::int16_t slot[most_border];
  for (int i = 0; i < border.count; ++i) slot[i] = i < count ? seen[i] : static_cast<std::int16_t>(faces++);
  for (int i = border.count; i < count; ++i) face[seen[i]].settled = true;
  point[points] = tie;
  for (int i = 0; i < border.count; ++i) {
    const std::int16_t edge = border.beyond[i];
    Face& made = face[slot[i]];
    const int next = slot[i + 1 < border.count ? i + 1 : 0], last = slot[i > 0 ? i - 1 : border.count - 1];
    set_face(slot[i], begin(*this, edge), end(*this, edge), points, false);
    made.beyond[0] = edge;
    made.beyond[1] = across(next, 2);
    made.beyond[2] = across(last, 1);
    face[edge / 4].beyond[edge % 4] = across(slot[i], 0);
  }
  ++points;
  return true;
}

}  // namespace contactlib
