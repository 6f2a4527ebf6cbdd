"""States of the native FMU: saved, rolled back, serialised, damaged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import fmi2LastSuccessfulTime

from contactlib.fmu.export import export_fmu
from contactlib.model.model import Model
from tests.support.fmu_cases import ERROR, H, Slave, of, peg_model, rattling, refused, run_fmu
from tests.support.saved import sealed_fmu


def test_a_step_rolled_back_repeats_to_the_bit(touching: Slave, model: Model) -> None:
    rows = rattling(model, 100, H, seed=7)
    state = touching.getFMUstate()
    first = run_fmu(touching, rows, H, start=40)
    after = touching.everything()
    touching.setFMUstate(state)
    assert run_fmu(touching, rows, H, start=40).tobytes() == first.tobytes()
    assert touching.everything() == after
    touching.freeFMUstate(state)


def test_a_serialized_state_goes_on_in_a_new_instance(touching: Slave, model: Model, fmu: Path) -> None:
    rows = rattling(model, 50, H, seed=3)
    content = touching.everything()
    expected = run_fmu(touching, rows, H, start=40)
    with Slave(fmu, fmu.with_suffix(""), model, "other") as other:
        other.start(initialize=False).take(content)  # the life cycle is part of the state
        assert other.getRealStatus(fmi2LastSuccessfulTime) == pytest.approx(40 * H)
        assert run_fmu(other, rows, H, start=40).tobytes() == expected.tobytes()


def test_a_state_is_overwritten_in_place_and_its_size_stands_still(touching: Slave, model: Model) -> None:
    state = touching.getFMUstate()
    before = touching.serializeFMUstate(state)
    address = state.value
    touching.setReal(of(model, "input"), rattling(model, 1, H, seed=9)[0])
    touching.fmi2GetFMUstate(touching.component, state)
    again = touching.serializeFMUstate(state)
    assert (state.value, len(again)) == (address, len(before))
    assert again != before


def test_damaged_and_foreign_states_are_refused(touching: Slave, model: Model, tmp_path: Path) -> None:
    content = touching.everything()
    other_model = peg_model(step_size=2e-3)
    other_fmu = export_fmu(other_model, tmp_path / "other.fmu")
    with Slave(other_fmu, tmp_path / "other", other_model) as other:
        foreign = other.start().everything()
    damaged = [
        b"",
        content[:7],
        content[:31],
        content[:32],
        content[: len(content) // 2],
        content[:-1],
        content + b"\0",
        b"X" + content[1:],
        bytes(len(content)),
        foreign,
        content[:16] + b"\xff" * 16 + content[32:],
    ]
    for state in damaged:
        refused(ERROR, touching.take, state)
        assert "fmi2DeSerializeFMUstate" in touching.last() and "state" in touching.last()
    assert touching.everything() == content


def test_a_single_flipped_bit_of_a_state_is_noticed(touching: Slave) -> None:
    """In the head, in the core's head, and everywhere behind."""
    content = touching.everything()
    assert sealed_fmu(content) == content
    bits = np.random.default_rng(6).permutation(8 * len(content))
    for bit in [*range(8 * 136), *bits[:1000]]:
        state = bytearray(content)
        state[bit // 8] ^= 1 << bit % 8
        refused(ERROR, touching.take, bytes(state))
    assert touching.everything() == content


def test_any_damage_to_a_state_is_refused_or_harmless(touching: Slave, model: Model) -> None:
    """Numbers that steer the core must not lead it astray, whatever a file says, behind good checksums too."""
    random = np.random.default_rng(5)
    content = touching.everything()
    row = rattling(model, 1, H)[0]
    accepted = 0
    for _ in range(400):
        state = bytearray(content)
        for _ in range(random.integers(1, 4)):
            state[random.integers(len(state))] = random.integers(256)
        try:
            touching.take(sealed_fmu(bytes(state)))
            touching.setReal(of(model, "input"), row)
            touching.doStep(touching.getRealStatus(fmi2LastSuccessfulTime), H)
            accepted += 1
        except FMICallException:
            pass
        touching.take(content)
    assert accepted > 0  # the damage reached the core's numbers
