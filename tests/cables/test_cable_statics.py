"""The cable at rest, and its frequencies, against closed solutions and finite elements of the same kind."""

import csv
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

from tests.cables.cables import MEASURES, Run, arc, design, straight
from tests.oracle.reference_cable import mass_matrix

DATA = Path(__file__).parents[2] / "validation_data" / "cable_elastica"


def table(name):
    with (DATA / name).open(encoding="utf-8") as file:
        return [[float(x) if x[0].isdigit() else x for x in row] for row in list(csv.reader(file))[1:]]


def cantilever(n, load, **options):
    """A clamped cable of EI = 1, L = 1 and EA = 1e6 with a load across its tip, at rest."""
    forces = np.zeros((n + 1, 6))
    forces[-1, 1] = load
    run = Run(design(n, EA=1e6, EI=1.0, **options), straight(n), holds=("direction", "free"), forces=forces)
    return run.relax(0.1, 600)


# ---- bending ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("load", "quadrature", "n", "deflection"), table("finite_elements.csv"))
def test_elements_under_a_tip_load(load, quadrature, n, deflection):
    # eight digits are given; `relax` leaves 1e-10
    assert cantilever(int(n), load, quadrature=quadrature).q[0, -1, 1] == pytest.approx(deflection, abs=1.1e-8)


@pytest.mark.parametrize("measure", MEASURES)
def test_elastica(measure):
    """The exact curve of a rod that does not stretch, 1e-6 away from this one; fourth order."""
    for load, angle, across, along in table("elastica_cantilever_tip_load.csv"):
        tip = cantilever(24, load, measure=measure).q[0, -1]
        # the locking of 24 elements with EA L^2/EI = 1e6 grows with the load: the table has 1e-4 of n = 16 at 10
        bound = 2e-5 if load <= 1 else 2e-4
        assert tip[1] == pytest.approx(across, abs=bound) and 1 - tip[0] == pytest.approx(along, abs=bound)
        assert np.arctan2(tip[4], tip[3]) == pytest.approx(angle, abs=5 * bound)


@pytest.mark.parametrize("quadrature", ["full", "reduced"])
def test_elastica_by_elements(quadrature):
    """Errors fall by order 2 while membrane locking leads, and by 4 once the elements are short."""
    exact = table("elastica_cantilever_tip_load.csv")[2][2]
    errors = [abs(cantilever(n, 1.0, quadrature=quadrature).q[0, -1, 1] - exact) for n in (2, 4, 8, 16)]
    assert (np.diff(np.log2(errors)) < -2).all() and errors[-1] < 1e-5


def wound(n, angle, measure):
    """A clamped cable whose tip is turned by a moment a EI/L, at rest.

    The moment m acts on the slope t as a couple m (z x t)/t.t that turns with it.
    """
    run = Run(design(n, EA=1e5, EI=1.0, measure=measure, quadrature="reduced"), arc(n, angle=angle),
              holds=("direction", "free"), forces=np.zeros((n + 1, 6)))
    for _ in range(400):
        t = run.q[0, -1, 3:]
        run.forces[0, -1, 3:] = angle * np.cross([0, 0, 1], t) / (t @ t)
        run.relax(0.03, 1)
    return run.q[0, -1]


@pytest.mark.parametrize(("angle", "measure"), [*product((0.5, 1.5, np.pi), MEASURES)])
def test_an_end_moment_bends_to_an_arc(angle, measure):
    tip = wound(8, angle, measure)
    assert tip[:2] == pytest.approx([np.sin(angle) / angle, (1 - np.cos(angle)) / angle], abs=1e-3)


def test_an_end_moment_bends_to_a_circle():
    """With 2 pi EI/L the tip comes back to the clamp: errors fall by fourth order."""
    coarse, fine = (np.linalg.norm(wound(n, 2 * np.pi, "engineering")[:2]) for n in (8, 16))
    assert fine < 2e-3 and coarse / fine > 8


