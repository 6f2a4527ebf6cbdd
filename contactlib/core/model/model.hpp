// Model: the compiled, constant form of a scene. Many Data share one Model.
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
#include "pairs.hpp"

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
// Order of the master, see coupling.hpp.
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

  // An interface body: the master moves it, and its known mass allows a prediction of its motion.
  bool interface() const noexcept { return motion == Motion::external && mass > 0.0; }
};

struct Law {
  std::string name;
  int normal, friction, adhesion, rolling;  // rows of the law tables
  int model;                                // row of contact_models, or user_law_model; replaces all other parts
  std::string user_laws;                      // reference of a user law
  std::int32_t tangents, numbers;           // its state: vectors in the contact plane, and numbers
  double reach;                             // m, largest distance of the shapes during a contact
  int sharpness;                            // of surface contacts: geometry/overlap/depth.hpp
  LawParameters parameters;                 // start values; each Data has its own copy
  LawRules rules;                           // common conditions of the parameters
  std::vector<CurvePoint> curve;            // of a tabulated normal law

  bool is_stateful() const noexcept { return model != no_law; }
  bool is_user_law() const noexcept { return model == user_law_model; }
  std::size_t own_width() const noexcept { return 3 * static_cast<std::size_t>(tangents) + numbers; }
};

// The law of two materials, or -1, and the material whose grain counts.
struct MaterialPair {
  std::int32_t law = -1, grained = -1;
};

struct Options {
  Vec3 gravity_W;  // m/s2, moves free bodies only
  double step_size;  // s, largest step of the core within one advance()
  double duration;   // s, default duration of a run
  Frame resolve_in;  // frame of w, force and torque at the boundary
  Integrator integrator;
  WrenchOutput wrench_output;
  Coupling coupling;
  double mass_tolerance = 1.0;  // from 1 on
  bool auto_step = false;  // the core chooses the lengths of its steps: step/auto_step.hpp
};

struct Model {
  std::string name;
  std::string hash;  // sha-256 of the content, hexadecimal
  Options options;
  std::vector<Body> bodies;
  std::vector<Shape> shapes;
  std::vector<Law> laws;
  std::vector<Pair> pairs;  // of two bodies each, then the rules
  PairIndex pair_index;
  std::vector<Element> elements;
  std::vector<MaterialPair> material_pairs;     // materials x materials
  std::int32_t materials = 0;
  VolumeTree tree;                   // bounding volumes; node i < bodies.size() is the root of body i
  std::vector<std::unique_ptr<Surface>> surfaces;
  bool attachments = false;          // whether a law is a contact model
  bool user_laws = false;        // whether a law is a user law
  std::size_t own_width = 0;   // largest number of state variables of a user law per contact
  std::size_t contact_capacity = 0;    // initial contact capacity of a Data
  bool contacts_grow = false;          // whether the capacity may grow, see boundary/capacity.hpp
  std::size_t candidate_capacity = 0;  // candidates per portion of the narrow phase

  const MaterialPair& material_pair(const Shape& A, const Shape& B) const noexcept {
    return material_pairs[static_cast<std::size_t>(A.material) * materials + B.material];
  }
  std::int32_t law_index(const Pair& pair, const Shape& A, const Shape& B) const noexcept {
    return pair.law >= 0 ? pair.law : material_pair(A, B).law;
  }
  // The shape in whose axes a law's direction is given: of the second body if the pair has a law of its own.
  const Shape& grained(std::int32_t pair, const Shape& A, const Shape& B) const noexcept {
    const bool is_b = pairs[pair].law >= 0 ? B.body == pair_index.between(pairs, pair, A.body, B.body).body_b
                                           : B.material == material_pair(A, B).grained;
    return is_b ? B : A;
  }
};

}  // namespace contactlib::model
