"""A small master: a contact FMU, run by FMPy, and free-flying rigid bodies, coupled after Jacobi or Gauss and Seidel.

Bodies that the FMU moves itself, its free ones, fly along; the master only records them.
Both sides step from t to t + h at the same time: the FMU from the bodies' states at t, the bodies under the
wrenches that the FMU gave for t. That is what a simulation environment does with the FMU, on a page. An FMU made
for coupling = "gauss_seidel" steps first (docs/coupling.md).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contactlib.common import tables
from contactlib.common.arguments import step_count
from contactlib.fmu.contact_fmu import MODEL_FILE, STATE, SUMMARY, WRENCH, ContactFmu, CouplingError
from contactlib.model import model_file as layout
from contactlib.model.model import Model
from contactlib.shapes.mass import MassProperties
from contactlib.simulation import rigid_body
from contactlib.simulation.results import StepWarning, Trajectory

__all__ = ["MODEL_FILE", "STATE", "SUMMARY", "WRENCH", "ContactFmu", "CoupledRun", "CouplingError", "couple", "gravity",
           "is_closed", "mass_properties"]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CoupledRun:
    """What a coupling recorded.

    trajectory : of the FMU's external bodies, and behind them of its free ones.
    masses : mass properties of the bodies that flew freely; the others stood still.
    balance : momentum and kinetic energy of those that flew.
    gravity : m/s2, of the FMU's scene, which acts on its free bodies alone.
    closed : whether no force comes from elsewhere, so that momentum is kept.
    """

    trajectory: Trajectory
    masses: dict[str, MassProperties]
    balance: rigid_body.Balance
    gravity: tuple[float, ...] = (0.0, 0.0, 0.0)
    closed: bool = True

    @property
    def weightless(self) -> bool:
        """Whether gravity moves none of the bodies."""
        return not any(self.gravity)

    @property
    def energy_stored(self) -> Floats:
        """Elastic energy in the contacts, J, (T,)."""
        return self.trajectory.energy_stored

    @property
    def energy_error(self) -> float:
        """What is missing (-) or too much (+) at the end, relative to the kinetic energy at the start."""
        start = float(self.balance.kinetic[0])
        taken = self.trajectory.energy_taken_by_elements
        end = self.balance.kinetic[-1] + self.energy_stored[-1] + self.trajectory.energy_dissipated[-1] + taken[-1]
        return float(end - start - self.energy_stored[0] - taken[0]) / start if start > 0 else 0.0


def mass_properties(model: Model) -> dict[str, MassProperties]:
    """Mass, centre of mass and inertia of every body that has a mass, as the compiled model holds them.

    Examples
    --------
    >>> import contactlib
    >>> mass_properties(contactlib.load("peg_in_hole").compile())["interface"].mass
    10.0
    """
    data = model.to_bytes()
    _, size, count, offset = layout.SECTION.unpack_from(data, layout.HEADER.size + layout.SECTION.size)
    records = layout.BODY.iter_unpack(data[offset : offset + count * size])
    found = {}
    for name, record in zip(model.body_names, records, strict=True):
        mass, com, inertia = record[4], np.array(record[5:8]), np.array(record[8:17]).reshape(3, 3)
        if mass > 0:
            found[name] = MassProperties(mass, com, inertia)
    return found


def gravity(model: Model) -> tuple[float, ...]:
    """m/s2, world axes, on the free bodies of a compiled model.

    Examples
    --------
    >>> import contactlib
    >>> gravity(contactlib.load("rover_wheel").compile())
    (0.0, 0.0, -3.71)
    """
    data = model.to_bytes()
    *_, offset = layout.SECTION.unpack_from(data, layout.HEADER.size)
    return tuple(layout.SCENE.unpack_from(data, offset)[2:5])


def is_closed(model: Model, flying: Collection[str]) -> bool:
    """Whether all bodies are in `flying`, and neither gravity nor an element pushes them from outside."""
    pushed = any(-1 in bodies or len(bodies) == 1 for *_, bodies in model.core.elements)
    return set(model.body_names) <= set(flying) and not any(gravity(model)) and not pushed


def couple(
    path: str | Path,
    *,
    duration: float | None = None,
    dt: float | None = None,
    every: int = 1,
    integrator: str = "semi_implicit_euler",
    fixed: Collection[str] = (),
    masses: Mapping[str, MassProperties] | None = None,
    progress: Callable[[float], None] | None = None,
) -> CoupledRun:
    """Let the bodies of an FMU that have a mass fly freely under its wrenches; the others stand still.

    Free bodies, which the FMU moves itself, move as it says.

    Parameters
    ----------
    path : the FMU, of either flavour that contactlib exports.
    duration, dt : length of the run and of a communication step, s; by default as the FMU recommends.
    every : record each `every`-th step.
    integrator : "semi_implicit_euler" or "rk4", of the bodies; the wrench is held over the step in both.
    fixed : names of bodies that stand still although they have a mass.
    masses : of bodies that have others than the FMU believes.
    progress : called now and then with the fraction that is done.

    Raises
    ------
    CouplingError : the FMU cannot be started, or fails on the way.
    ValueError : an argument that is not allowed, an unknown body, or no body that could move.

    Warns (StepWarning) as the FMU does, of steps that are too long; the run's `trajectory.warnings` has the sentences.

    Examples
    --------
    >>> import contactlib, tempfile
    >>> from contactlib.fmu.export import export_fmu
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fmu = export_fmu(contactlib.load("peg_in_hole").compile(), f"{folder}/peg_in_hole.fmu")
    ...     run = couple(fmu, duration=0.01)
    >>> list(run.masses), run.balance.linear_error < 1e-9
    (['interface', 'target'], True)
    """
    if integrator not in rigid_body.INTEGRATORS:
        raise ValueError(f"integrator = {integrator!r}: must be one of {', '.join(rigid_body.INTEGRATORS)}")
    with ContactFmu(path) as fmu, np.errstate(over="ignore", invalid="ignore"):
        experiment = fmu.description.defaultExperiment
        duration = _positive("duration", experiment.stopTime if duration is None else duration)
        h = _positive("dt", experiment.stepSize if dt is None else dt)
        flying = _flying(fmu, fixed, masses or {})
        rows = _fly(
            fmu, flying, rigid_body.INTEGRATORS[integrator], step_count(duration, h), h, every, progress
        )
    *columns, outputs = (np.array(column) for column in zip(*rows, strict=True))
    trajectory = Trajectory(fmu.names + fmu.free, *columns, output_names=fmu.output_names, outputs=outputs,
                            warnings=tuple(fmu.warnings))
    for sentence in fmu.warnings:
        warnings.warn(sentence, StepWarning, stacklevel=2)
    known = mass_properties(fmu.model)
    flown = flying | {name: known[name] for name in fmu.free}
    return CoupledRun(trajectory, flown, rigid_body.balance(trajectory, flown), gravity(fmu.model),
                      is_closed(fmu.model, flown))


def _fly(
    fmu: ContactFmu,
    flying: dict[str, MassProperties],
    advance: rigid_body.Integrator,
    steps: int,
    h: float,
    every: int,
    progress: Callable[[float], None] | None,
) -> list[tuple[Any, ...]]:
    """The coupling itself; rows of time, states, wrenches, counts, depth, energies and outputs of elements."""
    free = [fmu.names.index(name) for name in flying]
    masses = rigid_body.Masses.of(list(flying.values()))
    states = fmu.start_states.copy()
    held = np.setdiff1d(np.arange(len(states)), free)
    states[held, 7:] = 0.0
    fmu.start(states)
    wrenches, *summary = fmu.read()
    about = states[:, :3].copy()
    rows = [(0.0, np.concatenate([states, fmu.free_states]), wrenches, *summary)]
    for k in range(steps):
        fmu.step(k * h, h, states)
        # a wrench belongs to the place where the fmu saw the body, at r + v h: taken about that point,
        # angular momentum is kept although the body itself will be a little elsewhere
        seen = states[:, :3] + h * states[:, 7:10]
        if fmu.coupling == "gauss_seidel":
            wrenches, *_ = fmu.read()
        where = about[free] if fmu.coupling == "none" else None  # others go along with the body
        if free:
            states[free] = advance(masses, states[free], wrenches[free], where, h)
        wrenches, *summary = fmu.read()
        about = seen
        if (k + 1) % every == 0 or k + 1 == steps:
            rows.append(((k + 1) * h, np.concatenate([states, fmu.free_states]), wrenches, *summary))
        if progress is not None and k % 256 == 0:
            progress((k + 1) / steps)
    return rows


def _flying(fmu: ContactFmu, fixed: Collection[str],
            masses: Mapping[str, MassProperties]) -> dict[str, MassProperties]:
    for what, name in (*(("fixed", name) for name in fixed), *(("masses", name) for name in masses)):
        if name in fmu.free:
            raise ValueError(f"{what} = '{name}': the FMU moves this body itself; export a scene in which it is "
                             "external")
        if name not in fmu.names:
            raise ValueError(f"{what} = '{name}': there is no such body; {tables.hint(name, fmu.names)}")
    known = mass_properties(fmu.model) | dict(masses)
    flying = {name: known[name] for name in fmu.names if name in known and name not in fixed}
    if not flying and not fmu.free:
        raise ValueError(f"{fmu.path}: no body can move: give at least one body a mass and an inertia, and do not list "
                         "it in `fixed`")
    return flying


def _positive(name: str, value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]  # fmpy gives text or None where the fmu says nothing
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be given: the FMU recommends none") from None
    if not (math.isfinite(number) and number > 0):
        raise ValueError(f"{name} = {number:g}: must be finite and greater than zero")
    return number
