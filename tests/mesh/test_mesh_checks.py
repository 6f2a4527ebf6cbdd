"""Meshes as they are read and compiled: welded, or named where they are open, flat, inside out or cross themselves."""

import re
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import contactlib
from contactlib.cli.main import app
from contactlib.model.spec import SCENES
from contactlib.shapes.importers import check, check_mesh, repair_mesh
from contactlib.shapes.importers.overlaps import BoxTree
from tests.support import meshes
from tests.support.scenes import body, law, scene

SOLIDS = {"ball": meshes.icosphere(2), "cube": meshes.cube(1.0, 3), "corner": meshes.l_solid(), "pit": meshes.pit(),
          "hills": meshes.terrain(8)}
STILL = [[0.0, 0, 0, 1, 0, 0, 0]]


def hose(path, across, radius, n=60, m=12):
    """A closed tube along the closed path(t), its sections spanned by across(t) and the z axis."""
    u, v = np.meshgrid(np.arange(n), np.arange(m), indexing="ij")
    t, b = 2 * np.pi * (u + 0.3) / n, 2 * np.pi * (v + 0.1) / m
    points = path(t) + radius * (np.cos(b)[..., None] * across(t) + np.sin(b)[..., None] * [0, 0, 1])
    points = points.reshape(-1, 3)
    at = [(i % n * m + j % m).ravel() for i, j in ((u, v), (u + 1, v), (u + 1, v + 1), (u, v + 1))]
    return meshes.Mesh(points, np.concatenate([np.column_stack(at[:3]), np.column_stack([at[0], at[2], at[3]])]))


def torus(ring, tube):
    def around(a):
        return np.stack([np.cos(a), np.sin(a), 0 * a], axis=-1)

    return hose(lambda a: ring * around(a), around, tube)


def figure_eight(lift):
    """A tube of radius 0.2. Its branches pass over each other at the origin, their axes 2 lift apart."""
    def across(t):
        way = np.stack([np.cos(2 * t), -np.cos(t), 0 * t], axis=-1)
        return way / np.linalg.norm(way, axis=-1, keepdims=True)

    return hose(lambda t: np.stack([2 * np.sin(t), np.sin(2 * t), lift * np.cos(t)], axis=-1), across, 0.2)


def shape(mesh):
    return contactlib.Mesh(mesh.vertices, mesh.triangles)


def together(*parts):
    offsets = np.cumsum([0, *(len(part.vertices) for part in parts[:-1])])
    return contactlib.Mesh(np.concatenate([part.vertices for part in parts]),
                           np.concatenate([p.triangles + n for p, n in zip(parts, offsets, strict=True)]))


def corners_of(mesh):
    return mesh.vertices[mesh.triangles]


def unwelded(corners):
    return contactlib.Mesh(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3))


def found(mesh):
    return {finding.kind: finding for finding in check_mesh(mesh).findings}


# ---- welding -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SOLIDS)
@pytest.mark.parametrize("noise", [0.0, 1e-10])
def test_unwelded_triangles_are_welded(name, noise):
    """Closed, of the volume that the divergence theorem gives for the triangles as they are, in the given order."""
    mesh = SOLIDS[name]
    rng = np.random.default_rng(3)
    given = corners_of(mesh)[rng.permutation(len(mesh.triangles))]
    given = given + noise * rng.uniform(-0.5, 0.5, given.shape)
    welded = unwelded(given)
    assert welded.closed and np.abs(corners_of(welded) - given).max() <= 2 * noise
    assert len(welded.vertices) == 3 * len(given)
    a, b, c = np.moveaxis(given, 1, 0)
    assert welded.volume == pytest.approx((a * np.cross(b, c)).sum() / 6, rel=1e-8)
    assert len(np.unique(welded.triangles)) == len(mesh.vertices)


