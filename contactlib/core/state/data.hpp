// Data: the mutable part of one instance, all allocated in make().
// `state` is one block of numbers that determines the further run: a copy of it repeats the run to the last bit.
#pragma once

#include <cstdint>
#include <vector>

#include "auto_scratch.hpp"
#include "cached_candidates.hpp"
#include "contact.hpp"
#include "geometry/overlap/surface_pieces.hpp"
#include "model/mass_properties.hpp"
#include "near_pairs.hpp"
#include "state_copy.hpp"
#include "user_laws.hpp"

namespace contactlib::state {

using bounding::Walk;
using geometry::ManifoldPoint, geometry::SeparatingAxis, geometry::SurfaceScratch;
using law::LawParameters, law::law_parameters;
using model::Body, model::BodyState, model::ElementScratch, model::MassProperties, model::state_width;

struct Wrench {
  Vec3 force;   // N
  Vec3 torque;  // N m, about the body's origin
};
inline constexpr int wrench_width = 6;

// The state of one contact between steps, in the axes of body B, so that it rotates with the surface.
struct Memory {
  double key;       // names its two shapes, see memory.hpp
  double feature, slipping;
  double age;  // s
  Vec3 z_B;  // m, deflection of the bristle
  Vec3 s_B;  // rad, deflection of the rolling spring
  Vec3 n_B;  // normal of the contact
  Vec3 p_BC; // m, contact point
  Vec3 turn_B;  // rad, of a surface: by which the bristles are bent about the contact point
  double stretch;  // m, of a surface: the mean bristle deflection
};
inline constexpr int memory_width = 20;

// Follows the Memory in scenes with contact models; the states of user laws come behind it.
struct Attachment {
  Vec3 p_A, p_B;  // m, attachment points in the axes of their bodies
  double load_share;   // of the force
  double stored;  // J
  double ended;   // 1: detached, and the shapes have not separated yet
};
inline constexpr int attachment_width = 9;
static_assert(sizeof(Attachment) == attachment_width * sizeof(double));
static_assert(sizeof(Memory) == memory_width * sizeof(double));
static_assert(sizeof(LawParameters) == law_parameters * sizeof(double));

// The head of the state block.
struct Globals {
  double time;               // s
  double step_size;          // s, tunable
  double resolve_in;         // a Frame
  double wrench_output;      // a WrenchOutput
  double coupling;           // a Coupling, tunable
  double next_step;          // s, input: length of the next communication step; 0: unknown
  double mass_tolerance;     // from 1 on, tunable: energy_budget.hpp
  double coupled_step;       // s, length of the last coupled step; 0: there was none, or a jump since
  double fresh;              // 1: the outputs belong to the present state
  double tuned;              // 1: a parameter of a law or an element was set since the last step or evaluation
  double work;               // J, work of the bodies on all contacts so far
  double contact_count, deep_count, max_depth;  // contacts, those of them that are deep (deep.hpp), and m
  double energy_stored;      // J, in normal springs and bristles
  double energy_dissipated;  // J, integral of the contacts' heat
  double energy_error;       // J, of contacts and elements together, see energy.hpp
  double total_work;         // J, work of the bodies on contacts and elements, without driven bodies
  double total_stored;       // J, of contacts and elements
  double jumps;              // J, stored at the start and after placements without a step
  double heat;               // W, of all contacts
  double heat_half;          // J, half of the last sub-step's heat, which is added with the next one
  double begun;              // 1 from the first sub-step on
  double max_stored, work_low, work_high;  // J, largest stored energy and range of `total_work`: the scale of the error
  double kinetic_known, first_kinetic;  // 1 after the first step, and J, the kinetic energy at its start
  double kinetic_change;  // J, its largest change since then
  double first_exchanged;  // J, exchanged energy at the first check of the error
  double contact_steps;  // number of sub-steps in contact
  double gap_reported, gap_time;  // 1 after the error was too large, and s, time of that
  double gap_error, gap_exchanged;  // J, error and exchanged energy at that time
  double deep_reported, deep_time;  // 1 after a contact was deep, and s, time of that
  double deep_depth, deep_limit, deep_body, deep_other;  // m, depth and limit, and the bodies
  double deep_load;  // N, of a surface contact past the middle of the thinner solid; 0: a contact with a mesh
  double fast_reported, fast_time;  // 1 after bodies moved through more than they are thick in a sub-step, and s
  double fast_way, fast_thickness, fast_step;  // m, what they moved by and are thick; s, that sub-step
  double fast_body, fast_other;  // and the bodies
  double max_step_ratio;  // largest ratio of a step to its limit so far, and s, that step and limit
  double step_taken, step_limit;
  double stiff_body, stiff_other, stiff_law;  // bodies and law of the contact with the least limit
  double auto_step;  // 1: the core chooses its sub-steps, see auto_step.hpp; tunable
  double contact_step;  // s, longest sub-step that the present contacts allow; 0: none
  double last_sub_step;  // s, of implicit elements, see auto_step.hpp; 0: unknown
  double sub_steps, refused_sub_steps;  // numbers of sub-steps and of refused trials in the last step
  double sub_step_time, shortest_sub_step;  // s, sum of all and the shortest sub-step in the last step
  double max_iterations, max_sub_steps;  // limits of the work of a sub-step and of a step, tunable; 0: none
  double sub_step_limit_reached, limited;  // number of steps that max_sub_steps limited; 1: the last step was one
  double limit_reported, limit_time, limit_step, limit_wanted;  // 1 after the first of them, and s of it
  double floor_reported, floor_time, floor_step, floor_wanted;  // 1 after a sub-step was as short as allowed, and s
  double memory_count;
};
inline constexpr int globals_width = sizeof(Globals) / sizeof(double);

// Ratio of an interface body's response to a wrench to the response of its mass in the scene: response/response.hpp.
struct ResponseFactor {
  double value;  // 1: as in the scene
  double S_uu, S_yu, noise;  // fading sums over steps
};
// What the two factors leave unexplained: response/mobility.hpp. Of symmetric matrices, the rows of the lower triangle.
struct ResponseMatrix {
  double known, acts;  // 1: D is not zero; 1: it is used
  double D[21], C[21];
  double rest, rest_of_factors;  // fading sums of the squares that S and the factors alone leave unexplained
};
struct Response {
  ResponseFactor force, torque;
  ResponseMatrix matrix;
  Wrench rate;  // rate of momentum over the last step, about the centre of mass
  Wrench held;  // the wrench that the master held over that step
  double known;  // 1: there was such a step
};

// Fading sums of the changes of an interface body over steps: order.hpp.
struct OrderSums {
  double yy, yu, uu, yv, vv;  // W/s
};
struct Order {
  OrderSums force, torque;
  double changes;  // number of them
};

// State of the coupling for an external body between communication steps, world axes.
struct Interface {
  BodyState expected;  // the predicted inputs of the next step
  Wrench outside;  // load of the plant, about the centre of mass, scaled to the mass in the scene
  BodyState start;  // the inputs of the last step
  Wrench held;  // the output that the master holds over the last step, axes: resolve_in
  Wrench held_before;  // and over the step before it
  Wrench other;  // the wrench in the other order of stepping, about the centre of mass, world axes
  Order order;
  Response response;
  Wrench end;  // of contacts and elements at the end of the last step, world axes
  double path_work;  // J, of contacts and elements in the last step
  double energy_error;  // J, created by the interface so far
  double recommended_step;  // s, that resolves the stiffest contact so far; 0: unknown
  double island;  // number of the body that stands for the island in the last step: step/islands.hpp
  double budget, debt;  // J, parts of those of its island: energy_budget.hpp, interface_energy.hpp
  double stored;  // J, part of what contacts store, of the last step or evaluation
  double supplied;  // J, part of what motors had supplied when the last step began
};
inline constexpr int interface_width = 2 * state_width + 7 * wrench_width + 74;
static_assert(sizeof(Interface) == interface_width * sizeof(double));

// State of the coupling for all external bodies together.
struct Exchange {
  double longest_step;  // s, the longest recent communication step
  double announced;  // s, `next_step` as the last step or evaluation saw it
  double known;  // 1: the energy budgets are known
  double conserves;  // 1: the wrench held over the last step was made to conserve the energy of the interface
  double consistency;  // part of the bodies' changes that the expected order of stepping explains
  double swapped, swapped_time;  // 1 after the master stepped in the other order, and s, time of that
  double made_for;  // s, length of a step over which the last output does so; 0: none
};
inline constexpr int exchange_width = sizeof(Exchange) / sizeof(double);

// The largest force of contacts and elements on a body within the last step.
struct Peak {
  double force, time;  // N, s
};
inline constexpr int peak_width = 2;

// Motion of interface bodies in sub-steps: along the twist of the inputs, under the wrench of the last output, or under
// the present wrench of contacts and elements.
enum class InterfaceMotion { twist, held_wrench, present_wrench };

// The contacts of a candidate: points [first, first + count) of a pool.
struct Found {
  std::uint32_t candidate, first, count;  // count 0: of surfaces, and `first` is its number among those of the pool
};

// Contacts that one thread finds in a portion of candidates.
struct Pool {
  std::vector<ManifoldPoint> points;
  std::vector<Found> found;
  SurfaceScratch surface;
  std::vector<Contact> surface_contacts;  // with their forces
  std::size_t surface_count = 0, pieces_needed = 0;
  std::vector<SeparatingAxis> separating_axes;  // a hash table by shapes, see `separating_axis_of`
  std::size_t point_count = 0, found_count = 0;
  std::size_t needed = 0;  // number of contacts, including those beyond the capacity
};

// The energies of one element.
struct ElementEnergy {
  double stored;  // J
  double heat;  // W, dissipated power
  double supply;  // W, power of its motors
  double lost;  // J, integral of `heat`
  double dissipated;  // J, largest value of `lost` so far
  double supplied;  // J, integral of `supply`
  double begun;  // 1 from the first step on: a jump of a command before it does no work
  double turns;  // 1: its wrench changes at the end of this step, so the next step evaluates its start again
};
inline constexpr int energy_width = sizeof(ElementEnergy) / sizeof(double);

// Offsets of an element's numbers in `state`; `next` is one in element_next. `commands` as given, their `rates`, their
// `present` values, and `held`, the values at the end of the last step.
struct ElementSlots {
  std::size_t energy, parameters, commands, rates, present, held, outputs, state, next;
};

// Of a body with shapes, m: the ball about its origin that holds them, and the thickness of the thinnest.
struct BodyExtent {
  double radius, thickness;
};

// Evaluates the present portion of `count` candidates, chunk by chunk, see contacts.hpp.
using Narrow = void (*)(const Model& model, Data& data, std::size_t count);

// The Attachment behind a Memory, in scenes with contact models.
inline const Attachment& attachment_of(const Memory& memory) noexcept {
  return *reinterpret_cast<const Attachment*>(&memory + 1);
}
inline Attachment& attachment_of(Memory& memory) noexcept { return *reinterpret_cast<Attachment*>(&memory + 1); }
inline const double* own_of(const Memory& memory) noexcept {
  return reinterpret_cast<const double*>(&memory) + memory_width + attachment_width;
}
inline double* own_of(Memory& memory) noexcept {
  return reinterpret_cast<double*>(&memory) + memory_width + attachment_width;
}

// Whether the core moves bodies of the model.
bool has_free_bodies(const Model& model) noexcept;

// Whether there are interface bodies: external bodies with a mass.
bool has_interfaces(const Model& model) noexcept;

// The initial state of a body, w in the axes of the model's resolve_in.
BodyState start_at_boundary(const Model& model, std::size_t body) noexcept;

// Per body, another body of its island, or itself: step/islands.hpp.
using Islands = std::vector<std::int32_t>;

// J, of a body at rest after the first trial of a prediction: under the wrenches at its start and at its end over the
// interval, and after its impulses.
struct TrialEnergy {
  double start, end, impulse;

