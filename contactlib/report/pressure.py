"""The pressure picture of a contact: its patches in the contact plane, coloured by pressure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from contactlib.report.plot import INK, SOFT, STYLE, new_figure, require_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from contactlib.simulation.patches import ContactPatches

Floats = NDArray[np.float64]
Triangles = NDArray[np.int64]
#: triangles of a picture; polygons are divided until there are about as many
TRIANGLES = 40_000
MOST_DIVISIONS = 5
#: of a part that is seen from its side, such as a side wall, less than this part of its area is visible
SIDE = 0.05
#: part of a patch's force along the plane, relative to the largest load, from which on it has an arrow
SMALL_FORCE = 0.02
#: a world axis is taken for u if the normal is further from it than 37 degrees
NEAR_NORMAL = 0.8
MARK, EMPTY = "#d9483b", "#eef2f5"


@dataclass(frozen=True)
class View:
    """The contact plane: x = origin + u t_u + v t_v + w, in m and world axes, w towards the viewer."""

    origin: Floats
    t_u: Floats
    t_v: Floats
    side: str

    @classmethod
    def of(cls, n_AB_W: Floats, origin: Floats) -> View:
        """Look along the normal from the side, A's or B's, from which both axes point along world axes."""
        k = int(np.argmax(np.abs(n_AB_W) < NEAR_NORMAL))
        t_u = np.eye(3)[k] - n_AB_W[k] * n_AB_W
        t_u /= np.linalg.norm(t_u)
        t_v = np.cross(n_AB_W, t_u)
        from_b = bool(t_v[int(np.argmax(np.abs(t_v)))] > 0)
        return cls(origin, t_u, t_v if from_b else -t_v, "B" if from_b else "A")

    def at(self, x_W: Floats) -> Floats:
        """Coordinates (..., 2) of points (..., 3), in mm."""
        return np.asarray(1e3 * ((x_W - self.origin) @ np.stack([self.t_u, self.t_v], axis=1)))

    def nearness(self, x_W: Floats) -> Floats:
        """How near points (..., 3) are to the viewer, m."""
        return np.asarray((x_W - self.origin) @ np.cross(self.t_u, self.t_v))


@dataclass(frozen=True)
class _Part:
    """A part of a patch: places (n, 3) in m, their extents (m), triangles, and its border."""

    x_W: Floats
    extent: Floats
    triangles: Triangles
    border_W: Floats
    seen: bool


def plot_pressure(found: ContactPatches, contact: int | Sequence[int] | None = None) -> Figure:
    """Draw the pressure of one contact, or of several contacts, in the plane of the first one.

    The pressure is proportional to a power of the extent, and adds up to the normal force. A cross marks the centre of
    pressure of each patch, with its load. A dashed circle has the mean radius of its pressure. An arrow shows the part
    of its force along the plane. A circle with a cross marks the centre of all patches, which is the origin.

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
    >>> spec = contactlib.Spec.from_dict({
    ...     "scene": {"name": "box"},
    ...     "body": [{"name": "floor", "motion": "fixed",
    ...               "shape": [{"name": "top", "kind": "plane", "material": "m"}]},
    ...              {"name": "box", "motion": "external",
    ...               "shape": [{"name": "hull", "kind": "box", "size": [0.2, 0.1, 0.1], "material": "m"}]}],
    ...     "law": [{"name": "m", "materials": ["m", "m"],
    ...              "normal": {"kind": "kelvin_voigt", "stiffness": 1e6, "damping": 0.0}}],
    ...     "pair": [{"bodies": ["floor", "box"]}]})
    >>> simulation = contactlib.Simulation(spec.compile())
    >>> _ = simulation.compute({"box": {"r": (0.0, 0.0, 0.0499)}})
    >>> figure = plot_pressure(simulation.contact_patches())
    >>> figure.axes[0].get_xlabel(), figure.axes[1].get_ylabel()
    ('x  [mm]', 'pressure  [kPa]')
    """
    require_matplotlib()
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = new_figure(7.2, 6.0)
        draw_pressure(figure.subplots(), found, contact)
    return figure


def draw_pressure(ax: Axes, found: ContactPatches, contact: int | Sequence[int] | None = None) -> None:
    """Draw the picture of `plot_pressure` into axes of a figure, with a colour bar beside them."""
    rows = _rows(found, contact)
    view = _view(found, rows)
    _pressures(ax, found, rows, view)
    _label(ax, found, rows, view)
    _marks(ax, found, rows, view)


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


def _patches(found: ContactPatches, rows: list[int]) -> NDArray[np.int64]:
    return np.flatnonzero(np.isin(found.patches["contact"], rows))


def _view(found: ContactPatches, rows: list[int]) -> View:
    mine = _patches(found, rows)
    weights = np.abs(found.patches["normal_force"][mine])
    weights = weights if weights.sum() > 0 else np.ones(len(mine))
    return View.of(np.asarray(found.contacts["n_AB_W"][rows[0]]), np.average(found.centres_W[mine], 0, weights))


# ---- pressure ------------------------------------------------------------------------------------


def _pressures(ax: Axes, found: ContactPatches, rows: list[int], view: View) -> None:
    from matplotlib.collections import PolyCollection
    from matplotlib.tri import Triangulation

    outlines = np.flatnonzero(np.isin(found.outlines["contact"], rows) & (found.outlines["count"] > 2))
    polygons = int(np.maximum(found.outlines["count"][outlines] - 2, 1)[found.outlines["columns"][outlines] == 0].sum())
    divisions = int(np.clip(np.log(TRIANGLES / max(1, polygons)) / np.log(4.0), 0, MOST_DIVISIONS))
    parts = {int(k): _part(found, int(k), view, divisions) for k in outlines}
    q = found.outlines["sharpness"] - 1
    pressures = {k: found.pressure_factor[k] * parts[k].extent ** int(q[k]) for k in parts}
    shown = sorted((k for k in parts if parts[k].seen), key=lambda k: float(view.nearness(parts[k].border_W).mean()))
    if not shown:
        return
    ax.add_collection(PolyCollection([view.at(parts[k].border_W) for k in shown], facecolors=EMPTY, edgecolors=EMPTY,
                                     linewidths=0.8, zorder=1))
    first = np.cumsum([0] + [len(parts[k].x_W) for k in shown])
    x = np.concatenate([view.at(parts[k].x_W) for k in shown])
    triangles = np.concatenate([parts[k].triangles + n for k, n in zip(shown, first, strict=False)])
    p = np.concatenate([pressures[k] for k in shown])
    factor, unit = _pressure_unit(float(p.max()))
    image = ax.tripcolor(Triangulation(x[:, 0], x[:, 1], triangles), factor * p, shading="gouraud", cmap="viridis",
                         vmin=0, zorder=2, rasterized=True)
    ax.figure.colorbar(image, ax=ax, label=f"pressure  [{unit}]", shrink=0.85)


def _part(found: ContactPatches, k: int, view: View, divisions: int) -> _Part:
    outline = found.outlines[k]
    rows = found.corners[outline["first"]:outline["first"] + outline["count"]]
    x, columns = found.r_WA[outline["contact"]] + rows["p_AC_W"], int(outline["columns"])
    places = np.concatenate([x, rows["extent"][:, None]], axis=1)
    if columns:
        triangles = found.triangles[found.outline_of_corner[found.triangles[:, 0]] == k] - int(outline["first"])
        border = np.concatenate([x[columns - 1::columns], x[::columns][::-1]])
    else:
        places, triangles = _divided(places, divisions)
        border = x
    corners = places[triangles]
    size = 0.5 * np.linalg.norm(np.cross(corners[:, 1, :3] - corners[:, 0, :3], corners[:, 2, :3] - corners[:, 0, :3]),
                                axis=1)
    u, v = 1e-3 * view.at(border).T
    visible = 0.5 * abs(float(np.sum(u * np.roll(v, -1) - v * np.roll(u, -1))))
    return _Part(places[:, :3], places[:, 3], triangles, border, visible > SIDE * float(size.sum()))


def _divided(corners: Floats, divisions: int) -> tuple[Floats, Triangles]:
    """Divide a convex polygon into triangles, and each of them so many times into four."""
    k = np.arange(1, len(corners) - 1)
    parts = corners[np.stack([np.zeros_like(k), k, k + 1], axis=1)]
    for _ in range(divisions):
        a, b, c = parts[:, 0], parts[:, 1], parts[:, 2]
        ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
        parts = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    return parts.reshape(-1, corners.shape[1]), np.arange(3 * len(parts)).reshape(-1, 3)


def _pressure_unit(top: float) -> tuple[float, str]:
    for factor, unit in ((1e-9, "GPa"), (1e-6, "MPa"), (1e-3, "kPa")):
        if top * factor >= 1.0:
            return factor, unit
    return 1.0, "Pa"


# ---- marks and labels ----------------------------------------------------------------------------


def _label(ax: Axes, found: ContactPatches, rows: list[int], view: View) -> None:
    mine = found.patches[_patches(found, rows)]
    a, b = (found.contacts.names(field)[rows[0]] for field in ("body_a", "body_b"))
    count = len(found.contacts)
    name = f"{a} and {b}" if len(rows) == 1 else f"{len(rows)} contacts of {a} and others"
    if len(rows) < count:
        name += f" ({'the heaviest' if len(rows) == 1 else len(rows)} of {count} contacts)"
    force, area = float(found.contacts["normal_force"][rows].sum()), 1e6 * float(mine["area"].sum())
    ax.set_title(f"{name}: pressures of {force:.4g} N on {area:.0f} mm²", pad=20)
    patches = f"{len(mine)} patch{'es' if len(mine) != 1 else ''}"
    depth = 1e3 * float(mine["depth"].max(initial=0.0))
    ax.text(0.0, 1.012, f"{patches}, up to {depth:.3g} mm deep, seen from {view.side}", transform=ax.transAxes,
            fontsize=8.5, color=SOFT)
    ax.set_xlabel(_axis_name(view.t_u))
    ax.set_ylabel(_axis_name(view.t_v))
    ax.set_aspect("equal", adjustable="datalim")
    ax.autoscale_view()
    ax.margins(0.12)


def _axis_name(t: Floats) -> str:
    """The world axis that an axis is parallel to, or nearly; else its direction."""
    k = int(np.argmax(np.abs(t)))
    if t[k] > 1 - 1e-6:
        return f"{'xyz'[k]}  [mm]"
    if t[k] > 0.98:
        return f"nearly along {'xyz'[k]}  [mm]"
    return "along ({:.2f}, {:.2f}, {:.2f})  [mm]".format(*t)


def _marks(ax: Axes, found: ContactPatches, rows: list[int], view: View) -> None:
    from matplotlib.patches import Circle

    mine = _patches(found, rows)
    patches, centres = found.patches[mine], view.at(found.centres_W[mine])
    most = float(np.abs(patches["load"]).max(initial=0.0))
    span = float(max(np.ptp(ax.get_xlim()), np.ptp(ax.get_ylim())))
    for patch, x in zip(patches, centres, strict=True):
        ax.add_patch(Circle((x[0], x[1]), 1e3 * float(patch["radius"]), fill=False, ls="--", lw=0.9, color=MARK,
                            zorder=4))
        ax.plot(x[0], x[1], "x", color=MARK, ms=6, mew=1.6, zorder=5)
        along = np.array([patch["f_B_W"] @ view.t_u, patch["f_B_W"] @ view.t_v])
        if most > 0 and np.linalg.norm(along) > SMALL_FORCE * most:
            ax.annotate("", tuple(x + 0.2 * span * along / most), tuple(x), zorder=5,
                        arrowprops={"arrowstyle": "-|>", "color": MARK, "lw": 1.4})
        ax.annotate(f"{patch['load']:.3g} N", (x[0], x[1]), xytext=(7, 7), textcoords="offset points", color=INK,
                    zorder=6, fontsize=8.5, bbox={"boxstyle": "round,pad=0.2", "fc": "white", "ec": "none",
                                                  "alpha": 0.8})
    if len(mine) > 1:
        for marker in ("o", "+"):
            ax.plot(0.0, 0.0, marker, mfc="none", mec=MARK, ms=10, mew=1.4, zorder=5)
