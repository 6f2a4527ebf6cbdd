// Data: one instance's mutable part, all allocated in make().
// `state` is one block of plain numbers that holds the whole future: copy it and the run repeats to the last bit.
#pragma once

#include <vector>

#include "model.hpp"

namespace contactlib {

struct Wrench {
  Vec3 force;   // N
  Vec3 torque;  // N m, about the body's origin
};
inline constexpr int wrench_width = 6;

// friction memory of one contact, in the axes of body B, so that it turns with the surface.
struct Memory {
  double pair, feature, slipping;
  Vec3 z_B;  // m, deflection of the bristle
  Vec3 n_B;  // the normal it stood on
};
inline constexpr int memory_width = 9;
static_assert(sizeof(Memory) == memory_width * sizeof(double));
static_assert(sizeof(LawParameters) == (max_normal_parameters + max_friction_parameters) * sizeof(double));

// the head of the state block.
struct Globals {
  double time;               // s
  double step_size;          // s, tunable
  double resolve_in;         // a Frame
  double wrench_output;      // a WrenchOutput
  double fresh;              // 1: the outputs belong to the present state
  double work;               // J, taken from the bodies by all contacts so far
  double contact_count;
  double max_depth;          // m
  double energy_stored;      // J, in normal springs and bristles
  double energy_dissipated;  // J, work - stored
  double memory_count;
};
inline constexpr int globals_width = sizeof(Globals) / sizeof(double);

// where a shape is, as the search for candidates needs it.
struct Placed {
  Vec3 p_BS_W;  // m, from its body's origin
  double bound;
  std::int32_t body;
};

struct Data {
  Status make(const Model& model) noexcept;
  void reset(const Model& model) noexcept;  // back to the start values

  // parts of the state block, each an array over bodies, laws or remembered contacts
  Globals& globals() noexcept { return *at<Globals>(0); }
  const Globals& globals() const noexcept { return *reinterpret_cast<const Globals*>(state.data()); }
  BodyState* inputs() noexcept { return at<BodyState>(inputs_at); }      // as the boundary gives them (resolve_in)
  Wrench* input_rates() noexcept { return at<Wrench>(rates_at); }        // d/dt of the inputs v and w
  Wrench* applied() noexcept { return at<Wrench>(applied_at); }          // outside load on free bodies, world axes
  BodyState* bodies() noexcept { return at<BodyState>(bodies_at); }      // world axes
  Wrench* wrenches_W() noexcept { return at<Wrench>(wrenches_at); }      // contact wrenches, world axes
  Wrench* outputs() noexcept { return at<Wrench>(outputs_at); }          // wrenches as the boundary wants them
  BodyState* reports() noexcept { return at<BodyState>(reports_at); }    // states as the boundary wants them
  LawParameters* laws() noexcept { return at<LawParameters>(laws_at); }  // tunable
  Memory* memory() noexcept { return at<Memory>(memory_at); }            // sorted by pair

  std::size_t used() const noexcept;  // how many numbers of `state` hold something now

  std::vector<double> state;
  std::size_t inputs_at, rates_at, applied_at, bodies_at, wrenches_at, outputs_at, reports_at, laws_at, memory_at;

  // scratch: no past, no future
  std::vector<std::uint32_t> candidates;  // pairs
  std::vector<Contact> contacts;
  std::size_t count = 0;
  std::vector<Mat3> R_WB;         // per body
  std::vector<Mat3> R_WS;         // per shape
  std::vector<Placed> placed;     // per shape
  std::vector<BodyState> stage;   // per body, for the integrator
  std::vector<BodyState> before;  // per body, at the start of a sub-step
  std::vector<Wrench> wrenches_before;
  std::vector<Wrench> mean;       // per body
  std::vector<double> backup;     // the state before a step that may fail

 private:
  template <class T>
  T* at(std::size_t offset) noexcept {
    return reinterpret_cast<T*>(state.data() + offset);
  }
};

// the state as bytes: model hash, length, numbers. restore() checks all three and leaves `data` alone on error.
std::size_t saved_size(const Data& data) noexcept;
void save(const Model& model, const Data& data, unsigned char* bytes) noexcept;
Status restore(const Model& model, Data& data, const unsigned char* bytes, std::size_t size) noexcept;

}  // namespace contactlib
