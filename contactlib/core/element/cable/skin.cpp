#include "skin.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "bounding/extent.hpp"
#include "places.hpp"
#include "tree.hpp"

namespace contactlib::element {

using bounding::Extent, bounding::extent_in_shape;
using geometry::ShapeKind;

namespace {

using Box = CableSkinScratch::Box;
using Capsule = CableSkinScratch::Capsule;
using Tree = CableSkinScratch::Strand;
using Obstacle = CableSkinScratch::Obstacle;

constexpr double infinity = std::numeric_limits<double>::infinity();

class Skins {
 public:
  Skins(const CableStrand* strands, std::size_t count, double reach, CableSkinScratch& scratch, CableTouch* out,
        std::size_t capacity) noexcept
      : strands_(strands), count_(count), reach_(reach), scratch_(scratch), out_(out), capacity_(capacity) {
    others_ = scratch.obstacles.size();
    for (std::size_t b = 0; b < count; ++b)
      others_ += static_cast<std::uint64_t>(skin(b).capsules) * tree(b).curves.size();
  }

  std::size_t find() noexcept {
    const std::size_t shapes = place_obstacles();
    std::int32_t* const all = scratch_.near.data();
    for (cable_ = 0; cable_ < count_; ++cable_) {
      if (!tree(cable_).finite) continue;
      std::size_t others = shapes;
      for (std::size_t b = cable_; b < count_; ++b)
        if (tree(b).finite && (b > cable_ || strands_[b].touches_itself))
          all[others++] = static_cast<std::int32_t>(scratch_.obstacles.size() + b);
      last_ = current_ = stored_;
      walk(1, all, others);
    }
    return needed_;
  }

 private:
  std::size_t elements(std::size_t cable) const noexcept { return tree(cable).curves.size(); }
  const CableSkin& skin(std::size_t cable) const noexcept { return strands_[cable].skin; }
  Tree& tree(std::size_t cable) const noexcept { return scratch_.strands[cable]; }
  double length(std::size_t cable, std::size_t element) const noexcept {
    return strands_[cable].design->elements[element].length;
  }

  // Moves the obstacles whose ball is near any cable to the head of the list; returns their number.
  std::size_t place_obstacles() noexcept {
    Box all{Vec3::Constant(infinity), Vec3::Constant(-infinity)};
    double reach = 0.0;
    for (std::size_t b = 0; b < count_; ++b) {
      if (!tree(b).finite) continue;
      const Box& box = root(tree(b));
      widen(all, box.low);
      widen(all, box.high);
      reach = std::max(reach, skin(b).radius + reach_);
    }
    std::size_t near = 0;
    for (std::size_t k = 0; k < scratch_.obstacles.size(); ++k)
      if (place_obstacle(scratch_.obstacles[k], all, reach)) scratch_.near[near++] = static_cast<std::int32_t>(k);
    return near;
  }

  static bool place_obstacle(Obstacle& o, const Box& all, double reach) noexcept {
    const Shape& shape = *o.shape;
    const CableBody& body = *o.body;
    const bool plane = shape.kind == ShapeKind::plane;
    if (!plane) {
      const Vec3 middle = body.p_OB + body.R_WB * shape.p_BC;
      if (!is_near({middle, middle}, all, reach + shape.bound)) return false;
    }
    if (shape.turned)
      o.R_WS.noalias() = body.R_WB * shape.R_BS;
    else
      o.R_WS = body.R_WB;
    o.p_OS = body.p_OB + body.R_WB * shape.p_BS;
    if (plane) return is_near_plane(o, all, reach);
    const Vec3 middle = o.p_OS + o.R_WS * o.middle_S, half = o.R_WS.cwiseAbs() * o.half_S;
    o.box = {middle - half, middle + half};
    return is_near(o.box, all, reach);
  }

  static bool is_near_plane(const Obstacle& o, const Box& box, double reach) noexcept {
    const auto n = o.R_WS.col(2);
    double lowest = -n.dot(o.p_OS);
    for (int i = 0; i < 3; ++i) lowest += n[i] * (n[i] > 0.0 ? box.low[i] : box.high[i]);
    return lowest < reach;
  }

