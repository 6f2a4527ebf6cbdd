// The order of stepping, seen from the inputs. Each option of the coupling expects that the bodies move under one of
// two outputs over the last step:
//
//   jacobi        the output that was there when the step began
//   gauss_seidel  the output that the step gave
//
// With the rate of momentum z, the change y = z - z last follows the change u of the expected wrench or v of the other
// one, times an unknown response (response.hpp). In the metric of the inverse mass, with sums that fade,
//
//   consistency = S_yu^2/(S_uu S_yy)
//
// is the part of the changes that the expected order explains. Where the other order leaves less than a tenth of what
// the expected one leaves, the master steps in the other order.
#pragma once

#include "state/data.hpp"

namespace contactlib::step {

using model::Model;
using state::Data, state::Wrench;

// The output that interface body i held over the last step in the other order; axes: resolve_in.
const Wrench& other_output(Data& data, std::size_t i) noexcept;

// Adds the changes of one step of body i; wrenches about its centre of mass, world axes.
void add_changes(Data& data, std::size_t i, const Wrench& rate_change, const Wrench& expected,
                 const Wrench& other) noexcept;

// After all bodies: the output `coupling.consistency`, and whether the other order is told.
void judge_order(const Model& model, Data& data) noexcept;

}  // namespace contactlib::step
