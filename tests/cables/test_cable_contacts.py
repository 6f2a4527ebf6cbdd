"""Contacts of cables with their forces: momentum, equilibrium, action and reaction, and which state they belong to.

Truth: momenta of the nodes by Hermite's polynomials, weights, the wrench on what is touched, bare geometry.
"""

import copy
import math
from itertools import pairwise

import numpy as np
import pytest

from contactlib import Simulation
from tests.support.every_element import SPECS
from tests.support.snares import cable_momenta, mass_matrix, simulate

G = np.array([0.0, 0.0, -9.81])
RADIUS, DENSITY, LENGTH = 4e-3, 0.2, 0.6
CORD = {"radius": RADIUS, "axial_stiffness": 1e4, "bending_stiffness": 5e-3, "line_density": DENSITY,
        "axial_damping": 1e-2, "bending_damping": 1e-2, "elements": 12, "capsules": 2}
TABLE = {"name": "table", "motion": "fixed", "shape": [{"name": "top", "kind": "plane", "material": "wood"}]}
ROD = {"name": "rod", "kind": "cylinder", "radius": 0.02, "length": 0.4, "q": [math.sqrt(0.5), math.sqrt(0.5), 0, 0],
       "material": "steel"}  # along y


def on_line(contacts):
    """The points of the centre line at which the forces act, as docs/cables.md defines them."""
    return contacts["p_WC"] + (RADIUS - 0.5 * contacts["depth"])[:, None] * contacts["n_W"]


def loads(contacts, origin):
    """Force, and torque about a point, of the contacts on what they touch."""
    f = -contacts["f_W"]
    return np.concatenate([f.sum(axis=0), np.cross(on_line(contacts) - origin, f).sum(axis=0)])


def two_cords(h=1e-3, **cable):
    """One lies on the table and slides, the other falls across it. No end is held."""
    return simulate([TABLE], h, {"gravity": G.tolist()}, cables=[
        {"name": "cords", "cable": {**CORD, **cable}, "free_ends": "both",
         "first_points": [[0, 0, RADIUS], [0.3, -0.3, 0.03]],
         "last_points": [[0.6, 0, RADIUS], [0.35, 0.3, 0.05]], "touches": ["table"], "friction": 0.4,
         "cable_friction": 0.3, "max_touches": 200}])


def on_each(contacts, count=2):
    """Sum of the forces on each cable."""
    total = np.zeros((count, 3))
    for row in contacts:
        total[row["cable"]] += row["f_W"]
        if row["other_cable"] >= 0:
            total[row["other_cable"]] -= row["f_W"]
    return total


def test_forces_change_the_momentum_of_each_cable():
    """p+ - p = h (m g + sum of f) in every step, for each of two cables that touch each other and a table."""
    h, crossed, rubbed = 1e-3, 0, 0.0
    simulation = two_cords(h)
    nodes = simulation.cable_nodes("cords")
    lengths = [np.linalg.norm(cord[-1, :3] - cord[0, :3]) for cord in nodes]
    assert lengths[0] == pytest.approx(LENGTH) and lengths[1] != pytest.approx(LENGTH, rel=1e-3)
    weights = DENSITY * np.array(lengths)[:, None] * G
    matrices = [mass_matrix(length, CORD["elements"], DENSITY) for length in lengths]

    def momenta():
        return np.array([cable_momenta(cord, M)[:3] for cord, M in zip(simulation.cable_nodes("cords"), matrices,
                                                                      strict=True)])

    for _ in range(250):
        before = momenta()
        simulation.step(h)
        contacts = simulation.cable_contacts("cords")
        assert len(contacts) == simulation.elements["cords"].touching
        change = (momenta() - before) / h
        # N: rounding of speeds of 1 m/s over the step, 1e-12, times nodes; found 2e-11
        assert change == pytest.approx(weights + on_each(contacts), abs=1e-9)
        pushed = np.linalg.norm(contacts["f_W"], axis=1) > 0.0
        crossed += np.count_nonzero(pushed & (contacts["other_cable"] >= 0))
        along = contacts["f_W"] - np.einsum("ij,ij->i", contacts["f_W"], contacts["n_W"])[:, None] * contacts["n_W"]
        rubbed = max(rubbed, np.linalg.norm(along, axis=1).max(initial=0.0))
    assert crossed > 50 and rubbed > 0.01  # N: cords met, and friction acted


