"""Hinge, slider, ball joint, spring and damper, and fixed joint, each in a small mechanism."""

from dataclasses import replace

import numpy as np
from scipy.special import ellipk

from contactlib.elements.ball_joints import BallJoints
from contactlib.elements.joints import FixedJoint, Hinge, Slider, SpringDamper
from contactlib.validation import building

G, LENGTH, MASS, INERTIA, ANGLE = 9.81, 2.0, 3.0, 4.0, 1.0
PERIOD = 4 * np.sqrt((INERTIA + MASS * LENGTH**2) / (MASS * G * LENGTH)) * ellipk(np.sin(ANGLE / 2) ** 2)


def scene(bodies, *elements, h, gravity=0.0, integrator="semi_implicit_euler"):
    return replace(building.scene(bodies, step_size=h, gravity=[0, 0, -gravity], integrator=integrator),
                   elements=elements)


def swing(runner, steps, joint, integrator):
    """Angle of a stick after one period from rest at 1 rad."""
    stick = building.body("stick", "free", mass=MASS, inertia=[INERTIA, INERTIA, 0.02], state={
        "r": [0, float(LENGTH * np.sin(ANGLE)), float(-LENGTH * np.cos(ANGLE))],
        "q": [float(np.cos(ANGLE / 2)), float(np.sin(ANGLE / 2)), 0, 0]})
    h = PERIOD / steps
    found = runner.run(scene([stick], joint, h=h, gravity=G, integrator=integrator), PERIOD, PERIOD / 10,
                       ["stick.r[2]", "stick.r[3]"])
    return float(np.arctan2(found["stick.r[2]"][-1], -found["stick.r[3]"][-1]))


def mass(v=0.0):
    return building.body("mass", "free", mass=2.0, inertia=[0.2] * 3, state={"v": [0, 0, v]})


def run(runner):
    hinge = Hinge("joint", "stick", axis=(1, 0, 0), start=ANGLE)
    ball = BallJoints("joint", ("stick",), ((0, 0, 0),), ((0, 0, LENGTH),))
    coarse, fine = (swing(runner, n, hinge, "semi_implicit_euler") for n in (150, 300))
    results = {"angle of a hinge after one period": fine, "period": float(PERIOD),
               "order of a hinge pendulum": float(np.log2((coarse - ANGLE) / (fine - ANGLE))),
               "angle of a ball joint after one period": swing(runner, 300, ball, "rk4")}

    h = 1e-4
    spring = runner.run(scene([mass(1.0)], Slider("joint", "mass", stiffness=200.0), h=h), 1.0, 0.01, ["mass.r[3]"])
    anchored = SpringDamper("strut", "mass", None, 200.0, 4.0, length=1.0, last_point=(0, 0, -1.0))
    damped = runner.run(scene([mass(1.0)], anchored, h=h), 1.0, 0.01, ["mass.r[3]"])
    results |= {"slider on a spring": (spring["time"], spring["mass.r[3]"]),
                "spring and damper": (damped["time"], damped["mass.r[3]"])}

    slides = runner.run(scene([mass()], Slider("joint", "mass", friction=15.0), h=1e-3, gravity=10.0), 1.0, 0.5,
                        ["mass.v[3]"])["mass.v[3]"]
    held = runner.run(scene([mass()], Slider("joint", "mass", friction=30.0), h=1e-3, gravity=10.0), 10.0, 1.0,
                      ["mass.r[3]"])["mass.r[3]"]
    results |= {"acceleration of a slider with friction below the weight": (slides[1] - slides[2]) / 0.5,
                "creep of a slider with friction above the weight": 1e9 * (held[-1] - held[1])}
    return {**results, **welded(runner), **driven(runner)}


def welded(runner):
    """Two bodies 1 m apart: a force on one moves and turns both as one body; the centre is 0.4 m from the first."""
    bodies = [building.body("a", "free", mass=3.0, inertia=[0.1] * 3),
              building.body("b", "free", mass=2.0, inertia=[0.1] * 3, state={"r": [1, 0, 0]})]
    both = scene(bodies, FixedJoint("weld", "b", base="a"), h=1e-4)
    found = runner.run(both, 0.01, 0.01, ["a.v[2]", "b.v[2]", "a.w[3]"], {"a.f_ext[2]": 10.0})
    return {"acceleration of two welded bodies": (3 * found["a.v[2]"][-1] + 2 * found["b.v[2]"][-1]) / 5 / 0.01,
            "spin of two welded bodies about their common centre": -found["a.w[3]"][-1] / 0.01}


def driven(runner):
    """A weight of 2 kg on an arm of 0.5 m, held level by a drive."""
    arm = building.body("arm", "free", mass=2.0, inertia=[0.1] * 3, state={"r": [0.5, 0, 0]})
    hinge = Hinge("joint", "arm", axis=(0, 1, 0), drive_stiffness=1e6, drive_damping=1e4, drive_limit=100.0)
    found = runner.run(scene([arm], hinge, h=1e-3, gravity=9.81), 3.0, 0.5, ["joint.drive_torque"])
    return {"torque of a drive that holds a weight": abs(found["joint.drive_torque"][-1])}
