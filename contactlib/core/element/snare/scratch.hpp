// The working memory of a step of a snare, and the parts of a step in their order.
#pragma once

#include <utility>

#include "nodes.hpp"
#include "snare.hpp"
#include "solve/fours.hpp"

namespace contactlib::element {

using solve::CoulombSolver, solve::FrictionContact, solve::RowState, solve::SolveReport;
using solve::FourLanes, solve::four;

// A body of the element in a step. A free body has six columns in V, a body with given motion none. Positions are
// relative to O, the origin of body 0 at the beginning of the step, which moves with the velocity of body 0.
struct SnareCarrier {
  int column = -1;
  Vec3 p_OB, p_OC;  // m, origin, centre of mass (of a body whose motion is given: its origin)
  Vec3 v, w;        // m/s of p_OC, rad/s: V0
  Blocks mass;  // about the centre of mass, world axes
  Mat3 R_WB;
};

// The velocities V of free bodies, ring and carriage.
struct SnareMotion {
  std::vector<SnareCarrier> bodies;
  Vec3 r_WO, v_WO, w_WB;  // of body 0 as the step begins
  Vec3 axis_W, p_OR;  // along ring and carriage; the middle of the ring
  double ring_rate, carriage_rate;  // V0
  int ring = -1, carriage = -1;  // columns
  int columns = 0;

  int stride() const noexcept { return solve::in_fours(columns); }  // between columns of S
  void take(const ElementNow& now, const SnareDesign& design, const SnareHead& head) noexcept;
  Vec3 place(const SnareAttachment& attachment, const SnareHead& head) const noexcept;
  Vec3 velocity(const SnareAttachment& attachment, const Vec3& p_OE) const noexcept;       // T V0
  void spread(const SnareAttachment& attachment, const Vec3& p_OE, const Vec3& f,
              double* g) const noexcept;  // g += T^T f
  Vec3 change(const SnareAttachment& attachment, const Vec3& p_OE, const double* dV) const noexcept;  // T dV
};

struct SnareCableScratch {
  CableScratch step;
  CableInputs inputs;
  Vec3 p_OE[2];              // m, where its anchors are as the step begins
  std::vector<double> q, v, change;  // about O, world axes; change of v
  std::vector<double> free;   // m/s, velocities of nodes without contacts
  std::vector<double> tension;  // N, of its elements
  Vec3 momentum;             // N s, in the world
  double strain = 0.0;       // J
  Vec3 momentum_before;      // the same as the step begins: of cables of second order
  double strain_before = 0.0;
  Vec3 held[2];              // N, what its ends pull on their anchors with
  std::vector<double> ends;  // U^-T A_ie of either end, columns of its three axes side by side
  double own[2][3][3];       // A_ee

  double* end(int side) noexcept { return ends.data() + side * q.size() * four; }
  const double* end(int side) const noexcept { return ends.data() + side * q.size() * four; }
};

// The three rows of a contact in p have y = U^-T J^T of one or two cables.
struct SnareResponse {
  std::int32_t cable[2];  // -1: none
  std::size_t first[2];   // y is zero before this number
};

// A contact as users read it, with what finds its point again.
struct SnareContact {
  CableContact contact;  // p_WC from the origin of the touched body; of two cables it follows from `a`
  CablePlace a;
  SnareMemory memory;  // which state it belongs to
};
struct SnareContacts {
  std::vector<SnareContact> rows;
  int count = 0;
};

struct SnareScratch : ElementScratch {
  SnareMotion motion;
  std::vector<CableBody> bodies;
  std::vector<CableObstacle> obstacles;
  std::vector<CableStrand> strands;
  std::vector<SnareCableScratch> cables;
  std::vector<CableStart> starts;  // of the cables
  CableSkinScratch skin;
  std::vector<CableTouch> touches;
  std::vector<Vec3> axes;  // of each contact three: normal, along its cable, across
  int count = 0;  // of contacts
  double reach = 0.0;      // m, as far apart as they may be
  double carriage_push = 0.0;  // N, along the axis, on the carriage's own body
  std::vector<double> S, dV;  // the small system's factor; change of V
  std::vector<double> dV_free;  // without contacts
  std::vector<double> pairs;  // of `cholesky_solve`
  int row_count = 0, max_nodes = 0;
  std::vector<SnareResponse> responses;  // of contacts
  std::vector<double> y, g, G, A, b, lo, hi, z;  // g: of each row its response to V; G: the transpose, in whole lanes
  std::vector<RowState> states;
  std::vector<FrictionContact> contacts;
  CoulombSolver solver;
  SolveReport report;
  int work = 0;  // of the solver in this step, over all tries
  int ring_motor, carriage_motor;  // rows, or -1
  std::vector<Wrench> wrenches;  // N, on the element's bodies, about their origins
  SnareContacts found, accepted;  // of the last step and of the last accepted one; no step reads them

  void make(const SnareDesign& design, std::size_t body_count);  // may throw std::bad_alloc
  void accept() noexcept override { std::swap(found, accepted); }

  // The columns of a contact's three rows side by side, in four lanes.
  double* y_of(int contact, int part) noexcept {
    return y.data() + static_cast<std::size_t>(2 * contact + part) * max_nodes * BlockCholesky::size * four;
  }
  double* g_of(int row) noexcept { return g.data() + row * motion_columns; }
  int motion_columns = 0;
};

// The contact wrench on the carriage's body passes to body 0; its axial component loads the carriage's drive.
void take_carriage_load(const ElementNow& now, const SnareDesign& design, SnareScratch& s) noexcept;

// The parts of `solve`. Each returns a status code.
Status prepare_cables(const ElementNow& now, const SnareDesign& design, SnareScratch& s) noexcept;
Status join_ends(const SnareDesign& design, SnareScratch& s) noexcept;  // S, and dV without contacts
// `find_rows` searches contacts within `reach`; if it is 0, within the distance that the cables' speed allows. After
// `move_cables`, `reached_far_enough` compares `reach` with the motion and sets a larger one for another try.
bool reached_far_enough(const ElementNow& now, SnareScratch& s) noexcept;
Status find_rows(const ElementNow& now, const SnareDesign& design, SnareScratch& s) noexcept;
Status solve_rows(const ElementNow& now, const SnareDesign& design, SnareScratch& s) noexcept;
Status move_cables(const SnareDesign& design, SnareScratch& s) noexcept;
void sum_wrenches(const ElementNow& now, const SnareDesign& design, SnareScratch& s) noexcept;

// After the motion of the bodies: the state at the end of the step, with energies and sensor values.
void finish_step(const ElementNow& now, const SnareDesign& design, SnareScratch& s) noexcept;
void begin_energy(const ElementNow& now, const SnareDesign& design, SnareScratch& s) noexcept;

double mass_of(const CableDesign& cable) noexcept;  // kg

// J, with the cables' motion in the world; body 0 moves with v_WO and w_WB, the nodes relative to it.
double stored_energy(const ElementNow& now, const SnareDesign& design, SnareBlock<double> state,
                     SnareScratch& s) noexcept;

}  // namespace contactlib::element
