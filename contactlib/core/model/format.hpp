// The model file, as model_file.py writes it. Little endian, no padding:
//   header: magic 8, version u32, sections u32, checksum u64 (fnv-1a of every byte after it), sha-256 32
//   then per section: tag u32, record size u32, count u64, offset u64; then the sections' records.
#pragma once

#include <cstdint>

#include "base/layout.hpp"

namespace contactlib::model::format {

inline constexpr char magic[8] = {'c', 'o', 'n', 't', 'a', 'c', 't', '\n'};
inline constexpr std::uint32_t version = 9;

enum Tag : std::uint32_t {
  scene,
  bodies,
  groups,
  shapes,
  laws,
  curves,
  material_pairs,
  pairs,
  surfaces,
  vertices,
  counts,
  loops,
  elements,
  numbers,
  integers,
  strings,
  pair_rules,
  tags
};

struct Header {
  char magic[8];
  std::uint32_t version, sections;
  std::uint64_t checksum;
  unsigned char sha256[32];
};

struct Section {
  std::uint32_t tag, record_size;
  std::uint64_t count, offset;
};

struct Text {
  std::uint32_t offset, length;  // in the section strings
};

}  // namespace contactlib::model::format

namespace contactlib {

template <>
struct Numbers<model::format::Text> {
  static constexpr char type = 'u';
  static constexpr std::size_t count = 2;
};

}  // namespace contactlib

namespace contactlib::model::format {

// step_size < 0: step_size = "auto", and its amount is max_step_size.
struct Scene {
  Text name;
  double gravity[3];
  double step_size, duration, mass_tolerance;
  std::int32_t resolve_in, integrator, wrench_output, max_contacts;
  std::int32_t volume, coupling;  // volume: a VolumeKind for groups without one, or -1
};

// pair_class: what `pair_rules` call it by, -1: they do not concern it. object: bodies of one object have the same.
struct Body {
  Text name;
  std::int32_t motion, pair_class;
  std::int32_t object, reserved;
  double mass, com[3], inertia[9], start[13];
};

// A node of a body's tree, parents before children; parent -1 is the body itself. p and q are its pose in the body.
struct Group {
  std::int32_t body, parent, volume, reserved;
  double p[3], q[4];
};

struct Shape {
  std::int32_t kind, body, material, rim;
  std::int32_t group, surface;  // surface -1: none
  double size[9], p[3], q[4];
};

// Its curve: the points curve_first .. curve_first + curve_count - 1 of the section curves.
struct Law {
  Text name;
  std::int32_t normal, friction, adhesion, rolling;
  std::int32_t curve_first, curve_count;
  std::int32_t model, tangents, numbers;  // model -1: a user law, with its reference in `user_laws` and the size of
                                          // its state
  std::int32_t sharpness;
  Text user_laws;
  double reach;
  double parameters[28];  // normal 4, friction 8, adhesion 2, rolling 4, model 10
};

struct CurvePoint {
  double depth, force;
};

// The law of two materials; the grain is that of the second.
struct MaterialPair {
  std::int32_t material_a, material_b, law;
};

// Two bodies; law -1: that of the materials; bit r of `ignore` excludes row r of the pair table, all bits the pair.
// Pairs are evaluated by increasing `order`.
struct Pair {
  std::int32_t body_a, body_b, law, order;
  std::uint32_t ignore[6];
};

// Every two bodies of two classes, or of one class, that no Pair names. same_object 1: bodies of one object only, 0: of
// different objects only. directed 1: A is the body of class_a, 0: the body of the lower index.
struct PairRule {
  std::int32_t class_a, class_b, law, order;
  std::int32_t same_object, directed;
  std::uint32_t ignore[6];
};

struct Vertex {
  double p[3];
};

// Corners in `vertices`, faces in `counts` (number of corners), their corners in `loops`, counted from the first
// vertex.
struct Surface {
  std::int32_t first_vertex, vertex_count, first_face, face_count, first_loop, loop_count;
};

// An element with its own ranges of `numbers` and `integers`. The numbers of every kind begin with the parameters and
// the start values of the commands; the integers begin with the number of bodies and their indices (-1: the world).
struct Element {
  Text name, kind;  // the kind is the name of a row, see element/elements.hpp
  std::int32_t ports;
  std::int32_t first_number, number_count, first_integer, integer_count;
};

}  // namespace contactlib::model::format

