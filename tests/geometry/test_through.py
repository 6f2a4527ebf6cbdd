"""A capsule of a cable whose axis runs through a solid is told how deep it is: at least as deep as its axis is.

The truth is the bare geometry, sampled: heights over planes, the distance from a line, the distance from triangles.
"""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import contactlib
from tests.poses.poses_frames import directions, multiply, pointing, quaternions, turn
from tests.support import meshes
from tests.support.compare import point_contacts

SAMPLES = 200
EXACT = 1e-12  # m
THROUGH = 24  # the feature of such a contact
HERE = np.array([0, 0, 0, 1.0, 0, 0, 0])


# ---- signed distances inside solids, (..., 3) -> (...); outside they only need to be positive --------------------


def box_heights(size):
    return lambda x: (np.abs(x) - np.array(size) / 2).max(-1)


def cylinder_heights(radius, length):
    return lambda x: np.maximum(np.hypot(x[..., 0], x[..., 1]) - radius, np.abs(x[..., 2]) - length / 2)


def hull_heights(corners):
    planes = ConvexHull(corners).equations
    return lambda x: (x @ planes[:, :3].T + planes[:, 3]).max(-1)


def mesh_distance(mesh):
    """Negative inside, by the angle that the mesh covers as seen from there; the distance is that of all triangles."""
    corners = mesh.vertices[mesh.triangles]

    def distance(x):
        q = x[..., None, None, :] - corners
        length = np.linalg.norm(q, axis=-1)
        triple = (np.cross(-q[..., 0, :], -q[..., 1, :]) * -q[..., 2, :]).sum(-1)
        below = length.prod(-1) + sum((q[..., i, :] * q[..., j, :]).sum(-1) * length[..., 3 - i - j]
                                      for i, j in ((0, 1), (1, 2), (0, 2)))  # fmt: skip
        inside = np.arctan2(triple, below).sum(-1) > np.pi
        return np.where(inside, -1, 1) * np.min([to_segments(q, corners), to_planes(q, corners)], axis=0)

    return distance


def to_segments(q, corners):
    least = np.inf
    for i in range(3):
        side = corners[:, (i + 1) % 3] - corners[:, i]
        s = np.clip((q[..., i, :] * side).sum(-1) / (side * side).sum(-1), 0, 1)
        least = np.minimum(least, np.linalg.norm(q[..., i, :] - s[..., None] * side, axis=-1).min(-1))
    return least


def to_planes(q, corners):
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    over = np.ones(q.shape[:-2], bool)
    for i in range(3):
        side = corners[:, (i + 1) % 3] - corners[:, i]
        over &= (np.cross(side, q[..., i, :]) * normal).sum(-1) >= 0
    return np.where(over, np.abs((q[..., 0, :] * normal).sum(-1)), np.inf).min(-1)


def polyhedron(seed, count, size):
    corners = directions(np.random.default_rng(seed), count) * size
    return contactlib.Polyhedron(corners), hull_heights(corners)


SOLIDS = {
    "box": (contactlib.Box((0.5, 0.3, 0.4)), box_heights((0.5, 0.3, 0.4))),
    "plate": (contactlib.Box((0.5, 0.6, 0.01)), box_heights((0.5, 0.6, 0.01))),
    "bar": (contactlib.Box((0.02, 0.6, 0.03)), box_heights((0.02, 0.6, 0.03))),
    "cylinder": (contactlib.Cylinder(0.2, 0.5), cylinder_heights(0.2, 0.5)),
    "disc": (contactlib.Cylinder(0.3, 0.02), cylinder_heights(0.3, 0.02)),
    "rod": (contactlib.Cylinder(0.02, 0.8), cylinder_heights(0.02, 0.8)),
    "tetrahedron": polyhedron(3, 4, [0.4, 0.4, 0.4]),
    "gem": polyhedron(1, 30, [0.3, 0.3, 0.2]),
    "chip": polyhedron(2, 20, [0.4, 0.3, 0.01]),
    "pebble": polyhedron(4, 120, [0.4, 0.3, 0.2]),
}
MESHES = {"ball": meshes.icosphere(1, 0.3), "l": meshes.l_solid(0.5)}
CAPSULES = [(0.1, 1.5), (0.02, 0.6), (0.15, 0.1), (0.005, 0.3)]


