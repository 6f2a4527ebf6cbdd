"""Draws the house of CONTRIBUTING.md from the code: its rooms, and which room imports from which.

    python docs/draw_house.py            # writes docs/images/house.svg
    python docs/draw_house.py --check    # exits with 1 if the picture is old, or if files import each other in a circle

A file of Python imports what it names in an import statement, at import time or within a function; imports for type
checkers alone do not count. A file of the core imports what it includes.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "images" / "house.svg"
Graph = dict[str, set[str]]

#: rooms from the top floor down, with their duties; an arrow to a higher floor is drawn in red
PYTHON_FLOORS = [
    {"cli": "commands"},
    {"calibration": "fits to measured series", "credibility": "sheets of scenes"},
    {"campaign": "many runs, Dask", "view": "page in the browser", "blender": "models and films"},
    {"exports": "glTF, VTK", "report": "figures, pages", "validation": "cases and their report"},
    {"fmu": "FMI 2.0, master", "adapters": "MuJoCo, Drake, Basilisk"},
    {"results": "result files"},
    {"simulation": "runs and queries", "importers": "URDF, MJCF, SDF"},
    {"model": "scene to Spec to Model", "pcm": ".pcm language"},
    {"elements": "scene tables of elements", "berthing": "rings from parameters"},
    {"shapes": "sizes, surfaces, masses"},
    {"common": "tables, checks, files"},
    {"_core": "Cython over the core"},
]
CORE_FLOORS = [
    {"boundary": "variables, saved states"},
    {"step": "one step of all bodies"},
    {"monitor": "energy, warnings", "reader": "model files"},
    {"element": "snare, latch, membrane"},
    {"state": "one instance's memory"},
    {"model": "constant, flat scene"},
    {"bounding": "broad phase", "law": "contact laws"},
    {"geometry": "narrow phase"},
    {"math": "sin, exp, rotations"},
    {"base": "vectors, status", "solve": "complementarity"},
]


# ---- what imports what ---------------------------------------------------------------------------


def runtime_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those for type checkers alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        yield node
        yield from runtime_nodes(node)


def python_modules() -> dict[str, Path]:
    """The modules of the package by name; fmu/ is installed as contactlib.fmu."""
    found = {}
    for folder, package in ((ROOT / "contactlib", "contactlib"), (ROOT / "fmu", "contactlib.fmu")):
        for path in sorted(folder.rglob("*.py")):
            relative = path.relative_to(folder)
            if relative.parts[0] in ("core", "scenes", "fmu"):
                continue
            parts = [package, *relative.with_suffix("").parts]
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def python_imports() -> Graph:
    """Of each module the modules that it imports, and with each of these the packages that hold it."""
    modules = python_modules()
    graph: Graph = {name: set() for name in modules}
    for name, path in modules.items():
        for node in runtime_nodes(ast.parse(path.read_text(encoding="utf-8"))):
            wanted: list[str] = []
            if isinstance(node, ast.Import):
                wanted = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                module = absolute(node, name, path)
                members = {f"{module}.{alias.name}" for alias in node.names}
                wanted = [member if member in modules else module for member in members]
            for target in wanted:
                if target in modules:
                    graph[name].update(packages_of(target, name))
    return graph


def absolute(node: ast.ImportFrom, importer: str, path: Path) -> str:
    """The name of the module that an import names, also if it begins with dots."""
    if not node.level:
        return node.module or ""
    base = importer.split(".")
    base = base[: len(base) - node.level + (path.name == "__init__.py")]
    return ".".join([*base, *(node.module or "").split(".")]).rstrip(".")


def packages_of(target: str, importer: str) -> Iterator[str]:
    """A module and the packages whose __init__ runs before it, without those that hold the importer as well."""
    yield target
    parts = target.split(".")
    for length in range(2, len(parts)):
        package = ".".join(parts[:length])
        if not f"{importer}.".startswith(f"{package}."):
            yield package


def core_includes() -> Graph:
    """Of each file of the core the files that it includes."""
    core = ROOT / "contactlib" / "core"
    files = {str(path.relative_to(core)): path for path in sorted(core.rglob("*.[ch]pp"))}
    graph: Graph = defaultdict(set)
    for name, path in files.items():
        for target in re.findall(r'^#include "(.*)"', path.read_text(encoding="utf-8"), re.MULTILINE):
            for place in (str((path.parent / target).resolve().relative_to(core.resolve())), target):
                if place in files:
                    graph[name].add(place)
                    break
    return graph


def circles(graph: Graph) -> list[list[str]]:
    """Groups of more than one node, each of which can be reached from all others (Tarjan 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in sorted(graph.get(node, ())):
            if target not in index:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], index[target])
        if low[node] == index[node]:
            at = stack.index(node)
            group = stack[at:]
            del stack[at:]
            if len(group) > 1:
                found.append(sorted(group))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def between_rooms(graph: Graph, room_of: dict[str, str]) -> Graph:
    """Of each room the rooms that its files import."""
    rooms: Graph = {room: set() for room in room_of.values()}
    for name, targets in graph.items():
        for target in targets:
            if name in room_of and target in room_of and room_of[name] != room_of[target]:
                rooms[room_of[name]].add(room_of[target])
    return rooms


# ---- the picture ---------------------------------------------------------------------------------

WIDE, HIGH, GAP, FLOOR = 176, 46, 22, 84


def reduced(rooms: Graph, floor_of: dict[str, int]) -> list[tuple[str, str]]:
    """Arrows, without those that follow from others: from the top floor to the ground by way of all between."""

    def reaches(a: str, b: str) -> bool:
        down = (c for c in rooms[a] if c != b and floor_of[a] < floor_of[c] < floor_of[b])
        return any(b in rooms[c] or reaches(c, b) for c in down)

    return [(a, b) for a in sorted(rooms) for b in sorted(rooms[a]) if floor_of[a] >= floor_of[b] or not reaches(a, b)]


