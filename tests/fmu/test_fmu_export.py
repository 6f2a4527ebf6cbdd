"""The FMU as a file: its description, its reproducibility, its binary's symbols, how it is built."""

from __future__ import annotations

import ctypes
import struct
import zipfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree.ElementTree import Element, fromstring

import pytest
from fmpy import read_model_description, simulate_fmu
from fmpy.validation import validate_fmu

from contactlib._core import engine
from contactlib.fmu import build, export
from contactlib.fmu.description import flat_name, variable_names
from contactlib.fmu.export import export_fmu
from contactlib.fmu.info import describe_fmu
from contactlib.fmu.object_files.check import FUNCTIONS
from contactlib.fmu.package.dependencies import is_of_steps
from contactlib.fmu.units import base_units
from contactlib.model.model import Model
from tests.support.fmu_cases import peg_model


@pytest.fixture(scope="module")
def root(fmu: Path) -> Element:
    with zipfile.ZipFile(fmu) as archive:
        return fromstring(archive.read("modelDescription.xml"))


@pytest.mark.parametrize("flat", [False, True])
def test_fmpy_finds_nothing_wrong(model: Model, tmp_path: Path, flat: bool) -> None:
    path = export_fmu(model, tmp_path / "peg.fmu", flat_names=flat)
    assert validate_fmu(str(path)) == []
    name = "interface_f_3" if flat else "interface.f[3]"
    assert name in simulate_fmu(str(path), stop_time=0.01).dtype.names


def test_what_fmpy_does_not_look_at(root: Element, model: Model) -> None:
    date = root.get("generationDateAndTime", "")
    assert len(date) == 20 and date[10] == "T" and date[-1] == "Z"
    variables = root.findall("ModelVariables/ScalarVariable")
    assert [v.get("valueReference") for v in variables] == [str(i) for i in range(len(variables))]
    for variable in variables:
        typed = variable[0]
        assert float(typed.get("min", "-inf")) <= float(typed.get("start", "inf"))
        assert variable.get("description")
        assert (variable.get("causality") == "output") == (typed.get("start") is None)
    starts = {v.get("name"): v[0].get("start") for v in variables}
    assert [starts[f"target.q[{k}]"] for k in (1, 2, 3, 4)] == ["1.0", "0.0", "0.0", "0.0"]
    experiment = root.find("DefaultExperiment")
    assert experiment is not None and set(experiment.attrib) == {
        "startTime",
        "stopTime",
        "tolerance",
        "stepSize",
    }
    assert root.find("CoSimulation/SourceFiles") is None


def test_units_are_defined_by_base_units(root: Element) -> None:
    units = {unit.get("name"): unit for unit in root.iterfind("UnitDefinitions/Unit")}
    used = {typed.get("unit") for typed in root.iterfind("ModelVariables/ScalarVariable/Real")}
    assert used == set(units)
    torque = units["N.m"].find("BaseUnit")
    assert torque is not None and torque.attrib == {"kg": "1", "m": "2", "s": "-2"}


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("1", {}),
        ("m/s2", {"m": 1, "s": -2}),
        ("N.s/m", {"kg": 1, "s": -1}),
        ("rad/s", {"rad": 1, "s": -1}),
        ("s/m", {"s": 1, "m": -1}),
        ("N/m^n", None),
        ("furlong", None),
        ("J", {"kg": 1, "m": 2, "s": -2}),
    ],
)
def test_base_units(unit: str, expected: dict[str, int] | None) -> None:
    assert base_units(unit) == expected


def test_outputs_depend_on_nothing_but_at_the_start(fmu: Path) -> None:
    description = read_model_description(str(fmu))
    outputs = [v.name for v in description.modelVariables if v.causality == "output"]
    assert [unknown.variable.name for unknown in description.outputs] == outputs
    assert all(unknown.dependencies == [] for unknown in description.outputs)
    assert [unknown.variable.name for unknown in description.initialUnknowns] == outputs
    for unknown in description.initialUnknowns:  # outputs of the steps so far are 0 at the start
        assert bool(unknown.dependencies) != is_of_steps(unknown.variable.name)


def test_options_are_integers_with_their_names(fmu: Path) -> None:
    """libcosim and Ecos set no Enumeration."""
    variables = {v.name: v for v in read_model_description(str(fmu)).modelVariables}
    for name, items in {"resolve_in": "1 world, 2 body", "wrench_output": "1 end, 2 mean",
                        "coupling": "1 none, 2 jacobi, 3 gauss_seidel"}.items():
        variable = variables[name]
        assert variable.type == "Integer" and variable.description.endswith("; " + items)
        assert (variable.min, variable.max) == ("1", str(1 + items.count(",")))


