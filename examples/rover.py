"""A rover with six wheels climbs over rocks: python examples/rover.py.

Its suspension is a rocker and a bogie on each side. All six wheels are driven at one speed. On flat ground, the loads
of the wheels are those of statics; over the rocks, all forces together carry the weight in the mean.
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
OUT = Path("out/rover")
STEP, SAMPLE = 5e-4, 0.02  # s
GRAVITY = 3.71  # m/s2, Mars
RADIUS, WIDTH = 0.13, 0.12  # m, of a wheel
TRACK = 0.5  # m, of the wheels from the middle plane
PIVOT = 0.35  # m, height of the rockers' pivots
FRONT, MIDDLE, BACK = 0.52, -0.12, -0.56  # m, x of the axles; the pivot of the rocker is at 0
BOGIE = 0.5 * (MIDDLE + BACK)  # x of the bogie's pivot
SPEED = 0.1  # m/s, of all wheels
CHASSIS, WHEEL, LINK = 60.0, 3.0, 2.0  # kg
ROCKS = [(1.25, 0.42, 0.07), (1.9, -0.55, 0.11), (2.5, 0.5, 0.09), (2.65, -0.45, 0.06)]  # x, y, height, m
AXLES = {"front": FRONT, "middle": MIDDLE, "back": BACK}
WHEELS = [f"{side}_{name}" for side in ("left", "right") for name in AXLES]


def _body(name: str, mass: float, inertia: list[float], r: list[float], **more: Any) -> dict[str, Any]:
    return {"name": name, "motion": "free", "mass": mass, "inertia": inertia, "state": {"r": r}, **more}


def _hinge(name: str, base: str, arm: str, point: list[float], **more: Any) -> dict[str, Any]:
    return {"name": name, "base": base, "arm": arm, "point": point, "axis": [0.0, 1.0, 0.0], **more}


def _side(side: str, y: float) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rocker, bogie and wheels of one side, and their hinges. The rocker's origin is its pivot, the bogie's too."""
    thin = 0.05
    bodies = [_body(f"{side}_rocker", LINK, [0.02, thin, thin], [0.0, y, PIVOT]),
              _body(f"{side}_bogie", LINK, [0.02, thin, thin], [BOGIE, y, RADIUS + 0.1])]
    # equal springs of both rockers let the chassis follow the mean of them, as a differential does
    hinges = [_hinge(f"{side}_rocker_pivot", "chassis", f"{side}_rocker", [0.0, y, 0.0], stiffness=400.0, damping=40.0),
              _hinge(f"{side}_bogie_pivot", f"{side}_rocker", f"{side}_bogie", [BOGIE, 0.0, RADIUS + 0.1 - PIVOT],
                     damping=2.0)]
    for name, x in AXLES.items():
        arm, origin = (("rocker", (0.0, PIVOT)) if name == "front" else ("bogie", (BOGIE, RADIUS + 0.1)))
        tyre = {"name": "tyre", "kind": "cylinder", "material": "wheel", "radius": RADIUS, "length": WIDTH,
                "q": [0.5**0.5, 0.5**0.5, 0.0, 0.0]}
        bodies.append(_body(f"{side}_{name}", WHEEL, [0.018, 0.026, 0.018], [x, y, RADIUS], shape=[tyre]))
        hinges.append(_hinge(f"{side}_{name}_axle", f"{side}_{arm}", f"{side}_{name}",
                             [x - origin[0], 0.0, RADIUS - origin[1]], drive_damping=60.0, drive_limit=40.0))
    return bodies, hinges


def rock(x: float, y: float, height: float) -> list[list[float]]:
    """Corners of a rock: a ring on the ground, and a smaller one at its height."""
    turn = np.linspace(0.0, 2.0 * np.pi, 7)[:-1] + x
    low = np.column_stack([x + 2.0 * height * np.cos(turn), y + 1.7 * height * np.sin(turn), np.full(6, -0.05)])
    high = np.column_stack([x + 0.9 * height * np.cos(turn + 0.3), y + 0.8 * height * np.sin(turn + 0.3),
                            height * (1.0 + 0.06 * np.sin(3.0 * turn + y))])
    return [[float(f"{c:.4f}") for c in corner] for corner in (*low, *high)]


def scene() -> contactlib.Spec:
    """The rover on the ground, before the rocks."""
    bodies = [_body("chassis", CHASSIS, [3.0, 5.0, 6.0], [0.0, 0.0, PIVOT])]
    hinges: list[dict[str, Any]] = []
    for side, y in (("left", TRACK), ("right", -TRACK)):
        more, joints = _side(side, y)
        bodies, hinges = bodies + more, hinges + joints
    stones = [{"name": f"rock_{k + 1}", "kind": "polyhedron", "material": "soil", "corners": rock(*place)}
              for k, place in enumerate(ROCKS)]
    ground = {"name": "ground", "shape": [{"name": "soil", "kind": "plane", "material": "soil"}, *stones]}
    # the stiffness is that of a whole face: a tyre lies along a line, and sinks in by 0.5 mm under 58 N
    law = {"name": "wheel_soil", "materials": ["wheel", "soil"],
           "normal": {"kind": "kelvin_voigt", "stiffness": 6e5, "damping": 4000.0},
           "friction": {"kind": "bristle", "mu_static": 0.8, "mu_kinetic": 0.7, "tangential_stiffness": 1.2e5,
                        "tangential_damping": 800.0}}
    return contactlib.Spec.from_dict({
        "scene": {"name": "rover", "gravity": [0.0, 0.0, -GRAVITY], "step_size": STEP, "duration": 30.0},
        "body": [*bodies, ground], "hinge": hinges, "law": [law],
        "pair": [{"bodies": [wheel, "ground"]} for wheel in WHEELS]})


