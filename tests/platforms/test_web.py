"""The core in a web page: contactlib.mjs in node, and pages in headless Chromium."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import fmpy
import pytest
from typer.testing import CliRunner

import contactlib
from contactlib.cli.main import app
from contactlib.fmu import web_page
from contactlib.fmu.export import export_fmu
from tests.platforms import builds, rows
from tests.platforms.browser import REMEDY, run_page
from tests.platforms.cases import Unavailable, make_cases
from tests.support.fmu_cases import Slave, named

HERE = Path(__file__).parent
PRESSED = {"r": [0.0, 4e-4, 0.03], "q": [1.0, 0.0, 0.0, 0.0], "v": [0.0, 1e-3, 0.0], "w": [0.0, 0.0, 0.0]}


@pytest.fixture(scope="module")
def wasm() -> Path:
    try:
        return builds.wasm()
    except Unavailable as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def node() -> str:
    try:
        return builds.need("node", "apt-get install nodejs")
    except Unavailable as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def chromium() -> str:
    try:
        return builds.need("chromium", REMEDY)
    except Unavailable as error:
        pytest.skip(str(error))


def saved_by_fmu(model: contactlib.Model, folder: Path) -> str:
    """What the native FMU serialises after the steps of `press` in contactlib.test.mjs."""
    file = export_fmu(model, folder / "peg.fmu")
    fmpy.extract(str(file), unzipdir=str(folder / "peg"))
    with Slave(file, folder / "peg", model) as slave:
        slave.start()
        time = 0.0
        for k in range(50):
            slave.setReal(named(model, "interface.r", "interface.v"), [0, 4e-4 + 1e-6 * k, 0.03, 0, 1e-3, 0])
            if k == 0:
                slave.exitInitializationMode()
            slave.doStep(time, 1e-3)
            time += 1e-3
        return slave.everything().hex()


def test_class_in_node(node: str, wasm: Path, tmp_path: Path):
    model = contactlib.load("peg_in_hole").compile()
    result = contactlib.Simulation(model).compute({"interface": PRESSED})
    expected = {
        "bodies": list(model.body_names),
        "hash": model.hash,
        "state": PRESSED,
        "wrench": result.wrench("interface").tolist(),
        "count": len(result.contacts),
        "saved": saved_by_fmu(model, tmp_path),
        "variables": [{"name": v.name, "unit": v.unit, "causality": v.causality, "type": v.type, "start": v.start,
                       "tunable": v.tunable, "description": v.description} for v in model.variables],
    }
    (tmp_path / "model.bin").write_bytes(model.to_bytes())
    (tmp_path / "other.bin").write_bytes(contactlib.load("tripod").compile().to_bytes())
    (tmp_path / "expected.json").write_text(json.dumps(expected))
    given = {"CONTACTLIB": rows.CLASS, "WASM": wasm, "MODEL": tmp_path / "model.bin", "OTHER": tmp_path / "other.bin",
             "EXPECTED": tmp_path / "expected.json"}
    done = subprocess.run([node, "--test", str(HERE / "contactlib.test.mjs")], capture_output=True, text=True,
                          env={**os.environ, **{name: str(path) for name, path in given.items()}})
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr
    assert "# pass 17" in done.stdout


@pytest.mark.parametrize("run", [rows.through_node, rows.through_browser])
def test_hashes_are_those_of_linux64(run, wasm: Path, tmp_path: Path):
    cases = make_cases(["peg_in_hole", "rover_wheel", "trampoline"], tmp_path)
    try:
        assert run(cases) == {case.scene: case.expected for case in cases}
    except Unavailable as error:
        pytest.skip(str(error))


PROBE = """<!doctype html><iframe src="/index.html"></iframe><script type="module">
const post = (address, body) => fetch(address, { method: "POST", body });
const page = document.querySelector("iframe");
while (!page.contentWindow.scene) await new Promise((done) => setTimeout(done, 50));
const at = (id) => page.contentDocument.getElementById(id);
at("one").click(), at("save").click(), at("one").click();
await post("/time", at("time").textContent);
at("restore").click();
await post("/restored", at("time").textContent);
at("name").value = "rock.stiffnes", at("value").value = "1", at("set").requestSubmit();
await post("/error", at("error").textContent);
await post("/rows", page.contentDocument.querySelector("tbody").innerText);
await post("/title", page.contentDocument.title);
await post("/done", "");
</script>"""


def test_example_page_in_chromium(chromium: str, wasm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(web_page, "WASM", wasm)
    result = CliRunner().invoke(app, ["web", "tripod", "-o", str(tmp_path / "page")])
    assert result.exit_code == 0 and "serve it with: python -m http.server" in result.stdout
    (tmp_path / "probe.html").write_text(PROBE)
    names = ("index.html", "contactlib.mjs", "contactlib.wasm", "model.bin")
    assert sorted(path.name for path in (tmp_path / "page").iterdir()) == sorted(names)
    files = {f"/{name}": tmp_path / "page" / name for name in names} | {"/probe.html": tmp_path / "probe.html"}
    posted = {name: content.decode() for name, content in run_page(files, "/probe.html", timeout=60).items()}
    assert posted["/title"] == "tripod: contactlib"
    assert (posted["/time"], posted["/restored"]) == ("0.0020", "0.0010")
    assert "no variable 'rock.stiffnes'; did you mean" in posted["/error"]
    assert "tripod" in posted["/rows"] and "fixed" in posted["/rows"]


def test_a_missing_module_says_how_to_build_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(web_page, "WASM", tmp_path / "contactlib.wasm")
    result = CliRunner().invoke(app, ["web", "tripod", "-o", str(tmp_path / "page")])
    assert result.exit_code == 1
    assert "python -m contactlib.fmu.build --platform wasm32" in result.stderr
