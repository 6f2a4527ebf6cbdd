"""Builds the generic binary that every exported FMU contains: the core and the FMI functions.

Run ``python -m contactlib.fmu.build``. This module imports nothing from contactlib, because setup.py loads it by path
before contactlib can be imported.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SOURCES = ("fmi2.cpp", "instance.cpp", "snapshot.cpp", "resources.cpp")
LIBRARY = "contactlib"
EIGEN = "#include <Eigen/Core>\n#include <Eigen/Geometry>\n"
SUFFIXES = {"linux64": ".so", "aarch64-linux": ".so", "win64": ".dll", "darwin64": ".dylib"}

# masters load many FMUs into one process: the binary exports only the functions of the standard, and needs only
# libraries of the system
VERSION_SCRIPT = "{ global: fmi2*; local: *; };\n"
LINK_FLAGS = (
    "-shared",
    "-s",
    "-static-libgcc",
    "-static-libstdc++",
    "-Wl,--no-undefined",
    "-Wl,--gc-sections",
)


def platform_folder(system: str | None = None, machine: str | None = None) -> str:
    """Return the folder below ``binaries/`` that FMI 2.0 defines for a platform, by default for this platform.

    Parameters
    ----------
    system, machine
        The values of ``platform.system()`` and ``platform.machine()``.

    Raises
    ------
    ValueError
        If no folder is known for the platform.

    Examples
    --------
    >>> platform_folder("Linux", "x86_64")
    'linux64'
    """
    system = system or platform.system()
    machine = (machine or platform.machine()).lower()
    wide = machine in ("x86_64", "amd64")
    if system == "Linux" and (wide or machine in ("aarch64", "arm64")):
        return "linux64" if wide else "aarch64-linux"
    if system == "Windows" and wide:
        return "win64"
    if system == "Darwin":
        return "darwin64"
    raise ValueError(f"There is no FMU binary for {system} on {machine}; must be one of {', '.join(SUFFIXES)}.")


def eigen_include() -> Path:
    """Return the folder of Eigen's headers in the installed package cmeel-eigen."""
    try:
        root = importlib.metadata.distribution("cmeel-eigen").locate_file("cmeel.prefix/include/eigen3")
    except importlib.metadata.PackageNotFoundError:
        raise FileNotFoundError("Eigen's headers are missing; install the package cmeel-eigen.") from None
    return _present(Path(str(root)), "Eigen's headers", "cmeel-eigen")


def fmi_include() -> Path:
    """Return the folder of the FMI headers in the installed package FMPy."""
    spec = importlib.util.find_spec("fmpy")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError("The FMI headers are missing; install the package FMPy.")
    return _present(Path(spec.submodule_search_locations[0]) / "c-code", "The FMI headers", "FMPy")


def default_core() -> Path:
    """Return the folder of the core's sources: beside the package, or in the repository."""
    for folder in (HERE.parent / "core", HERE.parent / "contactlib" / "core"):
        if (folder / "build.toml").is_file():
            return folder
    raise FileNotFoundError(f"The core's sources are not installed: there is no core/build.toml near {HERE}.")


def core_sources(core: Path) -> list[Path]:
    """Return all sources of the core, in an order that is the same on every machine."""
    return sorted(core.rglob("*.cpp"), key=lambda path: path.relative_to(core).as_posix())


def compile_core(core: Path, folder: Path, compiler: str | None = None, jobs: int | None = None) -> list[Path]:
    """Compile the core, once for the Python module and for the FMU binary.

    Parameters
    ----------
    core, compiler, jobs
        As in `build`.
    folder
        The folder for the object files.

    Returns
    -------
    list of Path
        The object files, in the order of the sources.

    Raises
    ------
    FileNotFoundError, RuntimeError
        As `build`.

    Examples
    --------
    >>> compile_core(default_core(), Path("objects"))[0]  # doctest: +SKIP
    PosixPath('objects/0_box.o')
    """
    settings = _settings(core)
    command = _compile_command(core, settings, compiler)
    return _compile_all(command, core_sources(core), folder, jobs)


