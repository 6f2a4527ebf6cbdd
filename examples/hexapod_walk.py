"""A hexapod walks with driven legs: python examples/hexapod_walk.py.

Each of its six legs has two hinges with drives: the hip swings the leg about the vertical, the knee lifts the foot.
Three legs stand and swing back while the three others are lifted and swing forward (the tripod gait). A foot that does
not slip carries the body on by as much as it swings back.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import contactlib
from contactlib.report.plot import STYLE, new_figure
from validation import conclude

Floats = NDArray[np.float64]
OUT = Path("out/hexapod_walk")
STEP, COMMAND = 5e-4, 5e-3  # s: steps of the scene, and between two commands of the legs
PERIOD, CYCLES, SETTLE = 1.6, 6, 0.8  # s
GRAVITY = 3.71  # m/s2, Mars
SWING, LIFT = 0.28, 0.3  # rad: amplitude of the hips, and lift of the knees
HIPS = [(x, side * 0.25) for x in (0.4, 0.0, -0.4) for side in (1.0, -1.0)]  # m, on the trunk
REACH, HEIGHT = 0.35, 0.3  # m: of a leg from hip to foot, and of the hips above the ground
FOOT = 0.04  # m
LEG_MASS, TRUNK_MASS = 1.0, 40.0  # kg


def scene() -> contactlib.Spec:
    """The trunk on six legs, on a plane."""
    bodies = [{"name": "trunk", "motion": "free", "mass": TRUNK_MASS, "inertia": [1.5, 3.0, 4.0],
               "state": {"r": [0.0, 0.0, HEIGHT]}}]
    hinges: list[dict[str, Any]] = []
    # so stiff that the legs sag by less than 1 mm under the weight
    drive = {"drive_stiffness": 2e4, "drive_damping": 300.0, "drive_limit": 300.0}
    for k, (x, y) in enumerate(HIPS):
        side, name = np.sign(y), f"leg_{k + 1}"
        bodies += [
            {"name": f"hip_{k + 1}", "motion": "free", "mass": 0.4, "inertia": [2e-3] * 3,
             "state": {"r": [x, y, HEIGHT]}},
            {"name": name, "motion": "free", "mass": LEG_MASS, "inertia": [0.02, 0.02, 0.02],
             "com": [0.0, 0.5 * side * REACH, -0.5 * HEIGHT], "state": {"r": [x, y, HEIGHT]},
             "shape": [{"name": "foot", "kind": "sphere", "material": "foot", "radius": FOOT,
                        "r": [0.0, side * REACH, FOOT - HEIGHT]}]}]
        hinges += [
            {"name": f"swing_{k + 1}", "base": "trunk", "arm": f"hip_{k + 1}", "point": [x, y, 0.0],
             "axis": [0.0, 0.0, 1.0], **drive},
            {"name": f"lift_{k + 1}", "base": f"hip_{k + 1}", "arm": name, "axis": [side, 0.0, 0.0], **drive}]
    ground = {"name": "ground", "shape": [{"name": "soil", "kind": "plane", "material": "soil"}]}
    law = {"name": "foot_soil", "materials": ["foot", "soil"],
           "normal": {"kind": "kelvin_voigt", "stiffness": 4e4, "damping": 400.0},
           "friction": {"kind": "bristle", "mu_static": 0.8, "mu_kinetic": 0.7, "tangential_stiffness": 4e4,
                        "tangential_damping": 400.0}}
    return contactlib.Spec.from_dict({
        "scene": {"name": "hexapod_walk", "gravity": [0.0, 0.0, -GRAVITY], "step_size": STEP, "duration": 10.0},
        "body": [*bodies, ground], "hinge": hinges, "law": [law],
        "pair": [{"bodies": [f"leg_{k + 1}", "ground"]} for k in range(len(HIPS))]})


def gait(leg: int, time: float) -> tuple[float, float]:
    """Return the angles (rad) of hip and knee of a leg: half of the period it stands, in the other half it swings."""
    tripod = (leg % 2) ^ (leg // 2 % 2)  # legs 0, 3, 4 and legs 1, 2, 5
    phase = (time / PERIOD + 0.5 * tripod) % 1.0
    side = 1.0 if HIPS[leg][1] > 0.0 else -1.0
    if phase < 0.5:  # stands: the foot goes back along x at a constant speed
        along, lift = 1.0 - 4.0 * phase, 0.0
    else:
        s = 2.0 * phase - 1.0
        along, lift = -np.cos(np.pi * s), np.sin(np.pi * s) ** 2
    # the foot of an angle a lies at x = -side reach sin(a) of its hip
    return -side * float(np.arcsin(along * np.sin(SWING))), LIFT * lift


def command(simulation: contactlib.Simulation, time: float, part: float = 1.0) -> None:
    for leg in range(len(HIPS)):
        swing, lift = gait(leg, time)
        simulation.elements[f"swing_{leg + 1}"].set(target=part * swing)
        simulation.elements[f"lift_{leg + 1}"].set(target=part * lift)


def foot_forces(simulation: contactlib.Simulation) -> Floats:
    """Return the force of the ground on each foot along z (6,), N."""
    contacts, forces = simulation.contacts, np.zeros(len(HIPS))
    for shape, force in zip(contacts.names("shape_a"), contacts["f_B_W"], strict=True):
        forces[int(shape.partition(".")[0].rpartition("_")[2]) - 1] -= force[2]
    return forces


def walked() -> tuple[Floats, Floats, Floats]:
    """Walk; returns times (T,), states of the trunk (T, 13), and forces on the feet (T, 6) along z."""
    simulation = contactlib.Simulation(scene().compile())
    simulation.run(duration=SETTLE, dt=STEP)
    rows = []
    for k in range(round(CYCLES * PERIOD / COMMAND)):
        command(simulation, k * COMMAND, min(1.0, k * COMMAND / (0.5 * PERIOD)))
        simulation.step(COMMAND)
        rows.append((k * COMMAND, *simulation.states[0], *foot_forces(simulation)))
    table = np.array(rows)
    return table[:, 0], table[:, 1:14], table[:, 14:]


def run(out: Path | None = None) -> dict[str, float]:
    """Walk some cycles; returns what was measured over the last four."""
    time, trunk, forces = walked()
    if out is not None:
        draw(time, trunk, forces, out)
    kept = time >= (CYCLES - 4) * PERIOD - 0.5 * COMMAND
    cycles = np.ptp(trunk[kept, 0]) * len(time) / (len(time) - 1)
    return {
        "path of a cycle": 1e3 * float(cycles) / 4,
        "mean force of all feet": float(forces[kept].sum(axis=1).mean()),
        "drift to the side": 1e3 * float(abs(trunk[-1, 1])),
        "lowest height of the trunk": 1e3 * float(trunk[kept, 2].min()),
    }


def draw(time: Floats, trunk: Floats, forces: Floats, out: Path) -> None:
    """Draw the path of the trunk and the forces on all feet."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = new_figure(9.0, 5.2)
        path, feet = figure.subplots(2, 1, sharex=True, height_ratios=(1, 1.6))
        path.plot(time, 1e3 * trunk[:, 0], label="along x")
        path.plot(time, 1e3 * (trunk[:, 2] - HEIGHT), label="up, from the start")
        path.set(title="A hexapod walks on Mars", ylabel="trunk  [mm]")
        path.legend(loc="upper left")
        for k, force in enumerate(forces.T):
            feet.fill_between(time, k, k + force / forces.max(), color=f"C{k % 2}", alpha=0.8, linewidth=0.0)
        feet.set(yticks=np.arange(len(HIPS)) + 0.4, yticklabels=[f"leg {k + 1}" for k in range(len(HIPS))],
                 xlabel="time  [s]", title=f"Forces on the feet, to the same scale: {forces.max():.0f} N at most")
        feet.grid(axis="y", visible=False)
        out.mkdir(parents=True, exist_ok=True)
        figure.savefig(out / "hexapod_walk.png", dpi=140)
    print(f"wrote {out / 'hexapod_walk.png'}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=OUT, help="folder of the picture")
    conclude("hexapod_walk", run(parser.parse_args().out))
