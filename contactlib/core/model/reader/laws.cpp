// Reads the sections laws, curves and material_pairs of a model file.
#include <cmath>
#include <cstring>

#include "geometry/overlap/surface_pieces.hpp"
#include "parameters.hpp"
#include "reader.hpp"

namespace contactlib::reader {

using law::adhesion_law_count, law::adhesion_laws, law::allowed, law::complete_curve, law::contact_model_count,
    law::contact_models, law::friction_law_count, law::friction_laws, law::needs_curve, law::normal_law_count,
    law::normal_laws, law::rolling_law_count, law::rolling_laws;

namespace {

template <class Row>
bool valid_parameters(const Row& row, const double* values) noexcept {
  for (int i = 0; i < row.count; ++i)
    if (!allowed(row.parameters[i], values[i])) return false;
  return true;
}

// Reads a row of one law table with its parameters.
template <class Row, int size>
bool read_part(const Row* rows, int count, std::int32_t row, const double*& from, double (&to)[size]) noexcept {
  if (row < 0 || row >= count || !finite(from, size)) return false;
  std::memcpy(to, from, sizeof to);
  from += size;
  return valid_parameters(rows[row], to);
}

bool read_curve(const format::Law& in, const std::vector<format::CurvePoint>& curves, Law& law) {
  const auto size = static_cast<std::int32_t>(std::min<std::size_t>(curves.size(), 0x7fffffff));
  if (in.curve_first < 0 || in.curve_count < 0 || in.curve_first > size || in.curve_count > size - in.curve_first)
    return false;
  for (std::int32_t i = in.curve_first; i < in.curve_first + in.curve_count; ++i)
    law.curve.push_back({curves[i].depth, curves[i].force});
  if (needs_curve(law.normal) == law.curve.empty()) return false;
  return law.curve.empty() || complete_curve(law.curve.data(), law.curve.size());
}

// Largest number of state variables of a user law per contact.
constexpr std::int32_t max_memory = 1000;

// A contact model excludes the other parts, which must be row 0.
bool read_model(const format::Law& in, const std::vector<char>& strings, const double*& from, Law& law) {
  law.model = in.model;
  law.tangents = in.tangents;
  law.numbers = in.numbers;
  law.reach = in.reach;
  if (!read_any_text(strings, in.user_laws, law.user_laws)) return false;
  if (law.is_stateful() && (in.normal != 0 || in.friction != 0 || in.adhesion != 0 || in.rolling != 0)) return false;
  if (!law.is_user_law()) {
    if (in.tangents != 0 || in.numbers != 0 || in.reach != 0.0 || !law.user_laws.empty()) return false;
    return read_part(contact_models, contact_model_count, in.model, from, law.parameters.model);
  }
  std::memset(law.parameters.model, 0, sizeof law.parameters.model);
  const bool fits = in.tangents >= 0 && in.tangents <= max_memory && in.numbers >= 0 && in.numbers <= max_memory;
  return fits && in.reach >= 0.0 && std::isfinite(in.reach) && !law.user_laws.empty();
}

bool read_law(const format::Law& in, const Content& content, Law& law) {
  static_assert(sizeof in.parameters == sizeof(LawParameters));
  const double* from = in.parameters;
  LawParameters& to = law.parameters;
  if (!read_text(content.strings, in.name, law.name)) return false;
  if (!read_part(normal_laws, normal_law_count, in.normal, from, to.normal)) return false;
  if (!read_part(friction_laws, friction_law_count, in.friction, from, to.friction)) return false;
  if (!read_part(adhesion_laws, adhesion_law_count, in.adhesion, from, to.adhesion)) return false;
  if (!read_part(rolling_laws, rolling_law_count, in.rolling, from, to.rolling)) return false;
  if (!read_model(in, content.strings, from, law)) return false;
  law.normal = in.normal;
  law.friction = in.friction;
  law.adhesion = in.adhesion;
  law.rolling = in.rolling;
  law.sharpness = in.sharpness;
  if (in.sharpness < geometry::least_sharpness || in.sharpness > geometry::most_sharpness) return false;
  if (law::needs_surface(in.normal) && in.sharpness != geometry::least_sharpness) return false;
  law.rules = rules_of(law);
  if (law_fault(law.rules, law.parameters) >= 0) return false;
  return read_curve(in, content.curves, law);
}

// Reads the law of each pair of materials; each pair may appear once.
bool read_material_pairs(const Content& content, Model& model) {
  std::int32_t last = -1;
  for (const format::Shape& shape : content.shapes) last = std::max(last, shape.material);
  if (last >= 4096) return false;
  model.materials = last + 1;
  model.material_pairs.assign(static_cast<std::size_t>(model.materials) * model.materials, {});
  const auto laws = static_cast<std::int32_t>(content.laws.size());
  for (const format::MaterialPair& in : content.material_pairs) {
    const std::int32_t a = in.material_a, b = in.material_b, n = model.materials;
    if (a < 0 || a >= n || b < 0 || b >= n || in.law < 0 || in.law >= laws) return false;
    if (model.material_pairs[a * n + b].law >= 0) return false;
    model.material_pairs[a * n + b] = model.material_pairs[b * n + a] = {in.law, b};
  }
  return true;
}

}  // namespace

Status read_laws(const Content& content, Model& model) {
  if (!read_material_pairs(content, model)) return {Code::bad_value, format::material_pairs};
  model.laws.resize(content.laws.size());
  for (std::size_t i = 0; i < content.laws.size(); ++i)
    if (!read_law(content.laws[i], content, model.laws[i])) return {Code::bad_value, format::laws};
  for (const Law& law : model.laws) {
    model.attachments = model.attachments || law.is_stateful();
    model.user_laws = model.user_laws || law.is_user_law();
    model.own_width = std::max(model.own_width, law.own_width());
  }
  return {};
}

}  // namespace contactlib::reader
