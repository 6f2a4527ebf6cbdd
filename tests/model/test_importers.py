"""Meshes from files: what is read, what is found wrong, what is repaired, and never unasked."""

import itertools
import sys

import numpy as np
import pytest

import contactlib
from contactlib.shapes.importers import check_mesh, load_mesh, repair_mesh
from contactlib.shapes.polytopes import Mesh, Polyhedron
from contactlib.shapes.shapes import check_shape

trimesh = pytest.importorskip("trimesh")

FORMATS = ("stl", "obj", "ply", "gltf", "glb")
CORNERS = np.array(list(itertools.product((0.0, 1.0), repeat=3)))
#: the faces of the unit cube, counter-clockwise from outside
QUADS = [(0, 1, 3, 2), (0, 2, 6, 4), (0, 4, 5, 1), (1, 5, 7, 3), (2, 3, 7, 6), (4, 6, 7, 5)]
CUBE = [(q[0], q[i], q[i + 1]) for q in QUADS for i in (1, 2)]


def cube(**changes):
    return Mesh(changes.get("vertices", CORNERS), changes.get("triangles", CUBE))


def kinds(mesh):
    return {finding.kind: finding.count for finding in check_mesh(mesh).findings}


def torus(n=12, m=8):
    """A closed mesh that is not convex, from a grid that closes on itself."""
    u, v = np.meshgrid(np.arange(n), np.arange(m), indexing="ij")
    a, b = 2 * np.pi * u / n, 2 * np.pi * v / m
    points = np.stack([(2 + np.cos(b)) * np.cos(a), (2 + np.cos(b)) * np.sin(a), np.sin(b)], axis=-1).reshape(-1, 3)
    at = [(u * m + v).ravel(), ((u + 1) % n * m + v).ravel(), ((u + 1) % n * m + (v + 1) % m).ravel(),
          (u * m + (v + 1) % m).ravel()]
    return Mesh(points, np.concatenate([np.column_stack(at[:3]), np.column_stack([at[0], at[2], at[3]])]))


def soup(mesh, noise=0.0):
    """Each triangle with corners of its own, moved by up to `noise`."""
    corners = mesh.vertices[mesh.triangles].reshape(-1, 3)
    moved = corners + noise * np.sin(np.arange(corners.size)).reshape(-1, 3)
    return Mesh(moved, np.arange(len(corners)).reshape(-1, 3))


def volume(mesh):
    return mesh.mass_properties(1.0).mass


def export(path, scene):
    """A trimesh scene or mesh as a file of the kind that its name asks for."""
    if path.suffix == ".gltf":
        for name, content in scene.export(file_type="gltf").items():
            (path if name == "model.gltf" else path.parent / name).write_bytes(content)
    else:
        scene.export(path)
    return path


def as_trimesh(mesh):
    return trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False)


# ---- reading -------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("mesh", [cube(), torus()], ids=["cube", "torus"])
def test_formats(tmp_path, suffix, mesh):
    path = export(tmp_path / f"part.{suffix}", trimesh.Scene(as_trimesh(mesh)))
    read = load_mesh(path, scale=0.001)
    check_shape(read)
    assert check_mesh(read).findings == ()
    assert (len(read.vertices), len(read.triangles)) == (len(mesh.vertices), len(mesh.triangles))
    assert volume(read) == pytest.approx(1e-9 * volume(mesh), rel=1e-5)
    assert load_mesh(str(path), scale=0.001) == read


@pytest.mark.parametrize("source", ["file", "numbers"])
@pytest.mark.parametrize("kind", ["mesh", "polyhedron"])
def test_scale_along_each_axis(tmp_path, source, kind):
    """A cube becomes a box: mass and moments of a uniform cuboid, (b^2 + c^2) m/12."""
    export(tmp_path / "part.stl", as_trimesh(cube()))
    numbers = f"corners = {cube().vertices.tolist()}"
    if kind == "mesh":
        numbers = f"vertices = {cube().vertices.tolist()}\ntriangles = {cube().triangles.tolist()}"
    text = "[scene]\nname = 'a'\nstep_size = 1e-3\n[[body]]\nname = 'b'\n[[body.shape]]\nname = 's'\nmaterial = 'm'\n"
    shape = f"kind = '{kind}'\ndensity = 5.0\nscale = SCALE\n" + ("file = 'part.stl'" if source == "file" else numbers)
    (tmp_path / "scene.toml").write_text(text + shape.replace("SCALE", "[0.5, 1.0, 1.5]"))
    found = contactlib.load(tmp_path / "scene.toml").rigid_bodies[0].shapes[0].shape.mass_properties(5.0)
    sides = np.ptp(cube().vertices, axis=0) * (0.5, 1.0, 1.5)
    assert found.mass == pytest.approx(5.0 * sides.prod(), rel=1e-6)  # STL files have numbers of 32 bits
    np.testing.assert_allclose(np.diag(found.inertia), found.mass / 12.0 * (sides @ sides - sides**2), rtol=1e-6)
    (tmp_path / "scene.toml").write_text(text + shape.replace("SCALE", "[0.5, -1.0, 1.5]"))
    with pytest.raises(ValueError, match=r"scale\[1\] = -1.0: must be .* greater than 0"):
        contactlib.load(tmp_path / "scene.toml")


