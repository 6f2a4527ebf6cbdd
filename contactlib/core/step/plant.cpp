#include "plant.hpp"

#include "model/reader/parameters.hpp"

namespace contactlib::step {

using model::mass_properties_of, model::set_mass_properties;
using reader::check_mass_properties;
using state::has_interfaces;

void reset_plant(const Model& model, Data& data) noexcept {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (!model.bodies[i].interface()) continue;
    data.mass_properties()[i] = mass_properties_of(model.bodies[i]);
    set_mass_properties(data.plant[i], data.mass_properties()[i]);
  }
}

Status update_plant(const Model& model, Data& data) noexcept {
  if (!has_interfaces(model)) return {};
  if (Status status = check_mass_properties(model, data); !status) return status;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].interface() && !(data.mass_properties()[i] == mass_properties_of(data.plant[i])))
      set_mass_properties(data.plant[i], data.mass_properties()[i]);
  return {};
}

}  // namespace contactlib::step
