"""Checks a mesh and reports its mistakes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contactlib.common.vectors import dot, principal
from contactlib.shapes.importers.crossings import Crossings, crossings
from contactlib.shapes.importers.parts import Numbers, parts_of
from contactlib.shapes.polytopes import Mesh, first_of
from contactlib.shapes.welding import same_places

#: of the mesh's size: corners of a border nearer than this are meant to be one
WELD = 1e-6

SHOWN = 5


@dataclass(frozen=True)
class Finding:
    """One kind of mistake in a mesh: how often it occurs, the first places, and a sentence with the remedy.

    `first` numbers vertices, triangles, edges by their two vertices, or pairs of triangles, as the sentence says.
    `verdict` is the consequence, one of VERDICTS. `repair` is the name of the remedy in `repair_mesh`, empty without
    remedy.
    """

    kind: str
    count: int
    first: tuple[Any, ...]
    sentence: str
    verdict: str
    repair: str

    @property
    def refused(self) -> bool:
        """Whether this mistake prevents a shape."""
        return self.verdict == "no surface"

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class MeshReport:
    """All findings about a mesh, the worst first."""

    vertices: int
    triangles: int
    closed: bool
    findings: tuple[Finding, ...]

    @property
    def usable(self) -> bool:
        """Whether a shape can be made of the mesh."""
        return not self.refused

    @property
    def refused(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.refused)

    @property
    def no_solid(self) -> tuple[Finding, ...]:
        """Findings for which a scene refuses the mesh, although the mesh is a valid shape."""
        return tuple(finding for finding in self.findings if finding.verdict == "no solid")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """Findings of which a scene with this mesh warns."""
        return tuple(finding for finding in self.findings if finding.verdict == "warning")

    def __str__(self) -> str:
        title = f"{self.vertices} vertices, {self.triangles} triangles, {'closed' if self.closed else 'not closed'}"
        return "\n".join([title, *(f"- {finding}" for finding in self.findings)])


#: no shape can be made of the mesh; a scene refuses the mesh; a scene warns; for information only
VERDICTS = ("no surface", "no solid", "warning", "note")

#: kind, repair, verdict, sentence; the worst first
_SENTENCES = (
    ("empty", "", "no surface", "there are no triangles"),
    ("not_finite", "", "no surface", "{n} vertices are not finite ({first})"),
    ("degenerate", "degenerate", "no surface",
     "{n} triangles have no area ({first}); repair 'degenerate' leaves them out"),
    ("crowded", "duplicate", "no surface",
     "{n} edges have more than two triangles ({first}); repair 'duplicate' helps where triangles are there twice"),
    ("winding", "winding", "no surface",
     "{n} edges lie between triangles of which one is turned over ({first}); repair 'winding' turns them alike"),
    ("inside_out", "winding", "no solid",
     "{n} closed parts are inside out, their volume is negative (those of triangles {first}): list the corners of each "
     "triangle counter-clockwise as seen from outside; repair 'winding' turns the triangles"),
    ("duplicate", "duplicate", "warning",
     "{n} triangles repeat the corners of an earlier one ({first}); repair 'duplicate' leaves them out"),
    ("sheet", "", "warning",
     "{n} closed parts enclose no volume (those of triangles {first}): each is a sheet that pushes to both sides"),
    ("crossing", "", "warning",
     "{n} pairs of triangles cross ({first}): the mesh crosses itself, and a contact near there may be wrong; make one "
     "surface of it, by a union in a program for meshes"),
    ("doubled", "winding", "warning",
     "{n} closed parts lie inside the solid of another one (those of triangles {first}): a contact there may be wrong; "
     "leave them out, or turn their triangles over if they are meant as cavities"),
    ("cracks", "weld", "warning",
     "{n} vertices of the border lie where another one does ({first}); repair 'weld' makes them one"),
    ("border", "holes", "warning",
     "the mesh is not closed, {n} edges have one triangle ({first}): contacts are found near its triangles only; "
     "repair 'holes' fills plane holes"),
    ("flat", "", "warning",
     "the mesh is not closed and all of its triangles lie in one plane: it is a sheet that pushes only to the side its "
     "triangles face"),
    ("untested", "", "note", "there are too many triangles to search for crossing triangles"),
    ("unused", "unused", "note", "{n} vertices belong to no triangle ({first}); repair 'unused' leaves them out"),
)


@lru_cache(maxsize=64)
def check_mesh(mesh: Mesh) -> MeshReport:
    """Find all certain and possible mistakes of a mesh. The mesh does not change.

    Examples
    --------
    >>> from contactlib.shapes.polytopes import Mesh
    >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    >>> print(check_mesh(Mesh(corners, [(0, 2, 1), (0, 1, 3), (1, 3, 2)])))
    4 vertices, 3 triangles, not closed
    - 2 edges lie between triangles of which one is turned over (1-2, 1-3); repair 'winding' turns them alike
    - the mesh is not closed, 3 edges have one triangle (0-2, 0-3, 2-3): contacts are found near its triangles only; \
