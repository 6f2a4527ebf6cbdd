"""Every code block of the pages is run, compiled or read; a block that is not says why in the tables below.

Python blocks of a page share their names. Command lines of contactlib are run in this process. Long ones are run with
CONTACTLIB_BLOCKS=all, as `make docs` does.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import contactlib
from contactlib.cli.main import app
from tests.repository.doc_blocks import ROOT, Block, blocks, pages

LONG = os.environ.get("CONTACTLIB_BLOCKS") == "all"
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]

#: pages whose Python blocks another test runs
RUN_ELSEWHERE = {
    "README.md": "tests/repository/test_demo.py",
    "docs/blender.md": "tests/blender/test_blender_program.py",
    "docs/contact_models.md": "tests/simulation/test_python_models.py",
    "docs/masters.md": "tests/masters/test_ssp.py",
    "docs/mujoco.md": "tests/adapters/test_mujoco.py",
}
#: pages whose Python blocks are fragments of a program of examples/ that other tests run; they are compiled
FRAGMENTS = {"docs/basilisk.md": "examples/basilisk_docking.py", "docs/drake.md": "examples/drake_slope.py"}
#: Python that the text of a page takes for granted
BEFORE = {
    "docs/joints.md": "from tests.repository.test_code_blocks import elbow; simulation = elbow()",
    "docs/pcm.md": "import contactlib; from dataclasses import replace; spec = contactlib.load('tripod')\n"
                   "spec = replace(spec, laws=tuple(replace(law, log='pad') for law in spec.laws))\n"
                   "simulation = contactlib.Simulation(spec.compile())",
    "docs/simulation.md": "import contactlib; simulation = contactlib.Simulation(contactlib.load('tripod').compile())",
}
#: Python blocks that take more than 3 s
LONG_PYTHON = {"docs/calibration.md", "docs/campaigns.md"}
#: blocks in languages that are not run here: where they are run
OTHER_LANGUAGES = {
    "js": "docs/platforms.md: the class is run by tests/platforms in node",
    "c": "docs/c.md: a part of a program, which is compiled below",
    "julia": "docs/c.md: the page says that it was not run",
    "text": "printed text",
    "{toctree}": "the site's table of contents",
}
#: command lines that are not run: a pattern, why, and what is checked instead
NOT_RUN: tuple[tuple[str, str, Callable[[re.Match[str]], bool]], ...] = (
    (r"make ([\w-]+)", "a target of the Makefile", lambda m: f"\n{m[1]}:" in MAKEFILE),
    (r"pip install '?(?:contactlib|dist/contactlib-.*\.whl)\[(\w+)\]'?", "it needs a network or a wheel",
     lambda m: m[1] in EXTRAS),
    (r"python3 -m venv first && . first/bin/activate", "it makes an environment", lambda m: True),
    (r"python (examples/\w+\.py).*", "the gallery of `make docs`, or tests of the example, run it",
     lambda m: (ROOT / m[1]).is_file()),
    (r"python -m (benchmarks\.\w+).*", "`make bench` runs it", lambda m: importlib.util.find_spec(m[1]) is not None),
    (r"python -m (tests\.platforms|contactlib\.fmu\.build|http\.server).*", "it takes minutes, or does not end",
     lambda m: importlib.util.find_spec(m[1]) is not None),
    (r"python (\.ci/wheels) .*", "`make wheels` runs it", lambda m: (ROOT / m[1]).is_dir()),
    (r"(cc|out/c/docking|dask) .*", "another program: the tests of the C library and of campaigns run it",
     lambda m: True),
    (r"contactlib view [^-]*", "it opens a browser: tests/view writes the page with --html", lambda m: True),
    (r"contactlib view .* --live.*", "it needs the wasm32 binary: tests/view/test_view_live.py", lambda m: True),
    (r"contactlib campaign .*--scheduler .*", "it needs a cluster: tests/campaign runs one", lambda m: True),
    (r"contactlib campaign resume .*", "there is nothing to resume: tests/campaign interrupts one", lambda m: True),
    (r"contactlib calibrate .* --resume", "there is nothing to resume: tests/calibration interrupts one",
     lambda m: True),
    (r"contactlib hash.*", "it takes minutes: `make platforms` and tests/platforms run it", lambda m: True),
    (r"contactlib ring contactlib/scenes/cbm/parameters.toml .*", "it would replace the scene: tests/mechanisms",
     lambda m: True),
    (r"contactlib validate(?: --(?:all|fmu|json figures.json))?", "`make validate` runs it", lambda m: True),
    (r"contactlib credibility (?:peg_in_hole|cbm|my_scene) .*", "it takes minutes: tests/credibility runs it",
     lambda m: True),
    (r"contactlib blender .*", "it needs Blender: tests/blender", lambda m: True),
    (r"contactlib (?:run|fmu export) (?:docking/.*|trampoline_capture -o out/capture)",
     "the scene of the tutorial, or the run of a film: tests/blender", lambda m: True),
    (r"contactlib web .*", "it needs the wasm32 binary: tests/platforms", lambda m: True),
    (r"contactlib (?:show|import) robot.*", "the file is the user's: tests/importers", lambda m: True),
    (r"contactlib fmu export trampoline --mesh .*", "the file is the user's: tests/fmu", lambda m: True),
    (r"contactlib pcm check feet.pcm .*", "the files are the user's: tests/pcm/test_pcm_cli.py", lambda m: True),
    (r"contactlib .*\b(?:FILE|FOLDER|OUT)\b.*", "names in capitals stand for the user's files", lambda m: True),
)
#: command lines of contactlib that take more than 3 s with what they need
LONG_COMMANDS = re.compile(r"contactlib (run|campaign|calibrate|hash|validate|fmu check|fmu run trampoline|library|"
                           r"credibility peg_in_hole).*")
#: and those of them that are quick
QUICK = re.compile(r"contactlib run (box\.toml|tripod)\b.*")
#: a run of a shipped scene is cut to this duration, or to one step: whole runs are in the gallery and in the cases
SHORT = 0.02  # s


def all_blocks(*languages: str) -> list[Block]:
    return [block for page in pages() for block in blocks(page) if block.language in languages]


def needs_long_run(what: str) -> None:
    if not LONG:
        pytest.skip(f"{what}: run by `make docs`, or with CONTACTLIB_BLOCKS=all")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that looks like the root of the repository to programs, and takes what they write."""
    for name in ("examples", "validation_data", "contactlib", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    for name in ("campaign", "calibration"):
        for path in (ROOT / "examples" / name).iterdir():
            target = tmp_path / path.name
            if path.name != "README.md" and not target.exists():
                (shutil.copytree if path.is_dir() else shutil.copy)(path, target)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    return tmp_path


# ---- python --------------------------------------------------------------------------------------


PYTHON_PAGES = sorted({block.page for block in all_blocks("python")})


@pytest.mark.parametrize("page", PYTHON_PAGES)
def test_python_blocks_run(page: str, folder: Path, capsys: pytest.CaptureFixture[str]):
    found = [block for block in blocks(page) if block.language == "python"]
    for block in found:
        compile(block.text, str(block), "exec")
    if page in RUN_ELSEWHERE:
        assert Path(page).name in (ROOT / RUN_ELSEWHERE[page]).read_text(encoding="utf-8")
        return
    if page in FRAGMENTS:
        assert (ROOT / FRAGMENTS[page]).is_file()
        return
    if page in LONG_PYTHON:
        needs_long_run(page)
    write_named_files(page)
    names: dict[str, Any] = {}
    exec(BEFORE.get(page, ""), names)
    for block in found:
        exec(compile("\n" * (block.line - 1) + block.text, page, "exec"), names)


def write_named_files(page: str) -> None:
    """Write the toml blocks that begin with the name of their file, as `# box.toml`."""
    for block in blocks(page):
        name = re.match(r"# (\w+\.toml)\n", block.text)
        if block.language == "toml" and name:
            Path(name[1]).write_text(block.text, encoding="utf-8")


# ---- toml ----------------------------------------------------------------------------------------


def material_shape(material: str) -> dict[str, Any]:
    return {"name": f"shape_{material}", "kind": "box", "size": [0.1, 0.1, 0.1], "material": material}


def joint_body(name: str) -> dict[str, Any]:
    return {"name": name, "motion": "free", "mass": 1.0, "inertia": [0.1, 0.1, 0.1]}


def whole_scene(table: dict[str, Any]) -> dict[str, Any]:
    """A scene around a fragment: what it names is there, and nothing of the fragment is changed."""
    if "normal" in table or "model" in table:
        part = {"normal": {"kind": "kelvin_voigt", "stiffness": 1.0, "damping": 1.0}} if "model" not in table else {}
        table = {"law": [{"name": "law", "materials": ["a", "b"], **part, **table}]}
    scene = {"scene": {"name": "fragment", **table.get("scene", {})}}
    if "body" in table and "scene" not in table:
        return {**scene, "body": [{"name": "body", **table["body"]}]}  # [[body.shape]] without its body
    if "law" in table and "body" not in table:
        materials = sorted({material for law in table["law"] for material in law["materials"]})
        bodies = [{"name": f"body_{m}", "shape": [material_shape(m)]} for m in materials]
        return {**table, **scene, "body": bodies, "pair": [{"bodies": [body["name"] for body in bodies]}]}
    joints = {name: rows for name, rows in table.items() if name in ("hinge", "slider")}
    if joints:
        names = {row[key] for rows in joints.values() for row in rows for key in ("base", "arm") if key in row}
        return {**table, **scene, "body": [joint_body(name) for name in sorted(names)]}
    if "body" not in table:
        return {**table, **scene, "body": [{**joint_body("body"), "motion": "external"}]}
    return {**table, **scene}


def elbow() -> contactlib.Simulation:
    """A simulation of the scene around the hinge of docs/joints.md."""
    (block,) = [block for block in blocks("docs/joints.md") if block.language == "toml"]
    return contactlib.Simulation(contactlib.Spec.from_dict(whole_scene(tomllib.loads(block.text))).compile())


@pytest.mark.parametrize("block", all_blocks("toml"), ids=str)
def test_toml_blocks_are_scenes(block: Block, folder: Path):
    """A whole scene compiles; a fragment compiles within the smallest scene that has what it names."""
    if "feet:Pad" in block.text:
        code = next(one.text for one in blocks(block.page) if one.language == "python")
        Path("feet.py").write_text(code, encoding="utf-8")
    if "crater.csv" in block.text:
        Path("crater.csv").write_text("0,0,0\n0,0.1,0\n0,0,0\n", encoding="utf-8")
    scene = whole_scene(tomllib.loads(block.text))
    assert contactlib.Spec.from_dict(scene, folder=folder, trust=True).compile().to_bytes()


# ---- commands ------------------------------------------------------------------------------------


def commands(block: Block) -> list[str]:
    """The command lines of a block, without their comments."""
    lines = block.text.split("\n")
    if block.language == "console":
        lines = [line[2:] for line in lines if line.startswith("$ ")]
    return [re.sub(r"\s+# .*", "", line).strip() for line in lines if line.strip() and not line.startswith("#")]


def not_run(command: str) -> bool | None:
    """Whether the check in place of a run holds; None for a command that is run."""
    for pattern, _, check in NOT_RUN:
        found = re.fullmatch(pattern, command.removesuffix("&").strip())
        if found:
            return check(found)
    return None


COMMANDS = [(block, line) for block in all_blocks("sh", "console") for line in commands(block)]
SHELL_PAGES = sorted({block.page for block, _ in COMMANDS})


@pytest.mark.parametrize("page", SHELL_PAGES)
def test_command_lines_that_are_not_run(page: str):
    """What stands for a run holds: the target, the extra, the file or the module exists."""
    assert [line for block, line in COMMANDS if block.page == page and not_run(line) is False] == []


RUN = [(block, line) for block, line in COMMANDS if not_run(line) is None]
RUN_PAGES = sorted({block.page for block, _ in RUN})


@pytest.mark.parametrize("page", RUN_PAGES)
def test_command_lines_run(page: str, folder: Path):
    lines = [line for block, line in RUN if block.page == page]
    slow = [line for line in lines if LONG_COMMANDS.fullmatch(line) and not QUICK.fullmatch(line)]
    write_named_files(page)
    for block in dict.fromkeys(block for block, _ in RUN if block.page == page):
        for line in commands(block):
            if not_run(line) is None and (LONG or line not in slow):
                check_output(block, line, run_command(line))
    if slow and not LONG and len(slow) == len(lines):
        needs_long_run("; ".join(slow))


def run_command(line: str) -> str:
    """Run a command line of contactlib in this process and return what it printed."""
    words = shlex.split(line)
    assert words[0] == "contactlib" or words[:2] == ["python", "-c"], f"{line}: no row of NOT_RUN says why not"
    if words[0] == "python":
        exec(words[2], {})
        return ""
    if words[1] == "run" and (ROOT / "contactlib" / "scenes" / words[2]).is_dir():
        words += ["--duration", str(max(SHORT, contactlib.load(words[2]).longest_step))]
    if words[1:3] == ["campaign", "run"]:
        shutil.rmtree("out", ignore_errors=True)  # the lines of a page may name one folder twice
    if words[1:3] == ["fmu", "check"] and not Path(words[3]).exists():
        run_command(f"contactlib fmu export {Path(words[3]).stem} -o {words[3]}")
    result = CliRunner().invoke(app, words[1:])
    assert result.exit_code == 0, f"{line}: {result.output}"
    return result.output


def check_output(block: Block, line: str, output: str) -> None:
    """In a console block, what the page shows below the command was printed, in this order; `...` stands for anything.
    """
    if block.language != "console":
        return
    shown = block.text.split(f"$ {line}", 1)[1].split("\n$ ", 1)[0].split("\n")[1:]
    place = 0
    for text in filter(None, (part.strip() for row in shown for part in row.split("..." if row.endswith("...") or
                                                                                row == "..." else "\0"))):
        found = output.find(text, place)
        assert found >= 0, f"{block}: '{text}' is not in what {line} printed:\n{output}"
        place = found + len(text)


# ---- all others ----------------------------------------------------------------------------------


def test_every_language_is_known():
    known = {"python", "toml", "sh", "console", "indented", *OTHER_LANGUAGES}
    assert sorted({block.language for page in pages() for block in blocks(page)} - known) == []


@pytest.mark.parametrize("block", all_blocks("indented"), ids=str)
def test_an_indented_block_is_no_code(block: Block):
    """Indented blocks are equations, lists of files and printed text: code has a fence with its language."""
    first = block.text.split("\n")[0]
    synopsis = block.page == "README.md" and "SCENE" in first
    assert synopsis or not re.match(r"\$ |(contactlib|python|make|pip) |\[\[?[a-z_.]+\]|import |from \w+ import", first)


def test_the_lines_of_c_compile(tmp_path: Path):
    """Within a function that has the variables that the page names."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler here, with which this test compiles the lines")
    (block,) = all_blocks("c")
    source = tmp_path / "lines.c"
    source.write_text(f"""#include "contactlib.h"
extern void fail(const char *);
extern void advance(const double *, double *, const double *, double);
void run(contactlib_simulation *s, double h, int steps, int n, double *states, double *wrenches, const double *masses,
         int coupling, double gauss_seidel) {{ int step, i;
{block.text}
}}
""", encoding="utf-8")
    done = subprocess.run([compiler, "-std=c99", "-pedantic", "-Wall", "-Werror", "-fsyntax-only",
                           f"-I{ROOT / 'fmu' / 'c'}", str(source)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_wrong_output_is_seen():
    block = Block("page.md", 1, "console", "$ contactlib show x\nfirst\n...\nlast (...")
    check_output(block, "contactlib show x", "first\nmore\nlast (5)\n")
    with pytest.raises(AssertionError, match="'last"):
        check_output(block, "contactlib show x", "last (5)\nfirst\n")
