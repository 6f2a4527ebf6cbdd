"""Patches of contacts: the connected pieces of surface in contact, for people. No law depends on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from contactlib.report.pressure import plot_pressure
from contactlib.simulation.contacts import ContactArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
Rows = NDArray[np.void]


@dataclass(frozen=True, repr=False)
class ContactPatches:
    """The patches of all contacts of one state, from `Simulation.contact_patches`; all arrays are read-only.

    A patch is a connected piece of surface in contact: of the part of one solid's surface that is inside the other
    solid. Two parts of that surface are connected if they touch. A gap that is narrower than a hundredth of the
    contact's depth counts as none. Flat faces are polygons. The borders of curved surfaces are polygons whose
    corners lie on them. So the number of patches does not depend on the points at which pressure is integrated.

    A contact of points is one patch of area 0, with the contact's own point, normal, force and depth.

    contacts (N,) : the contacts of the state; docs/contacts.md lists the fields.
    r_WA (N, 3) : m, position of each contact's body A in world axes. Add it to a position `p_AC_W`.
    patches (M,) : structured, one row for each patch, in the order of the contacts; fields below.
    points (P,) : structured, the points of surface contacts. Each stands for a part of a patch.
    outlines (Q,), corners (R,) : structured, the borders of convex parts of the patches.

    Fields of `patches`. Vectors are in world axes; forces and couples act on body B.

    | field | unit | meaning |
    |---|---|---|
    | `contact` | | row of `contacts` |
    | `p_AC_W` | m | centre of pressure, from body A's origin |
    | `n_AB_W` | 1 | unit normal from A to B: direction of `f_B_W`, or the opposite where the patch pulls |
    | `f_B_W` | N | normal force on B: the sum over the patch, without friction; `load * n_AB_W` |
    | `t_B_W` | N m | couple on B of the normal force about `p_AC_W`; 0 where all normals are parallel |
    | `load` | N | component of `f_B_W` along the normal |
    | `normal_force` | N | sum of the pressures; more than `load` where the patch is curved |
    | `area` | m2 | of the surface in contact |
    | `radius` | m | root of the mean squared distance of the pressures from `p_AC_W` |
    | `depth` | m | greatest extent; of curved surfaces that of the deepest point or corner |

    Fields of `points`: `contact`, `patch` (row of `patches`), `p_AC_W` (m), `n_AB_W`, `f_B_W` (N), `normal_force` (N),
    `extent` (m, depth below the other surface) and `area` (m2). `normal_force / area` is the mean pressure of the part
    that the point stands for, Pa.

    Fields of `outlines`: `contact`, `patch`, `first` and `count` of its `corners`, `columns`, `sharpness`,
    `normal_force` (N) and `area` (m2) of its points. Without `columns` it is a convex polygon on which the extent is
    linear. Else its corners are rows of so many places, from one side of a curved surface to the other. The pressure is
    `pressure_factor * extent ** (sharpness - 1)`. Fields of `corners`: `p_AC_W` (m), `extent` (m).

    The sum of `f_B_W` over the patches of a contact, and the sum of `points["f_B_W"]`, is its normal force:
    `contacts["f_B_W"]` without friction. The moments add up likewise.
    """

    contacts: ContactArray
    r_WA: Floats
    patches: Rows
    points: Rows
    outlines: Rows
    corners: Rows

    @classmethod
    def of(cls, rows: Sequence[Rows], contacts: ContactArray, positions: Floats) -> ContactPatches:
        """Make the result of the rows of `engine.Data.patches`, and the positions (bodies, 3) of all bodies, m."""
        r_WA = np.ascontiguousarray(positions[contacts["body_a"]])
        r_WA.flags.writeable = False
        return cls(contacts, r_WA, *rows)

    def __len__(self) -> int:
        """Number of patches."""
        return len(self.patches)

    def __getitem__(self, field: str) -> NDArray[Any]:
        """Return a column of `patches`: `found["load"]`."""
        return self.patches[field]

    def __repr__(self) -> str:
        return f"ContactPatches({len(self.patches)} patches of {len(self.contacts)} contacts)"

    @property
    def centres_W(self) -> Floats:
        """(M, 3): centre of pressure of each patch in world axes, m."""
        return np.asarray(self.r_WA[self.patches["contact"]] + self.patches["p_AC_W"])

    @cached_property
    def triangles(self) -> NDArray[np.int64]:
        """(T, 3): rows of `corners`, of triangles that make up the outlines, whose extent is linear on each."""
        return np.concatenate([_fans(self.outlines), *_strips(self.outlines)])

    @cached_property
    def outline_of_corner(self) -> NDArray[np.int64]:
        """(R,): row of `outlines` of each corner; -1 of those of no outline, which carries no pressure."""
        first, count = (self.outlines[name].astype(np.int64) for name in ("first", "count"))
        corners = np.repeat(first - np.cumsum(count) + count, count) + np.arange(count.sum())
        owner = np.full(len(self.corners), -1)
        owner[corners] = np.repeat(np.arange(len(count)), count)
        return owner

    @cached_property
    def pressure_factor(self) -> Floats:
        """(Q,): the pressure on an outline is `pressure_factor * extent ** (sharpness - 1)`, Pa. It is not negative.

        Polygons have that whose integral is their own `normal_force`, the curved parts of a patch one in common. Curved
        parts have few corners, between which their extent is not linear. So their greatest pressures are too large, by
        some 10 %, of narrow patches up to 2.6 times (p = 4).
        """
        rows = self.outlines
        group = np.where(rows["columns"] > 0, len(rows) + rows["patch"], np.arange(len(rows)))
        names, group = np.unique(group, return_inverse=True)
        forces, integrals = np.zeros(len(names)), np.zeros(len(names))
        np.add.at(forces, group, rows["normal_force"])
        np.add.at(integrals, group[self.outline_of_corner[self.triangles[:, 0]]], self._integrals())
        whole = np.divide(forces, integrals, out=np.zeros(len(names)), where=(integrals > 0.0) & (forces > 0.0))
        return np.asarray(whole[group])

    def _integrals(self) -> Floats:
        """Of e^q over each triangle: 2 A/((q+1) (q+2)) times the sum of all products of q of its three extents."""
        corners = self.corners[self.triangles]
        x, extents = corners["p_AC_W"], corners["extent"]
        area = 0.5 * np.linalg.norm(np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]), axis=1)
        q = self.outlines["sharpness"][self.outline_of_corner[self.triangles[:, 0]]] - 1
        out = np.zeros(len(area))
        for power in np.unique(q):
            mine = q == power
            a, b, c = extents[mine].T
            one = two = three = np.ones(len(a))
            for _ in range(power):
                one = a * one
                two = one + b * two
                three = two + c * three
            out[mine] = 2.0 * area[mine] / ((power + 1) * (power + 2)) * three
        return out

    def plot(self, contact: int | Sequence[int] | None = None) -> Figure:
        """Draw the pressure of a contact, or of several contacts in one plane (needs the extra [plot]).

        Parameters
        ----------
        contact : row of `contacts`, or several rows; None: the contact with the largest normal force.

        Raises
        ------
        ImportError : matplotlib is missing.
        ValueError : there is no contact, or a row does not exist.
        """
        return plot_pressure(self, contact)


def _fans(outlines: Rows) -> NDArray[np.int64]:
    """Triangles of the convex polygons: their first corner, and two that follow each other."""
    rows = outlines[outlines["columns"] == 0]
    count = np.maximum(rows["count"].astype(np.int64) - 2, 0)
    first = np.repeat(rows["first"].astype(np.int64), count)
    k = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    return np.stack([first, first + k + 1, first + k + 2], axis=1)


def _strips(outlines: Rows) -> Sequence[NDArray[np.int64]]:
    """Triangles between neighbouring places of neighbouring rows, of each curved outline."""
    found = []
    for row in outlines[outlines["columns"] > 0]:
        number = np.arange(row["first"], row["first"] + row["count"], dtype=np.int64).reshape(-1, row["columns"])
        a, b, c, d = number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]
        found += [np.stack(corners, axis=-1).reshape(-1, 3) for corners in ((a, b, c), (a, c, d))]
    return found
