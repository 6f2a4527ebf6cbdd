#include "cable_skin.hpp"

#include <utility>

#include "../../bounding/extent.hpp"
#include "cable_places.hpp"

namespace contactlib {

namespace {

using Ball = CableSkinScratch::Ball;
using Tree = CableSkinScratch::Strand;
using Obstacle = CableSkinScratch::Obstacle;

// around an element: the cubic is within the hull of its four Bezier points.
Ball around(const double* q, double length) noexcept {
  const Eigen::Map<const Vec3> r0(q), t0(q + 3), r1(q + 6), t1(q + 9);
  const Vec3 middle = 0.5 * (r0 + r1) + (length / 12.0) * (t0 - t1);
  const Vec3 p = r0 + (length / 3.0) * t0 - middle, s = r1 - (length / 3.0) * t1 - middle;
  const double ends = std::max((r0 - middle).squaredNorm(), (r1 - middle).squaredNorm());
  return {middle, std::sqrt(std::max(ends, std::max(p.squaredNorm(), s.squaredNorm())))};
}

// around two balls; of one that is not finite the middle is not either, and nothing is near it.
Ball around(const Ball& a, const Ball& b) noexcept {
  const Vec3 apart = b.p_OC - a.p_OC;
  const double distance = apart.norm();
  if (distance + b.radius <= a.radius) return a;
  if (distance + a.radius <= b.radius) return b;
  const double radius = 0.5 * (distance + a.radius + b.radius);
  return {a.p_OC + apart * ((radius - a.radius) / distance), radius * (1.0 + 1e-15)};
}

const Ball& ball_of(const Tree& tree, std::size_t first, std::size_t last) noexcept {
  return last - first == 1 ? tree.leaves[first] : tree.nodes[(first + last) / 2];
}

void refit(Tree& tree, std::size_t first, std::size_t last) noexcept {
  if (last - first == 1) return;
  const std::size_t middle = (first + last) / 2;
  refit(tree, first, middle);
  refit(tree, middle, last);
  tree.nodes[middle] = around(ball_of(tree, first, middle), ball_of(tree, middle, last));
}

bool near_box(const Obstacle& o, const Ball& ball, double reach) noexcept {
  const Vec3 at = o.R_WS.transpose() * (ball.p_OC - o.p_OS);
  const Vec3 out = (o.low - at).cwiseMax(at - o.high).cwiseMax(0.0);
  const double far = ball.radius + reach;
  return out.squaredNorm() < far * far;
}

bool near_ball(const Ball& a, const Ball& b, double reach) noexcept {
  const double far = a.radius + b.radius + reach;
  return (a.p_OC - b.p_OC).squaredNorm() < far * far;
}

class Skins {
 public:
  Skins(const CableStrand* strands, std::size_t count, double reach, CableSkinScratch& scratch, CableTouch* out,
        std::size_t capacity) noexcept
      : strands_(strands), count_(count), reach_(reach), scratch_(scratch), out_(out), capacity_(capacity) {}

  std::size_t find() noexcept {
    const std::size_t shapes = scratch_.obstacles.size();
    std::int32_t* const all = scratch_.near.data();
    for (cable_ = 0; cable_ < count_; ++cable_) {
      std::size_t others = 0;
      for (std::size_t k = 0; k < shapes; ++k) all[others++] = static_cast<std::int32_t>(k);
      for (std::size_t b = cable_; b < count_; ++b)
        if (b > cable_ || strands_[b].touches_itself) all[others++] = static_cast<std::int32_t>(shapes + b);
      walk(0, elements(cable_), all, others);
    }
    if (count_ > 0) number();
    return needed_;
  }

 private:
  std::size_t elements(std::size_t cable) const noexcept { return strands_[cable].design->elements.size(); }
  const CableSkin& skin(std::size_t cable) const noexcept { return strands_[cable].skin; }
  const Tree& tree(std::size_t cable) const noexcept { return scratch_.strands[cable]; }

