"""From where a module is berthed: a map over lateral offset and tilt, with as much roll as tilt.

python examples/cbm_envelope.py runs a coarse map in a few minutes; --full a fine one. Writes out/cbm/map.csv and
cbm_envelope.png.
"""

from __future__ import annotations

import argparse
import csv
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cbm import BERTHED, FAULT, PARAMETERS, berth, start
from contactlib.report.plot import ALARM, STYLE, new_figure

Floats = NDArray[np.float64]
OUT = Path(__file__).resolve().parent.parent / "out" / "cbm"
STEP, MOST = 2e-3, 50.0  # s
TOWARDS, ABOUT = np.radians(20.0), np.radians(110.0)  # of the offset, and the axis of the tilt
COLUMNS = ("offset", "tilt", "phase", "ready", "berthed", "force")


def cell(offset: float, tilt: float) -> tuple[float, ...]:
    """As COLUMNS: m, rad; phase of the control at the end; s, infinite for never; N, the most before it is ready."""
    run = berth(start(offset, TOWARDS, tilt, ABOUT, tilt), patience=MOST, step=STEP)
    before = run.force[run.time < run.ready]
    return (offset, tilt, run.simulation.elements["berthing"].phase, run.ready, run.berthed, float(before.max()))


def draw(rows: list[tuple[float, ...]], offsets: Floats, tilts: Floats, path: Path) -> None:
    """What became of each start."""
    from matplotlib import rc_context

    table = np.array(rows).reshape(len(tilts), len(offsets), len(COLUMNS))
    phase, force = table[..., 2], table[..., 5]
    kinds = ((phase == FAULT, "x", ALARM, "fault"),
             ((phase != BERTHED) & (phase != FAULT), "s", "#c4ccd4", "not berthed"))
    with rc_context(STYLE):
        figure = new_figure(6.4, 4.4)
        ax = figure.subplots()
        shown = ax.pcolormesh(1e3 * offsets, np.degrees(tilts), np.where(phase == BERTHED, force, np.nan),
                              cmap="Blues", vmin=0.0, shading="nearest", edgecolors="white", linewidth=0.5)
        figure.colorbar(shown, label="berthed: largest force in the guides [N]")
        for which, marker, colour, label in kinds:
            y, x = np.nonzero(which)
            if not len(x):  # the legend names only what occurs
                continue
            ax.plot(1e3 * offsets[x], np.degrees(tilts)[y], marker, color=colour, markersize=6, label=label)
        envelope = PARAMETERS.part("envelope")
        ax.plot(1e3 * np.array([0, 1, 1]) * envelope["lateral"], np.array([1, 1, 0]) * envelope["tilt"], color=ALARM,
                linewidth=1.5, label="envelope")
        ax.set(xlabel="lateral offset [mm]", ylabel="tilt, and roll [deg]", title="From where 13 t are berthed")
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=4, fontsize=7)
        ax.grid(visible=False)
        figure.savefig(path, dpi=110)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="13 x 9 instead of 6 x 5 runs")
    parser.add_argument("--out", type=Path, default=OUT, help="folder of table and picture")
    arguments = parser.parse_args()
    columns, lines = (13, 9) if arguments.full else (6, 5)
    offsets, tilts = np.linspace(0.0, 0.12, columns), np.radians(np.linspace(0.0, 6.0, lines))
    with ProcessPoolExecutor() as pool:
        result = list(pool.map(cell, np.tile(offsets, lines), np.repeat(tilts, columns)))
    arguments.out.mkdir(parents=True, exist_ok=True)
    with (arguments.out / "map.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *result])
    draw(result, offsets, tilts, arguments.out / "cbm_envelope.png")
    print(f"{sum(row[2] == BERTHED for row in result)} of {len(result)} berthed; wrote {arguments.out}")
