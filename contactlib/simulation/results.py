"""Results of a Simulation: wrenches and contacts of one state or of a batch of states, and the record of a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from contactlib.common.arguments import index_of
from contactlib.report.plot import plot_trajectory
from contactlib.simulation.contacts import ContactArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]


class StepWarning(UserWarning):
    """The steps of a run are too long for its contacts, or have changed its energy for that reason."""


class DeepWarning(StepWarning):
    """A body was deeper than the depth to which its contact force is defined (docs/manifolds.md)."""


@dataclass(frozen=True)
class Result:
    """Wrenches and contacts at the present states.

    wrenches : (bodies, 6) force N and torque N m about each body's origin, axes as `resolve_in` says.
    contacts : structured array, one row per contact: bodies, shapes, point, normal, depth (m), force on B (N), ...;
    `contacts.names("law")` returns names. docs/contacts.md lists the fields.
    """

    wrenches: Floats
    contacts: ContactArray
    body_names: tuple[str, ...]

    def wrench(self, body: str) -> Floats:
        """Return force and torque on one body, 6 numbers."""
        wrench: Floats = self.wrenches[index_of(self.body_names, body)]
        return wrench

    def __iter__(self) -> Iterator[NDArray[Any]]:
        """Allow `wrenches, contacts = simulation.compute(states)`."""
        return iter((self.wrenches, self.contacts))


class StepReport(NamedTuple):
    """The sub-steps of one step, with those of predictions (coupling).

    sub_steps : their number.
    refused : number of trials that were too long and were repeated with a shorter length.
    shortest, mean : lengths of the accepted sub-steps, s; 0 before the first step.

    Examples
    --------
    >>> import contactlib
    >>> simulation = contactlib.Simulation(contactlib.load("peg_in_hole").compile())
    >>> _ = simulation.step(0.01)
    >>> simulation.step_report.sub_steps
    100
    """

    sub_steps: int
    refused: int
    shortest: float
    mean: float


@dataclass(frozen=True)
class BatchResult:
    """Wrenches (N, bodies, 6), contact counts (N,) and greatest depths (N,) in m of N states."""

    wrenches: Floats
    contact_count: NDArray[np.int32]
    max_depth: Floats


@dataclass(frozen=True)
class Trajectory:
    """A recorded run: times (T,), states (T, bodies, 13), wrenches (T, bodies, 6) and contact summaries (T,).

    `deep` counts the contacts that are deeper than the depth to which their force is defined
    (docs/manifolds.md). Energies, J: `energy_stored` in the contacts, `energy_dissipated` by the contacts so far, and
    `energy_error`, the numerical gain (> 0) or loss (< 0) of contacts and elements (docs/energy.md). `outputs` (T, n)
    are the outputs of the scene's elements with the n names `output_names`. `warnings` are sentences on steps that were
    too long and on deep contacts.
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
        """Return an output of an element, such as "net.area", (T,)."""
        series: Floats = self.outputs[:, index_of(self.output_names, name, "output")]
        return series

    def energy_of_elements(self, name: str) -> Floats:
        """Return the sum of an energy over all elements, J, (T,).

        `name` is "stored_energy", "dissipated_energy" or "supplied_energy".
        """
        chosen = [known.endswith("." + name) for known in self.output_names]
        return np.asarray(self.outputs[:, chosen].sum(axis=1))

    @property
    def energy_taken_by_elements(self) -> Floats:
        """Energy that elements took from the bodies, J, (T,): stored + dissipated - supplied by commands."""
        stored, dissipated, supplied = (
            self.energy_of_elements(f"{name}_energy") for name in ("stored", "dissipated", "supplied"))
        return stored + dissipated - supplied

    def body(self, name: str) -> Floats:
        """Return the states of one body, (T, 13)."""
        return self.states[:, index_of(self.body_names, name)]

    def wrench(self, name: str) -> Floats:
        """Return the wrenches on one body, (T, 6)."""
        return self.wrenches[:, index_of(self.body_names, name)]

    def plot(self) -> Figure:
        """Draw positions, forces, depth and energies over time (needs the extra [plot])."""
        return plot_trajectory(self)
