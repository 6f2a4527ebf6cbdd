"""Builds the generic binary that every exported FMU contains: the core and the FMI functions.

``python -m contactlib.fmu.build`` builds for this platform with the compiler of the host. With ``--all`` or
``--platform NAME`` it builds with zig, from the package ziglang, for any platform, and for web pages (wasm32). This
module imports nothing from contactlib, because setup.py loads it by path before contactlib can be imported.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .platforms.compile import Compiler, compile_core, compile_fmi, find_compiler, link_library, with_eigen
from .platforms.sources import C_SOURCE, core_sources, default_core, eigen_include, fmi_include
from .platforms.table import PLATFORMS, find_platform, platform_folder
from .platforms.wasm import WASM, build_wasm
from .platforms.zig import build_platform, publish

__all__ = [
    "PLATFORMS",
    "build",
    "build_platform",
    "build_wasm",
    "compile_core",
    "core_sources",
    "default_core",
    "eigen_include",
    "find_compiler",
    "find_platform",
    "fmi_include",
    "platform_folder",
    "with_eigen",
]
BINARIES = Path(__file__).parent / "binaries"


def build(
    core: Path,
    output: Path,
    compiler: str | None = None,
    jobs: int | None = None,
    core_objects: Sequence[Path] | None = None,
) -> Path:
    """Compile the core and the FMI functions into ``<output>/<platform>/contactlib.so``, for this platform.

    Parameters
    ----------
    core
        The folder with the sources and ``build.toml``, which contains the flags.
    output
        The folder ``binaries``; the platform's folder is created below.
    compiler
        A C++17 compiler, by default ``$CXX`` or the first of g++, c++ and clang++ that is found.
    jobs
        Number of files that are compiled at a time, by default one for each processor.
    core_objects
        The object files from `compile_core`; by default this function compiles the core.

    Returns
    -------
    Path
        The library.

    Raises
    ------
    FileNotFoundError
        If there is no compiler, or headers are missing.
    RuntimeError
        If the compiler fails; the message contains its output.

    Examples
    --------
    >>> build(default_core(), Path("binaries"))  # doctest: +SKIP
    PosixPath('binaries/linux64/contactlib.so')
    """
    row = PLATFORMS[platform_folder()]
    if row.suffix != ".so":
        raise RuntimeError(f"The compiler of the host can build the FMU binary on Linux only, not on {row.name}: "
                           f"use zig, with --platform {row.name}.")
    chosen = Compiler.of_host(compiler)
    with tempfile.TemporaryDirectory(prefix="contactlib_fmu_") as scratch:
        folder = Path(scratch)
        if core_objects is None:
            core_objects = compile_core(core, folder / "core", chosen, jobs)
        objects = compile_fmi(core, folder / "fmi", chosen, jobs, [C_SOURCE])
        linked = folder / Path(row.library).name
        link_library([*objects, *core_objects], linked, row, chosen)
        return publish(linked.read_bytes(), output / row.library)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument(
        "--output", type=Path, default=BINARIES, help="the folder binaries (default: %(default)s)"
    )
    parser.add_argument("--compiler", help="a C++17 compiler for this platform (default: $CXX, g++, c++ or clang++)")
    parser.add_argument("--jobs", type=int, help="files compiled at a time (default: one for each processor)")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--all", action="store_true", help=f"build with zig for {', '.join([*PLATFORMS, WASM])}")
    which.add_argument(
        "--platform", action="append", metavar="NAME", help="build with zig for this platform; may be repeated"
    )
    arguments = parser.parse_args()
    if arguments.compiler and (arguments.all or arguments.platform):
        parser.error("--compiler is for this platform's own build; --all and --platform use zig")
    return arguments


def _build_with_zig(name: str, core: Path, arguments: argparse.Namespace) -> Path:
    if name == WASM:
        return build_wasm(core, arguments.output, arguments.jobs)
    return build_platform(find_platform(name), core, arguments.output, arguments.jobs)


def main() -> None:
    """Run the command line ``python -m contactlib.fmu.build``."""
    arguments = _arguments()
    try:
        core, names = default_core(), [*PLATFORMS, WASM] if arguments.all else arguments.platform or []
        for name in names:
            if name != WASM:
                find_platform(name)  # a mistake in the last name is found before the first build
        for name in names:
            print(_build_with_zig(name, core, arguments), flush=True)
        if not names:
            print(build(core, arguments.output, arguments.compiler, arguments.jobs))
    except (FileNotFoundError, RuntimeError, ValueError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
