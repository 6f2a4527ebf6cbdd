// Snares: cables attached to bodies, in contact with shapes and each other, with a ring that rotates some of their ends
// and a carriage that moves all of them. One step is implicit in all stiff parts, with
//   x  velocities of the cables' nodes except held ends
//   V  velocities of the free bodies, of ring and carriage
//   T  map from V to the velocities of the ends
//   J, G  maps from x and V to the velocities of the contacts
//   p  impulses at the contacts
//
//   [ A_ii      A_ie T          ] [ x ]   [ b_i           ]   [ J^T ]
//   [ T^T A_ei  M + T^T A_ee T  ] [ V ] = [ M V0 + T^T b_e] + [ G^T ] p       u = J x + G V complements p
//
// A and b belong to the cables (cable.hpp). A is block-banded; its factor and the small Schur complement
//   S = M + T^T (A_ee - A_ei A_ii^-1 A_ie) T
// leave a mixed complementarity problem in p alone (solve/coulomb.hpp), which also contains motors, brakes and stops.
// See docs/snare.md.
#pragma once

#include "control.hpp"
#include "element/cable/skin.hpp"
#include "element/drive.hpp"
#include "element/elements.hpp"
#include "solve/coulomb.hpp"

namespace contactlib::element {

using model::ElementDesign;
using state::wrench_width;

// Parameters and commands. The element `cables` has the same parameters and no commands.
enum class SnareParameter : int { friction, cable_friction, break_load, count };
enum class SnareCommand : int { command, ring_voltage, carriage_voltage, ring_rate, carriage_rate, count };

inline double snare_command(const ElementNow& now, SnareCommand which) noexcept {
  return now.element.commands.empty() ? 0.0 : now.commands[static_cast<int>(which)];
}

// The attachment of an end of a cable: a point of a body of the element, for ring and carriage at 0.
struct SnareAttachment {
  std::int32_t body = 0;
  bool turns = false;  // with the ring, body 0 only
  bool slides = false;  // with the carriage, body 0 only
  bool free = false;  // no attachment
  Vec3 p_BE = Vec3::Zero();  // m
};

struct SnareCable {
  CableDesign cable;
  CableSkin skin;
  SnareAttachment attachments[2];
  bool touches_itself = false;
};

struct SnareDesign : ElementDesign {
  std::vector<SnareCable> cables;
  std::vector<CableObstacle> obstacles;  // bodies of `bodies` below, filled in by the scratch
  std::vector<std::int32_t> obstacle_body;  // which of the element's bodies carries it
  Vec3 p_BC = Vec3::Zero();  // m, middle of the ring in body 0
  Vec3 axis_B = Vec3::UnitZ();  // unit, of ring and carriage
  Drive ring, carriage;  // rad, m
  std::int32_t carriage_body = -1;  // of the element's bodies, driven: it stands on body 0 and moves with the carriage
  bool controlled = false;  // by the logic of control.hpp; else the commands are voltages
  ControlDesign control{};
  std::int32_t touches = 0;  // capacity for contacts
};

// The state of a snare, all doubles: the head; for each cable `SnareCableHead` and its nodes' q and v in the axes of
// body 0; the wrenches on its bodies; and the impulses of the last step by their keys.
struct SnareHead {
  double ring, ring_rate, carriage, carriage_rate;
  double ring_current, carriage_current;  // A
  double ring_voltage, carriage_voltage, ring_on, carriage_on, ring_brake, carriage_brake;
  double stored, heat, supply;  // J, W, W: of the last step
  double time, ring_load, carriage_load;  // s; N m, N of the cables
  double touches, iterations, overlap;  // of the last step: places, iterations of the solver, the deepest, m
  double iteration_limit_reached;  // steps so far that the solver left unfinished
  double remembered;  // impulses below
  ControlState control;
};
struct SnareCableHead {
  double broken, tension, mean_tension;  // N, the most and the mean of its elements
  double force[2][3];  // N, world axes, of the cable on its ends
};
struct SnareMemory {
  double key, impulse[3];  // N s: normal, along the cable, across it
};
inline constexpr int head_width = sizeof(SnareHead) / sizeof(double);
inline constexpr int cable_head_width = sizeof(SnareCableHead) / sizeof(double);
inline constexpr int memory_numbers = sizeof(SnareMemory) / sizeof(double);

// Access to that block by name.
template <class Number>
struct SnareBlock {
  Number* at;
  const SnareDesign& design;
  std::size_t bodies;

  template <class T>
  using Like = std::conditional_t<std::is_const_v<Number>, const T, T>;
  Like<SnareHead>& head() const noexcept { return *reinterpret_cast<Like<SnareHead>*>(at); }
  Like<SnareCableHead>& cable(std::size_t k) const noexcept {
    return *reinterpret_cast<Like<SnareCableHead>*>(at + cable_at(k));
  }
  Number* q(std::size_t k) const noexcept { return at + cable_at(k) + cable_head_width; }
  Number* v(std::size_t k) const noexcept { return q(k) + nodes(k) * BlockCholesky::size; }
  Number* wrenches() const noexcept { return at + cable_at(design.cables.size()); }  // wrench_width each
  Like<SnareMemory>* memory() const noexcept {
    return reinterpret_cast<Like<SnareMemory>*>(wrenches() + bodies * wrench_width);
  }
  std::size_t size() const noexcept {
    return cable_at(design.cables.size()) + bodies * wrench_width + design.touches * memory_numbers;
  }

 private:
  std::size_t nodes(std::size_t k) const noexcept { return design.cables[k].cable.nodes(); }
  std::size_t cable_at(std::size_t k) const noexcept {
    std::size_t at = head_width;
    for (std::size_t i = 0; i < k; ++i) at += cable_head_width + 2 * BlockCholesky::size * nodes(i);
    return at;
  }
};

}  // namespace contactlib::element
