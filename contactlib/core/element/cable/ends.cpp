#include "ends.hpp"

#include <cmath>

#include "math/lanes.hpp"

namespace contactlib::element {

namespace {

constexpr int width = BlockCholesky::size;

using BlockRow = BlockCholesky::BlockRow;
using Map3 = Eigen::Map<Vec3>;

// Number i of a node, in the end's reflected axes: a fixed direction fixes the slope's components across it.
bool is_held(CableHold hold, int i) noexcept {
  if (i < 3) return hold != CableHold::free;
  return hold == CableHold::slope || (hold == CableHold::direction && i > 3);
}

// Number of rows of its node that an end needs.
int rows_of(CableHold hold) noexcept { return hold == CableHold::position ? 3 : width; }

struct End {
  const CableEnd& in;
  CableScratch& scratch;
  const int side;
  const std::size_t last = scratch.factor.blocks() - 1;
  const std::size_t node = side == 0 ? 0 : last, beside = side == 0 ? 1 : last - 1;

  CableHeld& held() const noexcept { return scratch.ends[side]; }
  BlockRow& own() const noexcept { return scratch.factor[node]; }
  // Entry of A between this node (i) and its neighbour (j).
  double& between(int i, int j) const noexcept {
    return side == 0 ? scratch.factor[0][i][width + j] : scratch.factor[last - 1][j][width + i];
  }

  void keep() const noexcept {
    for (int i = 0; i < rows_of(in.hold); ++i)
      for (int j = 0; j < width; ++j) {
        held().row[i][j] = i <= j ? own()[i][j] : own()[j][i];
        held().row[i][width + j] = between(i, j);
      }
  }

  // The reflection maps the direction to the first axis.
  void aim(const double* q, double h) const noexcept {
    CableHeld& end = held();
    const Eigen::Map<const Vec3> r(q), t(q + 3);
    Map3 v(end.v), rate(end.v + 3);
    v = in.p_OE - r;
    rate.setZero();
    end.w.setZero();
    if (in.hold == CableHold::slope) rate = in.slope - t;
    if (in.hold == CableHold::direction) {
      const Vec3 d = in.slope / in.slope.norm();
      end.w = d;
      end.w.x() += std::copysign(1.0, d.x());
      end.w /= end.w.norm();
      rate = d.dot(t) * d - t;
    }
    for (double& x : end.v) x = h > 0.0 ? x / h : 0.0;
  }

  // b -= A times the known velocities
  void subtract() const noexcept {
    double *const b = scratch.velocity.data() + width * node, *const c = scratch.velocity.data() + width * beside;
    for (int i = 0; i < rows_of(in.hold); ++i)
      for (int j = 0; j < width; ++j) {
        b[j] -= held().row[i][j] * held().v[i];
        c[j] -= held().row[i][width + j] * held().v[i];
      }
  }

  // A with the slope seen in the mirror H: A_rt H, H A_tt H, and H on the side of this node in what is between.
  void mirror() const noexcept {
    const Mat3 H = Mat3::Identity() - 2.0 * held().w * held().w.transpose();
    Mat3 rt, tt, tr, to;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        rt(i, j) = held().row[i][3 + j], tt(i, j) = held().row[3 + i][3 + j];
        tr(i, j) = between(3 + i, j), to(i, j) = between(3 + i, 3 + j);
      }
    rt = rt * H, tt = H * tt * H, tr = H * tr, to = H * to;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        own()[i][3 + j] = rt(i, j), own()[3 + i][3 + j] = tt(i, j);
        between(3 + i, j) = tr(i, j), between(3 + i, 3 + j) = to(i, j);
      }
  }

  // Rows and columns become those of the identity.
  void cut() const noexcept {
    for (int i = 0; i < width; ++i) {
      if (!is_held(in.hold, i)) continue;
      for (int j = 0; j < width; ++j) own()[i][j] = own()[j][i] = between(i, j) = 0.0;
      own()[i][i] = 1.0;
    }
  }

