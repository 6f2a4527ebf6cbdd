"""The pressure on the surfaces in contact, for a page: the contacts of its frames are evaluated again."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from contactlib.exports.drawing import Drawing
from contactlib.results.result import Result
from contactlib.simulation.contacts import ContactArray
from contactlib.simulation.patches import ContactPatches
from contactlib.simulation.simulation import Simulation

Arrays = dict[str, NDArray[np.float32] | NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32]]
#: of the greatest pressures of all frames with a contact, the one up to which colours reach
COLOURED = 0.95
#: relative differences up to which a contact that is evaluated again is the recorded one: of depths, rounding; of
#: normal forces, friction on a curved surface, whose memory is not recorded
SAME_DEPTH, SAME_FORCE = 1e-9, 0.05


class Surfaces(NamedTuple):
    """Triangles of one frame: corners (n, 3) in m and world axes, e k^(1/q) and q of each, with which the pressure is
    k e^q; and rows of corners and the numbers of both bodies of each triangle."""

    x_W: NDArray[np.float64]
    root: NDArray[np.float64]
    power: NDArray[np.uint8]
    triangles: NDArray[np.int64]
    sides: NDArray[np.int64]


class Pressures:
    """The pressures of the frames of a result, as far as they have been asked for; a page may leave them out."""

    def __init__(self, result: Result) -> None:
        self.result, self.left_out = result, False
        self._simulation = _simulation(result)
        self._found: dict[int, Surfaces | None] = {}

    def at(self, frame: int) -> Surfaces | None:
        """Return the surfaces of a frame; None without any, or where they would not be those of the run.

        A run can hold what its states do not: parameters that were set meanwhile, groups that an element moves, or
        contact models in Python.
        """
        if frame not in self._found:
            self._found[frame] = self._evaluated(frame)
        return None if self.left_out else self._found[frame]

    def _evaluated(self, frame: int) -> Surfaces | None:
        recorded = self.result.contacts_of(frame)
        if self._simulation is None or len(recorded["depth"]) == 0:
            return None
        try:
            contacts = self._simulation.compute(self.result.states[frame]).contacts
        except ValueError:
            return None
        if not _are_same(contacts, recorded):
            return None
        return surfaces_of(self._simulation.contact_patches()) if contacts["area"].any() else None


def _simulation(result: Result) -> Simulation | None:
    try:
        return Simulation(result.model)
    except ValueError:  # of a model with modules in Python that are not here
        return None


def _are_same(contacts: ContactArray, recorded: dict[str, NDArray[Any]]) -> bool:
    """Whether the contacts of a state are those of a frame."""
    if len(contacts) != len(recorded["depth"]):
        return False
    forces, wanted = ((f * n).sum(axis=1) for f, n in ((contacts["f_B_W"], contacts["n_AB_W"]),
                                                       (recorded["f_W"], recorded["n_W"])))
    return bool(np.allclose(contacts["depth"], recorded["depth"], rtol=SAME_DEPTH, atol=0.0)
                and np.allclose(forces, wanted, rtol=SAME_FORCE, atol=0.0))


def surfaces_of(found: ContactPatches) -> Surfaces | None:
    """Return the triangles of all outlines of a state with a pressure; None without any."""
    owner = found.outline_of_corner
    triangles = found.triangles[found.pressure_factor[owner[found.triangles[:, 0]]] > 0.0]
    if len(triangles) == 0:
        return None
    rows, numbers = np.unique(triangles, return_inverse=True)
    outline, corners = owner[rows], found.corners[rows]
    contact, q = found.outlines["contact"][outline], found.outlines["sharpness"][outline] - 1
    sides = [found.contacts[side][found.outlines["contact"][owner[triangles[:, 0]]]] for side in ("body_a", "body_b")]
    root = corners["extent"] * found.pressure_factor[outline] ** (1.0 / q)
    return Surfaces(found.r_WA[contact] + corners["p_AC_W"], root, q.astype(np.uint8), numbers.reshape(-1, 3),
                    np.stack(sides, axis=1))


def pressures(drawing: Drawing, origin: NDArray[np.float64], found: Pressures) -> tuple[float, Arrays]:
    """Return the pressure of the last colour, Pa (0: there are no surfaces), and the arrays of all frames.

    These are the first corner and the first triangle of each frame; x (m, from the origin), root and power of the
    corners; numbers of corners within their frame, and of bodies, of the triangles.
    """
    where = np.broadcast_to(origin, (len(drawing.frames), 3))
    frames = [found.at(int(frame)) for frame in drawing.frames]
    some = [part for part in frames if part is not None]
    greatest = sorted(float((part.root ** part.power).max()) for part in some)
    empty = Surfaces(np.zeros((0, 3)), np.zeros(0), np.zeros(0, np.uint8), np.zeros((0, 3), int), np.zeros((0, 2), int))
    x = [part.x_W - at for part, at in zip(frames, where, strict=True) if part is not None]
    every = [empty, *some]
    arrays: Arrays = {
        "pressure_first": np.array([[0, *np.cumsum([0 if part is None else len(rows(part)) for part in frames])]
                                    for rows in (_corners, _triangles)], dtype=np.uint32),
        "pressure_x": np.concatenate([empty.x_W, *x]).T.astype(np.float32),
        "pressure_root": np.concatenate([part.root for part in every]).astype(np.float32),
        "pressure_power": np.concatenate([part.power for part in every]),
        "pressure_corner": np.concatenate([part.triangles for part in every]).T.astype(np.uint32),
        "pressure_side": np.concatenate([part.sides for part in every]).T.astype(np.uint16),
    }
    return greatest[int(COLOURED * (len(greatest) - 1))] if greatest else 0.0, arrays


def _corners(part: Surfaces) -> NDArray[np.float64]:
    return part.root


def _triangles(part: Surfaces) -> NDArray[np.int64]:
    return part.triangles
