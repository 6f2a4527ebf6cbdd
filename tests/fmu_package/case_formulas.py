"""Cases of shipped FMUs whose references are closed forms, conservation laws, or series that others computed.

`python -m tests.fmu_package.case_formulas` writes their files into validation_data/. The README of each folder derives
the formulas and gives the reason of each tolerance.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from contactlib.common.files import write_text
from tests.fmu_package.formulas import Formulas, held, ramp, times, zero
from tests.support.recorded import state_names

ROOT = Path(__file__).parents[2] / "validation_data"
G = 9.80665  # m/s2


def tripod() -> Formulas:
    """Rest under the weight, then a push within the limit of friction, then one beyond it."""
    weight, k, x, y = 30.0 * G, 5e4, 0.05, 0.02
    push = ramp((3.0, 0.25 * weight), (4.5, 0.6 * weight))
    return Formulas(
        stop=6.0,
        step=1e-3,
        inputs={"tripod.f_ext[1]": push, "tripod.t_ext[3]": [(t, -y * value) for t, value in push]},
        references={
            "tripod.f[1]": held(0.0, 2.5, 3.0, 0.1)
            | held(-0.25 * weight, 4.0, 4.5, 0.1)
            | held(-0.4 * weight, 5.5, 6.0, 0.1),
            "tripod.f[3]": held(weight, 2.5, 3.0, 0.1) | held(weight, 4.0, 4.5, 0.1) | held(weight, 5.5, 6.0, 0.1),
            "tripod.t[1]": held(y * weight, 2.5, 3.0, 0.1),
            "tripod.t[2]": held(-x * weight, 2.5, 3.0, 0.1),
            "tripod.r[3]": held(-weight / (3.0 * k), 2.5, 3.0, 0.1),
        },
        absolute={
            "tripod.f[1]": 1e-2,
            "tripod.f[3]": 1e-2,
            "tripod.t[1]": 0.1,
            "tripod.t[2]": 0.1,
            "tripod.r[3]": 2e-6,
        },
    )


def hexapod() -> Formulas:
    """Rest on uneven ground, then a push that moves nothing."""
    weight = 60.0 * G
    return Formulas(
        stop=6.0,
        step=1e-3,
        inputs={"robot.f_ext[1]": ramp((3.5, 150.0))},
        references={
            "robot.f[1]": held(0.0, 3.0, 3.5, 0.1) | held(-150.0, 5.5, 6.0, 0.1),
            "robot.f[2]": held(0.0, 3.0, 3.5, 0.1) | held(0.0, 5.5, 6.0, 0.1),
            "robot.f[3]": held(weight, 3.0, 3.5, 0.1) | held(weight, 5.5, 6.0, 0.1),
            "robot.v[1]": held(0.0, 5.5, 6.0, 0.1),
        },
        absolute={"robot.f[1]": 1e-4, "robot.f[2]": 1e-4, "robot.f[3]": 1e-4, "robot.v[1]": 1e-9},
    )


def rover_wheel() -> Formulas:
    """A wheel that a force pulls at its axle rolls without slip on the flat ground."""
    mass, weight, k, radius, inertia, pull = 20.0, 20.0 * 3.71, 1e5, 0.25, 0.625, 2.0
    lever = radius - weight / k / 2.0
    acceleration = pull / (mass + inertia / (lever * lever))
    return Formulas(
        stop=2.5,
        step=5e-4,
        inputs={
            "wheel.f_ext[1]": pull,
            "wheel.r_start[3]": radius - weight / k,
            **zero("wheel", "v_start", "w_start"),
        },
        references={
            "wheel.f[1]": held(mass * acceleration - pull, 1.0, 2.5, 0.1),
            "wheel.f[3]": held(weight, 0.0, 2.5, 0.1),
            "wheel.r[3]": held(radius - weight / k, 0.0, 2.5, 0.1),
            "wheel.v[1]": {t: acceleration * t for t in times(0.0, 2.5, 0.1)},
            f"wheel.v[1] - {lever!r} * wheel.w[2]": held(0.0, 1.0, 2.5, 0.1),
        },
        absolute={
            "wheel.f[1]": 1e-4,
            "wheel.f[3]": 1e-6,
            "wheel.r[3]": 1e-9,
            "wheel.v[1]": 2e-4,
            f"wheel.v[1] - {lever!r} * wheel.w[2]": 1e-6,
        },
    )


def tether_tow() -> Formulas:
    """An elastic pull of the tether between two bodies that part, without thrust and without damping."""
    m1, m2, k, speed, slack = 2000.0, 4000.0, 2000.0, 0.2, 0.5
    m = m1 * m2 / (m1 + m2)
    w, start = math.sqrt(k / m), slack / speed
    common = m1 * speed / (m1 + m2)

    def phase(t: float) -> float:
        return min(max(w * (t - start), 0.0), math.pi)

    grid = times(0.0, 8.0, 0.1)
    return Formulas(
        stop=8.0,
        step=1e-3,
        inputs={"engine.throttle": 0.0, "line.damping": 0.0, **zero("stage", "w_start")},
        references={
            "line.tension": {t: speed * math.sqrt(k * m) * math.sin(phase(t)) for t in grid},
            "tug.v[1]": {t: common + m2 / (m1 + m2) * speed * math.cos(phase(t)) for t in grid},
            "stage.v[1]": {t: common - m1 / (m1 + m2) * speed * math.cos(phase(t)) for t in grid},
            f"{m1:g} * tug.v[1] + {m2:g} * stage.v[1]": dict.fromkeys(grid, m1 * speed),
        },
        absolute={
            "line.tension": 1e-3,
            "tug.v[1]": 2e-4,
            "stage.v[1]": 1e-4,
            f"{m1:g} * tug.v[1] + {m2:g} * stage.v[1]": 1e-9,
        },
    )


def insertion() -> Formulas:
    """The square peg stands on the floor of its hole."""
    weight, k = 1.5 * G, 1e5
    return Formulas(
        stop=2.0,
        step=1e-3,
        references={
            "peg.f[1]": held(0.0, 1.8, 2.0, 0.1),
            "peg.f[2]": held(0.0, 1.8, 2.0, 0.1),
            "peg.f[3]": held(weight, 1.8, 2.0, 0.1),
            "peg.t[2]": held(-0.004 * weight, 1.8, 2.0, 0.1),
            "peg.r[3]": held(-0.04 - weight / (4.0 * k), 1.8, 2.0, 0.1),
        },
        absolute={"peg.f[1]": 1e-4, "peg.f[2]": 1e-4, "peg.f[3]": 1e-4, "peg.t[2]": 2e-4, "peg.r[3]": 1e-7},
    )


def worksite() -> Formulas:
    """The module is pushed along its slot, touches nothing, hits the back plate and comes to rest on it."""
    mass, push, speed, at = 5.0, 20.0, 0.1, 0.03
    free = times(0.0, 0.28, 0.02)
    return Formulas(
        stop=4.0,
        step=1e-3,
        inputs={"module.f_ext[1]": push, "module.r_start[2]": 0.0},
        references={
            "module.v[1]": {t: speed + push / mass * t for t in free} | held(0.0, 3.5, 4.0, 0.1),
            "module.r[1]": {t: at + speed * t + push / mass * t * t / 2.0 for t in free},
            "module.f[1]": dict.fromkeys(free, 0.0) | held(-push, 3.5, 4.0, 0.1),
        },
        absolute={"module.v[1]": 1e-9, "module.r[1]": 5e-4, "module.f[1]": 1e-6},
    )


def micro_fixture() -> Formulas:
    """Two jaws close on the stem; each transmits the force that draws it."""
    squeeze = 100.0
    return Formulas(
        stop=0.6,
        step=1e-4,
        inputs={"jaw_right.f_ext[1]": -squeeze, "jaw_left.f_ext[1]": squeeze},
        references={
            "jaw_right.f[1]": held(squeeze, 0.5, 0.6, 0.02),
            "jaw_left.f[1]": held(-squeeze, 0.5, 0.6, 0.02),
            "jaw_right.f[2]": held(0.0, 0.5, 0.6, 0.02),
            "fixture.f[1]": held(0.0, 0.5, 0.6, 0.02),
        },
        absolute=dict.fromkeys(("jaw_right.f[1]", "jaw_left.f[1]", "jaw_right.f[2]", "fixture.f[1]"), 1e-3),
    )


def gripper() -> Formulas:
    """The box is held, then pulled within the limit of friction: the palm bears the pull, at the height of the box."""
    pull, height = 10.0, 0.13
    palm = {"palm.f[1]": (0.0, 0.0), "palm.f[2]": (0.0, pull), "palm.t[1]": (0.0, -height * pull)}
    rows = {"right.drive_torque": (1.6, 1.6), **palm, "box.f[2]": (0.0, -pull)}
    return Formulas(
        stop=2.0,
        step=1e-3,
        inputs={"box.f_ext[2]": ramp((1.0, pull))},
        references={name: held(a, 0.8, 1.0, 0.1) | held(b, 1.6, 2.0, 0.1) for name, (a, b) in rows.items()},
        absolute=dict.fromkeys(rows, 1e-3) | {"right.drive_torque": 1e-9},
    )


def exposed_pallet() -> Formulas:
    """The pallet is pushed on its axis, then beside it."""
    mass, push, aside, length, mu = 600.0, 200.0, 0.8, 1.2, 0.6
    return Formulas(
        stop=4.0,
        step=5e-4,
        inputs={"pallet.f_ext[1]": push, "pallet.t_ext[3]": ramp((1.0, -aside * push))},
        references={
            "pallet.v[1]": {t: 0.02 + push / mass * t for t in times(0.0, 1.0, 0.1)},
            "pallet.f[1]": held(0.0, 0.0, 1.0, 0.1) | held(-2.0 * mu * push * aside / length, 3.0, 4.0, 0.1),
        },
        absolute={"pallet.v[1]": 1e-9, "pallet.f[1]": 1.8},
    )


def docking_ring() -> Formulas:
    """Forces of two vehicles on one another are equal and opposite, all the time."""
    columns = [f"chaser.f[{k}] + target.f[{k}]" for k in (1, 2, 3)]
    return Formulas(
        stop=8.0,
        step=4e-3,
        references={column: held(0.0, 0.0, 8.0, 0.1) for column in columns},
        absolute=dict.fromkeys(columns, 1e-9),
    )


def alignment_guides() -> Formulas:
    """The trunnions slide down one side, and rest in the middle of the V."""
    mass, press, radius, stiffness, mu = 200.0, 100.0, 0.04, 8e5, 0.1
    angle = math.radians(50.0)
    acceleration = press / mass * (math.sin(angle) - mu * math.cos(angle))
    along = f"-{math.cos(angle)!r} * payload.v[1] - {math.sin(angle)!r} * payload.v[3]"
    depth = press / (2.0 * math.cos(angle)) / stiffness / math.cos(angle)
    return Formulas(
        stop=4.0,
        step=5e-4,
        references={
            along: {t: acceleration * t for t in times(0.1, 0.7, 0.1)},
            "payload.f[3]": held(press, 3.5, 4.0, 0.1),
            "payload.f[1]": held(0.0, 3.5, 4.0, 0.1),
            "payload.r[3]": held(radius / math.cos(angle) - depth, 3.5, 4.0, 0.1),
        },
        absolute={along: 1e-3, "payload.f[3]": 0.1, "payload.f[1]": 0.1, "payload.r[3]": 2e-5},
    )


def trampoline_capture() -> Formulas:
    """Without thrust, the momentum of asteroid, spacecraft and panels is conserved."""
    masses = {"asteroid": 1e6, "bus": 15e3, "panel_left": 300.0, "panel_right": 300.0}
    columns = {k: " + ".join(f"{m:.0f} * {body}.v[{k}]" for body, m in masses.items()) for k in (1, 2, 3)}
    return Formulas(
        stop=60.0,
        step=0.1,
        inputs={"engine.throttle": 0.0},
        references={columns[k]: held(0.05 * 15600.0 if k == 3 else 0.0, 0.0, 60.0, 1.0) for k in (1, 2, 3)},
        absolute=dict.fromkeys(columns.values(), 1e-6),
    )


def peg_in_hole() -> Formulas:
    """Four pins come down on the floors of their holes at a constant speed, stop, and stay."""
    k, c, speed, floor, top = 5e4, 800.0, 0.02, 0.0098, 0.0099
    stop = 0.01
    touch, depth = (top - floor) / speed, floor - (top - speed * stop)
    before, moving, after = (
        times(0.0, touch - 1e-3, 1e-3),
        times(touch + 1e-3, stop - 1e-3, 1e-3),
        times(0.012, 0.02, 1e-3),
    )
    return Formulas(
        stop=0.02,
        step=1e-4,
        inputs={
            "interface.r[1]": 0.0,
            "interface.r[2]": 0.0,
            "interface.r[3]": [(0.0, top), (stop, top - speed * stop), (0.02, top - speed * stop)],
            **{f"interface.q[{i}]": float(i == 1) for i in (1, 2, 3, 4)},
            **{f"interface.v[{i}]": 0.0 for i in (1, 2)},
            "interface.v[3]": [(0.0, -speed), (stop, -speed), (stop + 1e-4, 0.0), (0.02, 0.0)],
            **{f"interface.w[{i}]": 0.0 for i in (1, 2, 3)},
        },
        references={
            "interface.f[3]": dict.fromkeys(before, 0.0)
            | {t: 4.0 * (k * speed * (t - touch) + c * speed) for t in moving}
            | dict.fromkeys(after, 4.0 * k * depth),
            "target.f[3] + interface.f[3]": held(0.0, 0.0, 0.02, 1e-3),
            "contact.max_depth": dict.fromkeys(before, 0.0) | dict.fromkeys(after, depth),
            "contact.count": dict.fromkeys(before, 0.0) | dict.fromkeys(after, 4.0),
        },
        relative=1e-6,
        absolute={"target.f[3] + interface.f[3]": 1e-9},
    )


def _table(name: str) -> tuple[list[str], NDArray[np.float64]]:
    head, *rows = [line.lstrip("# ").split(",") for line in (ROOT / name).read_text(encoding="utf-8").split()]
    return head, np.array([[float(cell) for cell in row] for row in rows])


def trampoline_2d() -> Formulas:
    """The fall of a box onto a band until the lowest point, without friction: a series from before this library."""
    text = (ROOT / "membrane_band" / "box.csv").read_text(encoding="utf-8").splitlines()
    head = text[0].lstrip("# ").split(",")
    rows = np.array([[float(cell) for cell in line.split(",")] for line in text[1:]])
    rows = rows[rows[:, 0] <= 0.74]
    names = {
        "x": "box.r[1]",
        "y": "box.r[2]",
        "vx": "box.v[1]",
        "vy": "box.v[2]",
        "omega": "box.w[3]",
        "l": "band.area",
    }
    return Formulas(
        stop=0.74,
        step=1e-3,
        inputs={"band.friction": 0.0},
        references={
            name: dict(zip(rows[:, 0].tolist(), rows[:, head.index(key)].tolist(), strict=True))
            for key, name in names.items()
        },
        relative=2e-6,
    )


def trampoline_bounce() -> Formulas:
    """The fall of a body into a membrane until the lowest point: a series from before this library."""
    head, rows = _table("membrane_earth_bounce/earth_bounce_mu0.2.csv")
    rows = rows[: int(rows[:, head.index("z")].argmin()) + 1]
    names = {
        "x": "rock.r[1]",
        "y": "rock.r[2]",
        "z": "rock.r[3]",
        "vz": "rock.v[3]",
        "A": "net.area",
        **{f"q{k}": f"rock.q[{k + 1}]" for k in range(4)},
    }
    return Formulas(
        stop=float(rows[-1, 0]),
        step=2e-3,
        references={
            name: dict(zip(rows[:, 0].tolist(), rows[:, head.index(key)].tolist(), strict=True))
            for key, name in names.items()
        },
        relative=1e-4,
        absolute={"rock.r[1]": 1e-3, "rock.r[2]": 1e-3},
    )


def trampoline() -> Formulas:
    """Area and forces of the membrane along the motion of two bodies in a series from before this library."""
    head, rows = _table("membrane_asteroid/asteroid_mu1_h0.02.csv")
    rows = rows[(rows[:, 0] >= 6.0) & (rows[:, 0] <= 36.0)]
    start = rows[0, 0]
    columns = {}
    for body, first in (("asteroid", head.index("Ax")), ("bus", head.index("Sx"))):
        for k, name in enumerate(state_names(body)):
            columns[name] = [
                (t - start, x) for t, x in zip(rows[:, 0].tolist(), rows[:, first + k].tolist(), strict=True)
            ]
    names = {"area": "net.area", "FN": "net.normal_force", "Ff": "net.friction_force"}
    return Formulas(
        stop=float(rows[-1, 0] - start),
        step=0.004,
        inputs={"resolve_in": 2.0, **columns},
        references={
            name: {t - start: x for t, x in zip(rows[:, 0].tolist(), rows[:, head.index(key)].tolist(), strict=True)}
            for key, name in names.items()
        },
        relative=2e-3,
    )


#: by the name of the scene, which is also that of the folder in validation_data
FORMULAS: dict[str, Callable[[], Formulas]] = {
    make.__name__: make
    for make in (
        tripod,
        hexapod,
        rover_wheel,
        tether_tow,
        insertion,
        worksite,
        micro_fixture,
        gripper,
        exposed_pallet,
        docking_ring,
        alignment_guides,
        trampoline_capture,
        peg_in_hole,
        trampoline_2d,
        trampoline_bounce,
        trampoline,
    )
}


def write() -> None:
    """Write the files of all cases."""
    for scene, make in FORMULAS.items():
        (ROOT / scene).mkdir(exist_ok=True)
        for name, text in make().files(scene).items():
            write_text(ROOT / scene / name, text)


if __name__ == "__main__":
    write()
