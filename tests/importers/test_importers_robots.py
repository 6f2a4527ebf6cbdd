"""Scenes from model files have the masses, inertias and poses of MuJoCo and trimesh."""

import re

import mujoco
import numpy as np
import pytest
import trimesh
from typer.testing import CliRunner

import contactlib
from contactlib.cli.main import app
from contactlib.importers import import_model
from contactlib.importers.convex import convex_parts
from contactlib.shapes.importers.mesh import load_mesh
from contactlib.shapes.quaternion import from_matrix, rotation_matrix
from tests.importers.robots import write_robots

# double precision; MuJoCo keeps vertices of meshes, and what it computes from them, as 4-byte floats
EXACT, FLOAT = 1e-12, 3e-7


@pytest.fixture
def folder(tmp_path):
    write_robots(tmp_path)
    return tmp_path


def imported(folder, name, **options):
    model = import_model(folder / name, folder / "scene", **options)
    return model, contactlib.load(folder / "scene")


def compiled(folder, name):
    """MuJoCo's model and data at the home position, after mj_forward."""
    m = mujoco.MjModel.from_xml_path(str(folder / name))
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    return m, d


def pose_of_shape(spec, name):
    """Position and rotation of a shape in the world, from the numbers of the scene file alone."""
    body, shape = next((b, s) for b in spec.bodies for s in b.shapes if s.name == name)
    R = rotation_matrix(body.state[3:7])
    return np.array(body.state[:3]) + R @ shape.r, R @ rotation_matrix(shape.q)


def assert_masses(spec, m, tolerance):
    """Mass, centre of mass and inertia of each body, in its own axes, beside those of the compiled MjModel."""
    for body in spec.bodies:
        peer = m.body(body.name)
        if peer.id == 0:
            continue
        properties = body.mass_properties()
        R = rotation_matrix(peer.iquat)
        assert properties.mass == pytest.approx(peer.mass[0], rel=tolerance)
        np.testing.assert_allclose(properties.com, peer.ipos, rtol=0, atol=tolerance)
        np.testing.assert_allclose(properties.inertia, R @ np.diag(peer.inertia) @ R.T, rtol=0, atol=tolerance)


def test_mjcf_has_mujocos_masses_and_poses(folder):
    _, spec = imported(folder, "robot.xml")
    m, d = compiled(folder, "robot.xml")
    assert [body.name for body in spec.bodies] == ["world", "base", "arm", "finger", "ball"]
    assert_masses(spec, m, EXACT)
    for body in spec.bodies:
        np.testing.assert_allclose(body.state[:3], d.body(body.name).xpos, rtol=0, atol=EXACT)
    for name in ("ground", "hull", "upper", "bracket", "tip", "ball"):
        p, R = pose_of_shape(spec, name)
        np.testing.assert_allclose(p, d.geom(name).xpos, rtol=0, atol=EXACT)
        np.testing.assert_allclose(R, d.geom(name).xmat.reshape(3, 3), rtol=0, atol=EXACT)
    corners = next(s.shape.corners for b in spec.bodies for s in b.shapes if s.name == "bracket")
    p, R = pose_of_shape(spec, "bracket")
    raw = trimesh.load(folder / "meshes" / "bracket.obj", process=False).convex_hull.vertices * 0.1
    X = np.eye(4)
    mujoco_R = np.zeros(9)
    quat = np.zeros(4)
    mujoco.mju_euler2Quat(quat, np.array([0.5, 0.2, 0.1]), "xyz")
    mujoco.mju_quat2Mat(mujoco_R, quat)
    X[:3, :3], X[:3, 3] = mujoco_R.reshape(3, 3), (0.3, 0.1, 0.0)
    arm = d.body("arm")
    expected = (raw @ X[:3, :3].T + X[:3, 3]) @ arm.xmat.reshape(3, 3).T + arm.xpos
    ours = corners @ R.T + p
    assert {tuple(row) for row in ours.round(6)} == {tuple(row) for row in expected.round(6)}


