"""A KUKA LWR presses a peg onto a table and over the rim of a hole: python examples/rwth_robot.py.

The experiments of the RWTH peg-in-hole paper (Wahl, Grinshpun & Rossmann). The arm is MuJoCo's, with joint-stiffness
control; the contact is an FMU in FMPy. The paper leaves much out; validation_data/rwth_robot/README.md says what is
assumed.

    python examples/rwth_robot.py                      # both experiments, statics, replay; exits with 1 on a miss
    python examples/rwth_robot.py --vary               # a table: what each assumption changes
    python examples/rwth_robot.py --record robot.csv   # joint angles and torques of the rim contacts
    python examples/rwth_robot.py --replay robot.csv   # the wrench on the peg of a recorded robot
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

import contactlib
from rwth_cell import (
    MODELS,
    START,
    Record,
    RecordedRobot,
    SimulatedRobot,
    experiment,
    follow,
    inverse_kinematics,
    load_arm,
    read_angles,
    tip,
    write_record,
    write_wrench,
)
from validation import conclude

Floats = NDArray[np.float64]
STIFFNESSES = (200.0, 1000.0, 2000.0)  # N m/rad, of the reference
BELOW = 0.05  # m: the target is so far below the table (paper)
DOWN, HOLD = 2.5, 1.5  # s: press
BEGIN, END, FIRST, SECOND, CYCLE = 20.0, 42.0, 24.5, 37.5, 9.0  # s: rim; the paper has contacts in 23..26 and 36..39 s
PRESS_BOUND, RIM_BOUND = 0.1, 0.05  # rad (paper)
HOLE = 0.0175  # m (paper)
LEVER = 0.228  # m: of joint 6, to the tip
RESOLVED = 0.4  # frequency of a contact times the step, up to which a step resolves the contact


@dataclass(frozen=True)
class Setup:
    """What the paper leaves out, with the nominal values.

    stiffness : of all joints while the peg is pressed, N m/rad.
    wrist, others : stiffness of joint 6 and of the other joints at the rim, N m/rad.
    damping : damping ratio of the joints.
    friction : static coefficient; the kinetic one is 3/4 of it. 0: none.
    contact : stiffness of the contact, N/m. Its damping is 800 N s/m at 5e4 N/m, with one damping ratio for all.
    armature : inertia of each drive at its joint, kg m2. masses : factor of all masses and inertias of the links.
    tilt : of the robot's base about the x axis while the peg is pressed, degrees. With an upright base the axis of
        joint 1 is parallel to the force on the peg, and joint 1 does not take part.
    offset : of the peg from the axis of the hole, m; stroke : of the tip over the hole, m. radius : of the peg, m.
    point : the tip is a point and not the ball of the peg, as in the reference of the statics.
    """

    stiffness: float = 1000.0
    wrist: float = 200.0
    others: float = 2000.0
    damping: float = 0.7
    friction: float = 0.2
    contact: float = 5e4
    armature: float = 0.1
    masses: float = 1.0
    tilt: float = 45.0
    offset: float = 4e-3
    stroke: float = 0.054
    radius: float = 0.0173
    point: bool = False

    def scene(self) -> contactlib.Spec:
        """The scene rwth_cell.toml with these values."""
        table = tomllib.loads((MODELS / "rwth_cell.toml").read_text(encoding="utf-8"))
        peg = table["body"][0]
        for shape, half in zip(peg["shape"], (0.03, 0.0), strict=True):
            shape |= {"radius": self.radius, "r": [0.0, 0.0, -self.radius - half]}
        if self.point:
            peg["shape"] = [{"name": "tip", "kind": "point", "material": "peg"}]
            table["pair"] = [{"bodies": ["peg", "table"]}]
        table["scene"]["step_size"] = 5e-4 * min(1.0, float(np.sqrt(2e5 / self.contact)))
        for law in table["law"]:
            law["normal"] |= {"stiffness": self.contact, "damping": 800.0 * float(np.sqrt(self.contact / 5e4))}
            law["friction"] |= {"mu_static": self.friction, "mu_kinetic": 0.75 * self.friction,
                                "tangential_stiffness": 0.5 * self.contact}
            if not self.friction:
                del law["friction"]
        return contactlib.Spec.from_dict(table)

    def arm(self, tilt: float = 0.0) -> Any:
        """The MjModel of the arm with these values and the base tilted about the x axis, degrees."""
        model = load_arm()
        half = 0.5 * np.radians(tilt)
        model.body("base").quat[:] = np.cos(half), np.sin(half), 0.0, 0.0
        model.dof_armature[:] = self.armature
        model.body_mass[:] *= self.masses
        model.body_inertia[:] *= self.masses
        mujoco.mj_setConst(model, mujoco.MjData(model))
        return model

    def is_stiff(self, model: Any) -> bool:
        """Whether a step of the arm is too long to resolve the contact; joint 6 with its drive is the lightest mass."""
        return bool(np.sqrt(self.contact * LEVER**2 / self.armature) * model.opt.timestep > RESOLVED)


def press(setup: Setup) -> Record:
    """Lead the tip from 5 cm above the table to 5 cm below it, and hold it there."""
    model, table, q = setup.arm(setup.tilt), tip(setup.arm(), START), START
    for tilt in np.linspace(0.0, setup.tilt, 10):  # the arm follows its base
        q = inverse_kinematics(setup.arm(tilt), q, table)
    heights = np.linspace(BELOW, -BELOW, 41)
    places = table + np.outer(heights, [0.0, 0.0, 1.0])
    path = follow(model, inverse_kinematics(model, q, places[0]), places)
    s = np.clip(np.arange(0.0, DOWN + HOLD, model.opt.timestep) / DOWN, 0.0, 1.0)
    command = _between(BELOW * (1.0 - 2.0 * s * s * (3.0 - 2.0 * s)), heights[::-1], path[::-1])
    robot = SimulatedRobot(model, command[0], setup.stiffness, setup.damping)
    return experiment(robot, setup.scene(), command, predict=setup.is_stiff(model))


def rim(setup: Setup) -> Record:
    """Lead the peg down beside the axis of the hole and up again, to the opposite side, and down and up again."""
    model, scene = setup.arm(), setup.scene()
    times = np.arange(BEGIN, END + 0.04, 0.05)
    places = np.array(scene.body("block").state[:3]) + np.array([_beside(setup, t) for t in times])
    path = follow(model, inverse_kinematics(model, START, places[0]), places)
    command = _between(np.arange(BEGIN, END, model.opt.timestep), times, path)
    stiffness = np.full(7, setup.others)
    stiffness[5] = setup.wrist
    robot = SimulatedRobot(model, command[0], stiffness, setup.damping)
    return experiment(robot, scene, command, BEGIN, predict=setup.is_stiff(model))


def _beside(setup: Setup, t: float) -> list[float]:
    """Where the tip is commanded at a time, from the middle of the mouth, m: it meets the rim at 23, 26, 36 and 39 s.

    The ball of the peg, of radius r, meets the rim of radius R while the axes are e apart and its centre is higher than
    the mouth by sqrt(r^2 - (R - e)^2). A stroke is a cosine over 9 s, of which the part of 3 s is beyond this height.
    """
    meets = np.sqrt(setup.radius**2 - (HOLE - setup.offset) ** 2) - setup.radius
    stroke = sum(1.0 - np.cos(2.0 * np.pi * np.clip((t - middle) / CYCLE + 0.5, 0.0, 1.0))
                 for middle in (FIRST, SECOND))
    s = np.clip((t - FIRST - 0.5 * CYCLE) / (SECOND - FIRST - CYCLE), 0.0, 1.0)
    across = setup.offset * (1.0 - 2.0 * s * s * (3.0 - 2.0 * s))
    return [across, 0.0, meets + setup.stroke * (0.75 - 0.5 * stroke)]


def _between(x: Floats, at: Floats, rows: Floats) -> Floats:
    """Linear between rows (N, 7), (T, 7)."""
    return np.array([np.interp(x, at, column) for column in rows.T]).T


def replay(record: Record, tilt: float = 0.0, every: int = 1) -> float:
    """Record a robot in a CSV file and replay this; return the largest of the three r.m.s. differences of the force, N.

    tilt : of the robot's base, degrees. every : the file has each `every`-th row.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.csv"
        write_record(path, record, every)
        robot = RecordedRobot(Setup().arm(tilt), *read_angles(path))
    again = experiment(robot, Setup().scene(), record.command[: robot.rows], record.time[0])
    return float(np.sqrt(np.mean((again.wrench - record.wrench[: robot.rows])[:, :3] ** 2, axis=0)).max())


