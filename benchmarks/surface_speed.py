"""Parts of surface.py that take times: box over hills, conforming plates, two boxes, a pile of boxes."""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

import contactlib
from benchmarks import drake_peer, peers, surface_scenes
from benchmarks.common import Floats, measure
from benchmarks.surface_scenes import STILL
from tests.support.scenes import body, scene
from tests.surfaces.faces import G, law_of, skin

AVAILABLE = importlib.util.find_spec("mujoco") is not None

# ---- hills ---------------------------------------------------------------------------------------


def hills_time(repetitions: int = 5) -> float:
    """s of one manifold of a box that lies on hills, from Python in a batch of 200."""
    box, ground, X = contactlib.Box((0.3, 0.25, 0.2)), surface_scenes.hills(), surface_scenes.on_hills(0.2)
    (found,) = measure(lambda: contactlib.manifolds(box, ground, X, STILL, max_contacts=64), repetitions=repetitions)
    return found.median / len(X)


def hills_time_before(folder: Path) -> float:
    """The same of the version in a folder with its build, in a process of its own."""
    older, here = str(folder.resolve()), str(Path(__file__).resolve().parents[1])
    found = subprocess.run([sys.executable, "-c", OLDER, here, older], cwd=older, text=True, check=False,
                           env={**os.environ, "PYTHONPATH": older}, capture_output=True)
    if found.returncode != 0:
        raise RuntimeError(f"the version in {folder} does not run:\n{found.stderr}")
    return float(json.loads(found.stdout.splitlines()[-1]))


#: the poses are handed over as numbers: only the library is the older one's
OLDER = """
import json, sys, time
import numpy as np
import contactlib
assert contactlib.__file__.startswith(sys.argv[2]), contactlib.__file__
import importlib.util
spec = importlib.util.spec_from_file_location("surface_scenes", sys.argv[1] + "/benchmarks/surface_scenes.py")
scenes = importlib.util.module_from_spec(spec)
spec.loader.exec_module(scenes)
box, ground, X = contactlib.Box((0.3, 0.25, 0.2)), scenes.hills(), scenes.on_hills(0.2)
times = []
for _ in range(6):
    begun = time.thread_time()
    contactlib.manifolds(box, ground, X, scenes.STILL, max_contacts=64)
    times.append(time.thread_time() - begun)
print(json.dumps(float(np.median(times[1:])) / len(X)))
"""

# ---- conforming plates -----------------------------------------------------------------------------

SEAT = np.array([1.3e-3, 0.7e-3, -1e-4])  # m, of the upper plate on the lower one


def plates_time(n: int, peer: bool = False, repetitions: int = 5) -> tuple[float, float, int]:
    """s of one contact of plates of 4 n^2 + 8 n triangles each, Drake's time (NaN without it), and its polygons."""
    upper, lower = surface_scenes.plate(n, False), surface_scenes.plate(n, True)
    law = law_of(1e5, 10.0)
    bodies = [body(name, motion, [skin({"kind": "mesh", "vertices": mesh.vertices.tolist(),
                                        "triangles": mesh.triangles.tolist()})])
              for name, motion, mesh in (("upper", "external", upper), ("lower", "fixed", lower))]
    simulation = contactlib.Simulation(scene(bodies, [law], [["upper", "lower"]]).compile())
    moves = iter(range(1000))

    def ours() -> object:  # a little elsewhere each time, so that nothing of the last one is kept
        return simulation.compute({"upper": {"r": (SEAT[0] + 1e-6 * next(moves), *SEAT[1:])}})

    theirs = drake_peer.Plates(upper, lower, SEAT) if peer and drake_peer.AVAILABLE else None
    found = measure(ours, *([theirs] if theirs else []), repetitions=repetitions)
    return found[0].median, found[1].median if theirs else np.nan, theirs() if theirs else 0


# ---- two boxes -------------------------------------------------------------------------------------


def boxes_times(n: int = 20_000, repetitions: int = 9) -> dict[str, float]:
    """s a pose of two boxes that touch at random, up to 3 mm deep: our contacts, and MuJoCo's."""
    box = contactlib.Box((0.1, 0.08, 0.06))
    X = surface_scenes.approached(box, box, n, 0.0, 3e-3)
    memory = contactlib.manifolds(box, box, X, STILL)
    calls = {"ours": lambda: contactlib.manifolds(box, box, X, STILL, out=memory)}
    if AVAILABLE:
        query = peers.MuJoCo(box, box, peers.Poses(X, np.tile(STILL, (n, 1))))
        calls |= {"mujoco": query.run, "call": query.call}
    found = dict(zip(calls, measure(*calls.values(), repetitions=repetitions), strict=True))
    times = {name: time.median / n for name, time in found.items()}
    if AVAILABLE:
        times["mujoco"] -= times.pop("call")
    return times


# ---- a pile ----------------------------------------------------------------------------------------

SIDE, LAYERS, SIZE = 10, 3, 0.1  # boxes a side, layers, m


def pile() -> Floats:
    """Places of 300 boxes in three layers; most of the upper ones lie on four of the layer below."""
    grid = np.stack(np.meshgrid(*[np.arange(SIDE)] * 2, indexing="ij"), -1).reshape(-1, 2) * 1.1 * SIZE
    rows = [np.c_[grid + 0.3 * SIZE * (layer % 2), np.full(len(grid), (layer + 0.5) * SIZE)] for layer in range(LAYERS)]
    return np.concatenate(rows)


def pile_step(places: Floats, step: float = 2e-4, settle: float = 1.0, steps: int = 200) -> tuple[float, int, float]:
    """s of one of our steps of the pile at rest, its contacts, and its largest speed."""
    shape = skin({"kind": "box", "size": [SIZE] * 3}, density=1000.0)
    bodies = [body(f"box{k}", "free", [shape], state={"r": r}) for k, r in enumerate(places.tolist())]
    bodies.append(body("floor", "fixed", [skin({"kind": "plane"})]))
    law = law_of(4e5, 2 * 0.3 * np.sqrt(4e5), 0.5)
    tables = scene(bodies, [law], [["box*", "box*"], ["box*", "floor"]], gravity=[0.0, 0.0, -G], step_size=step)
    data = contactlib.Simulation(tables.compile()).data
    data.advance(settle)
    (found,) = measure(lambda: data.advance(step), repetitions=steps)
    return found.median, data.contact_count, float(np.abs(np.array(data.states())[:, 7:]).max())


def mujoco_pile_step(places: Floats, settle: float = 1.0, steps: int = 100) -> tuple[float, int]:
    """s of one mj_step of its pile at rest, called from C through ctypes, and its contacts; MuJoCo's own settings."""
    import mujoco

    boxes = "".join(f'<body pos="{x} {y} {z}"><freejoint/><geom type="box" size="{SIZE / 2} {SIZE / 2} {SIZE / 2}"'
                    f' density="1000" friction="0.5 0.005 0.0001"/></body>' for x, y, z in places.tolist())
    text = f'<mujoco><worldbody><geom type="plane" size="0 0 1"/>{boxes}</worldbody></mujoco>'
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    for _ in range(round(settle / model.opt.timestep)):
        mujoco.mj_step(model, data)
    step = ctypes.CDLL(str(next(Path(mujoco.__file__).parent.glob("libmujoco.*")))).mj_step
    arguments = ctypes.c_void_p(model._address), ctypes.c_void_p(data._address)
    (found,) = measure(lambda: step(*arguments), repetitions=steps)
    return found.median, data.ncon