def test_mjcf_motions_pairs_and_friction(folder):
    model, spec = imported(folder, "robot.xml")
    motions = {body.name: body.motion for body in spec.bodies}
    assert motions == {"world": "fixed", "base": "external", "arm": "external", "finger": "external", "ball": "free"}
    pairs = {frozenset(pair.bodies) for pair in spec.pairs}
    # as MuJoCo: not parent and child, not welded bodies, not what is excluded
    assert pairs == {frozenset(pair) for pair in (("world", "base"), ("world", "arm"), ("world", "finger"),
                                                  ("world", "ball"), ("arm", "ball"), ("finger", "ball"))}
    laws = {law.materials[0]: law.friction_parameters for law in spec.laws}
    assert laws[("rubber", "surface")][0] == 0.9 and laws[("steel", "surface")][0] == 0.6  # the larger one
    text = (folder / "scene" / "scene.toml").read_text()
    for line in ("joint 'shoulder' (hinge)", "actuator 'drive'", "of body base: visual"):
        assert any(line in each for each in model.left_out) and line in text
    assert not any("bracket" in each for each in model.left_out)


def test_the_scene_pushes_along_the_tilted_floor(folder):
    """A ball of 0.1 m, 0.1 mm deep in a plane that is turned by 0.1 rad about x: k d along the plane's normal."""
    _, spec = imported(folder, "robot.xml", stiffness=2e5)
    simulation = contactlib.Simulation(spec.compile())
    normal = np.array([0.0, -np.sin(0.1), np.cos(0.1)])
    wrenches, contacts = simulation.compute({"ball": {"r": np.array([2.0, 0.0, 0.0]) + (0.1 - 1e-4) * normal}})
    assert len(contacts) == 1
    np.testing.assert_allclose(wrenches[4, :3], 2e5 * 1e-4 * normal, rtol=1e-9)


def test_merged_links_have_mujocos_fused_masses(folder):
    _, spec = imported(folder, "robot.xml", merge=True)
    text = (folder / "robot.xml").read_text().replace('angle="radian"', 'angle="radian" fusestatic="true"')
    # MuJoCo 3.3 fuses nothing in a model whose parts are named by others
    text = re.sub("<contact>.*</contact>|<actuator>.*</actuator>", "", text)
    (folder / "fused.xml").write_text(text)
    m, d = compiled(folder, "fused.xml")
    assert [body.name for body in spec.bodies] == ["world", "base", "arm", "ball"] and m.nbody == 4
    assert_masses(spec, m, FLOAT)  # MuJoCo 3.3 computes fused inertias of meshes with 4-byte floats, 4.0 does not
    p, R = pose_of_shape(spec, "tip")
    np.testing.assert_allclose(p, d.geom("tip").xpos, rtol=0, atol=EXACT)
    np.testing.assert_allclose(R, d.geom("tip").xmat.reshape(3, 3), rtol=0, atol=EXACT)


def test_urdf_has_mujocos_masses_and_poses(folder):
    """yourdfpy reads the file for us, MuJoCo's own URDF reader for the comparison."""
    model, spec = imported(folder, "robot.urdf")
    m, d = compiled(folder, "robot.urdf")
    assert [body.name for body in spec.bodies] == ["base", "arm", "finger"]
    assert all(body.motion == "external" for body in spec.bodies)
    names = {name: m.body(name) for name in ("arm", "finger")}  # MuJoCo's world is the root link
    for name, peer in names.items():
        body = spec.body(name)
        R = rotation_matrix(peer.iquat)
        assert body.mass == pytest.approx(peer.mass[0], rel=EXACT)
        np.testing.assert_allclose(body.com, peer.ipos, rtol=0, atol=EXACT)
        np.testing.assert_allclose(body.inertia, R @ np.diag(peer.inertia) @ R.T, rtol=0, atol=EXACT)
        np.testing.assert_allclose(body.state[:3], d.body(name).xpos, rtol=0, atol=EXACT)
    for name in ("hull", "tip"):
        p, R = pose_of_shape(spec, name)
        np.testing.assert_allclose(p, d.geom(name).xpos, rtol=0, atol=EXACT)
        np.testing.assert_allclose(R, d.geom(name).xmat.reshape(3, 3), rtol=0, atol=EXACT)
    shape = next(s.shape for s in spec.body("arm").shapes if s.name == "bracket")
    mesh = trimesh.load(folder / "meshes" / "bracket.obj")
    assert shape.volume == pytest.approx(mesh.volume * 1e-3, rel=1e-12) and len(shape.triangles) == len(mesh.faces)
    assert {shape.material for shape in spec.body("base").shapes} == {"steel"}
    assert any("joint 'shoulder' (revolute)" in each for each in model.left_out)


