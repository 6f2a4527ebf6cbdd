"""What a contact model in Python costs in a step of 100 contacts, against the compiled laws in the same run."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import contactlib

ROOT = Path(__file__).parents[1]
NORMAL = {"stiffness": 2e4, "damping": 60.0}
FRICTION = {"mu_static": 0.5, "mu_kinetic": 0.3, "tangential_stiffness": 3e4, "tangential_damping": 40.0}
LAWS = {
    "compiled": {"normal": {"kind": "kelvin_voigt", **NORMAL}, "friction": {"kind": "bristle", **FRICTION}},
    "python": {"model": {"kind": "feet:Pad", **NORMAL, **FRICTION}},
}


def simulation(law: dict[str, dict[str, object]], count: int = 100) -> contactlib.Simulation:
    """A plate on `count` points that slides over a floor."""
    tips = [{"name": f"p{i}", "kind": "point", "material": "a", "r": [0.1 * (i % 10), 0.1 * (i // 10), 0.0]}
            for i in range(count)]
    plate = {"name": "plate", "motion": "free", "mass": 10.0, "inertia": [1.0, 1.0, 2.0], "com": [0.45, 0.45, 0.0],
             "shape": tips, "state": {"r": [0, 0, -1e-4], "v": [0.01, 0.02, 0.0]}}
    floor = {"name": "floor", "motion": "fixed", "shape": [{"name": "s", "kind": "plane", "material": "b"}]}
    return contactlib.Simulation(contactlib.Spec.from_dict({
        "scene": {"name": "plate", "step_size": 1e-4, "gravity": [0, 0, -9.81]}, "body": [plate, floor],
        "law": [{"name": "grip", "materials": ["a", "b"], **law}], "pair": [{"bodies": ["plate", "floor"]}],
    }, folder=ROOT / "tests" / "support" / "feet", trust=True).compile())


def cost(steps: int = 400, rounds: int = 7) -> dict[str, float]:
    """CPU time of a step, us: the least of some rounds, taken in turns."""
    runs = {name: simulation(law) for name, law in LAWS.items()}
    best = dict.fromkeys(LAWS, float("inf"))
    for _ in range(rounds):
        for name, run in runs.items():
            begin = time.process_time()
            for _ in range(steps):
                run.data.advance(1e-4)
            best[name] = min(best[name], (time.process_time() - begin) / steps * 1e6)
    assert all(run.data.contact_count == 100 for run in runs.values())
    return {**{f"{name}_step_us": value for name, value in best.items()},
            "python_model_us": best["python"] - best["compiled"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="where to write the figures")
    arguments = parser.parse_args()
    figures = cost()
    for name, value in figures.items():
        print(f"{name:20} {value:8.1f}")
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