def test_cords_at_rest_have_their_weight():
    """The table carries both weights; the upper cord's own contacts with cord and table carry the upper one."""
    simulation = two_cords(mass_damping=20.0)
    weights = DENSITY * np.array([LENGTH, math.dist([0.3, -0.3, 0.03], [0.35, 0.3, 0.05])]) * 9.81
    for _ in range(3000):
        simulation.step(1e-3)
    speed = max(np.abs(cord[:, 6:9]).max() for cord in simulation.cable_nodes("cords"))
    contacts = simulation.cable_contacts("cords")
    # the rest of the motion: accelerations, from speeds over more than a step of 1 ms
    assert speed < 1e-6
    found = on_each(contacts)
    assert found[:, 2] == pytest.approx(weights, abs=0.2 * speed / 1e-3 + 1e-6)
    on_table = contacts["body"] == 0
    assert contacts["f_W"][on_table, 2].sum() == pytest.approx(weights.sum(), abs=0.4 * speed / 1e-3 + 1e-6)
    assert contacts["shape"][on_table].tolist() == [0] * on_table.sum()
    assert {(row["cable"], row["other_cable"]) for row in contacts[~on_table]} == {(0, 1)}
    # geometry: points on the table lie half the gap above it, straight above is up
    assert contacts["p_WC"][on_table, 2] == pytest.approx(-0.5 * contacts["depth"][on_table], abs=1e-12)
    assert contacts["n_W"][on_table] == pytest.approx(np.tile([0, 0, 1.0], (on_table.sum(), 1)), abs=1e-12)
    # where they cross: each centre line is a radius and half the gap from the point, on opposite sides
    for row in contacts[~on_table]:
        for cord, sign in ((row["cable"], 1.0), (row["other_cable"], -1.0)):
            point = row["p_WC"] + sign * (RADIUS - 0.5 * row["depth"]) * row["n_W"]
            assert distance_to_line(point, simulation.cable_nodes("cords")[cord]) < 0.01 * RADIUS


def distance_to_line(point, nodes, each=4000):
    """From a point to the cubics between nodes, m, by samples."""
    x = np.linspace(0.0, 1.0, each)[:, None]
    S = np.stack([1 - 3 * x**2 + 2 * x**3, 3 * x**2 - 2 * x**3, x - 2 * x**2 + x**3, x**3 - x**2])
    least = math.inf
    for first, last in pairwise(nodes):
        length = np.linalg.norm(last[:3] - first[:3])
        curve = S[0] * first[:3] + S[1] * last[:3] + length * (S[2] * first[3:6] + S[3] * last[3:6])
        least = min(least, np.linalg.norm(curve - point, axis=1).min())
    return least


def hanging(rod, damping=0.0):
    """A cord whose ends hang on two hooks, over a rod that lifts its middle."""
    hook = {"motion": "fixed"}
    cable = {**CORD, "elements": 16, "bending_stiffness": 1e-4, "mass_damping": damping}
    return simulate(
        [{"name": "left", "state": {"r": [-0.2, 0, 0]}, **hook}, {"name": "right", "state": {"r": [0.2, 0, 0]}, **hook},
         {"name": "rod", "motion": "external", "shape": [ROD], "state": rod}], 1e-3, {"gravity": G.tolist()},
        cables=[{"name": "cord", "cable": cable, "first_body": "left", "last_body": "right", "length": 0.45,
                 "first_points": [[0, 0, 0]], "last_points": [[0, 0, 0]], "bow": [0, 0, 1.0], "touches": ["rod"],
                 "friction": 0.3, "max_touches": 100}])


def test_a_cord_over_a_rod_is_in_equilibrium():
    """The rod and both hooks carry the weight; each contact is on the rod's surface."""
    simulation = hanging({"r": [0.03, 0, -0.03]}, damping=20.0)
    for _ in range(4000):
        simulation.step(1e-3)
    contacts, nodes = simulation.cable_contacts("cord"), simulation.cable_nodes("cord")[0]
    speed = np.abs(nodes[:, 6:9]).max()
    hooks = simulation.wrenches[0, :3] + simulation.wrenches[1, :3]  # the cord on them
    rest = contacts["f_W"].sum(axis=0) - hooks + DENSITY * 0.45 * G
    assert speed < 1e-5 and np.abs(rest).max() < DENSITY * 0.45 * speed / 1e-3 + 1e-9, rest  # N
    assert contacts["f_W"][:, 2].sum() > 0.3  # N, of 0.88
    across = (contacts["p_WC"] - simulation.states[2, :3]) * [1, 0, 1]
    away = np.linalg.norm(across, axis=1)
    assert away == pytest.approx(0.02 - 0.5 * contacts["depth"], abs=1e-9)
    assert contacts["n_W"] == pytest.approx(across / away[:, None], abs=1e-9)


@pytest.mark.parametrize("state", [
    {"r": [0.03, 0.01, 0.05], "v": [0.1, 0.05, 0.1], "w": [0.5, 2.0, -0.3]},
    {"r": [0.03, 0.01, 0.05], "v": [0.0, 0.0, 0.0], "w": [0.0, 30.0, 0.0]}])
def test_the_touched_body_feels_the_opposite(state):
    """Force, and torque about its origin, on a rod that moves and turns: minus the sum over the contacts."""
    simulation, pushed, turned = hanging(state), 0, 0.0
    for _ in range(300):
        simulation.step(1e-3)
        contacts = simulation.cable_contacts("cord")
        # rounding of some 10 N
        assert simulation.wrenches[2] == pytest.approx(loads(contacts, simulation.states[2, :3]), abs=1e-11)
        pushed += np.count_nonzero(contacts["f_W"].any(axis=1))
        turned = max(turned, abs(simulation.wrenches[2, 4]))
    assert pushed > 100 and turned > 1e-3  # N m, by friction


