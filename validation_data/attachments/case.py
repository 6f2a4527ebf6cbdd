"""A foot that touches a wall is led away, or swings on its attachment; the models spring, gecko and claw."""

import numpy as np

from contactlib.validation import building

K, DEPTH, H, SPEED = 1e4, 1e-5, 1e-4, 1e-2  # N/m, m, s, m/s: 1 um in a step is 0.01 N
SPRING = {"kind": "spring", "stiffness": K, "damping": 0.0, "x_limit": 20.0, "y_limit": 30.0, "z_limit": 10.0}
CLAW = {"kind": "claw", "stiffness": K, "load_limit": 1e6, "pull_out_angle": float(np.radians(45))}
GECKO = {"kind": "gecko", "stiffness": K, "shear_limit": 5.0, "detachment_angle": float(np.radians(25)), "mu": 0.2}


def scene(model, motion="external", step=H, **body):
    foot = building.body("foot", motion, [building.shape("point")], **{"state": {"r": [0, 0, -DEPTH]}, **body})
    return building.scene([foot, building.floor()], {"model": model}, [("foot", "floor")], step_size=step)


def lead(runner, model, *legs):
    """Force (T, 3) on a foot that goes along `legs`: directions, and durations in s."""
    times, velocities, places = [0.0], [], [np.array([0.0, 0.0, -DEPTH])]
    for direction, duration in legs:
        velocities.append(SPEED * np.array(direction) / np.linalg.norm(direction))
        times.append(times[-1] + duration)
        places.append(places[-1] + duration * velocities[-1])

    def leg(t):
        return min(int(np.searchsorted(times, t + 1e-9, side="right")) - 1, len(legs) - 1)

    inputs = {}
    for k in range(3):
        inputs[f"foot.v[{k + 1}]"] = lambda t, k=k: float(velocities[leg(t)][k])
        inputs[f"foot.r[{k + 1}]"] = lambda t, k=k: float(
            places[leg(t)][k] + (t - times[leg(t)]) * velocities[leg(t)][k])
    found = runner.run(scene(model), times[-1], H, [f"foot.f[{k}]" for k in (1, 2, 3)], inputs)
    return np.column_stack([found[f"foot.f[{k}]"] for k in (1, 2, 3)])


def run(runner):
    x, y, z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
    back = (-1, 0, 0)
    claw = lead(runner, CLAW, (x, 0.05), (z, 0.2))
    held = np.flatnonzero(np.abs(claw).max(axis=1) > 0)[-1]
    swinging = scene(SPRING | {"z_limit": 1e9}, "free", 1e-5, mass=1.0, inertia=[1.0] * 3)
    swing = runner.run(swinging, 0.2, 1e-4, ["foot.v[1]"], {"foot.f_ext[1]": 1.0})
    v = swing["foot.v[1]"]
    rises = np.flatnonzero((v[:-1] < 0) & (v[1:] >= 0))
    zeros = swing["time"][rises] - 1e-4 * v[rises] / (v[rises + 1] - v[rises])
    return {
        "spring: force along x at which it breaks": np.abs(lead(runner, SPRING, (x, 0.4))[:, 0]).max(),
        "spring: force along y at which it breaks": np.abs(lead(runner, SPRING, (y, 0.4))[:, 1]).max(),
        "spring: tension at which it breaks": -lead(runner, SPRING, (z, 0.4))[:, 2].min(),
        "claw: force after 0.1 mm along its direction": -lead(runner, CLAW, (x, 0.01))[-1, 0],
        "claw: force against its direction": float(np.abs(lead(runner, CLAW, (back, 0.05))[:, :2]).max()),
        "claw: angle of the pull at which it unhooks": float(np.degrees(np.arctan2(-claw[held, 2], -claw[held, 0]))),
        "gecko: shear at which it slides": -lead(runner, GECKO, (x, 0.2))[-1, 0],
        "gecko: friction against its direction": lead(runner, GECKO, (back, 0.2))[-1, 0],
        "period of a mass on a spring": 1e3 * float(np.diff(zeros).mean()),
    }
