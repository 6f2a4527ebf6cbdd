"""Worlds that step together: each has the bits of a Simulation of its own, and an error changes none of them."""

import copy
import pickle
import re
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import contactlib
from contactlib.simulation.vector_simulation import WorldError
from tests.simulation.test_python_models import tip

N = 5


class Apart:
    """The reference: a Simulation for each world, which gets the same calls one by one."""

    def __init__(self, model):
        self.simulations = [contactlib.Simulation(model) for _ in range(N)]

    def step(self, dt, states=None):
        return np.array([each.step(dt, None if states is None else states[i]).wrenches
                         for i, each in enumerate(self.simulations)])

    def compute(self, states):
        return np.array([each.compute(states[i]).wrenches for i, each in enumerate(self.simulations)])

    def set(self, name, values):
        for each, value in zip(self.simulations, values, strict=True):
            each.set(name, value)

    def assert_equal_to(self, worlds):
        """The whole state, with friction memory, elements and energies, and the contacts."""
        assert worlds.save() == tuple(each.save() for each in self.simulations)
        for i, each in enumerate(self.simulations):
            assert np.array_equal(worlds.contacts(i), each.contacts)
            assert np.array_equal(worlds.states[i], each.states)
            assert np.array_equal(worlds.wrenches[i], each.wrenches)


def starts_of(model, offset, speed):
    """States in which each world's bodies have another place and speed, as far as the scene lets them move."""
    rng = np.random.default_rng(19)
    states = np.repeat(contactlib.Simulation(model).states[None], N, axis=0)
    moves = np.array([motion in ("external", "free") for motion in model.motions])[:, None]
    states[..., 0:3] += offset * moves * rng.uniform(-1, 1, states[..., 0:3].shape)
    states[..., 7:10] += speed * moves * rng.uniform(-1, 1, states[..., 7:10].shape)
    return states


#: scene, offset (m), speed (m/s), step (s), steps, values of variables: of a law, and commands of elements
CASES = [
    ("peg_in_hole", 1e-4, 1e-3, 1e-3, 40, {"pin_hole.stiffness": np.geomspace(1e4, 1e5, N)}),
    ("rover_wheel", 1e-3, 0.1, 1e-3, 100, {"wheel_soil.stiffness": np.geomspace(1e4, 1e6, N)}),
    ("tether_tow", 0.0, 0.1, 0.01, 50, {"line.stiffness": np.geomspace(1e3, 1e4, N),
                                        "engine.throttle": np.linspace(0.0, 1.0, N)}),
    ("lee_snare", 0.0, 0.0, 1e-3, 20, {"snare.ring_voltage": np.linspace(-20.0, 20.0, N)}),
    ("cbm", 1e-4, 1e-3, 1e-3, 5, {"seal_metal.damping": np.geomspace(10.0, 1e3, N), "latch1.power": np.arange(N) % 2,
                                  "latch1.voltage": 20.0, "latch1.brake": 0.0}),
    ("trampoline_capture", 0.01, 0.1, 0.1, 50, {"net.reel": np.linspace(0, 0.1, 6 * N).reshape(N, 6),
                                                "engine.throttle": np.linspace(0.0, 1.0, N)}),
]


@pytest.mark.parametrize(("scene", "offset", "speed", "dt", "steps", "values"), CASES, ids=[case[0] for case in CASES])
def test_bits_of_separate_simulations(scene, offset, speed, dt, steps, values):
    model = contactlib.load(scene).compile()
    states = starts_of(model, offset, speed)
    apart = Apart(model)
    apart.compute(states)
    for name, value in values.items():
        apart.set(name, np.broadcast_to(value, N) if np.ndim(value) == 0 else value)
    wrenches = [apart.step(dt) for _ in range(steps)]
    for threads in (1, 2, 3):
        worlds = contactlib.VectorSimulation(model, N, num_threads=threads)
        worlds.compute(states)
        worlds.set(values)
        for wrench in wrenches:
            assert np.array_equal(worlds.step(dt), wrench)
        apart.assert_equal_to(worlds)
        assert np.array_equal(worlds.time, np.full(N, apart.simulations[0].time))
    assert len({each.save() for each in apart.simulations}) > 1  # the worlds differ