def intervals(record: Record) -> list[float]:
    """When contacts begin and end, s."""
    touches = np.abs(record.wrench[:, :3]).sum(axis=1) > 0.0
    return [float(t) for t in record.time[1:][np.diff(touches.astype(int)) != 0]]


def run() -> dict[str, float]:
    """Both experiments; returns what was measured."""
    measured: dict[str, float] = {}
    planar = Setup(tilt=0.0, friction=0.0, contact=2e5)
    for stiffness in STIFFNESSES:
        for name, setup in (("point", replace(planar, point=True, contact=1e7)), ("peg", planar)):
            record = press(replace(setup, stiffness=stiffness))
            measured[f"force of the {name}, {stiffness:g} N m/rad"] = record.wrench[-1, 2]
            if name == "point" and stiffness == STIFFNESSES[1]:
                measured["slide of the point"] = 1e3 * (record.tip[-1, 0] - record.tip[0, 0])
                measured |= {f"deviation of joint {k}": 1e3 * record.deviation[-1, k - 1] for k in (2, 4, 6)}
    sliding = press(Setup(tilt=0.0))
    measured["force of the peg with friction"] = sliding.wrench[-1, 2]
    measured["deviation of joint 4 with friction"] = 1e3 * sliding.deviation[-1, 3]
    pressed, rims = press(Setup()), rim(Setup())
    measured["torques of the springs less those of the contact"] = float(
        np.abs(Setup().stiffness * pressed.deviation[-1] - pressed.external[-1]).max())
    measured["largest deviation while pressed"] = float(np.abs(pressed.deviation).max())
    measured["largest deviation at the rim"] = float(np.abs(rims.deviation).max())
    measured["joint that deviates most at the rim"] = 1.0 + int(np.abs(rims.deviation).max(axis=0).argmax())
    found = intervals(rims)
    measured["contacts of the rim"] = len(found) / 2
    for k, name in enumerate(("first contact begins", "first contact ends", "second contact begins",
                              "second contact ends")):
        measured[name] = found[k] if k < len(found) else float("nan")
    measured["replay of the press, r.m.s. difference"] = replay(pressed, Setup().tilt)
    measured["replay of the rim contacts, r.m.s. difference"] = replay(rims)
    return {name: float(value) for name, value in measured.items()}


