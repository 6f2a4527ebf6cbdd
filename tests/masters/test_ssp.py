"""The system for SSP: what is in it, what its bodies do alone, and what is refused."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.ssp.ssd import get_connections, read_ssd
from fmpy.validation import validate_fmu

import contactlib
from contactlib.fmu.export import export_fmu
from contactlib.fmu.ssp import export_ssp, plant_spec, system_parts
from contactlib.model.spec import Spec
from contactlib.shapes.mass import MassProperties
from tests.support.masters import STATE, plants, run_master

SPEC = Spec(name="alone")


def test_the_file_is_valid_complete_and_reproducible(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    spec = contactlib.load("peg_in_hole")
    files = [export_ssp(spec, tmp_path / f"{i}.ssp", step=1e-3) for i in range(2)]
    assert files[0].read_bytes() == files[1].read_bytes()
    described = read_ssd(str(files[0]))  # against the schema of SSP 1.0
    assert [part.name for part in described.system.elements] == ["interface", "target", "contact"]
    assert len(get_connections(described.system)) == 2 * (13 + 6)
    with zipfile.ZipFile(files[0]) as archive:
        assert archive.namelist() == ["SystemStructure.ssd", *(part.source for part in described.system.elements)]
        text = archive.read("SystemStructure.ssd").decode()
        archive.extractall(tmp_path)
    assert 'baseStepSize="0.001"' in text
    for part in described.system.elements:
        assert validate_fmu(str(tmp_path / part.source)) == []
        variables = {v.name for v in fmpy.read_model_description(str(tmp_path / part.source)).modelVariables}
        assert {connector.name for connector in part.connectors} <= variables


def test_the_values_of_parameters_are_those_of_the_scene() -> None:
    spec = contactlib.load("peg_in_hole")
    components, _ = system_parts(spec, (), "jacobi")
    starts = {v.name: v.start for v in components[0].parameters}
    state = [starts[f"body.{part}_start[{i + 1}]"] for part, n in (("r", 3), ("q", 4), ("v", 3), ("w", 3))
             for i in range(n)]
    assert np.allclose(state, spec.body("interface").state, rtol=0, atol=1e-9)  # the quaternion is normalised
    contact = {v.name: v for v in components[-1].model.variables}
    assert contact["coupling"].start == 2


def test_fixed_bodies_rest_and_have_no_fmu(tmp_path: Path) -> None:
    spec = contactlib.load("peg_in_hole")
    file = export_ssp(spec, tmp_path / "a.ssp", fixed=["target"])
    assert plants(file) == ["interface"]
    (found,) = run_master("FMPy", file, 1e-3, 3000)
    whole = contactlib.Simulation(spec.with_motion("free", "interface").compile()).run(3.0, spec.step_size)
    expected = whole.states[-1][whole.body_names.index("interface")]
    assert np.abs(found[:7] - expected[:7]).max() < 1e-4  # half of the 0.2 mm that a pin can move in its hole
    assert found[9] > -0.019  # m/s: it began with -0.02, and has touched


def test_axes_of_the_body_instead_of_the_world(tmp_path: Path) -> None:
    """The plants take the wrench in the axes in which the contact gives it."""
    spec = contactlib.load("trampoline")
    found = [run_master("FMPy", export_ssp(replace(spec, resolve_in=axes), tmp_path / f"{axes}.ssp"), 0.02, 1500)
             for axes in ("world", "body")]
    in_world = found[1].copy()
    for body in in_world:  # w is given in the axes of the body
        body[10:] = turned(body[3:7], body[10:])
    assert np.abs(found[0][:, :3]).max() > 1.0
    # over a step the axes turn by w H = 1 mrad, and the mean wrench differs by (w H)^2/24, 4e-8, of itself
    assert np.abs(found[0] - in_world).max() < 1e-8


def turned(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.asarray(v + 2 * np.cross(q[1:], q[0] * v + np.cross(q[1:], v)))


def run_plant(tmp_path: Path, spec: Spec, loads: dict[str, float], stop: float) -> dict[str, float]:
    fmu = export_fmu(spec.compile(), tmp_path / "body.fmu")
    rows = fmpy.simulate_fmu(str(fmu), start_values=loads, stop_time=stop, output_interval=0.1, output=STATE)
    return {name: float(rows[name][-1]) for name in STATE}


def test_a_body_moves_as_newton_and_euler_say(tmp_path: Path) -> None:
    """A constant force on a body under gravity: parabola; a constant torque about a principal axis: parabola too."""
    mass = MassProperties(4.0, np.zeros(3), np.diag([1.0, 2.0, 3.0]))
    spec = replace(SPEC, gravity=(0.0, 0.0, -2.0))
    state = (1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.1)
    found = run_plant(tmp_path, plant_spec(spec, "a", mass, state),
                      {"body.f_ext[1]": 6.0, "body.f_ext[3]": 8.0, "body.t_ext[3]": 0.6}, 2.0)
    angle = 0.1 * 2.0 + 0.2 * 2.0**2 / 2
    expected = [1.0 + 0.5 * 2 + 1.5 * 2.0**2 / 2, 2.0, 3.0, np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2),
                0.5 + 1.5 * 2, 0.0, 0.0, 0.0, 0.0, 0.1 + 0.2 * 2]
    assert np.abs(np.array(list(found.values())) - expected).max() < 1e-12  # of order four: exact but for rounding


def test_a_tumbling_body_keeps_its_energy_and_angular_momentum(tmp_path: Path) -> None:
    inertia = np.diag([1.0, 2.0, 2.5])
    mass = MassProperties(4.0, np.array([0.3, -0.2, 0.1]), inertia)
    w = np.array([0.1, 1.5, 0.2])
    state = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, *(-np.cross(w, mass.com)), *w)  # its centre of mass rests
    found = np.array(list(run_plant(tmp_path, plant_spec(SPEC, "a", mass, state), {}, 10.0).values()))
    axes = np.array([turned(found[3:7], axis) for axis in np.eye(3)]).T
    momentum = axes @ inertia @ axes.T @ found[10:]
    # 10000 steps of (w h)^5/120 each, w h = 1.5e-3: far below the rounding of 1e-16 a step
    assert np.abs(momentum - inertia @ w).max() < 1e-11
    assert np.abs(found[:3] + axes @ mass.com - mass.com).max() < 1e-11
    assert abs(found[10:] @ momentum - w @ inertia @ w) < 1e-11
    assert abs(axes - np.eye(3)).max() > 0.5


def test_the_lines_for_fmpy_in_the_docs_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fmpy.ssp import simulation

    page = (Path(__file__).parents[2] / "docs" / "masters.md").read_text(encoding="utf-8")
    code = page.partition("### In FMPy")[2].partition("```python\n")[2].partition("```")[0]
    assert "simulate_ssp" in code
    monkeypatch.setattr(simulation, "instantiate_fmu", simulation.instantiate_fmu)  # and put back afterwards
    file = export_ssp(contactlib.load("peg_in_hole"), tmp_path / "peg_in_hole.ssp", step=1e-3)
    scope: dict[str, np.ndarray] = {}
    exec(code.replace("peg_in_hole.ssp", str(file)).replace("stop_time=3.0", "stop_time=0.0995"), scope)
    (expected, _) = run_master("FMPy", file, 1e-3, 100)
    assert [scope["rows"][f"interface.{name}"][-1] for name in STATE] == expected.tolist()


@pytest.mark.parametrize(("scene", "options", "sentence"), [
    ("peg_in_hole", {"fixed": ["tarket"]}, "fixed = 'tarket': there is no such external body; did you mean 'target'"),
    ("peg_in_hole", {"fixed": ["target", "interface"]}, "scene 'peg_in_hole': no external body can move"),
    ("tripod", {}, "scene 'tripod': no external body can move: give at least one a mass"),
    ("peg_in_hole", {"coupling": "seidel"}, "coupling = 'seidel': must be one of none, jacobi, gauss_seidel"),
    ("peg_in_hole", {"step": 0.0}, "step = 0: must be finite and greater than zero"),
])
def test_refusals_write_nothing(tmp_path: Path, scene: str, options: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match="^" + sentence.replace("(", r"\(")):
        export_ssp(contactlib.load(scene), tmp_path / "a.ssp", **options)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())
