"""The cable's step of second order: its oracle, its modes, its order, its energy, and what it is joined to."""

from itertools import product

import numpy as np
import pytest

from contactlib import Spec
from contactlib._core import engine
from contactlib.elements.cable import Cable
from tests.cables.cables import HOLDS, MEASURES, QUADRATURES, Run, design, straight
from tests.cables.test_cable_kernel import RNG, random_cable, random_state
from tests.cables.test_snare_capstan import THIN, pulled, ratio
from tests.cables.test_snare_dynamics import drift
from tests.oracle import reference_cable as oracle
from tests.support.snares import free, simulate

G = 9.81
SECOND = {"integrator": "second_order"}
STEEL = 2e11, 7850.0  # Pa, kg/m3


def steel(d, n=16, length=1.0, **options):
    """A wire of diameter d (m)."""
    area, E = np.pi * d * d / 4, STEEL[0]
    return design(n, length, EA=E * area, EI=E * np.pi * d**4 / 64, rho=STEEL[1] * area, **{**SECOND, **options})


# ---- against the oracle -----------------------------------------------------------------------------


@pytest.mark.parametrize(("measure", "quadrature", "curvature"), [*product(MEASURES, QUADRATURES, (0.0, 2.0))])
def test_a_step(measure, quadrature, curvature):
    """The first step, and the one after it, with all kinds of damping and of ends."""
    rng = np.random.default_rng(RNG)
    for n, holds in product((1, 3), zip(HOLDS, rng.permutation(HOLDS), strict=True)):
        cable = random_cable(rng, n, curvature=curvature, measure=measure, quadrature=quadrature, **SECOND)
        q, v = random_state(rng, n)
        forces, gravity = rng.normal(size=(n + 1, 6)), rng.normal(size=3)
        run = Run(cable, q, v, holds, gravity, forces)
        for kick in (0.5, 1.0):
            run.ends[0] = run.q[0, [0, -1]] + 1e-3 * rng.normal(size=(2, 6))
            expected = oracle.step_second_order(cable, run.q[0], run.v[0], 1e-2, gravity, forces, holds, run.ends[0],
                                                kick)
            run.step(1e-2)
            # the differences of the oracle's second derivative have 1e-8 of rounding and of their own error
            for found, value in zip((run.q[0], run.v[0], run.reactions[0]), expected, strict=True):
                assert np.abs(found - value).max() < 1e-6 * max(1.0, np.abs(value).max())


# ---- modes ------------------------------------------------------------------------------------------


def test_small_oscillations():
    """Every mode by its recurrence, and its damping ratio: 0.09 (w h)^3 of small w h, never a growth."""
    n = 2
    cable, rest = design(n, EA=50.0, EI=1.0, **SECOND), straight(n)
    first = Run(design(n, EA=50.0, EI=1.0), rest)
    M = first.matrix(0.0)
    K = first.matrix(1.0) - M
    L = np.linalg.cholesky(M)
    values, modes = np.linalg.eigh(np.linalg.solve(L, np.linalg.solve(L, K).T))
    modes = np.linalg.solve(L.T, modes)
    for w2, mode in zip(values, modes.T, strict=True):
        if w2 < 1e-6:
            continue
        for wh in (0.1, 1.0, 10.0):
            h = wh / np.sqrt(w2)
            run = Run(cable, rest + 1e-7 * mode.reshape(rest.shape))
            run.begins = False
            p, x, v = 0.6 * wh * wh / (1 + 0.6 * wh * wh), 1.0, 0.0
            for _ in range(3):
                run.step(h)
                v += -0.5 * p * p * v - h * w2 * x / (1 + 0.6 * wh * wh)
                x += h * v
            # strains of second order, 1e-7 of the first
            assert (run.q[0] - rest).reshape(-1) @ M @ mode / 1e-7 == pytest.approx(x, abs=1e-5)


def amplification(wh):
    """Largest modulus of the eigenvalues of that recurrence."""
    p = 0.6 * wh * wh / (1 + 0.6 * wh * wh)
    keep, push = 1 - 0.5 * p * p, p / 0.6
    return np.abs(np.linalg.eigvals([[keep, -push], [keep, 1 - push]])).max()


def test_no_mode_grows():
    scanned = np.array([amplification(wh) for wh in np.logspace(-1, 5, 400)])
    assert (scanned < 1.0).all()
    assert amplification(1e5) == pytest.approx(np.sqrt(0.5), abs=1e-6)  # dies out in some ten steps
    for wh in (0.1, 0.2):
        assert -np.log(amplification(wh)) / wh == pytest.approx(0.09 * wh**3, rel=0.1)  # the rest is (w h)^2 of it


