"""Result files: their size and their speed, for 20 bodies and 100,000 frames of which each has contacts.

Run it with ``python -m benchmarks.results --json OUT.json``. The states are those of 20 balls that roll in a box; the
times are those of `ResultWriter` alone, without the steps of the simulation. `--frames N` makes a shorter run.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np

import contactlib
from contactlib import ResultWriter, Simulation, Spec, read_result

BODIES, FRAMES, STEP = 20, 100_000, 1e-3


def scene() -> Spec:
    """20 balls that fall into a trough of three planes and roll there."""
    def ball(k: int) -> dict[str, object]:
        shape = {"name": "skin", "kind": "sphere", "radius": 0.1, "material": "a"}
        start = {"r": [0.3 * (k % 5) - 0.6, 0.3 * (k // 5) - 0.45, 0.3 + 0.02 * k], "v": [0.1, 0.05 * k - 0.5, 0.0]}
        return {"name": f"ball_{k}", "motion": "free", "mass": 1.0, "inertia": [0.004] * 3, "state": start,
                "shape": [shape]}

    def plane(name: str, turn: list[float]) -> dict[str, object]:
        return {"name": name, "kind": "plane", "material": "b", "q": turn}

    half = float(np.sqrt(0.5))
    tilt = [plane("floor", [1.0, 0.0, 0.0, 0.0]), plane("left", [half, half, 0.0, 0.0]),
            plane("right", [half, -half, 0.0, 0.0])]
    trough = {"name": "trough", "motion": "fixed", "shape": [
        {**tilt[0]}, {**tilt[1], "r": [0.0, 1.0, 0.0]}, {**tilt[2], "r": [0.0, -1.0, 0.0]}]}
    touch = {"name": "touch", "materials": ["a", "b"], "normal": {
        "kind": "kelvin_voigt", "stiffness": 2e4, "damping": 5.0}}
    return Spec.from_dict({
        "scene": {"name": "balls", "gravity": [0.0, 0.0, -9.81], "step_size": STEP},
        "body": [*map(ball, range(BODIES)), trough], "law": [touch],
        "pair": [{"bodies": [f"ball_{k}", "trough"]} for k in range(BODIES)]})


def measure(frames: int, folder: Path) -> dict[str, float]:
    """Write and read one run; return sizes in MB and times in s."""
    spec = scene()
    simulation = Simulation(spec.compile())
    path, spent = folder / "balls.clr", 0.0
    writer = ResultWriter(path, simulation.model, scene=spec)
    for _ in range(frames):
        start = time.perf_counter()
        writer.record(simulation)
        spent += time.perf_counter() - start
        simulation.step(STEP)
    start = time.perf_counter()
    writer.close()
    closing, start = time.perf_counter() - start, time.perf_counter()
    result = read_result(path)
    opening, start = time.perf_counter() - start, time.perf_counter()
    states = result.states
    reading, start = time.perf_counter() - start, time.perf_counter()
    contacts = result.contacts
    raw = states.nbytes + result.wrenches.nbytes
    return {
        "frames": frames, "contacts": len(contacts["depth"]), "raw_states_and_wrenches_mb": raw / 1e6,
        "file_mb": path.stat().st_size / 1e6, "record_us_per_frame": 1e6 * spent / frames, "close_s": closing,
        "open_and_verify_s": opening, "read_states_s": reading, "read_contacts_s": time.perf_counter() - start,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=FRAMES)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(arguments.frames, Path(folder))
    for name, value in found.items():
        print(f"{name + ' ':.<32} {value:.4g}")
    print(f"contactlib {contactlib.__version__}")
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