repair 'holes' fills plane holes
    """
    places = _surface_places(mesh)
    if not len(places["not_finite"]) and not len(places["empty"]):
        places |= _solid_places(mesh, sound=not any(len(places[kind]) for kind in ("degenerate", "crowded", "winding")))
    findings = [_finding(*row, places[row[0]]) for row in _SENTENCES if len(places.get(row[0], ()))]
    closed = mesh.closed and len(mesh.triangles) > 0
    return MeshReport(len(mesh.vertices), len(mesh.triangles), closed, tuple(findings))


def surface_findings(mesh: Mesh) -> tuple[Finding, ...]:
    """Find the mistakes that prevent a shape: the quick part of `check_mesh`."""
    places = _surface_places(mesh)
    rows = [row for row in _SENTENCES if row[2] == "no surface" and len(places[row[0]])]
    return tuple(_finding(*row, places[row[0]]) for row in rows)


def _finding(kind: str, repair: str, verdict: str, sentence: str, places: NDArray[Any]) -> Finding:
    first = tuple(tuple(x) if isinstance(x, list) else x for x in places[:SHOWN].tolist())
    text = sentence.format(n=len(places), first=first_of(places, SHOWN))
    return Finding(kind, len(places), first, text, verdict, repair)


def _surface_places(mesh: Mesh) -> dict[str, NDArray[Any]]:
    """Return the places of mistakes in single triangles and edges."""
    edges = mesh.edges
    return {
        "empty": np.empty(0) if len(mesh.triangles) else np.zeros(1),
        "not_finite": np.flatnonzero(~np.isfinite(mesh.vertices).all(axis=1)),
        "degenerate": mesh.flat,
        "crowded": edges.corners[edges.non_manifold],
        "winding": edges.corners[edges.same_direction],
        "duplicate": mesh.repeated,
        "border": edges.corners[edges.border],
        "unused": np.setdiff1d(np.arange(len(mesh.vertices)), mesh.triangles),
    }


def _solid_places(mesh: Mesh, sound: bool) -> dict[str, NDArray[Any]]:
    """Return the places of mistakes in parts, volumes and crossing triangles.

    All vertices must be finite. Crossing triangles are searched in a `sound` surface only.
    """
    parts = parts_of(mesh)
    found = crossings(mesh, parts) if sound else Crossings(np.empty((0, 2), dtype=np.intp), True)
    crossing = np.unique(parts.part[found.pairs])
    flat = not mesh.closed and _in_one_plane(mesh)
    return {
        "inside_out": _first_triangles(parts.part, parts.inside_out),
        "sheet": _first_triangles(parts.part, parts.sheets),
        "doubled": _first_triangles(parts.part, np.setdiff1d(parts.doubled, crossing)),
        "crossing": found.pairs,
        "cracks": weld(mesh, WELD * mesh.diagonal)[0],
        "flat": np.zeros(int(flat)),
        "untested": np.zeros(int(not found.complete)),
    }


def _in_one_plane(mesh: Mesh) -> bool:
    """Return whether all corners lie in one plane, to 1e-9 of the size."""
    corners = mesh.vertices[np.unique(mesh.triangles)]
    away = corners - corners.mean(axis=0)
    normal = principal((away[:, :, None] * away[:, None, :]).sum(axis=0))[1][:, 0]
    return bool(np.ptp(dot(away, normal)) <= 1e-9 * mesh.diagonal)


def weld(mesh: Mesh, distance: float) -> tuple[Numbers, Numbers]:
    """Return border vertices that are welded to an earlier vertex, and for each vertex the vertex that replaces it."""
    border = np.unique(mesh.edges.corners[mesh.edges.border])
    replacement = np.arange(len(mesh.vertices))
    if len(border):
        replacement[border] = border[same_places(mesh.vertices[border], distance)]
    return np.flatnonzero(replacement != np.arange(len(replacement))), replacement


def _first_triangles(part: Numbers, chosen: Numbers) -> Numbers:
    return np.unique(part, return_index=True)[1][chosen]
