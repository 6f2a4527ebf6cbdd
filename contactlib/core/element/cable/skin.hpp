// The skin of cables: contacts, and approaching contacts, with shapes of bodies (any of the pair table) and with
// cables. Each element is divided into capsules at equal parts of xi. A constraint n.v >= -gap/h is valid at any point
// of the curve if gap and normal are those of the curve there, so no exact minimum is searched. Of each capsule near an
// obstacle
//   xi    the foot on the chord, by a closed form or a kernel of the pair table, then at most one step of Newton's
//         method towards n.r' = 0
//   gap   phi(r(xi)) - radius, phi the distance to the shape,  or  |r_a(xi) - r_b(eta)| - radius_a - radius_b
// No point of a capsule is nearer than its contact points by more than twice its sag, the deviation of its curve from
// the chord: the foot on the chord is at most one sag from its point on the curve, and the curve at most one sag from
// the chord. A cable around a pin has about one contact for each capsule; one along a face has one at each end of a
// capsule.
#pragma once

#include "cable.hpp"
#include "curve.hpp"

namespace contactlib::element {

using geometry::ManifoldPoint, geometry::Shape;

struct CableSkin {
  double radius = 0.0;  // m, > 0
  std::int32_t capsules = 1;  // per element, equal parts of xi; 1 to max_cable_capsules
};
inline constexpr std::int32_t max_cable_capsules = 64;

// One cable: q as in CableState, about the same O as all others.
struct CableStrand {
  const CableDesign* design = nullptr;
  const double* q = nullptr;
  CableSkin skin;
  bool touches_itself = false;  // never within pi (radius + reach/2) along it, the shortest closed fold
};

// Placement of a body.
struct CableBody {
  Mat3 R_WB;
  Vec3 p_OB;  // m
};

// An obstacle for cables: a shape, and the body that carries it (several shapes may have the same body).
struct CableObstacle {
  const Shape* shape = nullptr;
  const CableBody* body = nullptr;
};

// A point on a cable: r = S[0] r0 + S[1] t0 + S[2] r1 + S[3] t1 of the element's two nodes.
struct CablePlace {
  std::int32_t cable = -1, element = -1;
  double xi = 0.0;
  double S[4] = {};
};

struct CableTouch {
  CablePlace a;  // on the cable
  std::int32_t obstacle = -1;  // of the list given, or -1: another place of a cable, `b`
  CablePlace b;  // on a later cable, or further along the same
  Vec3 p_OC = Vec3::Zero();  // m, half-way between the two surfaces
  Vec3 n_W = Vec3::Zero();  // unit, from the obstacle or from b to a
  double gap = 0.0;  // m, between the surfaces, of the cubics; < 0: they overlap
  std::uint64_t key = 0;  // the capsule, the obstacle or other capsule, its number there: stays while it stays there
};

// All memory of `find_touches`. `make` computes the constant parts: the boxes around shapes in their own axes, the
// lengths along cables.
struct CableSkinScratch {
  struct Box {
    Vec3 low, high;  // m, world axes
  };
  struct Capsule {
    Vec3 middle, half;  // m, of the chord: middle -+ half are its ends
    double half_length;  // m
    double sag;  // m, the curve is no further from the same part of its chord
    double from, to;  // xi
  };
  // A binary tree over n elements: node i has children 2 i and 2 i + 1, the root is 1, the leaves are n to 2 n - 1.
  // With the first leaf on the lowest level, `begin`, the leaves are in the order of the elements in a traversal.
  struct Strand {
    std::vector<Box> boxes;
    std::size_t begin = 0;
    std::vector<CableCurve> curves;
    std::vector<Capsule> capsules;
    std::vector<char> ready;  // of elements: their curve and capsules are those of this state
    std::vector<double> along;  // m, from the cable's begin to each element's
    std::uint64_t first_capsule = 0;  // among those of all cables
    bool finite = false;
  };
  struct Obstacle {
    const Shape* shape;
    const CableBody* body;
    Vec3 middle_S, half_S;  // m, a box in the shape's axes, not of planes
    Mat3 R_WS;
    Vec3 p_OS;
    Box box;
  };
  struct Element {
    std::int32_t cable, element;
  };
  std::vector<Strand> strands;
  std::vector<Obstacle> obstacles;
  std::vector<std::int32_t> near;  // what is near a node of the tree, for each of its levels
  std::vector<Element> elements;  // of cables, near an element
  std::vector<ManifoldPoint> points;

  // May throw std::bad_alloc.
  void make(const CableStrand* strands, std::size_t count, const CableObstacle* obstacles, std::size_t obstacle_count);
};

// All contacts with gap < reach, m, >= 0: also approaching ones, for constraints n.v >= -gap/h. Of two contacts of a
// cable with one obstacle that are nearer along the cable than 0.15 of a capsule, with normals less than 60 degrees
// apart, only the one with the smaller gap. In the order of cables and their capsules; of each capsule first obstacles
// as listed, then capsules of the same and of later cables. Returns their number; those beyond `capacity` are counted,
// not stored, and then points shared by two capsules may count twice. The strands' designs and skins and the obstacles'
// shapes must be those for which the scratch was made. A cable whose state is not finite has none. Of a mesh each
// capsule has at most 32, the deepest.
std::size_t find_touches(const CableStrand* strands, std::size_t count, const CableObstacle* obstacles,
                         std::size_t obstacle_count, double reach, CableSkinScratch& scratch, CableTouch* out,
                         std::size_t capacity) noexcept;

}  // namespace contactlib::element
