// the model file, as model.py writes it. little endian, no padding:
//   header: magic 8, version u32, sections u32, checksum u64 (fnv-1a of every byte after it), sha-256 32
//   then per section: tag u32, record size u32, count u64, offset u64; then the sections' records.
#pragma once

#include <cstdint>

namespace contactlib::format {

inline constexpr char magic[8] = {'c', 'o', 'n', 't', 'a', 'c', 't', '\n'};
inline constexpr std::uint32_t version = 1;

enum Tag : std::uint32_t { scene, bodies, shapes, laws, pairs, strings, tags };

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
  std::uint32_t offset, length;  // into `strings`
};

struct Scene {
  Text name;
  double gravity[3];
  double step_size, duration;
  std::int32_t resolve_in, integrator, wrench_output, reserved;
};

struct Body {
  Text name;
  std::int32_t motion, reserved;
  double mass, com[3], inertia[9], start[13];
};

struct Shape {
  std::int32_t kind, body, material, rim;
  double size[6], p[3], q[4];
};

struct Law {
  Text name;
  std::int32_t normal, friction;
  double normal_parameters[4], friction_parameters[6];
};

struct Pair {
  std::int32_t shape_a, shape_b, law, reserved;
};

}  // namespace contactlib::format