  TrialEnergy& operator+=(const TrialEnergy& other) noexcept {
    start += other.start, end += other.end, impulse += other.impulse;
    return *this;
  }
  bool lasting() const noexcept {  // at both ends a tenth of the mean force, which is 0.01 of its energy
    return std::min(start, end) > 0.01 * impulse;
  }
};

// Sums over an island, J: energy_budget.hpp, interface_energy.hpp.
struct IslandSums {
  double budget, debt, stored, linear, square, constant, factor;
  double count;  // of its bodies
  TrialEnergy trial;
  double tolerance = 1.0;  // the largest of its bodies
};

// Working memory of a coupled step (step/communication/coupling.hpp), empty without interface bodies. Nothing in it is
// kept between steps.
struct CouplingScratch {
  // per body, N s, N m s: impulses of the predicted wrench, and of the trial under the first mean; about the centre of
  // mass for interface bodies
  std::vector<Wrench> impulses, held_impulses;
  std::vector<Wrench> moments;  // per body: `impulses` times the part of the interval after them, in the first trial
  std::vector<Wrench> mean;  // per body, N, N m: the predicted wrench
  // per body: the end of the trial under the present wrenches, and of the one under the first mean
  std::vector<BodyState> present_end, held_end;
  std::vector<Quat> q_start;  // per body, attitude at the start of the predicted interval
  std::vector<Mat3> R_middle;  // per body, attitude in its middle
  std::vector<double> phase;  // per body, (w H)^2/2 of the predicted interval; 0: unknown
  std::vector<double> work;  // per body, J, of contacts and elements in the last run of sub-steps
  bool conserves = false;  // the last prediction conserves the energy of the interface
  std::vector<double> free_work;  // per body, J, of wrenches on free bodies in the last run of sub-steps
  Islands islands;  // of the last run, or of all trials of a prediction
  // per body, J: parts of what its island stores and has as budget and debt where the predicted interval starts, and of
  // what motors and free bodies supply in a trial
  std::vector<double> stored, budget, debt, supplied, supplied_before;
  std::vector<TrialEnergy> trial;  // per body
  std::vector<IslandSums> sums;  // by the body that stands for an island
  StateCopy start;  // the state at the start of the predicted interval
  std::vector<Contact> contacts;  // contacts of the accepted step while a trial runs
};

struct PatchQuery;

struct Data {
  // `contacts`: capacity at first, if it may grow; by default that of the model
  Status make(const Model& model, std::size_t chunks = 1, std::size_t contacts = SIZE_MAX) noexcept;
  // between steps only, see boundary/capacity.hpp: capacity for contacts, and for near pairs of bodies
  Status grow(const Model& model, std::size_t contacts) noexcept;
  Status grow_near(std::size_t wanted) noexcept;
  Status grow_pieces(std::size_t wanted) noexcept;  // of a surface contact
  void reset(const Model& model) noexcept;  // returns to the start values

