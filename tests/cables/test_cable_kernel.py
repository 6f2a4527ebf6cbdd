"""The cable's kernel against its oracle, finite differences, conservation laws and closed formulas."""

from itertools import product

import numpy as np
import pytest

from tests.cables.cables import HOLDS, MEASURES, QUADRATURES, Run, arc, design, straight
from tests.oracle import reference_cable as oracle

RNG = 20260101


def random_cable(rng, n, **options):
    """A cable between soft and stiff, with all kinds of damping, under tension at its length."""
    return design(n, EA=10 ** rng.uniform(1, 4), EI=10 ** rng.uniform(-2, 0), damping=rng.uniform(0, 0.05, 3),
                  strain=rng.uniform(-0.1, 0.0), **options)


def random_state(rng, n, spread=0.1):
    return arc(n) + spread * rng.normal(size=(n + 1, 6)), rng.normal(size=(n + 1, 6))


# ---- against the oracle -----------------------------------------------------------------------------


@pytest.mark.parametrize(("measure", "quadrature", "tension_stiffness", "curvature"),
                         [*product(MEASURES, QUADRATURES, (False, True), (0.0, 2.0))])
def test_a_step(measure, quadrature, tension_stiffness, curvature):
    rng = np.random.default_rng(RNG)
    for n, holds in ((n, holds) for n in (1, 2, 5) for holds in zip(HOLDS, rng.permutation(HOLDS), strict=True)):
        cable = random_cable(rng, n, curvature=curvature, measure=measure, quadrature=quadrature,
                             tension_stiffness=tension_stiffness)
        q, v = random_state(rng, n)
        forces, gravity = rng.normal(size=(n + 1, 6)), rng.normal(size=3)
        run = Run(cable, q, v, holds, gravity, forces)
        run.ends[0] += 1e-3 * rng.normal(size=(2, 6))
        run.step(1e-2)
        expected = oracle.step(cable, q, v, 1e-2, gravity, forces, holds, run.ends[0])
        # the KKT matrix of the oracle has a condition of 1e6 or so: 1e-10 of its solution
        for found, value in zip((run.q[0], run.v[0], run.reactions[0]), expected, strict=True):
            assert np.abs(found - value).max() < 1e-9 * max(1.0, np.abs(value).max())


@pytest.mark.parametrize("holds", [*product(HOLDS, HOLDS)])
def test_columns_through_the_factor(holds):
    """A^-1 of impulses is how v+ answers to them, and symmetric; what is held does not move."""
    rng = np.random.default_rng(RNG)
    n, h = 4, 1e-2
    q, v = random_state(rng, n)
    run = Run(random_cable(rng, n, tension_stiffness=True), q, v, holds)
    size = q.size
    _, free, inverse = run.system(h, np.eye(size))
    assert np.abs(inverse - inverse.T).max() < 1e-12 * np.abs(inverse).max()
    for node, target in ((0, 0), (n, 1)):
        held = oracle.end_rows(holds[target], q[node], run.ends[0, target])[0]
        assert np.abs(held @ inverse[6 * node:6 * node + 6]).max(initial=0) < 1e-12 * np.abs(inverse).max()
    impulse = rng.normal(size=size)
    pushed = Run(run.design, q, v, holds, forces=(impulse / h).reshape(q.shape)).system(h)[1]
    assert pushed - free == pytest.approx(inverse @ impulse, rel=1e-9, abs=1e-10)


# ---- matrices and gradients -------------------------------------------------------------------------


def test_mass_matrix_and_load():
    L, mass = 0.7, 3.0
    run = Run(design(1, L, rho=mass / L), straight(1, L), gravity=(2.0, 3.0, 5.0))
    upper = mass * np.array([[13 / 35, 11 * L / 210, 9 / 70, -13 * L / 420],
                             [0, L**2 / 105, 13 * L / 420, -(L**2) / 140],
                             [0, 0, 13 / 35, -11 * L / 210], [0, 0, 0, L**2 / 105]])
    M = np.kron(upper + np.triu(upper, 1).T, np.eye(3))
    assert np.abs(run.matrix(0.0) - M).max() < 1e-13 * mass
    load = np.kron(mass * np.array([1 / 2, L / 12, 1 / 2, -L / 12]), (2.0, 3.0, 5.0))
    assert run.system(1e-3)[0] / 1e-3 == pytest.approx(load, abs=1e-12)  # straight, so that nothing else pulls


