"""`contactlib fmu check FILE --case FOLDER`: every shipped FMU against its reference, as a user does it."""

from __future__ import annotations

import math
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from fmpy.util import read_ref_opt_file
from typer.testing import CliRunner

import contactlib
from contactlib.cli.main import app
from contactlib.fmu.check.case import check_case, read_case
from contactlib.fmu.export import export_fmu
from contactlib.model import spec
from tests.fmu_package.case_formulas import FORMULAS, ROOT

SCENES = sorted(path.parent.name for path in spec.SCENES.glob("*/scene.toml"))
RECORDED = {"cbm", "lee_snare", "lee_snare_pdgf"}  # their READMEs say what is recorded and what is not


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.filterwarnings("ignore::contactlib.MeshWarning")
def test_a_shipped_fmu_gives_its_reference(scene: str, tmp_path: Path) -> None:
    fmu = export_fmu(contactlib.load(scene).compile(), tmp_path / f"{scene}.fmu")
    done = CliRunner().invoke(app, ["fmu", "check", str(fmu), "--case", str(ROOT / scene)])
    assert done.exit_code == 0, done.output
    assert "no outputs out of tolerance" in done.stdout
    assert (scene in FORMULAS) != (scene in RECORDED)


@pytest.mark.parametrize("scene", FORMULAS)
def test_the_files_follow_from_their_formulas(scene: str) -> None:
    """To rounding: sin and cos of another C library may differ in the last bit."""
    for name, text in FORMULAS[scene]().files(scene).items():
        found = (ROOT / scene / name).read_text(encoding="utf-8").splitlines()
        assert len(found) == len(text.splitlines())
        for one, other in zip(found, text.splitlines(), strict=True):
            assert one == other or [*map(number, one.split(","))] == pytest.approx(
                [*map(number, other.split(","))], rel=1e-12, abs=1e-15, nan_ok=True
            )


def number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


@pytest.mark.parametrize("scene", SCENES)
def test_fmpy_reads_the_options(scene: str) -> None:
    (path,) = (ROOT / scene).glob("*ref.opt")
    assert read_ref_opt_file(str(path))["StopTime"] > 0.0
    assert (
        "own recording" in (ROOT / scene / "README.md").read_text(encoding="utf-8")
        or scene not in RECORDED
        or ("was\n  recorded from the Python module" in (ROOT / scene / "README.md").read_text(encoding="utf-8"))
    )


@pytest.fixture
def case(tmp_path: Path) -> Path:
    """A copy of the case of the tripod."""
    for path in (ROOT / "tripod").glob("tripod_*"):
        shutil.copy(path, tmp_path / path.name)
    return tmp_path


@pytest.fixture(scope="module")
def tripod(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export_fmu(contactlib.load("tripod").compile(), tmp_path_factory.mktemp("fmu") / "tripod.fmu")


def test_another_law_is_out_of_tolerance(tmp_path: Path) -> None:
    scene = contactlib.load("tripod")
    (law,) = scene.laws
    soft = replace(law, normal_parameters=(4e4, *law.normal_parameters[1:]))
    fmu = export_fmu(replace(scene, laws=(soft,)).compile(), tmp_path / "soft.fmu")
    done = CliRunner().invoke(app, ["fmu", "check", str(fmu), "--case", str(ROOT / "tripod")])
    assert done.exit_code == 1
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("tripod.r[3]"))
    assert line.endswith("OUT OF TOLERANCE") and "outputs out of tolerance" in done.stdout


def test_plain_names_and_other_names(case: Path, tripod: Path) -> None:
    whole = check_case(tripod, read_case(case, "tripod"))
    assert str(check_case(tripod, read_case(case))) == str(whole)
    for path in case.glob("tripod_*"):
        path.rename(path.with_name(path.name.removeprefix("tripod_")))
    assert str(check_case(tripod, read_case(case, "tripod"))) == str(whole) and whole.passed