  void release() const noexcept {
    held().w.setZero();
    for (double& x : held().v) x = 0.0;
  }
};

}  // namespace

void hold_ends(const CableInputs& inputs, const CableState& state, CableScratch& scratch) noexcept {
  const End ends[] = {{inputs.ends[0], scratch, 0}, {inputs.ends[1], scratch, 1}};
  for (const End& end : ends) {
    end.release();
    if (end.in.hold == CableHold::free) continue;
    end.keep();
    end.aim(state.q + width * end.node, inputs.h);
    end.subtract();
  }
  for (const End& end : ends) {
    if (end.in.hold == CableHold::direction) end.mirror();
    end.cut();
  }
}

void leave_out_ends(const CableInputs& inputs, CableScratch& scratch) noexcept {
  for (const int side : {0, 1})
    for (int i = 0; i < width; ++i)
      if (is_held(inputs.ends[side].hold, i)) scratch.factor.leave_out(side == 0 ? 0 : scratch.factor.blocks() - 1, i);
}

void move_ends(CableScratch& scratch) noexcept {
  double* const first = scratch.velocity.data();
  double* const last = first + scratch.velocity.size() - width;
  for (int i = 0; i < width; ++i) {
    first[i] += scratch.ends[0].v[i];
    last[i] += scratch.ends[1].v[i];
  }
}

void mirror_slope(const CableHeld& end, double* node) noexcept {
  Map3 t(node + 3);
  t -= 2.0 * end.w.dot(t) * end.w;
}

void mirror_slopes(const CableHeld& end, double* node) noexcept {
  using math::FourLanes;
  constexpr int four = math::lanes<FourLanes>;
  double* const at = node + 3 * four;
  math::Lanes3<FourLanes> t = {math::load<FourLanes>(at), math::load<FourLanes>(at + four),
                               math::load<FourLanes>(at + 2 * four)};
  const math::Lanes3<FourLanes> w = math::in_all_lanes<FourLanes>(end.w);
  t = t - FourLanes(2.0 * math::eigen_dot(w, t)) * w;
  math::store(at, t.x);
  math::store(at + four, t.y);
  math::store(at + 2 * four, t.z);
}

void pull_at_end(const CableInputs& inputs, const CableScratch& scratch, int side, const std::vector<double>& x,
                 std::vector<double>& y) noexcept {
  const CableHold hold = inputs.ends[side].hold;
  if (hold == CableHold::free) return;
  const std::size_t last = scratch.factor.blocks() - 1;
  const std::size_t node = side == 0 ? 0 : last, beside = side == 0 ? 1 : last - 1;
  for (int i = 0; i < rows_of(hold); ++i) {
    const BlockCholesky::Row& row = scratch.ends[side].row[i];
    double sum = 0.0;
    for (int j = 0; j < width; ++j) sum += row[j] * x[width * node + j] + row[width + j] * x[width * beside + j];
    y[width * node + i] = sum;
  }
}

// A v+ - b at an end, over the time in which loads act: what holds it.
CableReaction reaction(const CableInputs& inputs, const CableScratch& scratch, int side) noexcept {
  CableReaction out;
  const CableHold hold = inputs.ends[side].hold;
  if (hold == CableHold::free) return out;
  const std::size_t last = scratch.factor.blocks() - 1;
  const std::size_t node = side == 0 ? 0 : last, beside = side == 0 ? 1 : last - 1;
  const double *own = scratch.velocity.data() + width * node, *other = scratch.velocity.data() + width * beside;
  for (int i = 0; i < rows_of(hold); ++i) {
    const BlockCholesky::Row& row = scratch.ends[side].row[i];
    double sum = -scratch.impulse[width * node + i];
    for (int j = 0; j < width; ++j) sum += row[j] * own[j] + row[width + j] * other[j];
    (i < 3 ? out.force[i] : out.couple[i - 3]) = sum / (inputs.kick * inputs.h);
  }
  return out;
}

}  // namespace contactlib::element
