"""`contactlib hash`: the recorded table, the signals behind it, and hosts that give the same bytes."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import contactlib
from contactlib.cli.main import app
from contactlib.fmu import hashes
from contactlib.fmu.excitation import STEPS, Draws, excitation, settings
from tests.platforms import rows
from tests.platforms.cases import Case, Unavailable, make_cases

SCENES = hashes.shipped_scenes()
pytestmark = pytest.mark.filterwarnings("ignore::contactlib.model.mesh_checks.SceneWarning")


def command(*arguments: object):
    return CliRunner().invoke(app, ["hash", *map(str, arguments)])


def outputs_of(folder: Path, scene: str) -> tuple[np.ndarray, np.ndarray]:
    """Real and integer outputs (steps, variables) from the files of `contactlib hash --out`."""
    model = contactlib.Model.from_bytes((folder / "model.bin").read_bytes())
    signals = excitation(model, scene)
    reals, integers = len(signals.real_outputs), len(signals.integer_outputs)
    row = np.dtype([("reals", "<f8", reals), ("integers", "<i4", integers)])
    table = np.frombuffer((folder / "outputs.bin").read_bytes(), row)
    assert len(table) == STEPS
    return table["reals"], table["integers"]


@pytest.mark.parametrize("scene", SCENES)
def test_this_machine_has_the_recorded_hash_and_the_bodies_touch(scene: str, tmp_path: Path):
    found = hashes.scene_hash(scene, out=tmp_path)
    assert hashes.difference(found, hashes.recorded()) == ""
    reals, _ = outputs_of(tmp_path, scene)
    model = contactlib.load(scene).compile()
    signals = excitation(model, scene)
    wrenches = [k for k, i in enumerate(signals.real_outputs) if ".f[" in model.variables[i].name]
    loaded = (reals[:, wrenches] != 0).any(axis=1).mean()
    assert loaded > 0.1, "a hash of bodies that do not touch proves little"
    changes = (np.diff(reals, axis=0) != 0).any(axis=1).mean()
    assert changes > 0.75


def test_the_table_has_all_scenes():
    assert list(hashes.recorded()) == SCENES
    assert len({row.outputs for row in hashes.recorded().values()}) == len(SCENES)


def test_eight_threads_have_one_hash():
    assert hashes.scene_hash("lee_snare", threads=8) == hashes.recorded()["lee_snare"]


# ---- the signals -------------------------------------------------------------------------------------------------


def test_states_have_their_true_velocities():
    """v and w are the derivatives of r and q. Differences over a step h err by h, and by more at the waves' joints."""
    model = contactlib.load("peg_in_hole").compile()
    steps = 20_000
    signals = excitation(model, "peg_in_hole", steps)
    h = signals.step
    for states in (signals.rows[:, :13], signals.rows[:, 13:26]):
        r, q, v, w = states[:, :3], states[:, 3:7], states[:, 7:10], states[:, 10:]
        assert np.abs((q * q).sum(axis=1) - 1).max() < 1e-6  # the scene's start is rounded to 8 digits
        middle = (v[1:] + v[:-1]) / 2
        assert np.abs(np.diff(r, axis=0) / h - middle).max() < 1e-3 * np.abs(v).max()
        rate = np.diff(q, axis=0) / h
        a, b = q[:-1], rate  # w = 2 q' q*
        turn = 2 * (a[:, :1] * b[:, 1:] - b[:, :1] * a[:, 1:] - np.cross(b[:, 1:], a[:, 1:]))
        assert np.abs(turn - (w[1:] + w[:-1]) / 2).max() < 1e-3 * np.abs(w).max()


def test_draws_are_those_of_the_published_generator():
    """X(n+1) = 1664525 X(n) + 1013904223 mod 2^32 from X = 0 (Numerical Recipes, 1992, section 7.1)."""
    draws = Draws(0)
    assert [int(draws() * 2**32) for _ in range(4)] == [0x3C6EF35F, 0x47502932, 0xD1CCF6E9, 0xAAF95334]


def test_settings_refuse_an_unknown_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "excitation.toml"
    file.write_text("[cbm]\nreech = 0.1\n")
    monkeypatch.setattr("contactlib.fmu.excitation.SETTINGS", file)
    with pytest.raises(ValueError, match=r"cbm\.reech: unknown key.*reach"):
        settings()


def test_the_file_of_inputs_is_as_documented(tmp_path: Path):
    model = contactlib.load("lee_snare").compile()
    signals = excitation(model, "lee_snare")
    content = signals.to_bytes()
    magic, guid, steps, *counts, h = struct.unpack_from("<8s40s5I4xd", content)
    assert (magic, guid.rstrip(b"\0").decode()) == (b"CLINPUT1", model.guid)
    assert (steps, h) == (STEPS, model.duration / STEPS)
    reals, integers, real_outputs, integer_outputs = counts
    assert (reals, integers) == (31, 1)
    end = 80 + 4 * (reals + 2 * integers + real_outputs + integer_outputs)
    assert len(content) == end + 8 * steps * reals
    assert np.frombuffer(content[end:], "<f8").tobytes() == signals.rows.tobytes()


# ---- the command -------------------------------------------------------------------------------------------------


def test_command_prints_a_line_of_the_table():
    result = command("tripod", "--check")
    assert result.exit_code == 0
    assert result.stdout == f"{hashes.recorded()['tripod']}  as recorded\n"


@pytest.mark.parametrize(("column", "sentence"), [(1, "the compiled model is"), (2, "the outputs are")])
def test_check_fails_where_a_hash_differs(column, sentence, tmp_path, monkeypatch):
    words = str(hashes.recorded()["tripod"]).split()
    words[column] = words[column][::-1]
    (tmp_path / "hashes.txt").write_text(" ".join(words) + "\n")
    monkeypatch.setattr(hashes, "TABLE", tmp_path / "hashes.txt")
    result = command("tripod", "--check")
    assert result.exit_code == 1
    assert "DIFFERS" in result.stdout
    assert result.stderr.startswith("contactlib: 1 of 1 hashes differ: tripod: ") and sentence in result.stderr


def test_check_fails_for_a_scene_that_the_table_lacks(tmp_path, monkeypatch):
    (tmp_path / "hashes.txt").write_text(f"{hashes.recorded()['cbm']}\n")
    monkeypatch.setattr(hashes, "TABLE", tmp_path / "hashes.txt")
    result = command("tripod", "--check")
    assert result.exit_code == 1 and "the table has no such scene; it has cbm" in result.stderr


def test_a_table_with_a_broken_line_names_it(tmp_path):
    (tmp_path / "hashes.txt").write_text("tripod 12\n")
    with pytest.raises(ValueError, match="line 1 has 2 words: must be SCENE MODEL OUTPUTS"):
        hashes.recorded(tmp_path / "hashes.txt")


# ---- hosts -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> list[Case]:
    return make_cases(["peg_in_hole", "cbm", "trampoline"], tmp_path_factory.mktemp("cases"))


@pytest.mark.parametrize("name", [row.name for row in rows.ROWS if not row.builds])
def test_hosts_that_need_no_build(name: str, cases: list[Case]):
    row = next(row for row in rows.ROWS if row.name == name)
    try:
        found = row.run(cases)
    except Unavailable as error:
        pytest.skip(str(error))
    assert found == {case.scene: case.expected for case in cases}
