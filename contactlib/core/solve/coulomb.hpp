// Contacts with Coulomb friction among the rows of a mixed complementarity problem. A contact has three consecutive
// rows, a normal and two perpendicular tangents, with impulses (l_n, l_t) and velocities (u_n, u_t):
//   l_n >= 0,   u_n >= 0,   l_n u_n = 0,   |l_t| <= mu l_n,   u_t = 0  or  l_t = -mu l_n u_t / |u_t|
#pragma once

#include "fours.hpp"
#include "mcp.hpp"

namespace contactlib::solve {

struct FrictionContact {
  std::int32_t row;  // of the normal; row + 1 and row + 2 are the tangents
  double mu;
};

// `rows` as without friction. The normal row of a contact has lo = 0 and hi = inf; the bounds of the tangents are not
// read.
struct FrictionalProblem {
  McpProblem rows;
  int contacts;
  const FrictionContact* contact;
};

class CoulombSolver {
 public:
  void make(int rows, int contacts);

  int max_iterations = 400;              // steps of Newton's and of boxes
  int max_sweeps = 10230;      // of the fall-back
  int max_work = no_limit;  // iterations, pivots and sweeps together; the first iteration is made in any case
  double tolerance = 1e-11;  // of the residual

  // z (n) is the start, zeros or the last step's solution, and then the solution, or the best z found. No force of it
  // is outside its cone. `states` (n) as in McpSolver, in the axes of the last box: a warm start only.
  SolveReport solve(const FrictionalProblem& problem, RowState* states, double* z) noexcept;

 private:
  struct Contact {
    int row;
    double mu;
    double radius;  // mu l_n: of the disc, and of the box round it
    double axis[2];  // first axis of the box, in the tangents
    double compliance;  // of the box across that axis
    double a = 0.0, root = 0.0;  // mean diagonal of the tangents, and its root
  };

  // An unknown of Newton's steps: it moves `rows` rows of z, from `row` on, by `scale * moves`, and its equation has the
  // additional compliance `soft`.
  struct Unknown {
    std::int32_t row, rows;
    double moves[3], soft, scale;
  };
  // The equation of the unknown that begins at row i requires zero velocity:
  //   scale_i (first_i u_i + second_i u_i+1) = 0,   without the second term where `pair` is 0
  struct Equations {
    const double *first, *second, *pair, *scale;

    // Of four rows, of the velocities of these rows and of the rows after them.
    FourLanes operator()(int row, const FourLanes& u, const FourLanes& next) const noexcept {
      const FourLanes one = math::load<FourLanes>(first + row) * u;
      const FourLanes two = one + math::load<FourLanes>(second + row) * next;
      return math::load<FourLanes>(scale + row) * (math::load<FourLanes>(pair + row) > FourLanes{} ? two : one);
    }
  };
  struct Newton {
    std::vector<Unknown> unknowns;
    std::vector<double> first, second, pair, scale;
    std::vector<double> K, load, lowest, outside, rows;  // K with the right side, for `eliminate`
    std::vector<std::int32_t> which;  // rows of A, in whole lanes
    std::vector<double> factor;  // of them
  };

  McpSolver mcp_;
  Newton newton_;
  int n_ = 0, count_ = 0;
  double size_ = 0.0, least_ = 0.0;
  std::vector<Contact> contacts_;
  std::vector<std::int32_t> owner_;  // of a row: the contact whose normal it is, or one of the two below
  std::vector<double> A_, b_, lo_, hi_, diagonal_, root_;  // A_: rows `stride_` apart, with zeros up to whole lanes
  int stride_ = 0;
  std::vector<double> turned_A_, turned_b_, turned_z_;  // in the axes of the boxes
  std::vector<double> z_, w_, best_, swept_, follow_, slope_;  // follow_: of all rows, with one radius
  std::vector<std::int32_t> limited_;  // contacts with a force at the box

  SolveReport read(const FrictionalProblem& problem, const RowState* states, const double* z) noexcept;
  SolveReport read_contact(const FrictionContact& given, int k) noexcept;
  void read_rows(const McpProblem& rows) noexcept;
  bool at_limit(const SolveReport& report) const noexcept;
  bool by_newton(SolveReport& report) noexcept;
  bool newton_step() noexcept;
  bool solve_newton_step() noexcept;
  bool solves() noexcept;
  int choose_unknowns(double* next) noexcept;
  int add_unknown(const Unknown& unknown, int count) noexcept;
  int add_tangents(const Contact& contact, double normal, int count) noexcept;
  void fill_column(const Unknown& unknown, const Equations& equations, double* rows) const noexcept;
  void fill_equations(int count) noexcept;
  void velocities(bool all) noexcept;
  void add_velocities(bool all) noexcept;
  const double* row_of_A(int row) const noexcept { return A_.data() + row * stride_; }
  bool by_boxes(RowState* states, SolveReport& report, int most) noexcept;
  bool by_sweeps(SolveReport& report) noexcept;
  double keep_best() noexcept;
  double judge() noexcept;
  double apart() const noexcept;
  double apart(const Contact& contact) const noexcept;
  void aim() noexcept;
  void turn() noexcept;
  void follow_sizes(const RowState* states) noexcept;
  void sweep(double* z) const noexcept;
  void sweep_contact(const Contact& contact, double* z) const noexcept;
  double velocity(int row, const double* z) const noexcept;
};

}  // namespace contactlib::solve