def test_no_ghost_contacts_on_unwelded_triangles():
    """A box or a ball on a face pushes as on the welded cube, wherever edges of triangles lie below it."""
    cube = meshes.cube(1.0, 4)
    u = np.linspace(-0.35, 0.35, 9)
    flat = np.tile([1.0, 0, 0, 0], (len(u) ** 2, 1))
    for solid, half in ((contactlib.Box((0.2, 0.2, 0.2)), 0.1), (contactlib.Sphere(0.1), 0.1)):
        x = np.array([(a, b, 0.5 + half - 1e-3) for a in u for b in u])
        m, other = (contactlib.manifolds(solid, mesh, np.hstack([x, flat]), STILL)
                    for mesh in (unwelded(corners_of(cube)), contactlib.Mesh(cube.vertices, cube.triangles)))
        pushes, right = ((n.normal * (n.depth * n.load_share)[..., None]).sum(axis=1) for n in (m, other))
        np.testing.assert_allclose(pushes, right, atol=1e-14)
        np.testing.assert_allclose(pushes[:, :2], 0, atol=1e-14)
        assert (pushes[:, 2] < -0.99e-3).all()


def test_what_is_not_welded():
    """Vertices further apart than 1e-9 of the size, which are named, and those of closed parts that touch."""
    rng = np.random.default_rng(4)
    given = corners_of(SOLIDS["cube"])
    apart = unwelded(given + 1e-7 * rng.uniform(-0.5, 0.5, given.shape))
    assert not apart.closed and set(found(apart)) == {"cracks", "border"}
    cube = meshes.cube()
    side_by_side = together(cube, cube.moved((1, 0, 0)))
    assert side_by_side.triangles.tolist() == [*cube.triangles.tolist(), *(cube.triangles + 8).tolist()]
    assert found(side_by_side) == {} and side_by_side.volume == pytest.approx(2.0)


def test_what_welding_leaves_is_named():
    """Triangles that are there twice, or that lose their area."""
    given = corners_of(meshes.cube())
    twice = unwelded(np.concatenate([given, given[3:5]]))
    with pytest.raises(ValueError, match=r"2 triangles that repeat an earlier one \(12, 13\)"):
        twice.surface()
    assert found(twice)["duplicate"].first == (12, 13)
    needle = np.array([given[0, 0], given[0, 1], given[0, 1] + [1e-12, 0, 0]])
    with pytest.raises(ValueError, match=r"1 triangles without area \(12\)"):
        unwelded(np.concatenate([given, needle[None]])).surface()


def test_welding_agrees_with_trimesh():
    trimesh = pytest.importorskip("trimesh")
    for mesh in SOLIDS.values():
        given = corners_of(mesh).reshape(-1, 3)
        peer = trimesh.Trimesh(given, np.arange(len(given)).reshape(-1, 3), process=True)
        ours = unwelded(corners_of(mesh))
        assert peer.is_watertight and ours.closed
        assert ours.volume == pytest.approx(peer.volume, rel=1e-12)
        np.testing.assert_allclose(ours.extent, peer.extents, rtol=1e-12)


# ---- triangles that cross ------------------------------------------------------------------------


def pierced(one, other):
    """Brute force: which pairs of triangles (N, 3, 3) have an edge that goes through the inside of the other one.

    Where each edge meets the other's plane is found by linear equations in its place s and barycentric v and w.
    """
    crossing = np.zeros(len(one), dtype=bool)
    for a, b in ((one, other), (other, one)):
        for i in range(3):
            p, d = a[:, i], a[:, (i + 1) % 3] - a[:, i]
            matrix = np.stack([-d, b[:, 1] - b[:, 0], b[:, 2] - b[:, 0]], axis=2)
            s, v, w = np.linalg.solve(matrix, (p - b[:, 0])[..., None])[..., 0].T
            crossing |= np.min([s, 1 - s, v, w, 1 - v - w], axis=0) > 0
    return crossing


def test_crossings_against_brute_force():
    rng = np.random.default_rng(11)
    t, u = np.tril_indices(60, -1)
    total = 0
    for _ in range(30):
        corners = rng.uniform(-1, 1, (60, 1, 3)) + rng.normal(size=(60, 3, 3)) * rng.uniform(0.05, 0.6, (60, 1, 1))
        finding = found(unwelded(corners)).get("crossing")
        expected = int(pierced(corners[t], corners[u]).sum())
        assert (finding.count if finding else 0) == expected
        total += expected
    assert total > 500


