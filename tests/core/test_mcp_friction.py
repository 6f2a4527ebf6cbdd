"""Boxes that become Coulomb's cone: the law, single contacts by scanning, the capstan, random heaps of bodies."""

from pathlib import Path

import numpy as np
import pytest

from contactlib._core import engine
from tests.oracle.reference_lcp import coulomb_errors, one_contact

INF = np.inf
TAUT = Path(__file__).parents[2] / "validation_data" / "taut_cables" / "problems.npz"
#: of force and velocity, by the largest of the problem: the solver ends at 1e-11 of a residual
LAW = 1e-9


def solve(A, b, mu, normals=None, lo=None, hi=None, z=None, states=None, **caps):
    """z, states and the report of one problem; its rows are contacts, unless `normals` says which."""
    A, b = np.array(A, dtype=float), np.array(b, dtype=float)
    n = len(b)
    normals = np.arange(0, n, 3, dtype=np.int32) if normals is None else np.array(normals, dtype=np.int32)
    mu = np.array(np.broadcast_to(mu, normals.shape), dtype=float)
    lo = np.zeros(n) if lo is None else np.array(lo, dtype=float)
    hi = np.full(n, INF) if hi is None else np.array(hi, dtype=float)
    states = np.full(n, -1, dtype=np.int8) if states is None else states.copy()
    z = np.zeros(n) if z is None else z.copy()
    rows = (array[None] for array in (A, b, lo, hi))
    report = engine.solve_friction(*rows, normals, mu[None], states[None], z[None], **caps)[0]
    return z, states, engine.SOLVE_CODES[report["code"]], report


def frame(normal, angle=0.0):
    """Rows: the unit normal and two tangents."""
    normal = normal / np.linalg.norm(normal)
    t = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    t /= np.linalg.norm(t)
    s = np.cross(normal, t)
    return np.array([normal, np.cos(angle) * t + np.sin(angle) * s, np.cos(angle) * s - np.sin(angle) * t])


def skew(p):
    return np.array([[0.0, -p[2], p[1]], [p[2], 0.0, -p[0]], [-p[1], p[0], 0.0]])


def boxes(rng, contacts, bodies=3, reach=None):
    """A and b of boxes of a metre that fly into each other and the ground; each contact's rows: normal, two tangents.

    With `reach` contacts lie that far out on arms, with normals at random: rods at Painleve's odds.
    """
    size = rng.uniform(0.3, 1.0, (bodies, 3))
    mass = rng.uniform(0.5, 3.0, bodies)
    inertia = mass[:, None] * ((size**2).sum(axis=1, keepdims=True) - size**2) / 12.0
    inverse = np.concatenate([np.repeat(1.0 / mass[:, None], 3, axis=1), 1.0 / inertia], axis=1).ravel()
    J = np.zeros((3 * contacts, 6 * bodies))
    for k in range(contacts):
        a, c = rng.permutation(bodies)[:2] if bodies > 1 and rng.random() < 0.6 else (rng.integers(bodies), None)
        p = rng.uniform(-0.5, 0.5, 3) * size[a]
        side = rng.integers(3)
        p[side] = np.sign(p[side]) * 0.5 * size[a, side]
        E = frame(-np.sign(p[side]) * np.eye(3)[side], rng.uniform(0.0, 6.0))
        if reach is not None:
            p, E = reach * rng.normal(size=3), frame(rng.normal(size=3))
        J[3 * k : 3 * k + 3, 6 * a : 6 * a + 6] = np.hstack([E, -E @ skew(p)])
        if c is not None:
            q = rng.uniform(-0.5, 0.5, 3) * size[c] if reach is None else reach * rng.normal(size=3)
            J[3 * k : 3 * k + 3, 6 * c : 6 * c + 6] = -np.hstack([E, -E @ skew(q)])
    A = (J * inverse) @ J.T
    return 0.5 * (A + A.T), J @ rng.normal(size=6 * bodies)


