"""Finds a Python with bpy, or Blender itself, and runs the extension's commands in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from contactlib.blender.run import RESULT

#: names the Python with bpy, or the Blender, that the commands use
VARIABLE = "CONTACTLIB_BLENDER"
#: folder of the virtual environment that `make blender` makes, beside the source or in the working folder
ENVIRONMENT = ".venv-blender"
REMEDY = (f"no Python with bpy and no Blender was found: name one by --python or by the variable {VARIABLE}. To make "
          "one: python3.11 -m venv .venv-blender && .venv-blender/bin/pip install bpy==5.0.1, or make blender")
SCRIPT = Path(__file__).with_name("run.py")


class StoppedError(ValueError):
    """The program ended without a result, as Blender does where it finds no OpenGL."""


@dataclass(frozen=True)
class Program:
    """A program that runs the extension: a Python with bpy, or Blender with `is_blender`."""

    path: Path
    is_blender: bool

    def command(self, arguments: Sequence[str]) -> list[str]:
        if self.is_blender:
            return [str(self.path), "--background", "--factory-startup", "--python", str(SCRIPT), "--", *arguments]
        return [str(self.path), "-P", str(SCRIPT), *arguments]


def find_program(given: str | Path | None = None) -> Program:
    """Return the program that is given, or named by the variable CONTACTLIB_BLENDER, or found.

    Sought are, in this order: the environment `.venv-blender` in the working folder and beside the source, this Python,
    and the command `blender`.

    Raises
    ------
    ValueError : there is no such program, or none at all; the message names the remedy.
    """
    named = given or os.environ.get(VARIABLE)
    if named:
        path = Path(shutil.which(str(named)) or named)
        if not path.is_file():
            raise ValueError(f"{named}: there is no such program; {REMEDY}")
        return Program(path, _is_blender(path))
    folders = (Path.cwd(), Path(__file__).resolve().parents[2])
    pythons = [folder / ENVIRONMENT / "bin" / "python" for folder in folders]
    for python in [*(path for path in pythons if path.is_file()), Path(sys.executable)]:
        if _has_bpy(python):
            return Program(python, False)
    if blender := shutil.which("blender"):
        return Program(Path(blender), True)
    raise ValueError(REMEDY)


def _is_blender(path: Path) -> bool:
    return path.name.lower().startswith("blender")


def _has_bpy(python: Path) -> bool:
    check = "import importlib.util as u, sys; sys.exit(u.find_spec('bpy') is None)"
    return subprocess.run([str(python), "-c", check], capture_output=True).returncode == 0


def run(program: Program, arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> list[str]:
    """Run a command of the extension and return its lines.

    Raises ValueError with the sentences of the command, or StoppedError with the end of the output of a program that
    stopped.
    """
    allowed = {**os.environ, **(environment or {})}
    allowed.pop("PYTHONPATH", None)  # Blender's Python has its own packages
    done = subprocess.run(program.command(arguments), capture_output=True, text=True, env=allowed, errors="replace")
    results = [line for line in done.stdout.splitlines() if line.startswith(RESULT)]
    if not results:
        last = " ".join((done.stderr or done.stdout).split())[-400:]
        raise StoppedError(f"{program.path} stopped with code {done.returncode} and no result: {last or 'no output'}; "
                         f"check that it has bpy")
    result = json.loads(results[-1][len(RESULT):])
    if "error" in result:
        raise ValueError(result["error"])
    return list(result["lines"])


def extract(program: Program, blend: Path, folder: Path) -> list[str]:
    """Write the scene of a .blend file into a folder: scene.toml with its mesh files."""
    return run(program, ["extract", str(blend), str(folder)])


def make(program: Program, scene: Path, blend: Path) -> list[str]:
    """Write a .blend file of a scene file."""
    return run(program, ["make", str(scene), str(blend)])


def run_script(program: Program, script: Path, *arguments: str,
               environment: Mapping[str, str] | None = None) -> list[str]:
    """Run the function `main` of a Python file in Blender, with the package `extension`; return the lines of `main`."""
    return run(program, ["script", str(script), *arguments], environment)


def show(program: Program, blend: Path, arrays: Path, *, engine: str, **choices: object) -> list[str]:
    """Animate a .blend file by the arrays of `response.write_response`, and save or render it.

    `choices` are those of `show` in contactlib/blender/extension/inside/rendering.py. Workbench needs OpenGL: where
    Blender stops without it, Cycles renders, and the first line says so.
    """
    arguments = ["show", str(blend), str(arrays)]
    try:
        return run(program, [*arguments, json.dumps({"engine": engine, **choices})])
    except StoppedError:
        if engine != "workbench":
            raise
        lines = run(program, [*arguments, json.dumps({"engine": "cycles", **choices})])
        return ["Workbench needs OpenGL (Debian: libegl1, libgl1-mesa-dri): Cycles has rendered instead", *lines]
