// Reads the sections surfaces, groups and shapes of a model file.
#include <cstring>

#include "geometry/compounds.hpp"
#include "geometry/shape.hpp"
#include "math/rotation.hpp"
#include "reader.hpp"
#include "state/memory.hpp"

namespace contactlib::reader {

using bounding::Group, bounding::VolumeKind, bounding::make_tree;
using geometry::Face, geometry::RimMethod, geometry::Shape, geometry::ShapeKind, geometry::Surface,
    geometry::complete_shape, geometry::make_surface, geometry::makes_surface;
using math::matrix;
using state::memory_keys;

namespace {

bool read_group(const format::Group& in, std::size_t bodies, const std::vector<Group>& before, Group& group) {
  const auto index = static_cast<std::int32_t>(before.size());
  if (in.body < 0 || static_cast<std::size_t>(in.body) >= bodies || in.parent < -1 || in.parent >= index) return false;
  if (in.parent >= 0 && before[in.parent].body != in.body) return false;
  if (in.volume < -1 || in.volume >= static_cast<std::int32_t>(VolumeKind::half_space)) return false;
  if (!finite(in.p, 3) || !unit(in.q)) return false;
  group = {in.body, in.parent, in.volume, Vec3(in.p), matrix(Quat(in.q))};
  return true;
}

// Deeper nested groups are refused.
constexpr int deepest_group = 32;

int nesting(const std::vector<Group>& groups, std::int32_t i) noexcept {
  int depth = 1;
  for (; groups[i].parent >= 0 && depth <= deepest_group; i = groups[i].parent) ++depth;
  return depth;
}

bool read_surface(const format::Surface& in, const Content& content, Surface& out) {
  const auto within = [](std::int32_t first, std::int32_t count, std::size_t size) {
    return first >= 0 && count >= 0 && static_cast<std::size_t>(first) <= size &&
           static_cast<std::size_t>(count) <= size - static_cast<std::size_t>(first);
  };
  if (!within(in.first_vertex, in.vertex_count, content.vertices.size())) return false;
  if (!within(in.first_face, in.face_count, content.counts.size())) return false;
  if (!within(in.first_loop, in.loop_count, content.loops.size())) return false;
  if (in.vertex_count == 0 || in.face_count == 0) return false;
  const std::int32_t* counts = content.counts.data() + in.first_face;
  std::int64_t corners = 0;
  for (std::int32_t i = 0; i < in.face_count; ++i) {
    if (counts[i] < 3) return false;
    corners += counts[i];
  }
  const double* vertices = content.vertices[in.first_vertex].p;
  if (corners != in.loop_count || !finite(vertices, 3 * in.vertex_count)) return false;
  return make_surface(vertices, in.vertex_count, content.loops.data() + in.first_loop, counts, in.face_count, out);
}

bool triangles_only(const Surface& surface) noexcept {
  return std::all_of(surface.faces.begin(), surface.faces.end(), [](const Face& face) { return face.count == 3; });
}

bool read_shape(const format::Shape& in, const std::vector<Group>& groups, Model& model, Shape& shape) {
  if (!in_range(in.kind, ShapeKind::plane) || !in_range(in.rim, RimMethod::subdivision_open)) return false;
  if (in.body < 0 || static_cast<std::size_t>(in.body) >= model.bodies.size()) return false;
  if (in.material < 0 || in.material >= model.materials || !finite(in.p, 3) || !unit(in.q)) return false;
  if (in.group < -1 || in.group >= static_cast<std::int32_t>(groups.size())) return false;
  if (in.group >= 0 && groups[in.group].body != in.body) return false;
  if (in.surface < -1 || in.surface >= static_cast<std::int32_t>(model.surfaces.size())) return false;
  shape.kind = static_cast<ShapeKind>(in.kind);
  shape.body = in.body;
  shape.material = in.material;
  shape.rim = static_cast<RimMethod>(in.rim);
  static_assert(sizeof shape.size == sizeof in.size);
  std::memcpy(shape.size, in.size, sizeof shape.size);
  shape.p_BS = Vec3(in.p);
  shape.R_BS = matrix(Quat(in.q));
  shape.surface = in.surface < 0 ? nullptr : model.surfaces[in.surface].get();
  if (shape.kind == ShapeKind::mesh && shape.surface && !triangles_only(*shape.surface)) return false;
  std::unique_ptr<Surface> own(makes_surface(shape.kind) ? new Surface : nullptr);
  if (!complete_shape(shape, own.get())) return false;
  if (own) model.surfaces.push_back(std::move(own));
  return true;
}

}  // namespace

Status read_shapes(const Content& content, Model& model) {
  model.surfaces.resize(content.surfaces.size());
  for (std::size_t i = 0; i < content.surfaces.size(); ++i) {
    model.surfaces[i] = std::make_unique<Surface>();
    if (!read_surface(content.surfaces[i], content, *model.surfaces[i])) return {Code::bad_value, format::surfaces};
  }
  std::vector<Group> groups;
  for (const format::Group& in : content.groups) {
    Group group;
    if (!read_group(in, model.bodies.size(), groups, group)) return {Code::bad_value, format::groups};
    groups.push_back(group);
    if (nesting(groups, static_cast<std::int32_t>(groups.size()) - 1) > deepest_group)
      return {Code::bad_value, format::groups};
  }
  std::vector<std::int32_t> group_of;
  model.shapes.resize(content.shapes.size());
  for (std::size_t i = 0; i < content.shapes.size(); ++i) {
    if (!read_shape(content.shapes[i], groups, model, model.shapes[i])) return {Code::bad_value, format::shapes};
    group_of.push_back(content.shapes[i].group);
  }
  geometry::find_compounds(model.shapes);
  if (memory_keys(model) > 9e15) return {Code::bad_value, format::shapes};
  if (!make_tree(model.bodies.size(), groups, model.shapes, group_of, content.scene[0].volume, model.tree))
    return {Code::bad_value, format::groups};
  return {};
}

}  // namespace contactlib::reader
