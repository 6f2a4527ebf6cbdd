"""MuJoCo alone, and with contactlib's contact, on the same scenes: drift, hole, energy, time (docs/mujoco.md).

    python examples/mujoco_side_by_side.py

"Tuned" is MuJoCo with the options that its documentation recommends against slip: elliptic cones, impratio 100, 20
iterations of the noslip solver. Times are of one core, without the setup.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np

import mujoco_docking
import mujoco_gripper
from contactlib.adapters.mujoco import MujocoContact

TUNED = {"cone": mujoco.mjtCone.mjCONE_ELLIPTIC, "impratio": 100.0, "noslip_iterations": 20}
WAYS: dict[str, dict[str, Any] | None] = {"MuJoCo": {}, "MuJoCo, tuned": TUNED, "with contactlib": None}
Row = tuple[str, str, str]
G, SLOPE = 9.80665, math.radians(10.0)
SLOPE_XML = f"""<mujoco><option timestep="0.002" gravity="{G * math.sin(SLOPE)} 0 {-G * math.cos(SLOPE)}"/>
<default><geom friction="0.5 0.005 0.0001"/></default><worldbody><geom name="slope" type="plane" size="5 5 1"/>
<body name="block" pos="0 0 0.05"><freejoint/><geom type="box" size="0.1 0.1 0.05" mass="10"/></body>
</worldbody></mujoco>"""
STICK: dict[str, Any] = {
    "normal": {"kind": "kelvin_voigt", "stiffness": 1e5, "damping": 1e3},
    "friction": {"kind": "bristle", "mu_static": 0.5, "mu_kinetic": 0.5, "tangential_stiffness": 1e5,
                 "tangential_damping": 1e3},
}
#: two balls of 10 kg; as MuJoCo counts, stiffness and damping are those of a mass of 1: 1e4 N/m over the reduced mass
BALLS_XML = """<mujoco><option gravity="0 0 0"/>
<default><geom solref="-2000 0" solimp="0.9999 0.9999 0.001"/></default><worldbody>
<body name="one"><freejoint/><geom size="0.1" mass="10"/></body>
<body name="two" pos="0.22 0 0"><freejoint/><geom size="0.1" mass="10"/></body></worldbody></mujoco>"""
SPRING: dict[str, Any] = {"normal": {"kind": "kelvin_voigt", "stiffness": 1e4, "damping": 0.0}}
#: m: radius of a hole, its depth with the dome; boxes around it, and their thickness
HOLE, DEPTH, BOXES, WALL = 0.0175, 0.0675, 64, 0.01


def stepper(model: Any, options: dict[str, Any] | None, make: Callable[[], MujocoContact]) -> Callable[[Any], None]:
    """The step of one of the `WAYS`."""
    if options is None:
        return make().step
    for name, value in options.items():
        setattr(model.opt, name, value)
    return lambda data: mujoco.mj_step(model, data)


def timed(step: Callable[[Any], None], data: Any, duration: float) -> float:
    """Run for a duration (s); return the time of a step, us."""
    steps, begun = round(duration / data.model.opt.timestep), time.thread_time()
    for _ in range(steps):
        step(data)
    return 1e6 * (time.thread_time() - begun) / steps


def drift(options: dict[str, Any] | None) -> Row:
    """A block on a slope of 10 degrees, mu 0.5, the last 5 of 10 s, steps of 2 ms."""
    model = mujoco.MjModel.from_xml_string(SLOPE_XML)
    data = mujoco.MjData(model)
    step = stepper(model, options, lambda: MujocoContact.from_geoms(model, [("block", "slope")], **STICK))
    timed(step, data, 5.0)
    before = data.qpos[:3].copy()
    cost = timed(step, data, 5.0)
    return "block on a slope", f"{1e6 * np.linalg.norm(data.qpos[:3] - before) / 5.0:.3g} um/s", f"{cost:.0f} us"


def energy(timestep: float) -> Callable[[dict[str, Any] | None], Row]:
    """Energy after an elastic impact of 70 ms over that before: the worst of five phases of the step."""

    def bounce(options: dict[str, Any] | None) -> Row:
        worst, cost = 0.0, 0.0
        for phase in range(5):
            model = mujoco.MjModel.from_xml_string(BALLS_XML)
            model.opt.timestep = timestep
            data = mujoco.MjData(model)
            data.qpos[0], data.qvel[0] = -0.2 * phase * timestep, 1.0
            step = stepper(model, options, lambda m=model: MujocoContact.from_geoms(m, [("one", "two")], **SPRING))
            cost = timed(step, data, 0.4)
            worst = max(worst, float(data.qvel @ data.qvel) - 1.0, key=abs)
        return f"elastic impact, steps of {1e3 * timestep:g} ms", f"{worst:+.1e} of the energy", f"{cost:.0f} us"

    return bounce


def docking(options: dict[str, Any] | None) -> Row:
    """Four pins docked by the arm, steps of 2 ms; MuJoCo has holes of 64 boxes with a flat ground."""
    model = mujoco.MjModel.from_xml_string(with_holes(mujoco_docking.ARM.read_text(encoding="utf-8")))
    step = stepper(model, options, lambda: MujocoContact(model, "peg_in_hole"))
    spent = 0.0

    def measured(data: Any) -> float:
        nonlocal spent
        begun = time.thread_time()
        step(data)
        spent += time.thread_time() - begun
        return 0.0

    docked = mujoco_docking.follow(model, measured)
    result = f"{1e3 * docked.pose[-1, 2]:.2f} mm high, {1e3 * docked.beside[-1]:.2f} mm beside"
    return "four pins docked by an arm", result, f"{1e6 * spent / len(docked.time):.0f} us"


def with_holes(arm: str) -> str:
    """The arm's MJCF with four holes in its target: rings of boxes that touch the hole's circle from outside."""
    half, middle = math.tan(math.pi / BOXES) * (HOLE + WALL), HOLE + WALL / 2
    kind, boxes = '<geom type="box" contype="1" conaffinity="1"', []
    for x, y in ((0.12, 0.12), (-0.12, 0.12), (-0.12, -0.12), (0.12, -0.12)):
        boxes.append(f'{kind} size="0.03 0.03 0.0025" pos="{x} {y} {-DEPTH - 0.0025}"/>')
        for a in (2 * math.pi * k / BOXES for k in range(BOXES)):
            place = f"{x + middle * math.cos(a)} {y + middle * math.sin(a)} {-DEPTH / 2}"
            turn = f"{math.cos(a / 2)} 0 0 {math.sin(a / 2)}"
            boxes.append(f'{kind} size="{WALL / 2} {half} {DEPTH / 2}" pos="{place}" quat="{turn}"/>')
    return arm.replace('<body name="target">', '<body name="target">' + "".join(boxes))


def gripper(options: dict[str, Any] | None) -> Row:
    """A box of 0.5 kg in a gripper, 60 s, steps of 2 ms."""
    begun = time.thread_time()
    slip = mujoco_gripper.hold(60.0, 2e-3).slip if options is None else mujoco_gripper.hold_by_mujoco(**options)
    cost = 1e6 * (time.thread_time() - begun) / 30_000
    return "box in a gripper, 60 s", "dropped" if slip < -0.09 else f"slips {1e6 * abs(slip):.2g} um", f"{cost:.0f} us"


def main() -> None:
    print(f"MuJoCo {mujoco.mj_versionString()}\n")
    print(f"| scene | {' | '.join(f'{way} | one step' for way in WAYS)} |\n|---|{'---|---|' * len(WAYS)}")
    for scene in (drift, energy(2e-3), energy(1e-2), docking, gripper):
        rows = [scene(options) for options in WAYS.values()]
        print(f"| {rows[0][0]} | {' | '.join(f'{result} | {cost}' for _, result, cost in rows)} |", flush=True)


if __name__ == "__main__":
    main()
