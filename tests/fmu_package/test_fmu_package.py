"""What an FMU contains besides variables: identifier, types, metadata, documentation, licence, icon."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
import zlib
from html.parser import HTMLParser
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

import fmpy
import numpy as np
import pytest
from fmpy.fmi2 import FMU2Slave

import contactlib
from contactlib.fmu.export import binaries, export_fmu
from contactlib.fmu.package.documentation import documentation, license_text
from contactlib.fmu.package.icon import SIZE, icon
from contactlib.fmu.package.identifier import is_identifier, model_identifier
from contactlib.fmu.package.metadata import Metadata
from contactlib.fmu.package.picture import scene_picture
from contactlib.fmu.package.quantities import QUANTITIES, nominal_of
from contactlib.fmu.python_slave import export_pythonfmu
from contactlib.fmu.units import base_units
from contactlib.model import spec
from contactlib.model.model import Model
from tests.support.every_element import SPECS
from tests.support.fmu_cases import peg_model

ROOT = Path(__file__).parents[2]
SCENES = sorted(path.parent.name for path in spec.SCENES.glob("*/scene.toml"))
SHARED = ("N/m^n",)  # units without a quantity: their meaning depends on a parameter


def root_of(path: Path) -> Element:
    with zipfile.ZipFile(path) as archive:
        return fromstring(archive.read("modelDescription.xml"))


def files_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("peg_in_hole", "peg_in_hole"),
        ("größe 100%", "groe_100"),  # a sharp s has no decomposition
        ("3 pins", "scene_3_pins"),
        ("int", "scene_int"),
        ("NUL", "scene_NUL"),
        ("场景", "scene"),
        ("x" * 90, "x" * 63),
    ],
)
def test_identifiers(name: str, expected: str) -> None:
    assert model_identifier(name) == expected
    assert is_identifier(expected)


def test_libraries_have_the_name_of_the_scene_and_one_content(fmu: Path, model: Model) -> None:
    assert model.name == "pegs"
    interface = root_of(fmu).find("CoSimulation")
    assert interface is not None and interface.get("modelIdentifier") == "pegs"
    libraries = {name: content for name, content in files_of(fmu).items() if name.startswith("binaries/")}
    assert libraries == {name.replace("contactlib.", "pegs."): content for name, content in binaries()}
    assert "binaries/linux64/pegs.so" in libraries


def test_two_fmus_run_in_one_process(tmp_path: Path) -> None:
    """Each loads its own library, under its own name, and shows its own scene."""
    slaves, folders, starts = [], [], []
    for scene in ("peg_in_hole", "trampoline"):
        model = contactlib.load(scene).compile()
        starts.append(model.variables[3].start)  # q[1] of the first body
        folders.append(fmpy.extract(str(export_fmu(model, tmp_path / f"{scene}.fmu"))))
        described = fmpy.read_model_description(folders[-1])
        slaves.append(
            FMU2Slave(
                guid=described.guid,
                unzipDirectory=folders[-1],
                instanceName=scene,
                modelIdentifier=described.coSimulation.modelIdentifier,
            )
        )
    maps = Path("/proc/self/maps").read_text(encoding="utf-8")
    assert "/linux64/peg_in_hole.so" in maps and "/linux64/trampoline.so" in maps
    for slave in slaves:
        slave.instantiate()
        slave.setupExperiment()
        slave.enterInitializationMode()
        slave.exitInitializationMode()
    for k in range(3):
        for slave in slaves:
            slave.doStep(0.01 * k, 0.01)
    found = [slave.getReal([3])[0] for slave in slaves]
    assert found == pytest.approx(starts, abs=1e-9) and abs(found[0] - found[1]) > 1e-3
    for slave, folder in zip(slaves, folders, strict=True):
        slave.terminate()
        slave.freeInstance()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("flavour", ["--platform=linux64", "--pythonfmu"])
def test_the_file_does_not_depend_on_the_process(flavour: str, tmp_path: Path) -> None:
    """Not on the order of Python's sets either, which changes from process to process."""
    contents = []
    for seed in ("1", "2"):
        path = tmp_path / f"{seed}.fmu"
        command = [
            sys.executable,
            "-c",
            "from contactlib.cli.main import app; app()",
            "fmu",
            "export",
            "lee_snare",
            flavour,
            "-o",
            str(path),
        ]
        setting = {**os.environ, "PYTHONHASHSEED": seed, "SOURCE_DATE_EPOCH": "1700000000"}
        subprocess.run(command, env=setting, check=True, capture_output=True)
        contents.append(path.read_bytes())
    assert contents[0] == contents[1]


