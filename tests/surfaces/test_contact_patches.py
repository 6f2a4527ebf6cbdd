"""Patches of contacts: how many pieces are connected, what they carry, and that a query changes nothing."""

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import contactlib
from tests.poses.poses_surface import PAIRS, touching
from tests.support import meshes
from tests.support.scenes import BRISTLE, body, law, scene, two_free_bodies
from tests.surfaces.surface_pairs import table

STIFF = 1e6  # N/m
SPRING = {"kind": "kelvin_voigt", "stiffness": STIFF, "damping": 0.0}
DAMPED = SPRING | {"damping": 2e3}
HALF = 0.5**0.5
UPRIGHT, ALONG_X, ALONG_Y = (1.0, 0.0, 0.0, 0.0), (HALF, 0.0, HALF, 0.0), (HALF, HALF, 0.0, 0.0)
DEPTH = 1e-4  # m


def mesh(solid):
    return {"kind": "mesh", "vertices": solid.vertices.tolist(), "triangles": solid.triangles.tolist()}


def box(*size):
    return {"kind": "box", "size": size}


def pair(a, b, normal=SPRING, **keys):
    """Two bodies with one shape each."""
    parts = [body(name, "external", [{"name": name, "material": name, **form}]) for name, form in (("a", a), ("b", b))]
    laws = [{**law("touch", ["a", "b"], normal), **keys}]
    return contactlib.Simulation(scene(parts, laws, [["a", "b"]]).compile())


def patches_at(simulation, r, q=UPRIGHT):
    simulation.compute({"a": {"r": r, "q": q}})
    return simulation.contact_patches()


def tube(sides, inner, outer, height):
    """A watertight ring of prisms round z."""
    angle = 2 * np.pi * np.arange(sides) / sides
    rings = [np.column_stack([r * np.cos(angle), r * np.sin(angle), np.full(sides, z)])
             for r, z in ((outer, -height / 2), (outer, height / 2), (inner, height / 2), (inner, -height / 2))]
    k, after = np.arange(sides), (np.arange(sides) + 1) % sides
    walls = []
    for ring in range(4):
        a, b = ring * sides, (ring + 1) % 4 * sides
        walls += [np.stack([a + k, a + after, b + after], 1), np.stack([a + k, b + after, b + k], 1)]
    return meshes.Mesh(np.concatenate(rings), np.concatenate(walls))


def regular(sides, radius, height):
    angle = 2 * np.pi * np.arange(sides) / sides
    return meshes.prism(radius * np.column_stack([np.cos(angle), np.sin(angle)]), height).moved((0, 0, -height / 2))


def plate(cells, thickness):
    """A flat square of 0.2 m whose top, at z = 0, has many triangles."""
    return meshes.underpinned(meshes.flat(cells, 0.2), cells, -thickness)


PLANE = {"kind": "plane"}
#: a table of 0.4 m x 0.3 m on four square feet of 50 mm, which stand on z = 0
TABLE = meshes.blocks([[-0.2, -0.15, 0.15, 0.2], [-0.15, -0.1, 0.1, 0.15], [0.0, 0.3, 0.32]],
                      np.stack([[[1, 0, 1], [0, 0, 0], [1, 0, 1]], np.ones((3, 3))], axis=2))
#: two walls on one base, their tops of 0.1 m x 0.1 m at z = 0
TROUGH = meshes.blocks([[-0.15, -0.05, 0.05, 0.15], [-0.05, 0.05], [-0.2, -0.1, 0.0]], [[[1, 1]], [[1, 0]], [[1, 1]]])

# ---- how many ------------------------------------------------------------------------------------