def test_the_same_model_gives_the_same_file(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    first, second = export_fmu(model, tmp_path / "a.fmu"), export_fmu(model, tmp_path / "b.fmu")
    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as archive:
        assert b'generationDateAndTime="2023-11-14T22:13:20Z"' in archive.read("modelDescription.xml")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(ValueError, match="SOURCE_DATE_EPOCH is 'yesterday'"):
        export_fmu(model, tmp_path / "c.fmu")


def test_flat_names_must_differ() -> None:
    assert flat_name("peg.r[1]") == "peg_r_1"
    row = peg_model().variables[0]
    model: Any = SimpleNamespace(variables=[replace(row, name="a.b[1]"), replace(row, name="a_b.1")])
    assert variable_names(model, flat=False) == ["a.b[1]", "a_b.1"]
    with pytest.raises(ValueError, match=r"'a\.b\[1\]' and 'a_b\.1' both have the flat name 'a_b_1'"):
        variable_names(model, flat=True)


def test_a_missing_binary_tells_how_to_build_it(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "BINARIES", tmp_path)
    with pytest.raises(FileNotFoundError, match=r"python -m contactlib\.fmu\.build"):
        export_fmu(model, tmp_path / "peg.fmu")


def test_info_tells_what_is_inside(fmu: Path, model: Model, tmp_path: Path) -> None:
    info = describe_fmu(fmu)
    assert (info.name, info.guid) == ("pegs", model.guid)
    assert "linux64" in info.platforms
    assert info.files["resources/model.bin"] == len(model.to_bytes())
    groups = {
        group.name: (group.count, group.unit) for group in (*info.inputs, *info.outputs, *info.parameters)
    }
    assert groups["interface.q"] == (4, "1") and groups["target.t"] == (3, "N.m")
    assert groups["resolve_in"] == (1, "1..2") and groups["pin_hole.stiffness"] == (1, "N/m")
    assert "27 inputs" in str(info) and model.guid in str(info)

    (tmp_path / "text.fmu").write_text("hello")
    with pytest.raises(ValueError, match="is not an FMU"):
        describe_fmu(tmp_path / "text.fmu")
    with zipfile.ZipFile(tmp_path / "empty.fmu", "w") as archive:
        archive.writestr("modelDescription.txt", "")
    with pytest.raises(ValueError, match=r"no modelDescription\.xml"):
        describe_fmu(tmp_path / "empty.fmu")
    with zipfile.ZipFile(tmp_path / "broken.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", "<fmi")
    with pytest.raises(ValueError, match="cannot be read"):
        describe_fmu(tmp_path / "broken.fmu")


def dynamic_symbols(library: bytes) -> tuple[set[str], set[str]]:
    """Defined and undefined names of a 64-bit ELF file's dynamic symbol table, read by the format itself."""
    assert library[:6] == b"\x7fELF\x02\x01"
    (sections_at,) = struct.unpack_from("<Q", library, 40)
    size, count = struct.unpack_from("<HH", library, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", library, sections_at + i * size) for i in range(count)]
    table = next(header for header in headers if header[1] == 11)  # SHT_DYNSYM
    strings = headers[table[6]][4]
    defined, undefined = set[str](), set[str]()
    for at in range(table[4], table[4] + table[5], 24):
        name, _info, _other, section = struct.unpack_from("<IBBH", library, at)
        text = library[strings + name : library.index(b"\0", strings + name)].decode()
        (defined if section else undefined).add(text)
    return defined, undefined - {""}


def test_the_binary_shows_the_standard_and_needs_only_the_system() -> None:
    name, library = next(iter(export.binaries()))
    assert name == "binaries/linux64/contactlib.so"
    defined, undefined = dynamic_symbols(library)
    assert defined == FUNCTIONS
    foreign = ("Py", "_Py", "GOMP", "omp_", "__kmpc", "_ZNS", "_ZS", "_Zn", "_Zd", "printf", "exit", "puts")
    assert not [symbol for symbol in undefined if symbol.startswith(foreign)]
    for needed in (b"libstdc++", b"libgcc_s", b"libgomp", b"libpython"):
        assert needed not in library


def names_of_libm() -> set[str]:
    """Functions that only the mathematical library of this system defines."""
    paths = {}
    for name in ("libm.so.6", "libc.so.6"):
        ctypes.CDLL(name)
        maps = Path("/proc/self/maps").read_text(encoding="utf-8")
        paths[name] = Path(next(line.split()[-1] for line in maps.splitlines() if line.endswith(f"/{name}")))
    libm, libc = (dynamic_symbols(path.read_bytes())[0] for path in paths.values())
    return libm - libc


@pytest.mark.parametrize("binary", ["FMU", "extension"])
def test_no_binary_calls_a_function_of_libm(binary: str) -> None:
    """libm chooses variants by the processor; core/math/ has the functions instead. Square roots are instructions."""
    content = next(iter(export.binaries()))[1] if binary == "FMU" else Path(engine.__file__).read_bytes()
    names = names_of_libm()
    assert {"sin", "atan2", "pow", "floor", "fmod", "hypot"} <= names
    assert dynamic_symbols(content)[1] & names == set()


@pytest.mark.parametrize(
    ("system", "machine", "folder"),
    [
        ("Linux", "x86_64", "linux64"),
        ("Linux", "aarch64", "aarch64-linux"),
        ("Windows", "AMD64", "win64"),
        ("Darwin", "arm64", "darwin64"),
    ],
)
def test_platform_folders(system: str, machine: str, folder: str) -> None:
    assert build.platform_folder(system, machine) == folder


def test_platforms_and_compilers_that_do_not_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="no FMU binary for Plan9 on mips"):
        build.platform_folder("Plan9", "mips")
    monkeypatch.setenv("CXX", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="No C\\+\\+ compiler was found"):
        build.find_compiler()
    with pytest.raises(RuntimeError, match="The compiler failed"):
        build.build(build.default_core(), tmp_path, compiler="/bin/false")
