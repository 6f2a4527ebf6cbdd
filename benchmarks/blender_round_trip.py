"""Scenes through Blender and back: wrenches of the extracted scene against those of the shipped one.

Run it with ``python -m benchmarks.blender_round_trip``. It needs a Python with bpy, or Blender (docs/blender.md).
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import contactlib
from contactlib.blender import host
from contactlib.model.spec import Spec

Floats = NDArray[np.float64]
SCENES = ("lee_snare", "cbm", "peg_in_hole", "trampoline")
STATES = 1000
LARGE_MESH = Path(__file__).parents[1] / "tests" / "blender" / "inside" / "blender_large_mesh.py"
#: how far bodies are moved from their initial states: m, rad, m/s, rad/s
SPREAD = (0.02, 0.05, 0.1, 0.1)


def random_states(spec: Spec, number: int = STATES, seed: int = 1) -> Floats:
    """Return states (number, bodies, 13) near the initial one, and nearer: half of the way to the first body."""
    rng = np.random.default_rng(seed)
    start = np.array([body.state for body in spec.rigid_bodies], dtype=np.float64)
    states = np.repeat(start[None], number, axis=0)
    shape = states.shape[:2]
    nearer = rng.uniform(0.0, 1.0, (number, 1, 1)) * (start[:1, :3] - start[:, :3])[None]
    states[..., :3] += 0.5 * nearer + rng.normal(0.0, SPREAD[0], (*shape, 3))
    states[..., 3:7] += rng.normal(0.0, 0.5 * SPREAD[1], (*shape, 4))
    states[..., 3:7] /= np.linalg.norm(states[..., 3:7], axis=-1, keepdims=True)
    states[..., 7:10] += rng.normal(0.0, SPREAD[2], (*shape, 3))
    states[..., 10:] += rng.normal(0.0, SPREAD[3], (*shape, 3))
    return states


def through_blender(program: host.Program, name: str, folder: Path) -> Spec:
    """Return the scene that is made of a shipped scene's .blend file."""
    source = contactlib.load(name).source
    assert source is not None
    blend = folder / f"{name}.blend"
    host.make(program, source, blend)
    host.extract(program, blend, folder / name)
    return contactlib.load(folder / name)


def compare(shipped: Spec, extracted: Spec) -> dict[str, float]:
    """Return the largest difference of a wrench relative to the largest wrench, and how many states have a wrench."""
    states = random_states(shipped)
    one = contactlib.Simulation(shipped.compile()).compute_batch(states).wrenches
    two = contactlib.Simulation(extracted.compile()).compute_batch(states).wrenches
    largest = float(np.abs(one).max())
    return {"difference": float(np.abs(one - two).max()) / largest, "largest": largest,
            "loaded": int((np.abs(one).max(axis=(1, 2)) > 0.0).sum())}


def large_mesh(program: host.Program, folder: Path) -> dict[str, float]:
    """Return the number of triangles of a large mesh, and the seconds of its extraction without Blender's start."""
    (triangles,) = host.run_script(program, LARGE_MESH, str(folder / "rock.blend"))
    lines = host.extract(program, folder / "rock.blend", folder / "rock")
    (seconds,) = (float(match[1]) for line in lines if (match := re.match(r"extracted in (.*) s", line)))
    return {"triangles": float(triangles), "seconds": seconds}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", help="Python with bpy, or Blender")
    parser.add_argument("--json", type=Path, help="file for the figures")
    arguments = parser.parse_args()
    program = host.find_program(arguments.python)
    figures: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in SCENES:
            start = time.perf_counter()
            extracted = through_blender(program, name, Path(folder))
            took = time.perf_counter() - start
            figures[name] = compare(contactlib.load(name), extracted)
            print(f"{name}: difference {figures[name]['difference']:.1e} of {figures[name]['largest']:.3g}, "
                  f"{figures[name]['loaded']} of {STATES} states with a wrench, {took:.1f} s in Blender")
        figures["large_mesh"] = large_mesh(program, Path(folder))
    print("a mesh of {triangles:.0f} triangles: extracted in {seconds:.2g} s".format(**figures["large_mesh"]))
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
