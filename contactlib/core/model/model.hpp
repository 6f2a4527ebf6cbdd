// Model: the compiled, constant form of a scene. many Data share one Model.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "bounding/tree.hpp"
#include "element.hpp"
#include "geometry/manifold/manifold.hpp"
#include "geometry/surface/surface.hpp"
#include "law/laws.hpp"

namespace contactlib::model {

using bounding::VolumeTree;
using geometry::Shape, geometry::Surface;
using law::CurvePoint, law::LawParameters, law::LawRules, law::user_law_model, law::no_law;

// external: its state is an input, its wrench an output. driven: an element moves it.
// free: the built-in integrator moves it. fixed: it stays where it starts.
enum class Motion : std::int32_t { external, driven, free, fixed };
enum class Frame : std::int32_t { world, body };
enum class Integrator : std::int32_t { semi_implicit_euler, rk4 };
enum class WrenchOutput : std::int32_t { end, mean };
// how a master takes the wrenches: see coupling.hpp.
enum class Coupling : std::int32_t { none, jacobi, gauss_seidel };

struct BodyState {
  Vec3 r_WB;  // m, origin
  Quat q_WB;  // unit, scalar first
  Vec3 v_WB;  // m/s, of the origin
  Vec3 w_WB;  // rad/s
};
inline constexpr int state_width = 13;  // numbers in a BodyState
static_assert(sizeof(BodyState) == state_width * sizeof(double));

struct Body {
  std::string name;
  Motion motion;
  double mass;        // kg
  Vec3 p_BBcm;        // m, centre of mass in the body
  Mat3 I_BBcm;        // kg m2, about the centre of mass, body axes
  Mat3 I_BBcm_inverse;
  BodyState start;

  // others move it, but its mass is known: its motion can be predicted.
  bool interface() const noexcept { return motion == Motion::external && mass > 0.0; }
};

struct Law {
  std::string name;
  int normal, friction, adhesion, rolling;  // rows of the law tables
  int model;                                // of contact_models, or user_law_model; instead of all the others
  std::string user_laws;                      // what the caller must know of such a one
  std::int32_t tangents, numbers;           // its memory: vectors in the contact plane, and numbers
  double reach;                             // m, how far apart the shapes may be without ending the contact
  LawParameters parameters;                 // start values; each Data tunes its own copy
  LawRules rules;                           // what the parameters must keep together
  std::vector<CurvePoint> curve;            // of a tabulated normal law

  bool is_stateful() const noexcept { return model != no_law; }
  bool is_user_law() const noexcept { return model == user_law_model; }
  std::size_t own_width() const noexcept { return 3 * static_cast<std::size_t>(tangents) + numbers; }
};

// the law of two materials, or -1, and the one of them whose grain counts.
struct MaterialPair {
  std::int32_t law = -1, grained = -1;
};

// every shape of one body may touch every shape of the other, but for the rows of the pair table that are ignored.
struct Pair {
  std::int32_t body_a, body_b;  // the grain is that of the second where the pair has a law of its own
  std::int32_t law;             // whatever the shapes are made of; -1: the law of their materials
  std::uint32_t ignore[6];

  bool ignores(int row) const noexcept { return ignore[row >> 5] >> (row & 31) & 1u; }
};
static_assert(8 * sizeof(Pair::ignore) >= geometry::shape_kinds * geometry::shape_kinds,
              "a bit for every pair of kinds");

struct Options {
  Vec3 gravity_W;  // m/s2, moves free bodies only
  double step_size;  // s, longest step of the core within one advance()
  double duration;   // s, how long a run of the scene usually is
  Frame resolve_in;  // frame of w, force and torque at the boundary
  Integrator integrator;
  WrenchOutput wrench_output;
  Coupling coupling;
};

struct Model {
  std::string name;
  std::string hash;  // sha-256 of the content, hexadecimal
  Options options;
  std::vector<Body> bodies;
  std::vector<Shape> shapes;
  std::vector<Law> laws;
  std::vector<Pair> pairs;
  std::vector<Element> elements;
  std::vector<MaterialPair> material_pairs;     // materials x materials
  std::int32_t materials = 0;
  VolumeTree tree;                   // bounding volumes; node i < bodies.size() is the root of body i
  std::vector<std::unique_ptr<Surface>> surfaces;
  bool attachments = false;          // whether one of the laws is a contact model,
  bool user_laws = false;        // and one the caller's,
  std::size_t own_width = 0;   // with most so many numbers of memory of its own for each contact
  std::size_t contact_capacity = 0;    // contacts that a Data has room for when it is made,
  bool contacts_grow = false;          // and whether it may be given more, see room.hpp
  std::size_t candidate_capacity = 0;  // candidates that are collected before they are looked at

  const MaterialPair& material_pair(const Shape& A, const Shape& B) const noexcept {
    return material_pairs[static_cast<std::size_t>(A.material) * materials + B.material];
  }
  std::int32_t law_index(const Pair& pair, const Shape& A, const Shape& B) const noexcept {
    return pair.law >= 0 ? pair.law : material_pair(A, B).law;
  }
  // the shape in whose axes a law's direction is.
  const Shape& grained(const Pair& pair, const Shape& A, const Shape& B) const noexcept {
    const bool is_b = pair.law >= 0 ? B.body == pair.body_b : B.material == material_pair(A, B).grained;
    return is_b ? B : A;
  }
};

}  // namespace contactlib::model
