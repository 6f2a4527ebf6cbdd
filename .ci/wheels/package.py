"""Makes a wheel of what was compiled, with the same bytes wherever and whenever it is made."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from module import ROOT

EPOCH = (1980, 1, 1, 0, 0, 0)  # the first date of a zip file


def make_wheel(processor: str, built: Path, binaries: Path, output: Path) -> Path:
    """Write the wheel of one processor into `output`; setup.py says which files it has besides those in `built`."""
    inside = built / "contactlib/fmu/binaries"
    shutil.rmtree(inside, ignore_errors=True)
    shutil.copytree(binaries, inside)
    with tempfile.TemporaryDirectory(prefix="contactlib_wheel_") as folder:
        command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--skip-dependency-check",
                   f"--outdir={folder}", f"-C--build-option=--processor={processor}",
                   f"-C--build-option=--built={built}", str(ROOT)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"the wheel for {processor} cannot be made:\n{done.stdout}{done.stderr}")
        (wheel,) = Path(folder).glob("*.whl")
        output.mkdir(parents=True, exist_ok=True)
        return write_again(wheel, output / wheel.name)


def write_again(wheel: Path, file: Path) -> Path:
    """Copy a wheel with one date, with modes that no umask changes, in the order of names, its metadata last."""
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
        for name in sorted(old.namelist(), key=lambda name: (".dist-info/" in name, name.endswith("/RECORD"), name)):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if ".so" in Path(name).suffixes else 0o100644) << 16
            entry.create_system = 3  # Unix, whose modes these are
            new.writestr(entry, old.read(name))
    return file
