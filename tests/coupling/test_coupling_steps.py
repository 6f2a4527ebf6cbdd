"""Steps that change, the order of stepping, and what the coupling tells of itself.

The plant moves exactly under the wrenches that it is given, so its energy is a truth from outside the core.
"""

import numpy as np
import pytest

import contactlib
from benchmarks import stable_steps
from contactlib.model.spec import replace
from contactlib.simulation import rigid_body
from tests.support.coupled import Master, balls
from tests.support.scenes import body, law, scene

both = pytest.mark.parametrize("mode", ["jacobi", "gauss_seidel"])
STIFFNESS, MASS = 1e4, 10.0
W = np.sqrt(2 * STIFFNESS / MASS)  # of the two balls: contact lasts pi/W = 70 ms


def impact(mode, draw, announce=None, phase=0.0):
    """(E - E0)/E0 after an elastic impact with steps from `draw`, and its largest value; `announce(H)` is next_step."""
    master = Master(balls(mode), 0.01)
    master.states[:, 0] += np.array([-1.0, 1.0]) * 0.02 * phase
    h, time = draw(), 0.0
    if announce:
        master.simulation.set("next_step", announce(h))
        master.simulation.compute(master.states)
        master.wrenches = master.simulation.wrenches.copy()
    while time < 0.4:
        following = draw()
        if announce:
            master.simulation.set("next_step", announce(following))
        master.h = h
        rows = master.run(1)
        time, h = time + h, following
    energy, linear, _ = master.momenta(rows)
    assert len(master.simulation.contacts) == 0 and np.abs(linear).max() < 1e-9
    assert master.simulation.wrenches.any() == 0 and rows[-1, 0, 7] < -0.2  # they have bounced
    return np.array([energy[-1], energy.max()]) / energy[0] - 1.0


def drawn(seed):
    random = np.random.default_rng(seed)
    return lambda: random.uniform(2e-3, 20e-3)


@both
@pytest.mark.parametrize("seed", range(10))
def test_announced_steps_conserve_energy(mode, seed):
    """From 2 to 20 ms at random; 6e-4 is the most of 60 runs."""
    assert np.abs(impact(mode, drawn(seed), lambda h: h, 0.1 * seed)).max() < 2e-3


@pytest.mark.parametrize("seed", range(10))
def test_unknown_steps_give_no_energy(seed):
    assert impact("jacobi", drawn(seed), phase=0.1 * seed)[1] < 0.02


@pytest.mark.parametrize("announced", [1e-3, 5e-3, 50e-3])
def test_steps_that_are_not_as_announced_give_no_energy(announced):
    """A master that sets next_step once and then takes other steps."""
    for seed in range(4):
        assert impact("jacobi", drawn(seed), lambda _: announced, 0.2 * seed)[1] < 0.02


def test_a_start_in_contact_is_not_a_step_late():
    """With the first step announced, jacobi follows gauss_seidel from the first step on."""
    rows = {}
    for mode in ("jacobi", "gauss_seidel"):
        master = Master(balls(mode), 10e-3)
        master.states[:, 0] = -0.47, 0.47
        master.simulation.set("next_step", 10e-3)
        master.simulation.compute(master.states)
        master.wrenches = master.simulation.wrenches.copy()
        rows[mode] = master.run(10)
    np.testing.assert_allclose(rows["jacobi"], rows["gauss_seidel"], atol=1e-9)


@pytest.mark.parametrize("case", ["peg", "cbm", "lee"])
@both
@pytest.mark.parametrize("order", ["jacobi", "gauss_seidel"])
def test_the_order_of_stepping_is_told(case, mode, order):
    """In each scene and mode, as soon as wrenches change; and never for the right order, nor for wrong masses."""
    problem = getattr(stable_steps, case)()
    until = {"peg": 1.5, "cbm": 0.5, "lee": 3.7}[case]
    for wrong in (0.7, 1.0, 1.3) if mode == order and case != "lee" else (1.0,):
        told, consistency = ordered_run(problem, mode, order, until, wrong)
        assert any("set coupling" in sentence for sentence in told) == (mode != order)
        if mode == order and wrong == 1.0:
            assert consistency > 0.9999