@pytest.mark.parametrize(("measure", "quadrature", "curvature"), [*product(MEASURES, QUADRATURES, (0.0, 2.0))])
def test_forces_are_the_gradient_of_the_energies(measure, quadrature, curvature):
    rng = np.random.default_rng(RNG)
    cable = random_cable(rng, 3, measure=measure, quadrature=quadrature, curvature=curvature)
    q, _ = random_state(rng, 3)
    force = Run(cable, q).system(1.0)[0]  # N s of 1 s without velocity

    def energy(step, direction):
        return Run(cable, q + step * direction).energy[1:].sum()

    for _ in range(20):
        direction = rng.normal(size=q.shape)
        h = 1e-4  # fourth order: an error of h^4, 1e-16 of the fifth derivative, and rounding, 1e-16/h of the energy
        slope = sum(c * energy(k * h, direction) for k, c in ((-2, 1), (-1, -8), (1, 8), (2, -1))) / (12 * h)
        assert -force @ direction.reshape(-1) == pytest.approx(slope, rel=1e-7, abs=1e-9 * np.abs(force).max())


def test_a_rest_curvature_that_has_no_direction_yet():
    """A straight cable that would be curved at rest does not know where to: it stays, and an offset decides."""
    run = Run(design(4, curvature=2.0), straight(4))
    run.step(1e-2, 10)
    assert run.q[0] == pytest.approx(straight(4), abs=1e-12)
    bent = Run(design(4, curvature=2.0), arc(4, angle=1.0)).relax(1e-2, 400)
    assert bent.energy[1:].sum() < 1e-3  # of 2 J when straight; what four cubics cannot follow of an arc
    span = np.linalg.norm(bent.q[0, -1, :3] - bent.q[0, 0, :3])
    assert span == pytest.approx(np.sin(1.0), rel=1e-3)  # the chord of 1 m at 1/R = 2/m; four cubics meet it to 2e-4


# ---- where and how it lies --------------------------------------------------------------------------


def turned(rng):
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return Q * np.linalg.det(Q)


@pytest.mark.parametrize(("measure", "curvature"), [*product(MEASURES, (0.0, 2.0))])
def test_frame_indifference(measure, curvature):
    """A turned and moved cable with all that acts on it does the same."""
    rng = np.random.default_rng(RNG)
    n = 5
    cable = random_cable(rng, n, measure=measure, curvature=curvature, tension_stiffness=True)
    q, v = random_state(rng, n, 0.03)
    R, g = turned(rng), np.array([1.0, 2.0, -5.0])
    both = np.kron(np.eye(2), R)
    here, there = Run(cable, q, v, ("position", "direction"), g), Run(cable, q @ both.T, v @ both.T,
                                                                     ("position", "direction"), R @ g)
    for run in (here, there):
        run.step(1e-3, 200)
    assert there.q[0] == pytest.approx(here.q[0] @ both.T, abs=1e-9)
    assert there.reactions[0] == pytest.approx(here.reactions[0] @ both.T, rel=1e-7, abs=1e-7)


def test_far_away_and_fast():
    """1e7 m away only the resolution of the positions there, 2e-9 m, is lost; the frame's own motion loses nothing."""
    rng = np.random.default_rng(RNG)
    q, v = random_state(rng, 5, 0.03)
    q[:, :3] = np.round(q[:, :3] * 2**20) / 2**20  # what a double still holds at 2^23 m
    cable = design(5, EA=100.0, EI=0.1, damping=(0.01, 0.01, 0.0))
    far = q.copy()
    far[:, :3] += 2**23
    near, away = Run(cable, q, v), Run(cable, far, v)
    b, free, _ = near.system(1e-3)
    assert (away.system(1e-3)[0] == b).all() and (away.system(1e-3)[1] == free).all()
    near.step(1e-3, 100)
    away.step(1e-3, 100)
    # 100 roundings of 1e-9 m, and what they do to strains of 100 N over 0.2 m in 0.1 s
    assert away.q[0, :, :3] - 2**23 == pytest.approx(near.q[0, :, :3], abs=1e-6)