  // elements [first, last) in order, with what is near them: the first `others` of `list`.
  void walk(std::size_t first, std::size_t last, std::int32_t* list, std::size_t others) noexcept {
    const Ball& ball = ball_of(tree(cable_), first, last);
    std::int32_t* const near = list + others;
    std::size_t count = 0;
    for (std::size_t i = 0; i < others; ++i)
      if (is_near(ball, list[i], first, last)) near[count++] = list[i];
    if (count == 0) return;
    if (last - first == 1) {
      touch_element(first, near, count);
      return;
    }
    walk(first, (first + last) / 2, near, count);
    walk((first + last) / 2, last, near, count);
  }

  // a node against the box of a shape or the root of a cable, an element against all of that cable's.
  bool is_near(const Ball& ball, std::int32_t other, std::size_t first, std::size_t last) const noexcept {
    const std::size_t shapes = scratch_.obstacles.size(), k = static_cast<std::size_t>(other);
    const double reach = skin(cable_).radius + reach_;
    if (k < shapes) return near_box(scratch_.obstacles[k], ball, reach);
    const std::size_t b = k - shapes;
    if (b == cable_) return true;
    if (last - first == 1) return near_tree(ball, b, 0, elements(b), reach + skin(b).radius);
    return near_ball(ball, ball_of(tree(b), 0, elements(b)), reach + skin(b).radius);
  }

  bool near_tree(const Ball& ball, std::size_t b, std::size_t first, std::size_t last, double reach) const noexcept {
    if (!near_ball(ball, ball_of(tree(b), first, last), reach)) return false;
    if (last - first == 1) return true;
    const std::size_t middle = (first + last) / 2;
    return near_tree(ball, b, first, middle, reach) || near_tree(ball, b, middle, last, reach);
  }

  // capsule c of an element.
  SkinPart part(const CableCurve& curve, std::size_t cable, std::size_t element, std::int32_t c) const noexcept {
    const std::int32_t n = skin(cable).capsules;
    const double length = strands_[cable].design->elements[element].length;
    SkinPart out{{curve, c / static_cast<double>(n), (c + 1) / static_cast<double>(n), length},
                 skin(cable).radius,
                 {element > 0 || c > 0, element + 1 < elements(cable) || c + 1 < n}};
    return out;
  }

  CableCurve curve(std::size_t cable, std::size_t element) const noexcept {
    return {strands_[cable].q + 6 * element, strands_[cable].design->elements[element].length};
  }

  void touch_element(std::size_t element, const std::int32_t* near, std::size_t count) noexcept {
    element_ = element;
    const CableCurve own = curve(cable_, element);
    const std::int32_t shapes = static_cast<std::int32_t>(scratch_.obstacles.size());
    ManifoldPoint* const points = scratch_.points.data();
    for (std::int32_t c = 0; c < skin(cable_).capsules; ++c) {
      const SkinPart a = part(own, cable_, element, c);
      capsule_ = static_cast<std::size_t>(skin(cable_).capsules) * element + c;
      const Ball ball{a.middle, a.half.norm() + a.sag};
      for (std::size_t i = 0; i < count; ++i) {
        if (near[i] >= shapes) {
          const std::size_t b = static_cast<std::size_t>(near[i] - shapes);
          touch_cable(a, ball, b, 0, elements(b));
          continue;
        }
        const int found = places_on_shape(a, scratch_.obstacles[near[i]], reach_, points, places_);
        for (int k = 0; k < found; ++k) add(a, places_[k], near[i], 0, 0);
      }
    }
  }

  // capsule a against elements [first, last) of cable b, in order.
  void touch_cable(const SkinPart& a, const Ball& ball, std::size_t b, std::size_t first, std::size_t last) noexcept {
    if (b == cable_ && last <= element_) return;
    if (!near_ball(ball, ball_of(tree(b), first, last), a.radius + skin(b).radius + reach_)) return;
    if (last - first > 1) {
      touch_cable(a, ball, b, first, (first + last) / 2);
      touch_cable(a, ball, b, (first + last) / 2, last);
      return;
    }
    const CableCurve other = curve(b, first);
    const std::int32_t n = skin(b).capsules;
    for (std::int32_t c = 0; c < n; ++c) {
      const std::size_t capsule = static_cast<std::size_t>(n) * first + c;
      if (b == cable_ && capsule < capsule_ + 2) continue;
      const int found = places_on_cable(a, part(other, b, first, c), reach_, places_);
      for (int k = 0; k < found; ++k) add(a, places_[k], -1, b, first);
    }
  }