#: a, b, the position of a's origin over b and its attitude, and the number of patches
CASES = {
    "table on four feet": (mesh(TABLE), PLANE, (0, 0, 0), UPRIGHT, 4),
    "table that leans on two feet": (mesh(TABLE), PLANE, (0, 0, 0.175 * 0.02 + 5e-4), (1.0, 0.0, 0.01, 0.0), 2),
    "table that leans on one foot": (mesh(TABLE), PLANE, (0, 0, 0.0061), (1.0, 0.01, 0.01, 0.0), 1),
    "thin box over a trough": (box(0.28, 0.08, 0.02), mesh(TROUGH), (0, 0, 0.01), UPRIGHT, 2),
    "thick box over a trough": (box(0.28, 0.08, 0.9), mesh(TROUGH), (0, 0, 0.45), UPRIGHT, 2),
    "trough on a plane": (mesh(TROUGH.turned(np.diag([1, -1, -1]))), PLANE, (0, 0, 0), UPRIGHT, 2),
    "box on a plane": (box(0.1, 0.06, 0.04), PLANE, (0, 0, 0.02), UPRIGHT, 1),
    "box on its edge": (box(0.1, 0.06, 0.04), PLANE, (0, 0, 0.05 * HALF), (np.cos(np.pi / 8), np.sin(np.pi / 8), 0, 0),
                        1),
    "rounded box on a plane": (box(0.1, 0.06, 0.04) | {"rounding": 0.005}, PLANE, (0, 0, 0.02), UPRIGHT, 1),
    "rounded box over the corner of a box": (box(0.1, 0.06, 0.04) | {"rounding": 0.005}, box(0.2, 0.2, 0.2),
                                             (0.1, 0.09, 0.12), UPRIGHT, 1),
    "rounded box over a trough": (box(0.28, 0.08, 0.02) | {"rounding": 0.005}, mesh(TROUGH), (0, 0, 0.01), UPRIGHT, 2),
    "cylinder that lies on a plane": ({"kind": "cylinder", "radius": 0.03, "length": 0.2}, PLANE, (0, 0, 0.03),
                                      ALONG_X, 1),
    "cylinder that stands on a box": ({"kind": "cylinder", "radius": 0.03, "length": 0.02}, box(0.2, 0.2, 0.2),
                                      (0.02, 0, 0.11), UPRIGHT, 1),
    "cylinder that lies over the edge of a box": ({"kind": "cylinder", "radius": 0.03, "length": 0.2},
                                                  box(0.2, 0.2, 0.2), (0.1, 0.03, 0.13), ALONG_X, 1),
    "cylinder that lies over a trough": ({"kind": "cylinder", "radius": 0.03, "length": 0.28}, mesh(TROUGH),
                                         (0, 0, 0.03), ALONG_X, 2),
    "cylinder across a cylinder": ({"kind": "cylinder", "radius": 0.03, "length": 0.2},
                                   {"kind": "cylinder", "radius": 0.02, "length": 0.3}, (0, 0, 0.05), ALONG_X, 1),
    "capsule on a box": ({"kind": "capsule", "radius": 0.02, "length": 0.1}, box(0.3, 0.2, 0.1), (0, 0, 0.07),
                         ALONG_X, 1),
    "capsule over the edge of a box": ({"kind": "capsule", "radius": 0.02, "length": 0.1}, box(0.3, 0.2, 0.1),
                                       (0.15, 0, 0.07), ALONG_X, 1),
    "capsule over a trough": ({"kind": "capsule", "radius": 0.02, "length": 0.24}, mesh(TROUGH), (0, 0, 0.02),
                              ALONG_X, 2),
    "capsule on a cylinder": ({"kind": "capsule", "radius": 0.02, "length": 0.1},
                              {"kind": "cylinder", "radius": 0.03, "length": 0.2}, (0, 0, 0.12), ALONG_X, 1),
    "corner of a box in a mesh": (box(0.1, 0.1, 0.1), mesh(plate(9, 0.3)), (0.01, 0.01, 0.1 * 0.75**0.5),
                                  (0.88047624, 0.27984814, -0.36470520, -0.11591689), 1),
    "box on a flat mesh": (box(0.1, 0.06, 0.04), mesh(plate(13, 0.3)), (0.003, 0.001, 0.02), UPRIGHT, 1),
    "box that has the field on a flat mesh": (box(0.1, 0.06, 0.4), mesh(plate(13, 0.05)), (0.003, 0.001, 0.2), UPRIGHT,
                                              1),
    "conforming plates": (mesh(plate(20, 0.1).turned(np.diag([1, -1, -1]))), mesh(plate(20, 0.2)), (0, 0, 0),
                          UPRIGHT, 1),
    "shaft in a bore": ({"kind": "cylinder", "radius": 0.0202, "length": 0.3}, mesh(tube(24, 0.02, 0.03, 0.1)),
                        (0, 0, DEPTH), UPRIGHT, 1),
    "shaft of triangles in a bore": (mesh(regular(24, 0.0202, 0.3)), mesh(tube(24, 0.02, 0.03, 0.1)), (0, 0, DEPTH),
                                     UPRIGHT, 1),
    "bore of triangles round a thin shaft": (mesh(regular(24, 0.0202, 0.3)), mesh(tube(24, 0.02, 0.2, 0.5)),
                                             (0, 0, DEPTH), UPRIGHT, 1),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_patches_are_connected_pieces(name):
    a, b, position, q, count = CASES[name]
    q = np.array(q) / np.linalg.norm(q)
    simulation = pair(a, b)
    found = simulation.compute({"a": {"r": np.array(position) - [0, 0, DEPTH], "q": q}}).contacts
    patches = simulation.contact_patches()
    assert found["surface"].tolist() == [1] and len(patches) == count
    assert set(patches.points["patch"]) == set(patches.outlines["patch"]) == set(range(count))


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_number_of_patches_depends_on_neither_axes_nor_order(name, seed):
    """The same two bodies, both turned and moved by one random motion, and named in the other order."""
    a, b, position, q, count = CASES[name]
    rng = np.random.default_rng(seed)
    turn = rng.normal(size=4)
    turn /= np.linalg.norm(turn)
    R = contactlib.shapes.quaternion.rotation_matrix(tuple(turn))
    X_a = np.array(position) - [0, 0, DEPTH]
    q_a = np.array(q) / np.linalg.norm(q)
    q_a = np.array([turn[0] * q_a[0] - turn[1:] @ q_a[1:],
                    *(turn[0] * q_a[1:] + q_a[0] * turn[1:] + np.cross(turn[1:], q_a[1:]))])
    simulation = pair(b, a)
    simulation.compute({"b": {"r": R @ X_a, "q": q_a}, "a": {"q": turn}})
    assert len(simulation.contact_patches()) == count


def pieces_below(solid, R, height):
    """Corners of a mesh that are below z = 0, joined along its edges: each piece of surface below has some of them."""
    below = (solid.vertices @ R.T)[:, 2] + height < 0
    edges = np.concatenate([solid.triangles[:, [0, 1]], solid.triangles[:, [1, 2]], solid.triangles[:, [2, 0]]])
    a, b = edges[below[edges].all(axis=1)].T
    joined = coo_array((np.ones(len(a)), (a, b)), shape=(len(below),) * 2)
    _, piece = connected_components(joined, directed=False)
    return len(set(piece[below]))


@pytest.mark.parametrize("seed", range(8))
def test_hills_on_a_plane_have_as_many_patches_as_pieces_of_their_mesh(seed):
    """Truth is the graph of the mesh: a triangle has a part below the plane if one of its corners is below."""
    rng = np.random.default_rng(seed)
    solid = meshes.terrain(20, 0.5, 0.02, seed=seed)
    simulation = pair(mesh(solid), PLANE)
    counts = set()
    for depth in (1e-3, 4e-3, 1e-2, 2e-2):
        q = np.array([0.0, 1.0, *(0.02 * rng.normal(size=2))])
        q /= np.linalg.norm(q)
        R = np.array(contactlib.shapes.quaternion.rotation_matrix(tuple(q)))
        height = -(solid.vertices @ R.T)[:, 2].min() - depth
        found = patches_at(simulation, (0.0, 0.0, height), q)
        assert len(found) == pieces_below(solid, R, height)
        counts.add(len(found))
    assert max(counts) > 1


def test_a_box_on_two_beams_has_a_patch_on_each():
    beams = [body(name, "external", [{"name": name, "material": "m", **box(0.1, 0.3, 0.1)}],
                  state={"r": [x, 0.0, -0.05]}) for name, x in (("left", -0.2), ("right", 0.2))]
    load = body("load", "external", [{"name": "load", "material": "m", **box(0.6, 0.2, 0.1)}])
    simulation = contactlib.Simulation(scene([*beams, load], [law("touch", ["m", "m"], SPRING)],
                                             [["left", "load"], ["right", "load"]]).compile())
    simulation.compute({"load": {"r": (0.0, 0.0, 0.05 - DEPTH)}})
    found = simulation.contact_patches()
    assert found["contact"].tolist() == [0, 1]
    np.testing.assert_allclose(found.centres_W[:, :2], [[-0.2, 0.0], [0.2, 0.0]], atol=1e-12)


def test_boxes_of_a_compound_have_one_patch_where_they_are_flush():
    """Two boxes of one body side by side are one contact; its patch goes over the seam."""
    halves = [{"name": f"half_{k}", "material": "m", "r": [x, 0.0, 0.05], **box(0.1, 0.1, 0.1)}
              for k, x in enumerate((-0.05, 0.05))]
    parts = [body("floor", "external", [{"name": "floor", "material": "m", **box(0.6, 0.6, 0.6)}],
                  state={"r": [0.0, 0.0, -0.3]}), body("block", "external", halves)]
    simulation = contactlib.Simulation(scene(parts, [law("touch", ["m", "m"], SPRING)], [["floor", "block"]]).compile())
    simulation.compute({"block": {"r": (0.0, 0.0, -DEPTH)}})
    found = simulation.contact_patches()
    assert len(found.contacts) == len(found) == 1
    np.testing.assert_allclose(found.centres_W[0, :2], 0.0, atol=1e-12)
    np.testing.assert_allclose(found["area"], 0.2 * 0.1 + 0.6 * DEPTH, rtol=1e-9)


@pytest.mark.parametrize("gap, count", [(1e-9, 1), (1e-5, 2)])
def test_a_gap_counts_that_is_wider_than_a_hundredth_of_the_depth(gap, count):
    """Two walls with a gap of 1 nm or 10 um between them, at a depth of 0.1 mm."""
    walls = meshes.blocks([[-0.1, -gap / 2, gap / 2, 0.1], [-0.05, 0.05], [-0.2, -0.1, 0.0]],
                          [[[1, 1]], [[1, 0]], [[1, 1]]]) if gap > 1e-8 else meshes.Mesh(
        *meshes.blocks([[-0.1, 0.0, 0.1], [-0.05, 0.05], [-0.2, 0.0]], [[[1]], [[1]]]))  # fmt: skip
    simulation = pair(box(0.1, 0.08, 0.05), mesh(walls))
    simulation.compute({"a": {"r": (0.0, 0.0, 0.025 - DEPTH)}})
    assert len(simulation.contact_patches()) == count


# ---- what they carry -----------------------------------------------------------------------------


def test_a_table_carries_on_each_foot_its_part():
    """At one depth each foot has a quarter of the force, of an even pressure: its radius is a/sqrt(6)."""
    simulation = pair(mesh(TABLE), PLANE)
    force = simulation.compute({"a": {"r": (0.0, 0.0, -DEPTH)}}).contacts["normal_force"][0]
    found = simulation.contact_patches()
    corners = sorted(map(tuple, found.centres_W[:, :2].round(9).tolist()))
    assert corners == [(x, y) for x in (-0.175, 0.175) for y in (-0.125, 0.125)]
    np.testing.assert_allclose(found["load"], force / 4, rtol=1e-12)
    np.testing.assert_allclose(found["n_AB_W"], [[0.0, 0.0, -1.0]] * 4, atol=1e-15)
    np.testing.assert_allclose(found["depth"], DEPTH, rtol=1e-9)
    np.testing.assert_allclose(found["area"], 0.05**2 + 4 * 0.05 * DEPTH, rtol=1e-9)
    # the side walls carry 4 d/(p a) of what the bottom does, 0.2 %, at the border, and have 3 times its square
    np.testing.assert_allclose(found["radius"], 0.05 / 6**0.5, rtol=4e-3)


def test_a_load_off_the_middle_is_shared_by_the_lever():
    """A stiff beam on two walls 0.2 m apart, turned until one wall has more: forces and moments are in balance."""
    simulation = pair(box(0.28, 0.08, 0.02), mesh(TROUGH), sharpness=2)
    tilt = 2e-4
    simulation.compute({"a": {"r": (0.0, 0.0, 0.01 - DEPTH), "q": (np.cos(tilt / 2), 0.0, np.sin(tilt / 2), 0.0)}})
    found = simulation.contact_patches()
    # with p = 2 the pressure is k/area e, e = DEPTH + tilt x: a turn about +y lowers the side of +x. The walls carry
    # the beam from 0.05 to 0.14 m
    wanted = [STIFF / (0.28 * 0.08) * 0.08 * (0.09 * DEPTH + sign * tilt * (0.14**2 - 0.05**2) / 2) for sign in (-1, 1)]
    np.testing.assert_allclose(found["load"][np.argsort(found.centres_W[:, 0])], wanted, rtol=2e-3)


def test_a_lying_cylinder_has_a_line():
    """Its pressure is even along the line, l/sqrt(12) from the middle, and within sqrt(2 r d) beside it."""
    simulation = pair({"kind": "cylinder", "radius": 0.03, "length": 0.2}, PLANE)
    simulation.compute({"a": {"r": (0.0, 0.0, 0.03 - DEPTH), "q": ALONG_X}})
    found = simulation.contact_patches()
    np.testing.assert_allclose(found.centres_W[0, :2], 0.0, atol=1e-9)
    np.testing.assert_allclose(found["radius"], 0.2 / 12**0.5, rtol=1e-2)
    np.testing.assert_allclose(found["depth"], DEPTH, rtol=1e-12)
    corners = found.corners["p_AC_W"] + found.r_WA[0]
    assert np.abs(corners[:, 0]).max() == pytest.approx(0.1, rel=1e-9)
    assert np.abs(corners[:, 1]).max() == pytest.approx((2 * 0.03 * DEPTH - DEPTH**2) ** 0.5, rel=1e-6)


def test_points_are_patches_without_area():
    simulation = pair({"kind": "sphere", "radius": 0.1}, PLANE)
    simulation.compute({"a": {"r": (1.0, 2.0, 0.1 - DEPTH)}})
    found = simulation.contact_patches()
    assert (len(found), len(found.points), found["area"][0], found["radius"][0]) == (1, 0, 0.0, 0.0)
    np.testing.assert_allclose(found["load"], STIFF * DEPTH, rtol=1e-9)
    np.testing.assert_allclose(found.centres_W[0], [1.0, 2.0, -DEPTH / 2], atol=1e-12)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("normal", [SPRING, DAMPED], ids=["spring", "damped"])
def test_patches_add_up_to_the_contact(name, normal):
    """Forces, moments, pressures and areas, of bodies that also move; without friction they are all of the contact."""
    a, b = PAIRS[name]
    simulation, rng = pair(table(*a), table(*b), normal), np.random.default_rng(5)
    for depth in (1e-4, 2e-3):
        X_A, X_B = touching(a, b, depth, rng)
        states = np.zeros((2, 13))
        states[:, :7], states[:, 7:] = (X_A, X_B), 0.02 * rng.normal(size=(2, 6))
        contacts = simulation.compute(states).contacts
        found = simulation.contact_patches()
        for rows in (found.patches, found.points):
            size = contacts["normal_force"][0]
            np.testing.assert_allclose(rows["f_B_W"].sum(axis=0), contacts["f_B_W"][0], rtol=0, atol=1e-12 * size)
            np.testing.assert_allclose(rows["normal_force"].sum(), size, rtol=1e-12, atol=1e-300)
            np.testing.assert_allclose(rows["area"].sum(), contacts["area"][0], rtol=1e-12)
            moment = np.cross(rows["p_AC_W"], rows["f_B_W"]).sum(axis=0)
            moment += found["t_B_W"].sum(axis=0) if rows is found.patches else 0.0
            wanted = np.cross(contacts["p_AC_W"][0], contacts["f_B_W"][0]) + contacts["t_B_W"][0]
            np.testing.assert_allclose(moment, wanted, rtol=0, atol=1e-12 * size)
        np.testing.assert_allclose(found["load"][:, None] * found["n_AB_W"], found["f_B_W"], atol=1e-12 * size)
        assert found["depth"].max() == contacts["depth"][0]


@pytest.mark.parametrize("name", PAIRS)
def test_the_pressure_of_the_triangles_adds_up_to_the_force(name):
    """By seven points on each triangle, exact for powers up to 5 of a linear extent; here it is 3."""
    a, b = PAIRS[name]
    simulation = pair(table(*a), table(*b), SPRING)
    states = np.zeros((2, 13))
    states[:, :7] = touching(a, b, 2e-3, np.random.default_rng(5))
    force = simulation.compute(states).contacts["normal_force"][0]
    found = simulation.contact_patches()
    rows = found.triangles
    outline, x = found.outline_of_corner[rows[:, 0]], found.corners["p_AC_W"][rows]
    area = 0.5 * np.linalg.norm(np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]), axis=1)
    assert (found.outlines["sharpness"] == 4).all() and (found.pressure_factor >= 0.0).all()
    s = np.sqrt(15.0)
    points = [((1 / 3, 1 / 3, 1 / 3), 9 / 40)]
    for near, weight in (((6 - s) / 21, (155 - s) / 1200), ((6 + s) / 21, (155 + s) / 1200)):
        points += [(np.roll([near, near, 1 - 2 * near], k), weight) for k in range(3)]
    whole = sum(weight * (found.corners["extent"][rows] @ np.array(at)) ** 3 for at, weight in points)
    np.testing.assert_allclose((found.pressure_factor[outline] * area * whole).sum(), force, rtol=1e-9)