  // A node with the obstacles and cables that are near its parents: the first `others` of `list`.
  void walk(std::size_t node, std::int32_t* list, std::size_t others) noexcept {
    const Box& box = tree(cable_).boxes[node];
    std::int32_t* const near = list + others;
    std::size_t count = 0;
    for (std::size_t i = 0; i < others; ++i)
      if (is_near_other(box, list[i])) near[count++] = list[i];
    if (count == 0) return;
    if (node >= elements(cable_)) {
      touch_element(box, element_of(tree(cable_), node), near, count);
      return;
    }
    walk(2 * node, near, count);
    walk(2 * node + 1, near, count);
  }

  // A node against a shape or the root of a cable.
  bool is_near_other(const Box& box, std::int32_t other) const noexcept {
    const std::size_t shapes = scratch_.obstacles.size(), k = static_cast<std::size_t>(other);
    const double reach = skin(cable_).radius + reach_;
    if (k >= shapes) return is_near(box, root(tree(k - shapes)), reach + skin(k - shapes).radius);
    const Obstacle& o = scratch_.obstacles[k];
    return o.shape->kind == ShapeKind::plane ? is_near_plane(o, box, reach) : is_near(box, o.box, reach);
  }

  // Appends the elements of cable b below a node that are near the box.
  void list_elements(const Box& box, std::size_t b, std::size_t node, double reach) noexcept {
    Tree& other = tree(b);
    if (!is_near(box, other.boxes[node], reach)) return;
    if (node < other.curves.size()) {
      list_elements(box, b, 2 * node, reach);
      list_elements(box, b, 2 * node + 1, reach);
      return;
    }
    const std::size_t e = element_of(other, node);
    if (b == cable_ && e < element_) return;
    prepare(other, strands_[b], e);
    scratch_.elements[near_elements_++] = {static_cast<std::int32_t>(b), static_cast<std::int32_t>(e)};
  }

  void touch_element(const Box& box, std::size_t element, const std::int32_t* near, std::size_t count) noexcept {
    element_ = element;
    near_elements_ = 0;
    std::size_t shapes = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t k = static_cast<std::size_t>(near[i]);
      if (k < scratch_.obstacles.size()) {
        ++shapes;
        continue;
      }
      const std::size_t b = k - scratch_.obstacles.size();
      list_elements(box, b, 1, skin(cable_).radius + skin(b).radius + reach_);
    }
    if (shapes + near_elements_ == 0) return;
    Tree& own = tree(cable_);
    prepare(own, strands_[cable_], element);
    const std::size_t n = static_cast<std::size_t>(skin(cable_).capsules);
    for (capsule_ = n * element; capsule_ < n * (element + 1); ++capsule_) {
      last_ = std::exchange(current_, stored_);
      const SkinPart a = part(cable_, element, capsule_);
      if (shapes > 0) {
        const Vec3 half = a.chord.half.cwiseAbs() + Vec3::Constant(a.chord.sag + a.radius + reach_);
        const Box wide{a.chord.middle - half, a.chord.middle + half};
        for (std::size_t i = 0; i < shapes; ++i) touch_shape(a, wide, near[i]);
      }
      for (std::size_t i = 0; i < near_elements_; ++i) touch_cable(a, scratch_.elements[i]);
    }
  }

  SkinPart part(std::size_t cable, std::size_t element, std::size_t capsule) const noexcept {
    const Tree& of = tree(cable);
    return {
        of.curves[element], of.capsules[capsule], skin(cable).radius, {capsule > 0, capsule + 1 < of.capsules.size()}};
  }

  void touch_shape(const SkinPart& a, const Box& box, std::int32_t obstacle) noexcept {
    const Obstacle& o = scratch_.obstacles[obstacle];
    if (o.shape->kind != ShapeKind::plane && !is_near(box, o.box, 0.0)) return;
    const int found = places_on_shape(a, o, reach_, scratch_.points.data(), places_);
    for (int k = 0; k < found; ++k) add(places_[k], obstacle, {-1, -1}, static_cast<std::uint64_t>(obstacle), k);
  }

