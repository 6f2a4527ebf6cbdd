"""Contact between spacecraft of Basilisk: against a monolithic run, momentum, a docking, wrong uses."""

import numpy as np
import pytest
from Basilisk.simulation import spacecraft
from Basilisk.utilities import SimulationBaseClass, macros

import basilisk_docking
import contactlib
from contactlib.adapters.angular_balance import angular_impulse
from contactlib.adapters.basilisk import BasiliskContact
from contactlib.shapes.quaternion import rotation_matrix
from contactlib.simulation import rigid_body
from tests.support import free_flight

STILL = np.zeros(3)


def task(step):
    simulation = SimulationBaseClass.SimBaseClass()
    simulation.CreateNewProcess("flight").addTask(simulation.CreateNewTask("dynamics", macros.sec2nano(step)))
    return simulation


def fly(simulation, duration):
    simulation.InitializeSimulation()
    simulation.ConfigureStopTime(macros.sec2nano(duration))
    simulation.ExecuteSimulation()


def state_of(craft):
    message = craft.scStateOutMsg.read()
    sigma = np.array(message.sigma_BN)
    q = np.array([1.0 - sigma @ sigma, *(2.0 * sigma)]) / (1.0 + sigma @ sigma)
    return np.concatenate([message.r_BN_N, q, message.v_BN_N, rotation_matrix(q) @ message.omega_BN_B])


def flight(step):
    """The impact of `free_flight` in Basilisk: states (2, 13) at the end."""
    simulation, scene = task(step), free_flight.scene()
    crafts = {body.name: basilisk_docking.craft_of(body, STILL, STILL) for body in scene.bodies}
    BasiliskContact(scene, crafts).add_to(simulation, "dynamics")
    for craft in crafts.values():
        simulation.AddModelToTask("dynamics", craft)
    fly(simulation, free_flight.DURATION)
    return np.array([state_of(craft) for craft in crafts.values()])


def test_an_impact_is_that_of_one_common_solver():
    """The monolithic run itself changes by 1.4e-4 m and 1.9e-3 if its steps of 1e-4 s are halved."""
    position, velocity = free_flight.errors(flight(1e-3), free_flight.monolithic(1e-4))
    assert position < 1.4e-4 and velocity < 1.9e-3


def test_momentum_is_conserved_to_a_billionth():
    """Of 2 N s and 0.26 N m s; the errors fall with the fourth order of the step, that of Basilisk's integrator."""
    coarse, fine = (np.array(free_flight.momentum_errors(flight(step))) for step in (2e-3, 1e-3))
    assert (fine < 1e-9 * np.array([2.0, 0.26])).all()
    assert (coarse > 10.0 * fine).all()


def test_a_docking_is_that_of_one_common_solver():
    """The bound of tests/masters/test_masters.py: half of the play of a pin."""
    docked = basilisk_docking.dock(1e-3, 3.0)
    spec = contactlib.load("peg_in_hole").with_motion("free", "interface", "target")
    truth = contactlib.Simulation(spec.compile()).run(3.0, 1e-4, every=30_000).states[-1]
    height = np.linalg.norm(truth[0, :3] - truth[1, :3])
    assert docked.height[0] > 0.08 and abs(docked.height[-1] - height) < 1e-4
    assert docked.linear_error < 1e-9 and docked.angular_error < 1e-9


def test_an_orbit_does_not_change_a_docking():
    """At 7000 km and 7.5 km/s, where positions have a resolution of 1e-9 m; both are in free fall."""
    free, orbit = (basilisk_docking.dock(5e-3, 4.5, orbit=orbit) for orbit in (False, True))
    assert free.height[-1] < 0.011
    np.testing.assert_allclose(orbit.height, free.height, atol=5e-4)  # the bounces of the pins end a little differently


def test_the_angular_impulse_of_held_wrenches_is_what_bodies_receive():
    """Against bodies that rk4 moves under a constant force, and a torque that turns with the body, in 100 steps."""
    rng, h = np.random.default_rng(5), 0.01
    masses = rigid_body.Masses.of([body.mass_properties() for body in free_flight.scene().bodies])
    before = np.array([body.state for body in free_flight.scene().bodies])
    wrenches, states, expected = rng.normal(size=(2, 6)), before, np.zeros(3)
    body_torques = rigid_body.apply(rigid_body.rotations(before[:, 3:7]).swapaxes(1, 2), wrenches[:, 3:])
    for _ in range(100):
        middle = rigid_body.rk4(masses, states, wrenches, None, h / 200)
        torques = rigid_body.apply(rigid_body.rotations(middle[:, 3:7]), body_torques)
        held = np.concatenate([wrenches[:, :3], torques], axis=1)
        expected += (np.cross(middle[:, :3], held[:, :3]) + torques).sum(axis=0) * h / 100
        states = rigid_body.rk4(masses, states, held, None, h / 100)
    # the sum of midpoints has an error of 1e-4 of the change within the step, itself 2 % of the impulse of 0.01 N m s
    np.testing.assert_allclose(angular_impulse(before, states, wrenches, h), expected, atol=2e-8)


# ---- wrong uses ----------------------------------------------------------------------------------


def test_a_spacecraft_that_runs_before_the_contact_is_named(capfd):
    """Basilisk prints an error of a module, and raises another one."""
    simulation = task(1e-3)
    bodies = contactlib.load("peg_in_hole").bodies
    crafts = {body.name: basilisk_docking.craft_of(body, STILL, STILL) for body in bodies}
    contact = BasiliskContact("peg_in_hole", crafts)
    for craft in crafts.values():
        simulation.AddModelToTask("dynamics", craft, 2000)
    contact.add_to(simulation, "dynamics")
    with pytest.raises(RuntimeError, match="UpdateState"):
        fly(simulation, 0.01)
    assert ("the state of the spacecraft 'interface' is of 0.001 s, and the contact starts from 0 s: add the "
            "spacecraft to the task of the contact, with a lower priority") in capfd.readouterr().err


def test_a_body_that_is_no_spacecraft_is_named():
    with pytest.raises(ValueError, match="body 'target' of the scene 'peg_in_hole' is external and has a mass, and no "
                                         "spacecraft is it"):
        BasiliskContact("peg_in_hole", {"interface": spacecraft.Spacecraft()})
    with pytest.raises(ValueError, match="the scene 'peg_in_hole' has no body 'tarjet'; did you mean 'target'"):
        BasiliskContact(contactlib.load("peg_in_hole").with_motion("fixed", "target"), {
            "interface": spacecraft.Spacecraft(), "tarjet": spacecraft.Spacecraft()})
