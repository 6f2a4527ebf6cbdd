// A kind of element of the tests' own: an arm that turns a driven body about its carrier at a commanded speed, stores
// the angle, and pushes both bodies apart. Two instances differ. Usage: element_probe; it prints what it finds and
// exits with 1 at a fault.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>
#include <vector>

#include "boundary/describe.hpp"
#include "boundary/interface.hpp"
#include "boundary/saved_state.hpp"
#include "element/elements.hpp"
#include "math/rotation.hpp"
#include "step/communication/step.hpp"

static long allocations = 0;
void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace contactlib::element {

using math::turned;
using model::BodyState, model::Element, model::ElementScratch, model::Model;

namespace {

enum : int { hub, hand };
constexpr double far_off = 1e6;  // at this command the arm gives up

bool read_arm(ElementRecord&, const Model&, Element&) { return true; }

enum : int { push };
enum : int { speed };
enum : int { angle };

void place_arm(const ElementNow& now) noexcept {
  const BodyState carrier = now.body(hub);
  const double rate = now.commands[speed], turn = now.state[0] + now.h * rate;
  now.next[0] = turn;
  const Vec3 w_W(0.0, 0.0, rate), arm_W(std::cos(turn), std::sin(turn), 0.0);
  now.put(hand,
          {carrier.r_WB + arm_W, turned(Quat(1, 0, 0, 0), Vec3(0, 0, turn)), carrier.v_WB + w_W.cross(arm_W), w_W});
}

// Ports share the force. A row may change wrenches by addition only.
Status step_arm(const ElementNow& now) noexcept {
  if (now.commands[speed] > far_off) return {Code::bad_argument, -1, now.element.ports - 1};
  if (now.commands[speed] < -far_off) return {Code::bad_argument};
  const Vec3 f_W = now.parameters[push] * (now.body(hand).r_WB - now.body(hub).r_WB).normalized();
  now.add(hub, {-f_W, Vec3::Zero()});
  now.add(hand, {f_W, Vec3::Zero()});
  now.energy.stored = now.state[0];
  now.energy.heat = 2.0;
  now.energy.supply = now.commands[speed];
  for (std::int32_t k = 0; k < now.element.ports; ++k) now.output(angle)[k] = k + now.next[0];
  return {};
}

bool admits_arm(const Element&, const double* state) noexcept { return std::abs(state[0]) < far_off; }

constexpr ElementVariable parameters[] = {{push, {"push", "N", 0, false, "force between hub and hand"}}};
constexpr ElementVariable commands[] = {{speed, {"speed", "rad/s", unbounded, false, "rate of the arm"}}};
constexpr ElementVariable outputs[] = {{angle, {"angle", "rad", 0, false, "angle of each port"}, per_port}};
constexpr ElementRow row = [] {
  ElementRow row;
  row.name = "arm";
  row.failure = "it is too slow";
  row.port = "joint";
  row.port_failure = " is too fast";
  row.parameters = list(parameters, 1);
  row.commands = list(commands, 1);
  row.outputs = list(outputs, 1);
  row.read = read_arm;
  row.place = place_arm;
  row.step = step_arm;
  row.admits = admits_arm;
  return row;
}();
const RegisteredElement registered(row);

}  // namespace

}  // namespace contactlib::element