def placed(rng, n, reach, length):
    """Capsules of which some point of the axis lies within reach of the origin, in every direction."""
    t, q = directions(rng, n), quaternions(rng, n)
    x = directions(rng, n) * reach * rng.uniform(0, 1, (n, 1)) ** (1 / 3)
    middle = x + t * length * rng.uniform(-0.5, 0.5, (n, 1))
    return middle, t, np.hstack([turn(q, middle), multiply(q, pointing(rng, t))]), np.hstack([0 * middle, q])


def deepest_point(distance, middle, t, length):
    """The least signed distance along axes, of so many samples."""
    s = np.linspace(-length / 2, length / 2, SAMPLES)
    return np.array([distance(m + s[:, None] * d).min() for m, d in zip(middle, t, strict=True)])


@pytest.mark.parametrize("radius, length", CAPSULES)
@pytest.mark.parametrize("name", SOLIDS)
def test_a_capsule_through_a_convex_solid(name, radius, length, poses_per_region):
    """At least r - phi of its axis' deepest point, and no more than twice that: an edge tells how far it is."""
    solid, distance = SOLIDS[name]
    middle, t, X_WA, X_WB = placed(np.random.default_rng(5), max(200, poses_per_region // 5), 0.3, length)
    phi = deepest_point(distance, middle, t, length)
    deepest = point_contacts(contactlib.Capsule(radius, length), solid, X_WA, X_WB).depth.max(1)
    inside = phi < 0
    assert inside.any()
    assert (deepest[inside] >= (radius - phi - EXACT)[inside]).all()
    assert (deepest[inside] <= 2 * (radius - phi + length / SAMPLES)[inside]).all()


@pytest.mark.parametrize("radius, length", CAPSULES)
@pytest.mark.parametrize("name", MESHES)
def test_a_capsule_through_a_mesh(name, radius, length):
    """The same: the mesh's search may miss a fiftieth."""
    mesh = MESHES[name]
    middle, t, X_WA, X_WB = placed(np.random.default_rng(6), 40, 0.4, length)
    phi = deepest_point(mesh_distance(mesh), middle, t, length)
    deepest = point_contacts(contactlib.Capsule(radius, length), contactlib.Mesh(*mesh), X_WA, X_WB).depth.max(1)
    inside = phi < 0
    assert inside.any()
    assert (deepest[inside] >= 0.98 * (radius - phi)[inside]).all()
    assert (deepest[inside] <= 2 * (radius - phi + length / SAMPLES)[inside]).all()


@pytest.mark.parametrize("radius", [0.0, 1e-4])
@pytest.mark.parametrize("gap", [1e-3, 3e-3])
def test_a_short_way_through_a_mesh_beside_a_long_one_over_it(gap, radius):
    """An axis along x cuts 0.5 mm below the edge of a cube that stands on its edge, and passes a long bar: all places
    over the bar are equally near, and none of them is where the axis is inside."""
    cube, bar, half = meshes.cube(0.004), meshes.cube(0.02), np.sqrt(0.5)
    x, z = cube.vertices[:, 0], cube.vertices[:, 2]
    on_edge = np.column_stack([half * (x + z) - 0.019, cube.vertices[:, 1], half * (z - x) - 0.004 * half + 5e-4])
    under = bar.vertices + np.array([0.01, 0.0, -gap - 0.01])
    mesh = contactlib.Mesh(np.concatenate([on_edge, under]), np.concatenate([cube.triangles, bar.triangles + 8]))
    rod = contactlib.Capsule(radius, 0.04) if radius else contactlib.Segment(0.04)
    m = point_contacts(rod, mesh, [0, 0, 0, half, 0, half, 0], HERE)
    assert m.depth[0].max() == pytest.approx(radius + 5e-4 * half, rel=0.02)


@pytest.mark.parametrize("radius, length", CAPSULES)
def test_a_capsule_through_a_triangle(radius, length, poses_per_region):
    """An axis that crosses a sheet is its radius deep, and no deeper than what takes it back past the nearer end."""
    corners = np.array([[-0.3, -0.2, 0.0], [0.4, -0.1, 0.0], [0.0, 0.35, 0.0]])
    middle, t, X_WA, X_WB = placed(np.random.default_rng(7), poses_per_region, 0.3, length)
    ends = middle[:, None] + np.array([[-0.5], [0.5]]) * length * t[:, None]
    z = ends[..., 2]
    foot = ends[:, 0] + (z[:, :1] / (z[:, :1] - z[:, 1:])) * (ends[:, 1] - ends[:, 0])
    sides = np.roll(corners, -1, axis=0) - corners
    around = np.cross(sides, foot[:, None] - corners)[..., 2]
    crosses = (z[:, 0] * z[:, 1] < 0) & (around > 0).all(1)
    assert crosses.mean() > 0.05
    m = point_contacts(contactlib.Capsule(radius, length), contactlib.Triangle(corners), X_WA, X_WB)
    deepest, nearer = m.depth.max(1)[crosses], np.abs(z).min(1)[crosses]
    assert (deepest >= radius).all()
    assert (deepest <= radius + nearer + EXACT).all()


def test_a_capsule_across_a_box():
    """Past its edges, both ends outside: r + the way to the next face, and the whole force."""
    m = point_contacts(contactlib.Capsule(0.1, 1.5), contactlib.Box((0.4, 0.6, 0.3)),
                             [0, 0, 0.04, 0.5**0.5, 0, 0.5**0.5, 0], HERE)
    assert m.count[0] == 1 and m.feature[0, 0] == THROUGH
    assert m.depth[0, 0] == pytest.approx(0.1 + 0.11, abs=EXACT) and m.load_share[0, 0] == 1
    np.testing.assert_allclose(m.normal[0, 0], [0, 0, -1], atol=EXACT)


def test_the_axis_leaves_by_the_side_on_which_it_sticks_out():
    """Upright through a plate, both of whose faces are equally near: back the lesser way, whichever end that is."""
    plate, rod = contactlib.Box((1.0, 1.0, 0.02)), contactlib.Capsule(0.05, 0.6)
    for z in (0.1, -0.1):
        m = point_contacts(rod, plate, [0, 0, z, 1, 0, 0, 0], HERE)
        assert m.depth[0].max() == pytest.approx(0.05 + 0.01, abs=EXACT)
        k = m.depth[0].argmax()
        np.testing.assert_allclose(m.normal[0, k], [0, 0, -np.sign(z)], atol=EXACT)


@pytest.mark.parametrize("name", ["box", "cylinder", "gem", "disc"])
def test_the_contact_through_takes_over_without_a_jump(name, poses_per_region):
    """Its share of its depth is what it is deeper than the deepest of the others."""
    _, _, X_WA, X_WB = placed(np.random.default_rng(8), poses_per_region, 0.4, 0.6)
    m = point_contacts(contactlib.Capsule(0.1, 0.6), SOLIDS[name][0], X_WA, X_WB)
    through = m.feature == THROUGH
    rows = through.any(1)
    depth, others = np.where(through, m.depth, 0).max(1)[rows], np.where(through, 0, m.depth).max(1)[rows]
    push = np.where(through, m.depth * m.load_share, 0).sum(1)[rows]
    assert rows.sum() > 20 and (others > 0).sum() > 5
    np.testing.assert_allclose(push, depth - others, atol=EXACT)
    assert (m.load_share[m.feature >= 0] > 0).all() and (m.load_share[(m.feature >= 0) & ~through] == 1).all()


def test_an_end_that_goes_through_a_sheet_is_pushed_back():
    """Down through a triangle: the depth grows steadily, and the normal does not turn over."""
    sheet = contactlib.Triangle(((-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (0.0, 1.0, 0.0)))
    z = np.linspace(0.14, 0.01, 300)  # of the middle: its lower end is 0.05 below
    X = np.hstack([0 * z[:, None], 0 * z[:, None], z[:, None], np.tile([1.0, 0, 0, 0], (300, 1))])
    m = point_contacts(contactlib.Capsule(0.1, 0.1), sheet, X, HERE)
    np.testing.assert_allclose(m.depth.max(1), 0.1 - (z - 0.05), atol=EXACT)
    assert (m.normal[np.arange(300), m.depth.argmax(1), 2] == -1).all()
    pushed = (m.depth * m.load_share * m.normal[..., 2]).sum(1)
    assert np.abs(np.diff(pushed)).max() < 2.01 * (z[0] - z[1])  # two places: through, and the upper end