def test_text_formats(tmp_path):
    as_trimesh(torus()).export(tmp_path / "a.stl", file_type="stl_ascii")
    as_trimesh(torus()).export(tmp_path / "a.ply", encoding="ascii")
    for name in ("a.stl", "a.ply"):
        assert load_mesh(tmp_path / name).closed


def test_seams_of_texture_and_normals_part_nothing(tmp_path):
    """A cube of six squares, each with its own normal: in OBJ, and in glTF with its own corners."""
    lines = [f"v {x} {y} {z}" for x, y, z in CORNERS] + [f"vn {i} 0 0" for i in range(6)]
    lines += ["f " + " ".join(f"{v + 1}//{n + 1}" for v in quad) for n, quad in enumerate(QUADS)]
    (tmp_path / "cube.obj").write_text("\n".join(lines))
    corners = np.concatenate([CORNERS[list(quad)] for quad in QUADS])
    triangles = np.concatenate([np.array([(0, 1, 2), (0, 2, 3)]) + 4 * k for k in range(6)])
    export(tmp_path / "cube.glb", trimesh.Scene(as_trimesh(Mesh(corners, triangles))))
    for name in ("cube.obj", "cube.glb"):
        mesh = load_mesh(tmp_path / name)
        assert len(mesh.vertices) == 8 and mesh.closed and volume(mesh) == pytest.approx(1.0)


def test_a_scene_is_flattened(tmp_path):
    """A part that is there twice, turned and mirrored, and one that touches it face to face."""
    scene = trimesh.Scene()
    turn = trimesh.transformations.rotation_matrix(0.7, [1, 2, 3], [0.1, 0.2, 0.3])
    mirrored = np.diag([-1.0, 1, 1, 1])
    mirrored[:3, 3] = (10, 0, 0)
    scene.add_geometry(as_trimesh(torus()), node_name="one", geom_name="torus", transform=turn)
    scene.graph.update(frame_to="two", matrix=mirrored, geometry="torus")
    for i in range(2):
        scene.add_geometry(as_trimesh(cube(vertices=CORNERS + np.array([20.0 + i, 0, 0]))), node_name=f"cube {i}")
    mesh = load_mesh(export(tmp_path / "scene.glb", scene))
    assert mesh.closed and kinds(mesh) == {}
    assert len(mesh.triangles) == 2 * len(torus().triangles) + 2 * 12 and len(mesh.vertices) == 2 * 96 + 16
    assert volume(mesh) == pytest.approx(2 * volume(torus()) + 2, rel=1e-5)
    moved = torus().vertices @ turn[:3, :3].T + turn[:3, 3]
    assert np.abs(mesh.vertices[:, None] - moved).max(axis=2).min(axis=0).max() < 1e-6


def test_parts_that_are_open_are_joined(tmp_path):
    """A cube in two halves of one material each, as glTF writes it."""
    scene = trimesh.Scene()
    for i, half in enumerate((CUBE[:6], CUBE[6:])):
        scene.add_geometry(as_trimesh(cube(triangles=half)), node_name=f"half {i}")
    mesh = load_mesh(export(tmp_path / "halves.glb", scene))
    assert len(mesh.vertices) == 8 and mesh.closed


