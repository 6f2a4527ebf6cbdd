"""A scene as a native FMU, stepped from C: inputs set, one step, outputs read, no Python in between."""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import fmpy
import numpy as np
from fmpy.fmi2 import FMU2Slave

import contactlib
from benchmarks.common import Floats, address, compiled_loops
from contactlib.fmu.export import export_fmu

FUNCTIONS = ("fmi2SetReal", "fmi2DoStep", "fmi2GetReal")


def steps_by_ctypes(set_: Any, step: Any, get: Any, fmu: Any, inputs: Any, n_in: Any, outputs: Any,
                    n_out: Any, rows: Any, results: Any, steps: Any, t: Any, h: Any) -> int:
    """`fmu_steps` of loops.c where there is no C compiler: every call crosses from Python to C."""
    worst = 0
    for k in range(steps.value):
        if set_:
            worst = max(worst, set_(fmu, inputs, n_in, ctypes.c_void_p(rows.value + 8 * k * n_in.value)))
        worst = max(worst, step(fmu, ctypes.c_double(t[0]), h, 1))
        if set_:
            worst = max(worst, get(fmu, outputs, n_out, ctypes.c_void_p(results.value + 8 * k * n_out.value)))
        t[0] += h.value
    return worst


def instance(model: contactlib.Model, folder: str, values: Mapping[int, float] = MappingProxyType({})) -> FMU2Slave:
    """The scene exported to a folder and initialised in FMPy, with values of some variables (by reference)."""
    path = export_fmu(model, Path(folder) / "scene.fmu")
    unzipped = fmpy.extract(str(path), unzipdir=folder)
    described = fmpy.read_model_description(unzipped)
    fmu = FMU2Slave(guid=described.guid, unzipDirectory=unzipped, instanceName="benchmark",
                    modelIdentifier=described.coSimulation.modelIdentifier)
    fmu.instantiate()
    fmu.setupExperiment()
    fmu.enterInitializationMode()
    fmu.setReal(list(values), list(values.values()))
    fmu.exitInitializationMode()
    return fmu


class NativeFmu:
    """An instance at the first of n states (n, bodies, 13); `steps` takes all in turn, `steps_alone` holds one.

    The scene has no other inputs than its bodies and, with masses, `next_step`.
    """

    def __init__(self, model: contactlib.Model, states: Floats, h: float) -> None:
        kinds = [[i for i, v in enumerate(model.variables) if v.causality == kind and v.type == "real"]
                 for kind in ("input", "output")]
        self.inputs, self.outputs = (np.array(kind, dtype=np.uint32) for kind in kinds)
        names = [model.variables[i].name for i in self.inputs]
        steps = np.full((len(states), int(names[-1] == "next_step")), h)
        self.rows = np.hstack([states.reshape(len(states), -1), steps])
        if len(names) != self.rows.shape[1]:
            raise ValueError(f"{self.rows.shape[1]} numbers a row for the inputs {names}")
        self.results = np.zeros((len(states), len(self.outputs)))
        self.time, self.h = (ctypes.c_double * 1)(0.0), h
        self.folder = tempfile.TemporaryDirectory()
        self.fmu = instance(model, self.folder.name, dict(zip(self.inputs, self.rows[0], strict=True)))
        library = compiled_loops()
        self.how = "called from C" if library else "through ctypes: no C compiler"
        self.loop: Any = library.fmu_steps if library else steps_by_ctypes
        functions = [self.fmu.dll[name] for name in FUNCTIONS]  # fresh ones, which take any pointer
        self.functions = [ctypes.cast(f, ctypes.c_void_p) for f in functions] if library else functions

    def steps(self) -> None:
        """Per row: set all inputs, one step, get all outputs."""
        self._run(*self.functions)

    def steps_alone(self) -> None:
        """As many steps on held inputs."""
        self._run(None, self.functions[1], None)

    def _run(self, *functions: Any) -> None:
        worst = self.loop(
            *functions, ctypes.c_void_p(self.fmu.component),
            address(self.inputs), ctypes.c_size_t(len(self.inputs)),
            address(self.outputs), ctypes.c_size_t(len(self.outputs)),
            address(self.rows), address(self.results), ctypes.c_size_t(len(self.rows)),
            self.time, ctypes.c_double(self.h))
        if worst != 0:
            raise RuntimeError(f"the FMU answered a step with status {worst}")

    def __enter__(self) -> NativeFmu:
        return self

    def __exit__(self, *_: object) -> None:
        self.fmu.terminate()
        self.fmu.freeInstance()
        self.folder.cleanup()
