"""Simulation of a model: `compute` evaluates, `step` advances, `run` records; batches of states run in threads."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from contactlib._core import engine
from contactlib.common.arguments import MAX_THREADS, index_of, numbers, thread_count, whole
from contactlib.common.options import FRAMES
from contactlib.common.tables import choice
from contactlib.elements.view import ElementView, views
from contactlib.model.model import Model
from contactlib.simulation.contact_log import ContactLog
from contactlib.simulation.contacts import ContactArray
from contactlib.simulation.patches import ContactPatches
from contactlib.simulation.results import BatchResult, DeepWarning, Result, StepReport, StepWarning, Trajectory
from contactlib.simulation.user_law_calls import attach_contact_models
from contactlib.simulation.variables import Variables

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# in the order of Data.warnings()
_CAUSES = (StepWarning, StepWarning, DeepWarning, StepWarning, StepWarning, StepWarning)

__all__ = ["MAX_THREADS", "BatchResult", "Result", "Simulation", "StepWarning", "Trajectory", "thread_count", "whole"]
Floats = NDArray[np.float64]
States = ArrayLike | Mapping[str, Any]
_PARTS = {"r": slice(0, 3), "q": slice(3, 7), "v": slice(7, 10), "w": slice(10, 13)}


class Recorder(Protocol):
    """Records frames of a run elsewhere, such as `contactlib.ResultWriter`."""

    def record(self, simulation: Simulation) -> None:
        """Record the present state."""


class Simulation:
    """One instance of a model.

    One thread at a time may use a Simulation: a call from another thread raises a RuntimeError at once and changes
    nothing. Each thread may have its own Simulation, and these may share the Model. Pickle and copy make another
    Simulation with an equal state.

    >>> import contactlib
    >>> simulation = contactlib.Simulation(contactlib.load("peg_in_hole").compile())
    >>> wrenches, contacts = simulation.compute({"interface": {"r": (0.0, 0.0003, 0.03)}})
    >>> len(contacts) > 0
    True
    """

    def __init__(self, model: Model, *, num_threads: int | None = None) -> None:
        """`num_threads`: None or 1: one thread, -1: all cores, like scipy's `workers`.

        Threads divide batches of states and, within a step, the candidates of a large scene. The bits of the results do
        not depend on the number of threads.
        """
        self.model = model
        self.num_threads = thread_count(num_threads)
        self.data = engine.Data(model.core, self.num_threads)
        self._variables = Variables(model, self.data)
        #: this simulation's instances of the scene's contact models in Python, by the names of their laws
        self.contact_models = attach_contact_models(model, self.data)
        self._trajectory: Trajectory | None = None
        self._warned: set[int] = set()
        self._elements = views(model, self.data)
        self._element_outputs = model.element_outputs
        self.data.evaluate()

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickle and copy: the model is shared or written once, the state is copied."""
        with self.data:
            models = {name: dict(getattr(found, "__dict__", {})) for name, found in self.contact_models.items()}
            state = {"saved": self.data.save(), "contacts": self.data.contacts(), "trajectory": self._trajectory,
                     "contact_models": models}
        return _rebuild, (type(self), self.model, self.num_threads), state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.data.restore(state["saved"])
        self.data.put_contacts(state["contacts"])
        self._trajectory = copy.deepcopy(state["trajectory"])
        for name, values in state["contact_models"].items():
            for attribute, value in values.items():
                setattr(self.contact_models[name], attribute, copy.deepcopy(value))

    def reset(self) -> None:
        """Return to the initial values of the scene."""
        with self.data:
            self.data.reset()
            self._warned.clear()
            self.data.evaluate()

    @property
    def time(self) -> float:
        """Time since the start, s."""
        return self.data.time

    @property
    def states(self) -> Floats:
        """(bodies, 13): r, q, v, w of every body, read-only. To change them, pass a copy to `compute` or `step`."""
        return self.data.states()

    @property
    def wrenches(self) -> Floats:
        """(bodies, 6): force and torque of the last `compute` or `step`."""
        return self.data.wrenches()

    @property
    def responses(self) -> Floats:
        """(bodies, 2): estimated response to force and to torque, relative to that of the scene's masses.

        `coupling` estimates them. 1 means that mass and inertia are those of the scene, 0.5 that the body behind the
        interface has twice as much.
        """
        return self.data.responses()

    @property
    def contacts(self) -> ContactArray:
        """Contacts of the last `compute` or `step`, one row each, read-only; docs/contacts.md lists the fields."""
        return ContactArray.of(self.data.contacts(), self.model)

    def contact_patches(self) -> ContactPatches:
        """Find the patches of all contacts at the present state: connected pieces of surface, with load and pressure.

        Positions and velocities are those of the last `compute`, `step` or `restore`. The contacts are evaluated again,
        in one thread; state, contacts and wrenches stay as they are. A call takes longer than `compute`, and allocates
        memory. No law depends on patches: they are for people. `ContactPatches` says what is connected.

        Raises
        ------
        ValueError : as `compute` does, if a force is not finite.

        Examples
        --------
        >>> import contactlib
        >>> simulation = contactlib.Simulation(contactlib.load("peg_in_hole").compile())
        >>> result = simulation.compute({"interface": {"r": (0.0, 0.0003, 0.03)}})
        >>> found = simulation.contact_patches()
        >>> len(found) == len(result.contacts), float(found["area"].max())  # pins touch in points
        (True, 0.0)
        """
        with self.data:
            contacts, *rows = self.data.patches()
            return ContactPatches.of(rows, ContactArray.of(contacts, self.model), self.data.states()[:, :3])

    @property
    def elements(self) -> Mapping[str, ElementView]:
        """The scene's elements by name: `simulation.elements["net"].area`, `simulation.elements["net"].set(reel=...)`.
        """
        return self._elements

    def set(self, name: str | Mapping[str, ArrayLike], value: ArrayLike | None = None) -> None:
        """Change parameters of laws, elements and bodies, commands and loads; the changes act from the next step on.

        `simulation.set("metal.stiffness", 5e4)` sets one value. A dict sets several values together:
        `simulation.set({"metal.mu_static": 0.2, "metal.mu_kinetic": 0.1})`. Names, checks and results are those of the
        FMU's variables in `model.variables`. A name without index, such as "net.reel", needs one value for each index,
        or one value for all.

        Raises ValueError for a name that is unknown or cannot be set, a value out of its range, and values that
        contradict each other; then nothing changes.

        >>> import contactlib
        >>> simulation = contactlib.Simulation(contactlib.load("peg_in_hole").compile())
        >>> simulation.set("pin_hole.stiffness", 1e5)
        >>> simulation.get("pin_hole.stiffness")
        100000.0
        """
        if isinstance(name, Mapping):
            if value is not None:
                raise ValueError("value: must be left out if a dict of values is given")
            self._variables.set(name)
        elif value is None:
            raise ValueError(f"{name}: a value is missing")
        else:
            self._variables.set({name: value})

    def get(self, name: str) -> float | Floats:
        """Return a variable by its name in the FMU; a name without index, such as "wheel.f", returns an array.

        Outputs are those of the last `compute` or `step`. Raises ValueError for an unknown name.
        """
        return self._variables.get(name)

    def cable_nodes(self, element: str) -> tuple[Floats, ...]:
        """Return the nodes of each cable of an element: r, dr/dx and their rates, (elements + 1, 12), world axes, SI.

        Elements without cables return (). Raises ValueError for an unknown element.
        """
        return self.data.cable_nodes(index_of(self.model.element_names, element, "element"))

    def cable_contacts(self, element: str) -> NDArray[np.void]:
        """Return the contacts of the cables of an element in the last sub-step, one row each, read-only.

        Fields, in world axes: `cable`, number of the cable within the element; `shape` and `body`, numbers of what it
        touches, or -1 and `other_cable`; point `p_WC` (m), half-way between both surfaces; unit normal `n_W`, from
        what it touches to the cable; force on the cable `f_W` (N), with friction, mean over the sub-step; `depth` (m)
        at its beginning, < 0 where the cable was still apart. Their number is the output `touching`.

        There are none before the first step, and none after `restore`, `reset` or a copy until the next step: a saved
        state has no contacts. Elements without cables have none. Raises ValueError for an unknown element.

        >>> import contactlib
        >>> simulation = contactlib.Simulation(contactlib.load("lee_snare").compile())
        >>> _ = simulation.step(1e-3)
        >>> simulation.cable_contacts(simulation.model.element_names[0]).dtype.names
        ('cable', 'other_cable', 'shape', 'body', 'p_WC', 'n_W', 'f_W', 'depth')
        """
        return self.data.cable_contacts(index_of(self.model.element_names, element, "element"))

    @property
    def result(self) -> Result:
        wrenches, contacts = self.data.outputs()
        return Result(wrenches, ContactArray.of(contacts, self.model), self.model.body_names)

    @property
    def energy_dissipated(self) -> float:
        """Energy that all contacts have dissipated so far, J; never decreases."""
        return self.data.energy_dissipated

    @property
    def energy_error(self) -> float:
        """Numerical energy gain (> 0) or loss (< 0) of contacts and elements, J: an error of the steps.

        The error is stored energy (change since the start) + dissipated energy - energy supplied by commands - work of
        the bodies. With the integrator semi_implicit_euler, kinetic + stored + dissipated - supplied - error is
        constant except for rounding.
        """
        return self.data.energy_error

    @property
    def deep(self) -> int:
        """Number of contacts that are deeper than their force is defined for (docs/manifolds.md, "Deep overlap")."""
        return self.data.deep

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences on too long steps, fast bodies (StepWarning) and deep contacts (DeepWarning) since the start.

        `run` issues each sentence once as a warning.
        """
        return tuple(filter(None, self.data.warnings()))

    @property
    def step_report(self) -> StepReport:
        """Number and lengths of the sub-steps of the last `step`; with `step_size = "auto"` the core chose them."""
        count, refused, total, shortest = self.data.sub_steps()
        return StepReport(count, refused, shortest, total / count if count else 0.0)

    @property
    def energy_stored(self) -> float:
        """Elastic energy in normal springs and bristles, J."""
        return self.data.energy_stored

    def compute(self, states: States | None = None) -> Result:
        """Evaluate contacts and wrenches at the given states; time and friction memory do not change.

        Parameters
        ----------
        states : (bodies, 13) array of r (m), q (scalar first), v (m/s), w (rad/s), or a dict from body names to 13
            numbers or to a dict with some of r, q, v, w. Omitted bodies and parts keep their values.

        Raises
        ------
        ValueError : wrong shape or name, not finite, |q| off 1 by more than 1e-3. The state is then unchanged.
        """
        with self.data:
            self.data.evaluate(self._rows(states))
            return self.result

    def step(self, dt: float, states: States | None = None) -> Result:
        """Advance by dt (s) and return the wrenches at the end. External bodies move with the twist in `states`.

        Raises ValueError as `compute` does, and if dt is not finite and positive. The state is then unchanged.
        """
        with self.data:
            self.data.advance(float(dt), self._rows(states))
            return self.result

    def run(self, duration: float, dt: float, *, every: int = 1,
            inputs: Callable[[float], States] | None = None, log: ContactLog | None = None,
            results: Recorder | None = None) -> Trajectory:
        """Run for a duration (s) in steps of dt (s) and record each `every`-th step.

        `inputs(t)` returns states before each step. `log` records the contacts at the start and after each step.
        `results` records the start and each `every`-th step, such as `contactlib.ResultWriter`.

        The scene's integrator moves free bodies under contact forces, gravity and loads from `apply`.

        Raises ValueError for arguments that are not allowed, and if the run becomes unstable; the message names time,
        body and law. Warns once (StepWarning) if the energy error exceeds 1 % of the exchanged energy, and if a step is
        too long for the stiffest contact. Warns once (DeepWarning) if a contact is deep.
        """
        if not (np.isfinite(duration) and np.isfinite(dt) and duration > 0 and dt > 0):
            raise ValueError(f"duration = {duration}, dt = {dt}: both must be finite and greater than zero")
        every = whole("every", every, 1)
        with self.data:
            return self._run(max(1, round(duration / dt)), dt, every, inputs, log, results)

    def _run(self, steps: int, dt: float, every: int, inputs: Callable[[float], States] | None,
             log: ContactLog | None, results: Recorder | None) -> Trajectory:
        rows = [self._record(results)]
        if log is not None:
            log.record(self)
        for k in range(1, steps + 1):
            self.data.advance(dt, None if inputs is None else self._rows(inputs(self.time)))
            if log is not None:
                log.record(self)
            if k % every == 0 or k == steps:
                rows.append(self._record(results))
        *columns, outputs = (np.array(column) for column in zip(*rows, strict=True))
        self._warn()
        self._trajectory = Trajectory(self.model.body_names, *columns, outputs=outputs,
                                      output_names=tuple(self._element_outputs.values()), warnings=self.warnings)
        return self._trajectory

    def _warn(self) -> None:
        for cause, sentence in enumerate(self.data.warnings()):
            if sentence and cause not in self._warned:
                self._warned.add(cause)
                warnings.warn(sentence, _CAUSES[cause], stacklevel=4)

    def _record(self, results: Recorder | None) -> tuple[float, Floats, Floats, int, int, float, float, float, float,
                                                         list[float]]:
        if results is not None:
            results.record(self)
        d = self.data
        outputs = [d.get(row) for row in self._element_outputs]
        return (d.time, d.states(), d.wrenches(), d.contact_count, d.deep, d.max_depth, d.energy_dissipated,
                d.energy_stored, d.energy_error, outputs)

    def plot(self) -> Figure:
        """Draw the last `run` as a figure (needs the extra [plot])."""
        if self._trajectory is None:
            raise ValueError("there is no run to plot: call run() first")
        return self._trajectory.plot()

    def apply(self, body: str, force: Sequence[float], torque: Sequence[float] = (0.0, 0.0, 0.0), *,
              axes: str = "world") -> None:
        """Apply a constant load to a free body until the next call: N, and N m about the body's origin.

        `axes`: "world", or "body" for a load that rotates with the body, such as a thruster. Both loads are added.
        """
        index = index_of(self.model.body_names, body)
        if self.model.motions[index] != "free":
            raise ValueError(f"body '{body}' is {self.model.motions[index]}: only free bodies can be loaded")
        turns = choice(FRAMES)("axes", axes) == "body"
        load = (*numbers("force", force, 3), *numbers("torque", torque, 3))
        with self.data:
            loads = self.data.applied(turns).copy()
            loads[index] = load
            self.data.set_applied(loads, turns)

    def save(self) -> bytes:
        """Return the whole state; a run from the restored state repeats bit by bit."""
        return self.data.save()

    def restore(self, saved: bytes) -> None:
        """Restore a saved state of the same model; `contacts` is empty until the next `compute` or `step`.

        Raises ValueError, and changes nothing, if the bytes are from another model or version, are damaged, or hold a
        number out of its range.
        """
        self.data.restore(saved)

    def compute_batch(self, states: ArrayLike, num_threads: int | None = None) -> BatchResult:
        """Compute the wrenches of N independent states (N, bodies, 13) in threads, without friction memory.

        The bits of the result do not depend on the number of threads. ValueError names the first state that is not
        allowed.
        """
        array = np.ascontiguousarray(states, dtype=np.float64)
        if array.ndim != 3:
            raise ValueError(f"states has shape {array.shape}, must be (N, {len(self.model.body_names)}, 13)")
        threads = self.num_threads if num_threads is None else thread_count(num_threads)
        threads = max(1, min(threads, len(array)))  # each thread allocates its own state
        return BatchResult(*engine.compute_batch(self.model.core, array, threads))

    def _rows(self, states: States | None) -> ArrayLike | None:
        if isinstance(states, np.ndarray) or not isinstance(states, Mapping):
            return states
        rows = self.data.states().copy()
        for name, value in states.items():
            row = rows[index_of(self.model.body_names, name)]
            if not isinstance(value, Mapping):
                row[:] = numbers(name, value, 13)
                continue
            for part, given in value.items():
                if part not in _PARTS:
                    raise ValueError(f"{name}.{part} is not a part of a state: r, q, v or w")
                where = _PARTS[part]
                row[where] = numbers(f"{name}.{part}", given, where.stop - where.start)
        return rows


def _rebuild(kind: type[Simulation], model: Model, num_threads: int) -> Simulation:
    return kind(model, num_threads=num_threads)
