"""The rigid parts of the end effector's scenes: what fits, where it seats, and a payload that is pressed home."""

from dataclasses import replace

import numpy as np
import pytest

import contactlib
import lee_coupling as example
from contactlib.simulation import rigid_body

SCENES = ("lee_snare", "lee_snare_pdgf")
SEAT = example.SEAT
BITE = 1e-5  # m, a depth at which flanks push and no tip has come near its root
SLOPE = np.arctan(1.6)  # rad, of the flanks to the axis


def simulation(scene, motion="fixed"):
    spec = contactlib.load(scene).with_motion(motion, "lee").with_motion("free", "grapple")
    return contactlib.Simulation(replace(spec, elements=()).compile())


def touching(sim, z, roll=0.0, x=0.0):
    """What touches with the fixture at z: pairs of shape names, and unit normals."""
    half = np.radians(roll) / 2
    result = sim.compute({"grapple": {"r": (x, 0.0, z), "q": (np.cos(half), 0.0, 0.0, np.sin(half)), "v": (0, 0, 0)}})
    return result.contacts


def axial_stiffness(contacts):
    """N/m, of all flanks: of a part A of a seat A_0, M = A d^4 = A_0 Phi^4, so that the force is k d (A/A_0)^(1/2)."""
    lee = contactlib.load("lee_snare")
    tooth = next(g for g in lee.bodies[1].groups if g.name == "coupling").shapes[0].shape
    base = np.array([c for c in tooth.corners if c[2] == 0.0])  # the seat: the largest face, a trapezoid
    seat = np.ptp(base[:, 0]) * np.abs(base[:, 1]).sum() / 2
    stiffness = next(law for law in lee.laws if law.name == "curvic_curvic").normal_parameters[0]
    return stiffness * np.sin(SLOPE) ** 2 * np.sqrt(contacts["area"] / seat).sum()


def corners(body, group):
    """All corners (N, 3) of a group's polyhedra in the body's axes."""
    shapes = next(g for g in body.groups if g.name == group).shapes
    matrices = rigid_body.rotations(np.array([shape.q for shape in shapes]))
    placed = zip(shapes, matrices, strict=True)
    return np.vstack([np.array(shape.shape.corners) @ matrix.T + shape.r for shape, matrix in placed])


def test_both_scenes_have_one_end_effector_and_one_coupling():
    one, other = (contactlib.load(scene) for scene in SCENES)
    assert one.bodies[0] == other.bodies[0] and one.laws == other.laws
    for group in ("pin", "ramps", "coupling"):
        a, b = (next(g for g in spec.bodies[1].groups if g.name == group) for spec in (one, other))
        assert a == b


def test_the_end_effector_keeps_to_its_diameter():
    lee = contactlib.load("lee_snare").bodies[0]
    for group in ("housing", "coupling"):
        radii = np.hypot(*corners(lee, group)[:, :2].T)
        assert radii.max() <= 0.345 / 2 + 1e-5  # rounded to 0.01 mm by its writer
    assert np.hypot(*corners(lee, "housing")[:, :2].T).max() == pytest.approx(0.345 / 2, abs=1e-4)


@pytest.mark.parametrize("scene", SCENES)
def test_flanks_seat_on_flanks_and_nothing_else_does(scene):
    sim = simulation(scene)
    assert len(touching(sim, SEAT + BITE)) == 0
    contacts = touching(sim, SEAT - BITE)
    assert len(set(zip(contacts["shape_a"], contacts["shape_b"], strict=True))) == 24
    # two flanks of each tooth, 58 degrees off the axis: the normal leans as far out of the face, but for
    # rims, which are as wide as the depth: a thousandth
    assert np.abs(contacts["n_AB_W"][:, 2]) == pytest.approx(np.sin(SLOPE), abs=1e-3)
    assert contacts["depth"] == pytest.approx(BITE * np.sin(SLOPE), abs=1e-9)
    wrench = sim.compute().wrench("grapple")
    assert wrench[2] == pytest.approx(axial_stiffness(contacts) * BITE, rel=1e-3)
    assert np.abs(np.delete(wrench, 2)).max() < 1e-6 * wrench[2]  # corners rounded to 1e-10 m


