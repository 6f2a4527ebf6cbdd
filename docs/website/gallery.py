"""The gallery: every program of examples/, with its source, what it printed when it was built, and its pictures.

A program is run again only if a file that it depends on has changed: its own source, other examples that it imports,
and the package. Its output is kept in the folder `gallery` beside the site.
"""

from __future__ import annotations

import ast
import hashlib
import html
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import contactlib
from docs.website.staging import ROOT, Stage

EXAMPLES = ROOT / "examples"
LIMIT = 600.0  # s, after which a program counts as failed
OUT = ("--out", "{out}")


@dataclass(frozen=True)
class Entry:
    """How a program is shown: its arguments (`{out}` is its folder), older pictures, and why it is not run."""

    arguments: tuple[str, ...] = ()
    #: where it writes pictures, if it has no option for that
    writes: str = ""
    #: pictures of docs/images for a program that is not run at build time
    pictures: tuple[str, ...] = ()
    not_run: str = ""
    #: packages that it imports besides those of contactlib
    needs: tuple[str, ...] = ()


#: programs that need more than `python examples/NAME.py`
ENTRIES = {
    "basilisk_docking": Entry(needs=("Basilisk",)),
    "cbm": Entry(not_run="it takes some minutes", pictures=("cbm_berthing.png",)),
    "cbm_arm_coupling": Entry(not_run="it takes some minutes"),
    "cbm_coupling": Entry(not_run="it takes some minutes"),
    "cbm_envelope": Entry(not_run="it takes some minutes", pictures=("cbm_envelope.png",)),
    "cbm_figure": Entry(not_run="it takes some minutes", pictures=("cbm_berthing.png",)),
    "climbing": Entry(OUT),
    "coupling_bounces": Entry(not_run="it takes more than a minute", pictures=("coupling_bounces.png",)),
    "docking_latches": Entry(OUT),
    "drake_slope": Entry(needs=("pydrake",)),
    "hexapod_walk": Entry(OUT),
    "lee_envelope": Entry(OUT),
    "lee_snare": Entry(OUT),
    "mujoco_docking": Entry(needs=("mujoco",)),
    "mujoco_gripper": Entry(needs=("mujoco",)),
    "mujoco_side_by_side": Entry(not_run="it measures times for some minutes", needs=("mujoco",)),
    "peg_in_hole": Entry((*OUT, "--fmu", "{out}/peg_in_hole.fmu")),
    "pin_field": Entry(OUT),
    "rover": Entry(OUT),
    "rwth_calibration": Entry(OUT, needs=("mujoco",)),
    "rwth_figure": Entry(not_run="it takes some minutes", pictures=("rwth_robot.png",), needs=("mujoco",)),
    "rwth_robot": Entry(needs=("mujoco",), pictures=("rwth_robot.png",)),
    "trampoline_capture": Entry(writes="out/trampoline_capture"),
    "trampoline_corkscrew": Entry(OUT),
}
#: modules that programs import, and that print nothing themselves
MODULES = ("berthing_arm", "docking_figure", "lee_figure", "panels", "rwth_cell", "trampoline_figure", "validation")


@dataclass(frozen=True)
class Run:
    """What one run of a program left."""

    text: str
    pictures: tuple[Path, ...]
    seconds: float
    code: int


def programs() -> list[str]:
    """The programs of examples/, without the modules that they share."""
    return [path.stem for path in sorted(EXAMPLES.glob("*.py")) if path.stem not in MODULES]


def missing(name: str) -> list[str]:
    """Packages of a program that are not installed."""
    return [package for package in ENTRIES.get(name, Entry()).needs if importlib.util.find_spec(package) is None]


def reason(name: str) -> str:
    """Why a program is not run at build time, or ''."""
    if absent := missing(name):
        return f"{' and '.join(absent)} is not installed"
    return ENTRIES.get(name, Entry()).not_run


def imported(path: Path) -> set[Path]:
    """The examples that a program imports, and those that these import, with the program itself."""
    found, waiting = set(), [path]
    while waiting:
        one = waiting.pop()
        if one in found or not one.is_file():
            continue
        found.add(one)
        for node in ast.walk(ast.parse(one.read_text(encoding="utf-8"))):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else (
                [alias.name for alias in node.names] if isinstance(node, ast.Import) else [])
            waiting += [EXAMPLES / f"{module}.py" for module in modules]
    return found


@cache
def package_digest() -> str:
    """A hash of everything in the installed package that a program may use."""
    package = Path(contactlib.__file__).parent
    files = [*package.rglob("*.py"), *package.rglob("*.toml"), *package.glob("_core/*.so"),
             *(ROOT / "fmu").rglob("*.py"),
             *(ROOT / "fmu" / "binaries").rglob("*.so"), *(ROOT / "validation_data").glob("*/expected.csv")]
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(str(path).encode() + path.read_bytes())
    return digest.hexdigest()


def digest(name: str) -> str:
    """A hash of what the output of a program depends on."""
    found = hashlib.sha256(package_digest().encode() + repr(ENTRIES.get(name)).encode())
    for path in sorted(imported(EXAMPLES / f"{name}.py")):
        found.update(path.read_bytes())
    return found.hexdigest()


