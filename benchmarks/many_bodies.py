"""Many bodies: what a step costs with 10^2 to 10^4 of them, beside an older version and MuJoCo's collision detection.

Run it with ``python -m benchmarks.many_bodies --json OUT.json``. README.md tells what each figure means.
``--before FOLDER`` names a checkout of an older version with its build, which runs the same scene with every pair
written out.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import contactlib
from benchmarks import common
from benchmarks.common import Bar, Floats, Report, step_times
from contactlib._core import engine

BARS = (
    Bar("cost_exponent_bodies", 1.15, 1.05),
    Bar("ratio_before_1000", 10, 30, at_least=True),
    Bar("ratio_mujoco_1000", 1, 3, at_least=True),
    Bar("compile_10000_s", 2, 0.5),
)
SIZES = (100, 316, 1000, 3162, 10000)
RADIUS, LAYERS, GAP = 0.05, 5, 0.12  # m, bodies on top of one another, m between their centres
H, STEPS, SAMPLES = 1e-3, 300, 10  # s; a run falls, hits the floor and settles
GRAVITY = 9.81
LAW = {"name": "touch", "materials": ["rock", "rock"],
       "normal": {"kind": "kelvin_voigt", "stiffness": 1e4, "damping": 20.0},
       "friction": {"kind": "bristle", "mu_static": 0.4, "mu_kinetic": 0.3, "tangential_stiffness": 1e4,
                    "tangential_damping": 10.0}}
SPHERE = ({"kind": "sphere", "radius": RADIUS},)


def mixed() -> tuple[dict[str, Any], ...]:
    """Four kinds of shapes of a size, which take turns."""
    corners = RADIUS * np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) / np.sqrt(3.0) * 1.6
    faces = [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]
    return (*SPHERE, {"kind": "box", "size": [1.6 * RADIUS, 1.4 * RADIUS, 1.2 * RADIUS]},
            {"kind": "capsule", "radius": 0.5 * RADIUS, "length": RADIUS},
            {"kind": "mesh", "vertices": corners.tolist(), "triangles": faces})


def places(n: int) -> tuple[Floats, float]:
    """Places (n, 3) of the bodies in layers, m, off their grid by up to 1 cm, and half the width of the box."""
    side = int(np.ceil(np.sqrt(n / LAYERS)))
    layer, cell = np.divmod(np.arange(n), side * side)
    grid = np.column_stack([cell % side, cell // side, layer]) - [(side - 1) / 2, (side - 1) / 2, 0.0]
    rng = np.random.default_rng(7)
    return GAP * grid + [0.0, 0.0, 0.1] + rng.uniform(-0.01, 0.01, (n, 3)), GAP * side / 2


def walls(half: float) -> list[tuple[Floats, Floats]]:
    """Position (m) and attitude of the five planes of a box, which is open above."""
    s = np.sqrt(0.5)
    return [(np.array(r), np.array(q)) for r, q in (
        ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)), ((-half, 0.0, 0.0), (s, 0.0, s, 0.0)),
        ((half, 0.0, 0.0), (s, 0.0, -s, 0.0)), ((0.0, -half, 0.0), (s, -s, 0.0, 0.0)),
        ((0.0, half, 0.0), (s, s, 0.0, 0.0)))]


def tables(n: int, shapes: tuple[dict[str, Any], ...] = SPHERE, written_out: bool = False) -> dict[str, Any]:
    """The tables of the scene; `written_out`: with a pair for every two bodies, as older versions need them."""
    r, half = places(n)
    bodies = [{"name": f"rock{i}", "motion": "free", "state": {"r": row}, "shape": [
        {"name": "stone", "material": "rock", "density": 2000.0, **shapes[i % len(shapes)]}]}
        for i, row in enumerate(r.tolist())]
    box = [{"name": f"wall{k}", "motion": "fixed", "state": {"r": r.tolist(), "q": q.tolist()},
            "shape": [{"name": "wall", "kind": "plane", "material": "rock"}]} for k, (r, q) in enumerate(walls(half))]
    pairs = [["rock*", "rock*"], ["rock*", "wall*"]]
    if written_out:
        names = [f"rock{i}" for i in range(n)]
        pairs = [[a, b] for i, a in enumerate(names) for b in names[i + 1:]]
        pairs += [[a, f"wall{k}"] for a in names for k in range(len(box))]
    return {"scene": {"name": "rocks", "gravity": [0.0, 0.0, -GRAVITY], "step_size": H}, "body": bodies + box,
            "law": [LAW], "pair": [{"bodies": pair} for pair in pairs]}


def run(data: engine.Data, repetitions: int = 5) -> Floats:
    """Times of the steps of a run, s: the median of some runs. `data` ends where the run ends."""
    return step_times(data, H, STEPS, repetitions)


def instants(data: engine.Data) -> list[Floats]:
    """The states of ten instants of a run."""
    found = []
    for k in range(1, STEPS + 1):
        data.advance(H)
        if k % (STEPS // SAMPLES) == 0:
            found.append(np.array(data.states()))
    return found


def data_of(values: dict[str, Any]) -> engine.Data:
    return contactlib.Simulation(contactlib.Spec.from_dict(values).compile()).data


def growth(report: Report) -> None:
    """The slope of log time over log bodies."""
    spent = []
    for n in SIZES:
        data = data_of(tables(n))
        times = run(data, 5 if n < 5000 else 3)
        spent.append(times.mean())
        report.extras[f"{n} spheres, us a step, mean of {STEPS}"] = 1e6 * float(times.mean())
        report.extras[f"{n} spheres, us of the last step, with {data.contact_count} contacts"] = 1e6 * float(times[-1])
    exponent = float(np.polyfit(np.log(SIZES), np.log(spent), 1)[0])
    report.set("cost_exponent_bodies", exponent, f"{SIZES[0]} to {SIZES[-1]} spheres that fall into a box of planes")


def others(report: Report) -> None:
    data = data_of(tables(1000, mixed()))
    mean = float(run(data, 1).mean())
    report.extras["1000 spheres, boxes, capsules and meshes, us a step"] = 1e6 * mean
    report.extras["contacts of these at the end"] = float(data.contact_count)


def compiling(report: Report) -> None:
    values = tables(10000)
    stages = []
    for _ in range(3):
        begun = time.thread_time()
        spec = contactlib.Spec.from_dict(values)
        read = time.thread_time()
        model = spec.compile()
        compiled = time.thread_time()
        contactlib.Simulation(model)
        stages.append((read - begun, compiled - read, time.thread_time() - compiled))
    best = min(stages, key=sum)
    report.set("compile_10000_s", sum(best), "10^4 spheres from tables to a simulation")
    for name, value in zip(("reading", "compiling", "making a simulation"), best, strict=True):
        report.extras[f"10000 spheres, {name}, s"] = value
    report.extras["10000 spheres, bytes of the model for each"] = len(model.to_bytes()) / 10000


def before(report: Report, folder: Path | None) -> None:
    """Run the same scene, with all pairs written out, in a process of the older version."""
    if folder is None:
        return
    older = str(folder.resolve())
    command = [sys.executable, "-c", OLDER, str(Path(__file__).resolve().parents[1]), older]
    found = subprocess.run(command, cwd=older, env={**os.environ, "PYTHONPATH": older}, capture_output=True, text=True,
                           check=False)
    if found.returncode != 0:
        raise RuntimeError(f"the version in {folder} does not run:\n{found.stderr}")
    old = json.loads(found.stdout.splitlines()[-1])
    data = data_of(tables(1000))
    mean = float(run(data).mean())
    report.set("ratio_before_1000", old["step"] / mean, "1000 spheres, the version before / this one, mean step")
    report.extras["1000 spheres before, us a step"] = 1e6 * old["step"]
    report.extras["1000 spheres before, compiling, s"] = old["compile"]
    report.extras["the states of both at the end"] = "same bits" if old["states"] == digest(data) else "differ"


#: what the older version runs: the scene and the loop are those of this file
OLDER = """
import importlib.util, json, sys, time
import contactlib
assert contactlib.__file__.startswith(sys.argv[2]), contactlib.__file__
spec = importlib.util.spec_from_file_location("many_bodies", sys.argv[1] + "/benchmarks/many_bodies.py")
bench = importlib.util.module_from_spec(spec)
sys.modules["many_bodies"] = bench
spec.loader.exec_module(bench)
begun = time.thread_time()
data = bench.data_of(bench.tables(1000, written_out=True))
compiled = time.thread_time() - begun
mean = bench.run(data, 1).mean()
print(json.dumps({"step": mean, "compile": compiled, "states": bench.digest(data)}))
"""


def digest(data: engine.Data) -> str:
    return hashlib.sha256(np.ascontiguousarray(data.states()).tobytes()).hexdigest()


def mujoco_scene(n: int) -> str:
    r, half = places(n)
    balls = "".join(f'<body pos="{x} {y} {z}"><freejoint/><geom type="sphere" size="{RADIUS}" density="2000"/></body>'
                    for x, y, z in r.tolist())
    planes = "".join(f'<geom type="plane" size="0 0 1" pos="{" ".join(map(str, r))}" quat="{" ".join(map(str, q))}"/>'
                     for r, q in walls(half))
    return f'<mujoco><worldbody>{planes}{balls}</worldbody></mujoco>'


def mujoco(report: Report) -> None:
    """The collision detection of MuJoCo at instants of our run, beside our whole steps there."""
    try:
        import mujoco as peer
    except ImportError:
        return
    report.versions["mujoco"] = version("mujoco")
    n = 1000
    model = peer.MjModel.from_xml_string(mujoco_scene(n))
    place = peer.MjData(model)
    times = run(data_of(tables(n)))
    theirs, contacts = [], []
    for states in instants(data_of(tables(n))):
        place.qpos[:] = states[:n, :7].ravel()
        peer.mj_kinematics(model, place)
        peer.mj_comPos(model, place)
        (spent,) = common.measure(lambda: peer.mj_collision(model, place), repetitions=21)
        theirs.append(spent.median)
        contacts.append(place.ncon)
    ours = times[STEPS // SAMPLES - 1::STEPS // SAMPLES]
    report.set("ratio_mujoco_1000", float(np.mean(theirs) / np.mean(ours)),
               "1000 spheres, mj_collision alone / our whole step, one core")
    report.extras["mj_collision of 1000 spheres, us, mean of ten instants"] = 1e6 * float(np.mean(theirs))
    report.extras["our step at these instants, us"] = 1e6 * float(np.mean(ours))
    report.extras["contacts that MuJoCo finds at the last instant"] = float(contacts[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, add_help=False)
    parser.add_argument("--before", type=Path, metavar="FOLDER", help="a checkout of an older version, with its build")
    arguments, rest = parser.parse_known_args()
    sys.argv[1:] = rest
    parts = (growth, others, compiling, lambda report: before(report, arguments.before), mujoco)
    common.run(Report(BARS), parts, __doc__ or "")


if __name__ == "__main__":
    main()