def test_damping_by_mass():
    run = Run(design(3, damping=(0, 0, 4.0), **SECOND), straight(3), np.tile([1.0, 2.0, 3.0, 0, 0, 0], (4, 1)))
    run.begins = False
    run.step(0.1, 5)
    assert run.v[0, :, :3] == pytest.approx(np.tile(np.array([1.0, 2.0, 3.0]) * (0.8 / 1.2)**5, (4, 1)), rel=1e-11)


# ---- order ------------------------------------------------------------------------------------------


def tips(h, driven, time):
    """Tip of a falling cable each 50 ms; its first end is held, or driven on a curve in space."""
    run = Run(design(16, EA=2e3, EI=0.01, rho=0.1, measure="engineering", **SECOND), straight(16),
              holds=("position", "free"), gravity=(0, -G, 0))
    out, each = [], round(0.05 / h)
    for k in range(1, round(time / h) + 1):
        if driven:
            turn = 1 - np.cos(2 * np.pi * k * h)
            run.ends[0, 0, 1:3] = 0.025 * turn * turn, 0.1 * turn
        run.step(h)
        if k % each == 0:
            out.append(run.q[0, -1, :3].copy())
    return np.array(out)


@pytest.mark.parametrize("driven", [False, True])
def test_the_order(driven):
    """Of second order against an own run at 0.05 ms, which Exudyn confirms (validation_data/cable_swing)."""
    fine = tips(5e-5, driven, 0.5)
    coarse, finer = (np.abs(tips(h, driven, 0.5) - fine).max() for h in (1e-3, 2.5e-4))
    assert coarse < 2e-4  # m; found 7e-5 and 9e-5
    assert coarse / finer > 10  # 16 of second order; found 14 and 24


# ---- energy -----------------------------------------------------------------------------------------


