"""Figures of a run. They need matplotlib (pip install contactlib[plot]), which is imported only to draw a figure."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from contactlib.simulation import rigid_body

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from contactlib.simulation.results import Trajectory

Floats = NDArray[np.float64]

INK, SOFT, GRID = "#22303c", "#6b7a88", "#dfe5ea"
COLOURS = ("#1f6fb4", "#e07b39", "#3a9a6b", "#9a5fb0", "#c0504d", "#7a7a3a")
FILL, ALARM = "#d6e4f0", "#c8402f"
STYLE: Any = {
    "font.size": 9.5,
    "font.family": "sans-serif",
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlecolor": INK,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "axes.grid": True,
    "axes.axisbelow": True,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "lines.linewidth": 1.6,
    "lines.solid_capstyle": "round",
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "hatch.linewidth": 0.5,
    "figure.facecolor": "white",
    "text.color": INK,
}
LINES = ("-", "--", ":")


def require_matplotlib() -> None:
    """Raise ImportError, with what to do, if matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise ImportError("figures need matplotlib: pip install contactlib[plot]") from None


def new_figure(width: float, height: float) -> Figure:
    """Make an empty figure (width and height in inches) without a window."""
    require_matplotlib()
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def plot_trajectory(
    trajectory: Trajectory,
    *,
    reference: str | None = None,
    balance: rigid_body.Balance | None = None,
    stored: Floats | None = None,
    title: str = "",
) -> Figure:
    """Draw a run in six panels: positions along and across the main direction, rotation, forces, contacts, energy.

    Parameters
    ----------
    trajectory : the record of a run, from `Simulation.run` or a coupling.
    reference : the panels show the other bodies in the axes of this body; by default the body that moved least.
    balance : momentum and kinetic energy of the run (`rigid_body.balance`), drawn with the other energies.
    stored : (T,) elastic energy in the contacts, J; by default that of the trajectory.
    title : title above all panels.

    Raises
    ------
    ImportError : matplotlib is missing.
    ValueError : an unknown body, or a run without other bodies than the reference.

    Examples
    --------
    >>> import contactlib
    >>> spec = contactlib.load("peg_in_hole").with_motion("free", "interface").with_motion("fixed", "target")
    >>> run = contactlib.Simulation(spec.compile()).run(0.1, 1e-3)
    >>> len(plot_trajectory(run).axes) >= 6
    True
    """
    require_matplotlib()
    from matplotlib import rc_context

    reference = reference or _least_moved(trajectory)
    others, position, turn = relative_motion(trajectory, reference)
    with rc_context(STYLE):
        figure = new_figure(10.0, 8.2)
        axes = figure.subplots(3, 2, sharex=True).ravel()
        axis = int(np.argmax(np.ptp(position, axis=1).max(axis=0)))
        _motion_panels(axes, trajectory.time, others, position, turn, axis)
        _force_panel(axes[3], trajectory, others)
        (_contact_panel if shows_contacts(trajectory) else _element_panel)(axes[4], trajectory)
        _energy_panel(axes[5], trajectory, balance, stored)
        for each in axes[4:]:
            each.set_xlabel("time  [s]")
        axes[0].set_xlim(trajectory.time[0], trajectory.time[-1])
        where = f"{' and '.join(others)}, seen from {reference}" if reference else "world axes"
        figure.suptitle(f"{title}: {where}" if title else where, x=0.01, ha="left", fontsize=12, color=INK)
    return figure


def _least_moved(trajectory: Trajectory) -> str | None:
    """Return the body that moved least; None if there is only one body."""
    if len(trajectory.body_names) < 2:
        return None
    lengths = np.linalg.norm(np.diff(trajectory.states[..., :3], axis=0), axis=2).sum(axis=0)
    return trajectory.body_names[int(np.argmin(lengths))]


