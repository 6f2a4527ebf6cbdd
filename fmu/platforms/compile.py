"""Compiles and links with one compiler: the one of the host, or zig for any platform."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from .sources import FMI_SOURCES, FMU, core_sources, eigen_include, fmi_include
from .table import VERSION_SCRIPT, Platform

EIGEN = "#include <Eigen/Core>\n#include <Eigen/Geometry>\n"


@dataclass(frozen=True)
class Compiler:
    """A C++17 compiler: the start of its command, flags for the linker alone, and additions to the environment.

    `last` are flags that stand behind those of build.toml and replace them.
    """

    command: tuple[str, ...]
    link: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_host(cls, compiler: str | None = None) -> Compiler:
        """The compiler with this name, by default the one that `find_compiler` finds."""
        command = shlex.split(compiler) if compiler else find_compiler()
        return cls(tuple(command), link=("-static-libgcc", "-static-libstdc++"))

    def run(self, *arguments: str) -> None:
        """Run the compiler. RuntimeError, with its output, if it fails."""
        run_compiler([*self.command, *arguments], self.environment)


def find_compiler() -> list[str]:
    """Return the C++ compiler as the start of a command: ``$CXX``, or the first compiler that is found."""
    if os.environ.get("CXX"):
        return shlex.split(os.environ["CXX"])
    for name in ("g++", "c++", "clang++"):
        if path := shutil.which(name):
            return [path]
    raise FileNotFoundError("No C++ compiler was found; install g++ or clang++, or set CXX.")


def with_eigen(command: list[str], folder: Path, environment: Mapping[str, str] | None = None) -> list[str]:
    """Return a compiler command with precompiled Eigen headers, which halve the time of each source.

    Parameters
    ----------
    command
        The compiler and its flags; precompiled headers need equal flags.
    folder
        The folder for the precompiled headers.
    environment
        Additions to the environment of the compiler.

    Returns
    -------
    list of str
        The command, to be completed by ``-c SOURCE -o OBJECT``.

    Raises
    ------
    RuntimeError
        If the compiler fails; the message contains its output.
    """
    header = folder / "eigen.hpp"
    header.write_text(EIGEN, encoding="utf-8")
    run_compiler([*command, "-x", "c++-header", str(header), "-o", f"{header}.gch"], environment)
    return [*command, "-include", str(header)]


def compile_core(
    core: Path, folder: Path, compiler: str | Compiler | None = None, jobs: int | None = None
) -> list[Path]:
    """Compile the core, once for the Python module and for the FMU binary.

    Parameters
    ----------
    core
        The folder with the sources and ``build.toml``, which contains the flags.
    folder
        The folder for the object files.
    compiler
        A C++17 compiler, by default ``$CXX`` or the first of g++, c++ and clang++ that is found.
    jobs
        Number of files that are compiled at a time, by default one for each processor.

    Returns
    -------
    list of Path
        The object files, in the order of the sources.

    Raises
    ------
    FileNotFoundError
        If there is no compiler, or headers are missing.
    RuntimeError
        If the compiler fails; the message contains its output.

    Examples
    --------
    >>> from contactlib.fmu.build import default_core
    >>> compile_core(default_core(), Path("objects"))[0]  # doctest: +SKIP
    PosixPath('objects/0_box.o')
    """
    return _compile_all(_chosen(compiler), _flags(core), core_sources(core), folder, jobs)


def compile_fmi(
    core: Path,
    folder: Path,
    compiler: str | Compiler | None = None,
    jobs: int | None = None,
    more: Sequence[Path] = (),
) -> list[Path]:
    """Compile the FMI functions and `more` sources; other parameters, result and errors as of `compile_core`."""
    sources = [*(FMU / name for name in FMI_SOURCES), *more]
    return compile_sources(sources, core, folder, [f"-I{FMU}", f"-I{fmi_include()}"], _chosen(compiler), jobs)


def compile_sources(
    sources: Sequence[Path], core: Path, folder: Path, flags: Sequence[str], compiler: Compiler, jobs: int | None = None
) -> list[Path]:
    """Compile sources that use the core, with `flags` after the core's; result and errors as of `compile_core`."""
    return _compile_all(compiler, [*_flags(core), *flags], list(sources), folder, jobs)


def link_library(objects: Sequence[Path], library: Path, row: Platform, compiler: Compiler) -> None:
    """Link object files into the shared library of a platform.

    Parameters
    ----------
    objects
        The object files, in the order in which the linker is to see them.
    library
        The file to write. Its folder also receives the list of exported names.
    row
        The platform.
    compiler
        The compiler that made the object files.

    Raises
    ------
    RuntimeError
        If the linker fails; the message contains its output.
    """
    exports = library.with_name("exports.map")
    exports.write_text(VERSION_SCRIPT, encoding="utf-8")
    flags = [flag.format(exports=exports) for flag in row.link]
    compiler.run("-shared", "-s", *compiler.link, *flags, *map(str, objects), "-o", str(library))


def run_compiler(command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
    """Run a command of a compiler, and pass its warnings on. RuntimeError, with its output, if it fails."""
    whole = {**os.environ, **environment} if environment else None
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=whole)
    if result.returncode != 0:
        raise RuntimeError(f"The compiler failed: {shlex.join(command)}\n{result.stderr}")
    sys.stderr.write(result.stderr)


def _chosen(compiler: str | Compiler | None) -> Compiler:
    return compiler if isinstance(compiler, Compiler) else Compiler.of_host(compiler)


def _flags(core: Path) -> list[str]:
    settings: dict[str, Any] = tomllib.loads((core / "build.toml").read_text(encoding="utf-8"))
    return [
        f"-std={settings['standard']}",
        *settings["flags"],
        "-fPIC",
        "-ffunction-sections",
        *(f"-D{name}" for name in settings["defines"]),
        f"-I{core}",
        f"-I{eigen_include()}",
    ]


def _compile_all(
    compiler: Compiler, flags: list[str], sources: list[Path], folder: Path, jobs: int | None
) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    command = with_eigen([*compiler.command, *flags, *compiler.last], folder, compiler.environment)
    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        return list(pool.map(partial(_compile, command, compiler.environment, folder), enumerate(sources)))


def _compile(command: list[str], environment: Mapping[str, str], folder: Path, numbered: tuple[int, Path]) -> Path:
    number, source = numbered
    target = folder / f"{number}_{source.stem}.o"
    run_compiler([*command, "-c", str(source), "-o", str(target)], environment)
    return target
