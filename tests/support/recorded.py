"""Recorded runs of scenes: inputs and outputs in validation_data/, and the FMU that has to give them again."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import contactlib
from contactlib.fmu.check.case import check_case, read_case
from contactlib.fmu.export import export_fmu

ROOT = Path(__file__).parents[2] / "validation_data"


def state_names(body: str) -> list[str]:
    """The thirteen inputs of an external body."""
    parts = (("r", 3), ("q", 4), ("v", 3), ("w", 3))
    return [f"{body}.{part}[{k}]" for part, count in parts for k in range(1, count + 1)]


def wrench_names(body: str) -> list[str]:
    return [f"{body}.{part}[{k}]" for part in "ft" for k in (1, 2, 3)]


@dataclass(frozen=True)
class Recorded:
    """A case: a scene, and inputs as a function of time, held over steps of h (s)."""

    case: str
    scene: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    motion: Callable[[float], NDArray[np.float64]]
    h: float
    steps: int
    balance: Sequence[str] = ()  # sums of outputs that are zero by a conservation law

    def record(self) -> None:
        """in.csv from the motion, ref.csv from the Python module; wrenches held from step to step, as FMPy sees."""
        model = contactlib.load(self.scene).compile()
        data = contactlib.Simulation(model).data
        index = {variable.name: i for i, variable in enumerate(model.variables)}
        given, found = [], []
        for k in range(self.steps + 1):
            t = k * self.h
            row = self.motion(t)
            given.append([t, *row])
            for name, value in zip(self.inputs, row, strict=True):
                data.set(index[name], value)
            data.accept_inputs()
            if k == 0:
                data.evaluate()
            found.append([t, *(data.get(index[name]) for name in self.outputs), *(0.0 for _ in self.balance)])
            data.advance(self.h)
        folder = ROOT / self.case
        folder.mkdir(exist_ok=True)
        for name, header, rows in (("in.csv", self.inputs, given), ("ref.csv", [*self.outputs, *self.balance], found)):
            with (folder / name).open("w", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(["time", *header])
                writer.writerows([[repr(float(x)) for x in row] for row in rows])

    def read(self, name: str) -> NDArray[np.void]:
        with (ROOT / self.case / name).open() as file:
            header, *rows = csv.reader(file)
        return np.array([tuple(map(float, row)) for row in rows], dtype=[(key, float) for key in header])

    def check(self, folder: Path) -> NDArray[np.void]:
        """The FMU in FMPy gives the recorded outputs, within the tolerances of ref.opt; returns what was recorded."""
        fmu = export_fmu(contactlib.load(self.scene).compile(), folder / f"{self.scene}.fmu")
        comparison = check_case(fmu, read_case(ROOT / self.case))
        assert comparison.passed, str(comparison)
        return self.read("ref.csv")