def execute(name: str, folder: Path, *, run: bool = True) -> Run | None:
    """Run a program, or take its output of an earlier build; None without one. A program that fails raises an error."""
    record, key = folder / "run.json", digest(name)
    if record.is_file():
        kept = json.loads(record.read_text(encoding="utf-8"))
        if kept["key"] == key or not run:
            return Run(kept["text"], tuple(folder / name for name in kept["pictures"]), kept["seconds"], 0)
    if not run:
        return None
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    entry = ENTRIES.get(name, Entry())
    arguments = [text.format(out=folder) for text in entry.arguments]
    threads = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-W", "ignore", str(EXAMPLES / f"{name}.py"), *arguments], cwd=folder,
                          env={**os.environ, **threads, "MPLBACKEND": "agg"}, capture_output=True, text=True,
                          timeout=LIMIT, stdin=subprocess.DEVNULL)
    seconds = time.perf_counter() - start
    if done.returncode:
        raise RuntimeError(f"examples/{name}.py ended with exit code {done.returncode}:\n{done.stdout}{done.stderr}")
    for path in (ROOT / entry.writes).glob("*.png") if entry.writes else ():
        shutil.copy(path, folder)
    pictures = sorted(path for path in folder.rglob("*.png"))
    text = done.stdout.replace(f"{folder}/", "out/").replace(f"{ROOT}/", "")
    kept = {"key": key, "text": text, "seconds": seconds,
            "pictures": [path.relative_to(folder).as_posix() for path in pictures]}
    record.write_text(json.dumps(kept, indent=1), encoding="utf-8")
    return Run(text, tuple(pictures), seconds, 0)


def write(stage: Stage, cache_folder: Path, *, run: bool = True) -> None:
    """Run the programs, two at a time, and write a page for each and the page of all."""
    shown = [name for name in programs() if not reason(name)]

    def one(name: str) -> tuple[str, Run | None]:
        found = execute(name, cache_folder / name, run=run)
        if found is not None:
            print(f"  {name}: {found.seconds:.1f} s", flush=True)
        return name, found

    with ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        runs = dict(pool.map(one, shown))
    tiles = {}
    for name in programs():
        found = runs.get(name)
        pictures = _pictures(stage, name, found)
        stage.write(f"gallery/{name}.md", page(name, found, pictures))
        tiles[name] = tile(name, found, pictures)
    stage.write("gallery/index.md", index(tiles))


def _pictures(stage: Stage, name: str, run: Run | None) -> list[str]:
    """Copy the pictures of a program beside its page, and return their names."""
    files = run.pictures if run and run.pictures else tuple(
        ROOT / "docs" / "images" / picture for picture in ENTRIES.get(name, Entry()).pictures)
    names = []
    for path in files:
        names.append(f"{name}_{path.name}")
        stage.write(f"gallery/{names[-1]}", path.read_bytes())
    return names


def docstring(name: str) -> str:
    """The docstring of a program."""
    return ast.get_docstring(ast.parse((EXAMPLES / f"{name}.py").read_text(encoding="utf-8"))) or ""


def headline(name: str) -> str:
    """The first sentence of a program's docstring, without its command."""
    first = docstring(name).partition("\n")[0]
    return first.removesuffix(f": python examples/{name}.py.").rstrip(".").replace("`", "")


def page(name: str, run: Run | None, pictures: list[str]) -> str:
    """The page of a program."""
    source = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    lines = [f"# {name}\n", f"{headline(name)}.\n", "```console", f"$ python examples/{name}.py", "```\n"]
    lines += [f"![Picture of {name}]({picture})\n" for picture in pictures]
    if run is not None:
        lines += [f"It printed, in {run.seconds:.1f} s when this page was built:\n"]
        lines += ["```text", run.text.rstrip(), "```\n"]
    elif why := reason(name):
        lines.append(f"This program is not run when the site is built: {why}."
                     f"{' Its picture is of an earlier run.' if pictures else ''}\n")
    else:
        lines.append("This program was not run when this page was built.\n")
    lines += [f"## Source: `examples/{name}.py`\n", "````python", source.rstrip(), "````\n"]
    return "\n".join(lines)


def tile(name: str, run: Run | None, pictures: list[str]) -> str:
    """The thumbnail of a program: its picture, the picture of its scene, or what it printed."""
    if pictures:
        shot = f'<img src="../_images/{pictures[0]}" alt="{name}" loading="lazy"/>'
    elif run is not None and run.text.strip():
        shot = f"<pre>{html.escape(run.text[:900])}</pre>"
    elif (Path(contactlib.__file__).parent / "scenes" / name).is_dir():
        shot = f'<img src="../_images/{name}.svg" alt="the scene {name}" loading="lazy"/>'
    else:
        shot = f"<pre>{html.escape(docstring(name)[:600])}</pre>"
    return (f'<a href="{name}.html"><span class="shot">{shot}</span>'
            f'<span class="what"><strong>{name}</strong><br/>{html.escape(headline(name))}</span></a>')


def index(tiles: dict[str, str]) -> str:
    """The page of all programs: those with a picture first."""
    drawn = {name: text for name, text in tiles.items() if "_images" in text}
    printed = {name: text for name, text in tiles.items() if name not in drawn and not reason(name)}
    rest = {name: text for name, text in tiles.items() if name not in drawn and name not in printed}
    parts = ["# Gallery\n", "The programs of the folder `examples/`. They are run when this site is built; each page",
             "has the source, what it printed, and its pictures. `python examples/NAME.py` runs one.\n"]
    for title, some in (("With a picture", drawn), ("With a table", printed), ("Not run when the site is built", rest)):
        if some:
            parts += [f"## {title}\n", "```{raw} html", '<div class="tiles">', *some.values(), "</div>", "```\n"]
    left_out = [f"- `{name}`: {reason(name)}." for name in tiles if reason(name)]
    if left_out:
        parts += ["Programs that are not run when the site is built, and why:\n", *left_out, ""]
    return "\n".join([*parts, "```{toctree}", ":hidden:\n", *tiles, "List of all files <../examples/README>", "```\n"])
