"""Contact of MuJoCo's bodies by contactlib: joints, actuators and motion are MuJoCo's (docs/mujoco.md).

MuJoCo integrates; contactlib computes the contact of the pairs that it is given, and MuJoCo's own contact is switched
off for exactly these pairs. The scene has the option coupling = "gauss_seidel": contactlib predicts the bodies over
MuJoCo's step and returns the mean wrench over it, so this step need not resolve the contact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from contactlib.adapters.versions import require

LOWEST = "3.3"
require("mujoco", "mujoco", LOWEST, [f"mujoco:{name}" for name in (
    "MjModel", "MjData", "mj_step", "mj_kinematics", "mj_comPos", "mj_comVel", "mj_fwdPosition", "mj_jacBodyCom",
    "mj_solveM", "mj_integratePos", "mj_getState", "mj_setState", "mj_stateSize",
    "mjtState.mjSTATE_FULLPHYSICS", "mjtGeom.mjGEOM_MESH")])

import mujoco  # noqa: E402  after the check of its version

from contactlib.adapters.coupled_scene import (  # noqa: E402
    coupled_scene,
    linked_bodies,
    mass_values,
    parameters,
    restart,
)
from contactlib.adapters.mujoco_filter import switch_off  # noqa: E402
from contactlib.adapters.mujoco_geoms import geoms_of_pairs, scene_from_geoms  # noqa: E402
from contactlib.adapters.mujoco_links import Links  # noqa: E402
from contactlib.common.arguments import thread_count  # noqa: E402
from contactlib.model.spec import Spec, load  # noqa: E402
from contactlib.simulation.simulation import Simulation  # noqa: E402

__all__ = ["LOWEST", "MujocoContact", "scene_from_geoms"]
Floats = NDArray[np.float64]
FULL = mujoco.mjtState.mjSTATE_FULLPHYSICS


class MujocoContact:
    """Contact of some bodies of an MjModel, for one MjData at a time.

    >>> import mujoco
    >>> from contactlib.adapters.mujoco import MujocoContact
    >>> model = mujoco.MjModel.from_xml_string('''<mujoco><worldbody>
    ...     <geom name="floor" type="plane" size="1 1 1"/>
    ...     <body name="ball" pos="0 0 0.1"><freejoint/><geom size="0.1" mass="1"/></body>
    ... </worldbody></mujoco>''')
    >>> data = mujoco.MjData(model)
    >>> contact = MujocoContact.from_geoms(model, [("ball", "floor")], normal={
    ...     "kind": "kelvin_voigt", "stiffness": 1e5, "damping": 300.0})
    >>> while data.time < 1.0:
    ...     contact.step(data)
    >>> round(float(data.xfrc_applied[1, 2]), 6), data.ncon    # N: the ball's weight; MuJoCo itself has no contact
    (9.81, 0)
    """

    def __init__(self, model: Any, scene: Spec | str | Path, *, bodies: Mapping[str, str] | None = None,
                 geoms: Iterable[str | int] | None = None) -> None:
        """Link a scene with the bodies of an MjModel.

        Parameters
        ----------
        model : the MjModel. The contact of the scene's pairs is switched off in it, by its masks.
        scene : a Spec, a scene.toml, or the name of a shipped scene. The frame of a body is that of MuJoCo's body.
            Masses, initial states and gravity are MuJoCo's; the scene's own count for bodies that MuJoCo has not.
        bodies : names of bodies that differ, scene's body to MuJoCo's, such as {"interface": "hand"}. All other bodies
            are linked by equal names.
        geoms : names or numbers of the geoms whose contact is switched off; by default all geoms of the bodies
            in the pairs.

        Raises
        ------
        ValueError : an unknown name, an external body that is not linked, or pairs that cannot be switched off. OSError
            if there is no such file.
        """
        spec = scene if isinstance(scene, Spec) else load(scene)
        names = [model.body(i).name for i in range(model.nbody)]
        links = linked_bodies(spec, filter(None, names), bodies or {}, "MjModel")
        self.model = model
        self._links = Links(model, [names.index(name) for name in links.values()])
        masses = self._links.apparent_masses(mujoco.MjData(model))
        switch_off(model, geoms_of_pairs(model, spec, links, geoms))
        #: the scene as contactlib simulates it
        self.spec = coupled_scene(spec, dict(zip(links, masses, strict=True)))
        #: the contact: its contacts, elements, parameters, energies
        self.simulation = Simulation(self.spec.compile())
        self._rows = np.array([self.simulation.model.body_names.index(name) for name in links])
        self._moving = [(k, name) for k, (name, mass) in enumerate(zip(links, masses, strict=True)) if mass is not None]
        self._time: float | None = None

    @classmethod
    def from_geoms(cls, model: Any, pairs: Sequence[tuple[str, str]], *, step_size: float = 1e-4,
                   **law: Mapping[str, Any]) -> MujocoContact:
        """Take over the contact between geoms of an MjModel.

        `pairs` and `law` are those of `scene_from_geoms`; `step_size` is the longest step of the contact, s.
        """
        spec, geoms = scene_from_geoms(model, pairs, step_size=step_size, **law)
        return cls(model, spec, geoms=geoms)

    def step(self, data: Any) -> None:
        """Advance contact and MjData by model.opt.timestep: `apply`, and then mj_step."""
        self.apply(data)
        mujoco.mj_step(self.model, data)

    def apply(self, data: Any) -> None:
        """Advance the contact from data.time by model.opt.timestep, and write its mean wrench to data.xfrc_applied.

        Rows of other bodies are not changed. Loads of your own on linked bodies must be added after each `apply`.

        Raises ValueError if data.time is not where the last step ended; then call `reset`.
        """
        h = self.model.opt.timestep
        if self._time is None:
            self.reset(data)
        elif abs(data.time - self._time) > 0.5 * h:
            raise ValueError(f"data.time = {data.time:g} s: the contact is at {self._time:g} s: call apply(data) once "
                             "for each mj_step, and reset(data) after data was reset or set")
        states = self.simulation.states.copy()
        states[self._rows] = self._links.states(data)
        self.simulation.step(h, states)
        self._links.apply(data, self.simulation.wrenches[self._rows])
        self._time = data.time + h

    def reset(self, data: Any) -> None:
        """Start from the state in data: contact without memory, apparent masses at data.qpos. Parameters stay."""
        restart(self.simulation)
        self.update_masses(data)
        states = self.simulation.states.copy()
        states[self._rows] = self._links.states(data)
        self.simulation.compute(states)
        self._time = data.time

    def update_masses(self, data: Any) -> None:
        """Set the apparent masses of the bodies at data.qpos; between calls the contact estimates their change."""
        found = self._links.apparent_masses(data)
        values: dict[str, ArrayLike] = {}
        for k, name in self._moving:
            mass = found[k]
            assert mass is not None  # whether a body can move depends on its joints alone
            values |= mass_values(name, mass)
        if values:
            self.simulation.set(values)

    def rollout(self, initial_state: ArrayLike, control: ArrayLike | None = None, *, nstep: int | None = None,
                num_threads: int | None = -1) -> Floats:
        """Roll out a batch of runs, as mujoco.rollout does, each with its own contact.

        Parameters
        ----------
        initial_state : (N, nstate), states of mj_getState with mjSTATE_FULLPHYSICS.
        control : (N, nstep, nu), or None for zero.
        nstep : number of steps, if there is no control.
        num_threads : like scipy's `workers`; -1: all cores. The results do not depend on it.

        Returns
        -------
        (N, nstep, nstate), the state after each step. Each run equals one by `reset` and `step`, bit by bit.

        Raises ValueError for a wrong shape.
        """
        starts = np.asarray(initial_state, dtype=np.float64)
        size = mujoco.mj_stateSize(self.model, FULL)
        if starts.ndim != 2 or starts.shape[1] != size:
            raise ValueError(f"initial_state has shape {starts.shape}, must be (N, {size})")
        controls = self._controls(len(starts), control, nstep)
        runs = [(starts[i], controls[i]) for i in range(len(starts))]
        return np.array(_in_threads(self._run, runs, thread_count(num_threads))).reshape(*controls.shape[:2], size)

    def _controls(self, runs: int, control: ArrayLike | None, nstep: int | None) -> Floats:
        if control is None:
            if nstep is None or nstep < 1:
                raise ValueError(f"nstep = {nstep}: give a number of steps of 1 or more, or a control")
            return np.zeros((runs, nstep, self.model.nu))
        controls = np.asarray(control, dtype=np.float64)
        if controls.ndim != 3 or controls.shape[::2] != (runs, self.model.nu):
            raise ValueError(f"control has shape {controls.shape}, must be ({runs}, nstep, {self.model.nu})")
        return controls

    def _run(self, start: Floats, control: Floats) -> Floats:
        data, contact = mujoco.MjData(self.model), self._twin()
        mujoco.mj_setState(self.model, data, start, FULL)
        states = np.empty((len(control), len(start)))
        for state, values in zip(states, control, strict=True):
            data.ctrl[:] = values
            contact.step(data)
            mujoco.mj_getState(self.model, data, state, FULL)
        return states

    def _twin(self) -> MujocoContact:
        """Another contact for the same model, with the same parameters."""
        twin = object.__new__(MujocoContact)
        simulation = Simulation(self.simulation.model)
        simulation.set(parameters(self.simulation))
        twin.__dict__.update(self.__dict__, simulation=simulation, _links=self._links.twin(), _time=None)
        return twin


def _in_threads(run: Callable[[Floats, Floats], Floats], runs: Sequence[tuple[Floats, Floats]],
                threads: int) -> list[Floats]:
    with ThreadPoolExecutor(max(1, min(threads, len(runs)))) as pool:
        return list(pool.map(run, *zip(*runs, strict=True))) if runs else []