  // parts of the state block, each an array over bodies, laws or remembered contacts
  Globals& globals() noexcept { return *at<Globals>(0); }
  const Globals& globals() const noexcept { return *reinterpret_cast<const Globals*>(state.data()); }
  BodyState* inputs() noexcept { return at<BodyState>(inputs_at); }  // in the axes of resolve_in
  Wrench* input_rates() noexcept { return at<Wrench>(rates_at); }  // rates of the inputs v and w, or of the load
  Wrench* applied() noexcept { return at<Wrench>(applied_at); }  // external load on free bodies, world axes
  Wrench* thrust() noexcept { return at<Wrench>(thrust_at); }  // external load that rotates with its body, body axes
  // of free bodies at the boundary, in the axes of resolve_in: loads, whose rates are in input_rates, and initial
  // states
  Wrench* loads() noexcept { return at<Wrench>(loads_at); }
  BodyState* starts() noexcept { return at<BodyState>(starts_at); }
  BodyState* bodies() noexcept { return at<BodyState>(bodies_at); }  // world axes
  const BodyState* bodies() const noexcept { return at<const BodyState>(bodies_at); }
  Wrench* wrenches_W() noexcept { return at<Wrench>(wrenches_at); }  // of contacts and elements, world axes
  Wrench* contact_wrenches_W() noexcept { return at<Wrench>(contact_wrenches_at); }  // of contacts only
  Wrench* explicit_wrenches_W() noexcept { return at<Wrench>(explicit_wrenches_at); }  // without implicit elements
  Wrench* outputs() noexcept { return at<Wrench>(outputs_at); }  // wrenches at the boundary
  BodyState* reports() noexcept { return at<BodyState>(reports_at); }  // states at the boundary
  Peak* peaks() noexcept { return at<Peak>(peaks_at); }
  Interface* interfaces() noexcept { return at<Interface>(interfaces_at); }  // empty without interface bodies
  Exchange& exchange() noexcept { return *at<Exchange>(exchange_at); }  // only with interface bodies
  const Exchange& exchange() const noexcept { return *at<const Exchange>(exchange_at); }
  MassProperties* mass_properties() noexcept { return at<MassProperties>(mass_properties_at); }  // tunable
  const MassProperties* mass_properties() const noexcept { return at<const MassProperties>(mass_properties_at); }
  LawParameters* laws() noexcept { return at<LawParameters>(laws_at); }  // tunable
  const LawParameters* laws() const noexcept { return at<const LawParameters>(laws_at); }
  ElementEnergy& energy(std::size_t element) noexcept { return *at<ElementEnergy>(elements[element].energy); }
  const ElementEnergy& energy(std::size_t element) const noexcept {
    return *at<const ElementEnergy>(elements[element].energy);
  }
  // contact states, sorted by key
  Memory& memory(std::size_t k) noexcept { return *at<Memory>(memory_at + k * memory_stride); }
  const Memory& memory(std::size_t k) const noexcept { return *at<const Memory>(memory_at + k * memory_stride); }