def test_urdf_inertia_is_turned_into_the_link(folder):
    """The base's inertia is given in axes that are turned by rpy = 0.3, 0.2, 0.1: R I R^T."""
    _, spec = imported(folder, "robot.urdf")
    R = trimesh.transformations.euler_matrix(0.3, 0.2, 0.1, "sxyz")[:3, :3]
    given = np.array([[0.03, 0.001, 0.002], [0.001, 0.04, 0.003], [0.002, 0.003, 0.05]])
    np.testing.assert_allclose(spec.body("base").inertia, R @ given @ R.T, rtol=0, atol=EXACT)


def test_sdf_is_the_same_robot(folder):
    """Its links have other frames than those of the URDF file, which is held against MuJoCo, but the same poses."""
    model, sdf = imported(folder, "robot.sdf")
    _, urdf = imported(folder, "robot.urdf")
    for name in ("base", "arm", "finger"):
        ours, theirs = sdf.body(name), urdf.body(name)
        assert ours.mass == theirs.mass
        for part in ("com", "inertia", "state"):
            np.testing.assert_allclose(getattr(ours, part), getattr(theirs, part), rtol=0, atol=EXACT)
    for name in ("hull", "bracket", "tip"):
        for ours, theirs in zip(pose_of_shape(sdf, name), pose_of_shape(urdf, name), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=EXACT)
    assert {frozenset(pair.bodies) for pair in sdf.pairs} == {frozenset(("base", "finger"))}
    cone = next(shape for shape in sdf.body("arm").shapes if shape.name == "cone")
    assert cone.shape.mass_properties(1.0).mass == pytest.approx(np.pi / 3, rel=1e-12)  # radius 1, length 1
    assert not any("cone" in each for each in model.left_out)
    assert {s.material for s in sdf.body("base").shapes} == {"Gazebo_Grey"}


def test_mesh_masses_of_mujoco_are_those_of_trimesh(folder):
    """The arm's bracket alone, 1000 kg/m3: MuJoCo's exact mesh inertia, taken over, beside trimesh's."""
    text = ('<mujoco><asset><mesh name="b" file="meshes/bracket.obj" scale=".1 .1 .1" inertia="exact"/></asset>'
            '<worldbody><body name="b"><freejoint/><geom type="mesh" mesh="b"/></body></worldbody></mujoco>')
    (folder / "b.xml").write_text(text)
    _, spec = imported(folder, "b.xml")
    mesh = trimesh.load(folder / "meshes" / "bracket.obj").apply_scale(0.1)
    mesh.density = 1000.0
    ours = spec.body("b").mass_properties()
    assert ours.mass == pytest.approx(mesh.mass, rel=FLOAT) and spec.body("b").motion == "free"
    np.testing.assert_allclose(ours.com, mesh.center_mass, rtol=0, atol=FLOAT)
    np.testing.assert_allclose(ours.inertia, mesh.moment_inertia, rtol=0, atol=FLOAT * mesh.mass)


@pytest.mark.parametrize(("meshes", "kinds"), [("auto", ["polyhedron"]), ("mesh", ["mesh"]), ("hull", ["polyhedron"])])
def test_what_meshes_become(folder, meshes, kinds):
    _, spec = imported(folder, "robot.xml", meshes=meshes)
    assert [s.shape.kind for s in spec.body("arm").shapes][1:] == kinds
    assert (folder / "scene" / "meshes" / "bracket.obj").exists() == (meshes == "mesh")