  void touch_cable(const SkinPart& a, const CableSkinScratch::Element& at) noexcept {
    const std::size_t b = static_cast<std::size_t>(at.cable), e = static_cast<std::size_t>(at.element);
    const Tree& other = tree(b);
    const std::size_t n = static_cast<std::size_t>(skin(b).capsules);
    const double radius = skin(b).radius, ball = a.chord.half_length + a.chord.sag + a.radius + radius + reach_;
    for (std::size_t capsule = n * e; capsule < n * (e + 1); ++capsule) {
      const Capsule& chord = other.capsules[capsule];
      const double far = ball + chord.half_length + chord.sag;
      if (!((a.chord.middle - chord.middle).squaredNorm() < far * far)) continue;
      if (b == cable_ && capsule < capsule_ + 2) continue;
      if (!place_on_cable(a, part(b, e, capsule), reach_, places_[0])) continue;
      const double apart = along(b, e, places_[0].eta) - along(cable_, element_, places_[0].xi);
      if (b == cable_ && apart < fold(a.radius)) continue;
      add(places_[0], -1, at, scratch_.obstacles.size() + other.first_capsule + capsule, 0);
    }
  }

  double along(std::size_t cable, std::size_t element, double xi) const noexcept {
    return tree(cable).along[element] + xi * length(cable, element);
  }
  double along(const CablePlace& place) const noexcept {
    return along(static_cast<std::size_t>(place.cable), static_cast<std::size_t>(place.element), place.xi);
  }
  double fold(double radius) const noexcept { return 3.14159265358979323846 * (radius + 0.5 * reach_); }

  CablePlace place_of(std::size_t cable, std::size_t element, double xi) const noexcept {
    const double xi2 = xi * xi, xi3 = xi2 * xi, l = length(cable, element);
    return {static_cast<std::int32_t>(cable),
            static_cast<std::int32_t>(element),
            xi,
            {1.0 - 3.0 * xi2 + 2.0 * xi3, l * (xi - 2.0 * xi2 + xi3), 3.0 * xi2 - 2.0 * xi3, l * (xi3 - xi2)}};
  }

  // A point on an obstacle, or on element e of cable b if `obstacle` is -1. key = capsule, obstacle or capsule, number
  // of the point among those of both, along the cable.
  void add(const SkinPlace& place, std::int32_t obstacle, const CableSkinScratch::Element& on, std::uint64_t other,
           int number) noexcept {
    CableTouch touch;
    touch.a = place_of(cable_, element_, place.xi);
    touch.obstacle = obstacle;
    if (obstacle < 0)
      touch.b = place_of(static_cast<std::size_t>(on.cable), static_cast<std::size_t>(on.element), place.eta);
    touch.p_OC = place.p_OC;
    touch.n_W = place.n_W;
    touch.gap = place.gap;
    touch.key = ((tree(cable_).first_capsule + capsule_) * others_ + other) * max_places + number;
    if (stored_ == needed_ && !is_new(touch)) return;
    ++needed_;
    if (stored_ < capacity_) out_[stored_++] = touch;
  }

  // Compared with those of this capsule and the one before; removes the duplicates that it replaces.
  bool is_new(const CableTouch& touch) noexcept {
    const double x = along(touch.a);
    bool any = false;
    for (std::size_t i = last_; i < stored_; ++i) {
      if (!excludes(out_[i], touch, x)) continue;
      if (out_[i].gap <= touch.gap + same_gap * skin(cable_).radius) return false;
      any = true;
    }
    if (!any) return true;
    std::size_t kept = last_, current = current_;
    for (std::size_t i = last_; i < stored_; ++i) {
      if (!excludes(out_[i], touch, x))
        out_[kept++] = out_[i];
      else
        current -= i < current_;
    }
    current_ = current;
    needed_ = stored_ = kept;
    return true;
  }

