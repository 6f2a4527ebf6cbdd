"""What is wrong with a model file is refused with a sentence, and nothing is written."""

import os
import random

import pytest
from typer.testing import CliRunner

from contactlib.cli.main import app
from contactlib.importers import import_model
from tests.importers.robots import MJCF, SDF, URDF, write_robots

BOMB = '<!DOCTYPE robot [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
INERTIA = '<inertia ixx="0.03" iyy="0.04" izz="0.05"'


@pytest.mark.parametrize(("name", "text", "says"), [
    ("a.urdf", BOMB + URDF, "the file declares a document type, which may define entities that multiply: remove it"),
    ("a.xml", BOMB.replace("robot", "mujoco") + MJCF, "declares a document type"),
    ("a.sdf", "<sdf", "the file cannot be read: "),
    ("a.urdf", "<html/>", r"root element = 'html': must be robot \(URDF\), mujoco \(MJCF\) or sdf \(SDF\)"),
    ("a.urdf", URDF.replace("meshes/bracket", "../bracket"),
     "link 'arm', collision 0: the file '../bracket.obj' was not found below the folder .*: put it there"),
    ("a.urdf", URDF.replace("meshes/bracket.obj", "meshes/arm.dae"), "the file 'meshes/arm.dae' was not found"),
    ("a.urdf", URDF.replace("meshes/bracket.obj", "floor.xml"), "'floor.xml' has a format that is not read"),
    ("a.urdf", URDF.replace('value="3"', 'value="-3"'), "link 'base': mass = -3 kg: .* greater than zero"),
    ("a.urdf", URDF.replace(INERTIA, INERTIA.replace("0.03", "3")), "link 'base': its inertia .* none exceeds the sum"),
    ("a.urdf", URDF.replace('<box size="0.2 0.4 0.3"/>', '<box size="0.2 x 0.3"/>'), "yourdfpy cannot read it"),
    ("a.urdf", URDF.replace('<box size="0.2 0.4 0.3"/>', '<box size="0.2 -0.4 0.3"/>'), "size"),
    ("a.urdf", URDF.replace('scale="0.1 0.1 0.1"', 'scale="0.1 0 0.1"'), "scale = .* must be finite and not zero"),
    ("a.urdf", URDF.replace("<mu1>0.4", "<mu1>much"), "friction = 'much': must be a finite number of at least 0"),
    ("a.urdf", '<robot name="r"><link name="a"/></robot>', "no link has collision geometry .* nothing to touch"),
    ("a.xml", MJCF.replace('file="bracket.obj"', 'file="../../bracket.obj"'), "'../../bracket.obj' lies outside"),
    ("a.xml", MJCF.replace('file="floor.xml"', 'file="/etc/passwd"'), "the file '/etc/passwd' lies outside the folder"),
    ("a.xml", MJCF.replace('meshdir="meshes"', 'meshdir="/usr"'), "lies outside the folder"),
    ("a.xml", MJCF.replace('class="rubber"/>', 'class="tin"/>', 1), "MuJoCo refuses it: .*tin"),
    ("a.sdf", SDF.replace("<self_collide>", "<include><uri>model://arm</uri></include><self_collide>"),
     "includes 'model://arm': write a file without includes with `gz sdf -p FILE`"),
    ("a.sdf", SDF.replace('relative_to="base"', 'relative_to="foot"'), "model 'robot' has no frame 'foot'"),
    ("a.sdf", SDF.replace('relative_to="base"', 'relative_to="elbow"'), "relative to each other in a circle"),
    ("a.sdf", SDF.replace("<mass>3", "<mass>three"), "<mass> = 'three': must be 1 finite number"),
    ("a.sdf", SDF.replace("0.2 0.4 0.3</size>", "0.2 0.4</size>"), "link 'base', collision 'hull': <size> = '0.2 0.4'"),
    ("a.sdf", SDF.replace("<parent>arm", "<parent>leg"), "joint 'weld': there is no link 'leg' in model 'robot'"),
    ("a.sdf", SDF.replace("<parent>base", "<parent>finger"), "the joints of link 'arm' make a circle"),
    ("a.urdf", URDF.replace('parent link="base"', 'parent link="finger"'), "yourdfpy cannot read it|make a circle"),
    ("a.urdf", URDF.replace('filename="meshes/bracket.obj" ', ""), "a mesh with a filename must stand there"),
    ("a.urdf", URDF.replace('<sphere radius="0.05"/>', "<sphere/>"), "yourdfpy cannot read it|is missing"),
    ("a.sdf", "<sdf version='1.9'/>", "has no <model>"),
    ("a.sdf", "<sdf>" + "<model name='m'>" * 5000 + "</model>" * 5000 + "</sdf>", "nested"),
])
def test_refusals(tmp_path, name, text, says):
    (tmp_path / "model").mkdir()
    write_robots(tmp_path / "model")
    (tmp_path / "model" / name).write_text(text)
    (tmp_path / "bracket.obj").write_text("f 1 2 3")
    with pytest.raises(ValueError, match=says) as error:
        import_model(tmp_path / "model" / name, tmp_path / "out")
    assert name in str(error.value) and not (tmp_path / "out").exists()


