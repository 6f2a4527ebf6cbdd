// the drive of a latch whose links are others' business: angle and rate of the crank are given, the torque on it is
// shown, as the element table names it. friction of the gear and the brake hold by a stiff spring that slips:
//   z' = rate, |k z| <= friction + brake,   torque = motor - k z
#pragma once

#include "latch.hpp"

namespace contactlib {

bool read_latch_drive(ElementRecord& record, const Model& model, Element& out);
Status step_latch_drive(const ElementNow& now) noexcept;
LatchReading read_latch_drive_outputs(const ElementNow& latch) noexcept;
bool admits_latch_drive(const Element& element, const double* state) noexcept;

}  // namespace contactlib