def relative_motion(trajectory: Trajectory, reference: str | None = None) -> tuple[list[str], Floats, Floats]:
    """Return the names of the other bodies, their positions (n, T, 3) in m and rotation vectors (n, T, 3) in rad.

    Positions and rotation vectors are in the axes of the reference body, or in world axes without a reference.
    """
    others = [name for name in trajectory.body_names if name != reference]
    if not others:
        raise ValueError("the run has no bodies but the reference: give another reference, or a run with more bodies")
    X = np.stack([trajectory.body(name) for name in others])
    if reference is None:
        return others, X[..., :3], rotation_vectors(X[..., 3:7])
    base = trajectory.body(reference)
    to_base = rigid_body.rotations(base[:, 3:7]).swapaxes(1, 2)
    inverse = base[:, 3:7] * (1, -1, -1, -1)
    return (
        others,
        rigid_body.apply(to_base, X[..., :3] - base[:, :3]),
        rotation_vectors(rigid_body.product(np.broadcast_to(inverse, X[..., 3:7].shape), X[..., 3:7])),
    )


def rotation_vectors(q: Floats) -> Floats:
    """Return rotation vectors (axis times angle) of unit quaternions; the angle is at most pi."""
    q = np.where(q[..., :1] < 0, -q, q)
    length = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(length, q[..., :1])
    return np.asarray(q[..., 1:] * np.where(length > 0, angle / np.where(length > 0, length, 1.0), 2.0))


def scaled(values: Floats, unit: str) -> tuple[Floats, str]:
    """Scale values to the unit, its thousandth or its millionth, so that the numbers are easy to read.

    Examples
    --------
    >>> values, unit = scaled(np.array([0.0, 2e-3]), "J")
    >>> values.tolist(), unit
    ([0.0, 2.0], 'mJ')
    """
    largest = float(np.abs(values).max(initial=0.0))
    for prefix, factor in (("", 1.0), ("m", 1e3), ("µ", 1e6)):
        if largest * factor >= 0.5 or largest == 0.0:
            return values * factor, prefix + unit
    return values * 1e9, "n" + unit


def _motion_panels(
    axes: NDArray[np.object_], time: Floats, others: list[str], position: Floats, turn: Floats, axis: int
) -> None:
    across = [i for i in range(3) if i != axis]
    _lines(axes[0], time, others, position, [axis], "m")
    _lines(axes[1], time, others, position, across, "m")
    _lines(axes[2], time, others, np.degrees(turn), [0, 1, 2], "°")
    axes[0].set_title(f"Position along {'xyz'[axis]}")
    axes[1].set_title(f"Position along {' and '.join('xyz'[i] for i in across)}")
    axes[2].set_title("Rotation about x, y and z")


def _lines(ax: Axes, time: Floats, names: list[str], values: Floats, parts: Iterable[int], unit: str) -> None:
    parts = list(parts)
    shown, unit = scaled(values[..., parts], unit) if unit == "m" else (values[..., parts], unit)
    for n, name in enumerate(names):
        for k, part in enumerate(parts):
            label = "xyz"[part] if len(names) == 1 else f"{name} {'xyz'[part]}"
            colour = COLOURS[(k if len(names) == 1 else n) % len(COLOURS)]
            style = "-" if len(names) == 1 else LINES[k % len(LINES)]
            ax.plot(time, shown[n, :, k], style, color=colour, label=label)
    ax.set_ylabel(f"[{unit}]")
    if len(names) * len(parts) > 1:
        ax.legend(ncols=3, loc="best", handlelength=1.4, columnspacing=1.2)
    else:
        _name_value(ax, time, shown[0, :, 0], unit)


def _name_value(ax: Axes, time: Floats, values: Floats, unit: str) -> None:
    """Write the last value at the end of its line."""
    ax.annotate(
        f"{values[-1]:.3g} {unit}",
        (time[-1], values[-1]),
        xytext=(-4, 7),
        textcoords="offset points",
        ha="right",
        color=COLOURS[0],
        fontsize=8.5,
    )


