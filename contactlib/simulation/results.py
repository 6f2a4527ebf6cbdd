"""What a Simulation returns: wrenches and contacts now, of a batch of states, and the record of a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from contactlib.common.arguments import index_of
from contactlib.report.plot import plot_trajectory
from contactlib.simulation.contacts import ContactArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]


class StepWarning(UserWarning):
    """A run whose steps are too long for its contacts, or that made or lost energy for that reason."""


class DeepWarning(StepWarning):
    """A run in which a body was deeper in a mesh than contact with it is defined for (docs/manifolds.md)."""


@dataclass(frozen=True)
class Result:
    """What the bodies feel now.

    wrenches : (bodies, 6) force N and torque N m about each body's origin, axes as `resolve_in` says.
    contacts : structured array, one row a contact: bodies, shapes, point, normal, depth (m), force on B (N), ...;
        `contacts.names("law")` gives names for numbers. docs/contacts.md lists the fields.
    """

    wrenches: Floats
    contacts: ContactArray
    body_names: tuple[str, ...]

    def wrench(self, body: str) -> Floats:
        """Force and torque on one body, 6 numbers."""
        wrench: Floats = self.wrenches[index_of(self.body_names, body)]
        return wrench

    def __iter__(self) -> Iterator[NDArray[Any]]:
        """`wrenches, contacts = simulation.compute(states)`."""
        return iter((self.wrenches, self.contacts))


@dataclass(frozen=True)
class BatchResult:
    """Wrenches (N, bodies, 6), contact counts (N,) and greatest depths (N,) in m of N states."""

    wrenches: Floats
    contact_count: NDArray[np.int32]
    max_depth: Floats


@dataclass(frozen=True)
class Trajectory:
    """A recorded run: times (T,), states (T, bodies, 13), wrenches (T, bodies, 6) and contact summaries (T,).

    `deep` counts the contacts that are deeper in a mesh than their force is defined for (docs/manifolds.md).
    Energies, J: `energy_stored` in contacts now, `energy_dissipated` the integral of their heat, and `energy_error`
    what contacts and elements gained (> 0) or lost (< 0) out of nothing (docs/energy.md).
    `outputs` (T, n) are the outputs of the scene's elements, by the n `output_names`. `warnings` are sentences on steps
    that were too long and on deep contacts.
    """

    body_names: tuple[str, ...]
    time: Floats
    states: Floats
    wrenches: Floats
    contact_count: NDArray[np.int64]
    deep: NDArray[np.int64]
    max_depth: Floats
    energy_dissipated: Floats
    energy_stored: Floats
    energy_error: Floats
    output_names: tuple[str, ...] = field(kw_only=True)
    outputs: Floats = field(kw_only=True)
    warnings: tuple[str, ...] = field(kw_only=True, default=())

    def output(self, name: str) -> Floats:
        """An output of an element, such as "net.area", (T,)."""
        series: Floats = self.outputs[:, index_of(self.output_names, name, "output")]
        return series

    def energy_of_elements(self, name: str) -> Floats:
        """Sum over all elements of their "stored_energy", "dissipated_energy" or "supplied_energy", J, (T,)."""
        chosen = [known.endswith("." + name) for known in self.output_names]
        return np.asarray(self.outputs[:, chosen].sum(axis=1))

    @property
    def energy_taken_by_elements(self) -> Floats:
        """What elements took from the bodies, J, (T,): stored and turned into heat, less what commands supplied."""
        stored, dissipated, supplied = (
            self.energy_of_elements(f"{name}_energy") for name in ("stored", "dissipated", "supplied"))
        return stored + dissipated - supplied

    def body(self, name: str) -> Floats:
        """States of one body, (T, 13)."""
        return self.states[:, index_of(self.body_names, name)]

    def wrench(self, name: str) -> Floats:
        """Wrenches on one body, (T, 6)."""
        return self.wrenches[:, index_of(self.body_names, name)]

    def plot(self) -> Figure:
        """Positions, forces, depth and energies over time (needs the extra [plot])."""
        return plot_trajectory(self)
