"""A foot on a wall attaches, bears a body and detaches, with three contact models: python examples/climbing.py.

The wall is the plane x = 0, and z points up. A spring with a damper, the leg, moves the foot along a path. The foot
first presses on the wall with 2 N. Then the leg pulls down with 10 N and outwards with 3 N, as a climbing body does.
Then the foot moves up, which unhooks claws, leaves the wall, and returns to the wall 100 mm higher.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import contactlib

Floats = NDArray[np.float64]

STEP, STRIDE, STRIDES = 1e-4, 1.0, 3  # s, s
LEG, FOOT = 2000.0, 0.05  # N/m, kg
HIGHER = 0.1  # m, each stride
SHEAR, TENSION, PRESS = 10.0, 3.0, 2.0  # N
PAD = {"stiffness": 2e4, "damping": 20.0}
MODELS: dict[str, dict[str, Any]] = {
    "spring": {"kind": "spring", **PAD, "x_limit": 30.0, "y_limit": 30.0, "z_limit": 6.0},
    "gecko": {"kind": "gecko", **PAD, "shear_limit": 20.0, "detachment_angle": np.radians(25.0)},
    "claw": {"kind": "claw", **PAD, "load_limit": 30.0, "pull_out_angle": np.radians(30.0)},
}
#: part of a stride, and where the leg leads the foot then: away from the wall, and up from the foothold, m
PATH = np.array([
    (0.00, 10e-3, 0.0), (0.10, -PRESS / LEG, 0.0), (0.20, -PRESS / LEG, 0.0),  # attach
    (0.35, TENSION / LEG, -SHEAR / LEG), (0.60, TENSION / LEG, -SHEAR / LEG),  # bear the body
    (0.70, TENSION / LEG, 2e-3), (0.80, 10e-3, 2e-3), (1.00, 10e-3, HIGHER),  # detach, swing
])


def scene(model: dict[str, Any]) -> contactlib.Spec:
    """Return the scene of a foot on a wall, with an attachment that bears loads downwards."""
    quarter = float(np.sqrt(0.5))
    return contactlib.Spec.from_dict({
        "scene": {"name": "climbing", "step_size": STEP, "duration": STRIDES * STRIDE, "gravity": [0, 0, -9.81]},
        "body": [
            {"name": "foot", "motion": "free", "mass": FOOT, "inertia": [1e-5] * 3, "state": {"r": [10e-3, 0, 0]},
             "shape": [{"name": "pad", "kind": "point", "material": "pad"}]},
            {"name": "wall", "motion": "fixed", "state": {"q": [quarter, 0, quarter, 0]},
             "shape": [{"name": "rock", "kind": "plane", "material": "rock"}]},
        ],
        "law": [{"name": "grip", "materials": ["pad", "rock"], "model": {**model, "direction": [0, 0, -1]}}],
        "pair": [{"bodies": ["foot", "wall"]}],
    })


def target(t: float) -> Floats:
    """Where the leg leads the foot at t, m."""
    stride, part = divmod(t / STRIDE, 1.0)
    away, up = (np.interp(part, PATH[:, 0], PATH[:, k]) for k in (1, 2))
    return np.array([away, 0.0, stride * HIGHER + up])


def climb(model: dict[str, Any], strides: int = STRIDES, every: int = 10) -> dict[str, Floats]:
    """Time, the foot's place, what it pulls the wall with, down along it and out of it (N), and whether it holds."""
    simulation = contactlib.Simulation(scene(model).compile())
    damping = 2.0 * np.sqrt(LEG * FOOT)
    rows = []
    for k in range(round(strides * STRIDE / STEP)):
        state = simulation.states[0]
        force = LEG * (target(k * STEP) - state[:3]) - damping * state[7:10] + [0.0, 0.0, 9.81 * FOOT]
        simulation.apply("foot", force, -1e-3 * state[10:13])
        result = simulation.step(STEP)
        if k % every == 0:
            holds = bool(len(result.contacts)) and result.contacts["phase"][0] <= 1
            wall = -result.wrench("foot")[:3]
            rows.append((simulation.time, *state[:3], -wall[2], wall[0], float(holds)))
    t, x, _, z, shear, tension, holds = np.array(rows).T
    return {"time": t, "away": x, "height": z, "shear": shear, "tension": tension, "holds": holds}


def figures(run: dict[str, Floats]) -> list[tuple[float, float, float]]:
    """Of each stride shear and tension (N) that the foot bears when the load is on, and how long it holds (s)."""
    found = []
    for stride in range(round(run["time"][-1] / STRIDE)):
        part = run["time"] / STRIDE - stride
        bears, whole = (part > 0.5) & (part < 0.58), (part >= 0) & (part < 1)
        found.append((float(run["shear"][bears].mean()), float(run["tension"][bears].mean()),
                      float(run["holds"][whole].mean()) * STRIDE))
    return found


def draw(runs: dict[str, dict[str, Floats]], path: Path) -> None:
    """Forces and height of the foot over time, a column for each model."""
    from matplotlib import rc_context

    from contactlib.report.plot import COLOURS, STYLE, new_figure

    with rc_context(STYLE):
        figure = new_figure(9.0, 4.2)
        axes = figure.subplots(2, len(runs), sharex=True, sharey="row")
        for (name, run), (top, bottom) in zip(runs.items(), axes.T, strict=True):
            top.set_title(name)
            top.plot(run["time"], run["shear"], color=COLOURS[0], label="down along the wall")
            top.plot(run["time"], run["tension"], color=COLOURS[1], label="out of the wall")
            bottom.plot(run["time"], 1e3 * run["height"], color=COLOURS[0])
            held = run["holds"] > 0
            bottom.fill_between(run["time"], 0, 1, where=held, alpha=0.15, transform=bottom.get_xaxis_transform())
            bottom.set_xlabel("time, s")
        axes[0, 0].set_ylabel("pull of the foot, N")
        axes[1, 0].set_ylabel("height, mm (held: shaded)")
        axes[0, 0].set_ylim(-7, 10)
        axes[0, 2].legend(fontsize="small", loc="lower right")
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("out/climbing"), help="folder for the picture")
    folder = parser.parse_args().out
    runs = {name: climb(model) for name, model in MODELS.items()}
    print(f"{'model':8} {'stride':>6} {'shear, N':>9} {'tension, N':>11} {'held, s':>8}")
    for name, run in runs.items():
        for stride, (shear, tension, held) in enumerate(figures(run), 1):
            print(f"{name:8} {stride:6} {shear:9.2f} {tension:11.2f} {held:8.2f}")
    draw(runs, folder / "climbing.png")
    print(f"wrote {folder / 'climbing.png'}")


if __name__ == "__main__":
    main()