def test_states_from_outside():
    """External bodies are moved by the caller in each step, as a robot's simulator would, with friction memory."""
    model = contactlib.load("peg_in_hole").compile()
    apart, worlds = Apart(model), contactlib.VectorSimulation(model, N, num_threads=2)
    path = starts_of(model, 2e-4, 0.0)
    path[:, 0, 2] = 0.02
    for k in range(30):
        path[:, 0, 0] += 1e-5 * np.cos(0.2 * k + np.arange(N))
        assert np.array_equal(worlds.step(1e-3, path), apart.step(1e-3, path))
    assert (worlds.get("contact.count") > 0).any() and np.ptp(worlds.wrenches[:, 0, :3], axis=0).max() > 0
    apart.assert_equal_to(worlds)
    parts = worlds.step(1e-3, {"interface": {"r": path[:, 0, :3], "q": (1.0, 0.0, 0.0, 0.0)}, "target": path[:, 1]})
    for i, each in enumerate(apart.simulations):
        assert np.array_equal(parts[i], each.step(1e-3, {"interface": {"r": path[i, 0, :3], "q": (1, 0, 0, 0)},
                                                         "target": path[i, 1]}).wrenches)


def test_variables_of_all_worlds():
    model = contactlib.load("rover_wheel").compile()
    worlds = contactlib.VectorSimulation(model, N)
    worlds.set({"wheel_soil.mu_static": np.linspace(0.5, 0.9, N), "wheel_soil.mu_kinetic": 0.4})
    assert np.array_equal(worlds.get("wheel_soil.mu_static"), np.linspace(0.5, 0.9, N))
    assert np.array_equal(worlds.get("wheel_soil.mu_kinetic"), np.full(N, 0.4))
    loads = np.arange(3.0 * N).reshape(N, 3)
    worlds.set("wheel.f_ext", loads, worlds=[0, 3])
    assert np.array_equal(worlds.get("wheel.f_ext"), np.where(np.isin(np.arange(N), (0, 3))[:, None], loads, 0.0))
    assert np.array_equal(worlds.get("wheel.r"), worlds.states[:, 0, :3])


def test_reset_of_some_worlds():
    """As Simulation.reset, set and compute; with the world's own parameters; the other worlds go on."""
    model = contactlib.load("rover_wheel").compile()
    stiffness = np.geomspace(1e4, 1e5, N)
    worlds = contactlib.VectorSimulation(model, N, parameters={"wheel_soil.stiffness": stiffness})
    apart, states = Apart(model), starts_of(model, 1e-3, 0.1)
    apart.set("wheel_soil.stiffness", stiffness)
    apart.compute([each.states for each in apart.simulations])
    for _ in range(20):
        worlds.step(1e-3)
        apart.step(1e-3)
    apart.assert_equal_to(worlds)
    worlds.set("wheel_soil.damping", 7.0)
    apart.set("wheel_soil.damping", [7.0] * N)
    worlds.reset([False, True, False, False, True], states)
    for i in (1, 4):
        apart.simulations[i].reset()
        apart.simulations[i].set("wheel_soil.stiffness", stiffness[i])
        apart.simulations[i].compute(states[i])
    apart.assert_equal_to(worlds)
    assert worlds.time.tolist() == [each.time for each in apart.simulations] and worlds.time[1] == worlds.time[4] == 0.0
    assert np.array_equal(worlds.get("wheel_soil.damping") == 7.0, [True, False, True, True, False])
    worlds.step(1e-3)
    apart.step(1e-3)
    apart.assert_equal_to(worlds)
    worlds.reset()
    assert np.array_equal(worlds.time, np.zeros(N)) and np.array_equal(worlds.get("wheel_soil.stiffness"), stiffness)


def everything(worlds):
    return worlds.save(), [worlds.contacts(i).tobytes() for i in range(worlds.n)], worlds.wrenches.tobytes()