def ordered_run(problem, mode, order, until, wrong, h=10e-3):
    """Warnings and least `coupling.consistency` of a scene under a master of an order."""
    bodies = problem.spec.bodies
    flying = [i for i, part in enumerate(bodies) if part.motion == "external" and part.mass_properties()]
    masses = rigid_body.Masses.of([bodies[i].mass_properties() for i in flying])
    believed = tuple(replace(part, mass=wrong * part.mass_properties().mass) if i in flying else part
                     for i, part in enumerate(bodies))
    simulation = contactlib.Simulation(replace(problem.spec, coupling=mode, bodies=believed).compile())
    states, wrenches, least = simulation.states.copy(), simulation.wrenches.copy(), 1.0
    for _ in range(round(until / h)):
        simulation.step(h, states)
        new = simulation.wrenches.copy()
        load = (new if order == "gauss_seidel" else wrenches)[flying]
        states = states.copy()
        states[flying] = rigid_body.rk4(masses, states[flying], load, None, h)
        wrenches, least = new, min(least, simulation.get("coupling.consistency"))
    return simulation.warnings, least


# ---- outputs ---------------------------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("h", [5e-3, 10e-3])
def test_the_force_peak_is_that_of_the_contact(mode, h):
    """Of an undamped impact at 2 m/s: F = v sqrt(k m) with m = 5 kg, a quarter of the contact's period after touch."""
    master = Master(balls(mode), h)
    peaks = []
    for _ in range(round(0.15 / h)):
        master.run(1)
        peaks.append([master.simulation.get("one.force_peak"), master.simulation.get("one.force_peak_time")])
    force, time = max(peaks)
    assert force == pytest.approx(2.0 * np.sqrt(STIFFNESS * MASS / 2), rel=(W * h) ** 2 / 24)
    assert time == pytest.approx(0.05 + np.pi / 2 / W, abs=h / 2)


@both
def test_the_recommended_step_resolves_the_contact(mode):
    master = Master(balls(mode), 5e-3)
    assert master.simulation.get("one.recommended_step") == 0.0
    master.run(30)
    for name in ("one", "two"):
        assert master.simulation.get(f"{name}.recommended_step") == pytest.approx(1 / W, rel=0.1)


@both
@pytest.mark.parametrize("factor", [0.7, 1.0, 1.3])
def test_the_energy_error_is_that_of_the_plant(mode, factor):
    """What the plant has gained, and no contact has given: the sum over the bodies."""
    h = 10e-3
    master = Master(balls(mode, factor=factor), h, plant=balls("none"))
    energy, *_ = master.momenta(master.run(40))
    told = sum(master.simulation.get(f"{name}.energy_error") for name in ("one", "two"))
    gained = energy[-1] - energy[0]
    # of second order in the jumps to the inputs, which wrong masses cause
    assert told == pytest.approx(gained, abs=1e-3 * energy[0] + 0.5 * abs(gained) * (factor != 1.0))


# ---- several FMUs and bodies -----------------------------------------------------------------------------------------


def wall(side, mode, stiffness):
    """A ball that is pressed 50 mm into a wall."""
    ball = body("ball", "external", [{"name": "skin", "kind": "sphere", "radius": 0.5, "material": "m"}], mass=MASS,
                inertia=[1.0] * 3)
    turned = [np.sqrt(0.5), 0.0, -side * np.sqrt(0.5), 0.0]
    plane = body("wall", "fixed", [{"name": "plane", "kind": "plane", "material": "m"}],
                 state={"r": [side * 0.45, 0.0, 0.0], "q": turned})
    touch = law("touch", ["m", "m"], {"kind": "kelvin_voigt", "stiffness": stiffness, "damping": 0.0}, None)
    return scene([ball, plane], [touch], [["ball", "wall"]], coupling=mode, step_size=1e-4)


