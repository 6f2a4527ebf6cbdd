// Data: one instance's mutable part, all allocated in make().
// `state` is one block of plain numbers that holds the whole future: copy it and the run repeats to the last bit.
#pragma once

#include <vector>

#include "contact.hpp"
#include "geometry/overlap/section/scratch.hpp"
#include "model/model.hpp"
#include "user_laws.hpp"

namespace contactlib::state {

using bounding::Candidate, bounding::Walk;
using geometry::ManifoldPoint, geometry::OverlapScratch, geometry::SeparatingAxis;
using law::LawParameters, law::law_parameters;
using model::BodyState, model::ElementScratch, model::state_width;

struct Wrench {
  Vec3 force;   // N
  Vec3 torque;  // N m, about the body's origin
};
inline constexpr int wrench_width = 6;

// what is remembered of one contact, in the axes of body B, so that it turns with the surface.
struct Memory {
  double key;       // of its two shapes, see memory.hpp
  double feature, slipping;
  double age;  // s
  Vec3 z_B;  // m, deflection of the bristle
  Vec3 s_B;  // rad, deflection of the rolling spring
  Vec3 n_B;  // the normal it stood on
  Vec3 p_BC; // m, where it was
};
inline constexpr int memory_width = 16;

// what stands behind it in scenes with contact models; then comes what the caller's own models remember.
struct Attachment {
  Vec3 p_A, p_B;  // m, anchors in the axes of their bodies, from their origins
  double load_share;   // of the force
  double stored;  // J
  double ended;   // 1: its model let go, and the shapes have not separated yet
};
inline constexpr int grip_width = 9;
static_assert(sizeof(Attachment) == grip_width * sizeof(double));
static_assert(sizeof(Memory) == memory_width * sizeof(double));
static_assert(sizeof(LawParameters) == law_parameters * sizeof(double));

// the head of the state block.
struct Globals {
  double time;               // s
  double step_size;          // s, tunable
  double resolve_in;         // a Frame
  double wrench_output;      // a WrenchOutput
  double coupling;           // a Coupling, tunable
  double coupled_step;       // s, how long the last coupled step was; 0: there was none, or a jump since
  double fresh;              // 1: the outputs belong to the present state
  double work;               // J, taken from the bodies by all contacts so far
  double contact_count;
  double deep_count;         // of them, deeper than their definition is for: deep.hpp
  double max_depth;          // m
  double energy_stored;      // J, in normal springs and bristles
  double energy_dissipated;  // J, the integral of the contacts' heat
  double energy_error;       // J, of contacts and elements together: see energy.hpp
  double whole_work;         // J, that contacts and elements took from the bodies that are not theirs
  double whole_stored;       // J, of contacts and elements
  double given;              // J, stored at the start, and wherever states were put without a step
  double heat;               // W, of all contacts now
  double heat_half;          // J, half of the last sub-step's heat, which counts with the next one
  double begun;              // 1 from the first sub-step on
  double stored_most;        // J, and the range of `whole_work`: the scale of the error
  double work_low, work_high;
  double turned_first;       // J, energy turned over when the error was first judged
  double lasts;              // sub-steps since nothing touched
  double gap_told, gap_time; // 1 from when the error was too large, s
  double gap_then, gap_of;   // and the error and the energy turned over at that time, J
  double deep_told, deep_time;  // 1 from when a contact was first deep, s
  double deep_depth, deep_limit, deep_body, deep_other;  // and which: m, m
  double step_over;          // the longest step so far over what contacts could bear, and that step and limit, s
  double step_taken, step_limit;
  double stiff_body, stiff_other, stiff_law;  // of the contact that could bear least
  double memory_count;
};
inline constexpr int globals_width = sizeof(Globals) / sizeof(double);

// the response of an interface body to a wrench, over the response that its mass in the scene gives: see response.hpp.
struct ResponseFactor {
  double value;              // 1: as in the scene
  double S_uu, S_yu, noise;  // sums over steps, with forgetting
};
struct Response {
  ResponseFactor force, torque;
  Wrench rate;   // of momentum, over the last step; about the centre of mass
  Wrench held;   // the wrench that the master held over that step
  double known;  // 1: there was such a step
};

// what the coupling keeps of an external body from one communication step to the next, world axes.
struct Interface {
  BodyState expected;  // the predicted inputs of the next step
  Wrench outside;      // load of the plant, about the centre of mass, scaled to the mass in the scene
  BodyState start;     // the inputs of the last step
  Wrench held;         // the output that the master holds over the last step, axes: resolve_in
  Response response;
};
inline constexpr int interface_width = 2 * state_width + 4 * wrench_width + 9;
static_assert(sizeof(Interface) == interface_width * sizeof(double));

// what the coupling keeps of all external bodies together.
struct Exchange {
  double longest_step;  // s, the longest recent communication step
  double budget;        // J, energy budget at the start of the last step: energy_budget.hpp
  double supplied;      // J, that motors had supplied until then
  double known;         // 1: the budget is known
};
inline constexpr int exchange_width = sizeof(Exchange) / sizeof(double);

// how sub-steps move interface bodies: along the twist of the inputs, under the wrench that was output last, or under
// the present wrench of contacts and elements.
enum class InterfaceMotion { twist, held_wrench, present_wrench };

// the contacts of candidate `candidate`: points [first, first + count) of a pool.
struct Found {
  std::uint32_t candidate, first, count;
};

// what one thread finds in a portion of candidates.
struct Pool {
  std::vector<ManifoldPoint> points;
  std::vector<Found> found;
  OverlapScratch scratch;
  std::vector<SeparatingAxis> separating_axes;  // by shapes, each in the place that `separating_axis_of` gives it
  std::size_t point_count = 0, found_count = 0;
  std::size_t needed = 0;  // contacts, with those that found no room
};

// the energy of one element.
struct ElementEnergy {
  double stored;      // J, that it could give back
  double heat;        // W, what it loses now
  double supply;      // W, what its motors put in now
  double lost;        // J, the integral of `heat`
  double dissipated;  // J, the most that it was so far: heat never comes back
  double supplied;    // J, put in so far
  double begun;       // 1 from the first step on: only then is a jump of a command work
  double turns;  // 1 where its action changes by itself as this step ends: the next step evaluates the start again
};
inline constexpr int energy_width = sizeof(ElementEnergy) / sizeof(double);

// where the numbers of an element begin in `state`; `next` in element_next. commands as they were given, their rates,
// commands as they are, and as they were when the last step ended.
struct ElementSlots {
  std::size_t energy, parameters, commands, rates, present, held, outputs, state, next;
};

struct Data;

// evaluates the present portion of `count` candidates, chunk by chunk: see contacts.hpp.
using Narrow = void (*)(const Model& model, Data& data, std::size_t count);

// behind a memory, in scenes with contact models
inline const Attachment& attachment_of(const Memory& memory) noexcept {
  return *reinterpret_cast<const Attachment*>(&memory + 1);
}
inline Attachment& attachment_of(Memory& memory) noexcept { return *reinterpret_cast<Attachment*>(&memory + 1); }
inline const double* own_of(const Memory& memory) noexcept {
  return reinterpret_cast<const double*>(&memory) + memory_width + grip_width;
}
inline double* own_of(Memory& memory) noexcept {
  return reinterpret_cast<double*>(&memory) + memory_width + grip_width;
}

// whether the model moves bodies by itself.
bool has_free_bodies(const Model& model) noexcept;

// whether there are interface bodies: external ones with a mass.
bool has_interfaces(const Model& model) noexcept;

// where a body starts, w in the axes of the model's resolve_in.
BodyState start_at_boundary(const Model& model, std::size_t body) noexcept;

// scratch of a coupled step (step/coupling.hpp), empty without interface bodies. nothing in it outlasts the step.
struct CouplingScratch {
  // per body, N s, N m s: the impulses of the predicted wrench, and those of the trial under the first mean. of
  // interface bodies about the centre of mass
  std::vector<Wrench> impulses, held_impulses;
  std::vector<Wrench> mean;  // per body, N, N m: the predicted wrench
  // per body: the end of the trial under the present wrenches, and of the one under the first mean
  std::vector<BodyState> present_end, held_end;
  std::vector<Quat> q_start;        // per body, attitude at the start of the predicted interval
  std::vector<Mat3> R_middle;       // per body, attitude in its middle
  double free_work = 0.0;           // J, work of wrenches on free bodies in the last run of sub-steps
  std::vector<double> start_state;  // `state` at the start of the predicted interval
  std::vector<Contact> contacts;    // of the accepted step, while a trial runs
};

struct Data {
  Status make(const Model& model, std::size_t chunks = 1) noexcept;
  Status grow(const Model& model,
              std::size_t contacts) noexcept;  // room for so many; between steps alone, see room.hpp
  void reset(const Model& model) noexcept;                         // back to the start values

