"""THE TABLE OF HOSTS: each row runs the cases with one compiler, processor, system or loader."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from contactlib.fmu.build import BINARIES, platform_folder
from contactlib.fmu.hashes import scene_hash
from tests.platforms import browser, builds
from tests.platforms.cases import Case, Unavailable, digest

HERE = Path(__file__).parent
CLASS = HERE.parents[1] / "fmu" / "web" / "contactlib.mjs"
#: what glibc's loader may be told to hide, so that it chooses functions without these instructions
HIDDEN = "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX,-AVX2,-AVX2_Usable,-FMA_Usable,-AVX512F"
Hashes = dict[str, str]


@dataclass(frozen=True)
class Row:
    """One way of running the cases: `run` returns the hash of each scene, or raises Unavailable."""

    name: str
    run: Callable[[list[Case]], Hashes]
    #: whether the row builds the library for itself, which takes minutes
    builds: bool = False
    #: whether this row must differ somewhere, since it breaks a rule on purpose
    must_differ: bool = False


def through_fmpy(threads: int) -> Callable[[list[Case]], Hashes]:
    """The installed FMU in FMPy, in some threads at a time."""
    return lambda cases: {case.scene: scene_hash(case.scene, threads=threads).outputs for case in cases}


def installed() -> Path:
    """The FMU binary of the installed package."""
    return next((BINARIES / platform_folder()).glob("contactlib.*"))


def through_host(
    library: Callable[[], Path],
    target: str = "",
    launcher: Callable[[], list[str]] = list,
    environment: Mapping[str, str] | None = None,
    drive: str = "",
) -> Callable[[list[Case]], Hashes]:
    """A library in replay.c: on this machine, or for another target through a launcher such as qemu."""

    def run(cases: list[Case]) -> Hashes:
        start = launcher()
        command = [*start, str(builds.host(target)), f"{drive}{library()}"]
        return in_processes(cases, lambda outputs: [*command, f"{drive}{outputs}"], environment)

    return run


def through_node(cases: list[Case]) -> Hashes:
    """The module for web pages in node."""
    node = builds.need("node", "apt-get install nodejs")
    command = [node, str(HERE / "replay.mjs"), str(CLASS), str(builds.wasm())]
    return in_processes(cases, lambda outputs: [*command, str(outputs)])


def through_browser(cases: list[Case]) -> Hashes:
    """The module for web pages in headless Chromium."""
    builds.need("chromium", browser.REMEDY)
    with tempfile.TemporaryDirectory(prefix="contactlib_page_") as folder:
        scenes = Path(folder) / "scenes.json"
        scenes.write_text(json.dumps([case.scene for case in cases]), encoding="utf-8")
        files = {
            "/replay.html": HERE / "replay.html",
            "/replay.mjs": HERE / "replay.mjs",
            "/contactlib.mjs": CLASS,
            "/contactlib.wasm": builds.wasm(),
            "/scenes.json": scenes,
            **{f"/{c.scene}/{name}": c.folder / name for c in cases for name in ("model.bin", "inputs.bin")},
        }
        posted = browser.run_page(files, "/replay.html")
    if "/error" in posted:
        raise RuntimeError(posted["/error"].decode())
    return {case.scene: digest(posted[f"/{case.scene}"]) for case in cases}


def in_processes(
    cases: list[Case], command: Callable[[Path], list[str]], environment: Mapping[str, str] | None = None
) -> Hashes:
    """Run a command in the folder of each case; it writes the file of outputs that it is given."""
    with tempfile.TemporaryDirectory(prefix="contactlib_outputs_") as folder:

        def one(case: Case) -> str:
            outputs = Path(folder) / f"{case.scene}.bin"
            whole = {**os.environ, **(environment or {})}
            done = subprocess.run(command(outputs), cwd=case.folder, env=whole, capture_output=True, text=True)
            if done.returncode != 0:
                lines = (done.stdout + done.stderr).strip().splitlines()
                raise RuntimeError(f"{case.scene}: exit code {done.returncode}: {lines[-1] if lines else 'no message'}")
            return digest(outputs.read_bytes())

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return dict(zip((case.scene for case in cases), pool.map(one, cases), strict=True))


def qemu() -> list[str]:
    """The start of a command that runs a program for aarch64."""
    program = builds.need("qemu-aarch64", "apt-get install qemu-user")
    system = Path("/usr/aarch64-linux-gnu")
    if not (system / "lib").is_dir():
        raise Unavailable(f"the libraries of aarch64 are missing in {system}: apt-get install libc6-arm64-cross")
    return [program, "-L", str(system)]


def wine() -> list[str]:
    """The start of a command that runs a program for Windows."""
    return [builds.need("wine", "apt-get install wine")]


def wine_settings() -> dict[str, str]:
    """A home of its own for wine, without its messages and without a window."""
    home = str(builds.KEPT / "wine")
    return {"WINEPREFIX": home, "WINEDEBUG": "-all", "DISPLAY": "", "WINEDLLOVERRIDES": "mscoree,mshtml="}


def native(*given: str, **named: str) -> Callable[[list[Case]], Hashes]:
    """A build for this machine (`builds.native`) in the C host."""
    return through_host(lambda: builds.native(*given, **named))


HASWELL = "-march=haswell"
ROWS = (
    Row("FMPy, installed FMU", through_fmpy(1)),
    Row("FMPy, 8 threads", through_fmpy(8)),
    Row("C host, installed FMU", through_host(installed)),
    Row("C host, FMA and AVX hidden", through_host(installed, environment={"GLIBC_TUNABLES": HIDDEN})),
    Row("gcc -O1", native("g++", "-O1"), builds=True),
    Row("gcc -O2", native("g++", "-O2"), builds=True),
    Row("gcc -O3", native("g++", "-O3"), builds=True),
    Row("gcc -O3 -mavx2", native("g++", "-O3", "-mavx2"), builds=True),
    # with FMA, gcc makes vfmaddsub of a product and a sum beside a difference, whatever -ffp-contract says
    Row(f"gcc -O3 {HASWELL} -mno-fma", native("g++", "-O3", HASWELL, "-mno-fma"), builds=True),
    Row("clang -O3", native("clang++", "-O3"), builds=True),
    Row(f"clang -O3 {HASWELL}", native("clang++", "-O3", HASWELL), builds=True),
    Row("zig, linux64, glibc 2.17", through_host(lambda: builds.cross("linux64")), builds=True),
    Row("zig, aarch64-linux, qemu",
        through_host(lambda: builds.cross("aarch64-linux"), "aarch64-linux-gnu.2.17", qemu), builds=True),
    Row("zig, win64, wine",
        through_host(lambda: builds.cross("win64"), "x86_64-windows-gnu", wine, wine_settings(), "Z:"), builds=True),
    Row("zig, wasm32, node", through_node, builds=True),
    Row("zig, wasm32, Chromium", through_browser, builds=True),
    Row("gcc -ffp-contract=fast", native("g++", "-ffp-contract=fast", HASWELL, without="-ffp-contract=off"),
        builds=True, must_differ=True),
)  # fmt: skip
