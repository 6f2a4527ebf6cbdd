// the numbers of a BerthingDesign: what each means and what it may be.
#include <cmath>

#include "control.hpp"

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

// sign +1: the way that closes, -1: the way that opens
template <Number number, int sign>
bool turns(const Design& d, const Size&) noexcept {
  return d.*number != 0.0 && (d.*number > 0.0) == (sign * d.capture_voltage > 0.0);
}

// a whole number from the least to how many there are
template <Number number, int Size::* most, int least = 1>
bool some(const Design& d, const Size& size) noexcept {
  return d.*number >= least && d.*number <= size.*most && d.*number == std::floor(d.*number);
}

bool any(const Design&, const Size&) noexcept { return true; }
bool apart(const Design& d, const Size&) noexcept { return d.berthed_angle != d.open_angle; }
bool between(const Design& d, const Size&) noexcept {
  const double share = (d.capture_angle - d.open_angle) / (d.berthed_angle - d.open_angle);
  return share > 0.0 && share < 1.0;
}
// so that no two of the angles are met at once
bool fine(const Design& d, const Size&) noexcept {
  return d.angle_tolerance >= 0.0 && d.angle_tolerance < std::abs(d.capture_angle - d.open_angle) / 2.0 &&
         d.angle_tolerance < std::abs(d.berthed_angle - d.capture_angle) / 2.0;
}

constexpr BerthingRow rows[] = {
    {"capture_voltage", "V", "of a latch, from open_angle to capture_angle", &Design::capture_voltage,
     turns<&Design::capture_voltage, 1>, "not 0"},
    {"berth_voltage", "V", "of a latch, from there to berthed_angle", &Design::berth_voltage,
     turns<&Design::berth_voltage, 1>, "of the sign of capture_voltage"},
    {"open_voltage", "V", "of a latch, back to open_angle", &Design::open_voltage, turns<&Design::open_voltage, -1>,
     "of the other sign than capture_voltage"},
    {"open_angle", "rad", "of a crank, the other ring may leave", &Design::open_angle, any, "finite"},
    {"capture_angle", "rad", "of a crank, the other ring cannot leave", &Design::capture_angle, between,
     "between open_angle and berthed_angle"},
    {"berthed_angle", "rad", "of a crank, the other ring is drawn in", &Design::berthed_angle, apart,
     "another than open_angle"},
    {"angle_tolerance", "rad", "an angle is met within it", &Design::angle_tolerance, fine,
     "not negative and below half the way from capture_angle to open_angle and to berthed_angle"},
    {"indicators_needed", "1", "so many indicators that show are a ready", &Design::indicators_needed,
     some<&Design::indicators_needed, &Size::indicators>, "a whole number from 1 to that of the indicators"},
    {"seats_needed", "1", "and so many seats that show a berthing", &Design::seats_needed,
     some<&Design::seats_needed, &Size::seats, 0>, "a whole number from 0 to that of the seats"},
    {"latches_needed", "1", "so many latches that have arrived are a capture", &Design::latches_needed,
     some<&Design::latches_needed, &Size::latches>, "a whole number from 1 to that of the latches"},
    {"stall_current", "A", "a motor that stalls takes as much", &Design::stall_current,
     positive<&Design::stall_current>, "positive"},
    {"stall_rate", "rad/s", "and turns its crank no faster than this", &Design::stall_rate,
     not_negative<&Design::stall_rate>, "not negative"},
    {"ready_time", "s", "indicators have to show so long without a break", &Design::ready_time,
     not_negative<&Design::ready_time>, "not negative"},
    {"settle_time", "s", "from captured to berthing, in automatic", &Design::settle_time,
     not_negative<&Design::settle_time>, "not negative"},
    {"lost_time", "s", "so long without enough indicators is a loss", &Design::lost_time, positive<&Design::lost_time>,
     "positive"},
    {"stall_time", "s", "so long without a break is a stall, longer than a motor takes to start", &Design::stall_time,
     positive<&Design::stall_time>, "positive"},
    {"wait_time", "s", "longest wait for indicators, after capture", &Design::wait_time, positive<&Design::wait_time>,
     "positive"},
    {"capture_time", "s", "longest capturing", &Design::capture_time, positive<&Design::capture_time>, "positive"},
    {"berth_time", "s", "longest berthing", &Design::berth_time, positive<&Design::berth_time>, "positive"},
    {"open_time", "s", "longest opening", &Design::open_time, positive<&Design::open_time>, "positive"},
};
static_assert(sizeof rows / sizeof *rows == berthing_row_count && sizeof(Design) == berthing_row_count * sizeof(double),
              "every number of a design has its row");

}  // namespace

const BerthingRow* berthing_rows() noexcept { return rows; }

int check_berthing(const BerthingDesign& design, const BerthingSize& size) noexcept {
  return first_wrong(rows, design, size);
}

}  // namespace contactlib::element