@pytest.mark.parametrize("coupling", ["none", "jacobi", "gauss_seidel"])
def test_trial_steps_of_the_coupling_are_not_shown(coupling):
    """A loose cord falls over an external rod, whose motion each step predicts: p+ - p = h (m g + sum of f)."""
    h, pushed = 1e-3, 0
    simulation = simulate(
        [{"name": "rod", "motion": "external", "mass": 5.0, "inertia": [0.05] * 3, "shape": [ROD]}], h,
        {"gravity": G.tolist(), "coupling": coupling},
        cables=[{"name": "cord", "cable": CORD, "first_points": [[-0.3, 0, 0.03]], "last_points": [[0.3, 0, 0.03]],
                 "free_ends": "both", "touches": ["rod"], "friction": 0.2, "max_touches": 60}])
    M, weight = mass_matrix(LENGTH, CORD["elements"], DENSITY), DENSITY * LENGTH * G
    held = simulation.states.copy()
    for _ in range(120):
        before = cable_momenta(simulation.cable_nodes("cord")[0], M)[:3]
        simulation.step(h, held)
        contacts = simulation.cable_contacts("cord")
        assert len(contacts) == simulation.elements["cord"].touching
        change = (cable_momenta(simulation.cable_nodes("cord")[0], M)[:3] - before) / h
        assert change == pytest.approx(weight + contacts["f_W"].sum(axis=0), abs=1e-9)  # N: as above
        pushed += np.count_nonzero(contacts["f_W"].any(axis=1))
    assert pushed > 50


def test_forces_are_those_of_the_last_sub_step():
    whole, parts = hanging({"r": [0.03, 0, 0.05]}), hanging({"r": [0.03, 0, 0.05]})
    for _ in range(60):
        whole.step(4e-3)
        for _ in range(4):
            parts.step(1e-3)
    assert len(whole.cable_contacts("cord")) > 2
    assert whole.cable_contacts("cord").tobytes() == parts.cable_contacts("cord").tobytes()


@pytest.mark.parametrize(("name", "element"), [("cables", "ropes"), ("snare", "snare")])
def test_contacts_belong_to_one_state(name, element):
    """Another state than that of the last step has none; a step from an older state returns the older rows."""
    simulation, kept = Simulation(SPECS[name]().compile()), []
    assert len(simulation.cable_contacts(element)) == 0
    for _ in range(600 if name == "snare" else 60):
        simulation.step(1e-3)
    saved = simulation.save()
    for _ in range(2):
        simulation.step(1e-3)
        kept.append(simulation.cable_contacts(element).tobytes())
    assert kept[0] != kept[1] and len(simulation.cable_contacts(element)) > 0
    last = simulation.save()
    simulation.compute()
    assert simulation.cable_contacts(element).tobytes() == kept[1], "an evaluation moves no cable"
    twin = copy.deepcopy(simulation)
    assert len(twin.cable_contacts(element)) == 0
    simulation.restore(saved)
    assert len(simulation.cable_contacts(element)) == 0 < simulation.elements[element].touching
    simulation.step(1e-3)
    assert simulation.cable_contacts(element).tobytes() == kept[0]
    simulation.restore(last)
    assert len(simulation.cable_contacts(element)) == 0
    for run in (simulation, twin):
        run.step(1e-3)
    assert simulation.cable_contacts(element).tobytes() == twin.cable_contacts(element).tobytes()


def test_contacts_move_with_the_body_that_was_placed():
    simulation = hanging({"r": [0.03, 0, 0.05]})
    for _ in range(150):
        simulation.step(1e-3)
    before, states = simulation.cable_contacts("cord"), simulation.states.copy()
    states[2, :3] += [0.1, 0.2, 0.3]
    simulation.compute(states)
    after = simulation.cable_contacts("cord")
    moved = np.tile([0.1, 0.2, 0.3], (len(before), 1))
    assert len(before) > 2 and after["p_WC"] - before["p_WC"] == pytest.approx(moved)
    assert after["f_W"].tobytes() == before["f_W"].tobytes()
    assert simulation.wrenches[2] == pytest.approx(loads(after, states[2, :3]), abs=1e-11)


def test_bad_elements_and_elements_without_cables():
    simulation = Simulation(SPECS["cables"]().compile())
    with pytest.raises(ValueError, match=r"element.*rope"):
        simulation.cable_contacts("rope")
    arms = Simulation(SPECS["joints"]().compile())
    assert [len(arms.cable_contacts(name)) for name in arms.model.element_names] == [0] * len(arms.model.element_names)
    with pytest.raises(ValueError, match="read-only"):
        simulation.cable_contacts("ropes")["depth"] = 0.0