#: assumptions and the values that `--vary` tries
PRESS_VARIANTS: dict[str, tuple[float, ...]] = {
    "stiffness": (200.0, 2000.0), "friction": (0.0, 0.4), "contact": (2e4, 1e6), "tilt": (0.0, 60.0),
    "damping": (0.3, 1.0), "armature": (0.03, 0.3), "masses": (0.8, 1.2), "radius": (0.0170, 0.0174)}
RIM_VARIANTS: dict[str, tuple[float, ...]] = {
    "offset": (2e-3, 6e-3), "wrist": (100.0, 2000.0), "others": (1000.0,), "stroke": (0.045, 0.065),
    "friction": (0.0, 0.4), "contact": (2e4, 1e6), "damping": (0.3, 1.0), "armature": (0.03, 0.3),
    "masses": (0.8, 1.2), "radius": (0.0170, 0.0174)}


def variants(names: dict[str, tuple[float, ...]]) -> Iterator[tuple[str, Setup]]:
    """The nominal setup, and those with one other value each."""
    yield "nominal", Setup()
    for name, values in names.items():
        for value in values:
            yield f"{name} = {value:g}", replace(Setup(), **{name: value})


def vary() -> bool:
    """Print what each assumption changes; return whether all deviations are within the bounds of the paper."""
    within = True
    for run_one, names, bound in ((press, PRESS_VARIANTS, PRESS_BOUND), (rim, RIM_VARIANTS, RIM_BOUND)):
        print(f"{run_one.__name__ + ', assumption':<24} {'force':>9} {'deviation':>11} {'joint':>5} "
              f"{'other than nominal':>20}")
        nominal: Record | None = None
        for name, setup in variants(names):
            record = run_one(setup)
            nominal = nominal or record
            deviation = np.abs(record.deviation)
            change = float(np.abs(record.deviation - nominal.deviation).max())
            force = np.linalg.norm(record.wrench[:, :3], axis=1)
            shown = force[-1] if run_one is press else np.percentile(force[force > 0.0], 95)
            joint = 1 + int(deviation.max(axis=0).argmax())
            print(f"{name:<24} {shown:>7.1f} N {deviation.max():>7.4f} rad {joint:>5} "
                  f"{change:>16.4f} rad", flush=True)
            within = within and deviation.max() < bound and change < bound
    return within


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--vary", action="store_true", help="print what each assumption changes")
    parser.add_argument("--record", type=Path, metavar="FILE", help="write the rim contacts of the simulated robot: "
                        "time, angles and torques of the joints")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="read a recorded robot and write its wrench")
    parser.add_argument("--out", type=Path, default=Path("out/rwth_robot/wrench.csv"), help="file of the wrench")
    options = parser.parse_args()
    if options.vary:
        if not vary():
            sys.exit("rwth_robot: an assumption leads out of the bounds of the paper")
    elif options.record:
        write_record(options.record, rim(Setup()))
        print(f"wrote {options.record}")
    elif options.replay:
        robot = RecordedRobot(load_arm(), *read_angles(options.replay))
        record = experiment(robot, Setup().scene(), np.full((robot.rows, 7), np.nan), robot.times[0])
        write_wrench(options.out, record)
        print(f"largest force {np.linalg.norm(record.wrench[:, :3], axis=1).max():.2f} N, contacts from and to "
              f"{', '.join(f'{t:.2f}' for t in intervals(record))} s; wrote {options.out}")
    else:
        conclude("rwth_robot", run())


if __name__ == "__main__":
    main()
