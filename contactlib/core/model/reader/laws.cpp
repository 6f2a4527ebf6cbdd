// Reads the sections laws, curves, material_pairs and pairs of a model file.
#include <cmath>
#include <cstring>

#include "geometry/pairs.hpp"
#include "parameters.hpp"
#include "reader.hpp"

namespace contactlib::reader {

using bounding::leaf_shapes;
using geometry::Shape, geometry::ShapeKind, geometry::pair_row, geometry::pair_row_index, geometry::swept_radius;
using law::adhesion_law_count, law::adhesion_laws, law::allowed, law::complete_curve, law::contact_model_count,
    law::contact_models, law::friction_law_count, law::friction_laws, law::needs_curve, law::normal_law_count,
    law::normal_laws, law::rolling_law_count, law::rolling_laws;
using model::Pair;

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

// Shapes of a body by kind, rounding and material: a pair of bodies needs a kernel and a law for all combinations.
struct Sort {
  ShapeKind kind;
  bool rounded;
  std::int32_t material;
  std::size_t count;
};

std::vector<std::vector<Sort>> sorts_of(const Model& model) {
  std::vector<std::vector<Sort>> sorts(model.bodies.size());
  for (const Shape& shape : model.shapes) {
    std::vector<Sort>& of = sorts[shape.body];
    const bool rounded = shape.kind > ShapeKind::capsule && swept_radius(shape) > 0.0;
    const auto same = [&](const Sort& s) {
      return s.kind == shape.kind && s.rounded == rounded && s.material == shape.material;
    };
    const auto found = std::find_if(of.begin(), of.end(), same);
    if (found == of.end())
      of.push_back({shape.kind, rounded, shape.material, 1});
    else
      ++found->count;
  }
  return sorts;
}

// A rounded box or polyhedron has no contacts with a socket or a mesh.
bool is_defined(const Sort& a, const Sort& b) noexcept {
  const auto is_hollow = [](ShapeKind kind) { return kind == ShapeKind::socket || kind == ShapeKind::mesh; };
  return !(a.rounded && is_hollow(b.kind)) && !(b.rounded && is_hollow(a.kind));
}

// Initial contact capacity without max_contacts: for a pair with a mesh, and at most.
constexpr double mesh_contacts = 64.0, usual_contacts = 2048.0;

// Checks a pair of bodies: every two of their shapes need a kernel and a law, unless ignored.
bool read_pair(const format::Pair& in, const std::vector<std::vector<Sort>>& sorts, Model& model, double& contacts,
               double& candidates) {
  const auto bodies = static_cast<std::int32_t>(model.bodies.size());
  if (in.body_a < 0 || in.body_a >= bodies || in.body_b < 0 || in.body_b >= bodies || in.body_a == in.body_b)
    return false;
  if (in.law < -1 || in.law >= static_cast<std::int32_t>(model.laws.size())) return false;
  Pair pair{in.body_a, in.body_b, in.law, {}};
  static_assert(sizeof pair.ignore == sizeof in.ignore);
  std::memcpy(pair.ignore, in.ignore, sizeof pair.ignore);
  for (const Sort& a : sorts[in.body_a])
    for (const Sort& b : sorts[in.body_b]) {
      const double count = static_cast<double>(a.count) * static_cast<double>(b.count);
      candidates = std::max(candidates, 0.0) + count;
      const int row = pair_row_index(std::min(a.kind, b.kind), std::max(a.kind, b.kind));
      if (pair.ignores(row)) continue;
      const std::int32_t of_materials = model.material_pairs[a.material * model.materials + b.material].law;
      if (!pair_row(row).kernel || !is_defined(a, b) || std::max(pair.law, of_materials) < 0) return false;
      contacts += count * std::min<double>(pair_row(row).max_contacts, mesh_contacts);
    }
  model.pairs.push_back(pair);
  return true;
}

// No two pairs may name the same bodies, since their contacts would count twice.
bool each_once(const Model& model) {
  std::vector<std::uint64_t> names;
  for (const Pair& pair : model.pairs) {
    const auto low = static_cast<std::uint64_t>(std::min(pair.body_a, pair.body_b));
    names.push_back(low << 32 | static_cast<std::uint64_t>(std::max(pair.body_a, pair.body_b)));
  }
  // with a comparison of our own: the sort that the library holds ready needs the compiler's runtime on aarch64
  std::sort(names.begin(), names.end(), [](std::uint64_t x, std::uint64_t y) noexcept { return x < y; });
  return std::adjacent_find(names.begin(), names.end()) == names.end();
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

Status read_pairs(const Content& content, Model& model) {
  const auto sorts = sorts_of(model);
  double contacts = 0.0, candidates = 0.0;
  for (const format::Pair& pair : content.pairs)
    if (!read_pair(pair, sorts, model, contacts, candidates)) return {Code::bad_value, format::pairs};
  if (!each_once(model)) return {Code::bad_value, format::pairs};
  const std::int32_t wanted = content.scene[0].max_contacts;
  model.contact_capacity = static_cast<std::size_t>(wanted > 0 ? wanted : std::min(contacts, usual_contacts));
  model.contacts_grow = wanted == 0;
  // A portion of candidates: all candidates of a small scene, and at least two leaves.
  model.candidate_capacity = static_cast<std::size_t>(std::min(candidates, 4096.0)) + 2 * leaf_shapes * leaf_shapes;
  return {};
}

}  // namespace contactlib::reader
