"""The contact of the robot cell from measured motion and force: python examples/rwth_calibration.py.

The peg of the robot in `rwth_robot.py` is pressed onto the table and led over the rim of the hole. Its pose from the
joint angles, and the force of a sensor in the wrist, give stiffness, damping and friction of the contact. The robot is
the simulated one with noise, so the true values are known. The program exits with 1 if an interval misses its value.

    python examples/rwth_calibration.py                       # simulated robot; writes out/rwth_calibration/
    python examples/rwth_calibration.py --measured FOLDER     # a real robot: press.csv and rim.csv of this folder

Such a file has the columns time (s), x, y, z (m), qw, qx, qy, qz of the tip of the peg in the axes of the robot's base,
and fx, fy, fz (N), the force on the peg.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from contactlib.calibration import read_calibration, run_calibration
from contactlib.calibration.definition import Source
from contactlib.calibration.report import write_results
from contactlib.common.files import write_text
from rwth_cell import MODELS, Record, RecordedRobot
from rwth_robot import Setup, press, rim

Floats = NDArray[np.float64]
OUT = Path("out/rwth_calibration")
TRUE = {"stiffness": 5e4, "damping": 800.0, "friction": 0.15}  # of Setup()
EVERY = 5  # steps of the robot, 2 ms, between two rows
POSITION, FORCE = 1e-6, 0.3  # m, N: noise of the tip from the encoders, and of the sensor
CALIBRATION = """
[calibration]
name = "rwth_cell"
scene = "scene.toml"
loss = "soft_l1"

[parameter.stiffness]
path = ["law.peg_table.normal.stiffness", "law.peg_block.normal.stiffness"]
unit = "N/m"
scale = "log"
low = 1e4
start = 2e4
high = 2e5

[parameter.damping]
path = ["law.peg_table.normal.damping", "law.peg_block.normal.damping"]
unit = "N s/m"
scale = "log"
low = 50.0
start = 300.0
high = 5000.0

[parameter.friction]
path = ["law.peg_table.friction.mu_kinetic", "law.peg_block.friction.mu_kinetic"]
low = 0.02
start = 0.05
high = 0.2                  # the static coefficient of the scene

[motion]
peg = { columns = ["x", "y", "z", "qw", "qx", "qy", "qz"] }

[measured]
"peg.f" = { sigma = 0.3, columns = ["fx", "fy", "fz"] }

# not the first instants of a contact, in which the peg stops within one or two samples
[[series]]
file = "press.csv"
from = 1.5

[[series]]
name = "first rim"
file = "rim.csv"
from = 3.3
until = 5.5

[[series]]
name = "second rim"
file = "rim.csv"
begin = 14.0
from = 16.3
until = 18.5
"""


def measure(record: Record, tilt: float, rng: np.random.Generator) -> str:
    """Return what encoders and a force sensor measure, as the text of a CSV file; the time begins at 0."""
    robot = RecordedRobot(Setup().arm(tilt), record.time, record.angles)
    poses = []
    for _ in range(robot.rows):
        poses.append(robot.peg()[0, :7])
        robot.step(record.command[0], np.zeros(6))
    rows = np.arange(0, robot.rows, EVERY)
    place = np.array(poses)[rows]
    # a wrench is the mean over the step that begins, so two of them give the one at a time
    force = 0.5 * (record.wrench[rows, :3] + record.wrench[np.maximum(rows - 1, 0), :3])
    place[:, :3] += POSITION * rng.standard_normal((len(rows), 3))
    force += FORCE * rng.standard_normal(force.shape)
    table = np.column_stack([record.time[rows] - record.time[0], place, force])
    return "\n".join(["time,x,y,z,qw,qx,qy,qz,fx,fy,fz", *(",".join(f"{x:.9g}" for x in row) for row in table)]) + "\n"


def write_measured(folder: Path) -> None:
    """Write the files of the simulated robot."""
    rng = np.random.default_rng(15)
    write_text(folder / "press.csv", measure(press(Setup()), Setup().tilt, rng))
    write_text(folder / "rim.csv", measure(rim(Setup()), 0.0, rng))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--measured", type=Path, metavar="FOLDER",
                        help="folder of a real robot's press.csv and rim.csv")
    parser.add_argument("--out", type=Path, default=OUT, help="folder of the results")
    options = parser.parse_args()
    folder = options.measured or options.out / "measured"
    if options.measured is None:
        folder.mkdir(parents=True, exist_ok=True)
        write_measured(folder)
    scene = tomllib.loads((MODELS / "rwth_cell.toml").read_text(encoding="utf-8"))
    source = Source(tomllib.loads(CALIBRATION), scene, str(folder), str(MODELS))
    fit = run_calibration(read_calibration(source))
    write_results(fit, options.out)
    print((options.out / "summary.txt").read_text(encoding="utf-8"))
    missed = [name for name, value in TRUE.items() if not fit.estimate(name).low <= value <= fit.estimate(name).high]
    if options.measured is None and missed:
        sys.exit(f"rwth_calibration: the interval misses the true value: {', '.join(missed)}")


if __name__ == "__main__":
    main()
