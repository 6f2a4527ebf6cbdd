#include "warnings.hpp"

#include <cstdio>

#include "element/elements.hpp"
#include "energy.hpp"

namespace contactlib::monitor {

using element::limited_steps;
using model::Coupling, model::Motion;
using state::Globals, state::has_interfaces;

namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

// The index may be any number in a saved state.
template <class Things>
std::string name(const Things& things, double index) {
  const bool known = index >= 0.0 && index < static_cast<double>(things.size());
  return known ? "'" + things[static_cast<std::size_t>(index)].name + "'" : std::string("?");
}

bool is_held(const Model& model, double index) {
  return index >= 0.0 && index < static_cast<double>(model.bodies.size()) &&
         model.bodies[static_cast<std::size_t>(index)].motion == Motion::external;
}

std::string step_warning(const Model& model, const Data& data, bool held) {
  const Globals& g = data.globals();
  const bool master = is_held(model, g.stiff_body);
  if (!(g.max_step_ratio > 1.0) || (master && !held)) return {};
  const std::string what = master ? "communication step" : "step";
  return "the " + what + " of " + number(g.step_taken) + " s is longer than the contact of body " +
         name(model.bodies, g.stiff_body) + " with body " + name(model.bodies, g.stiff_other) + " can bear under law " +
         name(model.laws, g.stiff_law) + ", about " + number(g.step_limit) +
         " s by their masses, stiffness and damping (2/w and m/c): make the " + what +
         (master ? "" : " (dt, step_size)") + " shorter or the law softer";
}

// What it is now only to those who ask now: a master logs the sentence once, and may show it at the end.
std::string energy_warning(const Model& model, const Data& data, bool held) {
  const Globals& g = data.globals();
  if (g.gap_reported == 0.0) return {};
  const std::string now =
      "; now it is " + number(g.energy_error) + " J of " + number(exchanged_energy(model, data)) + " J";
  return "at t = " + number(g.gap_time) + " s the energy error was " + number(g.gap_error) +
         " J, more than 1 % of the " + number(g.gap_exchanged) + " J that contacts and elements had exchanged" +
         (held ? "" : now) +
         ": make the step (dt, step_size, a master's communication step) shorter or the contact laws softer";
}

// With the stiffness that is named, `g.deep_load` would sink in by a tenth of the thickness.
std::string half_depth_warning(const Model& model, const Globals& g) {
  const double tenth = 0.2 * g.deep_limit;
  return "at t = " + number(g.deep_time) + " s the middle of body " + name(model.bodies, g.deep_body) +
         " was inside body " + name(model.bodies, g.deep_other) + ", " + number(g.deep_depth) +
         " m deep, which is more than contact of faces is meant for (contact.deep counts such contacts): with a "
         "stiffness of " +
         number(g.deep_load / tenth) + " N/m, or a modulus that is " + number(g.deep_depth / tenth) +
         " times as large, the load of that time, " + number(g.deep_load) + " N, would sink in by " + number(tenth) +
         " m, a tenth of the thickness; make the law as stiff as that, the step shorter or the shapes thicker";
}

std::string deep_warning(const Model& model, const Data& data) {
  const Globals& g = data.globals();
  if (g.deep_reported == 0.0) return {};
  if (g.deep_load > 0.0) return half_depth_warning(model, g);
  return "at t = " + number(g.deep_time) + " s body " + name(model.bodies, g.deep_body) + " was " +
         number(g.deep_depth) + " m deep in body " + name(model.bodies, g.deep_other) +
         ", of which one is a mesh, and " + number(g.deep_limit) +
         " m is what contact with it is defined for: the depth is that of one way out, maybe not of the shortest "
         "(contact.deep counts such contacts); make the law stiffer, the step shorter or the shapes thicker";
}

std::string order_warning(const Model& model, const Data& data) {
  if (!has_interfaces(model) || data.exchange().swapped == 0.0) return {};
  const bool jacobi = data.globals().coupling == static_cast<double>(Coupling::jacobi);
  const std::string set = jacobi ? "jacobi" : "gauss_seidel", other = jacobi ? "gauss_seidel" : "jacobi";
  return "at t = " + number(data.exchange().swapped_time) + " s the bodies moved as with a master of the order '" +
         other + "', but coupling is '" + set + "': " +
         (jacobi ? "they follow the wrench of the same step, not that of the step before"
                 : "they follow the wrench of the step before, not that of the same step") +
         "; set coupling = '" + other + "', or change the order of the master";
}

std::string fast_warning(const Model& model, const Data& data) {
  const Globals& g = data.globals();
  if (g.fast_reported == 0.0) return {};
  return "at t = " + number(g.fast_time) + " s bodies " + name(model.bodies, g.fast_body) + " and " +
         name(model.bodies, g.fast_other) + " moved relative to each other by " + number(g.fast_way) +
         " m in a step of " + number(g.fast_step) + " s, more than their thinnest shapes are thick together (" +
         number(g.fast_thickness) +
         " m): they may pass through each other unseen; make the step (dt, step_size) shorter or the shapes "
         "thicker, or set step_size = \"auto\"";
}

std::string floor_warning(const Data& data) {
  const Globals& g = data.globals();
  if (g.floor_reported == 0.0) return {};
  return "at t = " + number(g.floor_time) + " s contact needed sub-steps of " + number(g.floor_wanted) +
         " s, and the core took " + number(g.floor_step) +
         " s, the shortest of a step (1e-7 of its length): make the step (dt, a master's communication step) "
         "shorter, the contact laws softer or the bodies heavier";
}

std::string sub_step_limit_warning(const Data& data) {
  const Globals& g = data.globals();
  if (g.limit_reported == 0.0) return {};
  return "at t = " + number(g.limit_time) + " s max_sub_steps = " + number(g.max_sub_steps) + " made a sub-step of " +
         number(g.limit_step) + " s where contact needs " + number(g.limit_wanted) +
         " s (contact.sub_step_limit_reached counts such steps): increase max_sub_steps, make the step (dt, a "
         "master's communication step) shorter or the contact laws softer";
}

std::string iteration_limit_warning(const Model& model, const Data& data) {
  for (std::size_t i = 0; i < model.elements.size(); ++i) {
    const double steps = limited_steps(model, data, i);
    if (!(steps > 0.0)) continue;
    return "the solver of element '" + model.elements[i].name + "' has reached its limit in " + number(steps) +
           " steps so far: its forces are the best that it found, and contacts may slide or overlap where they would "
           "stick; " +
           (data.globals().max_iterations > 0.0 ? "increase max_iterations or " : "") +
           "make the step (dt, step_size) shorter";
  }
  return {};
}

}  // namespace

std::string warning(int cause, const Model& model, const Data& data, bool held) {
  switch (cause) {
    case 0: return step_warning(model, data, held);
    case 1: return energy_warning(model, data, held);
    case 2: return deep_warning(model, data);
    case 3: return order_warning(model, data);
    case 4: return fast_warning(model, data);
    case 5: return floor_warning(data);
    case 6: return sub_step_limit_warning(data);
    default: return iteration_limit_warning(model, data);
  }
}

}  // namespace contactlib::monitor
