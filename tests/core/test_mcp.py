"""The solver of mixed complementarity problems: against all sets of free rows, against relaxation, and bad input."""

import json
from pathlib import Path

import numpy as np
import pytest

from contactlib._core import engine
from tests.oracle.reference_lcp import enumerate_sets, natural_residual, relax

DATA = Path(__file__).parents[2] / "validation_data" / "lcp"
INF = np.inf
#: rounding, by the size of b: at most a few hundred sums of numbers whose condition the problems below keep under 1e4
EXACT = 1e-11


def solve(A, b, lo, hi, states=None, **caps):
    """z and w (N, n), states and reports, of N problems or of one."""
    A, b = np.atleast_3d(np.asarray(A, dtype=float).T).T, np.atleast_2d(np.asarray(b, dtype=float))
    lo, hi = (np.array(np.broadcast_to(bound, b.shape), dtype=float) for bound in (lo, hi))
    states = np.full(b.shape, -1, dtype=np.int8) if states is None else states.copy()
    z = np.full(b.shape, np.nan)
    reports = engine.solve_mcp(np.ascontiguousarray(A), b, lo, hi, states, z, **caps)
    return z, np.einsum("kij,kj->ki", A, z) + b, states, reports


def code(reports):
    return [engine.SOLVE_CODES[k] for k in reports["code"]]


def draw(rng, count, n, rank, kind="mixed"):
    """Problems with bounds of all kinds; with `rank` < n redundant rows whose b does not contradict them."""
    J = rng.normal(size=(count, n, rank))
    A = J @ J.transpose(0, 2, 1)
    b = np.einsum("kij,kj->ki", J, rng.normal(size=(count, rank)))
    lo, hi = np.zeros((count, n)), np.full((count, n), INF)
    if kind == "mixed":
        which = rng.integers(0, 6, (count, n))
        lo[which == 1] = -0.5
        hi[which == 1] = 0.5
        hi[which == 2] = 0.3
        lo[which == 3] = -INF
        hi[which == 4] = lo[which == 4] = 0.2
        lo[which == 5], hi[which == 5] = -INF, 0.1
    return A, b, lo, hi


def degenerate(rng, count, n):
    """Problems with rows that are at a bound and have no w either."""
    A, _, lo, hi = draw(rng, count, n, n)
    z = np.clip(rng.normal(size=(count, n)), lo, hi)
    w = np.where(z == lo, 1.0, np.where(z == hi, -1.0, 0.0)) * rng.integers(0, 2, (count, n))
    return A, w - np.einsum("kij,kj->ki", A, z), lo, hi


def test_published_example():
    case = json.loads((DATA / "lcp_example.json").read_text())
    bounds = ([float(value) for value in case[key]] for key in ("lo", "hi"))
    z, w, states, reports = solve(case["A"], case["b"], *bounds)
    assert code(reports) == ["solved"]
    np.testing.assert_allclose(z[0], case["z"], rtol=0, atol=1e-15)
    np.testing.assert_allclose(w[0], [0.0, 0.375, -1.25, 1.625], rtol=0, atol=1e-15)
    assert states[0].tolist() == [0, -1, 1, -1]


@pytest.mark.parametrize("n, rank, count", [(1, 1, 40), (2, 2, 60), (3, 3, 80), (4, 4, 80), (6, 6, 30), (8, 8, 4)])
def test_enumeration(n, rank, count):
    rng = np.random.default_rng(n)
    A, b, lo, hi = draw(rng, count, n, rank)
    A += 0.05 * np.eye(n)
    z, _, _, reports = solve(A, b, lo, hi)
    assert code(reports) == ["solved"] * count
    for k in range(count):
        found = enumerate_sets(A[k], b[k], lo[k], hi[k])
        assert len(found) > 0
        # the worst condition is 1e3, so of 16 digits at least 12 are left
        np.testing.assert_allclose(
            np.broadcast_to(z[k], found.shape), found, rtol=0, atol=1e-11 * (1 + np.abs(z[k]).max())
        )


@pytest.mark.parametrize("n, rank", [(2, 1), (3, 2), (4, 2), (5, 3), (6, 3)])
def test_enumeration_redundant(n, rank):
    """Of redundant rows z is not unique, but w is, and so is every solution's z'A z."""
    rng = np.random.default_rng(10 * n)
    A, b, lo, hi = draw(rng, 30, n, rank)
    z, w, _, reports = solve(A, b, lo, hi)
    solvable = 0
    for k in range(30):
        found = enumerate_sets(A[k], b[k], lo[k], hi[k])
        if len(found) == 0:  # rows that are given contradict each other
            assert code(reports)[k] == "inexact"
            continue
        solvable += 1
        assert code(reports)[k] == "solved"
        # the oracle's own slack is 1e-8
        np.testing.assert_allclose(np.broadcast_to(w[k], found.shape), found @ A[k] + b[k], rtol=0, atol=1e-7)
    assert solvable >= 20
    assert natural_residual(A, b, lo, hi, z)[reports["code"] == 0].max() < EXACT


