"""Contact with meshes as users found it broken: edges on blunt corners and fine balls, sheets, cylinders, capsules.

Expected depths are closed forms, or bounds: the depth of a contact is the greatest distance from a solid's surface of a
place of the other one's surface inside it.
"""

import numpy as np
import pytest

import contactlib
from tests.mesh import mesh_truth, truth_meshes
from tests.mesh.truth_solids import unit
from tests.support import meshes

HERE = np.array([0, 0, 0, 1.0, 0, 0, 0])
EDGE_DOWN = np.array([np.cos(np.pi / 8), np.sin(np.pi / 8), 0, 0])  # a box about x by 45 degrees


def deepest(A, B, X_A, X_B=HERE):
    m = contactlib.manifolds(A, B, X_A, X_B, max_contacts=64 if "mesh" in (A.kind, B.kind) else None)
    return np.where(m.count > 0, m.depth.max(1), 0.0)


def double_pyramid(sides, height, low=-1.0):
    """A blunt tip at the origin over a ring of radius 1 m, `height` below it."""
    a = 2 * np.pi * np.arange(sides) / sides + 0.1
    ring = np.column_stack([np.cos(a), np.sin(a), np.full(sides, -height)])
    i, j = np.arange(sides), (np.arange(sides) + 1) % sides
    faces = [np.stack([0 * i, i + 1, j + 1], 1), np.stack([0 * i + sides + 1, j + 1, i + 1], 1)]
    return contactlib.Mesh(np.concatenate([[[0, 0, 0]], ring, [[0, 0, low]]]), np.concatenate(faces))


@pytest.mark.parametrize("sides", [5, 8, 12])
@pytest.mark.parametrize("height", [0.02, 0.05, 0.2])
@pytest.mark.parametrize("depth", [1e-4, 1e-3, 1e-2])
def test_a_box_edge_on_a_blunt_tip(depth, height, sides):
    """The edge crosses over the tip: up is the shortest way, exactly `depth`."""
    box, tip = contactlib.Box((4.0, 0.2, 0.2)), double_pyramid(sides, height)
    X_A = np.array([0, 0, 0.1 * np.sqrt(2) - depth, *EDGE_DOWN])
    low, high = mesh_truth.truth_depth(box, X_A, tip, HERE)
    assert 0.9 * depth < low <= high < 1.0001 * depth
    assert deepest(box, tip, X_A)[0] == pytest.approx(high, rel=0.05)


@pytest.mark.parametrize("level", [2, 3, 4])
@pytest.mark.parametrize("width", [0.2, 0.05])
def test_a_beam_edge_on_a_ball(width, level):
    """Random turns of the ball: a contact in each, no deeper than in the ball, no shallower than its facets are."""
    R, count = 0.5, 10
    ball = mesh_truth.as_shape(f"ball{20 * 4**level}")
    beam, rng = contactlib.Box((4.0, width, width)), np.random.default_rng(level)
    sag = R - np.linalg.norm(mesh_truth.mesh_solid(f"ball{20 * 4**level}").centres, axis=1).min()
    for depth in (5e-3, 1e-2, 5e-2):
        X_A = np.array([0, 0, R + width / np.sqrt(2) - depth, *EDGE_DOWN])
        X_B = np.hstack([np.zeros((count, 3)), unit(rng.normal(size=(count, 4)))])
        found = deepest(beam, ball, X_A, X_B)
        assert found.min() > (depth - sag) / 1.5, f"depth {depth}: {(found == 0).sum()} of {count} have no contact"
        assert found.max() < 1.1 * depth


BIG = contactlib.Triangle(((-5, -4, 0), (5, -4, 0), (0, 6, 0)))
STANDING = contactlib.Triangle(((-5, 0, 0), (5, 0, 0), (0, 0, 6)))


def resting(side, size=1.0):
    """A cube whose corner, edge or face is down: the quaternion, and how far down it reaches."""
    n = unit(np.array(side, float))
    return mesh_truth.quaternion(mesh_truth.carrying(n, np.array([0, 0, -1.0]))), size / 2 * np.sum(np.abs(n))


