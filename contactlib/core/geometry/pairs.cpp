// THE PAIR TABLE: which kernel answers for which two kinds of shape, and how many contacts it can make.
#include "pairs.hpp"

#include "box.hpp"
#include "plane.hpp"
#include "round.hpp"
#include "socket.hpp"

namespace contactlib {

const char* const shape_names[shape_kinds] = {"point", "sphere", "capsule", "box", "socket", "plane"};

namespace {

constexpr PairRow none{nullptr, 0};

// clang-format off
constexpr PairRow table[shape_kinds][shape_kinds] = {
  //             point  sphere              capsule               box               socket               plane
  /* point   */ {none,  none,               none,                 none,             none,                {point_plane,   1}},
  /* sphere  */ {none,  {sphere_sphere, 1}, {sphere_capsule,  1}, {sphere_box,  1}, {sphere_socket,  1}, {sphere_plane,  1}},
  /* capsule */ {none,  none,               {capsule_capsule, 5}, {capsule_box, 8}, {capsule_socket, 8}, {capsule_plane, 2}},
  /* box     */ {none,  none,               none,                 none,             none,                {box_plane,     8}},
  /* socket  */ {none,  none,               none,                 none,             none,                none},
  /* plane   */ {none,  none,               none,                 none,             none,                none},
};
// clang-format on

}  // namespace

const PairRow& pair_row(int row) noexcept { return table[row / shape_kinds][row % shape_kinds]; }

}  // namespace contactlib
