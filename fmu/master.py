"""A small co-simulation master: couples a contact FMU in FMPy with free-flying rigid bodies.

The default is Jacobi coupling: both sides step from t to t + h in parallel. The FMU uses the bodies' states at t, and
the bodies move under the FMU's wrenches at t. For coupling = "gauss_seidel", the FMU steps first and the bodies use its
new wrenches (docs/coupling.md). The FMU moves its free bodies itself; the master only records them.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contactlib.common import tables
from contactlib.common.arguments import step_count
from contactlib.common.options import STATE, WRENCH
from contactlib.fmu.contact_fmu import MODEL_FILE, SUMMARY, ContactFmu, CouplingError
from contactlib.fmu.shadow import Shadow
from contactlib.model.model import Model
from contactlib.model.model_file import read_section
from contactlib.results.writer import ResultWriter
from contactlib.shapes.mass import MassProperties
from contactlib.simulation import rigid_body
from contactlib.simulation.results import StepWarning, Trajectory

__all__ = ["MODEL_FILE", "STATE", "SUMMARY", "WRENCH", "ContactFmu", "CoupledRun", "CouplingError", "couple", "gravity",
           "is_closed", "mass_properties"]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CoupledRun:
    """The record of a coupled run.

    trajectory : trajectory of the FMU's external bodies, followed by its free bodies.
    masses : mass properties of the moving bodies; all other bodies were fixed.
    balance : momentum and kinetic energy of the moving bodies.
    gravity : gravity of the FMU's scene, m/s2, which acts on its free bodies only.
    closed : whether no external force acts, so that momentum is conserved.
    """

    trajectory: Trajectory
    masses: dict[str, MassProperties]
    balance: rigid_body.Balance
    gravity: tuple[float, ...] = (0.0, 0.0, 0.0)
    closed: bool = True

    @property
    def weightless(self) -> bool:
        """Whether gravity acts on no body."""
        return not any(self.gravity)

    @property
    def energy_stored(self) -> Floats:
        """Elastic energy in the contacts, J, (T,)."""
        return self.trajectory.energy_stored

    @property
    def energy_error(self) -> float:
        """Energy loss (-) or gain (+) at the end, relative to the kinetic energy at the start."""
        start = float(self.balance.kinetic[0])
        taken = self.trajectory.energy_taken_by_elements
        end = self.balance.kinetic[-1] + self.energy_stored[-1] + self.trajectory.energy_dissipated[-1] + taken[-1]
        return float(end - start - self.energy_stored[0] - taken[0]) / start if start > 0 else 0.0


def mass_properties(model: Model) -> dict[str, MassProperties]:
    """Return mass, centre of mass and inertia of every body with a mass in a compiled model.

    Examples
    --------
    >>> import contactlib
    >>> mass_properties(contactlib.load("peg_in_hole").compile())["interface"].mass
    10.0
    """
    bodies = read_section(model.to_bytes(), 1, "body")
    return {
        name: MassProperties(float(body["mass"]), body["com"].copy(), body["inertia"].reshape(3, 3).copy())
        for name, body in zip(model.body_names, bodies, strict=True)
        if body["mass"] > 0
    }


def gravity(model: Model) -> tuple[float, ...]:
    """Return the gravity on the free bodies of a compiled model, m/s2, world axes.

    Examples
    --------
    >>> import contactlib
    >>> gravity(contactlib.load("rover_wheel").compile())
    (0.0, 0.0, -3.71)
    """
    return tuple(read_section(model.to_bytes(), 0, "scene")[0]["gravity"].tolist())


def is_closed(model: Model, flying: Collection[str]) -> bool:
    """Return whether all bodies are in `flying`, and neither gravity nor an element applies an external force."""
    external_force = any(-1 in bodies or len(bodies) == 1 for *_, bodies in model.core.elements)
    return set(model.body_names) <= set(flying) and not any(gravity(model)) and not external_force


def couple(path: str | Path, *, duration: float | None = None, dt: float | None = None, every: int = 1,
           integrator: str | None = None, fixed: Collection[str] = (),
           masses: Mapping[str, MassProperties] | None = None, progress: Callable[[float], None] | None = None,
           results: str | Path | Callable[[Model], ResultWriter | None] | None = None) -> CoupledRun:
    """Run an FMU with its external bodies: bodies with a mass fly freely under its wrenches, the others are fixed.

    The FMU itself moves its free bodies.

    Parameters
    ----------
    path : an FMU that contactlib has exported, native or in Python.
    duration, dt : duration of the run and of a communication step, s; by default those of the FMU.
    every : record each `every`-th step.
    integrator : integrator of the bodies, "semi_implicit_euler" or "rk4"; the wrench is constant over a step. The
        default is "rk4" for an FMU with `coupling`, since the positions of semi-implicit Euler are half a step ahead of
        its velocities, which costs energy at large steps; otherwise it is "semi_implicit_euler".
    fixed : names of bodies with a mass that are fixed.
    masses : mass properties by body, which replace those in the FMU.
    progress : called every 256 steps with the finished fraction of the run.
    results : result file to write (docs/results.md), or a function that begins one for the FMU's model.

    Raises
    ------
    CouplingError : the FMU cannot be started, or fails during the run.
    ValueError : an argument that is not allowed, an unknown body, or no body that can move.

    Warns (StepWarning) if the FMU warns of too long steps; `trajectory.warnings` has the sentences.

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
    if integrator is not None and integrator not in rigid_body.INTEGRATORS:
        raise ValueError(f"integrator = {integrator!r}: must be one of {', '.join(rigid_body.INTEGRATORS)}")
    with ContactFmu(path) as fmu, np.errstate(over="ignore", invalid="ignore"):
        experiment = fmu.description.defaultExperiment
        duration = _positive("duration", experiment.stopTime if duration is None else duration)
        h = _positive("dt", experiment.stepSize if dt is None else dt)
        flying = _flying(fmu, fixed, masses or {})
        integrator = integrator or ("semi_implicit_euler" if fmu.coupling == "none" else "rk4")
        with _recorded(fmu, h, results) as shadow:
            rows = _fly(
                fmu, flying, rigid_body.INTEGRATORS[integrator], step_count(duration, h), h, every, progress, shadow
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
    shadow: Shadow | None,
) -> list[tuple[Any, ...]]:
    """Run the coupling; return rows of time, states, wrenches, counts, depth, energies and outputs of elements."""
    free = [fmu.names.index(name) for name in flying]
    masses = rigid_body.Masses.of(list(flying.values()))
    states = fmu.start_states.copy()
    fixed = np.setdiff1d(np.arange(len(states)), free)
    states[fixed, 7:] = 0.0
    fmu.start(states, h)
    wrenches, *summary = fmu.read()
    if shadow:
        shadow.start(states)
        shadow.record(states, wrenches)
    about = states[:, :3].copy()
    rows = [(0.0, np.concatenate([states, fmu.free_states]), wrenches, *summary)]
    for k in range(steps):
        fmu.step(k * h, h, states)
        if shadow:
            shadow.step(states)
        # the fmu computes a wrench about its own estimate of the body's position, r + v h. torques about that point
        # conserve angular momentum, although the body itself moves to a slightly different position
        estimate = states[:, :3] + h * states[:, 7:10]
        if fmu.coupling == "gauss_seidel":
            wrenches, *_ = fmu.read()
        point = about[free] if fmu.coupling == "none" else None  # with coupling, torques are about the moving origin
        if free:
            states[free] = advance(masses, states[free], wrenches[free], point, h)
        wrenches, *summary = fmu.read()
        about = estimate
        if (k + 1) % every == 0 or k + 1 == steps:
            rows.append(((k + 1) * h, np.concatenate([states, fmu.free_states]), wrenches, *summary))
            if shadow:
                shadow.record(states, wrenches)
        if progress is not None and k % 256 == 0:
            progress((k + 1) / steps)
    return rows


