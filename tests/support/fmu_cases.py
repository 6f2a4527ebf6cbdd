"""What the FMU tests share: a scene in rough contact, inputs for it, and the three ways of running it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import FMU2Slave, fmi2CallbackFunctions, fmi2CallbackLoggerTYPE
from numpy.typing import NDArray

from contactlib.model.model import Model
from contactlib.model.spec import Spec
from contactlib.simulation.simulation import Simulation

Floats = NDArray[np.float64]
WARNING, DISCARD, ERROR = 1, 2, 3
H = 5e-3  # s, five steps of the core


def peg_scene(**changes: Any) -> Spec:
    """Four pins above four holes, with some fields of the Spec changed."""
    return replace(Spec.from_toml(Path(__file__).with_name("fmu_pegs.toml")), **changes)


def peg_model(**changes: Any) -> Model:
    return peg_scene(**changes).compile()


def of(model: Model, causality: str, type_: str = "real") -> list[int]:
    """Value references of the model's variables of a kind, without the input `next_step`."""
    return [i for i, v in enumerate(model.variables)
            if v.causality == causality and v.type == type_ and v.name != "next_step"]


def named(model: Model, *names: str) -> list[int]:
    """Value references of variables by name; ``peg.r`` stands for all its components."""
    table = [v.name for v in model.variables]
    return [
        i
        for name in names
        for i, known in enumerate(table)
        if known.partition("[")[0] == name or known == name
    ]


def rattling(model: Model, steps: int, h: float, seed: int = 1) -> Floats:
    """Inputs (steps, 26) that rattle the four pins in their holes: they touch, stick, slip and part again.

    The pins have 0.2 mm of play; both bodies move at 20 m/s, far from the origin.
    """
    random = np.random.default_rng(seed)
    frequency, phase = random.uniform(2, 9, (2, 6)), random.uniform(0, 2 * np.pi, (2, 6))
    size = np.array([4e-4, 4e-4, 4e-3, 1e-3, 1e-3, 2e-3]) * random.uniform(0.5, 1, (2, 6))
    size[1] *= 0.1
    t = h * np.arange(steps)[:, None, None]
    angle = 2 * np.pi * frequency * t + phase
    x, rate = size * np.sin(angle), 2 * np.pi * frequency * size * np.cos(angle)
    states = np.zeros((steps, 2, 13))
    states[..., 0:3] = x[..., :3] + [800.0, -300.0, 20.0] + np.array([20.0, 3.0, -1.0]) * t
    states[:, 0, 2] += 0.03
    states[..., 3] = 1.0
    states[..., 4:7] = x[..., 3:] / 2
    states[..., 7:10] = rate[..., :3] + [20.0, 3.0, -1.0]
    states[..., 10:13] = rate[..., 3:]
    assert len(of(model, "input")) == 26
    return states.reshape(steps, 26)


def run_python(model: Model, rows: Floats, h: float, rates: dict[int, float] | None = None) -> Floats:
    """All real outputs at the start and after each step, through the Python module."""
    data = Simulation(model).data
    inputs, outputs = of(model, "input"), of(model, "output")
    results = []
    for k, row in enumerate(rows):
        for reference, value in zip(inputs, row, strict=True):
            data.set(reference, value)
        for reference, value in (rates or {}).items():
            data.set_rate(reference, value)
        data.accept_inputs()
        if k == 0:
            data.evaluate()
            results.append([data.get(i) for i in outputs])
        data.advance(h)
        results.append([data.get(i) for i in outputs])
    return np.array(results)


@dataclass(frozen=True)
class Message:
    status: int
    category: str
    text: str


class FMU2Instance(FMU2Slave):  # type: ignore[misc]  # FMPy has no types
    """An FMU in FMPy, unpacked into a folder, its messages kept; FMPy goes by how the class name begins."""

    def __init__(self, fmu: Path, folder: Path, model: Model, name: str = "slave") -> None:
        if not (folder / "modelDescription.xml").exists():
            fmpy.extract(str(fmu), unzipdir=str(folder))
        self.model, self.messages = model, list[Message]()
        described = fmpy.read_model_description(str(folder))
        super().__init__(
            guid=described.guid,
            unzipDirectory=str(folder),
            modelIdentifier=described.coSimulation.modelIdentifier,
            instanceName=name,
        )

    def start(self, *, initialize: bool = True, logging: bool = False) -> FMU2Instance:
        """Instantiate and, if wished, go into initialization mode."""
        callbacks = fmi2CallbackFunctions()
        callbacks.logger = fmi2CallbackLoggerTYPE(self._keep)
        self.instantiate(callbacks=callbacks, loggingOn=logging)
        if initialize:
            self.setupExperiment()
            self.enterInitializationMode()
        return self

    def _keep(self, _env: object, _name: bytes, status: int, category: bytes, message: bytes) -> None:
        self.messages.append(Message(status, category.decode(), message.decode()))

    def last(self) -> str:
        """The text of the last message."""
        return self.messages[-1].text

    def everything(self) -> bytes:
        """The whole state as bytes."""
        state = self.getFMUstate()
        try:
            return bytes(self.serializeFMUstate(state))
        finally:
            self.freeFMUstate(state)

    def take(self, content: bytes) -> None:
        """Go to a state given as bytes."""
        state = self.deSerializeFMUstate(content)
        self.setFMUstate(state)
        self.freeFMUstate(state)

    def __enter__(self) -> FMU2Instance:
        return self

    def __exit__(self, *_: object) -> None:
        if getattr(self, "component", None):
            self.freeInstance()


Slave = FMU2Instance


def run_fmu(slave: Slave, rows: Floats, h: float, start: int = 0) -> Floats:
    """The same through an FMU that is initialized with the first row, or, from `start` on, goes on."""
    model, results = slave.model, []
    inputs, outputs = of(model, "input"), of(model, "output")
    for k, row in enumerate(rows, start):
        slave.setReal(inputs, row)
        if k == 0:
            slave.exitInitializationMode()
            results.append(slave.getReal(outputs))
        slave.doStep(k * h, h)
        results.append(slave.getReal(outputs))
    return np.array(results)


def refused(status: int, call: object, *arguments: object) -> None:
    """The call returns this status."""
    with pytest.raises(FMICallException) as caught:
        call(*arguments)  # type: ignore[operator]
    assert caught.value.status == status
