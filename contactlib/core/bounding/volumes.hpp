// THE VOLUME TABLE: which tester answers for which two kinds of bounding volume. it is empty while every shape has
// only the ball about its origin, which needs no table.
#pragma once

#include "../contact.hpp"

namespace contactlib {

enum class VolumeKind : std::int32_t { sphere, aabb, obb };

using VolumeTester = bool (*)(const double* volume_a, const double* volume_b, const Placement& X) noexcept;

struct VolumeRow {
  VolumeKind a, b;
  VolumeTester apart;
};

// rows [0, volume_row_count)
const VolumeRow* volume_rows() noexcept;
extern const int volume_row_count;

}  // namespace contactlib