  double along(const CablePlace& place) const noexcept {
    const std::size_t e = static_cast<std::size_t>(place.element), b = static_cast<std::size_t>(place.cable);
    return tree(b).along[e] + place.xi * strands_[b].design->elements[e].length;
  }

  CablePlace place_of(std::size_t cable, std::size_t element, double xi) const noexcept {
    return place_on_cable(cable, element, strands_[cable].design->elements[element].length, xi);
  }

  // a place on obstacle, or on element e of cable b where that is -1; one that a capsule before has found too counts
  // once.
  void add(const SkinPart& a, const SkinPlace& place, std::int32_t obstacle, std::size_t b, std::size_t e) noexcept {
    CableTouch touch;
    touch.a = place_of(cable_, element_, place.xi);
    touch.obstacle = obstacle;
    if (obstacle < 0) touch.b = place_of(b, e, place.eta);
    touch.p_OC = place.p_OC;
    touch.n_W = place.n_W;
    touch.gap = place.gap;
    touch.key = place.late;
    if (obstacle < 0 && b == cable_ && along(touch.b) - along(touch.a) < fold(a.radius)) return;
    if (stored_ == needed_ && !is_new(touch, a)) return;
    ++needed_;
    if (stored_ < capacity_) out_[stored_++] = touch;
  }

  double fold(double radius) const noexcept { return 3.14159265358979323846 * (radius + 0.5 * reach_); }

  // against those that are stored and near along the cable; removes what gives way. `key` says which are late.
  bool is_new(const CableTouch& touch, const SkinPart& a) noexcept {
    const double x = along(touch.a);
    for (std::size_t i = stored_; i-- > 0;) {
      const CableTouch& old = out_[i];
      if (old.a.cable != touch.a.cable) break;
      double apart = std::abs(x - along(old.a));
      if (apart > a.radius + 2.0 * a.length) break;
      if (old.obstacle != touch.obstacle || old.b.cable != touch.b.cable) continue;
      if (touch.obstacle < 0) apart = std::max(apart, std::abs(along(touch.b) - along(old.b)));
      if (!excludes(old, touch, apart, a)) continue;
      if (old.key == touch.key ? old.gap <= touch.gap + 1e-15 : old.key < touch.key) return false;
      std::move(out_ + i + 1, out_ + stored_, out_ + i);
      --stored_, --needed_;
    }
    return true;
  }

  // the same place from two sides, where its normal has two ways out of a shape that the curve is within; or a late one
  // beside another, or where another comes nearer.
  static bool excludes(const CableTouch& old, const CableTouch& touch, double apart, const SkinPart& a) noexcept {
    const bool within = touch.obstacle >= 0 && std::max(old.gap, touch.gap) <= -0.999999 * a.radius;
    if (!within && !(old.n_W.dot(touch.n_W) > (old.key || touch.key ? 0.5 : 0.95))) return false;
    if (!(old.key || touch.key)) return apart < 0.25 * std::min(a.radius, a.length);
    return apart < a.radius;
  }

  // among the capsules of all cables; one that two share is the later one's.
  std::uint64_t capsule_of(const CablePlace& place) const noexcept {
    const std::size_t b = static_cast<std::size_t>(place.cable), e = static_cast<std::size_t>(place.element);
    const std::uint64_t n = static_cast<std::uint64_t>(skin(b).capsules);
    const std::uint64_t c = n * e + static_cast<std::uint64_t>(place.xi * static_cast<double>(n));
    return tree(b).first_capsule + std::min<std::uint64_t>(c, n * elements(b) - 1);
  }

