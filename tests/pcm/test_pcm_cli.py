"""`contactlib pcm`: its commands with good input and with bad."""

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from contactlib import load, pcm
from contactlib.cli.main import app

FOLDER = Path(__file__).parent
SOFT = "ContactType   soft = DefaultContact;\n"
PAIR = "SurfacePair   Normal * Glass -> soft;\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A scene and its file, which says nothing that the scene needs, in the present folder."""
    shutil.copy(FOLDER / "scene.toml", tmp_path)
    (tmp_path / "feet.pcm").write_text(SOFT + PAIR)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def command(*arguments):
    return CliRunner().invoke(app, ["pcm", *map(str, arguments)])


def test_check(folder):
    result = command("check", "feet.pcm")
    assert result.exit_code == 0
    assert result.output == "feet.pcm: 1 contact types, 1 pairs of surfaces, 0 pairs of objects\n"
    (folder / "feet.pcm").write_text(SOFT)
    result = command("check", "feet.pcm")
    assert result.exit_code == 0 and "feet.pcm: note: no pair uses the contact type 'soft'\n" in result.output


def test_check_says_all_that_is_wrong(folder):
    (folder / "bad.pcm").write_text("SurfacePair a * b -> soft;\nContactType x = y\n")
    result = command("check", "bad.pcm")
    assert result.exit_code == 1 and result.stdout == ""
    assert result.stderr == """\
bad.pcm:1:22: there is no contact type 'soft'; known: x
    SurfacePair a * b -> soft;
                         ^
bad.pcm:2:18: the statement stops here: expected '[{' or ';'
    ContactType x = y
                     ^
"""


def test_check_over_a_scene(folder):
    """The file of the scene itself, or another beside it."""
    assert command("check", "feet.pcm", "--scene", "scene.toml").exit_code == 0
    (folder / "more.pcm").write_text("ContactType hard = DefaultContact;\nObjectPair FrontRightFoot * Wall -> hard;")
    result = command("check", "more.pcm", "--scene", folder)
    assert result.exit_code == 1 and "more.pcm:2:29: there is no object 'Wall' in the scene; known:" in result.stderr
    (folder / "more.pcm").write_text("ContactType hard = DefaultContact;\nSurfacePair Glass * Normal -> hard;")
    result = command("check", "more.pcm", "--scene", folder)
    assert "more.pcm:2:1: the scene has a law 'soft' for these two surfaces: assign a law in" in result.stderr
    (folder / "feet.pcm").write_text(SOFT)
    result = command("check", "feet.pcm", "--scene", folder)  # a scene that lacks a law does not compile
    assert result.exit_code == 1 and "there is no law for the materials" in result.stderr


def test_format(folder):
    assert command("format", "feet.pcm", "--check").output == "feet.pcm: is formatted already\n"
    (folder / "feet.pcm").write_bytes(b"\xef\xbb\xbfContactType soft=DefaultContact;\r\n")
    result = command("format", "feet.pcm", "--check")
    assert result.exit_code == 1 and result.stderr == (
        "contactlib: feet.pcm: is not formatted: run `contactlib pcm format feet.pcm`\n")
    assert command("format", "feet.pcm").output == "feet.pcm: formatted\n"
    assert (folder / "feet.pcm").read_bytes() == SOFT.encode()
    (folder / "feet.pcm").write_text("ContactType")
    result = command("format", "feet.pcm")
    assert result.exit_code == 1 and "feet.pcm:1:12: the statement stops here" in result.stderr
    assert (folder / "feet.pcm").read_text() == "ContactType"


def test_write(folder):
    result = command("write", "peg_in_hole")
    assert result.output == pcm.written(load("peg_in_hole"))
    assert command("write", "peg_in_hole", "-o", "peg.pcm").output == "wrote peg.pcm\n"
    assert (folder / "peg.pcm").read_text() == result.output
    assert command("check", "peg.pcm").exit_code == 0


def test_files_that_are_not_there(folder):
    for name in ("check", "format"):
        result = command(name, "nothing.pcm")
        assert result.exit_code == 1 and result.stderr == "contactlib: nothing.pcm: No such file or directory\n"


def test_other_commands_say_it_too(folder):
    (folder / "feet.pcm").write_text("SurfacePair Normal * Glass -> soft;\n")
    result = CliRunner().invoke(app, ["show", "scene.toml"])
    assert result.exit_code == 1 and result.stderr.startswith("feet.pcm:1:31: there is no contact type 'soft'")
    (folder / "feet.pcm").write_text(SOFT + PAIR)
    result = CliRunner().invoke(app, ["show", "scene.toml"])
    assert result.exit_code == 0 and "soft           'Normal' on 'Glass'" in result.output


def test_mistakes_of_the_file_and_against_its_scene_come_together(tmp_path):
    """As docs/pcm.md shows it: an unknown model in line 1, a material that no shape has in line 2."""
    file = tmp_path / "feet.pcm"
    file.write_text("ContactType C1 = SprngContact [{ K=1000; }];\nSurfacePair Normal * Glas -> C1;\n")
    result = CliRunner().invoke(app, ["pcm", "check", str(file), "--scene", "peg_in_hole"])
    assert result.exit_code == 1
    assert "feet.pcm:1:" in result.output and "did you mean 'SpringContact'?" in result.output
    assert "feet.pcm:2:" in result.output and "no shape is made of 'Glas'" in result.output
