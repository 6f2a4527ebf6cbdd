"""The command line: every command with good input and with bad, and the coupling behind `fmu run`."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import contactlib
from contactlib.cli.main import Progress, app
from contactlib.fmu.export import export_fmu
from contactlib.fmu.master import ContactFmu, CouplingError, couple, mass_properties
from contactlib.report.run_report import join, thin
from contactlib.simulation import rigid_body

BALL = """
[scene]
name = "ball"
gravity = [0, 0, -9.81]
step_size = 1e-3
duration = 0.2

[[body]]
name = "ball"
state = { r = [0, 0, 0.11] }
[[body.shape]]
name = "skin"
kind = "sphere"
radius = 0.1
density = 1000
material = "rubber"

[[body]]
name = "ground"
[[body.shape]]
name = "top"
kind = "plane"
material = "floor"

[[law]]
name = "bounce"
materials = ["rubber", "floor"]
normal = { kind = "hunt_crossley", stiffness = 1e5, exponent = 1.5, damping = 0.1 }

[[pair]]
bodies = ["ball", "ground"]
"""
RESULTS = ("result.clr", "trajectory.csv", "trajectory.png", "report.html")


def contact(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(a) for a in arguments])


def fails(*arguments: object) -> str:
    """The one sentence on stderr with which a command refuses."""
    result = contact(*arguments)
    assert result.exit_code == 1, result.output
    assert isinstance(result.exception, SystemExit)
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("contactlib: "), result.stderr
    return lines[0]


@pytest.fixture
def ball(tmp_path: Path) -> Path:
    path = tmp_path / "ball.toml"
    path.write_text(BALL)
    return path


@pytest.fixture(scope="module")
def fmu(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export_fmu(contactlib.load("peg_in_hole").compile(), tmp_path_factory.mktemp("fmu") / "peg.fmu")


# ---- show ----------------------------------------------------------------------------------------


def test_show_fits_one_screen_and_names_everything():
    result = contact("show", "peg_in_hole")
    assert result.exit_code == 0
    spec = contactlib.load("peg_in_hole")
    for text in (
        "interface",
        "4 x capsule",
        "hole_1 .. hole_4",
        "kelvin_voigt",
        "capsule-socket",
        "10 kg",
        "27 inputs",
        spec.compile().hash,
    ):
        assert text in result.stdout
    assert len(result.stdout.splitlines()) <= 30
    assert max(map(len, result.stdout.splitlines())) <= 132


def test_show_compares_the_volumes_along_a_run(tmp_path: Path):
    """Twenty states in which the rings come closer: tests are counted for every kind, the candidates are the same."""
    assert contact("run", "docking_ring", "-o", tmp_path, "--duration", 0.04).exit_code == 0
    result = contact("show", "docking_ring", "--cost", "--along", tmp_path / "trajectory.csv")
    assert result.exit_code == 0
    assert "over 21 states" in result.stdout
    rows = [line.split() for line in result.stdout.splitlines()[-5:]]
    assert [row[0] for row in rows] == ["as", "auto", "sphere", "aabb", "obb"]
    tests = {row[0]: float(row[-4]) for row in rows}
    assert 0 < tests["aabb"] <= tests["sphere"]
    assert "must be a trajectory.csv of this scene" in fails("show", "tripod", "--along", tmp_path / "trajectory.csv")


def test_show_takes_a_file_and_a_folder(ball: Path):
    assert "sphere-plane" in contact("show", ball).stdout
    ball.rename(ball.with_name("scene.toml"))
    assert "no mass" in contact("show", ball.parent).stdout


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("[scene\nname=", "not a TOML file"),
        ("\xff\xfe", "not a TOML file"),
        (
            BALL.replace("radius = 0.1", "radius = -0.1"),
            "radius = -0.1: must be a finite number greater than 0",
        ),
        (BALL.replace("gravity", "gravty"), "did you mean 'gravity'?"),
        (BALL.replace('"floor"]', '"flour"]'), "did you mean 'floor'?"),
        (BALL.replace("duration = 0.2", "duration = 0"), "scene.duration = 0"),
    ],
)
def test_a_broken_scene_is_one_sentence(tmp_path: Path, content: str, part: str):
    path = tmp_path / "scene.toml"
    path.write_bytes(content.encode("latin-1"))
    assert part in fails("show", path)


def test_a_scene_that_is_not_there_gets_a_hint(tmp_path: Path):
    assert "did you mean 'peg_in_hole'?" in fails("show", "peg_in_hol")
    assert "no such file" in fails("run", tmp_path / "none.toml")
    assert "no such file" in fails("fmu", "export", tmp_path)


# ---- run -----------------------------------------------------------------------------------------


def test_run_writes_a_table_a_picture_and_a_report(ball: Path, tmp_path: Path):
    out = tmp_path / "deep" / "out"
    result = contact("run", ball, "-o", out)
    assert result.exit_code == 0, result.stderr
    assert (
        "first contact" in result.stdout
        and "Energy dissipated" in result.stdout
        and "balance" not in result.stdout
    )
    assert sorted(p.name for p in out.iterdir()) == sorted(RESULTS)
    rows = np.genfromtxt(out / "trajectory.csv", delimiter=",", names=True, deletechars="")
    assert rows.dtype.names[:4] == ("time", "ball.r[1]", "ball.r[2]", "ball.r[3]")
    assert len(rows) == 201 and rows["contact.count"].max() == 1
    page = (out / "report.html").read_text()
    assert "data:image/png;base64," in page and 'src="http' not in page and contactlib.__version__ in page


def test_run_takes_step_duration_and_method(ball: Path, tmp_path: Path):
    options = ("--dt", 5e-4, "--duration", 0.01, "--integrator", "rk4")
    assert contact("run", ball, "-o", tmp_path, *options).exit_code == 0
    rows = np.genfromtxt(tmp_path / "trajectory.csv", delimiter=",", names=True, deletechars="")
    assert len(rows) == 21
    fall = rows["ball.r[3]"] - 0.11 + 9.81 / 2 * rows["time"] ** 2
    assert np.abs(fall).max() < 1e-9  # the columns have ten digits, and rk4 is exact in free fall


def test_long_runs_are_joined_without_a_seam():
    spec = contactlib.load("peg_in_hole").with_motion("free", "interface", "target")
    one, other = (contactlib.Simulation(spec.compile()) for _ in range(2))
    whole = one.run(0.8, 1e-3, every=3)
    parts = join(
        [other.run(0.3, 1e-3, every=3), other.run(0.3, 1e-3, every=3), other.run(0.2, 1e-3, every=3)]
    )
    assert np.array_equal(whole.states, parts.states) and np.array_equal(whole.wrenches, parts.wrenches)
    assert thin(whole, 100).time[-1] == whole.time[-1]


def test_run_without_matplotlib_says_so_and_goes_on(
    ball: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = contact("run", ball, "-o", tmp_path / "out")
    assert result.exit_code == 0 and "pip install contactlib[plot]" in result.stderr
    assert not (tmp_path / "out" / "trajectory.png").exists()


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (("--dt", "0"), "dt = 0: must be finite and greater than zero"),
        (("--duration", "nan"), "duration = nan"),
        (("--duration", "-1"), "duration = -1"),
        (("--integrator", "rk5"), "did you mean 'rk4'?"),
        (("--fixed", "bal"), "did you mean 'ball'?"),
        (("--fixed", "ball"), "nothing can move"),
    ],
)
def test_run_refuses_in_one_sentence(ball: Path, options: tuple[str, str], part: str):
    assert part in fails("run", ball, *options)


@pytest.mark.parametrize("command", [("run",), ("fmu", "run"), ("fmu", "export")])
def test_output_that_cannot_be_written(command: tuple[str, ...], ball: Path, fmu: Path):
    out = ball / "below_a_file.fmu"
    subject = fmu if command == ("fmu", "run") else ball
    options = ("--duration", 0.01) if command[-1] == "run" else ()
    assert f"{out}: Not a directory" in fails(*command, subject, "-o", out, *options)


# ---- fmu -----------------------------------------------------------------------------------------


def test_fmu_export_info_run(ball: Path, tmp_path: Path):
    for flags, name in (((), "native"), (("--flat",), "flat"), (("--pythonfmu",), "python")):
        path = tmp_path / f"{name}.fmu"
        result = contact("fmu", "export", ball, "-o", path, *flags)
        assert result.exit_code == 0, result.stderr
        assert str(path) in result.stdout
        info = contact("fmu", "info", path).stdout
        assert "27 inputs" in info and "N.s/m" not in info and "m/s" in info
        out = tmp_path / name
        result = contact("fmu", "run", path, "-o", out, "--duration", 0.05, "--dt", 1e-3)
        assert result.exit_code == 0, result.stderr
        assert sorted(p.name for p in out.iterdir()) == sorted(RESULTS)
    tables = {(tmp_path / name / "trajectory.csv").read_text() for name in ("native", "flat", "python")}
    assert len(tables) == 1


def test_fmu_files_that_are_none(tmp_path: Path, fmu: Path):
    text, empty = tmp_path / "text.fmu", tmp_path / "empty.fmu"
    text.write_text("not a zip file")
    with zipfile.ZipFile(empty, "w") as archive:
        archive.writestr("readme.txt", "nothing")
    for command in ("info", "run"):
        assert "not an FMU" in fails("fmu", command, text)
        assert "not an FMU" in fails("fmu", command, empty)
        assert "no" in fails("fmu", command, tmp_path / "missing.fmu").lower()


@pytest.mark.parametrize(
    ("leave_out", "part"),
    [
        ("resources/model.bin", "made by contactlib"),
        ("binaries/linux64/peg_in_hole.so", "cannot be started"),
    ],
)
def test_an_fmu_with_something_missing(tmp_path: Path, fmu: Path, leave_out: str, part: str):
    assert part in fails("fmu", "run", repacked(fmu, tmp_path / "less.fmu", {leave_out: None}))


def test_an_fmu_with_a_damaged_scene(tmp_path: Path, fmu: Path):
    content = bytearray(zipfile.ZipFile(fmu).read("resources/model.bin"))
    content[len(content) // 2] ^= 1
    path = repacked(fmu, tmp_path / "bad.fmu", {"resources/model.bin": bytes(content)})
    assert "damaged" in fails("fmu", "run", path)


def repacked(fmu: Path, path: Path, changes: dict[str, bytes | None]) -> Path:
    with zipfile.ZipFile(fmu) as source, zipfile.ZipFile(path, "w") as target:
        for name in source.namelist():
            content = changes.get(name, source.read(name))
            if content is not None:
                target.writestr(name, content)
    return path


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (("--dt", "-1"), "dt = -1: must be finite and greater than zero"),
        (("--fixed", "targt"), "did you mean 'target'?"),
        (("--fixed", "target", "--fixed", "interface"), "no body can move"),
        (("--integrator", "euler"), "must be one of semi_implicit_euler, rk4"),
    ],
)
def test_fmu_run_refuses_in_one_sentence(fmu: Path, options: tuple[str, ...], part: str):
    assert part in fails("fmu", "run", fmu, *options)


def test_fmu_export_refuses_names_and_flags_that_do_not_go(tmp_path: Path):
    assert "must end in .fmu" in fails("fmu", "export", "peg_in_hole", "-o", tmp_path / "peg.zip")
    assert "exclude each other" in fails("fmu", "export", "peg_in_hole", "--flat", "--pythonfmu")


# ---- the rest ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command", [(), ("show",), ("run",), ("fmu",), ("fmu", "export"), ("fmu", "info"), ("fmu", "run")]
)
def test_every_command_has_help(command: tuple[str, ...]):
    result = contact(*command, "--help")
    assert result.exit_code == 0 and "Usage: " in result.stdout and len(result.stdout) > 200


def test_from_a_shell():
    """A fresh process: only the sentence on stderr, and neither matplotlib nor fmpy to show a scene."""
    start = "import sys; from contactlib.cli.main import app; app(sys.argv[1:], standalone_mode=False); "
    check = "assert not {'matplotlib', 'fmpy', 'pythonfmu'} & set(sys.modules)"
    shown = subprocess.run(
        [sys.executable, "-c", start + check, "show", "peg_in_hole"], capture_output=True, text=True
    )
    assert shown.returncode == 0 and "capsule-socket" in shown.stdout, shown.stderr
    run = "from contactlib.cli.main import app; app(prog_name='contactlib')"
    wrong = subprocess.run([sys.executable, "-c", run, "show", "nothing"], capture_output=True, text=True)
    assert wrong.returncode == 1 and wrong.stdout == ""
    assert wrong.stderr.startswith("contactlib: ") and wrong.stderr.count("\n") == 1
    version = subprocess.run([sys.executable, "-c", run, "--version"], capture_output=True, text=True)
    assert version.stdout == f"contactlib {contactlib.__version__}\n"


def test_progress_shows_only_when_it_takes_long(capsys: pytest.CaptureFixture[str]):
    progress = Progress("working")
    progress(0.1)
    assert capsys.readouterr().err == ""
    progress.start -= 10
    progress(0.5)
    assert capsys.readouterr().err == "working:  50%, about 10 s left\n"


# ---- the master ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "load"),
    [
        ("semi_implicit_euler", (0.3, -0.1, 0.2, 0.01, 0.02, -0.03)),
        ("rk4", (0, 0, 0, 0.01, 0.02, -0.03)),  # a force of a whole step would need its point to move along
    ],
)
def test_the_plant_moves_as_the_core_does(method: str, load: tuple[float, ...]):
    start = {
        "r": (0.1, -0.2, 5.0),
        "q": (0.5, 0.5, -0.5, 0.5),
        "v": (0.01, 0.02, -0.03),
        "w": (0.3, -0.4, 0.2),
    }
    body = {
        "name": "lone",
        "motion": "free",
        "mass": 3.0,
        "inertia": [0.1, 0.2, 0.25],
        "com": [0.1, 0.0, -0.2],
    }
    spec = contactlib.Spec.from_dict(
        {"scene": {"name": "x", "integrator": method}, "body": [{**body, "state": start}]}
    )
    simulation = contactlib.Simulation(spec.compile())
    simulation.apply("lone", load[:3], load[3:])
    simulation.step(0.05)
    masses = rigid_body.Masses.of(list(mass_properties(simulation.model).values()))
    states = np.array([sum(start.values(), ())])
    for _ in range(50):
        states = rigid_body.INTEGRATORS[method](masses, states, np.array([load]), states[:, :3], 1e-3)
    assert np.abs(states - simulation.states).max() < 1e-14


def test_masses_are_those_of_the_scene():
    spec = contactlib.load("peg_in_hole")
    for name, found in mass_properties(spec.compile()).items():
        expected = spec.body(name).mass_properties()
        assert expected is not None and found.mass == expected.mass
        assert np.array_equal(found.com, expected.com) and np.array_equal(found.inertia, expected.inertia)


def test_a_coupling_keeps_momentum_and_matches_python(fmu: Path):
    run = couple(fmu, duration=1.2, dt=2e-4)
    assert run.trajectory.contact_count.max() > 0
    assert run.balance.linear_error < 1e-12 and run.balance.angular_error < 1e-10
    assert 0 < run.trajectory.energy_dissipated[-1] < run.balance.kinetic[0]
    assert abs(run.energy_error) < 0.03


def test_what_is_fixed_stays(fmu: Path):
    run = couple(fmu, duration=0.9, dt=5e-4, fixed=["target"], integrator="rk4")
    assert list(run.masses) == ["interface"]
    assert np.ptp(run.trajectory.body("target"), axis=0).max() == 0.0
    assert run.trajectory.contact_count.max() > 0


def test_an_fmu_that_fails_on_the_way_is_a_clean_error(fmu: Path):
    with ContactFmu(fmu) as unit:
        states = unit.start_states.copy()
        unit.start(states)
        states[0, 0] = np.nan
        with pytest.raises(CouplingError, match=r"peg\.fmu failed at t = 0\.5 s: .*interface"):
            unit.step(0.5, 1e-3, states)
        folder = Path(unit._folder)
    assert not folder.exists()
