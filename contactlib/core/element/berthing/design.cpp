// The numbers of a BerthingDesign with their meanings and conditions.
#include <cmath>

#include "control.hpp"
#include "math/elementary.hpp"

namespace contactlib::element {

namespace {

using Design = BerthingDesign;
using Size = BerthingSize;
using Number = double Design::*;

template <Number number>
bool positive(const Design& d, const Size&) noexcept {
  return d.*number > 0.0;
}

template <Number number>
bool not_negative(const Design& d, const Size&) noexcept {
  return d.*number >= 0.0;
}

// sign +1: closes, -1: opens
template <Number number, int sign>
bool turns(const Design& d, const Size&) noexcept {
  return d.*number != 0.0 && (d.*number > 0.0) == (sign * d.capture_voltage > 0.0);
}

// An integer from `least` to the number of elements.
template <Number number, int Size::* most, int least = 1>
bool some(const Design& d, const Size& size) noexcept {
  return d.*number >= least && d.*number <= size.*most && d.*number == math::floor(d.*number);
}

bool any(const Design&, const Size&) noexcept { return true; }
bool apart(const Design& d, const Size&) noexcept { return d.berthed_angle != d.open_angle; }
bool between(const Design& d, const Size&) noexcept {
  const double share = (d.capture_angle - d.open_angle) / (d.berthed_angle - d.open_angle);
  return share > 0.0 && share < 1.0;
}
// No two of the angles are reached at the same time.
bool fine(const Design& d, const Size&) noexcept {
  return d.angle_tolerance >= 0.0 && d.angle_tolerance < std::abs(d.capture_angle - d.open_angle) / 2.0 &&
         d.angle_tolerance < std::abs(d.berthed_angle - d.capture_angle) / 2.0;
}

constexpr BerthingRow rows[] = {
    {"capture_voltage", "V", "motor voltage of a latch from open_angle to capture_angle", &Design::capture_voltage,
     turns<&Design::capture_voltage, 1>, "not 0"},
    {"berth_voltage", "V", "motor voltage of a latch from capture_angle to berthed_angle", &Design::berth_voltage,
     turns<&Design::berth_voltage, 1>, "of the sign of capture_voltage"},
    {"open_voltage", "V", "motor voltage of a latch back to open_angle", &Design::open_voltage,
     turns<&Design::open_voltage, -1>, "of the sign opposite to capture_voltage"},
    {"open_angle", "rad", "crank angle at which the passive ring is free", &Design::open_angle, any, "finite"},
    {"capture_angle", "rad", "crank angle at which the passive ring is captured", &Design::capture_angle, between,
     "between open_angle and berthed_angle"},
    {"berthed_angle", "rad", "crank angle at which the passive ring is on its seat", &Design::berthed_angle, apart,
     "different from open_angle"},
    {"angle_tolerance", "rad", "tolerance within which a crank angle is reached", &Design::angle_tolerance, fine,
     "not negative and below half the distance from capture_angle to open_angle and to berthed_angle"},
    {"indicators_needed", "1", "number of closed indicator switches that mean ready to latch",
     &Design::indicators_needed, some<&Design::indicators_needed, &Size::indicators>,
     "an integer from 1 to the number of indicators"},
    {"seats_needed", "1", "number of closed seat switches that mean berthed", &Design::seats_needed,
     some<&Design::seats_needed, &Size::seats, 0>, "an integer from 0 to the number of seats"},
    {"latches_needed", "1", "number of latches at their angle that mean captured or berthed", &Design::latches_needed,
     some<&Design::latches_needed, &Size::latches>, "an integer from 1 to the number of latches"},
    {"stall_current", "A", "motor current from which a latch may be stalled", &Design::stall_current,
     positive<&Design::stall_current>, "positive"},
    {"stall_rate", "rad/s", "crank rate up to which a latch may be stalled", &Design::stall_rate,
     not_negative<&Design::stall_rate>, "not negative"},
    {"ready_time", "s", "uninterrupted time of ready to latch before the latches close", &Design::ready_time,
     not_negative<&Design::ready_time>, "not negative"},
    {"settle_time", "s", "time from captured to berthing in automatic", &Design::settle_time,
     not_negative<&Design::settle_time>, "not negative"},
    {"lost_time", "s", "uninterrupted time with too few closed switches that means a loss", &Design::lost_time,
     positive<&Design::lost_time>, "positive"},
    {"stall_time", "s", "uninterrupted time that means a stall; longer than the start of a motor", &Design::stall_time,
     positive<&Design::stall_time>, "positive"},
    {"wait_time", "s", "time limit of waiting for the indicators", &Design::wait_time, positive<&Design::wait_time>,
     "positive"},
    {"capture_time", "s", "time limit of capturing", &Design::capture_time, positive<&Design::capture_time>,
     "positive"},
    {"berth_time", "s", "time limit of berthing", &Design::berth_time, positive<&Design::berth_time>, "positive"},
    {"open_time", "s", "time limit of opening", &Design::open_time, positive<&Design::open_time>, "positive"},
};
static_assert(sizeof rows / sizeof *rows == berthing_row_count && sizeof(Design) == berthing_row_count * sizeof(double),
              "every number of a design has its row");

}  // namespace

const BerthingRow* berthing_rows() noexcept { return rows; }

int check_berthing(const BerthingDesign& design, const BerthingSize& size) noexcept {
  return first_wrong(rows, design, size);
}

}  // namespace contactlib::element
