"""A result as plain arrays for Blender: poses of bodies, deforming meshes, and where the camera looks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contactlib.blender.extension.plain.deforming import arrows, fabric, tubes
from contactlib.common.files import write_whole
from contactlib.exports.drawing import Drawing, contacts_of
from contactlib.results.result import Result

Floats = NDArray[np.float64]
#: most frames of a film that is not asked to have more
MOST_FRAMES = 250
#: length of the arrow of the largest force, relative to the size of what is shown
ARROW = 0.4
COLOURS = {"cable": (0.15, 0.15, 0.17), "fabric": (0.85, 0.75, 0.35), "force": (0.9, 0.1, 0.05)}


@dataclass(frozen=True)
class Film:
    """How a result becomes a film.

    Attributes
    ----------
    rate : frames per second of the film.
    speed : seconds of the run in a second of the film; None chooses it so that the film has at most 250 frames.
    follow : name of the body that stays in the middle.
    forces : whether contact forces, also those of cables, are shown as arrows.
    """

    rate: int = 25
    speed: float | None = None
    follow: str | None = None
    forces: bool = True

    def numbers(self, time: Floats) -> NDArray[np.intp]:
        """Return the numbers of the recorded frames that are nearest to the frames of the film."""
        length = float(time[-1] - time[0])
        if self.speed is None:
            count = min(len(time), MOST_FRAMES)
        else:
            count = max(1, round(length / self.speed * self.rate) + 1)
        wanted = np.linspace(time[0], time[-1], count)
        right = np.clip(np.searchsorted(time, wanted), 1, max(1, len(time) - 1))
        left = right - 1
        right = np.minimum(right, len(time) - 1)
        nearer: NDArray[np.intp] = np.where(wanted - time[left] <= time[right] - wanted, left, right)
        return nearer


def write_response(result: Result, path: Path, film: Film) -> Path:
    """Write the arrays of a result to a .npz file, which Blender's Python reads. Raises ValueError, OSError.

    Arrays: time (F,), r (F, bodies, 3), q (F, bodies, 4); for each deforming mesh k its vertices_k (F, n, 3), relative
    to the origin of the film, and faces_k. The entry `meta` is a JSON text with names, colours, and the
    points that a camera must see.
    """
    chosen = film.numbers(result.time)
    drawing = Drawing(result, follow=film.follow)
    states = result.states[chosen]
    origin = states[:, list(result.bodies).index(film.follow), :3] if film.follow in result.bodies else None
    if film.follow is not None and origin is None:
        raise ValueError(f"--follow {film.follow}: there is no such body; known: {', '.join(result.bodies)}")
    shift = np.broadcast_to(drawing.origin[0], (len(chosen), 3)) if origin is None else origin
    r = states[:, :, :3] - shift[:, None]
    meshes = [*_fabrics(result, chosen, shift), *_cables(result, drawing, chosen, shift)]
    points = _framing(drawing, r, meshes)
    radius = 0.5 * float(np.linalg.norm(np.ptp(points, axis=0))) or 1.0
    if film.forces:
        meshes += _forces(result, chosen, shift, radius)
    arrays: dict[str, Any] = {"time": result.time[chosen], "r": r, "q": _continuous(states[:, :, 3:7])}
    for k, (_, _, vertices, faces) in enumerate(meshes):
        arrays |= {f"vertices_{k}": vertices.astype(np.float32), f"faces_{k}": faces}
    meta = {"bodies": list(result.bodies), "rate": film.rate, "points": points.tolist(),
            "meshes": [{"name": name, "colour": COLOURS[kind], "kind": kind} for name, kind, _, _ in meshes]}
    arrays["meta"] = np.frombuffer(json.dumps(meta).encode(), dtype=np.uint8)
    return write_whole(path, lambda file: np.savez(file, **arrays))


Mesh = tuple[str, str, Floats, NDArray[np.int64]]


def _continuous(q: Floats) -> Floats:
    """Return quaternions (F, bodies, 4) of which the sign does not jump, so that a film turns the short way."""
    flips = np.sign((q[1:] * q[:-1]).sum(axis=2))
    signs = np.concatenate([np.ones((1, q.shape[1])), np.cumprod(np.where(flips < 0.0, -1.0, 1.0), axis=0)])
    turned: Floats = q * signs[:, :, None]
    return turned


def _framing(drawing: Drawing, r: Floats, meshes: list[Mesh]) -> Floats:
    """Return points (n, 3) that a camera must see: about all shapes and meshes in the first and the last frame, m."""
    points = [vertices[frame] for *_, vertices, _ in meshes for frame in (0, -1)]
    for k, shapes in enumerate(drawing.shapes):
        for shape in shapes:
            if shape.shape.kind == "plane":
                continue
            size = 0.5 * drawing.size if shape.shape.kind in ("point", "segment") else _reach(drawing, shape)
            points += [r[frame, k] + s * size * axis for frame in (0, -1) for s in (-1.0, 1.0) for axis in np.eye(3)]
    return np.concatenate([np.atleast_2d(each) for each in points or [r[0], r[-1]]])


def _reach(drawing: Drawing, shape: Any) -> float:
    """Return the largest distance of a shape's surface from its body's origin, m."""
    vertices, _ = drawing.surface(shape)
    return float(np.linalg.norm(vertices, axis=1).max() + np.linalg.norm(shape.r))


def _fabrics(result: Result, chosen: NDArray[np.intp], shift: Floats) -> list[Mesh]:
    found: list[Mesh] = []
    for name, vertices in result.membranes.items():
        triangles = result.membrane_triangles[name][chosen].astype(np.int64)
        moved, faces = fabric(vertices[chosen] - shift[:, None], triangles)
        if len(faces):
            found.append((name, "fabric", moved, faces))
    return found


def _cables(result: Result, drawing: Drawing, chosen: NDArray[np.intp], shift: Floats) -> list[Mesh]:
    return [(name, "cable", *tubes(nodes[chosen] - shift[:, None], drawing.radius(name)))
            for name, nodes in result.cables.items()]


def _forces(result: Result, chosen: NDArray[np.intp], shift: Floats, radius: float) -> list[Mesh]:
    """Return the arrows of the forces on the second body of each contact and on cables, as long as they are large."""
    rows = [contacts_of(result, int(frame)) for frame in chosen]
    largest = max((float(np.linalg.norm(each["f_W"], axis=1).max(initial=0.0)) for each in rows), default=0.0)
    if largest == 0.0:
        return []
    scale = ARROW * radius / largest
    tips = [each["r_W"] - shift[k] for k, each in enumerate(rows)]
    vertices, faces = arrows(tips, [scale * each["f_W"] for each in rows])
    return [("forces", "force", vertices, faces)]
