"""Golden hashes: what every shipped scene and every pair of shapes computes, as hashes that a refactoring must keep.

`python -m tests.support.golden` compares with golden.json and exits with 1 where a hash differs; `--record` writes the
file. A scene runs for 1000 steps, in Python and as an FMU; a pair has 100000 random placements, with a mesh 2000. The
hashes of scenes hold on every machine. Those of pairs hold for one C library, because numpy's normal draws, of which
the attitudes are made, call it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from functools import partial
from pathlib import Path

import fmpy
import numpy as np

import contactlib
from contactlib._core import engine
from contactlib.fmu.export import export_fmu
from tests.support.meshes import icosphere

FILE = Path(__file__).with_name("golden.json")
STEPS, PLACEMENTS = 1000, 100_000
MESH_PLACEMENTS = 2000  # of solids in a mesh, which take milliseconds
SCENES = sorted(p.parent.name for p in (Path(contactlib.__file__).parent / "scenes").glob("*/scene.toml"))
# m and rad: how far external bodies are moved about their start, so that they touch something
REACH = {"lee_snare": (0.01, 0.1), "lee_snare_pdgf": (0.01, 0.1), "cbm": (0.15, 0.02)}
LOAD = {"exposed_pallet": 300.0, "worksite": 1000.0}  # N, N m: on bodies that the scene moves itself
STEP = {"docking_ring": 3e-3}  # s; 1 ms otherwise
BALL = icosphere(2, 0.06)
CORNERS = [[x, y, z] for x in (-0.05, 0.05) for y in (-0.04, 0.04) for z in (-0.03, 0.03)]
SHAPES = {
    "point": contactlib.Point(),
    "sphere": contactlib.Sphere(radius=0.05),
    "capsule": contactlib.Capsule(radius=0.02, length=0.1),
    "cylinder": contactlib.Cylinder(radius=0.04, length=0.1),
    "box": contactlib.Box(size=(0.1, 0.08, 0.06)),
    "ellipsoid": contactlib.Ellipsoid(semi_axes=(0.06, 0.05, 0.03)),
    "triangle": contactlib.Triangle(corners=((0, 0, 0), (0.1, 0, 0), (0.02, 0.08, 0))),
    "polyhedron": contactlib.Polyhedron.hull_of([*CORNERS, [0.08, 0, 0], [0, 0.07, 0.01]]),
    "mesh": contactlib.Mesh(BALL.vertices, BALL.triangles),
    "socket": contactlib.Socket(size=(0.12, 0.12, 0.16), radius=0.03, length=0.1),
    "segment": contactlib.Segment(length=0.1),
    "plane": contactlib.Plane(),
}


def digest(*arrays):
    found = hashlib.sha256()
    for array in arrays:
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:32]


def poses(rng, n, reach):
    quaternions = rng.normal(size=(n, 4))
    quaternions /= np.linalg.norm(quaternions, axis=1, keepdims=True)
    return np.hstack([rng.uniform(-reach, reach, (n, 3)), quaternions])


def pair_hashes():
    """Placements within 12 cm of each other; about half of them touch."""
    for number, (a, shape_a) in enumerate(SHAPES.items()):
        for b, shape_b in SHAPES.items():
            rng = np.random.default_rng([number, len(b), ord(b[0])])
            count = MESH_PLACEMENTS if "mesh" in (a, b) else PLACEMENTS
            X_WA, X_WB = poses(rng, count, 0.03), poses(rng, count, 0.06)
            try:
                m = contactlib.manifolds(shape_a, shape_b, X_WA, X_WB, num_threads=-1)
            except ValueError:  # the pair stands the other way round in the table, or nowhere
                continue
            touching = float((m.count > 0).mean())
            yield f"{a}-{b}", digest(m.count, m.point, m.normal, m.depth, m.feature, m.load_share), touching


def motion(name, start, steps, h):
    """States (steps, bodies, 13) that swing smoothly about the start, with their true velocities."""
    rng = np.random.default_rng(3)
    n = len(start)
    reach, turn = REACH.get(name, (0.004, 0.02))
    size = np.array([reach] * 3 + [turn] * 3) * rng.uniform(0.3, 1.0, (n, 6))
    rate, phase = 2 * np.pi * rng.uniform(0.5, 2.0, (n, 6)) / (steps * h), rng.uniform(0, 2 * np.pi, (n, 6))
    t = h * np.arange(steps)[:, None, None]
    sin, cos = (partial(engine.elementary, name) for name in ("sin", "cos"))
    x, v = size * (sin(rate * t + phase) - sin(phase)), size * rate * cos(rate * t + phase)
    states = np.repeat(start[None], steps, axis=0)
    states[..., 0:3] += x[..., :3]
    states[..., 7:10] += v[..., :3]
    half = x[..., 3:] / 2
    turned = np.concatenate([np.ones((steps, n, 1)), half], axis=2)
    turned /= np.linalg.norm(turned, axis=2, keepdims=True)
    w, u = start[:, 3], start[:, 4:7]
    states[..., 3] = turned[..., 0] * w - (turned[..., 1:] * u).sum(-1)
    states[..., 4:7] = turned[..., :1] * u + w[:, None] * turned[..., 1:] + np.cross(turned[..., 1:], u)
    states[..., 10:13] += v[..., 3:]
    return states


def commands(simulation):
    """Inputs besides the states of bodies, with one fixed value each."""
    rng = np.random.default_rng(11)
    bodies = {f"{name}." for name in simulation.model.body_names}
    return {row: float(rng.uniform(0, 0.5)) for row, variable in enumerate(simulation.model.variables)
            if variable.causality == "input" and variable.type == "real"
            and not any(variable.name.startswith(body) for body in bodies)}


def scene_hash(name, folder):
    model = contactlib.load(name).compile()
    simulation = contactlib.Simulation(model)
    external = [i for i, kind in enumerate(model.motions) if kind == "external"]
    h = STEP.get(name, 1e-3)
    states = motion(name, simulation.states[external].copy(), STEPS, h)
    given = commands(simulation)
    inputs = [row for row, v in enumerate(model.variables) if v.causality == "input" and v.type == "real"]
    columns = [row for row in inputs if row not in given]
    outputs = [row for row, v in enumerate(model.variables) if v.causality == "output" and v.type == "real"]
    counts = [row for row, v in enumerate(model.variables) if v.causality == "output" and v.type == "integer"]
    rows = LOAD.get(name, 0.0) * np.random.default_rng(5).uniform(-0.2, 1.0, (STEPS, len(columns)))
    body_columns = [k for k, row in enumerate(columns) if model.variables[row].name.split(".")[0]
                    in {model.body_names[i] for i in external}]
    rows[:, body_columns] = states.reshape(STEPS, -1)
    in_python = run_python(simulation, columns, rows, given, h, outputs + counts)
    touching = float((in_python[:, -len(counts) + 0] > 0).mean()) if counts else 0.0
    in_fmu = run_fmu(name, model, columns, rows, given, h, outputs, counts, folder)
    return (digest(in_python, simulation.states, simulation.wrenches), digest(in_fmu), touching,
            bool((in_python == in_fmu).all()))


def run_python(simulation, columns, rows, given, h, outputs):
    data, found = simulation.data, []
    for row, value in given.items():
        data.set(row, value)
    for k, values in enumerate(rows):
        for row, value in zip(columns, values, strict=True):
            data.set(row, value)
        data.accept_inputs()
        if k == 0:
            data.evaluate()
        data.advance(h)
        found.append([data.get(row) for row in outputs])
    return np.array(found)


def run_fmu(name, model, columns, rows, given, h, outputs, counts, folder):
    file = export_fmu(model, folder / f"{name}.fmu")
    unpacked = fmpy.extract(str(file), unzipdir=str(folder / name))
    described = fmpy.read_model_description(unpacked, validate=False)
    slave = fmpy.fmi2.FMU2Slave(guid=described.guid, unzipDirectory=unpacked, instanceName="golden",
                                modelIdentifier=described.coSimulation.modelIdentifier)
    slave.instantiate()
    slave.setupExperiment(startTime=0.0)
    slave.enterInitializationMode()
    found = []
    for k, values in enumerate(rows):
        if k == 0 and given:
            slave.setReal(list(given), list(given.values()))
        if columns:
            slave.setReal(columns, list(values))
        if k == 0:
            slave.exitInitializationMode()
        slave.doStep(k * h, h)
        found.append([*slave.getReal(outputs), *(slave.getInteger(counts) if counts else [])])
    slave.terminate()
    slave.freeInstance()
    return np.array(found)


def measure():
    found = {"pairs": {}, "scenes": {}}
    for pair, value, touching in pair_hashes():
        print(f"{pair:24} {value}  {touching:6.1%} touch", flush=True)
        found["pairs"][pair] = value
    with tempfile.TemporaryDirectory() as folder:
        for name in SCENES:
            python, fmu, touching, same = scene_hash(name, Path(folder))
            print(f"{name:24} {python} {fmu}  {touching:6.1%} of the steps touch, FMU as Python: {same}", flush=True)
            found["scenes"][name] = {"python": python, "fmu": fmu}
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="write golden.json instead of comparing with it")
    record = parser.parse_args().record
    found = measure()
    if record:
        FILE.write_text(json.dumps(found, indent=1) + "\n")
        return 0
    known = json.loads(FILE.read_text())
    wrong = [f"{group} {name}" for group, hashes in known.items() for name in hashes
             if found[group].get(name) != hashes[name]]
    print("\n".join(f"differs: {name}" for name in wrong) or "all hashes are as recorded")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