def test_an_error_in_one_world_changes_none():
    model = contactlib.load("peg_in_hole").compile()
    states = starts_of(model, 2e-4, 0.0)
    states[:, 0, 2] = 0.02
    for threads in (1, 2):
        worlds = contactlib.VectorSimulation(model, N, num_threads=threads)
        twin = contactlib.VectorSimulation(model, N)
        for each in (worlds, twin):
            each.step(1e-3, states)
        before = everything(worlds)
        bad = states.copy()
        bad[3, 0, 3] = 2.0  # a quaternion of length 2
        with pytest.raises(WorldError, match=r"^world 3: .*interface.*$") as error:
            worlds.step(1e-3, bad)
        assert error.value.worlds == (3,) and everything(worlds) == before
        bad[1, 1, 0] = np.nan
        with pytest.raises(WorldError, match=r"^world 1: .* \(and 1 more: world 3\)$") as error:
            worlds.compute(bad)
        assert error.value.worlds == (1, 3) and everything(worlds) == before
        with pytest.raises(WorldError, match=r"^world 1: ") as error:
            worlds.reset([0, 1], bad)
        assert everything(worlds) == before
        assert np.array_equal(worlds.step(1e-3, states), twin.step(1e-3, states))
        assert worlds.save() == twin.save()


def test_a_world_that_exceeds_its_contacts():
    """A scene with max_contacts = 1 and a wheel that reaches the rock: an error of the step itself."""
    wheel = contactlib.load("rover_wheel")
    model = replace(wheel, max_contacts=1).compile()
    states = np.array([[body.state for body in wheel.bodies]] * N)
    states[:, 0, 2] = 0.2499
    states[2, 0, 0], states[2, 0, 7] = 0.307, 1.0
    worlds = contactlib.VectorSimulation(model, N, num_threads=2)
    worlds.compute(states)
    with pytest.raises(WorldError, match=r"^world 2: .*contacts") as error:
        for _ in range(200):
            before = everything(worlds)
            worlds.step(5e-4)
    assert error.value.worlds == (2,) and everything(worlds) == before
    worlds.reset(error.value.worlds)  # the remedy: the others go on where they were
    worlds.step(5e-4)
    assert worlds.time[0] > worlds.time[2]


def test_values_that_are_refused_change_none():
    worlds = contactlib.VectorSimulation(contactlib.load("rover_wheel").compile(), N)
    before = everything(worlds)
    values = np.full(N, 1e5)
    values[2] = -1.0
    with pytest.raises(WorldError, match=r"world 2: wheel_soil.stiffness = -1: must be") as error:
        worlds.set("wheel_soil.stiffness", values)
    assert error.value.worlds == (2,)
    with pytest.raises(WorldError, match=r"world 4: .*mu_kinetic"):
        worlds.set({"wheel_soil.mu_static": [0.9] * 4 + [0.1], "wheel_soil.mu_kinetic": 0.3})
    assert everything(worlds) == before
    worlds.set("wheel_soil.stiffness", values, worlds=[0, 1, 3, 4])  # the value of world 2 is ignored
    assert worlds.get("wheel_soil.stiffness")[2] != -1.0


def test_saved_states():
    model = contactlib.load("rover_wheel").compile()
    worlds, states = contactlib.VectorSimulation(model, N), starts_of(model, 1e-3, 0.1)
    worlds.compute(states)
    worlds.step(0.01)
    saved = worlds.save()
    later = worlds.step(0.01)
    worlds.restore(saved)
    assert np.array_equal(worlds.step(0.01), later)
    single = contactlib.Simulation(model)
    single.restore(saved[3])
    assert np.array_equal(single.step(0.01).wrenches, later[3])
    before = everything(worlds)
    with pytest.raises(WorldError, match=r"^world 3: .*damaged"):
        worlds.restore([*saved[:3], saved[3][:-8] + bytes(range(8)), saved[4]])
    assert everything(worlds) == before
    worlds.restore([saved[0]] * N, worlds=[4])
    assert worlds.save()[4] == saved[0] and worlds.save()[3] != saved[3]
    with pytest.raises(ValueError, match="has 2 states, must have 5"):
        worlds.restore(saved[:2])


def test_copies_go_their_own_way():
    model = contactlib.load("rover_wheel").compile()
    worlds = contactlib.VectorSimulation(model, N, parameters={"wheel_soil.stiffness": np.geomspace(1e4, 1e5, N)})
    worlds.step(0.05)
    for other in (copy.deepcopy(worlds), pickle.loads(pickle.dumps(worlds))):
        assert everything(other) == everything(worlds)
        assert np.array_equal(other.step(0.01), copy.copy(worlds).step(0.01))
        other.reset()
        assert np.array_equal(other.get("wheel_soil.stiffness"), np.geomspace(1e4, 1e5, N))
    assert (worlds.time == worlds.time[0]).all() and worlds.time[0] == pytest.approx(0.05)


