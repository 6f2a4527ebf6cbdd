"""Breaks the core on purpose, one thing at a time, and runs the cases that must turn red: make mutations.

    python -m tests.validation.mutations                    # all mutations of mutations.toml, and all kernels of pairs
    python -m tests.validation.mutations "element tether"   # some of them

A copy of the library is built once, in build/mutations or the folder after --build. Each mutation is a factor that the
environment variable CONTACTLIB_MUTATION chooses at run time. Exits with 1 if a mutation leaves all of its cases green,
or if a case is red without any mutation.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).parent / "mutations.toml"
PAIRS = "geometry/pairs.cpp"
CHOICE = "CONTACTLIB_MUTATION"
#: cases that together evaluate every kernel of the pair table
PAIR_CASES = ("convex_pairs", "plane_pairs", "surface_pairs", "mesh_pairs", "socket_pairs")
#: of the list of initialisers in the pair table: function of one contact, or of more; and that of a surface contact
KERNEL = re.compile(r"\b(one|two|few|any|follow)\((on_rounded<)?(\w+)>?(,\s[^()]+)?\)")
SURFACE = re.compile(r"\bsurface\((\w+)(?=[,)])")
HEADER = """#pragma once
#include <cstdlib>
inline double mutation_factor(int id, double factor) noexcept {
  static const char* const text = std::getenv("%s");
  static const int chosen = text == nullptr ? -1 : std::atoi(text);
  return chosen == id ? factor : 1.0;
}
"""
BROKEN = """
// a kernel whose depths are 0.1 %% too large while its mutation is chosen
template <Kernel kernel, int id>
void broken(const Shape& A, const Shape& B, const Placement& X, Manifold& out) noexcept {
  const int before = out.count;
  kernel(A, B, X, out);
  for (int k = before; k < out.count; ++k) out.points[k].depth *= mutation_factor(id, 1.001);
}