def test_the_same_bits():
    rng = np.random.default_rng(RNG)
    q, v = random_state(rng, 7)
    cable = random_cable(rng, 7)
    one, two = Run(cable, q, v), Run(cable, q, v)
    one.step(1e-3, 50)
    for _ in range(50):
        two.step(1e-3)
    assert one.q.tobytes() == two.q.tobytes() and one.v.tobytes() == two.v.tobytes()


# ---- energy and momentum ----------------------------------------------------------------------------


@pytest.mark.parametrize("measure", MEASURES)
def test_momentum_and_spin(measure):
    """Momentum is kept to rounding, and so is spin where nothing bends; bending costs spin in the order of the step."""
    rng = np.random.default_rng(RNG)
    w = np.array([1.0, 2.0, 3.0])
    turning = np.cross(w, arc(6).reshape(-1, 3)).reshape(7, 6)

    def change(EI, h, q, v):
        run = Run(design(6, EA=100.0, EI=EI, damping=(0.01, 0.0, 0.0), measure=measure), q, v)
        before = run.momenta
        run.step(h, round(0.1 / h))
        # hundreds of impulses of 10 N s, rounded to 1e-16
        assert run.momenta[0] == pytest.approx(before[0], abs=1e-11)
        return np.abs(run.momenta[1] - before[1]).max()

    assert change(0.0, 1e-3, *random_state(rng, 6, 0.03)) < 1e-11
    coarse, fine = (change(0.1, h, arc(6), turning) for h in (4e-4, 2e-4))
    assert fine > 1e-6 and coarse / fine == pytest.approx(2.0, rel=0.1)


@pytest.mark.parametrize(("measure", "h"), [*product(MEASURES, (1e-4, 1e-3, 1e-2))])
def test_energy_never_grows(measure, h):
    """While no step turns the cable by more than a few hundredths of a radian."""
    rng = np.random.default_rng(RNG)
    for holds, tension_stiffness in product((("free", "free"), ("position", "position")), (False, True)):
        q, v = arc(8, angle=2.0), 0.3 * rng.normal(size=(9, 6))
        v[[0, -1]] = 0
        run = Run(design(8, EA=1e3, EI=0.1, measure=measure, tension_stiffness=tension_stiffness), q, v, holds)
        energies = [run.energy.sum()]
        for _ in range(300):
            energies.append(run.step(h).energy.sum())
        assert np.diff(energies).max() <= 1e-12 * energies[0]
        assert energies[-1] < 0.999 * energies[0]


@pytest.mark.parametrize("damping", [0.0, 0.02])
def test_small_oscillations_decay_as_by_implicit_euler(damping):
    """Every mode of a straight cable: 1/sqrt(1 + (w h)^2) a step, and by Kelvin-Voigt as v' = -w^2 (x + tau v)."""
    n, EA = 2, 50.0
    cable = design(n, EA=EA, EI=1.0, damping=(damping, damping, 0.0))
    rest = straight(n)
    still = Run(cable, rest)
    M = still.matrix(0.0)
    K = (still.matrix(1.0) - M) / (1.0 + damping)
    values, modes = np.linalg.eigh(np.linalg.solve(np.linalg.cholesky(M), np.linalg.solve(np.linalg.cholesky(M), K).T))
    modes = np.linalg.solve(np.linalg.cholesky(M).T, modes)
    for w2, mode in zip(values, modes.T, strict=True):
        if w2 < 1e-6:
            continue
        w = np.sqrt(w2)
        for wh in (0.1, 1.0, 10.0):
            h = wh / w
            run = Run(cable, rest + 1e-7 * mode.reshape(rest.shape))
            x, v = 1.0, 0.0
            for _ in range(3):
                run.step(h)
                v = (v - h * w2 * x) / (1 + h * (h + damping) * w2)
                x += h * v
            # strains of second order, 1e-7 of the first
            assert (run.q[0] - rest).reshape(-1) @ M @ mode / 1e-7 == pytest.approx(x, abs=1e-5)
            if damping == 0.0:
                assert np.hypot(x, v / w) == pytest.approx((1 + wh**2) ** -1.5, rel=1e-12)


