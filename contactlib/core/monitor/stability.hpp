// The step limit of the present contacts, estimated from masses, stiffness and damping.
#pragma once

#include "state/data.hpp"

namespace contactlib::monitor {

using law::LawParameters;
using model::BodyState, model::Law, model::Model;
using state::Contact, state::Data;

// N, of the normal law of a law, with these parameters, at a depth (m) and its rate (m/s). `area`: m2, of the face to which
// a surface contact refers; 0: of a point.
double normal_force(const Law& row, const LawParameters& parameters, double area, double depth,
                    double depth_rate) noexcept;

// s, step limit: h^2 w^2 + 2 h d = 4, and at most 1/d, where a damper stops a body within a step. The limits of rk4
// are 1.4 and 2.8 times as large.
double longest_step(double w2, double d, bool rk4) noexcept;

// Of a mode of contacts and masses, with u its velocities: w^2 = u.K u/(u.M u), 1/s2, and d = u.C u/(u.M u), 1/s.
struct Rates {
  double w2 = 0.0, d = 0.0;
};

// Of one contact alone. `held`: interface bodies give way, too.
// `u`: working memory, a state per body.
Rates contact_rates(const Model& model, Data& data, bool held, const Contact& c, BodyState* u) noexcept;

// Of the friction of one contact: its stiffness and damping; of a law without stiffness force by speed, with which it
// would reverse the sliding velocity.
Rates sliding_rates(const Model& model, Data& data, bool held, const Contact& c, BodyState* u) noexcept;

// The fastest mode of the present contacts, and its stiffest contact; null: none. `ahead`: s, for which contacts go on
// deeper. `u`: working memory, two states per body.
struct FastestMode {
  Rates rates;
  const Contact* stiffest = nullptr;
};
FastestMode fastest_mode(const Model& model, Data& data, bool held, double ahead, BodyState* u) noexcept;

// Compares the step with the limit of the present contacts and stores the largest ratio. `h`: s, a sub-step; `H`: s,
// for which a master holds the wrenches of bodies with a mass.
void check_step(const Model& model, Data& data, double h, double H) noexcept;

}  // namespace contactlib::monitor
