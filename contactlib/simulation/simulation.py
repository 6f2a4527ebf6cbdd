"""Simulation: one model in motion. `compute` evaluates, `step` advances, `run` records; batches run in threads."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from contactlib._core import engine
from contactlib.common.arguments import MOST_THREADS, index_of, numbers, thread_count, whole
from contactlib.common.options import FRAMES
from contactlib.common.tables import choice
from contactlib.elements.view import ElementView, views
from contactlib.model.model import Model
from contactlib.simulation.contact_log import ContactLog
from contactlib.simulation.contacts import ContactArray
from contactlib.simulation.results import BatchResult, DeepWarning, Result, StepWarning, Trajectory
from contactlib.simulation.user_law_calls import bring
from contactlib.simulation.variables import Variables

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_CAUSES = (StepWarning, StepWarning, DeepWarning)  # in the order of Data.warnings()

__all__ = ["MOST_THREADS", "BatchResult", "Result", "Simulation", "StepWarning", "Trajectory", "thread_count", "whole"]
Floats = NDArray[np.float64]
States = ArrayLike | Mapping[str, Any]
_PARTS = {"r": slice(0, 3), "q": slice(3, 7), "v": slice(7, 10), "w": slice(10, 13)}


class Simulation:
    """One instance of a model.

    One thread at a time may use a Simulation: a call of another thread raises a RuntimeError at once and changes
    nothing. Simulations of their own in every thread are fine, and they may share the Model. Pickle and copy make
    another Simulation with the same state.

    >>> import contactlib
    >>> simulation = contactlib.Simulation(contactlib.load("peg_in_hole").compile())
    >>> wrenches, contacts = simulation.compute({"interface": {"r": (0.0, 0.0003, 0.03)}})
    >>> len(contacts) > 0
    True
    """

    def __init__(self, model: Model, *, num_threads: int | None = None) -> None:
        """`num_threads`: None or 1 is one thread, -1 all cores, as scipy's `workers`.

        They share batches of states and, within a step, the candidates of a large scene; the bits stay the same.
        """
        self.model = model
        self.num_threads = thread_count(num_threads)
        self.data = engine.Data(model.core, self.num_threads)
        self._variables = Variables(model, self.data)
        #: the scene's contact models in Python, by the names of their laws: instances of this simulation's own
        self.contact_models = bring(model, self.data)
        self._trajectory: Trajectory | None = None
        self._warned: set[int] = set()
        self._elements = views(model, self.data)
        self._element_outputs = model.element_outputs
        self.data.evaluate()

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle and copy: the model is shared, or written once; the state is copied."""
        with self.data:
            models = {name: dict(getattr(found, "__dict__", {})) for name, found in self.contact_models.items()}
            state = {"saved": self.data.save(), "contacts": self.data.contacts(), "trajectory": self._trajectory,
                     "contact_models": models}
        return _made_again, (type(self), self.model, self.num_threads), state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.data.restore(state["saved"])
        self.data.put_contacts(state["contacts"])
        self._trajectory = copy.deepcopy(state["trajectory"])
        for name, values in state["contact_models"].items():
            for attribute, value in values.items():
                setattr(self.contact_models[name], attribute, copy.deepcopy(value))

    def reset(self) -> None:
        """Back to the start values of the scene."""
        with self.data:
            self.data.reset()
            self._warned.clear()
            self.data.evaluate()

    @property
    def time(self) -> float:
        """s, since the start."""
        return self.data.time

    @property
    def states(self) -> Floats:
        """(bodies, 13): r, q, v, w of every body. Read-only: `compute` and `step` take states, such as a `.copy()`."""
        return _read_only(self.data.states())

    @property
    def wrenches(self) -> Floats:
        """(bodies, 6): force and torque of the last `compute` or `step`."""
        return _read_only(self.data.wrenches())

    @property
    def responses(self) -> Floats:
        """(bodies, 2): response to force and to torque that `coupling` learnt, over that of the scene's masses.

        1 means that mass and inertia are as the scene says, 0.5 that the body behind the interface has twice as much.
        """
        return _read_only(self.data.responses())

    @property
    def contacts(self) -> ContactArray:
        """Contacts of the last `compute` or `step`, one row each, read-only; docs/contacts.md lists the fields."""
        return ContactArray.of(_read_only(self.data.contacts()), self.model)

    @property
    def elements(self) -> Mapping[str, ElementView]:
        """The scene's elements by name: `simulation.elements["net"].area`, `simulation.elements["net"].set(reel=...)`.
        """
        return self._elements

    def set(self, name: str | Mapping[str, ArrayLike], value: ArrayLike | None = None) -> None:
        """Change parameters of laws and elements, commands and loads, which count from the next step on.

        `simulation.set("metal.stiffness", 5e4)`, or several that belong together at once:
        `simulation.set({"metal.mu_static": 0.2, "metal.mu_kinetic": 0.1})`. Names, checks and results are those of the
        FMU's variables, of which `model.variables` is the table; a name without its number, such as "net.reel", takes
        a value for each of its numbers, or one for all.

        Raises ValueError for a name that is not known or cannot be set, a value that is out of its range, and values
        that do not go together; then nothing changes.

        >>> import contactlib
        >>> simulation = contactlib.Simulation(contactlib.load("peg_in_hole").compile())
        >>> simulation.set("pin_hole.stiffness", 1e5)
        >>> simulation.get("pin_hole.stiffness")
        100000.0
        """
        if isinstance(name, Mapping):
            if value is not None:
                raise ValueError("a table of values takes no value besides")
            self._variables.set(name)
        elif value is None:
            raise ValueError(f"{name}: a value is missing")
        else:
            self._variables.set({name: value})

    def get(self, name: str) -> float | Floats:
        """A variable by its name in the FMU; an array where the name stands for several, as "net.reel" or "wheel.f".

        Outputs are those of the last `compute` or `step`. Raises ValueError if there is none of that name.
        """
        return self._variables.get(name)

    def cable_nodes(self, element: str) -> tuple[Floats, ...]:
        """Of each cable of an element its nodes, (elements + 1, 12): r, dr/dx and their rates, world axes, m and m/s.

        Raises ValueError if there is no such element; () is what elements without cables have.
        """
        return self.data.cable_nodes(index_of(self.model.element_names, element, "element"))

    @property
    def result(self) -> Result:
        with self.data:
            return Result(self.wrenches, self.contacts, self.model.body_names)

    @property
    def energy_dissipated(self) -> float:
        """J, turned into heat by all contacts so far: the integral of their heat, which never falls."""
        return self.data.energy_dissipated

    @property
    def energy_error(self) -> float:
        """J, what contacts and elements gained (> 0) or lost (< 0) out of nothing: an error of the step.

        Energy stored since the start plus dissipated, less what commands supplied and the bodies' work. With the
        integrator semi_implicit_euler kinetic energy + stored + dissipated - supplied - error stays to rounding.
        """
        return self.data.energy_error

    @property
    def deep(self) -> int:
        """How many contacts are deeper in a mesh now than their force is defined for (docs/manifolds.md)."""
        return self.data.deep

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences on too long steps (StepWarning) and deep contacts (DeepWarning) since the start.

        `run` gives each as a warning, once.
        """
        return tuple(filter(None, self.data.warnings()))

    @property
    def energy_stored(self) -> float:
        """J, elastic energy in normal springs and bristles now."""
        return self.data.energy_stored

    def compute(self, states: States | None = None) -> Result:
        """Contacts and wrenches at the given states; time and friction memory stand still.

        Parameters
        ----------
        states : (bodies, 13) array of r (m), q (scalar first), v (m/s), w (rad/s), or a dict from body names to 13
            numbers or to a dict with some of r, q, v, w. Bodies or parts left out stay as they are.

        Raises
        ------
        ValueError : wrong shape or name, not finite, |q| off 1 by more than 1e-3; the state is as before.
        """
        with self.data:
            self.data.evaluate(self._rows(states))
            return self.result

    def step(self, dt: float, states: States | None = None) -> Result:
        """Move on by dt (s) and return the wrenches there. External bodies move along the twist that `states` gives.

        Raises ValueError as `compute`, and if dt is not a positive finite number; the state is as before.
        """
        with self.data:
            self.data.advance(float(dt), self._rows(states))
            return self.result

    def run(self, duration: float, dt: float, *, every: int = 1,
            inputs: Callable[[float], States] | None = None, log: ContactLog | None = None) -> Trajectory:
        """Steps of dt (s) for a duration (s), recording each `every`-th. `inputs(t)` may give states before each step.

        `log` takes note of the contacts at the start and after each step.

        Free bodies are moved by the scene's integrator under contact, gravity and `apply`-ed loads.

        Raises ValueError for arguments that are not allowed, and where the run becomes unstable: the sentence names
        time, body and law. Warns (StepWarning) once where the energy error passes 1 % of the energy turned over, and
        where a step is longer than the stiffest contact can bear; and (DeepWarning) where a contact is deep in a mesh.
        """
        if not (np.isfinite(duration) and np.isfinite(dt) and duration > 0 and dt > 0):
            raise ValueError(f"duration = {duration}, dt = {dt}: both must be finite and greater than zero")
        every = whole("every", every, 1)
        with self.data:
            return self._run(max(1, round(duration / dt)), dt, every, inputs, log)

    def _run(self, steps: int, dt: float, every: int, inputs: Callable[[float], States] | None,
             log: ContactLog | None) -> Trajectory:
        rows = [self._record()]
        if log is not None:
            log.look(self)
        for k in range(1, steps + 1):
            self.data.advance(dt, None if inputs is None else self._rows(inputs(self.time)))
            if log is not None:
                log.look(self)
            if k % every == 0 or k == steps:
                rows.append(self._record())
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

    def _record(self) -> tuple[float, Floats, Floats, int, int, float, float, float, float, list[float]]:
        d = self.data
        outputs = [d.get(row) for row in self._element_outputs]
        return (d.time, d.states(), d.wrenches(), d.contact_count, d.deep, d.max_depth, d.energy_dissipated,
                d.energy_stored, d.energy_error, outputs)

    def plot(self) -> Figure:
        """The last `run` as a figure (needs the extra [plot])."""
        if self._trajectory is None:
            raise ValueError("there is nothing to plot yet: call run() first")
        return self._trajectory.plot()

    def apply(self, body: str, force: Sequence[float], torque: Sequence[float] = (0.0, 0.0, 0.0), *,
              axes: str = "world") -> None:
        """Load a free body from outside until further notice: N and N m about its origin.

        `axes`: "world", or "body" for a load that turns with the body, such as a thruster; the two add up.
        """
        index = index_of(self.model.body_names, body)
        if self.model.motions[index] != "free":
            raise ValueError(f"body '{body}' is {self.model.motions[index]}: only free bodies can be loaded")
        turns = choice(FRAMES)("axes", axes) == "body"
        load = (*numbers("force", force, 3), *numbers("torque", torque, 3))
        with self.data:
            loads = self.data.applied(turns)
            loads[index] = load
            self.data.set_applied(loads, turns)

    def save(self) -> bytes:
        """The whole state: `restore` it and the run repeats to the last bit."""
        return self.data.save()

    def restore(self, saved: bytes) -> None:
        """Back to a saved state of the same model; `contacts` is then empty until the next `compute` or `step`.

        Raises ValueError, with nothing changed, where the bytes are of another model or version, damaged, or hold a
        number out of its range.
        """
        self.data.restore(saved)

    def compute_batch(self, states: ArrayLike, num_threads: int | None = None) -> BatchResult:
        """Wrenches of N independent states (N, bodies, 13), without friction memory, in threads.

        The result has the same bits at any number of threads. ValueError names the first state that is not allowed.
        """
        array = np.ascontiguousarray(states, dtype=np.float64)
        if array.ndim != 3:
            raise ValueError(f"states has shape {array.shape}, must be (N, {len(self.model.body_names)}, 13)")
        threads = self.num_threads if num_threads is None else thread_count(num_threads)
        threads = max(1, min(threads, len(array)))  # each has a state block of its own
        return BatchResult(*engine.compute_batch(self.model.core, array, threads))

    def _rows(self, states: States | None) -> Floats | None:
        if states is None:
            return None
        if not isinstance(states, Mapping):
            return np.asarray(states, dtype=np.float64)
        rows = self.data.states()
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


def _made_again(kind: type[Simulation], model: Model, num_threads: int) -> Simulation:
    return kind(model, num_threads=num_threads)


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A copy that says so when it is written to."""
    array.flags.writeable = False
    return array