@pytest.mark.parametrize("mu", [0.0, 0.1, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("angle", np.linspace(0.0, 2.0 * np.pi, 13))
def test_block_is_isotropic(mu, angle):
    """2 kg under 10 N s at 3 m/s: friction of 10 mu against it, or all that it takes, at any angle."""
    u = 3.0 * np.array([np.cos(angle), np.sin(angle)])
    z, _, code, _ = solve(np.eye(3) / 2.0, [-5.0, *u], mu)
    assert code == "solved"
    np.testing.assert_allclose(z, [10.0, *(-min(10.0 * mu, 6.0) * u / 3.0)], rtol=0, atol=1e-9)


@pytest.mark.parametrize("mu", [0.2, 0.6, 1.0])
def test_single_contacts_by_scanning(mu):
    """Any three rows, normal and tangents coupled as they like: what is found is among all the solutions there are."""
    rng = np.random.default_rng(int(10 * mu))
    many = 0
    for _ in range(60):
        G = rng.normal(size=(3, 4))
        A, b = G @ G.T + 0.05 * np.eye(3), rng.normal(size=3)
        z, _, code, _ = solve(A, b, mu)
        found = one_contact(A, b, mu)
        many += len(found) > 1  # Painleve's paradox
        assert code == "solved"
        # the scan's angle is exact to 1e-12, its force to that by a slope of up to 1e3
        assert min(np.abs(z - other).max() for other in found) < 1e-8 * (1.0 + np.abs(z).max())
    assert many < 30  # or being among them would prove little


@pytest.mark.parametrize("mu", [0.05, 0.3, 0.6, 1.0])
def test_heaps(mu):
    """Up to ten contacts, redundant or not: Coulomb's law in all of its parts, in few iterations."""
    rng = np.random.default_rng(int(100 * mu))
    iterations, stuck, slid = [], 0, 0
    for _ in range(150):
        A, b = boxes(rng, rng.integers(1, 11))
        z, _, code, report = solve(A, b, mu)
        assert code == "solved" and report["residual"] <= 1e-11
        normals = np.arange(0, len(b), 3)
        assert coulomb_errors(A, b, np.full(len(normals), mu), normals, z).max() < LAW
        w = A @ z + b
        speed = np.hypot(w[1::3], w[2::3])[z[0::3] > 1e-6]
        stuck, slid = stuck + (speed < LAW).sum(), slid + (speed > 1e-3).sum()
        iterations.append(report["iterations"])
    assert slid > 50 and (stuck > 20 or mu < 0.3)
    assert np.mean(iterations) < 10.0  # steps of Newton's, which are cheap; a few of 150 need more than 50


def test_rods_at_painleves_odds():
    """Contacts far out on arms, mu up to 1; where no method ends the code says so, in the cone."""
    rng = np.random.default_rng(5)
    solved = 0
    for k in range(400):
        A, b = boxes(rng, rng.integers(1, 9), reach=0.7)
        mu = (0.3, 0.6, 0.8, 1.0)[k % 4]
        z, _, code, report = solve(A, b, mu)
        normals = np.arange(0, len(b), 3)
        errors = coulomb_errors(A, b, np.full(len(normals), mu), normals, z)
        assert code == "solved" or (code == "iteration_limit_reached" and report["residual"] > 1e-11)
        assert errors[2] < LAW and (z[0::3] >= 0.0).all()
        if code == "solved":
            solved += 1
            assert errors.max() < 10.0 * LAW  # forces are larger than b / A_ii by the coupling of the arms
    assert solved == 400


@pytest.mark.parametrize("mu", [0.1, 0.3, 1.0])
@pytest.mark.parametrize("angle", [0.0, 0.7])
def test_capstan(mu, angle):
    """A chain that slides over a polygon of n corners: T2/T1 = ((1 + mu tan(d/2))/(1 - mu tan(d/2)))^n, d = phi/n."""
    n, phi = 16, np.pi
    d = phi / n
    theta = (np.arange(n) + 0.5) * d
    out = np.c_[np.cos(theta), np.sin(theta), 0 * theta]
    along = np.c_[-np.sin(theta), np.cos(theta), 0 * theta]
    J = np.zeros((4 * n, 3 * n))
    for i in range(n):
        E = np.array([out[i], along[i], [0.0, 0.0, 1.0]])
        E[1:] = [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]] @ E[1:]
        J[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = E
    links = out[1:] - out[:-1]
    links /= np.linalg.norm(links, axis=1, keepdims=True)
    for i in range(n - 1):
        J[3 * n + i, 3 * i : 3 * i + 3], J[3 * n + i, 3 * i + 3 : 3 * i + 6] = -links[i], links[i]
    J[-1, -3:] = -np.sin(phi), np.cos(phi), 0.0
    load = np.zeros(3 * n)
    load[1] = -1.0  # T1 = 1 on the first corner, along the first straight part
    sliding = 0.1 * along.ravel()
    b = J @ (sliding + load)
    b[-1] -= 0.1 * np.cos(0.5 * d)  # pulled at the speed that it has
    free = np.arange(4 * n) >= 3 * n
    z, _, code, report = solve(J @ J.T, b, mu, np.arange(0, 3 * n, 3), np.where(free, -INF, 0.0), np.full(4 * n, INF))
    assert code == "solved"
    ratio = ((1.0 + mu * np.tan(0.5 * d)) / (1.0 - mu * np.tan(0.5 * d))) ** n
    assert z[-1] == pytest.approx(ratio, rel=1e-9)
    assert report["iterations"] <= 8 and report["sweeps"] == 0
    forces = z[: 3 * n].reshape(n, 3)
    np.testing.assert_allclose(np.hypot(forces[:, 1], forces[:, 2]), mu * forces[:, 0], rtol=1e-9)


@pytest.mark.parametrize("push", [0.5, 2.0])
def test_table_on_four_feet(push):
    """12 rows of which 6 are redundant: what the feet share is open, what they hold together is not."""
    J = np.zeros((12, 6))
    for k, (x, y) in enumerate([(1, 1), (1, -1), (-1, 1), (-1, -1)]):
        p = np.array([x, y, -0.2])
        J[3 * k : 3 * k + 3] = np.hstack([frame(np.array([0.0, 0.0, 1.0]), k), -frame([0.0, 0.0, 1.0], k) @ skew(p)])
    A, b = J @ J.T, J @ [push, 0.0, -4.0, 0.0, 0.0, 0.0]
    z, _, code, _ = solve(A, b, 0.3)
    assert code == "solved"
    f = J.T @ z
    np.testing.assert_allclose(f[:3], [-min(push, 1.2), 0.0, 4.0], rtol=0, atol=1e-9)
    assert coulomb_errors(A, b, [0.3] * 4, [0, 3, 6, 9], z).max() < LAW


@pytest.mark.parametrize("k", range(8))
@pytest.mark.parametrize("warm", [0.0, 0.5, 1.0])
def test_taut_cables(k, warm):
    """A snare's hardest steps: boxes alone ran in circles from all three starts; all end within the snare's caps."""
    with np.load(TAUT) as problems:
        given = {name: problems[f"{name}{k}"] for name in ("A", "b", "lo", "hi", "z", "normals", "mu")}
    n = len(given["b"])
    A = np.zeros((n, n))
    A[np.tril_indices(n)] = given["A"]
    A += np.tril(A, -1).T
    z, _, code, _ = solve(A, given["b"], given["mu"], given["normals"], given["lo"], given["hi"],
                          warm * given["z"], max_iterations=150, max_sweeps=150)
    assert code == "solved"
    # velocities of up to 1 m/s and impulses of up to 3 N s, of a residual of 1e-11
    assert coulomb_errors(A, given["b"], given["mu"], given["normals"], z).max() < LAW


def test_limits_and_contacts_together():
    """Rows with limits, held rows and contacts in one problem, contacts not first."""
    rng = np.random.default_rng(11)
    for _ in range(60):
        G = rng.normal(size=(10, 14))
        A, b = G @ G.T, rng.normal(size=10)
        A = 0.5 * (A + A.T)
        normals, mu = np.array([2, 6]), np.array([0.4, 0.9])
        lo, hi = np.zeros(10), np.full(10, INF)
        lo[0], lo[1], hi[1], lo[9], hi[9] = -INF, -0.02, 0.02, 0.1, 0.1
        z, _, code, _ = solve(A, b, mu, normals, lo, hi)
        w = A @ z + b
        assert code == "solved" and z[9] == 0.1
        assert coulomb_errors(A, b, mu, normals, z).max() < LAW
        assert abs(w[0]) < LAW
        assert abs(z[1] - np.clip(z[1] - w[1], -0.02, 0.02)) < LAW
        assert abs(z[5] - max(0.0, z[5] - w[5])) < LAW


def test_warm_start():
    rng, counts = np.random.default_rng(12), []
    for _ in range(30):
        A, b = boxes(rng, 6)
        z, states, _, cold = solve(A, b, 0.5)
        again, _, code, warm = solve(A, b, 0.5, z=z, states=states)
        assert code == "solved" and warm["iterations"] == 0 < cold["iterations"]
        np.testing.assert_array_equal(z, again)
        near = solve(A, b * (1.0 + 1e-4 * rng.normal(size=len(b))), 0.5, z=z, states=states)[3]
        counts.append((near["iterations"], cold["iterations"]))
        assert solve(A, b, 0.5)[0].tobytes() == z.tobytes()
    near_by, from_nothing = np.mean(counts, axis=0)
    assert near_by < 0.8 * from_nothing


def test_best_at_the_cap():
    rng = np.random.default_rng(13)
    A, b = boxes(rng, 8)
    residuals = []
    for cap in range(5):
        z, _, code, report = solve(A, b, 0.8, max_iterations=cap)
        residuals.append(report["residual"])
        assert code == "iteration_limit_reached" and report["iterations"] == cap
        assert (np.hypot(z[1::3], z[2::3]) <= 0.8 * z[0::3] * (1.0 + 1e-15)).all() and (z[0::3] >= 0.0).all()
        if residuals[-1] < 1e-3:
            break
    assert (np.diff(residuals) <= 0.0).all()


@pytest.mark.parametrize(
    "normals, mu, change, expected",
    [
        ([1], [0.5], {}, "bad_contact"),
        ([-1], [0.5], {}, "bad_contact"),
        ([0, 2], [0.5, 0.5], {}, "bad_contact"),
        ([0], [-0.5], {}, "bad_contact"),
        ([0], [np.nan], {}, "bad_contact"),
        ([0], [INF], {}, "bad_contact"),
        ([0], [0.5], {"lo": [-1.0, 0.0, 0.0]}, "bad_contact"),
        ([0], [0.5], {"hi": [1.0, 0.0, 0.0]}, "bad_contact"),
        ([0], [0.5], {"z": np.array([np.nan, 0.0, 0.0])}, "not_finite"),
        ([0], [0.5], {"A": np.full((3, 3), np.nan)}, "not_finite"),
        ([0], [0.5], {"b": [np.nan, 0.0, 0.0]}, "not_finite"),
        ([0], [0.5], {"b": [0.0, INF, 0.0]}, "not_finite"),
        ([0], [0.5], {"A": -np.eye(3)}, "not_positive"),
        ([], [], {"lo": [0.0, np.nan, 0.0]}, "not_finite"),
        ([], [], {"lo": [0.0, 2.0, 0.0], "hi": [1.0, 1.0, 1.0]}, "bad_bounds"),
    ],
)
def test_bad_input(normals, mu, change, expected):
    given = {"A": np.eye(3), "b": [-1.0, 0.0, 0.0], "z": np.zeros(3), **change}
    z, _, code, _ = solve(given.pop("A"), given.pop("b"), mu, normals, **given)
    assert code == expected
    np.testing.assert_array_equal(z, given["z"])


def test_bodies_that_cannot_move():
    """Rows of zeros: no force where nothing pushes; where something does, it is told."""
    assert solve(np.zeros((3, 3)), np.zeros(3), 0.5)[2] == "solved"
    assert solve(np.zeros((3, 3)), [1.0, 0.0, 0.0], 0.5)[2] == "solved"
    assert solve(np.zeros((3, 3)), [-1.0, 0.0, 0.0], 0.5)[2] == "iteration_limit_reached"


def test_the_work_is_limited():
    """Iterations, pivots and sweeps together, also of problems that need boxes and sweeps; z stays in its cones."""
    rng = np.random.default_rng(14)
    for count in (2, 8, 12):
        A, b = boxes(rng, count)
        whole = solve(A, b, 0.8)[3]
        most = whole["iterations"] + whole["pivots"] + whole["sweeps"]
        for limit in (1, 2, 3, 5, 8, 13, 21, 34, 2 * most):
            z, _, code, report = solve(A, b, 0.8, max_work=limit)
            done = report["iterations"] + report["pivots"] + report["sweeps"]
            assert done <= limit and code == ("solved" if done < limit else code)
            assert (np.hypot(z[1::3], z[2::3]) <= 0.8 * z[0::3] * (1.0 + 1e-15)).all() and (z[0::3] >= 0.0).all()
        assert code == "solved" and z.tobytes() == solve(A, b, 0.8)[0].tobytes()