def test_damping_by_mass():
    """alpha takes the same share of every velocity: 1/(1 + h alpha) a step."""
    run = Run(design(3, damping=(0, 0, 4.0)), straight(3), np.tile([1.0, 2.0, 3.0, 0, 0, 0], (4, 1)))
    run.step(0.1, 5)
    assert run.v[0, :, :3] == pytest.approx(np.tile(np.array([1.0, 2.0, 3.0]) / 1.4**5, (4, 1)), rel=1e-11)


# ---- ends -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", MEASURES)
def test_tension_of_a_straight_cable(measure):
    """Pulled at its ends, and short without load: EA times the strain, with the multipliers of the ends."""
    strain, EA = 0.01, 5e3
    run = Run(design(5, EA=EA, strain=-strain, measure=measure), straight(5), holds=("position", "position"))
    assert run.tension == pytest.approx(EA * strain)
    run.step(1e-3, 3)
    assert run.reactions[0, :, 0] == pytest.approx([-EA * strain, EA * strain], rel=1e-12)
    run.ends[0, 1, 0] = 1.02
    run.relax(1e-2, 50)
    stretch = 1.02
    force = EA * (strain + ((stretch**2 - 1) / 2 if measure == "green" else stretch - 1))
    force *= stretch if measure == "green" else 1.0
    assert run.tension == pytest.approx(force, rel=1e-9)
    assert run.reactions[0, :, 0] == pytest.approx([-force, force], rel=1e-9)


def test_ends_hold_the_weight():
    """At rest the ends bear what the cable weighs; moving ends accelerate what it weighs."""
    run = Run(design(6, EI=0.01, damping=(0.02, 0.02, 5.0)), arc(6), holds=("position", "position"),
              gravity=(0, 0, -9.0))
    run.step(1e-2, 3000)
    assert run.reactions[0, :, :3].sum(axis=0) == pytest.approx([0, 0, 9.0], abs=1e-6)
    assert np.abs(run.reactions[0, :, 3:]).max() == 0.0


def test_an_end_that_is_moved():
    """A driven end is where it was told to be, and the impulse of both ends is the change of momentum."""
    n, h = 6, 1e-3
    run = Run(design(n, EI=0.01), arc(n), holds=("position", "direction"))
    start = run.ends[0].copy()
    impulse, before = np.zeros(3), run.momenta[0]
    for k in range(1, 301):
        angle = 3.0 * k * h
        run.ends[0, 0, :3] = start[0, :3] + 0.1 * np.array([np.sin(angle), 1 - np.cos(angle), 0.2 * angle])
        run.ends[0, 1, 3:] = np.array([-np.cos(0.2 * angle), 0.0, np.sin(0.2 * angle)])
        run.step(h)
        impulse += h * run.reactions[0, :, :3].sum(axis=0)
        assert run.q[0, 0, :3] == pytest.approx(run.ends[0, 0, :3], abs=1e-14)
        across = run.q[0, -1, 3:] - run.q[0, -1, 3:] @ run.ends[0, 1, 3:] * run.ends[0, 1, 3:]
        assert np.abs(across).max() < 1e-14
        assert abs(run.reactions[0, 1, 3:] @ run.ends[0, 1, 3:]) < 1e-9  # a direction resists no stretching
    assert run.momenta[0] - before == pytest.approx(impulse, abs=1e-10)


# ---- taut cables ------------------------------------------------------------------------------------


def taut(tension_stiffness):
    """A steel rope of 3.2 mm under 4 kN, plucked at its middle; 20 elements of 10 mm."""
    EA, tension = 3.98e5, 4000.0
    run = Run(design(20, 0.2, EA, 0.0108, 0.0347, strain=-tension / EA, tension_stiffness=tension_stiffness),
              straight(20, 0.2), holds=("position", "position"))
    run.v[0, 10, 1] = 1.0
    return run


