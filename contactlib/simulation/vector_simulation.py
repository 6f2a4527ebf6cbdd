"""VectorSimulation: many independent worlds of one model that step together, for learning and Monte Carlo."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from contactlib._core import engine
from contactlib.common.arguments import index_of, thread_count, whole
from contactlib.model.model import Model
from contactlib.simulation.contacts import ContactArray
from contactlib.simulation.variables import VariableNames

Floats = NDArray[np.float64]
Saved = Sequence[bytes]
VectorStates = ArrayLike | Mapping[str, Any]
#: parts of a body's state
_PARTS = {"r": slice(0, 3), "q": slice(3, 7), "v": slice(7, 10), "w": slice(10, 13)}
#: most worlds of one VectorSimulation
MAX_WORLDS = 1_000_000


class WorldError(ValueError):
    """A call of a VectorSimulation failed in some worlds, and changed nothing in any world.

    worlds : the indexes of the worlds that failed. The message names the first one and its error.
    """

    def __init__(self, message: str, worlds: tuple[int, ...]) -> None:
        super().__init__(message, worlds)
        self.worlds = worlds

    def __str__(self) -> str:
        return str(self.args[0])


class VectorSimulation:
    """n worlds: independent instances of one model, stepped together by one call, with states in one array.

    Each world has its own time, friction memory, elements, parameters and commands. Its numbers are bitwise equal to
    those of a `Simulation` that gets the same calls, for any number of threads.

    A call that fails in one world changes nothing in any world and raises a `WorldError` with the indexes of the worlds
    that failed. One thread at a time may use a VectorSimulation.

    >>> import numpy as np
    >>> import contactlib
    >>> worlds = contactlib.VectorSimulation(contactlib.load("peg_in_hole").compile(), 3)
    >>> offsets = np.array([[0.0, 0.0001, 0.03], [0.0, 0.0002, 0.03], [0.0, 0.0003, 0.03]])
    >>> wrenches = worlds.step(1e-3, {"interface": {"r": offsets}})
    >>> wrenches.shape
    (3, 2, 6)
    >>> worlds.get("contact.count").shape
    (3,)
    """

    def __init__(self, model: Model, n: int, *, parameters: Mapping[str, ArrayLike] | None = None,
                 num_threads: int | None = None) -> None:
        """Make n worlds at the initial values of the scene.

        Parameters
        ----------
        model : a compiled scene without contact models in Python.
        n : number of worlds.
        parameters : values of variables by name, as for `set`, with which each world starts, also after `reset`.
        num_threads : None or 1: one thread, -1: all cores, like scipy's `workers`.

        Raises
        ------
        ValueError : an argument that is not allowed, or a model with contact models in Python.
        """
        self.n = whole("n", n, 1)
        if self.n > MAX_WORLDS:
            raise ValueError(f"n = {n}: must be at most {MAX_WORLDS}")
        if model.core.user_laws:
            raise ValueError(f"the model '{model.name}' has contact models in Python, which run one at a time: use "
                             f"separate Simulations")
        self.model = model
        self.num_threads = thread_count(num_threads)
        self._worlds = engine.Worlds(model.core, self.n, self.num_threads)
        self._names = VariableNames(model)
        self._parameters = {name: np.array(value) for name, value in (parameters or {}).items()}
        self.reset()

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return f"<contactlib.VectorSimulation: {self.n} worlds of '{self.model.name}', {self.num_threads} threads>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickle and copy: the model is shared or written once, the states are copied."""
        with self._worlds:
            state = [(data.save(), data.contacts()) for data in self._worlds.instances]
        return _rebuild, (type(self), self.model, self.n, self._parameters, self.num_threads), state

    def __setstate__(self, state: list[tuple[bytes, NDArray[np.void]]]) -> None:
        for data, (saved, contacts) in zip(self._worlds.instances, state, strict=True):
            data.restore(saved)
            data.put_contacts(contacts)

    @property
    def time(self) -> Floats:
        """(n,): time since the start or the last reset of each world, s."""
        return self._worlds.times()

    @property
    def states(self) -> Floats:
        """(n, bodies, 13): r (m), q (scalar first), v (m/s), w (rad/s) of every body; a copy."""
        return self._worlds.states()

    @property
    def wrenches(self) -> Floats:
        """(n, bodies, 6): force (N) and torque (N m) of the last `step`, `compute` or `reset`; a copy."""
        return self._worlds.wrenches()

    @property
    def warnings(self) -> dict[int, tuple[str, ...]]:
        """Sentences on too long steps and deep contacts since the start, by world; worlds without one are left out."""
        with self._worlds:
            found = {i: tuple(filter(None, data.warnings())) for i, data in enumerate(self._worlds.instances)}
        return {i: sentences for i, sentences in found.items() if sentences}

    def contacts(self, world: int) -> ContactArray:
        """Return the contacts of one world, one row each, as `Simulation.contacts` (docs/contacts.md).

        Raises ValueError if there is no such world.
        """
        if whole("world", world, 0) >= self.n:
            raise ValueError(f"world = {world}: must be from 0 to {self.n - 1}")
        with self._worlds:
            return ContactArray.of(self._worlds.instances[world].contacts(), self.model)

    def step(self, dt: float, states: VectorStates | None = None) -> Floats:
        """Advance all worlds by dt (s) and return the wrenches (n, bodies, 6) at the end.

        Parameters
        ----------
        dt : length of the step, s. A step longer than the scene's `step_size` is divided.
        states : (n, bodies, 13) array of r (m), q (scalar first), v (m/s), w (rad/s), or a dict from body names to
            (n, 13) arrays or to a dict with some of r, q, v, w, (n, 3) or (n, 4). An array without the axis of the
            worlds is for all of them. Omitted bodies and parts keep their values.

        Raises
        ------
        ValueError : dt or a shape that is not allowed, an unknown name.
        WorldError : a world refuses its state, or becomes unstable. No world has changed then.
        """
        if not (np.isfinite(dt) and dt > 0):
            raise ValueError(f"dt = {dt}: must be finite and greater than zero")
        with self._worlds, _named_worlds():
            return self._worlds.run(float(dt), self._rows(states))

    def compute(self, states: VectorStates | None = None) -> Floats:
        """Evaluate the wrenches (n, bodies, 6) at the given states; times and friction memory do not change.

        `states` and errors are those of `step`.
        """
        with self._worlds, _named_worlds():
            return self._worlds.run(0.0, self._rows(states))

    def reset(self, worlds: ArrayLike | None = None, states: VectorStates | None = None) -> None:
        """Return worlds to the initial values of the scene, with the `parameters` given at the start.

        Parameters
        ----------
        worlds : (n,) mask of bool, or indexes; by default all worlds.
        states : initial states as for `step`. Rows of other worlds are ignored.

        Raises
        ------
        ValueError, WorldError : as `step` and `set`. No world has changed then.

        Examples
        --------
        >>> import contactlib
        >>> worlds = contactlib.VectorSimulation(contactlib.load("tripod").compile(), 2)
        >>> _ = worlds.step(1e-3)
        >>> worlds.reset([True, False])
        >>> worlds.time.tolist()
        [0.0, 0.001]
        """
        chosen = self._chosen(worlds)
        with self._worlds, self._unchanged_on_error(chosen), _named_worlds():
            self._worlds.reset(chosen)
            self._worlds.run(0.0, None, chosen)
            if self._parameters:
                self._set(self._parameters, chosen)
            if self._parameters or states is not None:
                self._worlds.run(0.0, self._rows(states), chosen)

    def set(self, name: str | Mapping[str, ArrayLike], value: ArrayLike | None = None, *,
            worlds: ArrayLike | None = None) -> None:
        """Change parameters of laws, elements and bodies, commands and loads; the changes act from the next step on.

        `worlds.set("metal.stiffness", [5e4, 1e5])` sets one value in each of two worlds, and one number sets it in all.
        A dict sets several variables together. Names and checks are those of `Simulation.set`.

        Parameters
        ----------
        name : name of a variable, or a dict of values by name.
        value : (n,) numbers, (n, k) for a name of k variables without index, such as "net.reel", or one number for all.
        worlds : (n,) mask of bool, or indexes; values of other worlds are ignored. By default all worlds.

        Raises
        ------
        ValueError : an unknown name, a variable that cannot be set, a wrong shape.
        WorldError : a value out of its range, or values that contradict each other. No world has changed then.
        """
        if isinstance(name, Mapping) != (value is None):
            raise ValueError("set needs a name and a value, or a dict of values by name")
        chosen = self._chosen(worlds)
        with self._worlds, _named_worlds():
            self._set(name if isinstance(name, Mapping) else {name: value}, chosen)

    def _set(self, values: Mapping[str, Any], chosen: NDArray[np.bool_]) -> None:
        pieces = [self._names.numbers(name, value, (self.n,)) for name, value in values.items()]
        if pieces:
            rows = np.array([row for rows, _ in pieces for row in rows], dtype=np.int32)
            self._worlds.set(rows, np.concatenate([numbers for _, numbers in pieces], axis=1), chosen)

    def get(self, name: str) -> Floats:
        """Return a variable of all worlds, (n,), or (n, k) for a name of k variables without index, as "wheel.f".

        Outputs are those of the last `step`, `compute` or `reset`. Raises ValueError for an unknown name.
        """
        rows, shape = self._names.find(name)
        values = self._worlds.get(np.array(rows, dtype=np.int32))
        return values if shape else values[:, 0]

    def save(self) -> tuple[bytes, ...]:
        """Return the state of each world, as `Simulation.save`; `Simulation.restore` accepts each of them."""
        with self._worlds:
            return tuple(data.save() for data in self._worlds.instances)

    def restore(self, saved: Saved, worlds: ArrayLike | None = None) -> None:
        """Restore saved states of the same model, one for each of the n worlds; those of other worlds are ignored.

        `contacts` is empty until the next `step` or `compute`. Raises WorldError, and changes nothing, if a state is
        damaged or of another model (`Simulation.restore`).
        """
        if len(saved) != self.n:
            raise ValueError(f"saved has {len(saved)} states, must have {self.n}: one for each world")
        chosen = self._chosen(worlds)
        with self._worlds, self._unchanged_on_error(chosen):
            for i in np.flatnonzero(chosen).tolist():
                try:
                    self._worlds.instances[i].restore(saved[i])
                except ValueError as error:
                    raise WorldError(f"world {i}: {error}", (i,)) from None

    @contextmanager
    def _unchanged_on_error(self, chosen: NDArray[np.bool_]) -> Iterator[None]:
        """Return these worlds to their present state if the body raises an error."""
        kept = [(data, data.copy_state(), data.contacts())
                for data, affected in zip(self._worlds.instances, chosen, strict=True) if affected]
        try:
            yield
        except BaseException:
            for data, state, contacts in kept:
                data.roll_back(state)
                data.put_contacts(contacts)
            raise

    def _chosen(self, worlds: ArrayLike | None) -> NDArray[np.bool_]:
        """Return a mask (n,) of the worlds that are given as a mask or by their indexes."""
        if worlds is None:
            return np.ones(self.n, dtype=bool)
        given = np.atleast_1d(np.asarray(worlds))
        if given.dtype == bool:
            if given.shape != (self.n,):
                raise ValueError(f"worlds has shape {given.shape}, must be ({self.n},): true or false for each world")
            return given
        if given.size == 0:
            given = given.astype(np.int64)
        if given.dtype.kind not in "iu" or given.ndim != 1 or ((given < 0) | (given >= self.n)).any():
            raise ValueError(f"worlds = {worlds!r}: must be a mask of bool, or indexes from 0 to {self.n - 1}")
        chosen = np.zeros(self.n, dtype=bool)
        chosen[given] = True
        return chosen

    def _rows(self, states: VectorStates | None) -> ArrayLike | None:
        if states is None or not isinstance(states, Mapping):
            return states
        rows = self._worlds.states()
        for name, value in states.items():
            body = rows[:, index_of(self.model.body_names, name)]
            if not isinstance(value, Mapping):
                body[:] = self._columns(name, value, 13)
                continue
            for part, given in value.items():
                if part not in _PARTS:
                    raise ValueError(f"{name}.{part} is not a part of a state: r, q, v or w")
                where = _PARTS[part]
                body[:, where] = self._columns(f"{name}.{part}", given, where.stop - where.start)
        return rows

    def _columns(self, name: str, values: ArrayLike, length: int) -> Floats:
        array = np.asarray(values, dtype=np.float64)
        if array.shape not in ((self.n, length), (length,)):
            raise ValueError(f"{name} has shape {array.shape}, must be ({self.n}, {length}), or ({length},) for all "
                             f"worlds")
        return array


@contextmanager
def _named_worlds() -> Iterator[None]:
    """Turn errors of `engine.Worlds` into errors that name the world."""
    try:
        yield
    except (ValueError, MemoryError) as error:
        if len(error.args) != 2:
            raise
        sentence, failed = error.args
        message = f"world {failed[0]}: {sentence}" + _others(failed[1:])
        raise (MemoryError(message) if isinstance(error, MemoryError) else WorldError(message, failed)) from None


def _others(worlds: Sequence[int]) -> str:
    if not worlds:
        return ""
    named = ", ".join(map(str, worlds[:8])) + (", ..." if len(worlds) > 8 else "")
    return f" (and {len(worlds)} more: world{'s' * (len(worlds) > 1)} {named})"


def _rebuild(kind: type[VectorSimulation], model: Model, n: int, parameters: Mapping[str, ArrayLike],
             num_threads: int) -> VectorSimulation:
    return kind(model, n, parameters=parameters, num_threads=num_threads)