namespace {

using namespace contactlib;
using namespace contactlib::boundary;
using namespace contactlib::model;
using element::commands_jumped, element::far_off;
using state::Data;
using step::accept_commands, step::accept_inputs, step::advance, step::evaluate;

#define CHECK(condition)                                  \
  do {                                                    \
    if (!(condition)) {                                   \
      std::printf("line %d: %s\n", __LINE__, #condition); \
      std::exit(1);                                       \
    }                                                     \
  } while (0)

Element arm(const char* name, std::int32_t carrier, std::int32_t driven, std::int32_t ports, double speed) {
  Element element;
  element.name = name;
  element.row = element::element_rows().find("arm");
  element.ports = ports;
  element.bodies = {carrier, driven};
  element.parameters = {5.0};
  element.commands = {speed};
  element.state = {0.25};
  return element;
}

Body body(const char* name, Motion motion) {
  const BodyState start{Vec3::Zero(), Quat(1, 0, 0, 0), Vec3::Zero(), Vec3::Zero()};
  return {name, motion, 2.0, Vec3::Zero(), Mat3::Identity(), Mat3::Identity(), start};
}

// A free hub with one arm, and the world with another.
void fill(Model& model, Integrator integrator) {
  model.name = "probe";
  model.hash = std::string(64, 'a');
  model.options = {Vec3::Zero(), 0.01, 1.0, Frame::world, integrator, WrenchOutput::end, Coupling::none};
  model.bodies = {body("hub", Motion::free), body("hand", Motion::driven), body("lone", Motion::driven)};
  model.elements.push_back(arm("one", 0, 1, 1, 0.5));
  model.elements.push_back(arm("two", the_world, 2, 3, -2.0));
}

double value(const Model& model, const Data& data, const char* name) {
  for (const Variable& variable : variables(model))
    if (variable.name == name) return get_variable(variable, data);
  CHECK(!"a variable of that name");
  return 0.0;
}

void set(const Model& model, Data& data, const char* name, double number) {
  for (const Variable& variable : variables(model))
    if (variable.name == name) CHECK(set_variable(variable, data, number));
  accept_commands(model, data);
}

bool near(double a, double b) { return std::abs(a - b) < 1e-13; }

// States advance once a step, whatever the stages of the integrator evaluate; driven bodies follow.
void moves(Integrator integrator) {
  Model model;
  fill(model, integrator);
  Data data;
  CHECK(data.make(model));
  CHECK(evaluate(model, data));
  CHECK(near(value(model, data, "two.angle[3]"), 2.25));
  CHECK(advance(model, data, 0.1));
  CHECK(near(value(model, data, "one.angle[1]"), 0.30) && near(value(model, data, "two.angle[1]"), 0.05));
  CHECK(near(data.bodies()[2].r_WB[0], std::cos(0.05)) && near(data.bodies()[2].w_WB[2], -2.0));
  CHECK(near((data.bodies()[1].r_WB - data.bodies()[0].r_WB).norm(), 1.0));
  CHECK(near(value(model, data, "one.dissipated_energy"), 0.2) &&
        near(value(model, data, "one.supplied_energy"), 0.05));
  CHECK(data.globals().work == 0.0);  // contacts did nothing
  CHECK(near(data.wrenches_W()[0].force.norm(), 5.0) && data.bodies()[0].v_WB.norm() > 0.2);
}

// Commands with a rate change within a step, and an integral of heat and supply follows them.
void follows_rates(Integrator integrator) {
  Model model;
  fill(model, integrator);
  Data data;
  CHECK(data.make(model));
  data.state[data.elements[1].rates] = 4.0;
  CHECK(accept_inputs(model, data) && evaluate(model, data));
  CHECK(advance(model, data, 0.1));
  CHECK(near(value(model, data, "two.supplied_energy"), -2.0 * 0.1 + 0.5 * 4.0 * 0.01));
  // The next step starts with the value that the rate has reached: that is no jump; another command is one.
  data.state[data.elements[1].commands] += 0.4;
  CHECK(accept_inputs(model, data) && !commands_jumped(model, data));
  set(model, data, "two.speed", 1.0);
  CHECK(commands_jumped(model, data));
}

void repeats_and_refuses() {
  Model model;
  fill(model, Integrator::rk4);
  Data data;
  CHECK(data.make(model));
  set(model, data, "one.speed", 3.0);
  CHECK(advance(model, data, 0.05));
  std::vector<unsigned char> saved(saved_size(data)), again(saved.size());
  save(model, data, saved.data());
  const auto after = [&] {
    CHECK(advance(model, data, 0.05));
    return std::vector<double>(data.state.begin(), data.state.begin() + data.used());
  };
  const std::vector<double> first = after();
  CHECK(restore(model, data, saved.data(), saved.size()));
  CHECK(after() == first);
  CHECK(restore(model, data, saved.data(), saved.size()));
  Data other;
  CHECK(other.make(model) && restore(model, other, saved.data(), saved.size()) && advance(model, other, 0.05));
  CHECK(std::equal(first.begin(), first.end(), other.state.begin()));
  set(model, data, "two.speed", 2.0 * far_off);
  std::vector<double> before(data.state.begin(), data.state.begin() + data.used());
  const Status status = advance(model, data, 0.05);
  CHECK(status.code == Code::element_failed &&
        describe(status, model) == "element 'two' cannot go on: joint 3 is too fast");
  CHECK(std::equal(before.begin(), before.end(), data.state.begin()));
  set(model, data, "two.speed", -2.0 * far_off);
  CHECK(describe(evaluate(model, data), model) == "element 'two' cannot go on: it is too slow");
  set(model, data, "two.speed", 0.0);
  const long allocated = allocations;
  for (int k = 0; k < 100; ++k) CHECK(advance(model, data, 0.02));
  CHECK(allocations == allocated && allocated > 0);
  data.reset(model);
  CHECK(near(value(model, data, "one.speed"), 0.5) && value(model, data, "one.dissipated_energy") == 0.0);
}

}  // namespace

int main() {
  for (const Integrator integrator : {Integrator::semi_implicit_euler, Integrator::rk4}) {
    moves(integrator);
    follows_rates(integrator);
  }
  repeats_and_refuses();
  std::puts("done");
}