def test_one_thread_at_a_time():
    worlds = contactlib.VectorSimulation(contactlib.load("tripod").compile(), N)
    seen = []

    def other():
        try:
            worlds.step(1e-3)
        except RuntimeError as error:
            seen.append(str(error))

    with worlds._worlds:
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert len(seen) == 1 and "another thread is using" in seen[0]
    worlds.step(1e-3)


@pytest.mark.parametrize(("call", "says"), [
    (lambda w: w.step(0.0), "dt = 0.0: must be finite and greater than zero"),
    (lambda w: w.step(np.nan), "dt = nan"),
    (lambda w: w.step(1e-3, np.zeros((2, 13))), r"states has shape \(2, 13\), must be \(5, 2, 13\)"),
    (lambda w: w.step(1e-3, {"weel": np.zeros(13)}), "did you mean 'wheel'"),
    (lambda w: w.step(1e-3, {"wheel": {"x": 0}}), "wheel.x is not a part of a state"),
    (lambda w: w.step(1e-3, {"wheel": {"r": np.zeros((4, 3))}}), r"wheel.r has shape \(4, 3\), must be \(5, 3\)"),
    (lambda w: w.set("wheel_soil.stifness", 1.0), "did you mean 'wheel_soil.stiffness'"),
    (lambda w: w.set("wheel_soil.stiffness", [1.0, 2.0]), r"has shape \(2,\), must be \(5,\)"),
    (lambda w: w.set("wheel.f_ext", np.zeros(3)), r"has shape \(3,\), must be \(5, 3\)"),
    (lambda w: w.set("contact.count", 1.0), "is an output and cannot be set"),
    (lambda w: w.set("wheel_soil.stiffness"), "set needs a name and a value"),
    (lambda w: w.set("wheel_soil.stiffness", 1.0, worlds=[5]), "indexes from 0 to 4"),
    (lambda w: w.reset([True, False]), r"worlds has shape \(2,\), must be \(5,\)"),
    (lambda w: w.reset([0.5]), "must be a mask of bool, or indexes"),
    (lambda w: w.get("nothing"), "there is no variable 'nothing'"),
    (lambda w: w.contacts(5), "world = 5: must be from 0 to 4"),
    (lambda w: contactlib.VectorSimulation(w.model, 0), "n = 0: must be an integer of at least 1"),
    (lambda w: contactlib.VectorSimulation(w.model, 10**7), "n = 10000000: must be at most 1000000"),
    (lambda w: contactlib.VectorSimulation(w.model, 2, num_threads=0), "num_threads = 0"),
])
def test_bad_arguments(call, says):
    worlds = contactlib.VectorSimulation(contactlib.load("rover_wheel").compile(), N)
    before = everything(worlds)
    with pytest.raises(ValueError, match=says):
        call(worlds)
    assert everything(worlds) == before


def test_contact_models_in_python_are_refused():
    spec = tip({"kind": "feet:Anchor", "stiffness": 1e4, "damping": 20.0})
    with pytest.raises(ValueError, match="has contact models in Python, which run one at a time: use separate"):
        contactlib.VectorSimulation(spec.compile(), 2)


def test_warnings_name_their_world():
    """A step that is too long for the stiff world only."""
    model = contactlib.load("rover_wheel").compile()
    worlds = contactlib.VectorSimulation(model, 2, parameters={"wheel_soil.stiffness": [1e4, 1e9]})
    worlds.step(1e-3)
    alone = contactlib.Simulation(model)
    alone.set("wheel_soil.stiffness", 1e9)
    alone.compute()
    alone.step(1e-3)
    assert worlds.warnings == {1: alone.warnings} and alone.warnings


def test_the_page_runs():
    page = (Path(__file__).parents[2] / "docs" / "vector_simulation.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.S)
    names = {}
    for block in blocks:
        exec(compile(block, "docs/vector_simulation.md", "exec"), names)
    assert len(blocks) == 2 and names["worlds"].n == 8
