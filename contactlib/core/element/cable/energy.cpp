#include <cmath>

#include "point.hpp"

namespace contactlib::element {

namespace {

constexpr int width = BlockCholesky::size;

using Map3 = Eigen::Map<const Vec3>;

// The same in both lanes.
Lanes3 spread(const Vec3& a) noexcept { return {all(a.x()), all(a.y()), all(a.z())}; }

struct Strain {
  double axial, bending, tension;
};

// Energies of one element, and its tension.
template <StrainMeasure measure>
Strain strain(const CableDesign& design, const CableElement& element, const double* q) noexcept {
  const CableMaterial& m = design.material;
  const double l = element.length;
  const CableShape shape = {{spread((Map3(q + width) - Map3(q)) / l), spread(Map3(q + 3)), spread(Map3(q + 9))}};
  const CablePoints &axials = axial_points(design.quadrature), &bendings = bending_points(design.quadrature);
  Strain sum = {};
  for (int g = 0; g < axials.count; ++g) {
    const AxialStrain<measure> at(axials.point[g], shape);
    const double w = axials.point[g].weight, over = at.strain[0] - element.strain;
    sum.axial += 0.5 * w * l * m.axial_stiffness * over * over;
    sum.tension += w * m.axial_stiffness * over * (measure == StrainMeasure::green ? std::sqrt(at.n[0]) : 1.0);
  }
  for (int g = 0; g < bendings.count; ++g) {
    const BendingStrain<measure> at(bendings.point[g], shape, all(1.0 / l));
    const double over = at.curvature()[0] - element.curvature;
    sum.bending += 0.5 * bendings.point[g].weight * l * m.bending_stiffness * over * over;
  }
  return sum;
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
  const bool green = design.measure == StrainMeasure::green;
  for (std::size_t e = 0; e < design.elements.size(); ++e) {
    const CableElement& element = design.elements[e];
    const double* const q = state.q + width * e;
    const Strain s = green ? strain<StrainMeasure::green>(design, element, q)
                           : strain<StrainMeasure::engineering>(design, element, q);
    out.axial += s.axial;
    out.bending += s.bending;
    inertia(design, element, q, state.v + width * e, out);
    if (tension != nullptr) tension[e] = s.tension;
  }
  return out;
}

}  // namespace contactlib::element