# ---- hanging ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", MEASURES)
def test_catenary(measure):
    """1 m of a rope between points 0.8 m apart: its sag, and what its ends bear."""
    a = brentq(lambda a: 2 * a * np.sinh(0.4 / a) - 1, 0.1, 1)
    sag, force = a * (np.cosh(0.4 / a) - 1), a * np.cosh(0.4 / a)
    assert (a, sag, force) == pytest.approx((0.338201879085, 0.265437509140, 0.603639388225))
    n = 20
    half = np.linspace(-0.5, 0.5, n + 1)
    q = np.zeros((n + 1, 6))
    q[:, 0], q[:, 1] = 0.8 * half, -1.2 * (0.25 - half**2)
    q[:, 3], q[:, 4] = 0.8, 2.4 * half
    run = Run(design(n, EA=1e4, EI=1e-6, damping=(0.1, 0.1, 3.0), measure=measure), q, holds=("position", "position"),
              gravity=(0, -1.0, 0))
    run.step(0.02, 3000)
    # stretching by 1e-4 N/N, bending over sqrt(EI/T) = 1.6 mm, and 20 elements: 1e-4
    assert -run.q[0, n // 2, 1] == pytest.approx(sag, abs=2e-4)
    assert np.linalg.norm(run.reactions[0, :, :3], axis=1) == pytest.approx(force, rel=1e-3)


# ---- frequencies ------------------------------------------------------------------------------------


H = 0.05  # s: A = M + H^2 K has eigenvalues 1 + (H w)^2 over M, the lowest of which keep all digits


def frequencies(run, axis, count):
    """Of motions along an axis, rad/s, through A^-1 with the ends that the run holds."""
    numbers = np.arange(axis, run.q.size, 3)
    inverse = run.system(H, np.eye(run.q.size))[2][np.ix_(numbers, numbers)]
    L = np.linalg.cholesky(mass_matrix(run.design)[np.ix_(numbers, numbers)])
    largest = np.linalg.eigvalsh(L.T @ inverse @ L)[::-1][:count]
    return np.sqrt(np.maximum(1 / largest - 1, 0.0)) / H


def bending(n, count, holds):
    return frequencies(Run(design(n), straight(n), holds=holds), 1, count)


CLAMPED, PINNED, FREE = ("direction", "free"), ("position", "position"), ("free", "free")


@pytest.mark.parametrize(("n", "expected"), [
    (1, [3.532731543, 34.806893108]), (2, [3.517715042, 22.221474474]),
    (4, [3.516130271, 22.060166308, 62.174892526]), (8, [3.516022592, 22.036253418, 61.734741192]),
    (16, [3.516015728, 22.034604114]),
])
def test_frequencies_of_a_cantilever(n, expected):
    found = bending(n, len(expected), CLAMPED)
    assert found == pytest.approx(expected, rel=1e-9)  # nine digits are given
    assert (found > [3.5160152685, 22.0344915647, 61.6972144135][:len(found)]).all()  # as by Rayleigh and Ritz


@pytest.mark.parametrize(("holds", "mode", "exact"), [
    (CLAMPED, 0, 3.5160152685), (CLAMPED, 1, 22.0344915647), (FREE, 2, 22.3732854481), (FREE, 3, 61.6728228679),
    (PINNED, 0, np.pi**2), (PINNED, 1, 4 * np.pi**2),
])
def test_frequencies_by_elements(holds, mode, exact):
    """Fourth order."""
    coarse, fine = (bending(n, mode + 1, holds)[mode] / exact - 1 for n in (8, 16))
    assert 0 < fine < 1e-4 and coarse / fine == pytest.approx(16, rel=0.1)


@pytest.mark.parametrize(("n", "expected"), [(1, 1.57090361), (4, 1.57079640)])
def test_axial_frequencies(n, expected):
    """Fixed and free: pi/2 sqrt(EA/rho A)/L."""
    run = Run(design(n, EA=1.0), straight(n), holds=("position", "free"))
    assert frequencies(run, 0, 1)[0] == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("measure", MEASURES)
def test_frequencies_under_tension(measure):
    """Pinned, with T L^2/EI = 100: (n pi)^2 sqrt(1 + T L^2/(n^2 pi^2 EI)), through the stiffness of tension."""
    EA = 1e8
    run = Run(design(16, EA=EA, strain=-100 / EA, measure=measure, tension_stiffness=True), straight(16), holds=PINNED)
    found = frequencies(run, 1, 2)
    assert found == pytest.approx([32.9297666427, 74.2050349840], rel=1e-5)  # 16 elements: 2e-6 of the second