def test_files_that_are_no_meshes(tmp_path):
    for name, content, sentence in (
        ("a.step", b"x", r"a.step: its suffix is not that of a known format, must be one of .stl, .obj, .ply, .gltf, "
         ".glb"),
        ("a.stl", b"", "a.stl: the file has no triangles"),
        ("a.obj", b"v 0 0 0\n", "a.obj: the file has no triangles"),
        ("a.glb", b"glTF but no more", "a.glb: it cannot be read"),
        ("a.gltf", b"{", "a.gltf: it cannot be read"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match=sentence):
            load_mesh(tmp_path / name)
    with pytest.raises(FileNotFoundError, match=r"none.stl: there is no such file"):
        load_mesh(tmp_path / "none.stl")
    for scale in (0.0, -1.0, float("nan"), float("inf"), (1.0, 0.0, 1.0), (1.0, 1.0)):
        with pytest.raises(ValueError, match="must be one number or three, finite and greater than zero"):
            load_mesh(tmp_path / "a.stl", scale=scale)


@pytest.mark.parametrize("suffix", FORMATS)
def test_damaged_files(tmp_path, suffix):
    """Cut off or with bytes changed: a mesh or a sentence."""
    path = export(tmp_path / f"part.{suffix}", trimesh.Scene(as_trimesh(cube())))
    content = path.read_bytes()
    rng = np.random.default_rng(5)
    for case in range(40):
        damaged = bytearray(content[:rng.integers(len(content))] if case % 2 else content)
        for at in rng.integers(0, len(damaged), 3) if damaged else ():
            damaged[at] = rng.integers(256)
        path.write_bytes(damaged)
        try:
            check_shape(load_mesh(path))
        except ValueError as error:
            assert f"part.{suffix}: " in str(error)


def test_without_trimesh(tmp_path, monkeypatch):
    path = export(tmp_path / "a.stl", as_trimesh(cube()))
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(ImportError, match="needs the package trimesh: pip install trimesh"):
        load_mesh(path)


# ---- what is found -------------------------------------------------------------------------------

HALF_WAY = np.concatenate([CORNERS, [(0, 0, 0.5)]])  # on the edge 0-1
FAULTS = [
    (cube(), {}, True),
    (cube(triangles=CUBE[:-1]), {"border": 3}, True),
    (cube(triangles=[*CUBE, CUBE[0]]), {"crowded": 3, "duplicate": 1}, False),
    (cube(triangles=[*CUBE, CUBE[3][::-1]]), {"crowded": 3, "duplicate": 1}, False),
    (cube(triangles=[*CUBE[:5], CUBE[5][::-1], *CUBE[6:]]), {"winding": 3}, False),
    (cube(triangles=np.array(CUBE)[:, ::-1]), {"inside_out": 1}, True),
    (cube(vertices=[*CORNERS, (5, 5, 5), (6, 6, 6)]), {"unused": 2}, True),
    (cube(triangles=[*CUBE, (0, 0, 1)]), {"degenerate": 1, "crowded": 1, "border": 1}, False),
    (cube(vertices=HALF_WAY, triangles=[*CUBE[:2], (0, 8, 1), *CUBE[2:]]),
     {"degenerate": 1, "crowded": 1, "border": 2}, False),
    (soup(cube()), {"unused": 28}, True),
    (soup(cube(), 1e-7), {"cracks": 28, "border": 36}, True),
    (cube(vertices=[(np.nan, 0, 0), *CORNERS[1:]]), {"not_finite": 1}, False),
    (cube(triangles=[]), {"empty": 1, "unused": 8}, False),
]


@pytest.mark.parametrize(("mesh", "found", "usable"), FAULTS)
def test_findings(mesh, found, usable):
    report = check_mesh(mesh)
    assert kinds(mesh) == found
    assert report.usable is usable and bool(report.refused) is not usable
    lines = str(report).splitlines()
    assert len(lines) == 1 + len(found)
    assert lines[0].startswith(f"{len(mesh.vertices)} vertices, {len(mesh.triangles)} triangles, ")
    assert lines[0].endswith("not closed") is not report.closed
    for finding, line in zip(report.findings, lines[1:], strict=True):
        assert line == f"- {finding}"
        assert not finding.repair or f"repair '{finding.repair}'" in line
        assert len(finding.first) == min(finding.count, 5) or finding.kind == "empty"
    if usable:
        check_shape(mesh)
    else:
        with pytest.raises(ValueError, match="mesh"):
            check_shape(mesh)


def test_where_it_is():
    report = check_mesh(cube(triangles=CUBE[:-1]))
    assert report.findings[0].first == ((4, 5), (4, 7), (5, 7))
    assert "(4-5, 4-7, 5-7)" in str(report)


def test_a_cavity_is_not_inside_out():
    """Shells in shells: each second one is turned. A part beside, turned, is a fault."""
    shells, triangles = [], []
    for depth, side in enumerate((8.0, 6.0, 4.0, 2.0)):
        shells.append((CORNERS - 0.5) * side)
        triangles.append(np.array(CUBE)[:, ::-1 if depth % 2 else 1] + 8 * depth)
    mesh = Mesh(np.concatenate(shells), np.concatenate(triangles))
    assert kinds(mesh) == {} and volume(mesh) == pytest.approx(512 - 216 + 64 - 8)
    beside = Mesh(np.concatenate([*shells, CORNERS + 9]), np.concatenate([*triangles, np.array(CUBE)[:, ::-1] + 32]))
    assert kinds(beside) == {"inside_out": 1} and check_mesh(beside).findings[0].first == (48,)
    assert volume(repair_mesh(beside, "winding")) == pytest.approx(353.0)
    solid = Mesh(mesh.vertices, np.concatenate([np.array(CUBE)[:, ::-1] + 8 * depth for depth in range(4)]))
    assert kinds(solid) == {"inside_out": 2}  # the first and the third: the others are cavities as they should be


# ---- what is repaired ----------------------------------------------------------------------------


@pytest.mark.parametrize(("mesh", "what"), [
    (cube(triangles=CUBE[:-1]), "holes"),
    (cube(triangles=CUBE[:-2]), "holes"),
    (cube(triangles=CUBE[2:-2]), "holes"),
    (cube(triangles=[*CUBE, CUBE[0]]), "duplicate"),
    (cube(triangles=[*CUBE, CUBE[3][::-1]]), "duplicate"),
    (cube(triangles=[*CUBE[:5], CUBE[5][::-1], *CUBE[6:]]), "winding"),
    (cube(triangles=np.array(CUBE)[:, ::-1]), "winding"),
    (cube(triangles=[t[::-1] if i % 2 else t for i, t in enumerate(CUBE)]), "winding"),
    (cube(vertices=[*CORNERS, (5, 5, 5), (6, 6, 6)]), "unused"),
    (cube(triangles=[*CUBE, (0, 0, 1)]), "degenerate"),
    (soup(cube()), ("weld", "unused")),
    (soup(cube(), 1e-7), ("unused", "weld")),
])
def test_repairs(mesh, what):
    before = mesh.triangles.copy()
    assert kinds(mesh) != {}
    repaired = repair_mesh(mesh, what)
    assert kinds(repaired) == {} and volume(repaired) == pytest.approx(1.0, rel=1e-6)
    assert len(repaired.triangles) == 12
    assert np.array_equal(mesh.triangles, before)
    assert repair_mesh(repaired, what).triangles.tolist() == repaired.triangles.tolist()


def test_a_corner_on_an_edge_of_a_triangle():
    """A sliver 0-8-1 between a triangle and a neighbour that goes by the point half-way: the neighbour is split."""
    beside = [t for t in CUBE if {0, 1} <= set(t)]
    assert len(beside) == 2
    split = next(t for t in beside if (t.index(1) - t.index(0)) % 3 == 1)
    third = next(v for v in split if v > 1)
    rest = [t for t in CUBE if t != split]
    mesh = Mesh(HALF_WAY, [*rest, (0, 8, third), (8, 1, third), (0, 1, 8)])
    assert kinds(mesh) == {"degenerate": 1}
    repaired = repair_mesh(mesh, "degenerate")
    assert kinds(repaired) == {} and volume(repaired) == pytest.approx(1.0) and len(repaired.triangles) == 14
    assert set(np.unique(repaired.triangles)) == set(range(9))


def test_slivers_in_a_row():
    """Three points on the edge 0-1, on one side of it only: flat triangles fill the gap."""
    for order in itertools.permutations((8, 9, 10)):
        vertices = np.concatenate([CORNERS, [(0, 0, 0.25), (0, 0, 0.5), (0, 0, 0.75)]])
        split = next(t for t in CUBE if {0, 1} <= set(t) and (t.index(1) - t.index(0)) % 3 == 1)
        third = next(v for v in split if v > 1)
        line = [0, 8, 9, 10, 1]
        fine = [(line[i], line[i + 1], third) for i in range(4)]
        flat = []
        for corner in order[:-1]:  # ears of the flat polygon, in any order
            i = line.index(corner)
            flat.append((line[i + 1], line[i], line[i - 1]))
            line.pop(i)
        flat.append((line[2], line[1], line[0]))
        mesh = Mesh(vertices, [*(t for t in CUBE if t != split), *fine, *flat])
        assert kinds(mesh) == {"degenerate": 3}
        repaired = repair_mesh(mesh, "degenerate")
        assert kinds(repaired) == {} and volume(repaired) == pytest.approx(1.0) and len(repaired.triangles) == 18


def test_two_corners_in_one_place():
    """A triangle with two corners in one place between two others: its corners become one."""
    corner = [t for t in CUBE if 7 in t]
    vertices = np.concatenate([CORNERS, CORNERS[7:]])
    one = corner[0]
    i = one.index(7)
    near, far = one[(i + 1) % 3], 8
    triangles = [tuple(8 if v == 7 and t == one else v for v in t) for t in CUBE]
    mesh = Mesh(vertices, [*triangles, (7, far, near)])
    assert "degenerate" in kinds(mesh)
    repaired = repair_mesh(mesh, ("degenerate", "unused"))
    assert kinds(repaired) == {} and len(repaired.triangles) == 12


def test_many_triangles_turned_over():
    rng = np.random.default_rng(2)
    for mesh in (torus(30, 20), soup(torus(6, 5))):
        turned = np.where(rng.random(len(mesh.triangles))[:, None] < 0.4, mesh.triangles[:, ::-1], mesh.triangles)
        bad = Mesh(mesh.vertices, turned)
        repaired = repair_mesh(bad, ("weld", "winding"))
        assert repaired.closed and volume(repaired) == pytest.approx(volume(repair_mesh(mesh, "weld")))


def test_a_moebius_strip_stays():
    n = 20
    a = np.pi * np.arange(n) / n * 2
    points = np.stack([np.column_stack([(1 + s * np.cos(a / 2)) * np.cos(a), (1 + s * np.cos(a / 2)) * np.sin(a),
                                        s * np.sin(a / 2)]) for s in (-0.2, 0.2)], axis=1).reshape(-1, 3)
    rows = [(2 * i, 2 * i + 1, *((2 * i + 2, 2 * i + 3) if i < n - 1 else (1, 0))) for i in range(n)]
    strip = Mesh(points, [t for a, b, c, d in rows for t in ((a, b, d), (a, d, c))])
    assert kinds(strip)["winding"] == 1
    assert repair_mesh(strip, "winding") == strip


def test_holes():
    """Not convex, with corners along their sides; several; not plane; the outer border of a sheet."""
    n = 9
    grid = np.array([(x, y, 0.0) for x in range(n) for y in range(n)])
    keep = {(x, y) for x in range(n - 1) for y in range(n - 1)}
    star = {(2, 2), (3, 2), (4, 2), (2, 3), (2, 4), (5, 5)}
    cells = sorted(keep - star)
    sheet = [t for x, y in cells for a in (x * n + y,) for t in ((a, a + n, a + n + 1), (a, a + n + 1, a + 1))]
    filled = repair_mesh(Mesh(grid, sheet), "holes")
    assert kinds(filled) == {"border": 4 * (n - 1), "flat": 1}
    corners = filled.vertices[filled.triangles]
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2] / 2
    assert (areas > 0).all() and areas.sum() == pytest.approx((n - 1) ** 2)
    assert repair_mesh(filled, "holes") == filled
    for missing, border in (((0, 5), 4), ((0, 3), 0)):  # bent about an edge; two that share a corner
        bent = repair_mesh(cube(triangles=[t for i, t in enumerate(CUBE) if i not in missing]), "holes")
        assert kinds(bent) == ({"border": border} if border else {})
    ring = torus()
    assert repair_mesh(Mesh(ring.vertices, ring.triangles[:-3]), "holes").closed
    beyond = Mesh(ring.vertices, ring.triangles[3:96 + 3])
    assert kinds(repair_mesh(beyond, "holes"))["border"] > 0


