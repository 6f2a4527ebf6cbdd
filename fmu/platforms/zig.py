"""Builds the FMU binary for any platform with zig, from the package ziglang, which contains all headers it needs."""

from __future__ import annotations

import importlib.util
import os
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from .compile import Compiler, compile_core, compile_fmi, link_library
from .fat import join_architectures
from .finish_macho import finish_macho
from .finish_pe import finish_pe
from .sources import C_SOURCE, FMU, eigen_include, fmi_include
from .table import Platform

# zig turns -O3 into -O2, keeps frame pointers and debug information, and adds traps for undefined behaviour, if it is
# not told otherwise
FLAGS = ("-Xclang", "-O3", "-fomit-frame-pointer", "-g0", "-fno-sanitize=undefined", "-fstack-protector-strong")
# the core writes & where a jump would cost more; behind -Wall, which would bring the warning back
QUIET = ("-Wno-bitwise-instead-of-logical",)
#: by the system of a platform, what corrects a library that zig has linked
FINISH = {"darwin": finish_macho, "windows": finish_pe}


def find_zig() -> Path:
    """Return the program of the installed package ziglang.

    Raises
    ------
    FileNotFoundError
        If the package is not installed.
    """
    spec = importlib.util.find_spec("ziglang")
    folders = (spec.submodule_search_locations if spec else None) or []
    for name in ("zig", "zig.exe"):
        for folder in folders:
            if (found := Path(folder) / name).is_file():
                return found
    raise FileNotFoundError("zig is missing; install the package ziglang: pip install 'contactlib[platforms]'")


def zig_compiler(target: str, core: Path, scratch: Path) -> Compiler:
    """Return zig as a compiler for one target.

    Parameters
    ----------
    target
        A target of zig, such as ``"aarch64-linux-gnu.2.17"``.
    core
        The folder of the core's sources.
    scratch
        A folder for files that zig keeps between its calls.
    """
    # no path of this machine may come into the binary
    folders = {"core": core, "fmu": FMU, "eigen": eigen_include(), "fmi": fmi_include(), "scratch": scratch}
    maps = tuple(f"-ffile-prefix-map={folder}={name}" for name, folder in folders.items())
    command = (str(find_zig()), "c++", "-target", target, *FLAGS, *maps)
    return Compiler(command, last=QUIET, environment={"ZIG_LOCAL_CACHE_DIR": str(scratch / "cache")})


def build_platform(
    row: Platform, core: Path, output: Path, jobs: int | None = None, core_objects: Sequence[Path] | None = None
) -> Path:
    """Compile and link the binary of one platform into ``<output>/<platform>/``.

    Parameters
    ----------
    row
        The platform.
    core
        The folder of the core's sources.
    output
        The folder ``binaries``; the platform's folder is created below.
    jobs
        Number of files that are compiled at a time, by default one for each processor.
    core_objects
        The object files from `compile_core` for the only target of the platform; by default this function compiles
        the core.

    Returns
    -------
    Path
        The library.

    Raises
    ------
    FileNotFoundError
        If ziglang or headers are missing.
    RuntimeError
        If zig fails; the message contains its output.
    """
    with tempfile.TemporaryDirectory(prefix="contactlib_fmu_") as scratch:
        slices = [
            _build_target(target, row, core, Path(scratch) / target, jobs, core_objects) for target in row.targets
        ]
        content = slices[0].read_bytes() if len(slices) == 1 else join_architectures([s.read_bytes() for s in slices])
        return publish(content, output / row.library)


def publish(content: bytes, library: Path) -> Path:
    """Write a library in one step: a process that has mapped the old file keeps it complete."""
    library.parent.mkdir(parents=True, exist_ok=True)
    new = library.with_suffix(".new")
    new.write_bytes(content)
    os.replace(new, library)
    return library


def _build_target(
    target: str, row: Platform, core: Path, scratch: Path, jobs: int | None, core_objects: Sequence[Path] | None
) -> Path:
    compiler = zig_compiler(target, core, scratch)
    compiler = replace(compiler, last=(*compiler.last, *row.flags))
    objects = compile_fmi(core, scratch / "fmi", compiler, jobs, [C_SOURCE, *(FMU / name for name in row.sources)])
    objects += core_objects or compile_core(core, scratch / "core", compiler, jobs)
    library = scratch / Path(row.library).name
    link_library(objects, library, row, compiler)
    if finish := FINISH.get(row.system):
        library.write_bytes(finish(library.read_bytes()))
    return library