  // parts of the state block, each an array over bodies, laws or remembered contacts
  Globals& globals() noexcept { return *at<Globals>(0); }
  const Globals& globals() const noexcept { return *reinterpret_cast<const Globals*>(state.data()); }
  BodyState* inputs() noexcept { return at<BodyState>(inputs_at); }  // as the boundary gives them (resolve_in)
  Wrench* input_rates() noexcept { return at<Wrench>(rates_at); }  // d/dt of the inputs v and w, or of the load
  Wrench* applied() noexcept { return at<Wrench>(applied_at); }  // outside load on free bodies, world axes
  Wrench* thrust() noexcept { return at<Wrench>(thrust_at); }  // one that turns with its body, body axes
  // of free bodies at the boundary, none in a model without them (resolve_in): loads, whose rates are in input_rates,
  // and where they start
  Wrench* loads() noexcept { return at<Wrench>(loads_at); }
  BodyState* starts() noexcept { return at<BodyState>(starts_at); }
  BodyState* bodies() noexcept { return at<BodyState>(bodies_at); }  // world axes
  const BodyState* bodies() const noexcept { return at<const BodyState>(bodies_at); }
  Wrench* wrenches_W() noexcept { return at<Wrench>(wrenches_at); }  // of contacts and elements, world axes
  Wrench* contact_wrenches_W() noexcept { return at<Wrench>(contact_wrenches_at); }  // the same without elements
  Wrench* explicit_wrenches_W() noexcept { return at<Wrench>(explicit_wrenches_at); }  // without implicit elements
  Wrench* outputs() noexcept { return at<Wrench>(outputs_at); }  // wrenches as the boundary wants them
  BodyState* reports() noexcept { return at<BodyState>(reports_at); }  // states as the boundary wants them
  Interface* interfaces() noexcept { return at<Interface>(interfaces_at); }  // none in a model without interface bodies
  Exchange& exchange() noexcept { return *at<Exchange>(exchange_at); }  // nor this
  LawParameters* laws() noexcept { return at<LawParameters>(laws_at); }  // tunable
  const LawParameters* laws() const noexcept { return at<const LawParameters>(laws_at); }
  ElementEnergy& energy(std::size_t element) noexcept { return *at<ElementEnergy>(elements[element].energy); }
  const ElementEnergy& energy(std::size_t element) const noexcept {
    return *at<const ElementEnergy>(elements[element].energy);
  }
  // remembered contacts, sorted by key
  Memory& memory(std::size_t k) noexcept { return *at<Memory>(memory_at + k * memory_stride); }
  const Memory& memory(std::size_t k) const noexcept { return *at<const Memory>(memory_at + k * memory_stride); }