def test_boxes_that_overlap_against_brute_force():
    rng = np.random.default_rng(12)
    for n in (1, 2, 3, 5, 64, 1000):
        low = rng.uniform(-1, 1, (n, 3))
        high = low + 10.0 ** rng.uniform(-3, 0, (n, 1)) * rng.random((n, 3))
        meet = (low[:, None] <= high).all(axis=2) & (low <= high[:, None]).all(axis=2)
        expected = {(i, j) for i, j in np.argwhere(meet).tolist() if i < j}
        pairs = np.concatenate([np.sort(np.column_stack(piece), axis=1) for piece in BoxTree(low, high).pairs()])
        pairs = [tuple(pair) for pair in pairs.tolist()]
        assert len(pairs) == len(expected) and set(pairs) == expected


@pytest.mark.parametrize("distance", [0.2, 0.45, 0.6, 1.0, 1.4, 1.6])
def test_two_balls(distance):
    """Radii 1 and 0.5 at a distance d: they cross if 0.5 < d < 1.5, and one lies in the other below."""
    way = np.array([1.0, 2.0, 2.0]) / 3 * distance
    kinds = set(found(together(meshes.icosphere(3), meshes.icosphere(3, 0.5).moved(way))))
    assert kinds == ({"crossing"} if 0.5 < distance < 1.5 else {"doubled"} if distance < 0.5 else set())


@pytest.mark.parametrize(("offset", "kinds"), [
    ((1, 1, 1), {"crossing"}), ((1, 0, 0), {"crossing"}), ((1, 1, 0), {"crossing"}), ((2, 0, 0), set()),
    ((2, 1, 0), set()), ((2, 2, 0), set()), ((2, 2, 2), set()), ((3, 0, 0), set()), ((0, 0, 0), {"doubled"}),
])
def test_two_cubes_on_one_grid(offset, kinds):
    """Sides of 2, with edges at 0, 1 and 2: they overlap, or share a face, part of one, an edge or a corner."""
    cube = meshes.cube(2.0, 2)
    assert set(found(together(cube, cube.moved(offset)))) == kinds


@pytest.mark.parametrize("lift", [0.0, 0.1, 0.19, 0.21, 0.3])
def test_a_tube_through_itself(lift):
    """It crosses itself if its axes pass each other at less than a diameter, and only there."""
    kinds = found(shape(figure_eight(lift)))
    assert set(kinds) == ({"crossing"} if lift < 0.2 else set())
    if lift > 0.2:
        return
    finding, corners = kinds["crossing"], corners_of(figure_eight(lift))
    for pair in finding.first:
        assert np.linalg.norm(corners[list(pair)].mean(axis=1), axis=1).max() < 0.6
    assert f"{finding.count} pairs of triangles cross ({finding.first[0][0]}-{finding.first[0][1]}, " in str(finding)


def test_triangles_that_share_a_corner():
    """One goes through the other from the corner that they share, or stays on one side."""
    through = [(0, 0, 0), (2, 0, 0), (0, 2, 0), (1, 1, 1), (0.5, 0.6, -1)]
    aside = [(0, 0, 0), (2, 0, 0), (0, 2, 0), (-1, -1, 1), (-0.5, -0.6, -1)]
    above = [(0, 0, 0), (2, 0, 0), (0, 2, 0), (1, 1, 1), (0.5, 0.6, 1)]
    for points, crosses in ((through, True), (aside, False), (above, False)):
        finding = found(contactlib.Mesh(points, [(0, 1, 2), (0, 3, 4)]))
        assert ("crossing" in finding) is crosses


@pytest.mark.parametrize("mesh", [*SOLIDS.values(), meshes.icosphere(4), meshes.terrain(30, seed=2), meshes.flat(5),
                                  meshes.fold(0.5), meshes.bowl(), torus(1.0, 0.99)])