@pytest.mark.parametrize("cells", [1, 4])
@pytest.mark.parametrize("side", [(1, 1, 1), (0, 1, 1), (0, 0, 1)], ids=["corner", "edge", "face"])
@pytest.mark.parametrize("depth", [1e-4, 1e-3, 1e-2, 0.1])
def test_a_cube_on_a_large_triangle(depth, side, cells):
    """Corner, edge or face of a cube through the middle of a sheet: the place of the sheet below the corner is equally
    far from its k faces, the depth over sqrt k."""
    mesh = meshes.cube(1.0, cells)
    q, reach = resting(side)
    X_B = np.array([0.03, 0.02, reach - depth, *q])
    found = deepest(BIG, contactlib.Mesh(mesh.vertices, mesh.triangles), HERE, X_B)[0]
    assert found == pytest.approx(depth / np.sqrt(sum(side)), abs=1e-9)


@pytest.mark.parametrize("depth", [1e-3, 1e-2])
def test_a_sheet_that_stands_on_a_cube(depth):
    """Its border 1 mm or 1 cm deep in the top: up is the shortest way, not sideways."""
    cube = mesh_truth.as_shape("cube")
    found = deepest(STANDING, cube, [0, 0, -depth, 1, 0, 0, 0], [0, 0, -0.5, 1, 0, 0, 0])[0]
    assert found == pytest.approx(depth, abs=1e-9)


def touching(A, mesh, B, rng, count):
    """Poses of first touch of two convex solids along random directions, and the direction (for A)."""
    X_A = np.hstack([np.zeros((count, 3)), unit(rng.normal(size=(count, 4)))])
    side, q = unit(rng.normal(size=(count, 3))), unit(rng.normal(size=(count, 4)))
    near, far = np.zeros((count, 1)), np.full((count, 1), 3.0)
    for _ in range(50):
        middle = (near + far) / 2
        hit = (deepest(A, B, X_A, np.hstack([middle * side, q])) > 0)[:, None]
        near, far = np.where(hit, middle, near), np.where(hit, far, middle)
    return X_A, side, near, q


@pytest.mark.parametrize("name", ["rock", "ball80", "ball320"])
@pytest.mark.parametrize("size", [(0.3, 0.8), (0.7, 0.1), (0.05, 1.5)], ids=["cylinder", "disc", "rod"])
def test_a_cylinder_grazes_a_convex_mesh(size, name):
    """1 um to 6 mm after the first touch there is a contact. Against a mesh the cylinder has the extent field, against
    the polyhedron the thicker one: at a rim or an edge of a right angle the extent is up to sqrt 2 less."""
    A, mesh = contactlib.Cylinder(*size), mesh_truth.as_shape(name)
    B = contactlib.Polyhedron(tuple(map(tuple, mesh.vertices.tolist())))
    X_A, side, near, q = touching(A, mesh, B, np.random.default_rng(3), 60)
    for step in (1e-6, 6e-6, 1e-4, 6e-4, 6e-3):
        X_B = np.hstack([(near - step) * side, q])
        found, right = deepest(A, mesh, X_A, X_B), deepest(A, B, X_A, X_B)
        assert (right > 0).all()
        ratio = found / right
        assert ratio.min() > 0.5, f"{(found == 0).sum()} of 60 missed, least ratio {ratio.min():.3f} at {step}"
        assert ratio.max() < 2


@pytest.mark.parametrize("name", ["rock", "cube", "ball80"])
def test_a_capsule_whose_axis_is_inside(name):
    """A point of the axis may be no deeper inside than the deepest contact is."""
    solid = mesh_truth.mesh_solid(name)
    shape = contactlib.Polyhedron(tuple(map(tuple, solid.vertices.tolist())))
    rng, s = np.random.default_rng(11), np.linspace(-0.75, 0.75, 401)
    capsule = contactlib.Capsule(0.1, 1.5)
    for _ in range(200):
        R, p = mesh_truth.rotation(rng), rng.uniform(-0.6, 0.6, 3)
        inside = -solid.gauge(p + np.outer(s, R[:, 2])).min()
        if inside < 0.02:
            continue
        X_A = np.array([*p, *mesh_truth.quaternion(R)])
        for B in (shape, mesh_truth.as_shape(name)):
            assert deepest(capsule, B, X_A)[0] > 0.5 * inside, f"{B.kind}: {inside:.3f} inside, {X_A.tolist()}"