  // A call that may fail starts with begin_call(). If it fails, roll_back() restores the state and the contacts; the
  // contacts are not accessible in between. Without new inputs the numbers from the inputs to the start states stay as
  // they are, nearly half of those of a body.
  void begin_call(bool new_inputs) noexcept;
  void roll_back() noexcept;

  std::size_t used() const noexcept;  // number of used numbers of `state`

  std::vector<double> state;
  std::size_t inputs_at, rates_at, applied_at, thrust_at, loads_at, starts_at, bodies_at, wrenches_at,
      contact_wrenches_at, outputs_at, reports_at, peaks_at, interfaces_at, exchange_at, mass_properties_at, laws_at,
      memory_at, explicit_wrenches_at, memory_stride;
  std::vector<ElementSlots> elements;

  // working memory
  std::int32_t present_pair = -1;  // of bodies, whose candidates `narrow` evaluates
  double present_h = 0.0;  // s, time since the memory was written
  PatchQuery* patch_query = nullptr;  // while a query of patches evaluates contacts: state/contact_patches.hpp
  Narrow narrow;  // serial by default; a caller with threads sets its own
  NearPairs near;  // of scenes with many pairs of bodies
  CachedCandidates cached;  // of scenes with few pairs of bodies
  std::vector<Candidate> walked;  // a portion of candidates in the order of the trees
  std::vector<Candidate> candidates;  // the same portion, sorted by row of the pair table, simpler shape first
  std::vector<Walk::Open> open;  // stack of the tree traversal
  std::vector<Pool> pools;  // one for each chunk
  std::vector<Contact> contacts;
  std::size_t count = 0;  // number of contacts
  std::size_t needed = 0;  // number of contacts, including those beyond the capacity
  std::size_t pieces_needed = 0;  // of the surface contact with most of them
  std::size_t volume_tests = 0;  // of the last evaluation
  std::size_t candidate_pairs = 0;  // of the last evaluation
  std::vector<double> compliances;  // two per contact: stiffness and damping along the normal
  std::vector<Attachment> attachments;  // per contact, of scenes with contact models
  std::vector<double> own;  // per contact, states of user laws
  UserLaws user_laws;
  std::vector<const Memory*> claims;  // per contact of a manifold: its memory
  std::vector<unsigned char> claimed;  // per contact state: assigned to a contact of this step
  std::vector<std::uint32_t> by_key;  // contacts in the order of their keys
  std::size_t recalled = 0;  // memory behind the last that recollect_next() found
  std::vector<Body> plant;  // with the mass properties that hold in this call: step/plant.hpp
  std::vector<Mat3> R_WB;  // per body
  std::vector<BodyExtent> extents;  // per body
  std::vector<BodyState> stage;  // per body, for the integrator
  std::vector<BodyState> before;  // per body, at the start of a sub-step
  std::vector<Wrench> contact_wrenches_before;  // of contacts; and of contacts and elements on the bodies
  std::vector<Wrench> total_wrenches_before;
  std::vector<Wrench> mean;  // per body, over the last run of sub-steps
  double tau = 0.0;  // s, time since the inputs, at the start of a sub-step and wherever extrapolate() moved the bodies
  CouplingScratch coupling;
  AutoScratch trial;  // of a sub-step of a length that the core chooses
  StateCopy before_call;  // state and contacts at begin_call()
  std::vector<Contact> contacts_before;
  std::size_t count_before = 0;
  std::vector<double> element_next;  // states of elements at the end of the present step
  std::vector<std::unique_ptr<ElementScratch>> element_scratch;

 private:
  void grow_capacity(const Model& model, std::size_t contacts);
  void lay_out(const Model& model);
  void make_scratch(const Model& model, std::size_t chunks);
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
