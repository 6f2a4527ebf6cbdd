#include "second_order.hpp"

#include <algorithm>

#include "ends.hpp"

namespace contactlib::element {

namespace {

constexpr int width = BlockCholesky::size;

// An oscillator of w keeps 1 - (c theta^2/2) (w h)^4 of its amplitude in a step while w h is small, and sqrt(1 - c) if it
// is infinite. Stable for every w h while 1/theta + 2 c <= 4.
constexpr double theta = 0.6, damping = 0.5;

// x, the share of the strain of rotation. With x = 1 a swinging steel cable has up to 5e-5 more than its energy at 1 ms,
// and with x = 0.7 a thin wire loses 9 % of its energy in a minute.
constexpr double turned = 0.78;

// y = M x, the consistent mass.
void multiply_mass(const CableDesign& design, const double* x, double* y) noexcept {
  std::fill(y, y + width * design.nodes(), 0.0);
  for (const CableElement& element : design.elements) {
    const double l = element.length, mass = design.material.line_density * l;
    const double a = mass * (13.0 / 35.0), b = mass * l * (11.0 / 210.0), c = mass * (9.0 / 70.0);
    const double d = mass * l * (13.0 / 420.0), f = mass * l * l * (1.0 / 105.0), g = mass * l * l * (1.0 / 140.0);
    for (int i = 0; i < 3; ++i) {
      const double r0 = x[i], t0 = x[3 + i], r1 = x[6 + i], t1 = x[9 + i];
      y[i] += a * r0 + b * t0 + c * r1 - d * t1;
      y[3 + i] += b * r0 + f * t0 + d * r1 - g * t1;
      y[6 + i] += c * r0 + d * t0 + a * r1 - b * t1;
      y[9 + i] += f * t1 - b * r1 - d * r0 - g * t0;
    }
    x += width;
    y += width;
  }
}

}  // namespace

CableWeights cable_weights(const CableDesign& design, const CableInputs& in) noexcept {
  const CableMaterial& m = design.material;
  const double h = in.h;
  if (!is_second_order(design))
    return {h, h * (h + m.axial_damping), h * (h + m.bending_damping), design.tension_stiffness ? h * h : 0.0,
            1.0 + h * m.mass_damping};
  CableWeights out;
  out.pull = in.kick * h;
  out.turning = theta * h * h;
  out.turns = turned * out.pull;
  out.axial = h * (theta * h + m.axial_damping);
  out.bending = h * (theta * h + m.bending_damping);
  out.mass = 1.0 + 0.5 * h * m.mass_damping;
  if (m.axial_damping > 0.0) out.axial_lag = in.kick * m.axial_damping / (theta * h + m.axial_damping);
  if (m.bending_damping > 0.0) out.bending_lag = in.kick * m.bending_damping / (theta * h + m.bending_damping);
  return out;
}

void add_momenta(const CableDesign& design, const CableInputs& inputs, const double* v,
                 CableScratch& scratch) noexcept {
  std::vector<double>&stiff = scratch.stiff, &momentum = scratch.momentum;
  scratch.factor.multiply(v, stiff.data());
  multiply_mass(design, v, momentum.data());
  const double drag = inputs.h * design.material.mass_damping;
  for (std::size_t i = 0; i < stiff.size(); ++i) {
    stiff[i] -= (1.0 + 0.5 * drag) * momentum[i];
    scratch.impulse[i] += stiff[i] + (0.5 - inputs.kick) * drag * momentum[i];
  }
}

// With w = A^-1 P v, P w = A w - M w, and A w = P v except in the rows of held ends.
void damp_unresolved(const CableDesign& design, const CableInputs& inputs, const double* v,
                     CableScratch& scratch) noexcept {
  std::vector<double>&stiff = scratch.stiff, &momentum = scratch.momentum, &resolved = scratch.resolved;
  std::copy(stiff.begin(), stiff.end(), resolved.begin());
  scratch.forward(resolved.data());
  scratch.backward(resolved.data());
  multiply_mass(design, resolved.data(), momentum.data());
  for (const int side : {0, 1}) pull_at_end(inputs, scratch, side, resolved, stiff);
  const double mass = 1.0 + 0.5 * inputs.h * design.material.mass_damping;
  for (std::size_t i = 0; i < resolved.size(); ++i) {
    const double damped = damping * (stiff[i] - mass * momentum[i]);
    scratch.impulse[i] -= damped;
    scratch.velocity[i] -= damped;
    resolved[i] = v[i] - resolved[i];
  }
}

}  // namespace contactlib::element
