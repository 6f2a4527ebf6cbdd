#include "nodes.hpp"

#include <algorithm>

#include "math/rotation.hpp"
#include "scratch.hpp"

namespace contactlib::element {

using math::matrix;
using model::the_world;

namespace {

using Map3 = Eigen::Map<Vec3>;
using ConstMap3 = Eigen::Map<const Vec3>;

// The cables of an element in the present state.
struct Cables {
  const SnareDesign& design;
  const SnareBlock<const double> state;
  const BodyState base;  // of body 0, in whose axes the nodes are

  Cables(const Element& element, const Data& data, std::size_t at) noexcept
      : design(static_cast<const SnareDesign&>(*element.design)),
        state{data.state.data() + data.elements[at].state, design, element.bodies.size()},
        base(element.bodies[0] == the_world ? BodyState{Vec3::Zero(), Quat(1, 0, 0, 0), Vec3::Zero(), Vec3::Zero()}
                                            : data.bodies()[element.bodies[0]]) {}

  Vec3 place(const CablePlace& at) const noexcept {
    const double* const q = state.q(at.cable) + BlockCholesky::size * at.element;
    Vec3 p = Vec3::Zero();
    for (int k = 0; k < 4; ++k) p += at.S[k] * ConstMap3(q + 3 * k);
    return base.r_WB + matrix(base.q_WB) * p;
  }
};

bool same(const SnareMemory& a, const SnareMemory& b) noexcept {
  return a.key == b.key && std::equal(a.impulse, a.impulse + 3, b.impulse);
}

// Whether the contacts are those of the step that ended in this state.
bool end_in(const SnareContacts& contacts, const SnareBlock<const double>& state) noexcept {
  if (state.head().remembered != static_cast<double>(contacts.count)) return false;
  for (int i = 0; i < contacts.count; ++i)
    if (!same(contacts.rows[i].memory, state.memory()[i])) return false;
  return true;
}

}  // namespace

// r = r_B + R q,  r' = R t,  v = v_B + R v_B + w x R q, ...
std::size_t cable_nodes(const Model& model, const Data& data, std::size_t element, std::size_t k,
                        double* out) noexcept {
  if (element >= model.elements.size() || !has_cables(model.elements[element])) return 0;
  const Cables cables(model.elements[element], data, element);
  if (k >= cables.design.cables.size()) return 0;
  const std::size_t count = cables.design.cables[k].cable.nodes();
  if (out == nullptr) return count;
  const BodyState& base = cables.base;
  const Mat3 R = matrix(base.q_WB);
  for (std::size_t i = 0; i < 2 * count; ++i) {  // positions and slopes in turn
    double* const to = out + node_numbers * (i / 2) + 3 * (i % 2);
    const Vec3 q = R * ConstMap3(cables.state.q(k) + 3 * i);
    const Vec3 v = R * ConstMap3(cables.state.v(k) + 3 * i) + base.w_WB.cross(q);
    Map3 place(to), rate(to + 6);
    place = q, rate = v;
    if (i % 2 == 0) place += base.r_WB, rate += base.v_WB;
  }
  return count;
}

std::size_t cable_contacts(const Model& model, const Data& data, std::size_t element, CableContact* out) noexcept {
  if (element >= model.elements.size() || !has_cables(model.elements[element])) return 0;
  const Cables cables(model.elements[element], data, element);
  const SnareContacts& accepted = static_cast<const SnareScratch&>(*data.element_scratch[element]).accepted;
  if (!end_in(accepted, cables.state)) return 0;
  for (int i = 0; out != nullptr && i < accepted.count; ++i) {
    const SnareContact& from = accepted.rows[i];
    CableContact& to = out[i];
    to = from.contact;
    if (to.body >= 0) {
      to.p_WC += data.bodies()[to.body].r_WB;
    } else {
      const double radius = cables.design.cables[to.cable].skin.radius;
      to.p_WC = cables.place(from.a) - (radius - 0.5 * to.depth) * to.n_W;
    }
  }
  return static_cast<std::size_t>(accepted.count);
}

}  // namespace contactlib::element