def draw(title: str, floors: list[dict[str, str]], rooms: Graph, top: float) -> tuple[list[str], float]:
    """Boxes and arrows of one building; returns them and where it ends."""
    at: dict[str, tuple[float, float]] = {}
    floor_of = {room: k for k, floor in enumerate(floors) for room in floor}
    width = max(len(floor) for floor in floors) * (WIDE + GAP)
    out = [f'<text x="20" y="{top - 14}" class="title">{title}</text>']
    for k, floor in enumerate(floors):
        left = 120 + (width - len(floor) * (WIDE + GAP)) / 2
        for i, room in enumerate(floor):
            at[room] = (left + i * (WIDE + GAP), top + k * FLOOR)
    edges = min(x for x, _ in at.values()), max(x for x, _ in at.values()) + WIDE
    for a, b in reduced({room: rooms.get(room, set()) & at.keys() for room in at}, floor_of):
        out.append(arrow(at[a], at[b], floor_of[b] - floor_of[a], edges))
    for floor in floors:
        for room, duty in floor.items():
            x, y = at[room]
            out += [f'<rect x="{x}" y="{y}" width="{WIDE}" height="{HIGH}" rx="5"/>',
                    f'<text x="{x + WIDE / 2}" y="{y + 19}" class="room">{room}</text>',
                    f'<text x="{x + WIDE / 2}" y="{y + 36}" class="duty">{duty}</text>']
    return out, top + len(floors) * FLOOR


def arrow(a: tuple[float, float], b: tuple[float, float], floors: int, edges: tuple[float, float]) -> str:
    """From box a to box b: to the next floor straight down, else around all boxes, on the side where b stands.

    An arrow that does not lead down is red.
    """
    if floors == 1:
        x0, x1, y0, y1 = a[0] + WIDE / 2, b[0] + WIDE / 2, a[1] + HIGH, b[1]
        return f'<path class="down" d="M{x0},{y0} C{x0},{y0 + 20} {x1},{y1 - 20} {x1},{y1}"/>'
    if floors == 0:
        x0, x1, y = (a[0] + WIDE, b[0], a[1] + 16) if a[0] < b[0] else (a[0], b[0] + WIDE, a[1] + 30)
        return f'<path class="up" d="M{x0},{y} L{x1},{y}"/>'
    kind = "down" if floors > 0 else "up"
    middle = (edges[0] + edges[1] - WIDE) / 2
    right = floors < 0 or b[0] > middle or (b[0] == middle and a[0] > middle)
    x0, x1 = (a[0] + WIDE, b[0] + WIDE) if right else (a[0], b[0])
    out = edges[1] + 14 * abs(floors) if right else edges[0] - 14 * abs(floors)
    y0, y1 = a[1] + HIGH / 2 + 6, b[1] + HIGH / 2 - 6
    return f'<path class="{kind}" d="M{x0},{y0} C{out},{y0} {out},{y0} {out},{(y0 + y1) / 2} S{out},{y1} {x1},{y1}"/>'


STYLE = """
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
<path d="M0,0 L8,4 L0,8 z" fill="#555"/></marker></defs>
<style>
rect { fill: #eef3f8; stroke: #35618f; stroke-width: 1.2 }
text { font-family: sans-serif; text-anchor: middle; fill: #222 }
.title { font-size: 15px; font-weight: bold; text-anchor: start }
.room { font-size: 14px; font-weight: bold }
.duty { font-size: 11.5px }
path.down { fill: none; stroke: #777; stroke-width: 1.1; marker-end: url(#tip) }
path.up { fill: none; stroke: #c0392b; stroke-width: 1.3; stroke-dasharray: 5 3; marker-end: url(#tip) }
</style>"""


def room_of_module(name: str) -> str:
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else "contactlib"


def room_of_unit(unit: str) -> str:
    """The room of a file of the core: its folder; the folders below geometry/ and element/ count as one room each."""
    return "reader" if unit.startswith("model/reader/") else unit.split("/")[0]


def picture() -> str:
    python = python_imports()
    shapes, below = draw("contactlib/ and fmu/: Python", PYTHON_FLOORS,
                         between_rooms(python, {name: room_of_module(name) for name in python}), 50)
    core = core_includes()
    units = set(core) | {target for targets in core.values() for target in targets}
    more, below = draw("contactlib/core/: C++", CORE_FLOORS,
                       between_rooms(core, {unit: room_of_unit(unit) for unit in units}), below + 40) \
        if CORE_FLOORS else ([], below)
    wide = 200 + max(len(floor) for floor in [*PYTHON_FLOORS, *CORE_FLOORS]) * (WIDE + GAP)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{below:g}" viewBox="0 0 {wide} {below:g}">'
    back = f'<rect width="{wide}" height="{below:g}" style="fill: white; stroke: none"/>'
    return "\n".join([head + STYLE, back, *shapes, *more, "</svg>\n"])


def faults(graphs: Iterable[Graph]) -> list[str]:
    return [f"these files import each other in a circle: {', '.join(group)}" for graph in graphs
            for group in circles(graph)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if something is wrong")
    check = parser.parse_args().check
    wrong = faults([python_imports(), core_includes()])
    drawn = picture()
    if check:
        if not PICTURE.exists() or PICTURE.read_text(encoding="utf-8") != drawn:
            wrong.append(f"{PICTURE.relative_to(ROOT)} is old: run python docs/draw_house.py")
    else:
        PICTURE.write_text(drawn, encoding="utf-8")
    print("\n".join(wrong) or f"{PICTURE.relative_to(ROOT)} shows the code as it is, and nothing imports in a circle")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
