"""Runs a contact FMU in FMPy: states of bodies are inputs, wrenches are outputs. The master is in master.py."""

from __future__ import annotations

import ctypes
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contactlib.common.options import COUPLINGS, STATE, WRENCH
from contactlib.model.model import Model

Floats = NDArray[np.float64]
SUMMARY = ("max_depth", "energy_dissipated", "energy_stored", "energy_error")  # contact.*, in a Trajectory's order
MODEL_FILE = "resources/model.bin"


class CouplingError(RuntimeError):
    """An FMU cannot be started, or has failed during a run; the message is one sentence."""


class ContactFmu:
    """A running instance of a contact FMU, to be used in a `with` block; states and wrenches are in world axes.

    `names` are the external bodies, whose states are inputs. `free` are the bodies that the FMU moves itself.

    Value references are indexes into the model's variable table, so the names in the FMU may be flat or structured.
    Raises CouplingError if the file is not a contact FMU or cannot run on this machine.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._messages: list[str] = []
        self.warnings: list[str] = []  #: warnings of the FMU
        self._folder = ""
        self._slave: Any = None
        if not self.path.is_file():
            raise CouplingError(f"there is no file {self.path}")
        try:
            self._load()
        except Exception as error:
            self.close()
            reason = (
                error if isinstance(error, CouplingError) else f"it cannot be started: {self._reason(error)}"
            )
            raise CouplingError(f"{self.path}: {reason}") from None

    def _load(self) -> None:
        import fmpy
        from fmpy.fmi2 import FMU2Slave

        from contactlib.fmu.archive import read_archive

        try:
            read_archive(self.path)
            self._folder = fmpy.extract(str(self.path))
            self.description = fmpy.read_model_description(self._folder, validate=False)
        except Exception as error:  # zipfile and fmpy's parser raise many types of errors
            raise CouplingError(f"this is not an FMU: {_line(error)}") from None
        if self.description.fmiVersion != "2.0" or self.description.coSimulation is None:
            raise CouplingError("this is not an FMU for FMI 2.0 co-simulation")
        file = Path(self._folder) / MODEL_FILE
        if not file.is_file():
            raise CouplingError(f"this is not an FMU made by contactlib: it has no {MODEL_FILE}")
        self.model = Model.from_bytes(file.read_bytes())
        bodies = list(zip(self.model.body_names, self.model.motions, strict=True))
        self.names, self.free = (tuple(name for name, motion in bodies if motion == kind)
                                 for kind in ("external", "free"))
        self._connect()
        slave = FMU2Slave(
            guid=self.description.guid,
            unzipDirectory=self._folder,
            instanceName=self.model.name,
            modelIdentifier=self.description.coSimulation.modelIdentifier,
        )
        slave.instantiate(callbacks=self._callbacks(), loggingOn=True)  # without logging the FMU does not warn
        self._slave = slave

    def python_model(self) -> Model:
        """Return the model for a simulation in Python, with the modules of an FMU that runs in Python."""
        if not self.model.core.user_laws:
            return self.model
        folder = (Path(self._folder) / MODEL_FILE).parent
        return Model.from_bytes(self.model.to_bytes(), modules=folder)

    def _connect(self) -> None:
        """Prepare value references and buffers of inputs and outputs for direct use in FMI calls."""
        at = {variable.name: i for i, variable in enumerate(self.model.variables)}
        starts = [[self.model.variables[at[f"{n}.{s}"]].start for s in STATE] for n in self.names]
        self.start_states = np.array(starts).reshape(-1, 13)
        self._inputs = _Block([at[f"{n}.{s}"] for n in self.names for s in STATE])
        summary = [at[f"contact.{name}"] for name in SUMMARY]
        reals, whole = ([row for row in self.model.element_outputs if self.model.variables[row].type == kind]
                        for kind in ("real", "integer"))
        self.output_names = tuple(self.model.variables[row].name for row in (*reals, *whole))
        self._wrench_width, self._free_width = 6 * len(self.names + self.free), 13 * len(self.free)
        self._outputs = _Block([at[f"{n}.{w}"] for n in self.names + self.free for w in WRENCH]
                               + [at[f"{n}.{s}"] for n in self.free for s in STATE] + summary + reals)
        counts = [at["contact.count"], at["contact.deep"], *whole]
        self._whole = (ctypes.c_uint * len(counts))(*counts)
        self._whole_values = (ctypes.c_int * len(counts))()
        self._frame = at["resolve_in"]
        self._next_step = [at[name] for name in ("next_step",) if name in at]
        self.coupling = COUPLINGS[int(self.model.variables[at["coupling"]].start) - 1]

    def _callbacks(self) -> Any:
        from fmpy import calloc, fmi2, free

        def log(_where: object, _instance: object, status: int, _kind: object, message: bytes | None) -> None:
            if status >= fmi2.fmi2Warning and message:
                sentence = message.decode(errors="replace").replace("%%", "%").strip()
                if status > fmi2.fmi2Warning:
                    self._messages.append(sentence)
                else:
                    self.warnings.append(sentence.removeprefix("fmi2DoStep: ").removesuffix("."))

        callbacks = fmi2.fmi2CallbackFunctions()
        callbacks.logger = fmi2.fmi2CallbackLoggerTYPE(log)
        callbacks.allocateMemory = fmi2.fmi2CallbackAllocateMemoryTYPE(calloc)
        callbacks.freeMemory = fmi2.fmi2CallbackFreeMemoryTYPE(free)
        return callbacks

    def start(self, states: Floats, next_step: float = 0.0) -> None:
        """Initialise at time zero with states (bodies, 13), and select world axes for wrenches.

        `next_step` is the length of all steps (s), which the FMU uses with coupling = "jacobi"; 0: unknown.
        """
        try:
            self._slave.setupExperiment(startTime=0.0)
            self._slave.setInteger([self._frame], [1])
            if self._next_step:
                self._slave.setReal(self._next_step, [next_step])
            self._set(states)
            self._slave.enterInitializationMode()
            self._slave.exitInitializationMode()
        except Exception as error:
            raise CouplingError(f"{self.path} did not start: {self._reason(error)}") from None

    def step(self, t: float, h: float, states: Floats) -> None:
        """Step from t to t + h (s); `states` (bodies, 13) are those of the external bodies at t."""
        try:
            self._set(states)
            self._slave.doStep(t, h)
        except Exception as error:
            raise CouplingError(f"{self.path} failed at t = {t:g} s: {self._reason(error)}") from None

    def _set(self, states: Floats) -> None:
        block = self._inputs
        if block.size == 0:
            return
        block.values[:] = states.ravel()
        self._slave.fmi2SetReal(self._slave.component, block.references, block.size, block.pointer)

    def read(self) -> tuple[Floats, int, int, float, float, float, float, Floats]:
        """Read the outputs, and the states of the free bodies into `free_states` (bodies, 13).

        Returns wrenches (bodies, 6) of `names` and `free`, number of contacts, number of deep contacts, greatest depth
        (m), dissipated energy, stored energy and energy error of contacts (J), and the outputs `output_names`.
        """
        block = self._outputs
        self._slave.fmi2GetReal(self._slave.component, block.references, block.size, block.pointer)
        wrenches, states, rest = np.split(block.values, np.cumsum([self._wrench_width, self._free_width]))
        depth, dissipated, stored, error = rest[:4].tolist()
        self._slave.fmi2GetInteger(self._slave.component, self._whole, len(self._whole), self._whole_values)
        count, deep, *whole = self._whole_values
        self.free_states = states.reshape(-1, 13).copy()
        outputs = np.array([*rest[4:], *whole])
        return wrenches.reshape(-1, 6).copy(), count, deep, depth, dissipated, stored, error, outputs

    def _reason(self, error: Exception) -> str:
        return self._messages[-1] if self._messages else _line(error)

    def close(self) -> None:
        """End the instance and remove the unpacked files."""
        if self._slave is not None:
            with suppress(Exception):  # terminate fails after a fatal error
                self._slave.terminate()
            self._slave.freeInstance()
            self._slave = None
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = ""

    def __enter__(self) -> ContactFmu:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Block:
    """Value references and values of real variables that are always passed together."""

    def __init__(self, references: list[int]) -> None:
        self.size = len(references)
        self.references = (ctypes.c_uint * self.size)(*references)
        self.values = np.zeros(self.size)
        self.pointer = self.values.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def _line(error: BaseException) -> str:
    """Return the message of an exception on one line."""
    return " ".join(str(error).split()) or type(error).__name__