def test_sums_gaps_and_own_tolerances(case: Path, tripod: Path) -> None:
    weight = 30.0 * 9.80665
    (case / "tripod_ref.csv").write_text(
        "time,2 * tripod.f[3] - tripod.f[3],-1e-3 * tripod.f[3] + tripod.f[1]\n"
        f"2.5,{weight!r},\n3,,{-1e-3 * weight!r}\n"
    )
    (case / "tripod_ref.opt").write_text(
        "StartTime, 0\nStopTime, 3.0\nStepSize, 1e-3\n\nRelTol, 1e-9  # rounding\nAbsTol, 1e-3\n"
        "AbsTol 2 * tripod.f[3] - tripod.f[3], 0\n"
    )
    found = check_case(tripod, read_case(case))
    assert [one.title for one in found.deviations] == [
        "2 * tripod.f[3] - tripod.f[3]",
        "-1e-3 * tripod.f[3] + tripod.f[1]",
    ]
    assert found.deviations[0].allowed == pytest.approx(1e-9 * weight)
    assert found.deviations[1].allowed == pytest.approx(1e-3, rel=1e-3)
    assert found.deviations[1].passed and [one.time for one in found.deviations] == [2.5, 3.0]


OPTIONS = "StartTime, 0\nStopTime, 1\nStepSize, 0.01\nRelTol, 0\n"


@pytest.mark.parametrize(
    ("name", "text", "part"),
    [
        ("tripod_ref.csv", None, "must have one file ref.csv or tripod_ref.csv; there is none"),
        ("tripod_ref.opt", None, "tripod_ref.opt: cannot be read"),
        ("tripod_ref.csv", "time\n0\n", "has no column besides time"),
        ("tripod_ref.csv", "t,tripod.f[3]\n0,1\n", "must have a header that begins with time"),
        ("tripod_ref.csv", "time,tripod.f[3]\n0,x\n", "line 2: could not convert"),
        ("tripod_ref.csv", "time,tripod.f[3]\n0,1,2\n", "line 2: must have 2 finite numbers"),
        ("tripod_ref.csv", "time,tripod.f[3]\n1,1\n0,1\n", "the times must be numbers that do not fall"),
        ("tripod_ref.csv", "time,tripod.f[3]\n0,\n", "column 'tripod.f[3]' has no number"),
        ("tripod_ref.csv", "time,tripod.f[3],tripod.f[3]\n0,1,1\n", "has a column twice"),
        ("tripod_ref.csv", "time,tripod.f[4]\n0,1\n", "column 'tripod.f[4]': the FMU"),
        ("tripod_ref.csv", "time,tripod.f_ext[1]\n0,1\n", "its causality is input, must be output or local"),
        ("tripod_ref.csv", "time,2 * * tripod.f[1]\n0,1\n", "must be an output or a sum"),
        ("tripod_in.csv", "time,tripod.f[3]\n0,1\n", "its causality is output, must be input or parameter"),
        ("tripod_in.csv", "time,tripod.f_ext[1]\n0,nan\n", "must have 2 finite numbers"),
        ("tripod_ref.opt", OPTIONS.replace("RelTol, 0\n", ""), "has no RelTol"),
        ("tripod_ref.opt", OPTIONS + "Tol, 1\n", "line 5: key 'Tol': must be one of AbsTol, "),
        ("tripod_ref.opt", OPTIONS.replace("0.01", "fast"), "line 3: StepSize = 'fast': must be a number"),
        ("tripod_ref.opt", OPTIONS.replace("0.01", "0"), "StepSize = 0: must be greater than 0"),
        ("tripod_ref.opt", OPTIONS.replace("pTime, 1", "pTime, 0"), "StopTime = 0: must be later than StartTime = 0"),
        ("tripod_ref.opt", OPTIONS.replace("RelTol, 0", "RelTol, -1"), "RelTol = -1: must be at least 0"),
    ],
)
def test_mistakes_are_one_sentence(case: Path, tripod: Path, name: str, text: str | None, part: str) -> None:
    if text is not None:
        (case / "tripod_ref.opt").write_text(OPTIONS)
    (case / name).unlink() if text is None else (case / name).write_text(text)
    done = CliRunner().invoke(app, ["fmu", "check", str(tripod), "--case", str(case)])
    assert done.exit_code == 1 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and part in done.stderr, done.stderr


def test_a_refused_value_is_told(case: Path, tripod: Path) -> None:
    (case / "tripod_in.csv").write_text("time,foot_ground.stiffness\n0,-1\n")
    with pytest.raises(ValueError, match=r"the run failed: .*foot_ground\.stiffness.* cannot be -1"):
        check_case(tripod, read_case(case))
    done = CliRunner().invoke(app, ["fmu", "check", str(tripod), "--case", str(case / "nothing")])
    assert done.exit_code == 1 and "there is no such folder" in done.stderr
