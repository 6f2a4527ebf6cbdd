"""The control logic of the latching end effector: its sequence with a simple plant, what may go wrong, any input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contactlib._core import engine
from tests.mechanisms.lee_plant import NAMES, NUMBERS, H, Plant

MOVING = {"closing", "retracting", "rigidizing", "extending", "opening"}


def test_the_nominal_sequence():
    plant = Plant()
    assert 2.5 < plant.run("close", "captured") < 3.5 and plant.flags == {"captured"}
    plant.run("hold", most=1.0)
    assert 20.0 < plant.run("rigidize", "rigidized") < 30.0 and plant.flags == {"captured", "rigidized"}
    # it stops within what the slow voltage moves in a step
    assert 4893.0 <= plant.look()[engine.LEE_SENSES.index("load")] <= 4893.0 + 5e5 * 1.7e-4 * 6.0 * 2 * H
    plant.run("hold", most=2.0)
    assert plant.drive[:3] == ((0.0, 0.0), (False, False), (True, True))
    plant.run("open", "idle")
    assert plant.flags == set() and abs(plant.sense["ring_angle"]) < 0.02
    assert abs(plant.sense["carriage_position"]) < 2e-4
    assert plant.seen == ["idle", "closing", "captured", "retracting", "rigidizing", "rigidized", "extending",
                          "opening", "idle"]
    plant.run("close", "captured")  # and once more


def test_sensors_and_motors_of_other_signs():
    """The same run seen by a ring sensor and given to a ring motor that are the wrong way round."""
    flipped = ("close_voltage", "open_voltage", "open_angle", "closed_angle", "snag_angle")
    here, there = Plant(), Plant(**{name: -NUMBERS[name] for name in flipped})
    for command, until in (("close", "captured"), ("open", "idle")):
        here.command = command
        while here.now != until:
            sense = here.look()
            sense[:3] *= -1.0
            here.step()
            order = np.array([engine.LEE_COMMANDS.index(command), 0.0, 0.0])
            (ring, carriage), *others = there.control.step(order, sense, H, there.state)
            assert (-ring, carriage) == here.drive[0] and others == list(here.drive[1:])


def fault(plant, flag, held=False):
    assert plant.now == "fault" and plant.flags == ({flag, "captured"} if held else {flag})
    assert plant.drive[:3] == ((0.0, 0.0), (False, False), (True, True))
    for command in ("hold", "close", "hold", "rigidize"):
        plant.run(command, most=5 * H)
        assert plant.now == "fault" and flag in plant.flags
    assert "bad_command" in plant.flags


def test_a_missed_capture():
    plant = Plant()
    plant.contact_angle = 9.0
    plant.run("close", "fault")
    fault(plant, "missed")
    plant.run("open", "idle")
    plant.contact_angle = 3.0
    plant.run("close", "captured")
    assert plant.flags == {"captured"}


def test_tension_too_early_is_a_snag():
    plant = Plant()
    plant.contact_angle = 1.0
    plant.run("close", "fault")
    assert plant.sense["ring_angle"] < NUMBERS["snag_angle"]
    fault(plant, "snagged")


def test_one_taut_cable_is_a_snag():
    plant = Plant()
    plant.weights = np.array([1.0, 0.1, 0.1])
    plant.run("close", "fault")
    fault(plant, "snagged")
    assert plant.sense["ring_angle"] < NUMBERS["closed_angle"]


def test_a_jerk_is_no_snag():
    plant = Plant()
    plant.run("close", most=1.0)
    plant.forced = {"max_tension": 800.0, "mean_tension": 300.0, "min_tension": 0.0}
    plant.run("close", most=0.04)
    plant.forced = {}
    plant.run("close", "captured")


def test_a_capture_takes_all_cables_and_its_time():
    """A blow on all cables, or two of three for long, are none; tension in all of them that stays is."""
    plant = Plant(closed_angle=9.0, close_time=60.0)
    plant.contact_angle = 99.0
    taut = {"max_tension": 400.0, "mean_tension": 350.0, "min_tension": 310.0}
    plant.run("close", most=3.0)
    for _ in range(3):
        plant.forced = taut
        plant.run("close", most=0.2 - 2 * H)
        plant.forced = taut | {"min_tension": 290.0}
        plant.run("close", most=1.0)
        assert plant.now == "closing" and plant.flags == set()
    plant.forced = taut
    assert plant.run("close", "captured") == pytest.approx(0.2, abs=1.5 * H)


def test_a_ring_that_closes_on_taut_cables_misses_nothing():
    plant = Plant()
    plant.contact_angle = NUMBERS["closed_angle"] - 0.011 - 300.0 / 5e3  # taut just before it is closed
    plant.run("close", "captured")
    assert plant.flags == {"captured"} and plant.sense["ring_angle"] > NUMBERS["closed_angle"]


def test_slow_tension_is_a_snag_and_none_is_a_stall():
    for angle, flag in ((2.0, "snagged"), (9.0, "stalled")):
        plant = Plant(close_time=2.0)
        plant.contact_angle, plant.weights = angle, np.full(3, 0.03)
        plant.run("close", "fault")
        fault(plant, flag)


@pytest.mark.parametrize("phase", ["closing", "retracting", "rigidizing", "extending", "opening"])
def test_a_stall(phase):
    plant, ring = Plant(), phase in ("closing", "opening")
    if phase != "closing":
        plant.rigid() if phase == "extending" else plant.caught()
    plant.run({"closing": "close", "extending": "open", "opening": "open"}.get(phase, "rigidize"), phase)
    plant.run(plant.command, most=2 * H)
    setattr(plant, "jammed_ring" if ring else "jammed_carriage", True)
    # the stall shows in the sensors one step after it begins
    assert plant.run(plant.command, "fault") == pytest.approx(NUMBERS["stall_time"] + H, abs=1.5 * H)
    fault(plant, "stalled", held=not ring)


def test_a_motor_that_starts_is_no_stall():
    plant = Plant()
    plant.jammed_ring = True
    plant.run("close", most=0.4)
    plant.jammed_ring = False
    plant.run("close", "captured")


@pytest.mark.parametrize(("limit", "phase", "command"), [
    ("close_time", "closing", "close"), ("retract_time", "retracting", "rigidize"),
    ("rigidize_time", "rigidizing", "rigidize"), ("extend_time", "extending", "open"), ("open_time", "opening", "open"),
])
def test_every_motion_has_its_time(limit, phase, command):
    plant = Plant(**{limit: 0.3})
    if phase != "closing":
        plant.caught()
    if phase == "extending":
        plant.run("rigidize", "rigidizing")
    plant.run(command, phase)
    assert plant.run(command, "fault") == pytest.approx(0.3, abs=1.5 * H)
    fault(plant, "stalled", held=phase not in ("closing", "opening"))


def test_no_load_at_the_end_of_the_stroke():
    plant = Plant().caught()
    plant.grip = 9.0
    plant.run("rigidize", "fault")
    assert plant.sense["carriage_position"] > NUMBERS["retracted_position"] - 2e-4
    fault(plant, "stalled", held=True)


def test_a_broken_cable():
    plant = Plant()
    plant.run("close", most=1.0)
    plant.forced = {"broken_cables": 1.0}
    plant.run("close", most=H)
    fault(plant, "broken")
    for plant, now in ((Plant().caught(), "captured"), (Plant().rigid(), "rigidized")):
        plant.forced = {"broken_cables": 1.0}
        plant.run("hold", most=1.0)  # what two cables hold is not let go
        assert plant.now == now and plant.flags >= {"broken", "captured"}
        plant.run("open", "idle")
        assert plant.flags == {"broken"}
        plant.run("close", most=H)  # no step of it
        assert plant.now == "fault" and plant.drive[0] == (0.0, 0.0)
    plant = Plant().caught()
    plant.run("rigidize", most=1.0)
    plant.forced = {"broken_cables": 1.0}
    plant.run("rigidize", most=H)
    fault(plant, "broken", held=True)


def test_a_load_that_goes_away():
    plant = Plant().rigid()
    plant.forced = {"load": 999.0}
    plant.run("hold", most=0.9)
    assert plant.flags == {"captured", "rigidized"}
    plant.run("hold", most=0.2)
    assert plant.now == "captured" and plant.flags == {"captured", "lost"}
    plant.forced = {}
    plant.run("rigidize", "rigidized")
    plant = Plant().caught()
    plant.forced = {"max_tension": 0.0}
    plant.run("hold", most=1.1)
    assert plant.now == "captured" and "lost" in plant.flags


@pytest.mark.parametrize("sense", engine.LEE_SENSES)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_sensor_that_gives_no_number(sense, value):
    for plant, now in ((Plant().caught(), "captured"), (Plant().rigid(), "captured")):
        plant.forced = {sense: value}
        plant.run("hold", most=H)
        assert plant.now == now and "bad_sense" in plant.flags
        plant.run("open", most=H)
        assert plant.now == "fault" and plant.drive[0] == (0.0, 0.0) and "bad_sense" in plant.flags


AT = {
    "idle": lambda plant: None, "closing": lambda plant: plant.run("close", "closing"),
    "captured": Plant.caught, "rigidized": Plant.rigid,
    "retracting": lambda plant: plant.caught().run("rigidize", "retracting"),
    "rigidizing": lambda plant: plant.caught().run("rigidize", "rigidizing"),
    "extending": lambda plant: plant.rigid().run("open", "extending"),
    "opening": lambda plant: plant.caught().run("open", "opening"),
    "manual": lambda plant: plant.run("manual", "manual"),
    "fault": lambda plant: (plant.run("manual", "manual"), plant.run("hold", "fault")),
}
GOOD = {
    ("idle", "close"): "closing", ("closing", "close"): "closing", ("captured", "rigidize"): "retracting",
    ("retracting", "rigidize"): "retracting", ("rigidizing", "rigidize"): "rigidizing",
    ("rigidized", "rigidize"): "rigidized",
}
#: where `hold` stops each phase; what is out of order stops it there too
STOPS = {"idle": "idle", "closing": "idle", "captured": "captured", "retracting": "captured", "rigidizing": "captured",
         "rigidized": "rigidized", "extending": "fault", "opening": "fault", "manual": "fault", "fault": "fault"}


@pytest.mark.parametrize("phase", AT)
@pytest.mark.parametrize("command", ["close", "rigidize"])
def test_commands_in_and_out_of_order(phase, command):
    plant = Plant()
    AT[phase](plant)
    plant.state[1] = 0.0  # as if the last command had been to hold, so that this one is new
    plant.run(command, most=H)
    if (phase, command) in GOOD:
        assert plant.now == GOOD[phase, command] and "bad_command" not in plant.flags
    else:
        assert plant.now == STOPS[phase] and plant.drive[1] == (False, False) and "bad_command" in plant.flags


@pytest.mark.parametrize("phase", AT)
def test_open_manual_and_hold_from_everywhere(phase):
    plant = Plant()
    AT[phase](plant)
    state, sense = plant.state.copy(), dict(plant.sense)
    plant.run("open", most=H)
    assert plant.now in ("extending", "opening", "idle") and "bad_command" not in plant.flags
    plant.run("open", "idle") if plant.now != "idle" else None
    plant.state, plant.sense = state.copy(), dict(sense)
    plant.voltages = (3.0, -99.0)
    plant.run("manual", most=H)
    assert plant.drive[:4] == ((3.0, -24.0), (True, True), (False, False), "manual") and "captured" not in plant.flags
    plant.voltages = (np.nan, 1.0)
    plant.run("manual", most=H)
    assert plant.drive[0] == (0.0, 1.0) and "bad_command" in plant.flags
    plant.state, plant.sense, plant.voltages = state.copy(), dict(sense), (0.0, 0.0)
    plant.state[1] = 1.0
    plant.run("hold", most=H)
    assert plant.now == STOPS[phase] and plant.drive[1] == (False, False) and "bad_command" not in plant.flags
    assert ("captured" in plant.flags) == (phase in ("captured", "retracting", "rigidizing", "rigidized", "extending"))


@pytest.mark.parametrize("command", [5.0, -1.0, np.nan, np.inf, 1e300])
def test_a_command_that_is_none_holds(command):
    plant = Plant()
    plant.run("close", most=1.0)
    plant.run(command, most=H)
    assert plant.now == "idle" and plant.flags == {"bad_command"} and plant.drive[1] == (False, False)
    plant.run(1.4, "captured")  # rounded
    assert plant.flags == {"captured"}


def test_already_open_moves_nothing():
    plant = Plant()
    plant.run("open", most=H)
    assert plant.now == "idle" and plant.drive[0] == (0.0, 0.0) and plant.seen == ["idle"]


def test_looking_changes_nothing():
    plant = Plant().caught()
    before = plant.state.copy()
    drive = plant.control.step(np.array([3.0, 0, 0]), plant.look(), 0.0, plant.state)
    assert (plant.state == before).all() and drive[3] == "captured" and drive[4] == {"captured"}


finite = st.floats(-1e4, 1e4)
any_number = st.one_of(finite, st.floats(), st.sampled_from([0.0, 3.0, 3.6, -0.1, 5e3]))
command = st.one_of(st.sampled_from([0.0, 1.0, 2.0, 3.0, 4.0]), any_number)
step = st.tuples(st.tuples(command, any_number, any_number), st.lists(any_number, min_size=11, max_size=11),
                 st.one_of(st.just(H), st.floats()))
CONTROL = engine.Control([NUMBERS[name] for name in NAMES])


@settings(max_examples=100, deadline=None)
@given(st.lists(any_number, min_size=engine.LEE_STATE_WIDTH, max_size=engine.LEE_STATE_WIDTH) | st.just([0.0] * 8),
       st.lists(step, min_size=1, max_size=20))
def test_whatever_comes_in(state, steps):
    state = np.array(state)
    for order, sense, h in steps:
        before = state.copy()
        voltages, on, brakes, phase, _ = CONTROL.step(np.array(order), np.array(sense), h, state)
        assert np.isfinite(voltages).all() and np.abs(voltages).max() <= NUMBERS["supply_voltage"]
        assert brakes == (not on[0], not on[1])
        assert all(switched or volts == 0.0 for switched, volts in zip(on, voltages, strict=True))
        assert on == ((True, True) if phase == "manual" else (phase in ("closing", "opening"),
                                                             phase in ("retracting", "rigidizing", "extending")))
        assert engine.LEE_PHASES[int(state[0])] == phase and state[1] in range(5) and state[2] in range(512)
        assert (state[3:] >= 0.0).all()
        if not np.isfinite(sense).all() and h > 0.0:
            assert phase not in MOVING
        CONTROL.step(np.array(order), np.array(sense), h, before)  # the same from the same
        assert (state == before).all()


@pytest.mark.parametrize(("key", "value"), [
    ("supply_voltage", 0.0), ("close_voltage", 25.0), ("close_voltage", 0.0), ("open_voltage", 20.0),
    ("slow_voltage", 6.0), ("extend_voltage", -24.0), ("closed_angle", 0.0), ("snag_angle", 4.0), ("snag_angle", -0.1),
    ("angle_tolerance", 1.8), ("retracted_position", 0.0), ("position_tolerance", 0.05), ("slack_tension", -1.0),
    ("capture_tension", 4.0), ("snag_tension", 4.0), ("snag_ratio", 0.9), ("lost_load", 4893.0), ("contact_load", -1.0),
    ("rigidize_load", 100.0), ("stall_time", 0.0), ("close_time", 0.0), ("snag_time", -1.0), ("capture_time", -1.0),
    *((name, value) for name in NUMBERS for value in (np.nan, np.inf)),
])
def test_numbers_that_are_not_allowed(key, value):
    with pytest.raises(ValueError) as error:
        Plant(**{key: value})
    assert str(error.value).startswith(f"{key} must be ") and str(error.value).endswith(f", not {value!r}")


def test_a_design_is_all_its_numbers():
    assert sorted(NUMBERS) == sorted(NAMES)
    with pytest.raises(ValueError, match="33 numbers, not 3"):
        engine.Control([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="must have 3, 11 and 8 numbers, not 3, 11 and 1"):
        CONTROL.step(np.zeros(3), np.zeros(11), H, np.zeros(1))
