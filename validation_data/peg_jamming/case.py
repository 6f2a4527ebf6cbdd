"""Nine pegs in nine holes: for each, bisection on the moment between sliding in and jamming."""

from pathlib import Path

import numpy as np

from contactlib.model.spec import Spec
from contactlib.validation import building
from contactlib.validation.run import load_program

LENGTH, HOLE_DEPTH, PLATE = 0.16, 0.1, [0.12, 0.12, 0.2]  # m
STIFFNESS, DAMPING, MASS, LOAD = 2e6, 400.0, 0.1, 2.0  # N/m, N s/m, kg, N
STEP, REPORT, RAMP, REST, END = 2e-5, 1e-3, 0.025, 0.045, 0.055  # s
DRIFT = 1e-8  # m between REST and END: a peg that is stuck does not creep
AZIMUTHS = np.radians([0.0, 25.0, 200.0])  # of the planes in which the pegs lean


def bodies(brute):
    """Pegs in their holes, which lean until they touch both walls, and the directions (9, 2) in which they lean."""
    found, ways = [], []
    for k, (_, _, d, _) in enumerate(brute.rows()):
        t, turn = brute.tilt(d), AZIMUTHS[k % 3]
        way = np.array([np.cos(turn), np.sin(turn)])
        x = -brute.HOLE + brute.RADIUS * np.cos(t)
        z = brute.RADIUS * np.sin(t) - d * np.cos(t)
        s = np.sin(t / 2)
        shape = building.shape("cylinder", f"peg_{k}", radius=brute.RADIUS, length=LENGTH, r=[0, 0, LENGTH / 2])
        found.append(building.body(f"peg_{k}", "free", [shape], mass=MASS, inertia=[3e-4, 3e-4, 1e-4],
                                   com=[0, 0, 0.02], state={"r": [x * way[0] + k, x * way[1], z],
                                                            "q": [np.cos(t / 2), -s * way[1], s * way[0], 0.0]}))
        shape = building.shape("socket", f"hole_{k}", size=PLATE, radius=brute.HOLE, length=HOLE_DEPTH)
        found.append(building.body(f"hole_{k}", "fixed", [shape], state={"r": [k, 0, 0]}))
        ways.append(way)
    return found, np.array(ways)


def scene(brute, placed):
    laws = [{"name": f"wall_{k}", "materials": [f"peg_{k}", f"hole_{k}"],
             "normal": {"kind": "kelvin_voigt", "stiffness": STIFFNESS, "damping": DAMPING},
             "friction": {"kind": "bristle", "mu_static": mu, "mu_kinetic": mu, "tangential_stiffness": STIFFNESS,
                          "tangential_damping": DAMPING}} for k, (_, mu, _, _) in enumerate(brute.rows())]
    pairs = [{"bodies": [f"peg_{k}", f"hole_{k}"]} for k in range(len(laws))]
    return Spec.from_dict({"scene": {"name": "case", "step_size": STEP}, "body": placed, "law": laws, "pair": pairs})


def run(runner):
    brute = load_program(Path(__file__).parent / "reference.py")
    rows = brute.rows()
    placed, ways = bodies(brute)
    model = scene(brute, placed).compile()
    heights = [f"peg_{k}.r[3]" for k in range(len(rows))]

    def stuck(moments):
        """Which pegs do not move any more under these moments M/(r Fz)."""
        inputs = {}
        for k, (_, _, _, ratio) in enumerate(rows):
            loads = {"f_ext[1]": ratio * ways[k, 0], "f_ext[2]": ratio * ways[k, 1], "f_ext[3]": -1.0,
                     "t_ext[1]": -brute.RADIUS * moments[k] * ways[k, 1],
                     "t_ext[2]": brute.RADIUS * moments[k] * ways[k, 0]}
            inputs |= {f"peg_{k}.{name}": (np.array([0.0, RAMP, END]), LOAD * value * np.array([0.0, 1.0, 1.0]))
                       for name, value in loads.items()}
        found = runner.run(model, END, REPORT, heights, inputs)
        at = np.array([found[name][[round(REST / REPORT), -1]] for name in heights])
        return np.abs(at[:, 1] - at[:, 0]) < DRIFT

    middle = np.array([brute.whitney(*row[1:]) for row in rows])
    low, high = 0.8 * middle, 1.2 * middle
    if stuck(low).any() or not stuck(high).all():
        raise ValueError("a peg jams under 0.8 of Whitney's moment, or slides in under 1.2 of it")
    for _ in range(11):
        tried = 0.5 * (low + high)
        jams = stuck(tried)
        low, high = np.where(jams, low, tried), np.where(jams, tried, high)
    found = 0.5 * (low + high)
    return {f"{row[0]}: {truth}": value for row, value in zip(rows, found, strict=True)
            for truth in ("Whitney", "with the tilt")}
