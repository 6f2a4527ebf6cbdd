"""Builds wheels a second time, from sources in another folder with other dates, and compares them byte by byte.

usage: python .ci/wheels/reproduce.py FOLDER, which has the wheels that `python .ci/wheels` wrote there.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]


def main() -> None:
    """Exit with 1 where a wheel differs."""
    first = {wheel.name: wheel for wheel in Path(sys.argv[1]).glob("*manylinux*.whl")}
    if not first:
        sys.exit(f"there is no wheel in {sys.argv[1]}: make wheels writes them")
    with tempfile.TemporaryDirectory(prefix="contactlib_again_") as folder:
        again = build_again(copy_sources(Path(folder) / "another folder" / "contactlib"), Path(folder) / "dist")
        equal = [report(name, wheel, again / name) for name, wheel in sorted(first.items())]
    sys.exit(not all(equal))


def copy_sources(tree: Path) -> Path:
    """Copy all that git tracks or would track, with another date. The package is importable there."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    engine = [str(path.relative_to(ROOT)) for path in (ROOT / "contactlib/_core").glob("engine.*.so")]
    for name in [*names, *engine]:
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, tree / name)
            os.utime(tree / name, (1e9, 1e9))
    (tree / "contactlib/fmu").symlink_to("../fmu")
    return tree


def build_again(tree: Path, output: Path) -> Path:
    """Build all wheels from `tree`, with other settings of what must not matter."""
    other = {"PYTHONPATH": str(tree), "TZ": "Asia/Tokyo", "SOURCE_DATE_EPOCH": "1000000000", "PYTHONHASHSEED": "7",
             "LC_ALL": "C.UTF-8"}
    subprocess.run([sys.executable, str(tree / ".ci/wheels"), "--no-try", "--output", str(output)], check=True,
                   env={**os.environ, **other}, umask=0o077)
    return output


def report(name: str, first: Path, second: Path) -> bool:
    hashes = [hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in (first, second)]
    same = hashes[0] == hashes[1]
    print(f"{name}: {'the same bytes twice' if same else 'other bytes'}, {' '.join(dict.fromkeys(hashes))}")
    return same


if __name__ == "__main__":
    main()