def test_metadata(model: Model, tmp_path: Path) -> None:
    about = Metadata("Four pins.", "A. Smith & Sons <a@b>", "2.1", "CC BY 4.0", "(c) 2026 Example Ltd")
    path = export_fmu(model, tmp_path / "peg.fmu", metadata=about)
    root = root_of(path)
    assert [root.get(name) for name in ("description", "author", "version", "license", "copyright")] == [
        about.description, about.author, about.version, about.license, about.copyright]  # fmt: skip
    assert "A. Smith &amp; Sons &lt;a@b&gt;" in files_of(path)["documentation/index.html"].decode()
    standard = root_of(export_fmu(model, tmp_path / "standard.fmu"))
    assert standard.get("version") == contactlib.__version__ and standard.get("copyright") is None


def test_types_give_quantities_display_units_and_nominal_values(fmu: Path, model: Model) -> None:
    described = fmpy.read_model_description(str(fmu))
    variables = {variable.name: variable for variable in described.modelVariables}
    assert variables["interface.r[1]"].declaredType.quantity == "Length"
    assert variables["interface.r[1]"].declaredType.displayUnit == "mm"
    assert variables["interface.w[1]"].declaredType.displayUnit == "deg/s"
    factors = {
        (unit.name, display.name): display.factor for unit in described.unitDefinitions for display in unit.displayUnits
    }
    assert factors["m", "mm"] == 1000.0
    assert factors["rad/s", "deg/s"] == pytest.approx(180.0 / np.pi, rel=1e-15)
    stiffness = next(v for v in model.variables if v.name == "pin_hole.stiffness")
    assert float(variables["pin_hole.stiffness"].nominal) == nominal_of(stiffness) == stiffness.start


@pytest.mark.parametrize("name", [*SCENES, *SPECS])
@pytest.mark.filterwarnings("ignore::contactlib.MeshWarning")
def test_every_unit_has_a_quantity(name: str) -> None:
    model = (contactlib.load(name) if name in SCENES else SPECS[name]()).compile()
    for variable in model.variables:
        if variable.type == "real" and variable.unit not in SHARED:
            assert variable.unit in QUANTITIES, (variable.name, variable.unit)
            assert base_units(variable.unit) is not None
    assert len({quantity.name for quantity in QUANTITIES.values()}) == len(QUANTITIES)


class Page(HTMLParser):
    """Checks that elements nest, and collects texts and links."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.links: list[str] = []
        self.anchors: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag not in ("meta", "link", "br"):
            self.open.append(tag)
        self.links += [value for key, value in attrs if key in ("href", "src") and value]
        if given.get("id"):
            self.anchors.append(str(given["id"]))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.filterwarnings("ignore::contactlib.MeshWarning")
def test_the_documentation_describes_the_scene(name: str) -> None:
    model = contactlib.load(name).compile()
    names = [variable.name for variable in model.variables]
    text = documentation(model, names)
    page = Page()
    page.feed(text)
    assert page.open == []
    for word in (*names, *model.body_names, *model.law_names, *model.element_names):
        assert word in page.text
    for variable in model.variables:
        assert variable.description in " ".join(page.text.split())
    for link in page.links:
        assert link.removeprefix("#") in page.anchors or link == "licenses/license.txt"
    assert "Coupling guide" in page.text and "nan" not in scene_picture(model).lower()
    assert text == documentation(model, names)


def test_the_picture_shows_every_body_with_shapes_within_its_frame() -> None:
    model = contactlib.load("peg_in_hole").compile()
    picture = fromstring(scene_picture(model))
    points = [
        tuple(map(float, pair.split(",")))
        for polygon in picture.iter("{http://www.w3.org/2000/svg}polygon")
        for pair in polygon.get("points", "").split()
    ]
    assert len(points) > 100
    assert all(0.0 < x < 760.0 and 0.0 < y < 470.0 for x, y in points)
    texts = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert {"interface", "target", "100 mm"} <= set(texts)


def test_the_licence_is_that_of_the_project() -> None:
    assert (ROOT / "LICENSE").read_text(encoding="utf-8") in license_text().decode()
    assert b"Eigen" in license_text()


def test_the_icon_is_a_picture() -> None:
    content = icon()
    assert content.startswith(b"\x89PNG\r\n\x1a\n") and content.endswith(zlib.crc32(b"IEND").to_bytes(4, "big"))
    assert (int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")) == (SIZE, SIZE)
    start = content.index(b"IDAT") + 4
    rows = zlib.decompress(content[start : start + int.from_bytes(content[start - 8 : start - 4], "big")])
    assert len(rows) == SIZE * (4 * SIZE + 1)


def test_the_python_fmu_has_the_package_too(tmp_path: Path) -> None:
    files = files_of(export_pythonfmu(peg_model(), tmp_path / "peg.fmu"))
    assert {"model.png", "documentation/index.html", "documentation/licenses/license.txt"} <= set(files)
    assert re.search(rb'license="MIT[^"]*"', files["modelDescription.xml"])
