"""The membrane's kernel where the body is beside its frame, and with input that is none."""

import numpy as np
import pytest

from tests.elements.test_membrane_kernel import VECTORS
from tests.oracle.reference_membrane import membrane
from tests.support import membranes
from tests.support.membranes import FIXED, Case, at, box, hexagon, hull_of, state_near


def test_where_there_is_no_fabric():
    case = Case(hexagon(), *hull_of(box(2, 2, 2)))
    rows = case.rows(case.parameters(), [np.stack([FIXED, at(p, v=(0.1, 0, -1))]) for p in (
        (0, 0, 5),       # above
        (0, 0, -5),      # through the opening and below: it hangs in the fabric
        (9, 0, -5),      # below, beside the frame
        (7.4, 0, -0.5),  # the rim runs through it: two of its corners are under the opening
        (9, 0, 0),       # it goes past the rim outside
        (0, 0, 1),       # its lower face lies in the plane
    )])[0]
    assert rows["touching"].tolist() == [0, 8 - 4, 0, 2, 0, 0]
    assert rows["outside"].tolist() == [0, 0, 8, 2, 4, 0]
    assert (rows["f_B_W"][:, 2] > 0).tolist() == [False, True, False, True, False, False]
    assert not rows["f_B_W"][[0, 2, 4, 5]].any()


@pytest.mark.parametrize(("fault", "index", "change"), [
    ("too_few_points", 2, lambda p: p[:2]),
    ("too_few_points", 0, lambda p: p[:0]),
    ("coincident", 1, lambda p: p[[0, 1, 1, 3, 4, 5]]),
    ("coincident", 0, lambda p: p[[0, 0, 0]]),
    ("not_convex", -1, lambda p: np.outer(np.arange(3.0), [1, 1, 0])),
    ("not_convex", -1, lambda p: p[[0, 3, 0, 3]]),
    ("not_convex", 1, lambda p: p * [[1], [0.4], [1], [1], [1], [1]]),
    ("not_convex", 2, lambda p: p[[0, 1, 3, 2, 4, 5]]),
    ("not_plane", None, lambda p: p + np.eye(6, 3, -2)),
    ("not_finite", 3, lambda p: np.where(np.arange(6)[:, None] == 3, np.nan, p)),
])
def test_frames_that_are_none(fault, index, change):
    case = Case(change(hexagon()), *hull_of(box(1, 1, 1)))
    assert case.membrane.fault == fault
    assert index is None or case.membrane.index == index


def test_a_pentagram_is_no_frame():
    angles = 4 * np.pi / 5 * np.arange(5)
    star = np.column_stack([np.cos(angles), np.sin(angles), 0 * angles])
    assert Case(star, *hull_of(box(1, 1, 1))).membrane.fault == "not_convex"


def test_a_frame_with_a_point_on_a_side():
    square = np.array([[0, 0, 0], [2, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0.0]]) * 2
    case = Case(square, *hull_of(box(1, 1, 1)))
    state = np.stack([FIXED, at((4, 3, -0.2), v=(0.3, 0.1, -1), w=(0.1, 0.2, 0.3))])
    found, oracle = case.one(case.parameters(), state), membrane(case.design, case.parameters(), state)
    for name in (*VECTORS, "area", "area_rate", "heat_friction"):
        assert found[name] == pytest.approx(oracle[name], rel=1e-12, abs=1e-11), name


def test_hulls_that_are_none():
    corners, triangles = hull_of(box(1, 1, 1))
    dent = np.vstack([corners, [[0, 0, 0]]])
    inward = [[a, b, 8] for a, b in (triangles[0, [0, 1]], triangles[0, [1, 2]], triangles[0, [2, 0]])]
    twice = np.vstack([triangles, triangles + 8])
    for points, faces in ((corners, triangles[:-1]), (corners, triangles[:, ::-1]), (corners[:0], triangles[:0]),
                          (corners, triangles[:0]), (corners, triangles + 1), (corners, triangles - 1),
                          (np.vstack([corners, [[0, 0, 0]]]), triangles), (dent, np.vstack([triangles[1:], inward])),
                          (np.vstack([corners, corners + 5]), twice), (corners * [1, 1, 0], triangles)):
        assert Case(hexagon(), points, faces).membrane.fault == "hull"
    corners[3, 1] = np.inf
    assert Case(hexagon(), corners, triangles).membrane.fault == "not_finite"


@pytest.mark.parametrize("tables", [
    (((1.0, 1.0), (0.5, 2.0)), (), ()), ((), ((1.0, -1.0),), ()), ((), (), ((np.nan, 1.0),)),
    (((1.0, 2.0), (2.0, 1.0)), (), ()),
])
def test_tables_that_are_none(tables):
    assert Case(hexagon(), *hull_of(box(1, 1, 1)), tables=tables).membrane.fault == "profile"


@pytest.mark.parametrize("place", [(0, 1), (0, 4), (1, 0), (1, 5), (1, 8), (1, 11), (0, 12)])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_state_that_is_no_number(place, value):
    case = Case(hexagon(), *hull_of(box(1, 1, 1)))
    state = np.stack([FIXED, at((0, 0, 0), v=(0.3, 0.1, -1), w=(0.1, 0.2, 0.3))])
    state[place] = value
    rows, codes, _ = case.rows(case.parameters(), state[None])
    assert membranes.CODES[codes[0]] == "not_finite"
    assert all(not rows[name].any() for name in rows.dtype.names)


@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0])
def test_a_parameter_that_is_none(place, value):
    case = Case(hexagon(), *hull_of(box(1, 1, 1)))
    parameters = list(case.parameters())
    parameters[place] = value
    assert membranes.CODES[case.rows(parameters, np.stack([FIXED, FIXED])[None])[1][0]] == "bad_argument"


def test_numbers_of_any_size():
    """Nothing that is not a number comes out, whatever goes in."""
    rng = np.random.default_rng(13)
    case = Case(hexagon(), *hull_of(membranes.ball(rng, 30)))
    states = np.stack([state_near(rng, case, 2.0) for _ in range(2000)])
    states[..., [0, 1, 2, 7, 8, 9, 10, 11, 12]] *= 10.0 ** rng.integers(-320, 300, (2000, 2, 9)).clip(-300)
    rows, codes, _ = case.rows(case.parameters(), states)
    assert all(np.isfinite(rows[name]).all() for name in rows.dtype.names)
    assert set(codes) == {0, 1}