def test_enumeration_degenerate():
    rng = np.random.default_rng(3)
    A, b, lo, hi = degenerate(rng, 60, 4)
    A, b = A + 0.05 * np.eye(4), b - 0.05 * solve(A, b, lo, hi)[0]
    z, _, _, reports = solve(A, b, lo, hi)
    assert code(reports) == ["solved"] * 60
    for k in range(60):
        found = enumerate_sets(A[k], b[k], lo[k], hi[k])
        np.testing.assert_allclose(np.broadcast_to(z[k], found.shape), found, rtol=0, atol=1e-6)  # its slack, by 0.05


@pytest.mark.parametrize(
    "make, count",
    [
        (lambda rng, count: draw(rng, count, 6, 9), 4000),
        (lambda rng, count: draw(rng, count, 6, 4, kind="contacts"), 3000),
        (lambda rng, count: degenerate(rng, count, 5), 3000),
    ],
    ids=["regular", "redundant", "degenerate"],
)
def test_relaxation(make, count):
    """Ten thousand problems: each solved, and with the same w as where Gauss-Seidel ends."""
    A, b, lo, hi = make(np.random.default_rng(7), count)
    z, w, _, reports = solve(A, b, lo, hi)
    assert code(reports) == ["solved"] * count
    assert natural_residual(A, b, lo, hi, z).max() < 1e-9
    relaxed, done = relax(A, b, lo, hi, tolerance=1e-12, most=30000)
    assert done.mean() > 0.98
    scale = np.abs(b).max(axis=1, keepdims=True) + 0.5 * np.abs(A).max(axis=(1, 2))[:, None]
    # relaxation stops where it goes slowly: what is left of its error is its last change by 1 - its rate
    apart = np.abs(np.einsum("kij,kj->ki", A, relaxed) + b - w) / scale
    assert apart[done].max() < 1e-7
    assert np.quantile(apart[done], 0.95) < 1e-10


def test_few_pivots():
    """The mathematics note: mean 1.57 and at most 5 for small boxed problems, mean 5.2 for 200 rows."""
    rng = np.random.default_rng(1)
    A, b, lo, hi = draw(rng, 400, 4, 8)
    assert solve(A, b, lo, hi)[3]["pivots"].mean() < 2.0
    A, b, lo, hi = draw(rng, 20, 200, 400, kind="contacts")
    reports = solve(A, b, lo, hi)[3]
    assert reports["pivots"].mean() < 6.5 and reports["pivots"].max() < 10
    assert reports["single"].max() == 0


#: blocks go round in a circle of sets here; found by search, rounded to two digits
CYCLE = ([[2.99, 0.76, -1.03], [0.76, 0.65, -1.76], [-1.03, -1.76, 5.27]], [-0.06, -0.56, 1.79])


def test_fall_back():
    z, _, _, reports = solve(*CYCLE, 0.0, INF)
    assert code(reports) == ["solved"] and reports["single"][0] > 0
    found = enumerate_sets(np.array(CYCLE[0]), np.array(CYCLE[1]), np.zeros(3), np.full(3, INF))
    np.testing.assert_allclose(np.broadcast_to(z[0], found.shape), found, rtol=0, atol=1e-12)
    rng = np.random.default_rng(0)
    A, _, lo, hi = draw(rng, 20000, 3, 2, kind="contacts")
    A, b = A + 1e-3 * np.eye(3), rng.normal(size=(20000, 3))
    z, _, _, reports = solve(A, b, lo, hi)
    assert (reports["single"] > 0).sum() > 10
    assert code(reports) == ["solved"] * len(b)
    assert natural_residual(A, b, lo, hi, z).max() < EXACT


def test_cap():
    z, _, _, reports = solve(*CYCLE, 0.0, INF, max_iterations=-26)  # ten for each row besides
    assert code(reports) == ["iteration_limit_reached"] and reports["pivots"][0] == 3
    assert reports["residual"][0] > 1e-3
    assert (z >= 0.0).all()


def test_warm_start_gives_the_same():
    rng = np.random.default_rng(2)
    A, b, lo, hi = draw(rng, 200, 8, 12)
    z, _, states, cold = solve(A, b, lo, hi)
    again, _, same, warm = solve(A, b, lo, hi, states=states)
    assert warm["pivots"].max() == 0 < cold["pivots"].max()
    np.testing.assert_array_equal(states, same)
    np.testing.assert_array_equal(z, again)
    odd = rng.integers(-128, 128, states.shape).astype(np.int8)
    np.testing.assert_allclose(solve(A, b, lo, hi, states=odd)[0], z, rtol=0, atol=1e-9 * np.abs(z).max())


def test_same_bits_alone_and_in_company():
    """What was solved before leaves nothing behind."""
    rng = np.random.default_rng(4)
    A, b, lo, hi = draw(rng, 50, 7, 5)
    together = solve(A, b, lo, hi)
    for k in (49, 0, 17):
        alone = solve(A[k : k + 1], b[k : k + 1], lo[k : k + 1], hi[k : k + 1])
        for one, all_of_them in zip(alone, together, strict=True):
            assert one[0].tobytes() == all_of_them[k].tobytes()