// a surface contact whose force and depth are 0.1 %% too large
template <SurfaceKernel kernel, int id>
void broken(const Shape& A, const Shape& B, const Placement& X, SurfaceScratch& out) noexcept {
  kernel(A, B, X, out);
  const double factor = mutation_factor(id, 1.001);
  for (std::size_t k = 0; k < out.count; ++k) out.pieces[k].weight *= factor, out.pieces[k].deepest *= factor;
  for (std::size_t k = 0; k < out.points.count; ++k) out.points.weight[k] *= factor;
  out.sums.deepest *= factor;
}
"""


@dataclass(frozen=True)
class Mutation:
    """What is broken, and the cases of which at least one must turn red."""

    id: int
    breaks: str
    cases: tuple[str, ...]
    file: str = PAIRS
    old: str = ""
    new: str = ""
    factor: float = 1.0


def kernels() -> list[str]:
    """The functions of the pair table, in its order."""
    text = (ROOT / "contactlib" / "core" / PAIRS).read_text(encoding="utf-8")
    table = text[text.index("// A point is a sphere"):text.index("// A row is empty")]
    names = (*(match[3] for match in KERNEL.finditer(table)), *(match[1] for match in SURFACE.finditer(table)))
    return list(dict.fromkeys(names))


def read_mutations() -> list[Mutation]:
    """Those of the list, then one for each function of the pair table."""
    rows = tomllib.loads(LIST.read_text(encoding="utf-8"))["mutation"]
    listed = [Mutation(k, row["breaks"], tuple(row["cases"]), row["file"], row["old"], row["new"], row["factor"])
              for k, row in enumerate(rows)]
    return listed + [Mutation(1000 + k, f"pairs of {name}", PAIR_CASES) for k, name in enumerate(kernels())]


def apply(core: Path, mutations: list[Mutation]) -> None:
    """Write all mutations into a copy of the core. ValueError if a text is not there exactly once."""
    (core / "mutation.hpp").write_text(HEADER % CHOICE, encoding="utf-8")
    changed: set[str] = {PAIRS}
    for one in (one for one in mutations if one.old):
        path = core / one.file
        text = path.read_text(encoding="utf-8")
        if text.count(one.old) != 1:
            times = text.count(one.old)
            raise ValueError(f"{one.breaks}: '{one.old}' stands {times} times in {one.file}, must be once")
        new = re.sub(r"\bF\b", f"mutation_factor({one.id}, {one.factor!r})", one.new)
        path.write_text(text.replace(one.old, new), encoding="utf-8")
        changed.add(one.file)
    path = core / PAIRS
    text = path.read_text(encoding="utf-8")
    ids = {one.breaks.removeprefix("pairs of "): one.id for one in mutations if not one.old}
    start, end = text.index("// A point is a sphere"), text.index("// A row is empty")

    def break_it(match: re.Match[str]) -> str:
        kind, core, name = match[1], match[2] or "", match[3]
        # loops over many placements or pairs are left out: their kernel, which is broken, then does the work
        most = f",{match[4].split(',')[1]}" if kind == "follow" else ""
        return f"{kind}({core}broken<{name}, {ids[name]}>{'>' if core else ''}{most})"

    table = KERNEL.sub(break_it, text[start:end])
    table = SURFACE.sub(lambda match: f"surface(broken<{match[1]}, {ids[match[1]]}>", table)
    path.write_text(text[:start] + BROKEN.replace("%%", "%") + table + text[end:], encoding="utf-8")
    for file in changed:
        path = core / file
        path.write_text('#include "mutation.hpp"\n' + path.read_text(encoding="utf-8"), encoding="utf-8")


def build(folder: Path, mutations: list[Mutation]) -> None:
    """Copy the library, write the mutations into the copy, and build it with little optimisation."""
    shutil.rmtree(folder, ignore_errors=True)
    for part in ("contactlib", "fmu"):
        built = ["__pycache__", "*.so", "engine.cpp", "binaries", "dist", *(["fmu"] if part == "contactlib" else [])]
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns(*built))
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    (folder / "examples").symlink_to(ROOT / "examples")
    (folder / "validation_data").symlink_to(ROOT / "validation_data")
    core = folder / "contactlib" / "core"
    apply(core, mutations)
    settings = core / "build.toml"
    settings.write_text(settings.read_text(encoding="utf-8").replace('"-O3"', '"-O1"'), encoding="utf-8")
    done = subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=folder, text=True,
                          capture_output=True)
    if done.returncode:
        raise RuntimeError(f"the build failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    (folder / "contactlib" / "fmu").symlink_to(folder / "fmu")


def red(folder: Path, cases: tuple[str, ...], mutation: int | None) -> list[str]:
    """The cases that do not hold in the built copy while a mutation is chosen."""
    program = ("import sys; from pathlib import Path; from contactlib.validation import find_cases, run_cases; "
               "outcomes = run_cases(find_cases(Path('validation_data'), sys.argv[1:])); "
               "print(*(one.case.name for one in outcomes if not one.passed))")
    environment = {**os.environ, "PYTHONPATH": str(folder), **({CHOICE: str(mutation)} if mutation is not None else {})}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program, *cases], cwd=folder, env=environment,
                          text=True, capture_output=True)
    if done.returncode:
        return list(cases)  # a core that fails altogether is red too
    return done.stdout.split()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("breaks", nargs="*", help="what to break; default: everything")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "mutations", help="folder of the copy")
    parser.add_argument("--keep", action="store_true", help="use the copy that is already built")
    options = parser.parse_args()
    mutations = read_mutations()
    if not options.keep:
        print(f"building a copy with {len(mutations)} mutations in {options.build}", flush=True)
        build(options.build, mutations)
    wanted = [one for one in mutations if not options.breaks or one.breaks in options.breaks]
    every = tuple(dict.fromkeys(case for one in wanted for case in one.cases))
    wrong = red(options.build, every, None)
    print(f"without a mutation: {', '.join(wrong) or 'all green'}", flush=True)
    survived = []
    for one in wanted:
        found = red(options.build, one.cases, one.id)
        print(f"{one.breaks:<45} {'red: ' + ', '.join(found) if found else 'SURVIVED'}", flush=True)
        survived += [] if found else [one.breaks]
    print(f"{len(wanted) - len(survived)} of {len(wanted)} mutations turned a case red")
    if survived or wrong:
        sys.exit(f"survived: {', '.join(survived) or 'none'}; red without a mutation: {', '.join(wrong) or 'none'}")


if __name__ == "__main__":
    main()
