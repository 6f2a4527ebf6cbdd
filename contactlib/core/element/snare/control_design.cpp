// The numbers of a ControlDesign with their meanings and conditions.
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

// A voltage of the supply, of either sign.
template <Number number>
bool voltage(const Design& d) noexcept {
  return d.*number != 0.0 && std::abs(d.*number) <= d.supply_voltage;
}

// sign +1: in the direction of `other`, -1: against it
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
// Both ends are never reached at the same time.
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
    {"supply_voltage", "V", "largest voltage of both motors", &Design::supply_voltage,
     positive<&Design::supply_voltage>, "positive"},
    {"close_voltage", "V", "voltage of the ring motor to close", &Design::close_voltage,
     voltage<&Design::close_voltage>, "not 0 and within supply_voltage"},
    {"open_voltage", "V", "voltage of the ring motor to open", &Design::open_voltage,
     voltage_along<&Design::open_voltage, &Design::close_voltage, -1>,
     "of the sign opposite to close_voltage and within supply_voltage"},
    {"fast_voltage", "V", "voltage of the carriage motor to retract without load", &Design::fast_voltage,
     voltage<&Design::fast_voltage>, "not 0 and within supply_voltage"},
    {"slow_voltage", "V", "voltage of the carriage motor to retract under load", &Design::slow_voltage,
     voltage_along<&Design::slow_voltage, &Design::fast_voltage, 1>,
     "of the sign of fast_voltage and within supply_voltage"},
    {"extend_voltage", "V", "voltage of the carriage motor to extend", &Design::extend_voltage,
     voltage_along<&Design::extend_voltage, &Design::fast_voltage, -1>,
     "of the sign opposite to fast_voltage and within supply_voltage"},
    {"open_angle", "rad", "ring angle, open", &Design::open_angle, any, "finite"},
    {"closed_angle", "rad", "ring angle, closed without a pin", &Design::closed_angle, apart,
     "different from open_angle"},
    {"snag_angle", "rad", "ring angle before which tension means a snag", &Design::snag_angle, between,
     "between open_angle and closed_angle"},
    {"angle_tolerance", "rad", "tolerance within which an end angle of the ring is reached", &Design::angle_tolerance,
     fine_angle, "not negative and below half the distance from open_angle to closed_angle"},
    {"extended_position", "m", "carriage position, extended", &Design::extended_position, any, "finite"},
    {"retracted_position", "m", "carriage position, retracted", &Design::retracted_position, stroke,
     "different from extended_position"},
    {"position_tolerance", "m", "tolerance within which an end position of the carriage is reached",
     &Design::position_tolerance, fine_position,
     "not negative and below half the distance from extended_position to retracted_position"},
    {"slack_tension", "N", "if the largest of the cable tensions is below this value, the cables hold nothing",
     &Design::slack_tension, not_negative<&Design::slack_tension>, "not negative"},
    {"capture_tension", "N", "tension of the slackest cable that means captured", &Design::capture_tension,
     least<&Design::capture_tension, &Design::slack_tension>, "at least slack_tension"},
    {"snag_tension", "N", "tension of one cable from which a snag is possible", &Design::snag_tension,
     least<&Design::snag_tension, &Design::slack_tension>, "at least slack_tension"},
    {"snag_ratio", "1", "ratio of the largest tension to the mean that means a snag", &Design::snag_ratio, one_or_more,
     "1 or more"},
    {"contact_load", "N", "load from which the carriage retracts slowly", &Design::contact_load,
     not_negative<&Design::contact_load>, "not negative"},
    {"rigidize_load", "N", "load that means rigidized", &Design::rigidize_load,
     least<&Design::rigidize_load, &Design::contact_load>, "at least contact_load"},
    {"lost_load", "N", "load below which rigidized is lost", &Design::lost_load, lost_below,
     "not negative and below rigidize_load"},
    {"ring_stall_current", "A", "current of the ring motor from which it may be stalled", &Design::ring_stall_current,
     positive<&Design::ring_stall_current>, "positive"},
    {"carriage_stall_current", "A", "current of the carriage motor from which it may be stalled",
     &Design::carriage_stall_current, positive<&Design::carriage_stall_current>, "positive"},
    {"ring_stall_rate", "rad/s", "rate up to which the ring may be stalled", &Design::ring_stall_rate,
     not_negative<&Design::ring_stall_rate>, "not negative"},
    {"carriage_stall_rate", "m/s", "speed up to which the carriage may be stalled", &Design::carriage_stall_rate,
     not_negative<&Design::carriage_stall_rate>, "not negative"},
    {"capture_time", "s", "uninterrupted time of tension that means captured", &Design::capture_time,
     not_negative<&Design::capture_time>, "not negative"},
    {"snag_time", "s", "uninterrupted time that means a snag", &Design::snag_time, not_negative<&Design::snag_time>,
     "not negative"},
    {"stall_time", "s", "uninterrupted time that means a stall; longer than the start of a motor", &Design::stall_time,
     positive<&Design::stall_time>, "positive"},
    {"lost_time", "s", "uninterrupted time without tension or load that means a loss", &Design::lost_time,
     positive<&Design::lost_time>, "positive"},
    {"close_time", "s", "time limit of closing", &Design::close_time, positive<&Design::close_time>, "positive"},
    {"retract_time", "s", "time limit of retracting", &Design::retract_time, positive<&Design::retract_time>,
     "positive"},
    {"rigidize_time", "s", "time limit of rigidizing", &Design::rigidize_time, positive<&Design::rigidize_time>,
     "positive"},
    {"extend_time", "s", "time limit of extending", &Design::extend_time, positive<&Design::extend_time>, "positive"},
    {"open_time", "s", "time limit of opening", &Design::open_time, positive<&Design::open_time>, "positive"},
};
static_assert(sizeof rows / sizeof *rows == control_row_count && sizeof(Design) == control_row_count * sizeof(double),
              "every number of a design has its row");

}  // namespace

const ControlRow* control_rows() noexcept { return rows; }

int check_control(const ControlDesign& design) noexcept { return first_wrong(rows, design); }

}  // namespace contactlib::element