# ---- a query changes nothing ---------------------------------------------------------------------


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
@pytest.mark.parametrize("threads", [1, 3])
def test_a_query_leaves_state_contacts_and_run_as_they_are(integrator, threads):
    model = two_free_bodies(BRISTLE, integrator).compile()
    asked, left = (contactlib.Simulation(model, num_threads=threads) for _ in range(2))
    touched = 0
    for _ in range(300):
        asked.step(1e-3), left.step(1e-3)
        before, contacts, wrenches = asked.save(), asked.contacts.tobytes(), asked.wrenches.tobytes()
        touched += asked.contact_patches().contacts["surface"].sum()
        assert (asked.save(), asked.contacts.tobytes(), asked.wrenches.tobytes()) == (before, contacts, wrenches)
        assert before == left.save()
    assert touched > 10


@pytest.mark.parametrize("name", ["docking_ring", "tripod", "hexapod", "gripper"])
def test_a_query_leaves_the_run_of_a_scene_as_it_is(name):
    spec = contactlib.load(name)
    asked, left = (contactlib.Simulation(spec.compile()) for _ in range(2))
    for _ in range(20):
        asked.step(2e-3), left.step(2e-3)
        found = asked.contact_patches()
        assert len(found.contacts) == len(asked.contacts)
        np.testing.assert_array_equal(found.contacts["shape_a"], asked.contacts["shape_a"])
        assert asked.save() == left.save()


