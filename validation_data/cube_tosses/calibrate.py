"""The first impacts of measured tosses, as a calibration of contactlib:

    python validation_data/cube_tosses/calibrate.py                        writes out/cube_tosses/
    contactlib calibrate out/cube_tosses/calibration.toml -o out/cube_tosses/fit

Friction, damping and inertia are fitted to the first impacts of 30 tosses, and 30 other tosses are compared with the
result. `fit.py` fits whole tosses, with several impacts; these are not smooth in their parameters, so least squares do
not apply to them. Centre of mass, gravity and width come from the flights, as there.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from case import INERTIA, MASS, RATE, Toss, com, corners, draw, gravity, initial_state, read
from flights import known

from contactlib.common.files import write_text

OUT = Path("out/cube_tosses")
TOSSES = 30
AFTER = 8  # compared frames after those of the flight, 54 ms: the first impact, and for some tosses a second one
ROUNDING = 1.9e-3  # m, of the corners: that of whole tosses, draw 1
CORNER = """[[body.shape]]
name = "{name}"
kind = "sphere"
material = "plastic"
radius = {radius:.6g}
r = {r}
"""
SCENE = """
[scene]
name = "cube"
gravity = [0.0, 0.0, -{gravity:.6g}]
step_size = {step!r}
duration = 1.0

[[body]]
name = "cube"
mass = {mass}
com = [{com_x:.6g}, {com_y:.6g}, {com_z:.6g}]
inertia = [{inertia}, {inertia}, {inertia}]

{corners}
[[body]]
name = "floor"

[[body.shape]]
name = "top"
kind = "plane"
material = "board"

[[law]]
name = "touch"
materials = ["plastic", "board"]
normal = {{ kind = "kelvin_voigt", stiffness = 2e4, damping = 60.0 }}

[law.friction]
kind = "lugre"
mu_static = 0.2
mu_kinetic = 0.2
stribeck_velocity = 0.01
sigma_0 = 2e4
sigma_1 = 2.0
sigma_2 = 0.0

[[pair]]
bodies = ["cube", "floor"]
"""
CALIBRATION = """
[calibration]
name = "cube_tosses"
scene = "scene.toml"
every = 2
loss = "soft_l1"            # a corner that hits too early or too late is an outlier
difference = 0.01
intervals = "series"
max_evaluations = 40

[parameter.friction]
path = ["law.touch.friction.mu_static", "law.touch.friction.mu_kinetic"]
low = 0.05
start = 0.15
high = 0.5

[parameter.damping]
path = "law.touch.normal.damping"
unit = "N s/m"
scale = "log"
low = 10.0
start = 60.0
high = 500.0

[parameter.inertia]
path = ["body.cube.inertia[1]", "body.cube.inertia[2]", "body.cube.inertia[3]"]
unit = "kg m2"
low = 6e-4
start = 9e-4
high = 1.6e-3

# standard deviations about as large as the deviations that remain
[measured]
"cube.r" = { sigma = 1e-3, columns = ["x", "y", "z"] }
"cube.q" = { sigma = 0.02, columns = ["qw", "qx", "qy", "qz"] }

[[series]]
file = "fitted/*.csv"
starts = "starts.csv"

[[series]]
file = "others/*.csv"
starts = "starts.csv"
fit = false
"""
STATE = [f"body.cube.state.{part}[{i}]" for part, n in (("r", 3), ("q", 4), ("v", 3), ("w", 3))
         for i in range(1, n + 1)]


def write_toss(path: Path, toss: Toss) -> None:
    """Write the frames of the flight and of the first impacts."""
    last = min(len(toss.r), toss.flight + AFTER)
    q = toss.attitude.as_quat()[:last, [3, 0, 1, 2]]
    rows = np.column_stack([np.arange(last) / RATE, toss.r[:last], q])
    write_text(path, "\n".join(["time,x,y,z,qw,qx,qy,qz", *(",".join(f"{x:.9g}" for x in row) for row in rows)]) + "\n")


def write_calibration(out: Path, count: int) -> None:
    """Write scene, calibration, `count` tosses to fit and as many others."""
    tosses, numbers = read(), draw(0)[0][: 2 * count]
    p = known([tosses[i] for i in draw(0)[0]])
    for folder in ("fitted", "others"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    lines = [",".join(["series", *STATE])]
    for k, number in enumerate(numbers):
        write_toss(out / ("fitted" if k < count else "others") / f"toss_{number:03d}.csv", tosses[number])
        state = initial_state(tosses[number], com(p), gravity(p))
        lines.append(",".join([f"toss_{number:03d}", *(f"{x:.12g}" for x in state)]))
    write_text(out / "starts.csv", "\n".join(lines) + "\n")
    balls = "\n".join(CORNER.format(**ball) for ball in corners({**p, "rounding": ROUNDING}))
    write_text(out / "scene.toml", SCENE.format(step=1.0 / RATE / 14, mass=MASS, inertia=1.4 * INERTIA, corners=balls,
                                                **p).lstrip())
    write_text(out / "calibration.toml", CALIBRATION.lstrip())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=OUT, help="folder of the calibration")
    parser.add_argument("--tosses", type=int, default=TOSSES, help="number of tosses that are fitted: 1 to 30")
    options = parser.parse_args()
    write_calibration(options.out, options.tosses)
    print(f"wrote {options.out / 'calibration.toml'}")


if __name__ == "__main__":
    main()
