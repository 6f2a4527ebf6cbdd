"""The control logic of a berthing mechanism: its sequence with a simple plant, what may go wrong, any input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contactlib._core import engine
from tests.support.berthing_plant import NAMES, NUMBERS, H, Plant

MOVING = {"capturing", "berthing", "opening"}


def test_the_nominal_sequence():
    plant = Plant()
    assert 20.0 < plant.run("capture", "captured") < 21.0 and plant.flags == {"captured"}
    plant.run("hold", most=1.0)
    assert 9.0 < plant.run("berth", "berthed") < 11.0 and plant.flags == {"captured", "berthed"}
    plant.run("hold", most=2.0)
    assert not any(plant.running)
    plant.ready = 0.0  # the other ring goes as the latches open
    plant.run("open", "idle")
    assert plant.flags == set() and np.abs(plant.latches[:, 0]).max() < 0.02
    assert plant.seen == ["idle", "waiting", "capturing", "captured", "berthing", "berthed", "opening", "idle"]


def test_automatic_goes_all_the_way():
    plant = Plant()
    plant.ready = 2.0
    plant.run("automatic", most=99.0)
    assert plant.now == "waiting" and plant.flags == set()  # for as long as it takes
    plant.ready = 3.0
    assert plant.run("automatic", "capturing") == pytest.approx(NUMBERS["ready_time"], abs=1.5 * H)
    plant.run("automatic", "captured")
    assert plant.run("automatic", "berthing") == pytest.approx(NUMBERS["settle_time"], abs=1.5 * H)
    plant.run("automatic", "berthed")
    plant.run("automatic", most=10.0)
    assert plant.now == "berthed" and plant.flags == {"captured", "berthed"}


def test_cranks_and_motors_of_other_signs():
    """The same run with the sensors and the motors the wrong way round."""
    flipped = ("capture_voltage", "berth_voltage", "open_voltage", "open_angle", "capture_angle", "berthed_angle")
    here, there = Plant(), Plant(**{name: -NUMBERS[name] for name in flipped})
    for command, until in (("capture", "captured"), ("berth", "berthed"), ("open", "idle")):
        here.command = command
        while here.now != until:
            seen = here.latches * [-1.0, -1.0, 1.0]
            here.step()
            number = float(engine.BERTHING_COMMANDS.index(command))
            orders, *others = there.control.step(number, seen, 4.0, H, there.state, 4.0)
            assert [(-order[0], *order[1:]) for order in orders] == here.orders
            assert others == [here.now, here.flags]


def test_latches_stop_where_they_arrive():
    plant = Plant()
    plant.latches[:, 0] = 0.0, 0.5, 1.0, 1.5
    plant.run("capture", most=6.0)
    assert plant.now == "capturing" and plant.running == [True, True, True, False]
    plant.run("capture", "captured")
    assert plant.latches[:, 0] == pytest.approx(NUMBERS["capture_angle"] - NUMBERS["angle_tolerance"], abs=0.1 * H)


def fault(plant, flag):
    assert plant.now == "fault" and flag in plant.flags and not any(plant.running)
    for command in ("hold", "capture", "berth", "automatic"):
        plant.run(command, most=5 * H)
        assert plant.now == "fault" and flag in plant.flags
    assert "bad_command" in plant.flags


def test_a_premature_capture_closes_nothing():
    """Too few indicators: the latches stay where they are, and after the time to wait it is idle again."""
    plant = Plant()
    plant.ready = 2.0
    assert plant.run("capture", "waiting") == H
    assert plant.run("capture", "idle") == pytest.approx(NUMBERS["wait_time"], abs=1.5 * H)
    assert plant.flags == {"not_ready"} and (plant.latches[:, 0] == 0.0).all()
    plant.run("hold", most=H)
    plant.ready = 4.0
    plant.caught()
    assert plant.flags == {"captured"}


def test_indicators_that_flicker_are_no_ready():
    plant = Plant()
    for _ in range(10):
        plant.ready = 4.0
        plant.run("capture", most=0.4)
        plant.ready = 2.0
        plant.run("capture", most=H)
        assert plant.now == "waiting"


def test_latches_that_close_on_nothing():
    plant = Plant()
    plant.run("capture", "capturing")
    plant.ready = 2.0
    plant.run("capture", "fault")
    fault(plant, "missed")
    plant.run("open", "idle")
    plant.ready = 4.0
    plant.caught()
    assert plant.flags == {"captured"}


@pytest.mark.parametrize("phase", sorted(MOVING))
def test_a_jam(phase):
    """The jammed latch is given up, the others go on; without it they are too few."""
    plant = Plant()
    if phase != "capturing":
        plant.caught()
    command = {"capturing": "capture", "berthing": "berth", "opening": "open"}[phase]
    plant.run(command, phase)
    plant.jammed = {2}
    plant.run(command, most=NUMBERS["stall_time"] + 3 * H)
    assert plant.now == phase and "stalled" in plant.flags
    assert plant.running == [True, True, False, True] and plant.failed == [False, False, True, False]
    plant.run(command, "fault")
    fault(plant, "stalled")
    plant.jammed = set()
    plant.run("open", "idle")
    assert plant.flags == set() and not any(plant.failed)


def test_a_motor_that_starts_is_no_stall():
    plant = Plant()
    plant.run("capture", "capturing")
    plant.jammed = {0, 1, 2, 3}
    plant.run("capture", most=0.4)
    plant.jammed = set()
    plant.run("capture", "captured")
    assert plant.flags == {"captured"}


@pytest.mark.parametrize("how", ["dead", "jammed"])
def test_three_latches_may_do(how):
    """One of four does not move: with latches_needed = 3 the others capture and berth, and all of it is told."""
    plant = Plant(latches_needed=3.0)
    setattr(plant, how, {1})
    flag = {"dead": "late", "jammed": "stalled"}[how]
    took = plant.run("automatic", "captured")
    assert plant.flags == {"captured", flag} and plant.failed == [False, True, False, False]
    assert (took > NUMBERS["capture_time"]) == (how == "dead")
    plant.run("automatic", "berthed")
    assert plant.flags == {"captured", "berthed", flag} and plant.latches[1, 0] == 0.0
    plant.run("open", most=H)  # a new way, a new try
    assert plant.now == "opening" and not any(plant.failed)
    plant.dead, plant.jammed = set(), set()
    plant.run("open", "idle")
    assert plant.flags == set()


def test_to_let_go_takes_all_latches():
    plant = Plant(latches_needed=3.0).firm()
    plant.dead = {0}
    plant.run("open", "fault")
    fault(plant, "late")


@pytest.mark.parametrize(("limit", "phase", "command"), [
    ("capture_time", "capturing", "capture"), ("berth_time", "berthing", "berth"), ("open_time", "opening", "open"),
])
def test_every_motion_has_its_time(limit, phase, command):
    plant = Plant(**{limit: 0.3})
    if phase != "capturing":
        plant = Plant(**{limit: 0.3} if limit != "capture_time" else {}).caught()
    plant.run(command, phase)
    assert plant.run(command, "fault") == pytest.approx(0.3, abs=1.5 * H)
    assert plant.failed == [True] * 4
    fault(plant, "late")


def test_latches_that_draw_in_nothing():
    """All cranks are where they should be, and the seats say that the rings are not: a fault when the time is over."""
    plant = Plant().caught()
    plant.seated = 2.0
    took = plant.run("berth", "fault")
    assert took == pytest.approx(30.0, abs=2 * H) and plant.flags == {"captured", "missed"}
    plant = Plant().caught()
    plant.seated = 0.0
    plant.run("berth", most=20.0)
    assert plant.now == "berthing" and not any(plant.running)  # arrived, and braked
    plant.seated = 3.0
    plant.run("berth", "berthed", most=2 * H)
    plant.seated = 2.0
    plant.run("berth", "captured", most=1.0 + 2 * H)
    assert plant.flags == {"captured", "lost"}


def test_what_is_held_may_be_lost():
    plant = Plant().firm()
    plant.ready = 2.0
    plant.run("hold", most=0.9)
    assert plant.flags == {"captured", "berthed"}
    plant.run("hold", most=0.2)
    assert plant.now == "captured" and plant.flags == {"captured", "lost"}
    plant.run("automatic", most=10.0)  # nothing goes on by itself from a loss
    assert plant.now == "captured" and "lost" in plant.flags
    plant.ready = 4.0
    plant.run("berth", "berthed")
    assert plant.flags == {"captured", "berthed"}


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("column", [0, 1, 2, "ready", "seated"])
def test_a_sensor_that_gives_no_number(value, column):
    def blind(plant):
        if column in ("ready", "seated"):
            setattr(plant, column, value)
        else:
            plant.latches[3, column] = value
        plant.run(plant.command, most=H)

    for plant, now in ((Plant().caught(), "captured"), (Plant().firm(), "berthed")):
        plant.run("hold", most=H)
        blind(plant)
        assert plant.now == now and "bad_sense" in plant.flags
    plant = Plant()
    plant.run("capture", "capturing")
    blind(plant)
    assert plant.now == "fault" and "bad_sense" in plant.flags and not any(plant.running)


AT = {
    "idle": lambda plant: plant.run("hold", most=H), "waiting": lambda plant: plant.run("capture", "waiting"),
    "capturing": lambda plant: plant.run("capture", "capturing"), "captured": Plant.caught,
    "berthing": lambda plant: plant.caught().run("berth", "berthing"), "berthed": Plant.firm,
    "opening": lambda plant: plant.caught().run("open", "opening"),
    "manual": lambda plant: plant.run("manual", "manual"),
    "fault": lambda plant: (plant.run("capture", "capturing"), plant.latches.fill(np.nan),
                            plant.run("capture", "fault"), plant.latches.fill(0.0)),
}
#: where `hold` stops each phase; what is out of order stops it there too
STOPS = {"idle": "idle", "waiting": "idle", "capturing": "idle", "captured": "captured", "berthing": "captured",
         "berthed": "berthed", "opening": "idle", "manual": "idle", "fault": "fault"}
GOOD = {
    "capture": {"idle": "waiting", "waiting": "waiting", "capturing": "capturing", "captured": "captured",
                "berthing": "captured"},
    "berth": {"captured": "berthing", "berthing": "berthing", "berthed": "berthed"},
    "automatic": {"idle": "waiting"} | {phase: phase for phase in ("waiting", "capturing", "captured", "berthing",
                                                                   "berthed")},
}


@pytest.mark.parametrize("phase", AT)
@pytest.mark.parametrize("command", sorted(GOOD))
def test_commands_in_and_out_of_order(phase, command):
    plant = Plant()
    AT[phase](plant)
    plant.state[1] = 0.0  # as if the last command had been to hold, so that this one is new
    plant.run(command, most=H)
    if phase in GOOD[command]:
        assert plant.now == GOOD[command][phase] and "bad_command" not in plant.flags
    else:
        assert plant.now == STOPS[phase] and not any(plant.running) and "bad_command" in plant.flags


@pytest.mark.parametrize("phase", AT)
def test_open_manual_and_hold_from_everywhere(phase):
    plant = Plant()
    AT[phase](plant)
    state, latches = plant.state.copy(), plant.latches.copy()
    plant.run("open", "idle")
    assert "bad_command" not in plant.flags
    plant.state, plant.latches = state.copy(), latches.copy()
    plant.run("manual", most=H)
    assert plant.orders == [(0.0, False, True, False)] * 4 and plant.now == "manual" and "captured" not in plant.flags
    plant.state, plant.latches = state.copy(), latches.copy()
    plant.state[1] = 1.0
    plant.run("hold", most=H)
    assert plant.now == STOPS[phase] and not any(plant.running) and "bad_command" not in plant.flags
    assert ("captured" in plant.flags) == (phase in ("captured", "berthing", "berthed"))


@pytest.mark.parametrize("command", [6.0, -1.0, np.nan, np.inf, 1e300])
def test_a_command_that_is_none_holds(command):
    plant = Plant()
    plant.run("capture", "capturing")
    plant.run(command, most=H)
    assert plant.now == "idle" and plant.flags == {"bad_command"} and not any(plant.running)
    plant.run(1.4, "captured")  # rounded
    assert plant.flags == {"captured"}


def test_what_is_closed_already_is_captured_without_a_motion():
    """After a hold half way, or by hand."""
    plant = Plant()
    plant.latches[:, 0] = 2.2
    assert plant.run("capture", "captured") == pytest.approx(NUMBERS["ready_time"], abs=1.5 * H)
    assert (plant.latches[:, 0] == 2.2).all() and "capturing" not in plant.seen


def test_looking_changes_nothing():
    plant = Plant().caught()
    before = plant.state.copy()
    orders, phase, flags = plant.control.step(3.0, plant.latches, 4.0, 0.0, plant.state)
    assert (plant.state == before).all() and phase == "captured" and flags == {"captured"}
    assert orders == [(0.0, False, False, False)] * 4


finite = st.floats(-1e4, 1e4)
any_number = st.one_of(finite, st.floats(), st.sampled_from([0.0, 2.0, 2.5, 1e-3, 9.0]))
command = st.one_of(st.sampled_from([float(k) for k in range(6)]), any_number)
senses = st.lists(any_number, min_size=12, max_size=12)
step = st.tuples(command, senses, any_number, st.one_of(st.just(H), st.floats()))
CONTROL = engine.Berthing([NUMBERS[name] for name in NAMES], 4, 4, 4)
WIDTH = engine.BERTHING_STATE_WIDTH
VOLTAGES = {"capturing": 24.0, "berthing": 12.0, "opening": -24.0}


@settings(max_examples=100, deadline=None)
@given(st.lists(any_number, min_size=WIDTH, max_size=WIDTH) | st.just([0.0] * WIDTH),
       st.lists(step, min_size=1, max_size=20))
def test_whatever_comes_in(state, steps):
    state = np.array(state)
    for order, numbers, ready, h in steps:
        before, latches = state.copy(), np.array(numbers).reshape(4, 3)
        orders, phase, _ = CONTROL.step(order, latches, ready, h, state)
        for voltage, on, own, failed in orders:
            assert own == (phase == "manual") and not (on and failed)
            assert voltage == (VOLTAGES[phase] if on else 0.0)
        assert engine.BERTHING_PHASES[int(state[0])] == phase and state[1] in range(6) and state[2] in range(512)
        assert state[3] in range(256) and (state[4:] >= 0.0).all()
        if h > 0.0 and not (np.isfinite(latches).all() and np.isfinite(ready)):
            assert phase not in MOVING
        again = CONTROL.step(order, latches, ready, h, before)  # the same from the same
        assert (state == before).all() and again[0] == orders


@pytest.mark.parametrize(("key", "value"), [
    ("capture_voltage", 0.0), ("berth_voltage", -1.0), ("open_voltage", 24.0), ("capture_angle", 0.0),
    ("capture_angle", 2.5), ("berthed_angle", 0.0), ("angle_tolerance", 0.25), ("angle_tolerance", -1.0),
    ("indicators_needed", 0.0), ("indicators_needed", 5.0), ("indicators_needed", 2.5), ("latches_needed", 5.0),
    ("seats_needed", -1.0), ("seats_needed", 5.0), ("seats_needed", 0.5),
    ("stall_current", 0.0), ("stall_rate", -1.0), ("ready_time", -1.0), ("settle_time", -1.0), ("lost_time", 0.0),
    ("stall_time", 0.0), ("wait_time", 0.0), ("capture_time", 0.0), ("berth_time", 0.0), ("open_time", 0.0),
    *((name, value) for name in NUMBERS for value in (np.nan, np.inf)),
])
def test_numbers_that_are_not_allowed(key, value):
    with pytest.raises(ValueError) as error:
        Plant(**{key: value})
    # without a way from open to berthed there is nothing between them
    named = "capture_angle" if (key, value) == ("berthed_angle", 0.0) else key
    assert str(error.value).startswith(f"{named} must be ")


def test_a_design_is_all_its_numbers():
    assert sorted(NUMBERS) == sorted(NAMES)
    with pytest.raises(ValueError, match="20 numbers, not 3"):
        engine.Berthing([1.0, 2.0, 3.0], 4, 4)
    with pytest.raises(ValueError, match="9 latches, must be from 1 to 8"):
        engine.Berthing(list(NUMBERS.values()), 9, 4)
    with pytest.raises(ValueError, match="must be"):
        CONTROL.step(0.0, np.zeros((3, 3)), 0.0, H, np.zeros(WIDTH))