  // Nearer than 0.15 of a capsule, with similar normals: points further apart constrain the curve between them better
  // than one point. If the cable's centre line is inside a shape, a point may have two ways out.
  bool excludes(const CableTouch& old, const CableTouch& touch, double x) const noexcept {
    if (!(std::abs(x - along(old.a)) < beside(touch.a))) return false;
    if (old.obstacle != touch.obstacle) return false;
    const double alike = old.n_W.dot(touch.n_W);
    if (touch.obstacle >= 0) return alike > 0.5 || std::max(old.gap, touch.gap) <= -0.999999 * skin(cable_).radius;
    return old.b.cable == touch.b.cable && alike > 0.5 && std::abs(along(old.b) - along(touch.b)) < beside(touch.b);
  }

  double beside(const CablePlace& at) const noexcept {
    const std::size_t cable = static_cast<std::size_t>(at.cable);
    return 0.15 * length(cable, static_cast<std::size_t>(at.element)) / skin(cable).capsules;
  }

  static constexpr double same_gap = 1e-9;  // of the radius: rounding does not choose between two

  const CableStrand* strands_;
  std::size_t count_;
  double reach_;
  CableSkinScratch& scratch_;
  CableTouch* out_;
  std::size_t capacity_, stored_ = 0, needed_ = 0;
  std::size_t last_ = 0, current_ = 0;  // first contact of the capsule before, and of this one
  std::size_t cable_ = 0, element_ = 0, capsule_ = 0, near_elements_ = 0;
  std::uint64_t others_;
  SkinPlace places_[max_places];
};

}  // namespace

void CableSkinScratch::make(const CableStrand* cables, std::size_t count, const CableObstacle* list,
                            std::size_t obstacle_count) {
  std::size_t levels = 2, all = 0;  // of the deepest tree, with the list of all; elements of all cables
  std::uint64_t capsule_count = 0;
  strands.resize(count);
  for (std::size_t b = 0; b < count; ++b) {
    const std::vector<CableElement>& of = cables[b].design->elements;
    const std::size_t n = of.size();
    Strand& strand = strands[b];
    strand.boxes.resize(2 * n);
    for (strand.begin = 1; strand.begin < n;) strand.begin *= 2;
    strand.curves.resize(n);
    strand.capsules.resize(n * static_cast<std::size_t>(cables[b].skin.capsules));
    strand.ready.resize(n);
    strand.along.resize(n);
    strand.first_capsule = capsule_count;
    capsule_count += strand.capsules.size();
    all += n;
    double x = 0.0;
    for (std::size_t e = 0; e < n; ++e) strand.along[e] = std::exchange(x, x + of[e].length);
    std::size_t depth = 2;
    while (std::size_t{1} << (depth - 2) < n) ++depth;
    levels = std::max(levels, depth + 1);
  }
  obstacles.resize(obstacle_count);
  for (std::size_t k = 0; k < obstacle_count; ++k) {
    obstacles[k].shape = list[k].shape;
    for (int i = 0; i < 3; ++i) {
      const Extent extent = extent_in_shape(*list[k].shape, Vec3::Unit(i));
      obstacles[k].middle_S[i] = 0.5 * (extent.low + extent.high);
      obstacles[k].half_S[i] = 0.5 * (extent.high - extent.low);
    }
  }
  near.resize(levels * (obstacle_count + count));
  elements.resize(all);
  points.resize(2 * max_places);
}

std::size_t find_touches(const CableStrand* strands, std::size_t count, const CableObstacle* obstacles,
                         std::size_t obstacle_count, double reach, CableSkinScratch& scratch, CableTouch* out,
                         std::size_t capacity) noexcept {
  for (std::size_t b = 0; b < count; ++b) refit(scratch.strands[b], strands[b]);
  for (std::size_t k = 0; k < obstacle_count; ++k) scratch.obstacles[k].body = obstacles[k].body;
  return Skins(strands, count, reach, scratch, out, capacity).find();
}

}  // namespace contactlib::element