  // what a call that may fail begins with, and what it ends with when it has failed: all is as before. the contacts of
  // before are out of sight meanwhile.
  void keep() noexcept;
  void put_back() noexcept;

  std::size_t used() const noexcept;  // how many numbers of `state` hold something now

  std::vector<double> state;
  std::size_t inputs_at, rates_at, applied_at, thrust_at, loads_at, starts_at, bodies_at, wrenches_at,
      contact_wrenches_at, outputs_at, reports_at, interfaces_at, exchange_at, laws_at, memory_at, explicit_wrenches_at,
      memory_stride;
  std::vector<ElementSlots> elements;

  // scratch: no past, no future
  Narrow narrow;  // serial, unless a caller with threads sets its own
  std::vector<Candidate> walked;  // a portion of candidates as the trees give them
  std::vector<Candidate> candidates;  // the same, sorted by row of the pair table, simpler shape first
  std::vector<Walk::Open> open;  // the walk's stack
  std::vector<Pool> pools;  // one for each chunk
  std::vector<Contact> contacts;
  std::size_t count = 0;  // of contacts
  std::size_t needed = 0;  // contacts, with those that found no room
  std::size_t volume_tests = 0;  // of the last evaluation
  std::size_t candidate_pairs = 0;  // of the last evaluation
  std::vector<Attachment> attachments;  // per contact, of scenes with contact models
  std::vector<double> own;  // per contact, what the caller's models remember
  UserLaws user_laws;
  std::vector<const Memory*> claims;  // per contact of a manifold: its memory
  std::vector<unsigned char> claimed;  // per remembered contact: taken by a contact of this step
  std::vector<std::uint32_t> by_key;  // contacts in the order of their keys
  std::vector<Mat3> R_WB;  // per body
  std::vector<BodyState> stage;  // per body, for the integrator
  std::vector<BodyState> before;  // per body, at the start of a sub-step
  std::vector<Wrench> wrenches_before;  // of contacts, and of contacts and elements as they move the bodies
  std::vector<Wrench> whole_before;
  std::vector<Wrench> mean;  // per body, over the last run of sub-steps
  double tau = 0.0;  // s, since the inputs were given; extrapolate() alone writes it
  CouplingScratch coupling;
  std::vector<double> backup;  // the state before a call that may fail, and its contacts: see keep()
  std::vector<Contact> backup_contacts;
  std::size_t backup_count = 0;
  std::vector<double> element_next;  // states of elements at the end of the present step
  std::vector<std::unique_ptr<ElementScratch>> element_scratch;

 private:
  void grow_capacity(const Model& model, std::size_t contacts);
  std::size_t lay_out_elements(const Model& model, std::size_t size);

  template <class T>
  T* at(std::size_t offset) noexcept {
    return reinterpret_cast<T*>(state.data() + offset);
  }
  template <class T>
  T* at(std::size_t offset) const noexcept {
    return reinterpret_cast<T*>(state.data() + offset);
  }
};

}  // namespace contactlib::state
