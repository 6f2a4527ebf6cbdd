"""Runs of the shipped scenes for step_times.py: the inputs of every step of an FMU.

Two scenes do their task: a snare grapples and latches a payload, berthing rings berth and are shaken. In the others
bodies and loads swing as for `contactlib hash` (contactlib/scenes/excitation.toml), with other waves in each run.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import contactlib
from benchmarks import cbm, lee
from benchmarks.common import Floats
from contactlib.fmu.excitation import excitation

Integers = NDArray[np.int32]


@dataclass(frozen=True)
class Run:
    """Inputs of a run in steps of `step_size`: real ones (steps, reals), integer ones (steps, integers)."""

    model: contactlib.Model
    reals: Floats
    integers: Integers

    def references(self, causality: str, kind: str) -> list[int]:
        return [i for i, v in enumerate(self.model.variables)
                if v.causality == causality and (v.type == "real") == (kind == "real")]

    def to_bytes(self) -> bytes:
        """What step_times.c reads."""
        lists = [self.references(causality, kind) for causality in ("input", "output") for kind in ("real", "integer")]
        head = struct.pack("<40s5I4xd", self.model.guid.encode(), len(self.reals), *map(len, lists),
                           self.model.step_size)
        rows = self.reals.astype("<f8").tobytes() + self.integers.astype("<i4").tobytes()
        return head + b"".join(np.array(part, "<u4").tobytes() for part in lists) + rows


def swung(scene: str, seed: int, steps: int | None = None) -> Run:
    """All inputs of a scene swing over its duration; other seeds, other waves."""
    model = contactlib.load(scene).compile()
    signals = excitation(model, scene, steps or round(model.duration / model.step_size), seed=seed)
    return Run(model, signals.rows, np.tile(np.array(signals.constants, np.int32), (len(signals.rows), 1)))


class Recorder:
    """Steps a Simulation and keeps its inputs."""

    def __init__(self, spec: contactlib.Spec) -> None:
        self.simulation = contactlib.Simulation(spec.compile())
        model = self.simulation.model
        inputs = [v for v in model.variables if v.causality == "input"]
        self.names = [[v.name for v in inputs if (v.type == "real") == real] for real in (True, False)]
        self.rows: list[list[float]] = []

    def step(self, count: int) -> None:
        row = [self.simulation.get(name) for names in self.names for name in names]
        self.rows += [row] * count
        for _ in range(count):
            self.simulation.data.advance(self.simulation.model.step_size)

    def run(self) -> Run:
        rows, reals = np.array(self.rows), len(self.names[0])
        return Run(self.simulation.model, rows[:, :reals], rows[:, reals:].astype(np.int32))


def grapple(command_steps: tuple[tuple[int, int], ...] = tuple((c, round(t / lee.H)) for c, t in lee.PARTS)) -> Run:
    """The snare closes on the pin of a free payload of 20 t, and draws it in: the run of lee.py."""
    recorder = Recorder(contactlib.load(lee.SCENE).with_motion("fixed", "lee").with_motion("free", "grapple"))
    for command, steps in command_steps:
        recorder.simulation.elements["snare"].set(command=command)
        recorder.step(steps)
    if not recorder.simulation.elements["snare"].captured:
        raise RuntimeError("the snare has not caught the pin: these are not the steps meant")
    return recorder.run()


def berthing(shaken: int = 20_000) -> Run:
    """The module of 13 t is brought, drawn home by its latches, comes to rest, and is shaken: the run of cbm.py."""
    recorder = Recorder(cbm.spec().with_motion("fixed", "active").with_motion("free", "passive"))
    simulation, (push, damping) = recorder.simulation, cbm.ARM
    control, rest = simulation.elements["berthing"], cbm.SETTLING
    passive = simulation.model.body_names.index("passive")
    while rest > 0.0:
        velocity = simulation.states[passive, 7:10]
        simulation.apply("passive", tuple(-damping * velocity + [0.0, 0.0, 0.0 if control.captured else push]))
        recorder.step(10)
        rest -= 10.0 * cbm.H if control.berthed else 0.0
        if simulation.time > cbm.MOST:
            raise RuntimeError("the module is not berthed: these are not the steps meant")
    random = np.random.default_rng(1)
    for _ in range(shaken // cbm.BLOCK):
        simulation.apply("passive", *(tuple(random.uniform(-cbm.SHAKE, cbm.SHAKE, 3)) for _ in range(2)))
        recorder.step(cbm.BLOCK)
    return recorder.run()
