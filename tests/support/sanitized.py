"""The core built with the sanitizers, which end a program at its first error, and programs of the tests with it."""

import os
import shutil
import subprocess
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from contactlib.fmu.build import core_sources, eigen_include, with_eigen

CORE = Path(__file__).parents[2] / "contactlib" / "core"
# The address sanitizer ends a program at a null pointer as well; without `null` and `vptr` the core compiles faster.
SANITIZE = ["-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize=null,vptr", "-fno-sanitize-recover=all"]


class SanitizedCore:
    """Its objects, by source, in a folder that may be shared with other processes; programs go to `folder`."""

    def __init__(self, folder: Path, shared: Path) -> None:
        self.folder = folder
        self.compiler = shutil.which("g++")
        if self.compiler is None:
            pytest.skip("there is no g++ here, whose sanitizers this test needs")
        (folder / "empty.cpp").write_text("int main() {}\n")
        probe = subprocess.run(self._link([folder / "empty.cpp"], "empty"), capture_output=True)
        if probe.returncode:
            pytest.skip(f"g++ cannot link its sanitizers here: {probe.stderr.decode()[:200]}")
        self.build = tomllib.loads((CORE / "build.toml").read_text())
        command = [self.compiler, f"-std={self.build['standard']}", "-O0", "-g1", *SANITIZE, f"-I{CORE}",
                   f"-I{eigen_include()}", *(f"-D{name}" for name in self.build["defines"])]
        self.command = with_eigen(command, folder)
        import fcntl  # not on Windows, where the probe has failed

        shared.mkdir(exist_ok=True)
        with (shared / "lock").open("w") as lock, ThreadPoolExecutor(os.cpu_count()) as pool:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.objects = list(pool.map(lambda source: self._object(source, shared), core_sources(CORE)))

    def program(self, source: Path) -> Path:
        """Link a program of this folder with the core."""
        main = self._object(source, self.folder)
        name = source.stem
        subprocess.run(self._link([main, *self.objects], name), check=True)
        return self.folder / name

    def _object(self, source: Path, folder: Path) -> Path:
        target = folder / f"{source.parent.name}_{source.stem}.o"
        if not target.exists():
            subprocess.run([*self.command, "-c", source, "-o", target.with_suffix(".part")], check=True)
            target.with_suffix(".part").rename(target)
        return target

    def _link(self, parts: list[Path], name: str) -> list[object]:
        return [self.compiler, *SANITIZE, *parts, "-o", self.folder / name]
