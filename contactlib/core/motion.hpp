// how bodies move within a step: external ones along their twist, free ones under load.
#pragma once

#include "data.hpp"

namespace contactlib {

// external bodies and commands at time `tau` after the inputs were taken: r + v tau + a tau^2/2, q turned by w tau +
// wdot tau^2/2.
void extrapolate(const Model& model, Data& data, double tau) noexcept;

// d/dt of a free body's state (origin), given what acts on it in `data` now.
BodyState rate_of(const Model& model, Data& data, std::size_t i) noexcept;

// free bodies from t to t + h. `tau` is t since the inputs; wrenches at t are in `data`. the last evaluation is left
// to the caller. semi-implicit euler keeps linear and angular momentum to rounding, rk4 is of order four.
using Evaluate = Status (*)(const Model& model, Data& data, double h) noexcept;
Status move_bodies(const Model& model, Data& data, double tau, double h, Evaluate evaluate_at) noexcept;

}  // namespace contactlib
