"""`contactlib fmu check`: every planted defect is found and named, and FMUs of ours have none."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from fmpy.validation import validate_fmu
from typer.testing import CliRunner

import contactlib
from contactlib.cli.main import app
from contactlib.fmu.check.static import check_fmu
from contactlib.fmu.export import export_fmu
from contactlib.fmu.python_slave import export_pythonfmu
from contactlib.model import spec
from contactlib.model.model import Model
from tests.support.every_element import SPECS
from tests.support.fmu_cases import peg_model

SCENES = sorted(path.parent.name for path in spec.SCENES.glob("*/scene.toml"))
XML = "modelDescription.xml"
Files = dict[str, bytes]
Plant = Callable[[Files], None]


def text(old: str, new: str, count: int = 1) -> Plant:
    """Replace text in modelDescription.xml."""

    def plant(files: Files) -> None:
        content = files[XML].decode()
        assert old in content, old
        files[XML] = content.replace(old, new, count).encode()

    return plant


def pattern(old: str, new: str) -> Plant:
    """Replace the first match of a pattern in modelDescription.xml."""

    def plant(files: Files) -> None:
        content, count = re.subn(old, new, files[XML].decode(), count=1, flags=re.DOTALL)
        assert count == 1, old
        files[XML] = content.encode()

    return plant


def file(name: str, content: bytes | None) -> Plant:
    """Replace a file; None removes it."""

    def plant(files: Files) -> None:
        files.pop(name, None)
        if content is not None:
            files[name] = content

    return plant


def damaged(name: str, at: float) -> Plant:
    """Change a byte in a file."""

    def plant(files: Files) -> None:
        content = bytearray(files[name])
        content[int(at * len(content))] ^= 0x55
        files[name] = bytes(content)

    return plant


def renamed(old: str, new: str) -> Plant:
    def plant(files: Files) -> None:
        files[new] = files.pop(old)

    return plant


LIBRARY = "binaries/linux64/pegs.so"
MODEL = "resources/model.bin"
ENUMERATION = ('<SimpleType name="Kind"><Enumeration><Item name="one" value="1" /><Item name="two" value="2" />'
               "</Enumeration></SimpleType>")
#: a defect, and what the sentence says: the thing, its value, what is allowed, or the remedy
DEFECTS: dict[str, tuple[Plant, str]] = {
    # the archive
    "path out of the folder": (
        file("../evil.txt", b""),
        r"'\.\./evil\.txt' would be unpacked outside the FMU's folder",
    ),
    "backslash in a path": (file("resources\\..\\..\\evil", b""), r"would be unpacked outside"),
    "absolute path": (file("/etc/evil", b""), r"'/etc/evil' would be unpacked outside"),
    "no description": (file(XML, None), r"it has no modelDescription\.xml"),
    "cut XML": (lambda files: files.update({XML: files[XML][:-40]}), r"modelDescription\.xml cannot be read"),
    "document type": (text("<fmiModel", '<!DOCTYPE x [<!ENTITY a "b">]>\n<fmiModel'), r"declares a document type"),
    "folder of no standard": (
        file("extra/x.txt", b"x"),
        r"file extra/x\.txt lies in the folder extra: must be one of bin",
    ),
    "case of letters": (file("resources/MODEL.bin", b"x"), r"differ in case only"),
    # the schema and the head
    "unknown attribute": (text("<CoSimulation ", '<CoSimulation speed="1" '), r"breaks the schema .*'speed'"),
    "unknown element": (
        text("<ModelVariables>", "<Extra/><ModelVariables>"),
        r"breaks the schema of FMI 2\.0: .*Extra",
    ),
    "version of FMI": (text('fmiVersion="2.0"', 'fmiVersion="1.0"'), r"fmiVersion = '1\.0': must be '2\.0'"),
    "no author": (pattern(r' author="[^"]*"', ""), r"attribute author of fmiModelDescription is missing"),
    "no licence attribute": (pattern(r' license="[^"]*"', ""), r"attribute license of fmiModelDescription is missing"),
    "date without Z": (
        pattern(r'(generationDateAndTime="[^"]*)Z"', r'\1"'),
        r"generationDateAndTime = '.*': must be a date",
    ),
    "month 13": (
        pattern(r'generationDateAndTime="(\d+)-\d\d', r'generationDateAndTime="\1-13'),
        r"must be a date and time",
    ),
    "identifier of no C": (
        text('Identifier="pegs"', 'Identifier="peg-s"'),
        r"modelIdentifier = 'peg-s' .*identifier of C",
    ),
    "stop before start": (pattern(r'stopTime="[^"]*"', 'stopTime="-1"'), r"stopTime = -1 .* later than startTime = 0"),
    "no step size": (pattern(r'(<DefaultExp.*) stepSize="[^"]*"', r"\1"), r"stepSize = 'None' of DefaultExperiment"),
    # units and types
    "undefined unit": (text('<Unit name="N.m"', '<Unit name="N.mm"'), r"unit = 'N\.m' of .*define it"),
    "undefined display unit": (
        pattern(r'displayUnit="mm"', 'displayUnit="inch"'),
        r"displayUnit = 'inch' of type 'Length",
    ),
    "unit twice": (pattern(r'(<Unit name="s".*?</Unit>)', r"\1\1"), r"Unit 's' is defined 2 times"),
    "display unit of factor 0": (text('factor="1000.0"', 'factor="0"'), r"factor = '0' of a DisplayUnit of unit 'm'"),
    "undefined type": (
        pattern(r'declaredType="Force_type"', 'declaredType="Farce"'),
        r"declaredType = 'Farce' of variable",
    ),
    "type of another kind": (
        pattern(r'(<TypeDefinitions>)(.*?)declaredType="Force_type"', rf'\1{ENUMERATION}\2declaredType="Kind"'),
        r"one of Enumeration",
    ),
    "type named as a variable": (
        text("<TypeDefinitions>", f"<TypeDefinitions>{ENUMERATION.replace('Kind', 'coupling')}"),
        r"'coupling' names a SimpleType and a var",
    ),
    # variables
    "name twice": (text('name="interface.r[2]"', 'name="interface.r[1]"'), r"name 'interface\.r\[1\]' is used 2 times"),
    "name of no structure": (
        text('name="interface.r[1]"', 'name="interface r1"'),
        r"'interface r1': must be structured",
    ),
    "reference twice": (
        text('valueReference="1"', 'valueReference="0"'),
        r"have the value reference 0: .*at most one can be",
    ),
    "aliases of two units": (pattern(r'valueReference="28"', 'valueReference="30"'), r"aliases must have one unit"),
    "no description of a variable": (pattern(r' description="position x[^"]*"', ""), r"has no description"),
    "fixed input": (
        pattern(r'causality="input" variability="continuous"', 'causality="input" variability="fixed"'),
        r"variability = 'fixed' of variable 'interface\.r\[1\]' with causality 'input': must be one of discrete, ",
    ),
    "continuous integer": (pattern(r'(name="contact.count".*?)"discrete"', r'\1"continuous"'), r"its type is Integer"),
    "initial of an input": (
        pattern(r'(variability="continuous")>', r'\1 initial="exact">'),
        r"initial = 'exact' .*not be giv",
    ),
    "parameter calculated": (
        pattern(r'initial="exact"', 'initial="calculated"'),
        r"initial = 'calculated' .*must be exact",
    ),
    "no start": (pattern(r' start="[^"]*"', ""), r"variable 'interface\.r\[1\]' has no start value"),
    "start of an output": (pattern(r'(name="interface.f\[1\]".*?<Real )', r'\1start="0" '), r"for a calculated value"),
    "start that is none": (
        pattern(r'(name="interface.r\[1\]".*?start=)"[^"]*"', r'\1"NaN"'),
        r"start = 'NaN' .*finite",
    ),
    "start below minimum": (
        pattern(r'(name="pin_hole.damping".*?start=)"[^"]*"', r'\1"-3"'),
        r"start = -3 .* at least min = 0",
    ),
    "start above maximum": (
        pattern(r'(name="pin_hole.damping".*?<Real )', r'\1max="1e-9" '),
        r"must be at most max = 1e-09",
    ),
    "minimum above maximum": (
        pattern(r'(name="interface.r\[1\]".*?<Real )', r'\1min="2" max="1" '),
        r"min = 2 .*max = 1",
    ),
    "item that is none": (
        pattern(r'(<TypeDefinitions>)(.*name="coupling".*?)<Integer[^>]*>',
                rf'\1{ENUMERATION}\2<Enumeration declaredType="Kind" start="7" />'),
        r"start = '7' .* value of an Item .* 1, 2",
    ),
    "option out of its range": (
        pattern(r'(name="coupling".*?start=)"\d"', r'\1"7"'),
        r"start = 7 of variable 'coupling': must be at most max = 3",
    ),
    "nominal 0": (pattern(r'nominal="[^"]*"', 'nominal="0.0"'), r"nominal = '0\.0' .*must be greater than 0"),
    "real without unit": (
        pattern(r'<Real unit="m" declaredType="Length_type"', "<Real"),
        r"'interface\.r\[1\]' has no unit",
    ),
    # structure
    "output left out": (
        pattern(r"<Outputs>\s*<Unknown[^>]*>", "<Outputs>"),
        r"Outputs does not list 'interface\.f\[1\]'",
    ),
    "input as output": (
        pattern(r"<Outputs>", '<Outputs><Unknown index="1" dependencies=""/>'),
        r"Outputs lists 'interface",
    ),
    "index of nothing": (
        pattern(r"<Outputs>", '<Outputs><Unknown index="999" dependencies=""/>'),
        r"index = '999' .*from 1 to",
    ),
    "order of unknowns": (
        pattern(r"(<InitialUnknowns>\s*)(<Unknown[^>]*>)(\s*)(<Unknown[^>]*>)", r"\1\4\3\2"),
        r"InitialUnknowns lists the index 28 after a greater one: must be in rising order",
    ),
    "initial unknown left out": (
        pattern(r"(<InitialUnknowns>\s*)<Unknown[^>]*>", r"\1"),
        r"InitialUnknowns does not list",
    ),
    "dependencies left out": (
        pattern(r'(<Outputs>\s*<Unknown index="\d+") dependencies=""', r"\1"),
        r"are missing: tools then",
    ),
    "dependency on nothing": (
        pattern(r'dependencies="1 2', 'dependencies="0 2'),
        r"dependency 0 of the Unknown .*from 1 to",
    ),
    "dependencies unsorted": (pattern(r'dependencies="1 2', 'dependencies="2 1'), r"not in rising order"),
    "kinds too few": (
        pattern(r'(dependencies="1 2[^"]*")', r'\1 dependenciesKind="dependent"'),
        r"dependenciesKind .*has 1 values",
    ),
    # binaries
    "no binary": (file(LIBRARY, None), r"no library below binaries/ and no source"),
    "binary of another name": (
        renamed(LIBRARY, "binaries/linux64/contactlib.so"),
        r"binaries/linux64/pegs\.so is missing",
    ),
    "identifier of another name": (
        text('Identifier="pegs"', 'Identifier="holes"'),
        r"binaries/linux64/holes\.so is missing",
    ),
    "unknown platform": (renamed(LIBRARY, "binaries/linux/pegs.so"), r"folder binaries/linux: must be one of win32"),
    "binary of another system": (
        renamed(LIBRARY, "binaries/aarch64-linux/pegs.so"),
        r"is for x86_64: must be for aarch64",
    ),
    "binary that is none": (file(LIBRARY, b"\x7fELF"), r"library binaries/linux64/pegs\.so cannot be read"),
    "binary without functions": (
        lambda files: files.update({LIBRARY: files[LIBRARY].replace(b"fmi2DoStep", b"fmi2DoStop")}),
        r"does not export fmi2DoStep",
    ),
    # contents
    "no documentation": (file("documentation/index.html", None), r"documentation/index\.html is missing"),
    "no licence": (file("documentation/licenses/license.txt", None), r"there is no licence"),
    "no icon": (file("model.png", None), r"model\.png is missing"),
    "icon that is none": (file("model.png", b"GIF89a"), r"model\.png is no PNG image"),
    "no scene": (file(MODEL, None), r"resources/model\.bin is missing"),
    "damaged scene": (damaged(MODEL, 0.5), r"scene resources/model\.bin cannot be used: .*damaged"),
    "scene of another": (
        lambda files: files.update({MODEL: peg_model(name="other").to_bytes()}),
        r"guid = '.*': must be {",
    ),
    "wrong GUID": (pattern(r'guid="{.', 'guid="{-'), r"guid = '{-.*follows from resources/model\.bin"),
    "variable left out": (
        pattern(r'<ScalarVariable name="coupling".*?</ScalarVariable>', ""),
        r"variables .* differ from those",
    ),
}


@pytest.fixture(scope="module")
def files(fmu: Path) -> Files:
    with zipfile.ZipFile(fmu) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def written(files: Files, path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_planted_defect_is_found(defect: str, files: Files, tmp_path: Path) -> None:
    plant, expected = DEFECTS[defect]
    changed = dict(files)
    plant(changed)
    found = check_fmu(written(changed, tmp_path / "planted.fmu"))
    assert any(re.search(expected, sentence) for sentence in found), found
    for sentence in found:
        assert "\n" not in sentence and "None:" not in sentence


def test_a_damaged_entry_and_a_name_twice(fmu: Path, files: Files, tmp_path: Path) -> None:
    content = bytearray(fmu.read_bytes())
    with zipfile.ZipFile(fmu) as archive:
        at = archive.getinfo("documentation/index.html").header_offset
    content[at + 200] ^= 0x55
    (tmp_path / "damaged.fmu").write_bytes(content)
    found = check_fmu(tmp_path / "damaged.fmu")
    assert [x for x in found if "documentation/index.html cannot be unpacked" in x], found
    with zipfile.ZipFile(written(files, tmp_path / "twice.fmu"), "a") as archive, pytest.warns(UserWarning):
        archive.writestr("model.png", b"")
    assert "it has the file 'model.png' twice" in check_fmu(tmp_path / "twice.fmu")[0]
    (tmp_path / "text.fmu").write_text("hello")
    assert "the archive cannot be used" in check_fmu(tmp_path / "text.fmu")[0]


#: replaces attributes at random: numbers that are none, digits of other scripts, lists
NONSENSE = ("", "-1", "nan", "1e999", "9" * 30, "x y", "\u221e", "\u0663", "\u00b2", "0.5", "true", "0 0 0")


def test_random_damage_gives_sentences(files: Files, tmp_path: Path) -> None:
    """Whatever is damaged: check_fmu returns sentences and raises nothing."""
    random = Random(3)
    small = {name: content[:4000] for name, content in files.items() if name != XML}
    description = files[XML].decode()
    for round_ in range(150):
        damaged_text = description
        for _ in range(random.randint(1, 5)):
            find = random.choice((r'"[^"]*"', r"<[^>]*/>", r' \w+="[^"]*"', r"[<>&]"))
            match = random.choice(list(re.finditer(find, damaged_text)))
            new = {'"': f'"{random.choice(NONSENSE)}"', "<": match[0] * 2}.get(match[0][0], "")
            damaged_text = damaged_text[: match.start()] + new + damaged_text[match.end() :]
        path = written({XML: damaged_text.encode(), **small}, tmp_path / "damaged.fmu")
        if round_ % 2:
            content = bytearray(path.read_bytes())
            content[random.randrange(len(content))] ^= random.randrange(1, 256)
            path.write_bytes(content)
        assert all(sentence and "\n" not in sentence for sentence in check_fmu(path))


@pytest.mark.parametrize("name", [*SCENES, *SPECS])
@pytest.mark.filterwarnings("ignore::contactlib.MeshWarning")
def test_fmus_of_ours_have_no_defect(name: str, tmp_path: Path) -> None:
    model = (contactlib.load(name) if name in SCENES else SPECS[name]()).compile()
    path = export_fmu(model, tmp_path / f"{name}.fmu")
    assert check_fmu(path) == []
    assert validate_fmu(str(path)) == []


def test_flat_and_python_fmus_have_no_defect(model: Model, tmp_path: Path) -> None:
    assert check_fmu(export_fmu(model, tmp_path / "flat.fmu", flat_names=True)) == []
    assert check_fmu(export_pythonfmu(model, tmp_path / "python.fmu")) == []


def test_the_command(fmu: Path, files: Files, tmp_path: Path) -> None:
    run = CliRunner().invoke
    good = run(app, ["fmu", "check", str(fmu)])
    assert good.exit_code == 0 and "no defect" in good.stdout
    changed = dict(files)
    for defect in ("no start", "no icon"):
        DEFECTS[defect][0](changed)
    bad = run(app, ["fmu", "check", str(written(changed, tmp_path / "bad.fmu"))])
    assert bad.exit_code == 1 and bad.stdout.count("\n") == 3
    assert "bad.fmu: 2 defects" in bad.stdout
    missing = run(app, ["fmu", "check", str(tmp_path / "missing.fmu")])
    assert missing.exit_code == 1 and "missing.fmu" in missing.stderr
