"""Where a snare catches: lateral offset and pitch of the payload, captured or not, and the peak load.

python examples/lee_envelope.py runs a coarse map in under a minute; --full a fine one. Writes out/lee_envelope/map.csv
and map.png.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import contactlib
from contactlib.report.plot import ALARM, INK, STYLE, new_figure

Floats = NDArray[np.float64]

OUT = Path(__file__).resolve().parent.parent / "out" / "lee_envelope"
STEP, MOST = 1e-3, 14.0  # s
COLUMNS = ("offset", "pitch", "captured", "time", "tension", "force", "phase")


def approach(offset: float, pitch: float, z: float = 0.225) -> dict[str, Any]:
    """The payload at rest, its pin `offset` (m) off the axis in the snare's plane, pitched by `pitch` (rad) about y."""
    # up to 84 mm off the pin is clear of the open cables. A pitch moves the pin's tip by z sin(pitch): the origin is
    # put where the pin's axis meets z = 0 at the offset, to the side between two ramps
    r = (-offset + z * np.tan(pitch), 0.0, z)
    return {"r": r, "q": (np.cos(pitch / 2), 0.0, np.sin(pitch / 2), 0.0)}


def caught(offset: float, pitch: float, scene: str = "lee_snare") -> tuple[float, ...]:
    """A cell: whether and when it is captured (s), most tension, load on the LEE (N), phase; NaN: no room."""
    spec = contactlib.load(scene).with_motion("fixed", "lee").with_motion("free", "grapple")
    simulation = contactlib.Simulation(spec.compile())
    if len(simulation.compute({"grapple": approach(offset, pitch)}).contacts):
        return np.nan, 0.0, np.nan, np.nan, np.nan  # the fixture is in the end effector's wall
    snare, tension, force = simulation.elements["snare"], 0.0, 0.0
    while simulation.time < MOST and snare.captured == 0.0 and snare.phase != 9.0:
        simulation.step(STEP)
        tension = max(tension, float(np.max(snare.tension)))
        force = max(force, float(np.linalg.norm(simulation.wrenches[0, :3])))
    return snare.captured, simulation.time, tension, force, snare.phase


def mapped(offsets: Floats, pitches: Floats) -> list[tuple[float, ...]]:
    """Rows as COLUMNS says."""
    return [(offset, pitch, *caught(offset, pitch)) for pitch in pitches for offset in offsets]


def draw(rows: list[tuple[float, ...]], offsets: Floats, pitches: Floats, path: Path) -> Path:
    from matplotlib import rc_context

    table = np.array(rows).reshape(len(pitches), len(offsets), len(COLUMNS))
    held, missed, force = table[..., 2] > 0.0, table[..., 2] == 0.0, 1e-3 * table[..., 5]
    with rc_context(STYLE):
        figure = new_figure(6.4, 4.4)
        ax = figure.subplots()
        shown = ax.pcolormesh(1e3 * offsets, np.degrees(pitches), np.where(held, force, np.nan), cmap="Blues",
                              vmin=0.0, shading="nearest", edgecolors="white", linewidth=0.5)
        figure.colorbar(shown, label="most force on the end effector while closing [kN]")
        y, x = np.nonzero(missed)
        ax.plot(1e3 * offsets[x], np.degrees(pitches)[y], "x", color=ALARM, markersize=8, label="not captured")
        y, x = np.nonzero(~(held | missed))
        ax.plot(1e3 * offsets[x], np.degrees(pitches)[y], "s", color="#c4ccd4", markersize=5, label="no room")
        y, x = np.nonzero(held)
        ax.plot(1e3 * offsets[x], np.degrees(pitches)[y], ".", color=INK, markersize=4, label="captured")
        ax.set(xlabel="pin off the axis, in the snare's plane [mm]", ylabel="pitch [deg]",
               title="Where the snare catches a payload of 20 t")
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=3)
        ax.grid(visible=False)
        figure.savefig(path, dpi=120)
    return path


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="9 x 9 instead of 5 x 5 runs")
    parser.add_argument("--out", type=Path, default=OUT, help="folder of table and picture")
    arguments = parser.parse_args()
    offsets, pitches = (np.linspace(0.0, 0.08, 9), np.radians(np.linspace(-16.0, 16.0, 9))) if arguments.full else \
        (np.linspace(0.0, 0.08, 5), np.radians(np.linspace(-12.0, 12.0, 5)))
    result = mapped(offsets, pitches)
    arguments.out.mkdir(parents=True, exist_ok=True)
    with (arguments.out / "map.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([COLUMNS, *result])
    tried = [row for row in result if row[2] == row[2]]
    print(f"{sum(row[2] for row in tried):.0f} of {len(tried)} captured, {len(result) - len(tried)} have no room; most "
          f"force {max(row[5] for row in tried):.0f} N, most tension {max(row[4] for row in tried):.0f} N")
    print(f"wrote {draw(result, offsets, pitches, arguments.out / 'map.png')}")
