"""The shipped scene's FMU, driven by FMPy along a recorded motion, gives the recorded wrenches.

`python tests/test_fmu_regression.py` records anew: do that only when the scene or the mathematics was meant to change.
"""

import csv
from pathlib import Path

import fmpy
import numpy as np

import contactlib
from contactlib.fmu.export import export_fmu

CASE = Path(__file__).parent.parent / "validation_data" / "peg_in_hole_fmu"
STEP, STEPS = 1e-3, 300
INPUTS = [f"interface.{part}[{k}]" for part, n in (("r", 3), ("q", 4), ("v", 3), ("w", 3)) for k in range(1, n + 1)]
OUTPUTS = [f"interface.{part}[{k}]" for part in "ft" for k in (1, 2, 3)] + ["contact.count", "contact.max_depth"]


def motion(t):
    """Pins half way in, led in a circle of 0.3 mm (the clearance is 0.2 mm) and tilted to and fro by 2 mrad."""
    w = 2 * np.pi / (STEP * STEPS)
    r = np.array([3e-4 * np.cos(w * t), 3e-4 * np.sin(w * t), 0.03])
    v = np.array([-3e-4 * w * np.sin(w * t), 3e-4 * w * np.cos(w * t), 0.0])
    angle, rate = 2e-3 * np.sin(2 * w * t), 4e-3 * w * np.cos(2 * w * t)
    return np.array([*r, np.cos(angle / 2), np.sin(angle / 2), 0.0, 0.0, *v, rate, 0.0, 0.0])


def record():
    """in.csv from the formula above, ref.csv from the Python module; wrenches held from step to step, as FMPy sees."""
    model = contactlib.load("peg_in_hole").compile()
    names = [variable.name for variable in model.variables]
    data = contactlib.Simulation(model).data
    inputs, outputs = [], []
    for k in range(STEPS + 1):
        t = k * STEP
        inputs.append([t, *motion(t)])
        for name, value in zip(INPUTS, motion(t), strict=True):
            data.set(names.index(name), value)
        data.accept_inputs()
        if k == 0:
            data.evaluate()
        outputs.append([t, *(data.get(names.index(name)) for name in OUTPUTS)])
        data.advance(STEP)
    CASE.mkdir(exist_ok=True)
    for name, header, rows in (("in.csv", INPUTS, inputs), ("ref.csv", OUTPUTS, outputs)):
        with (CASE / name).open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["time", *header])
            writer.writerows([[repr(float(x)) for x in row] for row in rows])


def read(name):
    with (CASE / name).open() as file:
        header, *rows = csv.reader(file)
    return np.array([tuple(map(float, row)) for row in rows], dtype=[(key, float) for key in header])


def test_recorded_wrenches(tmp_path):
    model = contactlib.load("peg_in_hole").compile()
    fmu = export_fmu(model, tmp_path / "peg_in_hole.fmu")
    inputs, expected = read("in.csv"), read("ref.csv")
    start = {name: inputs[name][0] for name in INPUTS}
    found = fmpy.simulate_fmu(str(fmu), stop_time=STEPS * STEP, step_size=STEP, output_interval=STEP,
                              start_values=start, input=inputs, output=OUTPUTS)
    assert len(found) == len(expected) == STEPS + 1
    assert expected["contact.count"].max() >= 6
    for name in OUTPUTS:
        scale = np.abs(expected[name]).max()
        # the same mathematics: sin and cos of another C library may differ in the last bit, and sliding remembers it
        np.testing.assert_allclose(found[name], expected[name], rtol=0, atol=1e-9 * scale, err_msg=name)


if __name__ == "__main__":
    record()
