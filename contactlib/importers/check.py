"""What is wrong with a mesh."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contactlib.importers import parts
from contactlib.surfaces import Mesh, first_of

#: of the mesh's size: corners of a border nearer than this are meant to be one
WELD = 1e-6

SHOWN = 5


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong: how often, the first few places, and in a sentence what and what helps.

    `first` numbers vertices, triangles, or edges by their two vertices, as the sentence says. `refused`: no shape can
    be made of the mesh. `repair`: what `repair_mesh` calls the remedy, empty if it has none.
    """

    kind: str
    count: int
    first: tuple[Any, ...]
    sentence: str
    refused: bool
    repair: str

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class MeshReport:
    """All findings about a mesh, those that make it unusable first."""

    vertices: int
    triangles: int
    closed: bool
    findings: tuple[Finding, ...]

    @property
    def usable(self) -> bool:
        """A shape can be made of the mesh."""
        return not self.refused

    @property
    def refused(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.refused)

    def __str__(self) -> str:
        title = f"{self.vertices} vertices, {self.triangles} triangles, {'closed' if self.closed else 'not closed'}"
        return "\n".join([title, *(f"- {finding}" for finding in self.findings)])


#: kind, repair, whether it is refused, sentence; the worst first
_SENTENCES = (
    ("empty", "", True, "there are no triangles"),
    ("not_finite", "", True, "{n} vertices are not finite ({first})"),
    ("degenerate", "degenerate", True,
     "{n} triangles have no area ({first}); repair 'degenerate' leaves them out"),
    ("crowded", "duplicate", True,
     "{n} edges have more than two triangles ({first}); repair 'duplicate' helps where triangles are there twice"),
    ("winding", "winding", True,
     "{n} edges lie between triangles of which one is turned over ({first}); repair 'winding' turns them alike"),
    ("inside_out", "winding", False,
     "{n} closed parts are inside out (those of triangles {first}); repair 'winding' turns them"),
    ("duplicate", "duplicate", False,
     "{n} triangles repeat the corners of an earlier one ({first}); repair 'duplicate' leaves them out"),
    ("cracks", "weld", False,
     "{n} vertices of the border lie where another one does ({first}); repair 'weld' makes them one"),
    ("border", "holes", False,
     "the mesh is not closed, {n} edges have one triangle ({first}): contacts are found near its triangles only; "
     "repair 'holes' fills plane holes"),
    ("unused", "unused", False, "{n} vertices belong to no triangle ({first}); repair 'unused' leaves them out"),
)


def check_mesh(mesh: Mesh) -> MeshReport:
    """Everything that is wrong with a mesh, or may be; nothing is changed.

    Examples
    --------
    >>> from contactlib.shapes import Mesh
    >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    >>> print(check_mesh(Mesh(corners, [(0, 2, 1), (0, 1, 3), (1, 3, 2)])))
    4 vertices, 3 triangles, not closed
    - 2 edges lie between triangles of which one is turned over (1-2, 1-3); repair 'winding' turns them alike
    - the mesh is not closed, 3 edges have one triangle (0-2, 0-3, 2-3): contacts are found near its triangles only; \
repair 'holes' fills plane holes
    """
    places = _places(mesh)
    findings = []
    for kind, repair, refused, sentence in _SENTENCES:
        n, first = len(places[kind]), [tuple(x) if isinstance(x, list) else x for x in places[kind][:SHOWN].tolist()]
        if n:
            told = sentence.format(n=n, first=first_of(places[kind], SHOWN))
            findings.append(Finding(kind, n, tuple(first), told, refused, repair))
    closed = mesh.closed and len(mesh.triangles) > 0
    return MeshReport(len(mesh.vertices), len(mesh.triangles), closed, tuple(findings))


def _places(mesh: Mesh) -> dict[str, NDArray[Any]]:
    """Where each kind of fault is."""
    none = np.empty(0, dtype=np.intp)
    edges = mesh.edges
    bad = np.flatnonzero(~np.isfinite(mesh.vertices).all(axis=1))
    sound = not len(bad) and len(mesh.triangles) > 0
    return {
        "empty": none if len(mesh.triangles) else np.zeros(1),
        "not_finite": bad,
        "degenerate": mesh.flat,
        "crowded": edges.corners[edges.crowded],
        "winding": edges.corners[edges.same_way],
        "inside_out": _first_triangles(*parts.inside_out(mesh)) if sound else none,
        "duplicate": duplicates(mesh),
        "cracks": weld(mesh, WELD * mesh_size(mesh))[0] if sound else none,
        "border": edges.corners[edges.border],
        "unused": np.setdiff1d(np.arange(len(mesh.vertices)), mesh.triangles),
    }


def duplicates(mesh: Mesh) -> parts.Numbers:
    """Triangles with the same three corners as an earlier one, whichever way they turn."""
    corners = np.sort(mesh.triangles, axis=1)
    order = np.lexsort(corners.T[::-1])  # stable: of equal ones the earlier comes first
    again = (np.diff(corners[order], axis=0) == 0).all(axis=1)
    return np.sort(order[1:][again])


def weld(mesh: Mesh, distance: float) -> tuple[parts.Numbers, parts.Numbers]:
    """Vertices of the border that are one with an earlier one, and for each vertex the one that stands for it."""
    from scipy.spatial import cKDTree

    border = np.unique(mesh.edges.corners[mesh.edges.border])
    stand_in = np.arange(len(mesh.vertices))
    if len(border):
        pairs = cKDTree(mesh.vertices[border]).query_pairs(distance, output_type="ndarray")
        group = parts.components(len(border), pairs)
        stand_in[border] = border[np.unique(group, return_index=True)[1][group]]
    return np.flatnonzero(stand_in != np.arange(len(stand_in))), stand_in


def mesh_size(mesh: Mesh) -> float:
    """Diagonal of the box around it, m."""
    return float(np.linalg.norm(np.ptp(mesh.vertices, axis=0))) if len(mesh.vertices) else 0.0


def _first_triangles(part: parts.Numbers, chosen: parts.Numbers) -> parts.Numbers:
    return np.unique(part, return_index=True)[1][chosen]
