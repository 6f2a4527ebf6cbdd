"""The shadow of an FMU's run: a simulation of its model that gets all its inputs, for what an FMU does not tell.

An FMU has no outputs for single contacts, cables and membranes. The core gives the same bits in the FMU and in Python,
so a simulation with the inputs of the FMU has the contacts of the FMU. Each recorded frame proves it: the wrenches must
be equal in every bit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from contactlib.common.options import STATE
from contactlib.fmu.contact_fmu import ContactFmu, CouplingError
from contactlib.model.model import Model
from contactlib.results.writer import ResultWriter
from contactlib.simulation.simulation import Simulation

Floats = NDArray[np.float64]


class Shadow:
    """Follows an FMU with steps of h (s), and records frames to a result file."""

    def __init__(self, fmu: ContactFmu, model: Model, h: float, writer: ResultWriter) -> None:
        self.fmu, self.h, self.writer = fmu, h, writer
        self.simulation = Simulation(model)
        self._data = self.simulation.data
        at = {variable.name: row for row, variable in enumerate(fmu.model.variables)}
        self._inputs = [at[f"{name}.{part}"] for name in fmu.names for part in STATE]
        self._settings = [(at[name], value) for name, value in (("resolve_in", 1.0), ("next_step", h)) if name in at]
        bodies = fmu.model.body_names
        self._external = [bodies.index(name) for name in fmu.names]
        self._order = [bodies.index(name) for name in fmu.names + fmu.free]

    def start(self, states: Floats) -> None:
        """Initialise with states (bodies, 13) of the external bodies, as `ContactFmu.start` does."""
        for row, value in self._settings:
            self._data.set(row, value)
        self._set(states)
        self._data.accept_starts()
        self._data.accept_inputs()
        self._data.evaluate()

    def step(self, states: Floats) -> None:
        """Step with the states that the FMU had as inputs."""
        self._set(states)
        self._data.accept_inputs()
        self._data.advance(self.h)

    def record(self, states: Floats, wrenches: Floats) -> None:
        """Record a frame with the states of the external bodies and the FMU's wrenches of `names` and `free`.

        CouplingError if the wrenches of the simulation have other bits.
        """
        own = self._data.wrenches()[self._order]
        if own.tobytes() != wrenches.tobytes():
            raise CouplingError(f"{self.fmu.path}: at {self.simulation.time:g} s the FMU's wrenches differ from those "
                                "of its model in Python, so its contacts are unknown: run it without a result file")
        rows = self._data.states().copy()
        rows[self._external] = states
        self.writer.record(self.simulation, rows)

    def _set(self, states: Floats) -> None:
        for row, value in zip(self._inputs, states.ravel().tolist(), strict=True):
            self._data.set(row, value)
