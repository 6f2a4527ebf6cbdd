#include "patches.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/overlap/section/polygon.hpp"
#include "groups.hpp"
#include "moments.hpp"

namespace contactlib::geometry {

namespace {

constexpr double narrow = 0.1;  // of the side of the least square
constexpr double cos_valley = 0.8660254037844386;  // 30 degrees

class PatchFinder {
 public:
  PatchFinder(const Surface& B, double least, OverlapScratch& scratch, const CurvedSolid* curved) noexcept
      : B_(B),
        least_(least),
        least_width_(narrow * std::sqrt(least)),
        scratch_(scratch),
        curved_(curved),
        moments_(B, scratch, true, curved) {}

  // A part of the triangle is inside if the walls leave some area of it.
  void evaluate(const Facet& facet) noexcept {
    bool cut = curved_ != nullptr;
    for (const Wall& wall : scratch_.walls) {
      int beyond = 0;
      for (int i = 0; i < 3; ++i) beyond += wall.n.dot(facet.corner[i]) > wall.d;
      if (beyond == 3) return;
      cut = cut || beyond > 0;
    }
    Piece piece{facet.face, static_cast<std::int32_t>(scratch_.pieces.size()), -1, 0, cut, Vec3::Zero()};
    const Polygon part = moments_.inside(piece);
    if (part.count < 2) return;
    piece.area = moments_.area_inside(piece, part);
    if (is_rounding(part, piece.area.norm())) return;
    for (int i = 0; i < part.count; ++i) {
      const int k = i + 1 == part.count ? 0 : i + 1;
      const bool has_length = scratch_.sheet.there || (part.v[k] - part.v[i]).squaredNorm() > 0.0;
      if (part.tag[i] >= 0 && has_length) piece.sides |= 1 << part.tag[i];
    }
    scratch_.piece_of[facet.face] = piece.leader;
    scratch_.pieces.push_back(piece);
    scratch_.heights.emplace_back();
  }

  // Pieces that share an edge with a part inside belong together.
  void join() noexcept {
    for (std::size_t k = 0; k < scratch_.pieces.size(); ++k) {
      const Piece& piece = scratch_.pieces[k];
      const std::int32_t first = B_.faces[piece.face].first;
      for (int i = 0; i < 3; ++i) {
        if (!(piece.sides & 1 << i)) continue;
        const Edge& edge = B_.edges[B_.loop_edges[first + i]];
        const std::int32_t other = edge.f0 == piece.face ? edge.f1 : edge.f0;
        if (other < 0 || scratch_.piece_of[other] < 0 || is_valley(B_, edge)) continue;
        if (has_side(scratch_.piece_of[other], B_.loop_edges[first + i]))
          unite(scratch_.pieces, static_cast<std::int32_t>(k), scratch_.piece_of[other]);
      }
    }
    link_groups(scratch_.pieces);
    for (auto k = static_cast<std::int32_t>(scratch_.pieces.size()); k-- > 0;)
      if (scratch_.pieces[k].leader == k) add_patch(k);
  }

 private:
  // Where a face of A lies in the triangle's plane or beside it, rounding leaves strips without width; on a
  // sheet, lines without length.
  bool is_rounding(const Polygon& part, double area) const noexcept {
    double length = 0.0;  // squared
    for (int i = 1; i < part.count; ++i) length = std::max(length, (part.v[i] - part.v[0]).squaredNorm());
    if (scratch_.sheet.there) return !(std::sqrt(length) > least_width_);
    return !(area > least_) || !(area > least_width_ * std::sqrt(length));
  }

  bool has_side(std::int32_t k, std::int32_t edge) const noexcept {
    const Piece& piece = scratch_.pieces[k];
    for (int i = 0; i < 3; ++i)
      if (piece.sides & 1 << i && B_.loop_edges[B_.faces[piece.face].first + i] == edge) return true;
    return false;
  }

  void add_patch(std::int32_t first) noexcept {
    Patch patch{first, 0.0, Vec3::Zero()};
    for (std::int32_t i = first; i >= 0; i = scratch_.pieces[i].next) {
      patch.area += scratch_.pieces[i].area.norm();
      patch.area_vector += scratch_.pieces[i].area;
    }
    scratch_.patches.push_back(patch);
  }

  const Surface& B_;
  const double least_, least_width_;  // m2, m
  OverlapScratch& scratch_;
  const CurvedSolid* const curved_;
  PatchMoments moments_;
};

}  // namespace

bool is_valley(const Surface& surface, const Edge& edge) noexcept {
  return edge.f1 >= 0 && edge.bend < 0.0 && surface.faces[edge.f0].n.dot(surface.faces[edge.f1].n) < cos_valley;
}

void find_patches(const Surface& B, const BoxNode& box, const Axes& X, double least, OverlapScratch& scratch,
                  const CurvedSolid* curved) noexcept {
  const Mat3 spread = X.R.cwiseAbs();
  PatchFinder finder(B, least, scratch, curved);
  const auto meets = [&](const BoxNode& node) noexcept { return boxes_near(node, box, X, spread, 0.0); };
  for_each_facet(B, meets, [&](const Facet& facet) noexcept { finder.evaluate(facet); });
  finder.join();
}

void forget_patches(OverlapScratch& scratch) noexcept {
  for (const Piece& piece : scratch.pieces) scratch.piece_of[piece.face] = -1;
  scratch.pieces.clear();
  scratch.heights.clear();
  scratch.patches.clear();
}

}  // namespace contactlib::geometry
