"""Coupling of bodies that respond as tips of arms do: another mass along each axis, and forces that also turn them."""

import numpy as np
import pytest

import contactlib
from contactlib.model.spec import replace
from tests.support.coupled import Master
from tests.support.tips import TipMaster

DOCKING = contactlib.load("peg_in_hole")
both = pytest.mark.parametrize("mode", ["jacobi", "gauss_seidel"])


@both
@pytest.mark.parametrize("h", [5e-3, 10e-3])
@pytest.mark.parametrize("seed", range(8))
def test_a_docking_of_tips_gains_no_energy(mode, h, seed):
    """Apparent masses of 1/3, 1 and 3 times those of the scene. 1.01 is measured, and 730 without the matrix."""
    master = TipMaster(replace(DOCKING, coupling=mode), h, [1 / 3, 1.0, 3.0], seed)
    start = master.energy()
    assert master.run(round(2.0 / h)).max() < 1.05 * start


@both
@pytest.mark.parametrize("seed", range(8))
def test_long_steps_and_masses_that_differ_less(mode, seed):
    master = TipMaster(replace(DOCKING, coupling=mode), 20e-3, [1 / 2, 1.0, 2.0], seed)
    start = master.energy()
    assert master.run(100).max() < 1.05 * start


@both
@pytest.mark.parametrize("seed", range(4))
def test_the_wrenches_keep_momentum(mode, seed):
    """However the bodies respond, in impacts too: the forces on both are opposite to rounding."""
    master = TipMaster(replace(DOCKING, coupling=mode), 10e-3, [1 / 3, 1.0, 3.0], seed)
    largest = 0.0
    for _ in range(200):
        master.run(1)
        forces = master.wrenches[:, :3]
        largest = max(largest, np.abs(forces).max())
        assert np.abs(forces.sum(0)).max() <= 1e-12 * largest
    assert largest > 0.5


def test_the_plant_keeps_its_energy_and_is_the_rigid_body_if_its_masses_are():
    """Without contact: nu.M nu/2 of Kirchhoff's equations; with all ratios 1, the motion of the rigid body."""
    spec = replace(DOCKING.with_state("interface", r=(0.0, 0.0, 5.0), w=(0.3, -0.2, 0.5)), coupling="jacobi")
    master = TipMaster(spec, 10e-3, [1 / 3, 1.0, 3.0], 0)
    start = master.energy()
    np.testing.assert_allclose(master.run(200), start, rtol=1e-9)
    tip, rigid = TipMaster(spec, 10e-3, [1.0], 0), Master(spec, 10e-3)
    tip.run(200)
    np.testing.assert_allclose(tip.states, rigid.run(200)[-1], atol=1e-7)