  // key = capsule, obstacle or capsule, number of the place among those of both, along the cable.
  void number() noexcept {
    const std::uint64_t shapes = scratch_.obstacles.size();
    const Tree& last = tree(count_ - 1);
    const std::uint64_t others = shapes + last.first_capsule + skin(count_ - 1).capsules * last.leaves.size();
    for (std::size_t i = 0; i < stored_; ++i) {
      CableTouch& t = out_[i];
      const std::uint64_t other = t.obstacle < 0 ? shapes + capsule_of(t.b) : static_cast<std::uint64_t>(t.obstacle);
      t.key = (capsule_of(t.a) * others + other) * most_places;
    }
    for (std::size_t i = 0; i < stored_; ++i) {
      std::uint64_t before = 0;
      const auto count = [&](std::size_t k) {
        const bool both = out_[k].key / most_places == out_[i].key / most_places;
        const double x = along(out_[k].a) - along(out_[i].a);
        before += both && (x < 0.0 || (x == 0.0 && k < i));
        return out_[k].a.cable == out_[i].a.cable && std::abs(out_[k].a.element - out_[i].a.element) < 2;
      };
      for (std::size_t k = i; k-- > 0 && count(k);) {
      }
      for (std::size_t k = i + 1; k < stored_ && count(k); ++k) {
      }
      out_[i].key += std::min<std::uint64_t>(before, most_places - 1);
    }
  }

  const CableStrand* strands_;
  std::size_t count_;
  double reach_;
  CableSkinScratch& scratch_;
  CableTouch* out_;
  std::size_t capacity_, stored_ = 0, needed_ = 0;
  std::size_t cable_ = 0, element_ = 0, capsule_ = 0;
  SkinPlace places_[most_places];
};

}  // namespace

void CableSkinScratch::make(const CableStrand* cables, std::size_t count, const CableObstacle* list,
                            std::size_t obstacle_count) {
  std::size_t levels = 2;  // of the deepest tree, with the list of all
  std::uint64_t capsules = 0;
  strands.resize(count);
  for (std::size_t b = 0; b < count; ++b) {
    const std::vector<CableElement>& elements = cables[b].design->elements;
    Strand& strand = strands[b];
    strand.nodes.resize(elements.size());
    strand.leaves.resize(elements.size());
    strand.along.resize(elements.size());
    strand.first_capsule = capsules;
    capsules += static_cast<std::uint64_t>(cables[b].skin.capsules) * elements.size();
    double x = 0.0;
    for (std::size_t e = 0; e < elements.size(); ++e) strand.along[e] = std::exchange(x, x + elements[e].length);
    std::size_t depth = 2;
    while (std::size_t{1} << (depth - 2) < elements.size()) ++depth;
    levels = std::max(levels, depth + 1);
  }
  obstacles.resize(obstacle_count);
  for (std::size_t k = 0; k < obstacle_count; ++k) {
    obstacles[k].shape = list[k].shape;
    for (int i = 0; i < 3; ++i) {
      const Extent extent = extent_in_shape(*list[k].shape, Vec3::Unit(i));
      obstacles[k].low[i] = extent.low;
      obstacles[k].high[i] = extent.high;
    }
    if (list[k].shape->kind == ShapeKind::plane) obstacles[k].high[2] = 0.0;
  }
  near.resize(levels * (obstacle_count + count));
  points.resize(2 * most_starts);
}

std::size_t find_touches(const CableStrand* strands, std::size_t count, const CableObstacle* obstacles,
                         std::size_t obstacle_count, double reach, CableSkinScratch& scratch, CableTouch* out,
                         std::size_t capacity) noexcept {
  for (std::size_t b = 0; b < count; ++b) {
    Tree& tree = scratch.strands[b];
    const std::vector<CableElement>& elements = strands[b].design->elements;
    for (std::size_t e = 0; e < elements.size(); ++e) tree.leaves[e] = around(strands[b].q + 6 * e, elements[e].length);
    refit(tree, 0, elements.size());
  }
  for (std::size_t k = 0; k < obstacle_count; ++k) {
    const Shape& shape = *obstacles[k].shape;
    const CableBody& body = *obstacles[k].body;
    scratch.obstacles[k].R_WS = body.R_WB * shape.R_BS;
    scratch.obstacles[k].p_OS = body.p_OB + body.R_WB * shape.p_BS;
  }
  return Skins(strands, count, reach, scratch, out, capacity).find();
}

}  // namespace contactlib
