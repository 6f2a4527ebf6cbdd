"""The pressure picture of a contact: its patches in the contact plane, coloured by pressure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from contactlib.report.plot import INK, SOFT, STYLE, new_figure, require_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from contactlib.simulation.patches import ContactPatches

Floats = NDArray[np.float64]
#: triangles of a picture; a polygon is divided until there are about as many
TRIANGLES = 30_000
MOST_DIVISIONS = 5
#: a part that is seen so much from its side that less than this part of its area is visible, such as a side wall
SIDE = 0.05
#: in-plane part of a patch's force, relative to the largest load, from which on it has an arrow
SMALL_FORCE = 0.02
AXIS = "#d9483b"


@dataclass(frozen=True)
class View:
    """The contact plane, seen from B: x = origin + u t_u + v t_v, in m and world axes."""

    origin: Floats
    t_u: Floats
    t_v: Floats

    @classmethod
    def along(cls, n_AB_W: Floats, origin: Floats) -> View:
        """Look against the normal; u is the world axis that is nearest to the plane, x before y before z."""
        first = np.eye(3)[int(np.argmin(np.round(np.abs(n_AB_W), 6)))]
        t_u = first - (first @ n_AB_W) * n_AB_W
        t_u /= np.linalg.norm(t_u)
        return cls(origin, t_u, np.cross(n_AB_W, t_u))

    def at(self, x_W: Floats) -> Floats:
        """Coordinates (..., 2) of points (..., 3), in mm."""
        return 1e3 * ((x_W - self.origin) @ np.stack([self.t_u, self.t_v], axis=1))

    def names(self) -> tuple[str, str]:
        """Labels of both axes: the world axis that an axis is parallel to, else its direction."""
        return _axis_name(self.t_u), _axis_name(self.t_v)


def _axis_name(t: Floats) -> str:
    k = int(np.argmax(np.abs(t)))
    if abs(t[k]) > 1 - 1e-6:
        return f"{'−' if t[k] < 0 else ''}{'xyz'[k]}  [mm]"
    return "along ({:.2f}, {:.2f}, {:.2f})  [mm]".format(*t)


def plot_pressure(found: ContactPatches, contact: int | Sequence[int] | None = None) -> Figure:
    """Draw the pressure of one contact, or of several contacts, in the plane of the first one.

    Flat parts are filled by their pressure, which is proportional to a power of the extent. Parts of curved surfaces
    have an outline, and dots coloured by the mean pressure around them. A cross marks the centre of pressure of each
    patch, with its load; a dashed circle has the mean radius of its pressure. An arrow shows the part of its force
    along the plane. A circle with a cross marks the centre of all.

    Parameters
    ----------
    found : from `Simulation.contact_patches`.
    contact : row of `found.contacts`, or several rows; None: the contact with the largest normal force.

    Raises
    ------
    ImportError : matplotlib is missing.
    ValueError : there is no contact, or a row does not exist.

    Examples
    --------
    >>> import contactlib
    >>> spec = contactlib.load("tripod")
    >>> found = contactlib.Simulation(spec.compile()).contact_patches()
    >>> len(found) == 0 or len(plot_pressure(found).axes) > 0
    True
    """
    require_matplotlib()
    from matplotlib import rc_context

    rows = _rows(found, contact)
    view = _view(found, rows)
    with rc_context(STYLE):
        figure = new_figure(7.2, 6.0)
        ax = figure.subplots()
        drawn = _flat_parts(found, rows, view)
        dots = _dots(found, rows, view, drawn)
        top = max((float(p.max(initial=0.0)) for _, _, p in (*drawn.values(), *dots)), default=0.0)
        factor, unit = _pressure_unit(top)
        shown = None
        for x, triangles, p in drawn.values():
            shown = ax.tripcolor(x[:, 0], x[:, 1], triangles, facecolors=factor * p, vmin=0, vmax=factor * top,
                                 cmap="viridis", rasterized=True, zorder=2)
        _outlines(ax, found, rows, view)
        for x, size, p in dots:
            shown = ax.scatter(x[:, 0], x[:, 1], s=size, c=factor * p, vmin=0, vmax=factor * top, cmap="viridis",
                               linewidths=0, zorder=3)
        if shown is not None:
            figure.colorbar(shown, ax=ax, label=f"pressure  [{unit}]", shrink=0.85)
        _marks(ax, found, rows, view)
        _label(ax, found, rows, view)
    return figure


def _rows(found: ContactPatches, contact: int | Sequence[int] | None) -> list[int]:
    count = len(found.contacts)
    if count == 0:
        raise ValueError("there is no contact to draw: the bodies do not touch in this state")
    if contact is None:
        return [int(np.argmax(np.abs(found.contacts["normal_force"])))]
    rows = [int(row) for row in np.atleast_1d(np.asarray(contact))]
    for row in rows:
        if not 0 <= row < count:
            raise ValueError(f"contact = {row}: there are {count} contacts, numbered from 0 to {count - 1}")
    return rows


def _view(found: ContactPatches, rows: list[int]) -> View:
    """Look at the plane of the first contact, from the middle of all patches; patches all round are seen from above."""
    mine = np.isin(found.patches["contact"], rows)
    centre = np.average(found.centres_W[mine], axis=0, weights=np.abs(found.patches["normal_force"][mine]) + 1e-300)
    return View.along(np.asarray(found.contacts["n_AB_W"][rows[0]]), centre)


def _flat_parts(found: ContactPatches, rows: list[int],
                view: View) -> dict[int, tuple[Floats, NDArray[np.int64], Floats]]:
    """Of each flat outline that faces the viewer: points (mm), triangles, and the pressure of each triangle, Pa."""
    mine = [k for k in np.flatnonzero(np.isin(found.outlines["contact"], rows)) if found.outlines["linear"][k]]
    faces = {int(k): found.outlines[k] for k in mine if _is_seen(found, found.outlines[k], view)}
    fans = sum(max(1, int(face["count"]) - 2) for face in faces.values())
    divisions = int(np.clip(np.log(TRIANGLES / max(1, fans)) / np.log(4.0), 0, MOST_DIVISIONS))
    return {k: _pressed(found, face, view, divisions) for k, face in faces.items()}


def _corners(found: ContactPatches, outline: np.void) -> tuple[Floats, Floats]:
    rows = found.corners[outline["first"]:outline["first"] + outline["count"]]
    return found.r_WA[outline["contact"]] + rows["p_AC_W"], np.asarray(rows["extent"])


def _is_seen(found: ContactPatches, outline: np.void, view: View) -> bool:
    x, _ = _corners(found, outline)
    u, v = 1e-3 * view.at(x).T
    seen = 0.5 * abs(float(np.sum(u * np.roll(v, -1) - v * np.roll(u, -1))))
    return seen > SIDE * float(outline["area"])


def _pressed(found: ContactPatches, face: np.void, view: View,
             divisions: int) -> tuple[Floats, NDArray[np.int64], Floats]:
    """Divide a polygon into triangles. Its pressure is proportional to e^(p-1) and adds up to its normal force."""
    x, e = _corners(found, face)
    corners = np.concatenate([x, e[:, None]], axis=1)
    k = np.arange(1, len(x) - 1)
    parts = corners[np.stack([np.zeros_like(k), k, k + 1], axis=1)]
    for _ in range(divisions):
        a, b, c = parts[:, 0], parts[:, 1], parts[:, 2]
        ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
        parts = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    size = 0.5 * np.linalg.norm(np.cross(parts[:, 1, :3] - parts[:, 0, :3], parts[:, 2, :3] - parts[:, 0, :3]), axis=1)
    shape = parts[:, :, 3].mean(axis=1) ** (int(face["sharpness"]) - 1)
    total = float(shape @ size)
    pressure = shape * (float(face["normal_force"]) / total) if total > 0 else np.zeros(len(parts))
    return view.at(parts[:, :, :3].reshape(-1, 3)), np.arange(3 * len(parts)).reshape(-1, 3), pressure


def _dots(found: ContactPatches, rows: list[int], view: View,
          drawn: dict[int, Any]) -> list[tuple[Floats, float, Floats]]:
    """Points (mm), size of their dots and mean pressure (Pa) of the patches that have a part without linear extents."""
    curved = {int(o["patch"]) for o in found.outlines[found.outlines["linear"] == 0] if o["contact"] in rows}
    flat = {int(found.outlines["patch"][k]) for k in drawn}
    out = []
    for patch in sorted(curved - flat):
        points = found.points[(found.points["patch"] == patch) & (found.points["area"] > 0)]
        x = view.at(found.r_WA[points["contact"]] + points["p_AC_W"])
        order = np.argsort(points["normal_force"] / points["area"], kind="stable")
        out.append((x[order], float(np.clip(4e3 / max(1, len(x)), 3.0, 30.0)),
                    np.asarray(points["normal_force"] / points["area"])[order]))
    return out


def _pressure_unit(top: float) -> tuple[float, str]:
    for factor, unit in ((1e-9, "GPa"), (1e-6, "MPa"), (1e-3, "kPa")):
        if top * factor >= 1.0:
            return factor, unit
    return 1.0, "Pa"


def _outlines(ax: Axes, found: ContactPatches, rows: list[int], view: View) -> None:
    from matplotlib.collections import PolyCollection

    for patch in np.flatnonzero(np.isin(found.patches["contact"], rows)):
        border = list(_border(found, int(patch), view))
        ax.add_collection(PolyCollection(border, facecolors="#eef2f5", edgecolors=SOFT, linewidths=0.4, zorder=1))
    ax.autoscale_view()


def _border(found: ContactPatches, patch: int, view: View) -> Iterator[Floats]:
    for outline in found.outlines[found.outlines["patch"] == patch]:
        yield view.at(_corners(found, outline)[0])


def _marks(ax: Axes, found: ContactPatches, rows: list[int], view: View) -> None:
    """Centres, loads and radii of the patches, and the centre of all."""
    from matplotlib.patches import Circle

    mine = np.flatnonzero(np.isin(found.patches["contact"], rows))
    patches, centres = found.patches[mine], view.at(found.centres_W[mine])
    most = float(np.abs(patches["load"]).max(initial=0.0))
    for patch, x in zip(patches, centres, strict=True):
        ax.add_patch(Circle(tuple(x), 1e3 * float(patch["radius"]), fill=False, ls="--", lw=0.9, color=AXIS, zorder=4))
        ax.plot(*x, "x", color=AXIS, ms=6, mew=1.6, zorder=5)
        along = np.array([patch["f_B_W"] @ view.t_u, patch["f_B_W"] @ view.t_v])
        if most > 0 and np.linalg.norm(along) > SMALL_FORCE * most:
            ax.annotate("", tuple(x + 0.2 * _span(ax) * along / most), tuple(x), zorder=5,
                        arrowprops={"arrowstyle": "-|>", "color": AXIS, "lw": 1.4})
        ax.annotate(f"{patch['load']:.3g} N", tuple(x), xytext=(7, 7), textcoords="offset points", color=INK, zorder=6,
                    fontsize=8.5, bbox={"boxstyle": "round,pad=0.2", "fc": "white", "ec": "none", "alpha": 0.8})
    if len(mine) > 1:
        ax.plot(0.0, 0.0, "o", mfc="none", mec=AXIS, ms=10, mew=1.4, zorder=5)
        ax.plot(0.0, 0.0, "+", color=AXIS, ms=10, mew=1.4, zorder=5)


def _span(ax: Axes) -> float:
    return float(max(np.ptp(ax.get_xlim()), np.ptp(ax.get_ylim())))


def _label(ax: Axes, found: ContactPatches, rows: list[int], view: View) -> None:
    mine = found.patches[np.isin(found.patches["contact"], rows)]
    a, b = found.contacts[rows[:1]].names("shape_a")[0], found.contacts[rows[:1]].names("shape_b")[0]
    force = float(found.contacts["normal_force"][rows].sum())
    name = f"{a} and {b}" if len(rows) == 1 else f"{len(rows)} contacts"
    count = f"{len(mine)} patch{'es' if len(mine) != 1 else ''}"
    ax.set_title(f"{name}: {force:.4g} N on {1e6 * float(mine['area'].sum()):.4g} mm²", pad=18)
    depth = 1e3 * float(mine["depth"].max(initial=0.0))
    ax.text(0.0, 1.012, f"{count}, up to {depth:.3g} mm deep, seen from B", transform=ax.transAxes, fontsize=8.5,
            color=SOFT)
    u, v = view.names()
    ax.set_xlabel(u), ax.set_ylabel(v)
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.08)