def on_flat_ground() -> dict[str, float]:
    """Return the loads of the wheels of one side by statics, N: front, middle, back.

    The side carries half of the chassis at the rocker's pivot, and the rocker's own weight there. The bogie's pivot
    takes what balances the front wheel; the bogie divides it between its wheels by their distances from its pivot.
    """
    own, upper = WHEEL * GRAVITY, (0.5 * CHASSIS + LINK) * GRAVITY
    front = upper * -BOGIE / (FRONT - BOGIE)
    bogie = upper - front + LINK * GRAVITY
    return {"front": front + own, "middle": bogie * (BOGIE - BACK) / (MIDDLE - BACK) + own,
            "back": bogie * (MIDDLE - BOGIE) / (MIDDLE - BACK) + own}


def wheel_loads(simulation: contactlib.Simulation) -> Floats:
    """Return the force of the ground along z on each wheel (6,), N: those of the left side first."""
    contacts, loads = simulation.contacts, dict.fromkeys(WHEELS, 0.0)
    for a, b, force in zip(contacts.names("body_a"), contacts.names("body_b"), contacts["f_B_W"], strict=True):
        if a in loads:
            loads[a] -= force[2]
        else:
            loads[b] += force[2]
    return np.array(list(loads.values()))


def driven(simulation: contactlib.Simulation, duration: float) -> tuple[Floats, Floats, Floats]:
    """Drive all wheels; returns times (T,), states of all bodies (T, bodies, 13) and loads of the wheels (T, 6), N."""
    for wheel in WHEELS:
        simulation.elements[f"{wheel}_axle"].set(target_rate=SPEED / RADIUS)
    rows = []
    for _ in range(round(duration / SAMPLE)):
        for _ in range(round(SAMPLE / STEP)):
            simulation.step(STEP)
        rows.append((simulation.time, simulation.states, wheel_loads(simulation)))
    time, states, loads = (np.array(column) for column in zip(*rows, strict=True))
    return time, states, loads


def run(out: Path | None = None) -> dict[str, float]:
    """Let the rover settle, then drive it over the rocks; returns what was measured."""
    simulation = contactlib.Simulation(scene().compile())
    simulation.run(duration=3.0, dt=STEP)
    at_rest = dict(zip(AXLES, wheel_loads(simulation).tolist(), strict=False))
    time, states, loads = driven(simulation, 32.0)
    flat = (states[:, 0, 0] > 0.1) & (states[:, 0, 0] < 0.4)
    front = states[:, [i for i, name in enumerate(simulation.model.body_names) if name.endswith("_front")], 2]
    if out is not None:
        draw(time, states[:, 0], loads, out)
    weight = GRAVITY * (CHASSIS + 4.0 * LINK + 6.0 * WHEEL)
    return {
        **{f"load of a {name} wheel": load for name, load in at_rest.items()},
        "mean of all loads over the weight": float(loads.sum(axis=1).mean() / weight),
        "speed on flat ground": float(states[flat, 0, 7].mean()),
        "highest front axle": 1e3 * float(front.max()),
    }


def draw(time: Floats, chassis: Floats, loads: Floats, out: Path) -> None:
    """Draw height and tilt of the chassis, and the loads of the wheels."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        figure = new_figure(9.0, 6.4)
        height, tilt, load = figure.subplots(3, 1, sharex=True)
        height.plot(chassis[:, 0], 1e3 * (chassis[:, 2] - PIVOT))
        height.set(title="A rover with six wheels over rocks, on Mars", ylabel="chassis, up  [mm]")
        w, x, y, z = chassis[:, 3:7].T
        tilt.plot(chassis[:, 0], np.degrees(np.arcsin(2.0 * (w * y - z * x))), label="pitch")
        roll = np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
        tilt.plot(chassis[:, 0], np.degrees(roll), label="roll")
        tilt.set_ylabel("tilt  [deg]")
        for k, name in enumerate(WHEELS):
            load.plot(chassis[:, 0], loads[:, k], label=name.replace("_", " "), linewidth=1.0)
        load.set(ylabel="load of a wheel  [N]", xlabel="path of the chassis  [m]", ylim=(0, 260))
        tilt.legend(ncols=2, loc="lower left")
        load.legend(ncols=3, loc="upper left")
        out.mkdir(parents=True, exist_ok=True)
        figure.savefig(out / "rover.png", dpi=140)
    print(f"wrote {out / 'rover.png'}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=OUT, help="folder of the picture")
    conclude("rover", run(parser.parse_args().out))
