"""The chain of MuJoCo's run, from the same states of its bodies, in steps of 0.1 ms."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from contactlib.elements.joints import Hinge, Slider
from contactlib.validation import building
from contactlib.validation.compare import read_columns

HERE = Path(__file__).parent
BODIES = {"base": (20.0, [5.0, 6.0, 7.0]), "upper": (3.0, [0.1, 0.2, 0.25]), "fore": (2.0, [0.1, 0.05, 0.12]),
          "tip": (1.0, [0.02, 0.05, 0.04])}


def run(runner):
    start = np.column_stack(list(read_columns((HERE / "start.csv").read_text()).values())).tolist()
    bodies = [building.body(name, "free", mass=mass, inertia=inertia,
                            state={"r": row[:3], "q": row[3:7], "v": row[7:10], "w": row[10:]})
              for row, (name, (mass, inertia)) in zip(start, BODIES.items(), strict=True)]
    joints = (Hinge("a", "upper", base="base", point=(0.3, 0, 0), axis=(0, 1, 0.3), stiffness=3.0, damping=0.2),
              Slider("b", "fore", base="upper", axis=(1, 0, 0.5), stiffness=50.0),
              Hinge("c", "tip", base="fore", point=(0.2, 0, 0.1), axis=(1, 0, 0)))
    scene = replace(building.scene(bodies, step_size=1e-4), elements=joints)
    names = {f"{name} {axis}": f"{name}.r[{k + 1}]" for name in BODIES for k, axis in enumerate("xyz")}
    found = runner.run(scene, 2.0, 0.05, list(names.values()))
    return {name: (found["time"], found[variable]) for name, variable in names.items()}
