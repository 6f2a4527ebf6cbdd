"""The falling flexible pendulum: its published series, and the order of the time step."""

import csv
from pathlib import Path

import numpy as np
import pytest

from tests.cables.cables import MEASURES, Run, design, straight
from tests.oracle.reference_cable import load

DATA = Path(__file__).parents[2] / "validation_data" / "cable_pendulum"
L, AREA, INERTIA, RHO, G = 1.2, 1.8e-3, 1.215e-8, 5540.0, 9.81


def pendulum(n, E=7e7, **options):
    """Pinned at the origin, and straight along x when let go."""
    cable = design(n, L, EA=E * AREA, EI=E * INERTIA, rho=RHO * AREA, **options)
    return Run(cable, straight(n, L), holds=("position", "free"), gravity=(0, -G, 0))


def tips(n, h, times, **options):
    run, out, done = pendulum(n, **options), [], 0
    for t in times:
        steps = round(t / h)
        run.step(h, steps - done)
        done = steps
        out.append(run.q[0, -1, :2].copy())
    return np.array(out)


def total(run, weight):
    """Kinetic, strain and potential energy, J."""
    return run.energy.sum() - weight @ run.q.reshape(-1)


@pytest.mark.parametrize(("h", "expected"), [
    (1e-3, [[1.017981, -0.419988], [-0.549324, -0.997172], [-1.146143, -0.152497]]),
    (5e-4, [[1.018342, -0.418976], [-0.548596, -0.997084], [-1.145470, -0.153188]]),
    (2.5e-4, [[1.018521, -0.418462], [-0.548224, -0.997033], [-1.145124, -0.153568]]),
])
def test_the_step_of_first_order(h, expected):
    """Its own table with 8 elements, to all digits given."""
    assert tips(8, h, (0.3, 0.6, 1.0)) == pytest.approx(np.array(expected), abs=6e-7)


def test_the_energy_that_a_step_of_1_ms_takes():
    run = pendulum(8)
    weight = load(run.design, run.gravity)
    before = total(run, weight)
    assert before - total(run.step(1e-3, 1000), weight) == pytest.approx(0.1903, abs=5e-5)


@pytest.mark.parametrize(("tension_stiffness", "lost"), [(True, 9.2), (False, 2.0)])
def test_the_energy_that_is_lost_in_2_s(tension_stiffness, lost):
    """The figures of docs/cables.md, to their digits."""
    run = pendulum(8, tension_stiffness=tension_stiffness)
    weight = load(run.design, run.gravity)
    before = total(run, weight)
    assert before - total(run.step(1e-3, 2000), weight) == pytest.approx(lost, abs=0.05)


@pytest.mark.parametrize(("E", "h"), [(7e7, 1e-3), (7e7, 2.5e-4), (7e9, 1e-3), (7e9, 4e-3)])
def test_energy_with_the_stiffness_of_tension(E, h):
    """No step adds energy, through two swings; without it some do, of the 141 J at work, and it stays stable."""
    def rises(tension_stiffness):
        run = pendulum(8, E, tension_stiffness=tension_stiffness)
        weight = load(run.design, run.gravity)
        energies = [total(run, weight)] + [total(run.step(h), weight) for _ in range(round(2.0 / h))]
        return np.diff(energies).max(), max(energies) - energies[0]

    assert rises(True)[0] < 0
    most, above = rises(False)
    assert 0 < most < 0.02 and above < 0.004 * 141


@pytest.mark.parametrize("measure", MEASURES)
def test_the_series(measure):
    """16 elements, made exact in time by Richardson's extrapolation of two steps."""
    with (DATA / "pendulum_E7e7.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if 0 < float(row["t"]) <= 0.6]
    name = {"green": "green_geo", "engineering": "eng_mat"}[measure]
    expected = np.array([[float(row[f"tip{axis}_{name}_n16"]) for axis in "xy"] for row in rows])
    times = [float(row["t"]) for row in rows]
    coarse, fine = (tips(16, h, times, measure=measure) for h in (1e-4, 5e-5))
    errors = [np.abs(x - expected).max() for x in (coarse, fine, 2 * fine - coarse)]
    assert errors[2] < 2e-5
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.1)