def test_units_do_not_matter():
    """Rows in other units, by powers of two: the same solution to the bit."""
    rng = np.random.default_rng(5)
    A, b, lo, hi = draw(rng, 100, 6, 6)
    s = 4.0 ** rng.integers(-20, 20, 6)
    z = solve(A, b, lo, hi)[0]
    np.testing.assert_array_equal(solve(A * s[:, None] * s, b * s, lo / s, hi / s)[0] * s, z)


def test_redundant_contacts_share_their_load():
    """Four feet under a table of weight 4: each bears 1, the smallest forces that do."""
    corners = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    J = np.c_[np.ones(4), corners]
    z, w, _, reports = solve(J @ J.T, J @ [-4.0, 0.0, 0.0], 0.0, INF)
    assert code(reports) == ["solved"]
    np.testing.assert_allclose(z[0], 1.0, rtol=1e-7)  # rho's half of the digits
    np.testing.assert_allclose(w[0], 0.0, atol=1e-14)


def test_contradiction():
    """Two rows hold the same thing to two velocities; a contact of two bodies that cannot move."""
    _, _, _, reports = solve(np.ones((2, 2)), [0.0, 1.0], -INF, INF)
    assert code(reports) == ["inexact"] and reports["residual"][0] > 0.1
    assert code(solve([[0.0]], [-1.0], 0.0, INF)[3]) == ["inexact"]
    z, _, _, reports = solve([[0.0]], [1.0], 0.0, INF)
    assert code(reports) == ["solved"] and z[0, 0] == 0.0
    assert code(solve(np.zeros((3, 3)), np.zeros(3), -1.0, INF)[3]) == ["solved"]


@pytest.mark.parametrize(
    "A, b, lo, hi, expected, row",
    [
        ([[1, 0], [0, np.nan]], [0, 0], 0, INF, "not_finite", 1),
        ([[1, 0], [INF, 1]], [0, 0], 0, INF, "not_finite", 1),
        ([[1, 0], [0, 1]], [0, np.nan], 0, INF, "not_finite", 1),
        ([[1, 0], [0, 1]], [-INF, 0], 0, INF, "not_finite", 0),
        ([[1, 0], [0, 1]], [0, 0], [0, np.nan], INF, "not_finite", 1),
        ([[1, 0], [0, 1]], [0, 0], [0, 2], 1, "bad_bounds", 1),
        ([[1, 0], [0, 1]], [0, 0], [INF, 0], INF, "bad_bounds", 0),
        ([[1, 0], [0, 1]], [0, 0], -INF, [1, -INF], "bad_bounds", 1),
        ([[1, 0], [0, -1]], [0, 0], 0, INF, "not_positive", 1),
        ([[1, 2], [2, 1]], [0, 0], 0, INF, "not_positive", 1),
        ([[0, 1], [1, 1]], [0, 0], 0, INF, "not_positive", 1),
        ([[1, -0.9, -0.9], [-0.9, 1, -0.9], [-0.9, -0.9, 1]], [-1, -1, -1], -INF, INF, "not_positive", -1),
        ([[1e-300, 0], [0, 1]], [1e200, 0], 0, INF, "not_finite", 0),
    ],
)
def test_bad_input(A, b, lo, hi, expected, row):
    z, _, states, reports = solve(A, b, lo, hi)
    assert code(reports) == [expected] and reports["row"][0] == row
    assert np.isnan(z).all() and (states == -1).all()  # as they were


def test_bad_shapes():
    ok = np.zeros((1, 2, 2)), np.zeros((1, 2)), np.zeros((1, 2)), np.zeros((1, 2)), np.zeros((1, 2), np.int8)
    with pytest.raises(ValueError, match=r"A must have shape \(N, n, n\), not \(1, 2, 3\)"):
        engine.solve_mcp(np.zeros((1, 2, 3)), *ok[1:], np.zeros((1, 2)))
    with pytest.raises(ValueError, match=r"must have shape \(1, 2\), not \(1, 3\)"):
        engine.solve_mcp(*ok, np.zeros((1, 3)))
    assert (
        len(engine.solve_mcp(np.zeros((2, 0, 0)), *[np.zeros((2, 0))] * 3, np.zeros((2, 0), np.int8), np.zeros((2, 0))))
        == 2
    )


def test_random_bytes():
    """Whatever stands in memory: a code and no crash."""
    rng = np.random.default_rng(9)
    raw = rng.integers(0, 256, (2000, 4 * 4 + 3 * 4, 8), dtype=np.uint8).view(np.float64)[..., 0]
    A = raw[:, :16].reshape(-1, 4, 4).copy()
    A[1000:] = np.where(np.eye(4) > 0, np.abs(A[1000:]), 0.0)
    with np.errstate(all="ignore"):
        z, _, _, reports = solve(A, *(raw[:, 16 + 4 * k : 20 + 4 * k].copy() for k in range(3)))
    solved = reports["code"] == 0
    assert np.isfinite(z[solved]).all()
    assert len(np.unique(reports["code"])) >= 3