def test_unknown_repair():
    with pytest.raises(ValueError, match="repair = 'wlde': must be one of weld, degenerate, duplicate, holes, winding"):
        repair_mesh(cube(), "wlde")
    with pytest.raises(ValueError, match="must be finite"):
        repair_mesh(cube(vertices=[(np.nan, 0, 0), *CORNERS[1:]]), "weld")


def test_nothing_is_repaired_unasked(tmp_path):
    path = export(tmp_path / "a.stl", as_trimesh(cube(triangles=[*CUBE[:5], CUBE[5][::-1], *CUBE[6:]])))
    with pytest.raises(ValueError, match=r"a.stl: 3 edges lie between triangles .*; repair 'winding' turns them alike"):
        load_mesh(path)
    assert load_mesh(path, repair="winding").closed and load_mesh(path, repair=["winding"]).closed
    path = export(tmp_path / "b.stl", as_trimesh(cube(triangles=CUBE[:-2])))
    assert not load_mesh(path).closed
    assert load_mesh(path, repair=("holes",)).closed


def test_a_convex_hull_of_a_file(tmp_path):
    path = export(tmp_path / "torus.stl", as_trimesh(torus()))
    hull = Polyhedron.hull_of(load_mesh(path).vertices)
    assert len(hull.surface().counts) > 20 and hull.mass_properties(1.0).mass > volume(torus())