namespace contactlib {

CONTACTLIB_LAYOUT(model::format::Header, CONTACTLIB_FIELD(magic), CONTACTLIB_FIELD(version), CONTACTLIB_FIELD(sections),
                  CONTACTLIB_FIELD(checksum), CONTACTLIB_FIELD(sha256))
CONTACTLIB_LAYOUT(model::format::Section, CONTACTLIB_FIELD(tag), CONTACTLIB_FIELD(record_size), CONTACTLIB_FIELD(count),
                  CONTACTLIB_FIELD(offset))
CONTACTLIB_LAYOUT(model::format::Scene, CONTACTLIB_FIELD(name), CONTACTLIB_FIELD(gravity), CONTACTLIB_FIELD(step_size),
                  CONTACTLIB_FIELD(duration), CONTACTLIB_FIELD(mass_tolerance), CONTACTLIB_FIELD(resolve_in),
                  CONTACTLIB_FIELD(integrator), CONTACTLIB_FIELD(wrench_output), CONTACTLIB_FIELD(max_contacts),
                  CONTACTLIB_FIELD(volume), CONTACTLIB_FIELD(coupling))
CONTACTLIB_LAYOUT(model::format::Body, CONTACTLIB_FIELD(name), CONTACTLIB_FIELD(motion), CONTACTLIB_FIELD(pair_class),
                  CONTACTLIB_FIELD(object), CONTACTLIB_FIELD(reserved), CONTACTLIB_FIELD(mass), CONTACTLIB_FIELD(com),
                  CONTACTLIB_FIELD(inertia), CONTACTLIB_FIELD(start))
CONTACTLIB_LAYOUT(model::format::Group, CONTACTLIB_FIELD(body), CONTACTLIB_FIELD(parent), CONTACTLIB_FIELD(volume),
                  CONTACTLIB_FIELD(reserved), CONTACTLIB_FIELD(p), CONTACTLIB_FIELD(q))
CONTACTLIB_LAYOUT(model::format::Shape, CONTACTLIB_FIELD(kind), CONTACTLIB_FIELD(body), CONTACTLIB_FIELD(material),
                  CONTACTLIB_FIELD(rim), CONTACTLIB_FIELD(group), CONTACTLIB_FIELD(surface), CONTACTLIB_FIELD(size),
                  CONTACTLIB_FIELD(p), CONTACTLIB_FIELD(q))
CONTACTLIB_LAYOUT(model::format::Law, CONTACTLIB_FIELD(name), CONTACTLIB_FIELD(normal), CONTACTLIB_FIELD(friction),
                  CONTACTLIB_FIELD(adhesion), CONTACTLIB_FIELD(rolling), CONTACTLIB_FIELD(curve_first),
                  CONTACTLIB_FIELD(curve_count), CONTACTLIB_FIELD(model), CONTACTLIB_FIELD(tangents),
                  CONTACTLIB_FIELD(numbers), CONTACTLIB_FIELD(sharpness), CONTACTLIB_FIELD(user_laws),
                  CONTACTLIB_FIELD(reach), CONTACTLIB_FIELD(parameters))
CONTACTLIB_LAYOUT(model::format::CurvePoint, CONTACTLIB_FIELD(depth), CONTACTLIB_FIELD(force))
CONTACTLIB_LAYOUT(model::format::MaterialPair, CONTACTLIB_FIELD(material_a), CONTACTLIB_FIELD(material_b),
                  CONTACTLIB_FIELD(law))
CONTACTLIB_LAYOUT(model::format::Pair, CONTACTLIB_FIELD(body_a), CONTACTLIB_FIELD(body_b), CONTACTLIB_FIELD(law),
                  CONTACTLIB_FIELD(order), CONTACTLIB_FIELD(ignore))
CONTACTLIB_LAYOUT(model::format::PairRule, CONTACTLIB_FIELD(class_a), CONTACTLIB_FIELD(class_b), CONTACTLIB_FIELD(law),
                  CONTACTLIB_FIELD(order), CONTACTLIB_FIELD(same_object), CONTACTLIB_FIELD(directed),
                  CONTACTLIB_FIELD(ignore))
CONTACTLIB_LAYOUT(model::format::Vertex, CONTACTLIB_FIELD(p))
CONTACTLIB_LAYOUT(model::format::Surface, CONTACTLIB_FIELD(first_vertex), CONTACTLIB_FIELD(vertex_count),
                  CONTACTLIB_FIELD(first_face), CONTACTLIB_FIELD(face_count), CONTACTLIB_FIELD(first_loop),
                  CONTACTLIB_FIELD(loop_count))
CONTACTLIB_LAYOUT(model::format::Element, CONTACTLIB_FIELD(name), CONTACTLIB_FIELD(kind), CONTACTLIB_FIELD(ports),
                  CONTACTLIB_FIELD(first_number), CONTACTLIB_FIELD(number_count), CONTACTLIB_FIELD(first_integer),
                  CONTACTLIB_FIELD(integer_count))

}  // namespace contactlib