def test_sound_meshes_do_not_cross(mesh):
    rounded = meshes.Mesh(mesh.vertices.astype(np.float32).astype(float), mesh.triangles)
    for one in (mesh, rounded):
        assert set(found(shape(one))) <= {"border", "flat"}


def test_crossings_in_any_frame():
    rng = np.random.default_rng(6)
    ball, other = meshes.icosphere(2), meshes.icosphere(2, 0.7).moved((0.6, 0.3, 0.2))
    pairs = check_mesh(together(ball, other)).findings[0]
    for scale in (1e-3, 1.0, 1e3):
        R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        R *= np.sign(np.linalg.det(R))
        offset = scale * rng.uniform(-10, 10, 3)
        moved = together(*(part.turned(R).moved(offset, scale) for part in (ball, other)))
        assert check_mesh(moved).findings[0] == pairs


def test_a_fan_is_no_burden():
    """Twenty thousand triangles around one corner: all are near each other, and that is told."""
    angle = 2 * np.pi * np.arange(20_000) / 20_000
    points = np.vstack([[0, 0, 1], np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])])
    i = np.arange(20_000)
    kinds = found(contactlib.Mesh(points, np.column_stack([0 * i, i + 1, (i + 1) % 20_000 + 1])))
    assert set(kinds) <= {"border", "untested"}


# ---- what a scene says ---------------------------------------------------------------------------


def with_mesh(mesh, repair=(), **keys):
    block = {"name": "m", "kind": "mesh", "material": "a", "vertices": mesh.vertices.tolist(),
             "triangles": mesh.triangles.tolist(), **({"repair": list(repair)} if repair else {})}
    given = {"mass": 1.0, "inertia": [1, 1, 1]}
    if "density" in keys:
        block["density"], given = keys["density"], {}
    ball = {"name": "s", "kind": "sphere", "radius": 0.1, "material": "a"}
    elastic = {"kind": "kelvin_voigt", "stiffness": 1e4, "damping": 0.0}
    return scene([body("block", "fixed", shapes=[block], **given), body("ball", "external", shapes=[ball])],
                 [law("l", ["a", "a"], elastic)], [["block", "ball"]])


def warned(spec):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        spec.compile()
    assert all(issubclass(w.category, contactlib.MeshWarning) and w.filename == __file__ for w in caught)
    return [str(w.message) for w in caught]


def turned_over(mesh):
    return mesh._replace(triangles=mesh.triangles[:, ::-1])


@pytest.mark.parametrize("keys", [{}, {"density": 1000.0}])
def test_inside_out_is_refused(keys):
    for mesh in (turned_over(meshes.cube()), turned_over(SOLIDS["ball"]), turned_over(torus(2.0, 1.0))):
        with pytest.raises(ValueError, match=r"shape 'm' of body 'block': 1 closed parts are inside out, their volume "
                                             r"is negative \(those of triangles 0\).*; repair 'winding' turns"):
            with_mesh(mesh, **keys).compile()
        assert warned(with_mesh(mesh, ["winding"], **keys)) == []


def test_one_part_of_two_is_inside_out():
    cube = meshes.cube()
    both = together(cube, turned_over(cube.moved((3, 0, 0))))
    with pytest.raises(ValueError, match=r"1 closed parts are inside out, .* \(those of triangles 12\)"):
        with_mesh(both).compile()
    hollow = together(cube.moved(scale=3.0), turned_over(cube))
    assert warned(with_mesh(hollow, density=1.0)) == []
    assert with_mesh(hollow, density=1.0).body("block").mass_properties().mass == pytest.approx(26.0)


def test_sound_meshes_are_taken_without_a_word():
    for mesh in (*SOLIDS.values(), torus(2.0, 1.0)):
        assert warned(with_mesh(mesh)) == warned(with_mesh(mesh, density=10.0)) == []


def test_an_open_mesh_is_told():
    """A grid of n x n cells has 4 n border edges."""
    (text,) = warned(with_mesh(meshes.bowl(6)))
    assert text.startswith("mesh of shape 'm' of body 'block': the mesh is not closed, 24 edges have one triangle (")
    (text,) = warned(with_mesh(meshes.flat(7)))
    assert "28 edges have one triangle" in text and "all of its triangles lie in one plane" in text


