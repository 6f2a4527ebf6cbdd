#include <cmath>

#include "point.hpp"

namespace contactlib::element {

namespace {

constexpr int width = BlockCholesky::size;

using Map3 = Eigen::Map<const Vec3>;

struct Strain {
  Lanes axial = {}, bending = {}, tension = {};
};

// Energies of elements side by side, and their tensions.
template <StrainMeasure measure>
void strain(const CableDesign& design, const CableGroup& group, const double* q, Strain& sum) noexcept {
  const CableMaterial& m = design.material;
  Lanes l, rest_strain, rest_curvature;
  for (int k = 0; k < cable_lanes; ++k) {
    const CableElement& element = design.elements[group.at[k]];
    l[k] = element.length, rest_strain[k] = element.strain, rest_curvature[k] = element.curvature;
  }
  const CableNodes at_nodes(q, group);
  const Lanes3 chord = at_nodes.r1 - at_nodes.r0;
  const CableShape shape = {{{chord.x / l, chord.y / l, chord.z / l}, at_nodes.t0, at_nodes.t1}};
  const CablePoints &axials = axial_points(design.quadrature), &bendings = bending_points(design.quadrature);
  for (int g = 0; g < axials.count; ++g) {
    const AxialStrain<measure> at(axials.point[g], shape);
    const double w = axials.point[g].weight;
    const Lanes over = at.strain - rest_strain;
    sum.axial += 0.5 * w * l * m.axial_stiffness * over * over;
    sum.tension += w * m.axial_stiffness * over * (measure == StrainMeasure::green ? root(at.n) : all(1.0));
  }
  for (int g = 0; g < bendings.count; ++g) {
    const BendingStrain<measure> at(bendings.point[g], shape, 1.0 / l);
    const Lanes over = at.curvature() - rest_curvature;
    sum.bending += 0.5 * bendings.point[g].weight * l * m.bending_stiffness * over * over;
  }
}

void add_strain(const CableDesign& design, const CableGroup& group, const double* q, Strain& sum) noexcept {
  solve::four_at_once([&] {
    if (design.measure == StrainMeasure::green)
      strain<StrainMeasure::green>(design, group, q, sum);
    else
      strain<StrainMeasure::engineering>(design, group, q, sum);
  });
}

// The consistent mass matrix of an element over (r0, t0, r1, t1), upper triangle.
void inertia(const CableDesign& design, const CableElement& element, const double* q, const double* v,
             CableEnergy& out) noexcept {
  const double l = element.length, mass = design.material.line_density * l;
  const double a = 13.0 / 35.0, b = 11.0 / 210.0 * l, c = 9.0 / 70.0, d = 13.0 / 420.0 * l;
  const double e = l * l / 105.0, f = -l * l / 140.0;
  const double matrix[4][4] = {{a, b, c, -d}, {b, e, d, f}, {c, d, a, -b}, {-d, f, -b, e}};
  for (int i = 0; i < 4; ++i) {
    Vec3 p = Vec3::Zero();
    for (int j = 0; j < 4; ++j) p += mass * matrix[i][j] * Map3(v + 3 * j);
    out.kinetic += 0.5 * p.dot(Map3(v + 3 * i));
    out.spin += Map3(q + 3 * i).cross(p);
    if (i % 2 == 0) out.momentum += p;
  }
}

}  // namespace

CableEnergy measure_cable(const CableDesign& design, const CableState& state, double* tension) noexcept {
  CableEnergy out;
  for (std::size_t first = 0; first < design.elements.size(); first += cable_lanes) {
    const CableGroup group(design, first);
    Strain sum;
    add_strain(design, group, state.q, sum);
    for (int k = 0; k < group.count; ++k) {
      const std::size_t e = group.at[k];
      out.axial += sum.axial[k];
      out.bending += sum.bending[k];
      inertia(design, design.elements[e], state.q + width * e, state.v + width * e, out);
      if (tension != nullptr) tension[e] = sum.tension[k];
    }
  }
  return out;
}

}  // namespace contactlib::element