@pytest.mark.parametrize("thin", [0.02, 0.1])
def test_plates_and_rods_through_each_other(thin):
    """Pierced solids have a contact, and none is deeper than both can be large."""
    plate = contactlib.Mesh(*(lambda m: (m.vertices * [1, 1, thin], m.triangles))(meshes.cube(1.0, 2)))
    rng = np.random.default_rng(2)
    solids = [contactlib.Box((0.1, 0.1, 1.0)), contactlib.Cylinder(0.05, 1.0), contactlib.Capsule(0.05, 1.0),
              contactlib.Ellipsoid((0.06, 0.08, 0.5)), contactlib.Box((1.0, 0.8, thin))]
    solids.append(contactlib.Polyhedron(tuple(map(tuple, (truth_meshes.rock(1).vertices * [0.2, 0.2, 2]).tolist()))))
    missed = []
    for A in solids:
        for _ in range(40):
            X_A = np.array([*rng.uniform(-0.3, 0.3, 2), rng.uniform(-0.2, 0.2), *unit(rng.normal(size=4))])
            low = mesh_truth.truth_depth(A, X_A, plate, HERE)[0]
            found = deepest(A, plate, X_A)[0]
            if low > 1e-4 and not 0 < found < 2:
                missed.append((A.kind, round(low, 4), found, X_A.tolist()))
    assert not missed, f"{len(missed)} without a contact or too deep, first {missed[0]}"


#: two polyhedra on a unit cube, each with a tip that comes out of a side of the cube just below an edge
TIPS = {
    "face on face": [
        [0.359208468, 0.500668109, 0.499157378], [-0.367130185, -0.505637692, 1.406705398],
        [0.343064605, -0.168015517, 1.308554108], [0.487634906, 0.047035471, 0.499157378],
        [-0.533613298, -0.528428673, 1.306345393], [-0.535349685, -0.524707727, 0.694367626],
        [-0.6219195, -0.021176511, 0.499157378]],
    "at a corner": [
        [-0.526302508, -0.448846501, 0.537299181], [-0.498177819, -0.460455369, 0.524260262],
        [-0.498959824, -0.500258508, 0.499195184], [-0.511116732, -0.469736065, 0.492302695]],
}


@pytest.mark.parametrize("corners", TIPS.values(), ids=TIPS)
def test_a_tip_that_comes_out_of_a_side_leaves_by_the_shortest_way(corners):
    """Where the tip comes out there is a patch of overlap, too, whose own way out is up to the length of the solid.

    Truth: the least translation of two convex solids, 0.84 and 1.06 mm; the depths were 516 and 4.7 mm. The distance
    from the nearest face is less where three meet.
    """
    A = contactlib.Polyhedron(tuple(map(tuple, corners)))
    low, high = mesh_truth.truth_depth(A, HERE, "cube", HERE)
    assert low > 8e-4
    found = deepest(A, mesh_truth.as_shape("cube"), HERE[None])[0]
    assert low / 3**0.5 < found < 1.02 * high


def test_a_polyhedron_beside_its_own_origin():
    """Its origin in a cube says nothing: apart it has no contact, inside the cube it is as deep as its surface."""
    rng = np.random.default_rng(5)
    cube = meshes.cube(1.0, 3)
    B = contactlib.Mesh(cube.vertices, cube.triangles)
    for _ in range(100):
        A = contactlib.Polyhedron.hull_of(np.array([1.1, 0.0, 0.0]) + 0.1 * rng.uniform(-1, 1, (5, 3)))
        corners = np.array(A.corners)
        beside = np.array([rng.uniform(-0.4, 0.4), *rng.uniform(-0.4, 0.4, 2), 1, 0, 0, 0])
        assert deepest(A, B, beside) == 0.0
        inside = np.array([-1.1, 0, 0, 1, 0, 0, 0]) + np.r_[rng.uniform(-0.3, 0.3, 3), np.zeros(4)]
        placed = corners + inside[:3]
        nearest = np.abs(placed.mean(0)).argmax()
        side = np.sign(placed.mean(0)[nearest])
        most, least = 0.5 - (side * placed[:, nearest]).min(), (0.5 - np.abs(placed).max(1)).max()
        assert least - 1e-12 < deepest(A, B, inside)[0] < most + 1e-12
