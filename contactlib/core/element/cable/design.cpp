#include <cmath>

#include "cable.hpp"

namespace contactlib::element {

namespace {

constexpr std::size_t max_elements = 1 << 20;

bool at_least_zero(double x) noexcept { return std::isfinite(x) && x >= 0.0; }
bool above_zero(double x) noexcept { return std::isfinite(x) && x > 0.0; }

CableFault check_material(const CableMaterial& m) noexcept {
  if (!above_zero(m.axial_stiffness)) return CableFault::axial_stiffness;
  if (!at_least_zero(m.bending_stiffness)) return CableFault::bending_stiffness;
  if (!above_zero(m.line_density)) return CableFault::line_density;
  if (!at_least_zero(m.axial_damping)) return CableFault::axial_damping;
  if (!at_least_zero(m.bending_damping)) return CableFault::bending_damping;
  if (!at_least_zero(m.mass_damping)) return CableFault::mass_damping;
  return CableFault::none;
}

CableFault check_element(const CableElement& element, StrainMeasure measure) noexcept {
  const double least = measure == StrainMeasure::green ? -0.5 : -1.0;
  if (!above_zero(element.length)) return CableFault::length;
  if (!std::isfinite(element.strain) || !(element.strain > least)) return CableFault::strain;
  if (!at_least_zero(element.curvature)) return CableFault::curvature;
  return CableFault::none;
}

}  // namespace

CableCheck check_cable(const CableDesign& design) noexcept {
  if (design.elements.empty() || design.elements.size() > max_elements) return {CableFault::elements, -1};
  for (std::size_t e = 0; e < design.elements.size(); ++e) {
    const CableFault fault = check_element(design.elements[e], design.measure);
    if (fault != CableFault::none) return {fault, static_cast<std::int32_t>(e)};
  }
  return {check_material(design.material), -1};
}

}  // namespace contactlib::element