@pytest.mark.parametrize("roll", [-10.0, -4.0, 4.0, 10.0])
def test_teeth_turn_back_what_is_rolled(roll):
    """Up to 10 degrees tips pass beside each other, and the first that touches is a flank, which turns it back."""
    sim = simulation("lee_snare")
    for z in np.arange(SEAT + 0.021, SEAT, -1e-4):
        contacts = touching(sim, z, roll)
        if len(contacts):
            break
    assert len(contacts) >= 12 and contacts["depth"].max() <= 1.1e-4
    torque = sim.compute().wrench("grapple")[5]
    assert torque * roll < 0.0


def test_tips_meet_tips_where_roll_is_too_much():
    sim = simulation("lee_snare")
    contacts = touching(sim, SEAT + 0.0192 - BITE, 15.0)  # roots 40 mm apart less the bite
    assert len(contacts) and np.abs(contacts["n_AB_W"][:, 2]) == pytest.approx(1.0, abs=1e-9)


def test_the_pin_hangs_in_the_bore():
    """Docked the bulb is behind the snare's plane, and a cable on it leaves some of the carriage's stroke of 0.1 m."""
    spec = contactlib.load("lee_snare")
    pin, cable = next(g for g in spec.bodies[1].groups if g.name == "pin"), spec.elements[0].cable.radius
    shaft, cam, bulb = pin.shapes
    middle = SEAT + bulb.r[2]
    assert middle == pytest.approx(-0.0902, abs=1e-9)
    tip = -(bulb.r[2] - bulb.shape.radius)
    assert tip == pytest.approx(0.27, abs=1e-12)
    assert shaft.r[2] - shaft.shape.length / 2 == bulb.r[2]
    # a cable's middle that touches shaft and bulb is sqrt((R + c)^2 - (r + c)^2) above the bulb's
    seat = middle + np.sqrt((bulb.shape.radius + cable) ** 2 - (shaft.shape.radius + cable) ** 2)
    assert -0.08 < seat < -0.07
    radii = np.hypot(*np.array(cam.shape.corners)[:, :2].T)
    assert radii.min() == pytest.approx(shaft.shape.radius, abs=1e-9) and radii.max() < bulb.shape.radius


def test_pressed_home():
    """5 mm off and rolled by 4 degrees: the teeth centre it, it does not jam, and no energy comes from nowhere."""
    seated = example.pressed("lee_snare", 0.005, 4.0, duration=20.0)
    assert seated.offset < 1e-4 and abs(seated.roll) < 0.1 and seated.tilt < 0.05
    # what the flanks give way under the load, which friction of 0.15 on a slope of 1.6 carries more or less of
    gives = example.LOAD / axial_stiffness(touching(simulation("lee_snare"), SEAT - BITE))
    assert -seated.gap == pytest.approx(gives, rel=0.15 / 1.6)
    # the load's work is counted with positions at the ends of steps, half a step late: F v h / 2
    assert seated.gained <= example.LOAD * example.CLOSING * example.STEP


@pytest.mark.parametrize("step", [1e-3, 5e-4])
def test_a_free_meeting_gains_no_energy(step):
    spec = contactlib.load("lee_snare").with_motion("fixed", "lee").with_motion("free", "grapple")
    spec = replace(spec, elements=(), step_size=step)
    sim = contactlib.Simulation(spec.compile())
    half = np.radians(3.0)
    sim.compute({"grapple": {"r": (0.01, -0.004, 0.178), "q": (np.cos(half), 0.0, 0.0, np.sin(half)),
                             "v": (0.0, 0.0, -0.05), "w": (0.0, 0.0, 0.01)}})
    masses = {"grapple": spec.bodies[1].mass_properties()}
    energies, held, peak = [], [], 0.0
    for _ in range(75):
        trajectory = sim.run(duration=0.02, dt=step)
        kinetic = rigid_body.balance(trajectory, masses).kinetic[-1]
        energies.append(kinetic + sim.energy_stored + sim.energy_dissipated - sim.energy_error)
        held.append(kinetic + sim.energy_stored)
        peak = max(peak, sim.energy_stored)
    assert max(held) < held[0] * (1 + 1e-9)
    assert abs(sim.energy_error) < 1e-3 * held[0]
    change = np.array(energies) - energies[0]
    # constant to second order of the step: work is counted about the centre of mass, which is 0.8e-6 J at 1 ms
    assert np.abs(change).max() < 2.0 * step**2