def test_a_closed_sheet_is_told():
    (text,) = warned(with_mesh(meshes.Mesh(np.eye(3), np.array([(0, 1, 2), (2, 1, 0)]))))
    assert "1 closed parts enclose no volume (those of triangles 0)" in text and "1 triangles repeat" in text


def test_a_mesh_that_crosses_itself_is_told():
    for keys in ({}, {"density": 5.0}):
        (text,) = warned(with_mesh(figure_eight(0.1), **keys))
        assert text.startswith("mesh of shape 'm' of body 'block': ") and "pairs of triangles cross (" in text


def test_one_warning_for_a_mesh_of_many_shapes():
    spec = with_mesh(meshes.flat(2))
    block = spec.bodies[0]
    again = replace(block, shapes=(*block.shapes, replace(block.shapes[0], name="n")))
    (text,) = warned(replace(spec, bodies=(again, spec.bodies[1])))
    assert text.startswith("mesh of shape 'm' of body 'block' (and of 1 other shapes): ")


def test_shipped_scenes():
    """Only the hexapod has a mesh, open ground of 10 x 8 squares: 36 border edges."""
    for path in sorted(SCENES.glob("*/scene.toml")):
        texts = warned(contactlib.load(path))
        assert len(texts) == (path.parent.name == "hexapod")
        assert all("'bumps' of body 'ground': the mesh is not closed, 36 edges" in text for text in texts)


def toml(spec_mesh, tmp_path):
    rows = "\n".join(f"{key} = {getattr(spec_mesh, key).tolist()}" for key in ("vertices", "triangles"))
    path = tmp_path / "scene.toml"
    path.write_text(f'[scene]\nname = "one"\n[[body]]\nname = "block"\nmotion = "fixed"\n[[body.shape]]\nname = "m"\n'
                    f'kind = "mesh"\nmaterial = "a"\n{rows}\n')
    return str(path)


@pytest.mark.parametrize(("mesh", "line", "told"), [
    (meshes.cube(2.0, 3), "mesh, 108 triangles, size 2000 x 2000 x 2000 mm, closed, volume 8 m3, of 'a'", ""),
    (meshes.flat(7, 20.0), "mesh, 98 triangles, size 20 x 20 x 0 m, not closed (28 border edges), of 'a'",
     "contactlib: warning: mesh of shape 'm' of body 'block': the mesh is not closed, 28 edges have one triangle"),
])
def test_show(tmp_path, mesh, line, told):
    result = CliRunner().invoke(app, ["show", toml(mesh, tmp_path)])
    assert result.exit_code == 0 and line in result.stdout
    assert len(result.stderr.splitlines()) == bool(told) and result.stderr.startswith(told)


def test_show_refuses_inside_out(tmp_path):
    result = CliRunner().invoke(app, ["show", toml(turned_over(meshes.cube()), tmp_path)])
    assert result.exit_code == 1 and len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("contactlib: shape 'm' of body 'block': 1 closed parts are inside out")


def test_repair_of_numbers_in_a_scene():
    """As of a file, and only if asked."""
    mesh = turned_over(meshes.cube())
    spec = with_mesh(mesh, ["winding"])
    assert spec.bodies[0].shapes[0].shape == repair_mesh(shape(mesh), "winding")
    with pytest.raises(ValueError, match="repair = 'turn': must be one of weld, degenerate"):
        with_mesh(mesh, ["turn"])


def test_the_code_in_the_page_on_meshes_runs():
    page = (Path(__file__).parents[2] / "docs" / "meshes.md").read_text(encoding="utf-8")
    names = {}
    for block in re.findall(r"```python\n(.*?)```", page, re.S):
        exec(compile(block, "docs/meshes.md", "exec"), names)
    assert names["unwelded"].closed
    cells = [row.split("|")[1] for row in page.splitlines() if row.startswith("| `")]
    assert set(re.findall(r"`(\w+)`", "".join(cells))) - {"kind"} == {row[0] for row in check._SENTENCES}