@both
@pytest.mark.parametrize("phase", [0.1, 0.2, 0.3, 0.35, 0.4, 0.45])  # w H of the ball on both walls
def test_two_contacts_of_one_body_in_two_simulations(mode, phase):
    energy, simulations = between_two_walls(mode, phase, 10e-3)
    assert energy < 1.05
    for simulation in simulations:  # each takes the other's spring for a lighter body
        assert simulation.responses[0, 0] == pytest.approx(2.0, rel=1e-3)


@both
# up to the limit that docs/coupling.md gives; 1.12 is measured, and 9 at 0.44
@pytest.mark.parametrize("phase", [0.15, 0.22, 0.24, 0.26, 0.28, 0.32, 0.34, 0.36, 0.38, 0.4])
@pytest.mark.parametrize("h", [5e-3, 10e-3])
def test_two_simulations_add_little_energy_up_to_the_limit(mode, phase, h):
    assert between_two_walls(mode, phase, h)[0] < 1.15


def between_two_walls(mode, phase, h):
    """The largest energy over that at the start of a ball between two walls, each in a simulation of its own."""
    stiffness = (phase / h) ** 2 * MASS / 2
    simulations = [contactlib.Simulation(wall(side, mode, stiffness).compile()) for side in (-1.0, 1.0)]
    masses = rigid_body.Masses.of([wall(1.0, mode, stiffness).bodies[0].mass_properties()])
    states = [simulation.states.copy() for simulation in simulations]
    ball = states[0][:1].copy()
    ball[0, 7] = 0.1
    for simulation, own in zip(simulations, states, strict=True):
        own[0] = ball[0]
        simulation.set("next_step", h)
        simulation.compute(own)
    held = sum(simulation.wrenches[:1] for simulation in simulations)
    energies = []
    for _ in range(400):
        for simulation, own in zip(simulations, states, strict=True):
            own[0] = ball[0]
            simulation.step(h, own)
        new = sum(simulation.wrenches[:1] for simulation in simulations)
        ball = rigid_body.rk4(masses, ball, new if mode == "gauss_seidel" else held, None, h)
        held = new
        energies.append(MASS / 2 * ball[0, 7] ** 2 + stiffness * ball[0, 0] ** 2)
    return max(energies) / (MASS / 2 * 0.1**2), simulations


@both
@pytest.mark.parametrize("h", [5e-3, 10e-3])
def test_a_row_of_three_bodies(mode, h):
    """A ball strikes a row of two: positions and velocities of one common solver."""
    def row(motion):
        balls = [body(name, motion, [{"name": "skin", "kind": "sphere", "radius": 0.5, "material": "m"}], mass=MASS,
                      inertia=[1.0] * 3, state={"r": [x, 0.0, 0.0], "v": [v, 0.0, 0.0]})
                 for name, x, v in (("a", -1.05, 1.0), ("b", 0.0, 0.0), ("c", 1.0, 0.0))]
        touch = law("touch", ["m", "m"], {"kind": "kelvin_voigt", "stiffness": STIFFNESS, "damping": 20.0}, None)
        return scene(balls, [touch], [["a", "b"], ["b", "c"]], coupling=mode if motion == "external" else "none",
                     step_size=1e-4)

    together = contactlib.Simulation(row("free").compile())
    together.run(0.5, 1e-4)
    master = Master(row("external"), h)
    rows = master.run(round(0.5 / h))
    energy, linear, _ = master.momenta(rows)
    assert np.abs(linear - linear[0]).max() < 1e-9 and energy.max() < 1.001 * energy[0]
    bound = 0.03 * (W * h) ** 2  # of the speed of 1 m/s; 4e-3 at 10 ms, 1.1e-3 at 5 ms: of order two
    assert np.abs(rows[-1, :, 7] - together.states[:, 7]).max() < bound