@pytest.mark.parametrize(("options", "says"), [
    ({"meshes": "cubes"}, "meshes = 'cubes': must be"), ({"stiffness": 0.0}, "stiffness = 0.0: must be")])
def test_bad_options(tmp_path, options, says):
    write_robots(tmp_path)
    with pytest.raises(ValueError, match=says):
        import_model(tmp_path / "robot.urdf", tmp_path / "out", **options)


def test_included_files_are_checked_too(tmp_path):
    """A file that an included file names: the include itself lies in the folder."""
    write_robots(tmp_path)
    (tmp_path / "floor.xml").write_text('<mujoco><asset><mesh name="x" file="/etc/hostname"/></asset></mujoco>')
    with pytest.raises(ValueError, match="the file '/etc/hostname' lies outside the folder"):
        import_model(tmp_path / "robot.xml", tmp_path / "out")


def test_a_link_out_of_the_folder_is_refused(tmp_path):
    (tmp_path / "model").mkdir()
    write_robots(tmp_path / "model")
    mesh = tmp_path / "model" / "meshes" / "bracket.obj"
    mesh.rename(tmp_path / "bracket.obj")
    mesh.symlink_to(tmp_path / "bracket.obj")
    for name in ("robot.urdf", "robot.xml", "robot.sdf"):
        with pytest.raises(ValueError, match="folder"):
            import_model(tmp_path / "model" / name, tmp_path / "out")
        import_model(tmp_path / "model" / name, tmp_path / "out", root=tmp_path)
        import_model(tmp_path / "model" / name, tmp_path / "out", outside=True)
        assert (tmp_path / "out" / "scene.toml").exists()
        for path in sorted((tmp_path / "out").rglob("*.*")):
            path.unlink()


def test_packages_are_sought_above_the_file(tmp_path):
    """The usual layout of ROS: robot/urdf/robot.urdf names package://robot/meshes/bracket.obj."""
    (tmp_path / "robot").mkdir()
    write_robots(tmp_path / "robot")
    (tmp_path / "robot" / "urdf").mkdir()
    file = tmp_path / "robot" / "urdf" / "a.urdf"
    file.write_text(URDF.replace("meshes/bracket.obj", "package://robot/meshes/bracket.obj"))
    with pytest.raises(ValueError, match="name a folder above both with --root"):
        import_model(file, tmp_path / "out")
    import_model(file, tmp_path / "out", root=tmp_path / "robot")
    assert (tmp_path / "out" / "meshes" / "bracket.obj").exists()


def test_the_command_line_says_it_in_one_sentence(tmp_path):
    write_robots(tmp_path)
    (tmp_path / "bad.urdf").write_text("<robot")
    done = CliRunner().invoke(app, ["import", str(tmp_path / "bad.urdf"), "-o", str(tmp_path / "out")])
    assert done.exit_code == 1 and done.output.startswith("contactlib: ") and done.output.count("\n") == 1
    done = CliRunner().invoke(app, ["import", str(tmp_path / "none.urdf")])
    assert done.exit_code == 1 and "No such file" in done.output


@pytest.mark.parametrize(("name", "text"), [("a.xml", MJCF), ("a.urdf", URDF), ("a.sdf", SDF)])
def test_a_damaged_file_is_refused_or_read(tmp_path, name, text):
    """Random damage: a scene or a ValueError, no other error. Seeds are fixed, so a failure can be repeated."""
    write_robots(tmp_path)
    rng, results = random.Random(19), set()
    for _ in range(120 * int(os.environ.get("CONTACTLIB_SOAK", "1"))):
        (tmp_path / name).write_text(damaged(text, rng))
        try:
            import_model(tmp_path / name, tmp_path / "out")
            results.add("a scene")
        except ValueError as error:
            assert str(error).startswith(str(tmp_path / name))
            results.add("refused")
    assert results == {"a scene", "refused"}


def damaged(text, rng):
    """A text with some of its characters deleted, replaced or repeated."""
    letters = list(text)
    for _ in range(rng.choice((1, 1, 2, 5))):
        i, how = rng.randrange(len(letters)), rng.random()
        if how < 0.3:
            del letters[i:i + rng.randrange(1, 30)]
        elif how < 0.7:
            letters[i] = rng.choice('0123456789.-e"<>/ abcxyz')
        else:
            j = rng.randrange(len(letters))
            letters[i:i] = letters[j:j + rng.randrange(1, 20)]
    return "".join(letters)
