"""Builds of the FMU binary with other compilers and flags, kept in build/platforms/ as long as no source changes."""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import json
import re
import shutil
import subprocess
from importlib import metadata
from pathlib import Path

from contactlib.fmu.build import build, build_platform, default_core, find_platform, fmi_include, platform_folder
from contactlib.fmu.platforms.wasm import build_wasm
from tests.platforms.cases import Unavailable

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "build" / "platforms"
SOURCES = (default_core(), ROOT / "fmu")
FLAGS = re.compile(r"^flags = (\[.*\])$", re.MULTILINE)


def need(tool: str, remedy: str) -> str:
    """The path of a program; Unavailable, with the remedy, where it is missing."""
    found = shutil.which(tool)
    if found is None:
        raise Unavailable(f"{tool} is missing: {remedy}")
    return found


def zig() -> str:
    """The program of the package ziglang."""
    spec = importlib.util.find_spec("ziglang")
    if spec is None or not spec.submodule_search_locations:
        raise Unavailable("ziglang is missing: pip install 'contactlib[platforms]'")
    return str(Path(spec.submodule_search_locations[0]) / "zig")


def native(compiler: str, *flags: str, without: str = "-O3") -> Path:
    """The library for this machine by a compiler, with `flags` instead of one of build.toml's."""
    program = need(compiler, f"apt-get install {compiler}")
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    name = f"{compiler} {' '.join(flags)}"
    return _kept(name, version, lambda folder: build(_core(folder, flags, without), folder, compiler))


def cross(platform: str) -> Path:
    """The library of another platform by zig."""
    zig()
    version = metadata.version("ziglang")
    return _kept(platform, version, lambda folder: build_platform(find_platform(platform), default_core(), folder))


def wasm() -> Path:
    """The module for web pages and node by zig."""
    zig()
    return _kept("wasm32", metadata.version("ziglang"), lambda folder: build_wasm(default_core(), folder))


def host(target: str = "") -> Path:
    """The host replay.c for a target of zig, by default for this machine by its C compiler."""
    source = Path(__file__).with_name("replay.c")
    compiler = [zig(), "cc", "-target", target] if target else [need("cc", "apt-get install gcc")]
    program = KEPT / f"replay-{target or platform_folder()}{'.exe' if 'windows' in target else ''}"
    program.parent.mkdir(parents=True, exist_ok=True)
    flags = ["-std=gnu11", "-O1", "-Wall", "-Werror", f"-I{fmi_include()}", "-o", str(program)]
    command = [*compiler, *flags, str(source), *([] if "windows" in target else ["-ldl"])]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"replay.c cannot be compiled for {target or 'this machine'}: {done.stderr}")
    return program


def _kept(name: str, version: str, make) -> Path:
    """What `make` builds in a folder; built once for the present sources and the compiler's version."""
    key = hashlib.sha256(f"{name} {version}".encode())
    for folder in SOURCES:
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".cpp", ".hpp", ".toml", ".py"):  # .py: flags of compilers and linkers
                key.update(path.read_bytes())
    folder = KEPT / f"{re.sub('[^a-z0-9]+', '-', name.lower()).strip('-')}-{key.hexdigest()[:12]}"
    folder.mkdir(parents=True, exist_ok=True)
    note = folder / "library.txt"
    with open(folder / "lock", "w") as lock:  # two processes of the tests may want one build
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not note.exists():
            library = make(folder)
            note.write_text(library.relative_to(folder).as_posix(), encoding="utf-8")
    return folder / note.read_text(encoding="utf-8")


def _core(folder: Path, flags: tuple[str, ...], without: str) -> Path:
    """A copy of the core's sources whose build.toml has other flags."""
    core = folder / "core"
    shutil.copytree(default_core(), core, dirs_exist_ok=True)
    settings = core / "build.toml"
    text = settings.read_text(encoding="utf-8")
    old = json.loads(FLAGS.search(text)[1])
    if without not in old:
        raise ValueError(f"{settings}: flags = {old}: must contain {without}")
    new = [flag for flag in old if flag != without] + list(flags)
    settings.write_text(FLAGS.sub(f"flags = {json.dumps(new)}", text), encoding="utf-8")
    return core
