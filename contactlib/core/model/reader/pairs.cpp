// Reads the sections pairs and pair_rules of a model file, and the classes of bodies.
#include <cstring>

#include "geometry/pairs.hpp"
#include "reader.hpp"

namespace contactlib::reader {

using bounding::leaf_shapes;
using geometry::Shape, geometry::ShapeKind, geometry::pair_row, geometry::pair_row_index, geometry::swept_radius;
using model::Law, model::Pair;

namespace {

// Shapes of a body, or of all bodies of a class, by kind, rounding, whether they are sheets, and material: a pair needs a
// kernel and a law for all combinations.
struct Sort {
  ShapeKind kind;
  bool rounded, sheet;
  std::int32_t material;
  std::size_t count;
};
using Sorts = std::vector<std::vector<Sort>>;

void add(std::vector<Sort>& of, const Sort& sort) {
  const auto same = [&](const Sort& s) {
    return s.kind == sort.kind && s.rounded == sort.rounded && s.sheet == sort.sheet && s.material == sort.material;
  };
  const auto found = std::find_if(of.begin(), of.end(), same);
  if (found == of.end())
    of.push_back(sort);
  else
    found->count += sort.count;
}

Sorts sorts_of(const Model& model) {
  Sorts sorts(model.bodies.size());
  for (const Shape& shape : model.shapes) {
    const bool rounded = shape.kind > ShapeKind::capsule && swept_radius(shape) > 0.0;
    const bool sheet = shape.kind == ShapeKind::triangle || (shape.kind == ShapeKind::mesh && !shape.surface->closed);
    add(sorts[shape.body], {shape.kind, rounded, sheet, shape.material, 1});
  }
  return sorts;
}

// No more classes than bodies.
Sorts sorts_of_classes(const Model& model, const Sorts& of_bodies) {
  Sorts sorts(model.bodies.size());
  for (std::size_t i = 0; i < of_bodies.size(); ++i)
    for (const Sort& sort : of_bodies[i])
      if (model.pair_index.class_of[i] >= 0) add(sorts[model.pair_index.class_of[i]], sort);
  return sorts;
}

// A rounded box or polyhedron has no contacts with a socket, an open mesh none with another sheet.
bool is_defined(const Sort& a, const Sort& b) noexcept {
  const bool sheets = a.sheet && b.sheet && (a.kind == ShapeKind::mesh || b.kind == ShapeKind::mesh);
  return !sheets && !(a.rounded && b.kind == ShapeKind::socket) && !(b.rounded && a.kind == ShapeKind::socket);
}

// A law that needs a surface is for pairs with a surface contact alone.
bool bears(const Law& law, int row, const Sort& a, const Sort& b) noexcept {
  return !law::needs_surface(law.normal) || pair_row(row).is_surface(a.rounded || b.rounded);
}

// Initial contact capacity without max_contacts: for a pair with a mesh, and at most.
constexpr double mesh_contacts = 64.0, usual_contacts = 2048.0;

// What the pairs may need at most.
struct Needs {
  double contacts = 0.0, candidates = 0.0;
};

// Every two sorts of a pair need a kernel and a law, unless they are ignored.
bool read_pair(const Pair& pair, const std::vector<Sort>& one, const std::vector<Sort>& other, Model& model,
               Needs& needs) {
  if (pair.law < -1 || pair.law >= static_cast<std::int32_t>(model.laws.size())) return false;
  for (const Sort& a : one)
    for (const Sort& b : other) {
      const double count = static_cast<double>(a.count) * static_cast<double>(b.count);
      needs.candidates += count;
      const int row = pair_row_index(std::min(a.kind, b.kind), std::max(a.kind, b.kind));
      if (pair.ignores(row)) continue;
      const std::int32_t of_materials = model.material_pairs[a.material * model.materials + b.material].law;
      const std::int32_t law = pair.law >= 0 ? pair.law : of_materials;
      if (!pair_row(row).is_defined() || !is_defined(a, b) || law < 0) return false;
      if (!bears(model.laws[law], row, a, b)) return false;
      needs.contacts += count * std::min<double>(pair_row(row).max_contacts, mesh_contacts);
    }
  model.pairs.push_back(pair);
  return true;
}

template <class Record>
Pair pair_of(const Record& in, std::int32_t a, std::int32_t b, bool directed) noexcept {
  Pair pair{a, b, in.law, in.order, directed, {}};
  static_assert(sizeof pair.ignore == sizeof in.ignore);
  std::memcpy(pair.ignore, in.ignore, sizeof pair.ignore);
  return pair;
}

bool read_classes(const Content& content, Model& model) {
  const auto bodies = static_cast<std::int32_t>(content.bodies.size());
  for (const format::Body& in : content.bodies) {
    if (in.pair_class < -1 || in.pair_class >= bodies || in.object < 0 || in.object >= bodies) return false;
    model.pair_index.class_of.push_back(in.pair_class);
    model.pair_index.object_of.push_back(in.object);
  }
  return true;
}

}  // namespace

Status read_pairs(const Content& content, Model& model) {
  if (!read_classes(content, model)) return {Code::bad_value, format::bodies};
  const auto bodies = static_cast<std::int32_t>(content.bodies.size());
  const auto in_bodies = [bodies](std::int32_t a, std::int32_t b) {
    return a >= 0 && a < bodies && b >= 0 && b < bodies;
  };
  const Sorts sorts = sorts_of(model), of_classes = sorts_of_classes(model, sorts);
  Needs needs;
  for (const format::Pair& in : content.pairs)
    if (!in_bodies(in.body_a, in.body_b) || in.body_a == in.body_b ||
        !read_pair(pair_of(in, in.body_a, in.body_b, true), sorts[in.body_a], sorts[in.body_b], model, needs))
      return {Code::bad_value, format::pairs};
  std::vector<bool> same_object;
  for (const format::PairRule& in : content.pair_rules) {
    const bool flags = (in.same_object | 1) == 1 && (in.directed | 1) == 1;
    if (!flags || !in_bodies(in.class_a, in.class_b) ||
        !read_pair(pair_of(in, in.class_a, in.class_b, in.directed == 1), of_classes[in.class_a],
                   of_classes[in.class_b], model, needs))
      return {Code::bad_value, format::pair_rules};
    same_object.push_back(in.same_object == 1);
  }
  if (!model.pair_index.make(model.pairs, same_object)) return {Code::bad_value, format::pairs};
  const std::int32_t wanted = content.scene[0].max_contacts;
  model.contact_capacity = static_cast<std::size_t>(wanted > 0 ? wanted : std::min(needs.contacts, usual_contacts));
  model.contacts_grow = wanted == 0;
  // A portion of candidates: all candidates of a small scene, and at least two leaves.
  model.candidate_capacity =
      static_cast<std::size_t>(std::min(needs.candidates, 4096.0)) + 2 * leaf_shapes * leaf_shapes;
  return {};
}

}  // namespace contactlib::reader
