// the skin of cables: where they touch, or soon will, shapes of bodies (any of the pair table) and each other. each
// element is cut into capsules at equal parts of xi. trees of balls find capsules near shapes and near other cables,
// the kernels of the pair table find places of capsules, and from there the distance of the curve itself is minimised:
// a place is where the cable comes nearest,
//   min phi(r(xi)),  phi the distance to the shape:       n.r' = 0,              gap = phi - radius
//   min |r_a(xi) - r_b(eta)|:                              n.r_a' = n.r_b' = 0,   gap = |r_a - r_b| - radius_a -
//   radius_b
// once for the cable and not for each capsule, wherever the capsules end: at an end that two capsules share there is a
// place only if neither of them comes nearer.
// where a cable lies along something (over the length of a capsule the gap changes by less than a hundredth of the
// radius) the ends of capsules are places too, a radius apart from others at least: so a line carries a line.
#pragma once

#include "cable.hpp"

namespace contactlib {

struct CableSkin {
  double radius = 0.0;        // m, > 0
  std::int32_t capsules = 1;  // per element, equal parts of xi; 1 to most_cable_capsules
};
inline constexpr std::int32_t most_cable_capsules = 64;

// one cable: q as in CableState, about the same O as all others.
struct CableStrand {
  const CableDesign* design = nullptr;
  const double* q = nullptr;
  CableSkin skin;
  bool touches_itself = false;  // never within pi (radius + reach/2) along it: the shortest fold that touches itself
};

// where a body is.
struct CableBody {
  Mat3 R_WB;
  Vec3 p_OB;  // m
};

// what cables may touch: a shape, and the body that carries it (several shapes may name the same one).
struct CableObstacle {
  const Shape* shape = nullptr;
  const CableBody* body = nullptr;
};

// a place on a cable: r = S[0] r0 + S[1] t0 + S[2] r1 + S[3] t1 of the element's two nodes.
struct CablePlace {
  std::int32_t cable = -1, element = -1;
  double xi = 0.0;
  double S[4] = {};
};

struct CableTouch {
  CablePlace a;                 // on the cable
  std::int32_t obstacle = -1;   // of the list given, or -1: another place of a cable, `b`
  CablePlace b;                 // on a later cable, or further along the same
  Vec3 p_OC = Vec3::Zero();     // m, half-way between the two surfaces
  Vec3 n_W = Vec3::Zero();      // unit, from the obstacle or from b to a
  double gap = 0.0;             // m, between the surfaces, of the cubics; < 0: they overlap
  std::uint64_t key = 0;  // its capsule, the obstacle or other capsule, its number there: stays while it stays there
};

// all memory of `find_touches`. `make` keeps what does not change: the boxes around shapes in their own axes, the
// lengths along cables.
struct CableSkinScratch {
  struct Ball {
    Vec3 p_OC;
    double radius;
  };
  // a binary tree over the elements: of range [first, last) with middle m = (first + last)/2 the node stands at m.
  struct Strand {
    std::vector<Ball> nodes, leaves;
    std::vector<double> along;  // m, from the cable's begin to each element's
    std::uint64_t first_capsule = 0;  // among those of all cables
  };
  struct Obstacle {
    const Shape* shape;
    Vec3 low, high;  // m, a box in the shape's axes, infinite for planes
    Mat3 R_WS;
    Vec3 p_OS;
  };
  std::vector<Strand> strands;
  std::vector<Obstacle> obstacles;
  std::vector<std::int32_t> near;  // what is near a node of the tree, for each of its levels
  std::vector<ManifoldPoint> points;

  // may throw std::bad_alloc.
  void make(const CableStrand* strands, std::size_t count, const CableObstacle* obstacles, std::size_t obstacle_count);
};

// all places with gap < reach, m, >= 0: also what is still apart, for constraints n.v >= -gap/h. in the order of
// cables, their capsules, and for each of these obstacles as listed, then capsules of the same and of later cables.
// returns how many there are; more than `capacity` are counted, not stored, and then places that two capsules share may
// count twice. the strands' designs and skins and the obstacles' shapes are those that the scratch was made for. of a
// state that is not finite: none. of a mesh each capsule has at most 32 places, the deepest.
std::size_t find_touches(const CableStrand* strands, std::size_t count, const CableObstacle* obstacles,
                         std::size_t obstacle_count, double reach, CableSkinScratch& scratch, CableTouch* out,
                         std::size_t capacity) noexcept;

}  // namespace contactlib
