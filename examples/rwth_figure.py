"""The experiments of `rwth_robot.py` over time, with the range over all assumptions: python examples/rwth_figure.py.

The first three rows are those of figures 10 and 12 of the paper: position, deviation and torque of joint 1 while the
peg is pressed onto the table, and of joint 6 at the rim of the hole. The last row is the force on the peg, by the
simulated robot and by its recording. The program takes about three minutes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context

from contactlib.report.plot import ALARM, COLOURS, STYLE, new_figure
from rwth_cell import Record, RecordedRobot, experiment
from rwth_robot import PRESS_BOUND, PRESS_VARIANTS, RIM_BOUND, RIM_VARIANTS, Setup, press, rim, variants


def column(axes: Any, title: str, joint: int, bound: float, records: list[Record], tilt: float) -> None:
    """Draw one experiment; the first record is the nominal one, and the others are its variants."""
    nominal, k = records[0], joint - 1
    robot = RecordedRobot(Setup().arm(tilt), nominal.time[::5], nominal.angles[::5])
    again = experiment(robot, Setup().scene(), nominal.command[: robot.rows], nominal.time[0])
    position, deviation, torque, force = axes
    position.plot(nominal.time, nominal.command[:, k], "--", color=COLOURS[1], label="commanded")
    position.plot(nominal.time, nominal.angles[:, k], color=COLOURS[0], label="reached")
    for axis, name in ((deviation, "deviation"), (torque, "torque")):
        rows = np.array([getattr(record, name)[:, k] for record in records])
        axis.fill_between(nominal.time, rows.min(axis=0), rows.max(axis=0), color=COLOURS[0], alpha=0.2, linewidth=0,
                          label="all assumptions")
        axis.plot(nominal.time, rows[0], color=COLOURS[0], label="nominal")
    for value in (-bound, bound):
        deviation.axhline(value, color=ALARM, linestyle=":", linewidth=1.0)
    deviation.set_ylim(-1.15 * bound, 1.15 * bound)
    deviation.annotate("bound of the paper", (nominal.time[0], bound), (0, -9), textcoords="offset points", fontsize=7)
    force.plot(nominal.time, np.linalg.norm(nominal.wrench[:, :3], axis=1), color=COLOURS[0], label="simulated robot")
    force.plot(again.time, np.linalg.norm(again.wrench[:, :3], axis=1), "--", color=COLOURS[1], linewidth=1.0,
               label="its recording, rows of 10 ms")
    position.set_title(title)
    for axis, label in zip(axes, (f"joint {joint} [rad]", "deviation [rad]", "torque [N m]", "force [N]"), strict=True):
        axis.set_ylabel(label)
    force.set_xlabel("time [s]")


def draw(path: Path) -> None:
    """Run all variants and write the picture."""
    columns: tuple[tuple[str, Callable[[Setup], Record], dict[str, tuple[float, ...]], int, float, float], ...] = (
        ("Peg pressed onto a table", press, PRESS_VARIANTS, 1, PRESS_BOUND, Setup().tilt),
        ("Peg at the rim of a hole", rim, RIM_VARIANTS, 6, RIM_BOUND, 0.0))
    with rc_context(STYLE):
        figure = new_figure(9.0, 8.0)
        axes = figure.subplots(4, 2, sharex="col")
        for k, (title, run_one, names, joint, bound, tilt) in enumerate(columns):
            records = [run_one(setup) for _, setup in variants(names)]
            column(axes[:, k], title, joint, bound, records, tilt)
        for row, place in ((0, "upper left"), (2, "upper right"), (3, "upper center")):
            axes[row, 1].legend(fontsize="x-small", loc=place)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("out/rwth_robot"), help="folder for the picture")
    path = parser.parse_args().out / "rwth_robot.png"
    draw(path)
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