def build(
    core: Path,
    output: Path,
    compiler: str | None = None,
    jobs: int | None = None,
    core_objects: Sequence[Path] | None = None,
) -> Path:
    """Compile the core and the FMI functions into ``<output>/<platform>/contactlib.so``.

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
    platform = platform_folder()
    if SUFFIXES[platform] != ".so":
        raise RuntimeError(f"The FMU binary can be built on Linux only, not on {platform}.")
    library = output / platform / f"{LIBRARY}{SUFFIXES[platform]}"
    with tempfile.TemporaryDirectory(prefix="contactlib_fmu_") as scratch:
        folder = Path(scratch)
        if core_objects is None:
            core_objects = compile_core(core, folder / "core", compiler, jobs)
        command = [*_compile_command(core, _settings(core), compiler), f"-I{HERE}", f"-I{fmi_include()}"]
        objects = _compile_all(command, [HERE / name for name in SOURCES], folder / "fmi", jobs)
        script = folder / "exports.map"
        script.write_text(VERSION_SCRIPT, encoding="utf-8")
        linked = folder / library.name
        link = [*_driver(compiler), *LINK_FLAGS, f"-Wl,--version-script={script}"]
        _run([*link, *map(str, [*objects, *core_objects]), "-o", str(linked)])
        library.parent.mkdir(parents=True, exist_ok=True)
        # replaced in one step: a process that has mapped the old library keeps the complete old file
        shutil.copyfile(linked, library.with_suffix(".new"))
        library.with_suffix(".new").replace(library)
    return library


def find_compiler() -> list[str]:
    """Return the C++ compiler as the start of a command: ``$CXX``, or the first compiler that is found."""
    if os.environ.get("CXX"):
        return shlex.split(os.environ["CXX"])
    for name in ("g++", "c++", "clang++"):
        if path := shutil.which(name):
            return [path]
    raise FileNotFoundError("No C++ compiler was found; install g++ or clang++, or set CXX.")


def with_eigen(command: list[str], folder: Path) -> list[str]:
    """Return a compiler command with precompiled Eigen headers, which halve the time of each source.

    Parameters
    ----------
    command
        The compiler and its flags; precompiled headers need equal flags.
    folder
        The folder for the precompiled headers.

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
    _run([*command, "-x", "c++-header", str(header), "-o", f"{header}.gch"])
    return [*command, "-include", str(header)]


def _settings(core: Path) -> dict[str, Any]:
    settings: dict[str, Any] = tomllib.loads((core / "build.toml").read_text(encoding="utf-8"))
    return settings


def _driver(compiler: str | None) -> list[str]:
    return shlex.split(compiler) if compiler else find_compiler()


def _compile_command(core: Path, settings: dict[str, Any], compiler: str | None) -> list[str]:
    return [
        *_driver(compiler),
        f"-std={settings['standard']}",
        *settings["flags"],
        "-fPIC",
        "-ffunction-sections",
        *(f"-D{name}" for name in settings["defines"]),
        f"-I{core}",
        f"-I{eigen_include()}",
    ]


def _compile_all(command: list[str], sources: list[Path], folder: Path, jobs: int | None) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    command = with_eigen(command, folder)
    with ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        return list(pool.map(partial(_compile, command, folder), enumerate(sources)))


def _compile(command: list[str], folder: Path, numbered: tuple[int, Path]) -> Path:
    number, source = numbered
    target = folder / f"{number}_{source.stem}.o"
    _run([*command, "-c", str(source), "-o", str(target)])
    return target


def _run(command: list[str]) -> None:
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(f"The compiler failed: {shlex.join(command)}\n{result.stderr}")
    sys.stderr.write(result.stderr)


def _present(folder: Path, what: str, package: str) -> Path:
    if not folder.is_dir():
        raise FileNotFoundError(f"{what} are not in {folder}; install the package {package} again.")
    return folder


def main() -> None:
    """Run the command line ``python -m contactlib.fmu.build``."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    output = HERE / "binaries"
    parser.add_argument(
        "--output", type=Path, default=output, help="the folder binaries (default: %(default)s)"
    )
    parser.add_argument("--compiler", help="a C++17 compiler (default: $CXX, g++, c++ or clang++)")
    parser.add_argument("--jobs", type=int, help="files compiled at a time (default: one for each processor)")
    arguments = parser.parse_args()
    try:
        library = build(default_core(), arguments.output, arguments.compiler, arguments.jobs)
    except (FileNotFoundError, RuntimeError, ValueError) as error:
        sys.exit(str(error))
    print(library)


if __name__ == "__main__":
    main()