@contextmanager
def _recorded(fmu: ContactFmu, h: float,
              results: str | Path | Callable[[Model], ResultWriter | None] | None) -> Iterator[Shadow | None]:
    """Record the block's run, if results are wanted."""
    if results is None:
        yield None
        return
    model = fmu.python_model()
    writer = results(model) if callable(results) else ResultWriter(results, model, source=f"FMU {fmu.path}")
    if writer is None:
        yield None
        return
    with writer:
        yield Shadow(fmu, model, h, writer)
        writer.close(fmu.warnings)


def _flying(fmu: ContactFmu, fixed: Collection[str],
            masses: Mapping[str, MassProperties]) -> dict[str, MassProperties]:
    for what, name in (*(("fixed", name) for name in fixed), *(("masses", name) for name in masses)):
        if name in fmu.free:
            raise ValueError(f"{what} = '{name}': the FMU moves this body itself: export a scene in which the body "
                             "is external")
        if name not in fmu.names:
            raise ValueError(f"{what} = '{name}': there is no such body; {tables.hint(name, fmu.names)}")
    known = mass_properties(fmu.model) | dict(masses)
    flying = {name: known[name] for name in fmu.names if name in known and name not in fixed}
    if not flying and not fmu.free:
        raise ValueError(f"{fmu.path}: no body can move: give at least one body a mass and an inertia, and do not list "
                         "this body in `fixed`")
    return flying


def _positive(name: str, value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]  # fmpy returns text, or None if the fmu has no value
    except (TypeError, ValueError):
        raise ValueError(f"{name} is missing: the FMU has no default {name}: give a value") from None
    if not (math.isfinite(number) and number > 0):
        raise ValueError(f"{name} = {number:g}: must be finite and greater than zero")
    return number
