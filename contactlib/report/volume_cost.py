"""The cost of each kind of bounding volume along a motion: tests, candidates, time (`contactlib show --cost`)."""

from __future__ import annotations

import csv
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from contactlib.common.options import VOLUMES
from contactlib.model.parts import Body, Group
from contactlib.model.spec import Spec
from contactlib.simulation.simulation import Simulation

Floats = NDArray[np.float64]
PARTS = [f"{part}[{i}]" for part, count in (("r", 3), ("q", 4), ("v", 3), ("w", 3)) for i in range(1, count + 1)]


@dataclass(frozen=True)
class Cost:
    """The cost of one kind of bounding volume.

    tests : tests of bounding volumes per evaluation, mean over the states.
    candidates : candidates for the narrow phase per evaluation, mean over the states.
    seconds : time of one evaluation with contacts and forces, s, median over the states.
    """

    volume: str
    tests: float
    candidates: float
    seconds: float


def compare(spec: Spec, states: ArrayLike) -> list[Cost]:
    """Measure a scene as it is written, and with one kind of bounding volume for all groups, in the same states.

    `states` (N, bodies, 13) are those of a recorded motion. Raises ValueError if the scene does not compile or a state
    is not allowed.

    >>> import contactlib
    >>> spec = contactlib.load("peg_in_hole")
    >>> [cost.volume for cost in compare(spec, contactlib.Simulation(spec.compile()).states[None])]
    ['as written', 'auto', 'sphere', 'aabb', 'obb']
    """
    rows = np.asarray(states, dtype=np.float64)
    variants = {"as written": spec, **{kind: _with_volume(spec, kind) for kind in VOLUMES}}
    return [_cost(name, variant, rows) for name, variant in variants.items()]


def _with_volume(spec: Spec, volume: str) -> Spec:
    def changed(node: Group) -> Group:
        return replace(node, volume="auto", groups=tuple(changed(group) for group in node.groups))

    bodies: Iterable[Body] = (replace(b, groups=tuple(changed(group) for group in b.groups)) for b in spec.bodies)
    return replace(spec, volume=volume, bodies=tuple(bodies))


def _cost(name: str, spec: Spec, states: Floats) -> Cost:
    data = Simulation(spec.compile()).data
    data.cache_candidates(False)  # every state counts alone, however far it is from the last one
    work = np.empty((len(states), 2))
    seconds = np.empty(len(states))
    for i, state in enumerate(states):
        data.set_states(state)
        start = time.perf_counter()
        data.evaluate()
        seconds[i] = time.perf_counter() - start
        work[i] = data.work()
    tests, candidates = work.mean(axis=0)
    return Cost(name, float(tests), float(candidates), float(np.median(seconds)))


def table(costs: Iterable[Cost]) -> str:
    """Write the costs as a table with one line per kind; numbers are per evaluation."""
    lines = ["volumes               tests   candidates          time"]
    lines += [f"{c.volume:<14} {c.tests:>12.1f} {c.candidates:>12.1f} {c.seconds * 1e6:>10.1f} µs" for c in costs]
    return "\n".join(lines)


def read_states(path: str | Path, names: Iterable[str]) -> Floats:
    """Read states (N, bodies, 13) from the trajectory.csv of a run. ValueError if a body of the scene is missing."""
    with Path(path).open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    columns = [f"{name}.{part}" for name in names for part in PARTS]
    missing = [column for column in columns if not rows or column not in rows[0]]
    if missing:
        raise ValueError(f"{path}: has no rows or no column '{missing[0]}': must be a trajectory.csv of this scene")
    try:
        values = np.array([[float(row[column]) for column in columns] for row in rows])
    except (TypeError, ValueError):
        raise ValueError(f"{path}: a value is not a number: must be the trajectory.csv of a run") from None
    return values.reshape(len(rows), -1, len(PARTS))
