"""Calls of a Simulation: arrays that nobody can change, results that stay, variables by name."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

import contactlib
from contactlib import Simulation

TOUCHING = {"interface": {"r": (0.0, 0.0003, 0.03), "v": (0.01, 0.0, -0.02)}}


@pytest.fixture
def simulation() -> Simulation:
    made = Simulation(contactlib.load("peg_in_hole").compile())
    assert len(made.compute(TOUCHING).contacts) > 0
    return made


ARRAYS: tuple[Callable[[Simulation], NDArray[np.generic]], ...] = (
    lambda s: s.states, lambda s: s.wrenches, lambda s: s.responses, lambda s: s.contacts,
    lambda s: s.result.wrenches, lambda s: s.result.contacts, lambda s: s.step(1e-4).wrenches)


@pytest.mark.parametrize("array", ARRAYS)
def test_arrays_of_a_simulation_are_read_only(
        simulation: Simulation, array: Callable[[Simulation], NDArray[np.generic]]) -> None:
    found = array(simulation)
    with pytest.raises(ValueError, match="read-only"):
        found[0] = found[0]


def test_a_result_stays_as_it_is(simulation: Simulation) -> None:
    result, states = simulation.result, simulation.states
    before = [result.wrenches.copy(), result.contacts.copy(), states.copy()]
    simulation.step(1e-3)
    assert simulation.wrenches.tobytes() != before[0].tobytes()
    for kept, copy in zip((result.wrenches, result.contacts, states), before, strict=True):
        assert kept.tobytes() == copy.tobytes()


def test_states_are_accepted_in_every_form(simulation: Simulation) -> None:
    """Rows of any layout and number type give the bits that C-ordered float64 gives."""
    states = simulation.states
    expected = simulation.compute(states).wrenches.tobytes()
    wide = np.zeros((2, 26))
    wide[:, ::2] = states
    forms = (np.asfortranarray(states), wide[:, ::2], states.tolist(), states.astype(np.longdouble),
             states.astype(states.dtype.newbyteorder()))
    for form in forms:
        simulation.reset()
        assert simulation.compute(form).wrenches.tobytes() == expected


@pytest.mark.parametrize("states", (np.zeros(26), np.zeros((3, 13)), np.zeros((2, 12)), [], [[1.0], [1.0, 2.0]], "r",
                                    {"interface": {"r": (0.0, np.nan, 0.0)}}))
def test_refused_states_change_nothing(simulation: Simulation, states: object) -> None:
    before = simulation.save(), simulation.contacts.tobytes()
    for call in (simulation.compute, lambda rows: simulation.step(1e-3, rows)):
        with pytest.raises((ValueError, TypeError)):
            call(states)  # type: ignore[arg-type]
        assert (simulation.save(), simulation.contacts.tobytes()) == before


def test_get_reads_the_wrench(simulation: Simulation) -> None:
    """One number and all numbers of a variable are those of `wrenches`; an array of `get` belongs to the caller."""
    for _ in range(3):
        simulation.step(1e-3)
        force = simulation.get("interface.f")
        assert isinstance(force, np.ndarray) and force.tobytes() == simulation.wrenches[0, :3].tobytes()
        assert [simulation.get(f"interface.f[{i}]") for i in (1, 2, 3)] == force.tolist()
        force[:] = 0.0
        assert simulation.get("interface.f[3]") == simulation.wrenches[0, 2] != 0.0
