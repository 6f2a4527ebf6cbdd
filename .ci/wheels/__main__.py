"""Builds wheels for Linux with zig, checks them, and tries them where they run: python .ci/wheels [--help]."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from check import find_problems, try_wheel
from module import PROCESSORS, ROOT, build_module
from package import make_wheel

from contactlib.fmu.build import build_platform, build_wasm
from contactlib.fmu.platforms.sources import default_core
from contactlib.fmu.platforms.table import PLATFORMS
from contactlib.fmu.platforms.wasm import WASM

NAMES = (*PLATFORMS, WASM)


def main() -> None:
    """Build what was asked for, and exit with 1 where a wheel has a problem."""
    asked = arguments()
    with tempfile.TemporaryDirectory(prefix="contactlib_wheels_") as folder:
        wheels = build_wheels(asked, Path(folder))
    wrong = {wheel.name: found for wheel, _ in wheels if (found := find_problems(wheel, asked.platform))}
    for name, found in wrong.items():
        print(*(f"{name}: {problem}" for problem in found), sep="\n", file=sys.stderr)
    if wrong:
        sys.exit(1)
    for wheel, processor in wheels:
        tried = "not tried" if asked.no_try else try_wheel(wheel, processor)
        print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB, {tried}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python .ci/wheels", description=__doc__.partition(":")[0])
    parser.add_argument("--processor", action="append", choices=PROCESSORS, help="default: all; may be repeated")
    parser.add_argument("--platform", action="append", choices=NAMES, help="FMU binaries in the wheel; default: all")
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="folder (default: %(default)s)")
    parser.add_argument("--no-try", action="store_true", help="do not install the wheels to try them")
    parser.add_argument("--jobs", type=int, help="files compiled at a time (default: one for each processor)")
    found = parser.parse_args()
    found.processor = found.processor or list(PROCESSORS)
    found.platform = found.platform or list(NAMES)
    return found


def build_wheels(asked: argparse.Namespace, scratch: Path) -> list[tuple[Path, str]]:
    """All that is compiled first, since each wheel has the FMU binaries of all platforms."""
    modules = {processor: scratch / processor for processor in asked.processor}
    for processor, built in modules.items():
        print(f"compiling the Python module for {processor}", flush=True)
        build_module(processor, built, asked.jobs)
    binaries = scratch / "binaries"
    for name in asked.platform:
        print(f"FMU binary for {name}", flush=True)
        _add_binary(name, binaries, modules, asked.jobs)
    return [(make_wheel(processor, built, binaries, asked.output), processor) for processor, built in modules.items()]


def _add_binary(name: str, binaries: Path, modules: dict[str, Path], jobs: int | None) -> None:
    made = [built / "contactlib/fmu/binaries" / name for built in modules.values()]
    if found := [folder for folder in made if folder.is_dir()]:
        binaries.mkdir(exist_ok=True)
        found[0].rename(binaries / name)
    elif name == WASM:
        build_wasm(default_core(), binaries, jobs)
    else:
        build_platform(PLATFORMS[name], default_core(), binaries, jobs)


if __name__ == "__main__":
    try:
        main()
    except (FileNotFoundError, RuntimeError, ValueError, subprocess.CalledProcessError) as error:
        sys.exit(str(error))