def test_a_taut_cable_is_stable_by_the_stiffness_of_its_tension():
    """Its fastest transverse waves take 0.06 ms: at 1 ms they need that stiffness."""
    run = taut(True)
    energies = [run.step(1e-3).energy.sum() for _ in range(300)]
    assert np.diff(energies).max() <= 1e-9 * energies[0]
    assert np.abs(run.q[0, :, 1]).max() < 1e-3
    run = taut(False)
    start = run.energy.sum()
    run.try_step(1e-3, 300)
    assert not run.energy.sum() < 1.1 * start


# ---- bad input --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("key", "value", "says"), [
    ("elements", [], "elements must be 1 to 1048576 rows"),
    ("elements", [[0.1, 0, 0], [0.0, 0, 0]], r"elements\[1\].length must be positive and finite, in m, not 0.0"),
    ("elements", [[np.nan, 0, 0]], r"elements\[0\].length must be positive"),
    ("elements", [[0.1, -0.5, 0]], r"elements\[0\].strain must be finite and above -1"),
    ("elements", [[0.1, 0, -1.0]], r"elements\[0\].curvature must be finite and not negative"),
    ("material", (0.0, 1, 1, 0, 0, 0), "axial_stiffness must be positive and finite, in N, not 0.0"),
    ("material", (1e4, -1.0, 1, 0, 0, 0), "bending_stiffness must be finite and not negative, in N m2, not -1.0"),
    ("material", (1e4, 1, np.inf, 0, 0, 0), "line_density must be positive and finite, in kg/m, not inf"),
    ("material", (1e4, 1, 1, -1e-3, 0, 0), "axial_damping must be"),
    ("material", (1e4, 1, 1, 0, np.nan, 0), "bending_damping must be"),
    ("material", (1e4, 1, 1, 0, 0, -2.0), "mass_damping must be"),
    ("measure", "true", "measure must be one of green, engineering, not 'true'"),
    ("quadrature", "3", "quadrature must be one of full, reduced, not '3'"),
])
def test_bad_designs(key, value, says):
    with pytest.raises(ValueError, match=says):
        Run(design(2) | {key: value}, straight(2))


NOT_FINITE, BAD_ARGUMENT, ELEMENT_FAILED = 1, 10, 11


@pytest.mark.parametrize(("where", "bad"), [*product(("q", "v", "ends", "forces"), (np.nan, np.inf)),
                                            ("q", 1e308), ("v", 1e308), ("ends", 1e308)])
def test_a_number_that_is_none(where, bad):
    """A status, and the state as it was."""
    run = Run(design(5), straight(5), holds=("position", "free"), forces=np.zeros((6, 6)))
    getattr(run, where)[0, 1 if where != "ends" else 0, 1] = bad
    q, v = run.q.copy(), run.v.copy()
    code, _, done = run.try_step(1e-3)
    assert code == NOT_FINITE and done == 0
    assert run.q.tobytes() == q.tobytes() and run.v.tobytes() == v.tobytes()


@pytest.mark.parametrize("h", [0.0, -1e-3, np.nan, np.inf])
def test_a_step_that_is_none(h):
    assert Run(design(2), straight(2)).try_step(h)[0] == BAD_ARGUMENT


@pytest.mark.parametrize("element", [0, 3, 4])
def test_an_element_that_has_shrunk_to_nothing(element):
    run = Run(design(5), straight(5))
    run.q[0, element:element + 2] = 0.0
    assert run.try_step(1e-3) == (ELEMENT_FAILED, element, 0)


def test_shapes():
    run = Run(design(2), straight(2))
    run.ends = np.zeros((1, 2, 3))
    with pytest.raises(ValueError, match=r"ends must have shape \(1, 2, 6\), not \(1, 2, 3\)"):
        run.try_step(1e-3)
    run = Run(design(2), straight(2), holds=("glued", "free"))
    with pytest.raises(ValueError, match="holds must be one of free, position, direction, slope, not 'glued'"):
        run.try_step(1e-3)