def _force_panel(ax: Axes, trajectory: Trajectory, others: list[str]) -> None:
    forces = [np.linalg.norm(trajectory.wrench(name)[:, :3], axis=1) for name in others]
    shown, unit = scaled(np.array(forces), "N")
    for k, (name, force) in enumerate(zip(others, shown, strict=True)):
        colour = COLOURS[k % len(COLOURS)]
        ax.plot(trajectory.time, force, color=colour, lw=1.0, label=name)
        ax.fill_between(trajectory.time, 0, force, color=colour, alpha=0.18, lw=0)
    top = np.unravel_index(int(np.argmax(shown)), shown.shape)
    if shown[top] > 0:
        late = trajectory.time[top[1]] > np.mean(trajectory.time[[0, -1]])
        ax.annotate(
            f"peak {shown[top]:.3g} {unit}",
            (trajectory.time[top[1]], shown[top]),
            fontsize=8.5,
            xytext=(-6 if late else 6, -2),
            textcoords="offset points",
            ha="right" if late else "left",
            va="center",
            color=COLOURS[top[0] % len(COLOURS)],
        )
    ax.set_title(f"Contact force on {others[0]}" if len(others) == 1 else "Contact forces")
    ax.set_ylabel(f"[{unit}]")
    ax.set_ylim(bottom=0)
    if len(others) > 1:
        ax.legend(loc="best")


def _contact_panel(ax: Axes, trajectory: Trajectory) -> None:
    ax.fill_between(trajectory.time, 0, trajectory.contact_count, step="post", color=FILL, lw=0)
    ax.set_title("Contacts and greatest depth")
    ax.set_ylabel("contacts", color=SOFT)
    ax.set_ylim(0, max(1, int(trajectory.contact_count.max(initial=0))) * 1.15)
    ax.locator_params(axis="y", integer=True)
    depth, unit = scaled(trajectory.max_depth, "m")
    right = ax.twinx()
    right.plot(trajectory.time, depth, color=ALARM, lw=1.0)
    right.set_ylabel(f"depth  [{unit}]", color=ALARM)
    right.set_ylim(bottom=0)
    right.grid(False)
    right.tick_params(colors=ALARM)


def shows_contacts(trajectory: Trajectory) -> bool:
    """Whether to draw the contacts: the run had contacts, or it has no outputs of elements to draw instead."""
    return bool(trajectory.contact_count.any()) or not trajectory.output_names


def _element_panel(ax: Axes, trajectory: Trajectory) -> None:
    names = [name for name in trajectory.output_names if name.endswith(".stored_energy")]
    for name, colour in zip(names, itertools.cycle(COLOURS)):
        energy = trajectory.output(name)
        if energy.any():
            ax.plot(trajectory.time, energy, color=colour, label=name.removesuffix(".stored_energy"))
    ax.set_title("Energy stored in elements")
    ax.set_ylabel("[J]")
    if ax.lines:
        ax.legend()


def _energy_panel(
    ax: Axes, trajectory: Trajectory, balance: rigid_body.Balance | None, stored: Floats | None
) -> None:
    heat = trajectory.energy_dissipated + trajectory.energy_of_elements("dissipated_energy")
    rows = [("dissipated", heat, COLOURS[1])]
    if balance is not None:
        rows.append(("kinetic", balance.kinetic, COLOURS[0]))
    elastic = trajectory.energy_of_elements("stored_energy") + (trajectory.energy_stored if stored is None else stored)
    rows.append(("elastic", elastic, COLOURS[2]))
    counted = len(rows)
    rows.append(("error", trajectory.energy_error, INK))
    shown, unit = scaled(np.array([row[1] for row in rows]), "J")
    for (label, _, colour), values in zip(rows, shown, strict=True):
        ax.plot(trajectory.time, values, color=colour, label=label)
    if balance is not None:
        ax.plot(trajectory.time, shown[:counted].sum(axis=0), color=SOFT, lw=1.0, ls="--", label="sum")
    ax.legend(loc="best", ncols=2, handlelength=1.4)
    ax.set_title("Energy" if balance is not None else "Energy of contacts")
    ax.set_ylabel(f"[{unit}]")
    ax.set_ylim(bottom=min(0.0, float(shown.min(initial=0.0))))