def test_a_mesh_without_a_valid_surface_has_a_hull(folder):
    """Two tetrahedra on one edge, which then has four triangles: no surface, but a hull of six corners."""
    (folder / "meshes" / "bracket.obj").write_text(
        "v 0 0 0\nv 0 0 1\nv 1 0 0\nv 1 1 0\nv -1 0 0\nv -1 -1 0\n"
        "f 1 4 3\nf 1 2 4\nf 1 3 2\nf 2 3 4\nf 1 6 5\nf 1 2 6\nf 1 5 2\nf 2 5 6\n")
    with pytest.raises(ValueError, match=r"mesh of .bracket.: 1 edges have more than two triangles .* --meshes hull"):
        imported(folder, "robot.urdf")
    assert not (folder / "scene").exists()
    _, spec = imported(folder, "robot.urdf", meshes="hull")
    assert len(next(s.shape.corners for s in spec.body("arm").shapes if s.name == "bracket")) == 5  # one lies inside


def test_progress_goes_to_one(folder):
    seen = []
    import_model(folder / "robot.xml", folder / "scene", progress=seen.append)
    assert seen == [0.2, 0.4, 0.6, 0.8, 1.0]


def test_a_world_without_geometry(folder):
    """A body that is fixed to the world is fixed, also if there is no body for the world."""
    text = ('<mujoco><worldbody><body name="a"><geom size="0.1"/></body><body name="b" pos="0 0 1"><freejoint/>'
            '<geom size="0.1"/></body></worldbody></mujoco>')
    (folder / "b.xml").write_text(text)
    model, spec = imported(folder, "b.xml")
    assert [(body.name, body.motion) for body in spec.bodies] == [("a", "fixed"), ("b", "free")]
    assert [set(pair.bodies) for pair in spec.pairs] == [{"a", "b"}] and model.pairs == (("a", "b"),)


def test_convex_parts_keep_the_notch(folder):
    """The L of two boxes: its parts have its volume, and a ball in the notch touches none of them."""
    pytest.importorskip("coacd")
    mesh = load_mesh(folder / "meshes" / "bracket.obj")
    parts = convex_parts(mesh)
    assert len(parts) >= 2
    volume = sum(part.mass_properties(1.0).mass for part in parts)
    # CoACD cuts along planes near the edge, and hulls add what is beside it: 5 % of the size at most
    assert volume == pytest.approx(trimesh.load(folder / "meshes" / "bracket.obj").volume, rel=0.05)
    notch, inside = np.array([2.0, 1.6, 0.5]), np.array([0.5, 1.5, 0.5])
    still = np.array([[1.0, 0, 0, 0]])
    for point, touches in ((notch, False), (inside, True)):
        found = [contactlib.manifolds(contactlib.Sphere(0.2), part, np.hstack([point[None], still]),
                                      np.hstack([np.zeros((1, 3)), still])).count[0] > 0 for part in parts]
        assert any(found) == touches
    assert convex_parts(mesh) == parts  # always the same


def test_convex_from_the_command_line(folder):
    pytest.importorskip("coacd")
    done = CliRunner().invoke(app, ["import", str(folder / "robot.urdf"), "-o", str(folder / "out"), "--convex"])
    assert done.exit_code == 0, done.output
    assert "not taken over:\n" in done.output and "joint 'shoulder' (revolute)" in done.output
    spec = contactlib.load(folder / "out")
    assert len([s for s in spec.body("arm").shapes if s.name.startswith("bracket_part")]) >= 2


def test_quaternion_of_a_matrix():
    rng = np.random.default_rng(3)
    for q in [*np.eye(4), *rng.normal(size=(100, 4))]:
        q = q / np.linalg.norm(q) * (1 if q[0] >= 0 else -1)
        found = from_matrix(rotation_matrix(q))
        assert min(np.abs(found - q).max(), np.abs(found + q).max()) < 1e-15 * 4
