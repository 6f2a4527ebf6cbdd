"""Where and by what a validation ran: versions, machine, commit."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import contactlib

_PACKAGES = ("numpy", "scipy", "fmpy", "matplotlib", "mujoco")


def versions() -> dict[str, str]:
    """Return the versions of contactlib, Python and the packages that take part.

    Examples
    --------
    >>> versions()["contactlib"] == contactlib.__version__
    True
    """
    found = {"contactlib": contactlib.__version__, "Python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "not installed"
    commit = _commit()
    return {**found, **({"commit": commit} if commit else {})}


def machine() -> dict[str, str]:
    """Return operating system, processor, number of processors and the time of the call (UTC)."""
    return {
        "system": f"{platform.system()} {platform.release()}",
        "processor": _processor(),
        "processors": str(os.cpu_count() or 1),
        "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def _commit() -> str:
    """Return the commit of the source tree, with + if files have changed; empty if there is no git."""
    folder = Path(contactlib.__file__).resolve().parents[1]
    try:
        run = [subprocess.run(["git", *command], cwd=folder, capture_output=True, text=True, timeout=20, check=True)
               for command in (["rev-parse", "--short=12", "HEAD"], ["status", "--porcelain"])]
    except (OSError, subprocess.SubprocessError):
        return ""
    return run[0].stdout.strip() + ("+" if run[1].stdout.strip() else "")


def command() -> str:
    """Return the command line that is running."""
    return " ".join(["contactlib", *sys.argv[1:]])