def test_the_query_needs_no_evaluation_after_a_restored_state():
    simulation = pair(box(0.1, 0.06, 0.04), PLANE)
    simulation.compute({"a": {"r": (0.0, 0.0, 0.02 - DEPTH)}})
    saved, wanted = simulation.save(), simulation.contact_patches()["load"]
    simulation.compute({"a": {"r": (0.0, 0.0, 1.0)}})
    assert len(simulation.contact_patches()) == 0
    simulation.restore(saved)
    assert len(simulation.contacts) == 0
    np.testing.assert_array_equal(simulation.contact_patches()["load"], wanted)


def test_rows_are_read_only():
    simulation = pair(box(0.1, 0.06, 0.04), PLANE)
    simulation.compute({"a": {"r": (0.0, 0.0, 0.02 - DEPTH)}})
    found = simulation.contact_patches()
    for rows in (found.contacts, found.r_WA, found.patches, found.points, found.outlines, found.corners):
        assert not rows.flags.writeable


def test_corners_of_no_outline_carry_no_pressure():
    """An upright cylinder at its touch on a coaxial one: most of its outlines have no point, and are left out."""
    rod = {"kind": "cylinder", "radius": 0.25, "length": 0.4}
    simulation = pair(rod, rod)
    for gap in (0.0, 1e-12, 1e-9, 1e-6):
        simulation.compute({"a": {"r": (0.0, 0.0, 0.4 - 1e-9 + gap)}})
        found = simulation.contact_patches()
        assert found.triangles.shape[1] == 3 and (found.pressure_factor >= 0.0).all()
        assert (found.outline_of_corner[found.triangles] >= 0).all()
