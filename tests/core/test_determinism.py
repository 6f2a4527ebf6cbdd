"""Same model, same state, same inputs: the same bits, however they are computed."""

import hashlib

import numpy as np
import pytest

import contactlib
from tests.support.scenes import BRISTLE, two_free_bodies


def fingerprint(*arrays):
    return hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays)).hexdigest()


def docking_states(n):
    """States of the shipped scene around the docked pose: pins in holes, at rims, on faces, or free."""
    model = contactlib.load("peg_in_hole").compile()
    states = np.repeat(contactlib.Simulation(model).states[None], n, axis=0)
    rng = np.random.default_rng(1)
    states[:, 0, :3] = rng.uniform([-2e-3, -2e-3, 0.0], [2e-3, 2e-3, 0.09], (n, 3))
    tilt = rng.normal(scale=0.01, size=(n, 3))
    states[:, 0, 3:7] = np.hstack([np.ones((n, 1)), tilt / 2])
    states[:, 0, 3:7] /= np.linalg.norm(states[:, 0, 3:7], axis=1, keepdims=True)
    states[:, 0, 7:] = rng.normal(scale=0.05, size=(n, 6))
    return model, states


def test_batch_at_any_number_of_threads():
    model, states = docking_states(3000)
    simulation = contactlib.Simulation(model)
    results = [simulation.compute_batch(states, num_threads=threads) for threads in (1, 2, 3, 8)]
    assert (results[0].contact_count > 0).mean() > 0.5
    prints = {fingerprint(r.wrenches, r.contact_count, r.max_depth) for r in results}
    assert len(prints) == 1


def test_batch_equals_one_by_one():
    model, states = docking_states(200)
    batch = contactlib.Simulation(model).compute_batch(states)
    for row, wrenches in zip(states, batch.wrenches, strict=True):
        assert contactlib.Simulation(model).compute(row).wrenches.tobytes() == wrenches.tobytes()


def test_model_bytes_make_the_same_run():
    spec = two_free_bodies(BRISTLE)
    one = contactlib.Simulation(spec.compile())
    other = contactlib.Simulation(contactlib.Model.from_bytes(spec.compile().to_bytes()))
    for simulation in (one, other):
        simulation.run(0.3, 1e-4, every=1000)
    assert one.save() == other.save()


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
def test_rolling_back_repeats_to_the_bit(integrator):
    simulation = contactlib.Simulation(two_free_bodies(BRISTLE, integrator).compile())
    while len(simulation.contacts) == 0:
        simulation.step(1e-4)
    simulation.run(2e-3, 1e-4)
    assert np.abs(simulation.contacts["z_W"]).max() > 0  # friction memory is in the saved state
    saved = simulation.save()
    first = simulation.run(0.1, 1e-4)
    end = simulation.save()
    simulation.restore(saved)
    assert simulation.save() == saved
    second = simulation.run(0.1, 1e-4)
    assert simulation.save() == end
    assert first.states.tobytes() == second.states.tobytes()


def test_splitting_a_run_changes_nothing():
    """Ten steps at once or one by one: sub-steps are the same."""
    one, other = (contactlib.Simulation(two_free_bodies(BRISTLE).compile()) for _ in range(2))
    one.run(0.3, 1e-4, every=3000)
    for _ in range(3):
        other.run(0.1, 1e-4, every=1000)
    assert one.states.tobytes() == other.states.tobytes()


def test_hash_tells_scenes_apart():
    spec = contactlib.load("peg_in_hole")
    assert spec.compile().hash == contactlib.load("peg_in_hole").compile().hash
    assert spec.compile().hash != spec.with_motion("free", "interface").compile().hash


def test_what_parted_shapes_changes_no_bit():
    """Shapes that were apart are asked along the direction that parted them; a simulation without a past agrees."""
    model = contactlib.load("lee_snare").compile()
    old, rng = contactlib.Simulation(model), np.random.default_rng(5)
    touched = 0
    for step in range(150):  # a slow way in, so that directions are found again, with jumps
        z = 0.21 - 0.0004 * step if step % 10 else rng.uniform(0.15, 0.22)
        half = rng.uniform(-0.03, 0.03)
        states = {"grapple": {"r": (0.004 * rng.normal(), 0.004 * rng.normal(), z),
                              "q": (np.cos(half), 0.0, 0.0, np.sin(half))}}
        seen, fresh = old.compute(states), contactlib.Simulation(model).compute(states)
        assert seen.wrenches.tobytes() == fresh.wrenches.tobytes()
        assert seen.contacts.tobytes() == fresh.contacts.tobytes()
        touched += len(fresh.contacts) > 0
    assert 20 < touched < 130  # both happen
