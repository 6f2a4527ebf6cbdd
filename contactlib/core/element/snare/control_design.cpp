// the numbers of a ControlDesign: what each means and what it may be.
#include <cmath>

#include "control.hpp"

namespace contactlib::element {

namespace {

using Design = ControlDesign;
using Number = double Design::*;

template <Number number>
bool positive(const Design& d) noexcept {
  return d.*number > 0.0;
}

template <Number number>
bool not_negative(const Design& d) noexcept {
  return d.*number >= 0.0;
}

template <Number number, Number low>
bool least(const Design& d) noexcept {
  return d.*number >= d.*low;
}

// some voltage of the supply, either way
template <Number number>
bool voltage(const Design& d) noexcept {
  return d.*number != 0.0 && std::abs(d.*number) <= d.supply_voltage;
}

// sign +1: the way that `other` goes, -1: against it
template <Number number, Number other, int sign>
bool voltage_along(const Design& d) noexcept {
  return voltage<number>(d) && (d.*number > 0.0) == (sign * d.*other > 0.0);
}

bool apart(const Design& d) noexcept { return d.closed_angle != d.open_angle; }
bool stroke(const Design& d) noexcept { return d.retracted_position != d.extended_position; }
bool between(const Design& d) noexcept {
  const double share = (d.snag_angle - d.open_angle) / (d.closed_angle - d.open_angle);
  return share >= 0.0 && share <= 1.0;
}
// a tolerance below half the way, so that both ends are never met at once
bool fine_angle(const Design& d) noexcept {
  return d.angle_tolerance >= 0.0 && d.angle_tolerance < std::abs(d.closed_angle - d.open_angle) / 2.0;
}
bool fine_position(const Design& d) noexcept {
  return d.position_tolerance >= 0.0 &&
         d.position_tolerance < std::abs(d.retracted_position - d.extended_position) / 2.0;
}
bool any(const Design&) noexcept { return true; }
bool lost_below(const Design& d) noexcept { return d.lost_load >= 0.0 && d.lost_load < d.rigidize_load; }
bool one_or_more(const Design& d) noexcept { return d.snag_ratio >= 1.0; }

constexpr ControlRow rows[] = {
    {"supply_voltage", "V", "most that either motor gets", &Design::supply_voltage, positive<&Design::supply_voltage>,
     "positive"},
    {"close_voltage", "V", "ring, to close", &Design::close_voltage, voltage<&Design::close_voltage>,
     "not 0 and within supply_voltage"},
    {"open_voltage", "V", "ring, to open", &Design::open_voltage,
     voltage_along<&Design::open_voltage, &Design::close_voltage, -1>,
     "of the other sign than close_voltage and within supply_voltage"},
    {"fast_voltage", "V", "carriage, to draw in without load", &Design::fast_voltage, voltage<&Design::fast_voltage>,
     "not 0 and within supply_voltage"},
    {"slow_voltage", "V", "carriage, to draw in under load", &Design::slow_voltage,
     voltage_along<&Design::slow_voltage, &Design::fast_voltage, 1>,
     "of the sign of fast_voltage and within supply_voltage"},
    {"extend_voltage", "V", "carriage, to push off", &Design::extend_voltage,
     voltage_along<&Design::extend_voltage, &Design::fast_voltage, -1>,
     "of the other sign than fast_voltage and within supply_voltage"},
    {"open_angle", "rad", "ring open", &Design::open_angle, any, "finite"},
    {"closed_angle", "rad", "ring closed on nothing", &Design::closed_angle, apart, "another than open_angle"},
    {"snag_angle", "rad", "tension before it is a snag", &Design::snag_angle, between,
     "between open_angle and closed_angle"},
    {"angle_tolerance", "rad", "an end of the ring is met within it", &Design::angle_tolerance, fine_angle,
     "not negative and below half the way from open_angle to closed_angle"},
    {"extended_position", "m", "carriage pushed off", &Design::extended_position, any, "finite"},
    {"retracted_position", "m", "carriage drawn in", &Design::retracted_position, stroke,
     "another than extended_position"},
    {"position_tolerance", "m", "an end of the carriage is met within it", &Design::position_tolerance, fine_position,
     "not negative and below half the way from extended_position to retracted_position"},
    {"slack_tension", "N", "below it the cables hold nothing (the highest of them)", &Design::slack_tension,
     not_negative<&Design::slack_tension>, "not negative"},
    {"capture_tension", "N", "of the slackest cable, which says captured", &Design::capture_tension,
     least<&Design::capture_tension, &Design::slack_tension>, "no less than slack_tension"},
    {"snag_tension", "N", "of one cable: from here on a snag is looked for", &Design::snag_tension,
     least<&Design::snag_tension, &Design::slack_tension>, "no less than slack_tension"},
    {"snag_ratio", "1", "highest tension over the mean that is a snag", &Design::snag_ratio, one_or_more, "1 or more"},
    {"contact_load", "N", "from here on the carriage draws in slowly", &Design::contact_load,
     not_negative<&Design::contact_load>, "not negative"},
    {"rigidize_load", "N", "the full load", &Design::rigidize_load,
     least<&Design::rigidize_load, &Design::contact_load>, "no less than contact_load"},
    {"lost_load", "N", "below it what was rigidized is no longer", &Design::lost_load, lost_below,
     "not negative and below rigidize_load"},
    {"ring_stall_current", "A", "a ring motor that stalls takes as much", &Design::ring_stall_current,
     positive<&Design::ring_stall_current>, "positive"},
    {"carriage_stall_current", "A", "a carriage motor that stalls takes as much", &Design::carriage_stall_current,
     positive<&Design::carriage_stall_current>, "positive"},
    {"ring_stall_rate", "rad/s", "and turns no faster than this", &Design::ring_stall_rate,
     not_negative<&Design::ring_stall_rate>, "not negative"},
    {"carriage_stall_rate", "m/s", "and moves no faster than this", &Design::carriage_stall_rate,
     not_negative<&Design::carriage_stall_rate>, "not negative"},
    {"capture_time", "s", "so long without a break is a capture", &Design::capture_time,
     not_negative<&Design::capture_time>, "not negative"},
    {"snag_time", "s", "so long without a break is a snag", &Design::snag_time, not_negative<&Design::snag_time>,
     "not negative"},
    {"stall_time", "s", "so long without a break is a stall, longer than a motor takes to start", &Design::stall_time,
     positive<&Design::stall_time>, "positive"},
    {"lost_time", "s", "so long without a break a load is lost", &Design::lost_time, positive<&Design::lost_time>,
     "positive"},
    {"close_time", "s", "longest closing", &Design::close_time, positive<&Design::close_time>, "positive"},
    {"retract_time", "s", "longest drawing in up to contact_load", &Design::retract_time,
     positive<&Design::retract_time>, "positive"},
    {"rigidize_time", "s", "longest drawing in from there", &Design::rigidize_time, positive<&Design::rigidize_time>,
     "positive"},
    {"extend_time", "s", "longest pushing off", &Design::extend_time, positive<&Design::extend_time>, "positive"},
    {"open_time", "s", "longest opening", &Design::open_time, positive<&Design::open_time>, "positive"},
};
static_assert(sizeof rows / sizeof *rows == control_row_count && sizeof(Design) == control_row_count * sizeof(double),
              "every number of a design has its row");

}  // namespace

const ControlRow* control_rows() noexcept { return rows; }

int check_control(const ControlDesign& design) noexcept { return first_wrong(rows, design); }

}  // namespace contactlib::element