def energies(run, h, steps, every):
    """Kinetic energy in the middle of a step, strain energy of both its ends, and that of position: all J."""
    weight = oracle.load(run.design, run.gravity)
    out = []
    for _ in range(steps // every):
        run.step(h, every - 1)
        strain = run.energy[1:].sum()
        run.step(h)
        energy = run.energy
        out.append(energy[0] + 0.5 * (strain + energy[1:].sum()) - weight @ (run.q - 0.5 * h * run.v).reshape(-1))
    return np.array(out) + weight @ straight(len(run.design["elements"])).reshape(-1)


def test_a_steel_pendulum_keeps_its_energy():
    """60 s at 1 ms: at most 1 % lost, never a gain. Found: 0.025 % lost; the step of first order loses 98.8 %."""
    d = 3.2e-3
    run = Run(steel(d), straight(16), holds=("position", "free"), gravity=(0, -G, 0))
    found = energies(run, 1e-3, 60000, 7) / (0.5 * G * run.design["material"][2])
    assert found.max() <= 0.0
    assert found[-1] > -0.01


@pytest.mark.parametrize("h", [1e-3, 4e-3])
def test_a_taut_cable_is_stable(h):
    """20 elements of 10 mm under 4 kN: transverse waves of 0.06 ms die out."""
    tension, EA = 4000.0, 3.98e5
    cable = design(20, 0.2, EA, 0.0108, 0.0347, strain=-tension / EA, **SECOND)
    run = Run(cable, straight(20, 0.2), holds=("position", "position"))
    run.v[0, 10, 1] = 0.01
    start = run.energy.sum()
    run.step(h, 200)
    assert run.energy.sum() < start
    assert np.abs(run.q[0, :, 1]).max() < 1e-9


# ---- ends, bodies, contact --------------------------------------------------------------------------


def test_ends_hold_the_weight():
    """The impulse of the holding forces and the weight is the change of momentum, in the first step half of it."""
    run = Run(design(6, **SECOND), straight(6), holds=("position", "direction"), gravity=(0, 0, -9.0))
    impulse = np.zeros(3)
    for k in range(100):
        run.step(1e-3)
        impulse += (0.5e-3 if k == 0 else 1e-3) * (run.reactions[0, :, :3].sum(axis=0) - (0, 0, 9.0))
    assert run.momenta[0] == pytest.approx(impulse, abs=1e-10)


def test_momenta_with_two_free_bodies():
    """Momentum to rounding, and spin of second order: the step of first order loses 5 to 30 times as much."""
    (linear, coarse), (_, fine) = drift(2e-3, **SECOND), drift(1e-3, **SECOND)
    assert linear < 1e-9 * 2.5
    assert coarse < 1.5e-3 and coarse / fine > 3  # found 6e-4 and 7e-5 N m s of 2.5


def swing(integrator, seconds=10.0, h=1e-3):
    """Height (m) to which a body of 2 kg on a steel cable of 1 m comes back, released at the height 0."""
    d = 3.2e-3
    EA, EI, rho = steel(d)["material"][:3]
    cable = {"radius": d / 2, "axial_stiffness": EA, "bending_stiffness": EI, "line_density": rho, "elements": 8,
             "integrator": integrator}
    simulation = simulate([free("bob", (1, 0, 0), 2.0)], h, {"gravity": [0, -G, 0]},
                          cables=[{"name": "rope", "cable": cable, "last_body": "bob", "first_points": [[0, 0, 0]],
                                   "last_points": [[0, 0, 0]], "length": 1.0}])
    heights = []
    for _ in range(round(seconds / h)):
        simulation.step(h)
        heights.append(simulation.states[0, 1])
    return max(heights[-round(2.0 / h):]), simulation


def test_a_body_that_swings_on_a_cable():
    height, simulation = swing("second_order")
    assert abs(height) < 5e-4  # the body's own step: h/2 of its speed; found 6e-5 m
    assert abs(simulation.energy_error) < 1e-4 * 20.0  # J, of m g l; found 3e-5
    assert swing("first_order")[0] < -0.1


@pytest.mark.parametrize("mu", [0.05, 0.3])
def test_a_rope_on_a_drum(mu):
    """As well as by the step of first order: 7e-4 of Euler's ratio."""
    assert ratio(mu, np.pi, 40, **THIN, **SECOND) == pytest.approx(np.exp(mu * np.pi), rel=2e-3)


def test_a_rope_below_and_above_the_limit():
    """It rests but for a swing of 5e-7 m that nothing damps, or it runs."""
    way = pulled(0.3, 0.4, 5, 0.9, 1.0, **THIN, **SECOND)
    assert np.ptp(way[300:]) < 3e-6
    assert pulled(0.3, 0.4, 5, 1.1, 0.05, **THIN, **SECOND)[-1] > 5e-3


# ---- scenes -----------------------------------------------------------------------------------------


def falling(h=1e-3, **cable):
    table = {"radius": 1e-3, "axial_stiffness": 2e3, "bending_stiffness": 0.01, "line_density": 0.1, "elements": 16,
             **SECOND, **cable}
    return simulate([], h, {"gravity": [0, -G, 0]}, cables=[
        {"name": "rope", "cable": table, "first_points": [[0, 0, 0]], "last_points": [[1, 0, 0]], "free_ends": "last"}])


def test_a_scene_is_the_kernel():
    """Also its first step, and its energy: what gravity gave is stored or counted as heat."""
    simulation = falling(strain="engineering")
    for _ in range(500):
        simulation.step(1e-3)
    run = Run(design(16, EA=2e3, EI=0.01, rho=0.1, measure="engineering", **SECOND), straight(16),
              holds=("position", "free"), gravity=(0, -G, 0)).step(1e-3, 500)
    assert simulation.cable_nodes("rope")[0][:, :6] == pytest.approx(run.q[0], abs=1e-10)
    assert abs(simulation.energy_error) < 1e-5 * 0.5  # J; found 2e-6, of 0.5 J


def test_a_restored_state_goes_on_with_the_same_bits():
    one = falling()
    for _ in range(20):
        one.step(1e-3)
    saved = one.save()
    for _ in range(20):
        one.step(1e-3)
    two = falling()
    two.restore(saved)
    for _ in range(20):
        two.step(1e-3)
    assert one.save() == two.save()


def test_refusals():
    cable = {"radius": 1e-3, "axial_stiffness": 1.0, "bending_stiffness": 0.0, "line_density": 1.0}
    with pytest.raises(ValueError, match=r"integrator = 'third': must be one of first_order, second_order"):
        Cable(**cable, integrator="third").check("rope.cable")
    with pytest.raises(ValueError, match=r"rope.cable.tension_stiffness = False: .*second_order.* leave it out"):
        Cable(**cable, tension_stiffness=False, **SECOND).check("rope.cable")
    with pytest.raises(ValueError, match="integrator must be one of first_order, second_order, not 'third'"):
        engine.Cable(**design(2, integrator="third"))


def test_a_scene_file_names_the_integrator():
    spec = Spec.from_dict({"scene": {"name": "rope", "step_size": 1e-3}, "cables": [
        {"name": "rope", "first_points": [[0, 0, 0]], "last_points": [[1, 0, 0]],
         "cable": {"radius": 1e-3, "axial_stiffness": 1e3, "bending_stiffness": 0.0, "line_density": 0.1, **SECOND}}]})
    assert spec.elements[0].cable.integrator == "second_order"
