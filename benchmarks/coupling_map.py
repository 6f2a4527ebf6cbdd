"""The map of docs/coupling.md: at which communication steps scenes stay stable if their masses are wrong.

Run it with ``python -m benchmarks.coupling_map --out docs/images/coupling_map.png``; it takes ten minutes. Mass,
inertia and centre of mass of all bodies are wrong together, see `benchmarks.wrong_masses`. Printed, for each scene and
order: + where the run is good by the criterion of `benchmarks.stable_steps`, and . where it is not.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from benchmarks import stable_steps, wrong_masses

FACTORS = (0.5, 0.6, 0.7, 0.85, 1.0, 1.15, 1.3, 1.5, 2.0)
#: s, the largest step of held wrenches, from `benchmarks.coupling`; and the steps that are tried, as multiples of it
HELD = {"peg": 0.71e-3, "cbm": 5.0e-3, "lee": 2.0e-3}
GAINS = {"peg": (5, 10, 20, 40, 80, 160), "cbm": (1, 2.5, 5, 10, 20), "lee": (2.5, 5, 10, 20, 40)}
TITLES = {"peg": "peg_in_hole, 10 and 100 kg dock", "cbm": "cbm, 13 t in closed latches", "lee": "lee_snare, 500 kg"}

Map = dict[tuple[str, str], np.ndarray]


def compute() -> Map:
    """Whether runs are good, (steps, factors), by scene and order."""
    found: Map = {}
    for name in HELD:
        case = getattr(stable_steps, name)()
        for order in wrong_masses.ORDERS:
            rows = [[wrong_masses.good(case, order, gain * HELD[name], factor) for factor in FACTORS]
                    for gain in GAINS[name]]
            found[name, order] = np.array(rows)
            print(f"{name}, {order}: factors {' '.join(map(str, FACTORS))}")
            for gain, row in zip(GAINS[name], rows, strict=True):
                marks = " ".join("+" if good else "." for good in row)
                print(f"{1e3 * gain * HELD[name]:9.2f} ms  {marks}", flush=True)
    return found


def draw(found: Map, path: Path) -> None:
    from matplotlib import rc_context
    from matplotlib.colors import ListedColormap

    from contactlib.report.plot import STYLE, new_figure

    with rc_context(STYLE):
        figure = new_figure(10.0, 5.2)
        axes = figure.subplots(2, 3)
        for row, order in zip(axes, wrong_masses.ORDERS, strict=True):
            for axis, name in zip(row, HELD, strict=True):
                good, steps = found[name, order], [1e3 * gain * HELD[name] for gain in GAINS[name]]
                axis.imshow(good, origin="lower", aspect="auto", vmin=0, vmax=1,
                            cmap=ListedColormap(["#d9897b", "#bcd8c1"]))
                for i, j in np.argwhere(~good):
                    axis.text(j, i, "x", ha="center", va="center", color="#7a2419")
                axis.axvspan(1.5, 6.5, facecolor="none", edgecolor="#444444", linestyle="--", linewidth=0.9)
                axis.set_xticks(range(len(FACTORS)), [f"{factor:g}" for factor in FACTORS], fontsize=7)
                axis.set_yticks(range(len(steps)), [f"{step:.3g}" for step in steps], fontsize=7)
                axis.set_title(f"{TITLES[name]}: {order}", fontsize=8)
                if name == "peg":
                    axis.set_ylabel("communication step [ms]", fontsize=8)
                if order == wrong_masses.ORDERS[-1]:
                    axis.set_xlabel("mass, inertia in the scene over the plant's", fontsize=8)
        figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description="Draw where scenes with wrong masses are stable.")
    parser.add_argument("--out", type=Path, default=Path("out/coupling_map.png"))
    path = parser.parse_args().out
    path.parent.mkdir(parents=True, exist_ok=True)
    draw(compute(), path)
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
