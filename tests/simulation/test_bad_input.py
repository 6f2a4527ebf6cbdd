"""What a user can get wrong in Python: an exception that says what is wrong, and all else as it was."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import contactlib
from contactlib.common.arguments import MAX_THREADS
from tests.support.scenes import body, law, scene

NAN, INF = float("nan"), float("inf")
TOUCHING = {"interface": {"r": (0.0, 0.0003, 0.03)}}
BALL, FLOOR = contactlib.Sphere(0.1), contactlib.Plane()
ORIGIN = [[0, 0, 0, 1, 0, 0, 0]]
CUBE = (0.1, 0.1, 0.1)


def ball_and_floor(height):
    """A free ball with its middle over a fixed floor."""
    ball = body("ball", mass=1.0, inertia=[0.01, 0.01, 0.01], state={"r": [0.0, 0.0, height]},
                shapes=[{"name": "skin", "kind": "sphere", "radius": 0.1, "material": "rubber"}])
    floor = body("floor", "fixed", [{"name": "top", "kind": "plane", "material": "steel"}])
    normal = {"kind": "kelvin_voigt", "stiffness": 1e4, "damping": 10.0}
    return scene([ball, floor], [law("touch", ["rubber", "steel"], normal)], [["ball", "floor"]])


@pytest.fixture
def pegs():
    """Four pins in their holes, in contact and with friction memory."""
    simulation = contactlib.Simulation(contactlib.load("peg_in_hole").compile())
    simulation.step(1e-3, TOUCHING)
    assert len(simulation.contacts) > 0
    return simulation


def refused(simulation, message, call, *arguments, **keywords):
    """The call raises ValueError with this message, and the simulation goes on as if it had not been made."""
    saved, wrenches, contacts = simulation.save(), simulation.wrenches, simulation.contacts
    with pytest.raises(ValueError, match=message):
        call(*arguments, **keywords)
    assert simulation.save() == saved
    np.testing.assert_array_equal(simulation.contacts, contacts)
    assert np.array_equal(simulation.wrenches, wrenches)
    twin = contactlib.Simulation(simulation.model)
    twin.restore(saved)
    assert np.array_equal(simulation.step(1e-3).wrenches, twin.step(1e-3).wrenches)


# ---- states --------------------------------------------------------------------------------------

BAD_STATES = [
    ({"interface": {"r": (NAN, 0, 0)}}, "body 'interface' is not finite"),
    ({"interface": {"v": (0, INF, 0)}}, "body 'interface' is not finite"),
    ({"target": {"w": (0, 0, -INF)}}, "body 'target' is not finite"),
    ({"target": {"q": (1, 0, 0, NAN)}}, "body 'target' is not finite"),
    ({"target": {"q": (1.0011, 0, 0, 0)}}, "quaternion of body 'target' is not a unit quaternion"),
    ({"target": {"q": (0, 0, 0, 0)}}, "quaternion of body 'target' is not a unit quaternion"),
    ({"interface": {"r": (1, 2)}}, r"interface\.r has shape \(2,\), must be \(3,\)"),
    ({"interface": {"q": (0, 0, 0)}}, r"interface\.q has shape \(3,\), must be \(4,\)"),
    ({"interface": np.zeros(12)}, r"interface has shape \(12,\), must be \(13,\)"),
    ({"interface": {"x": (1, 2, 3)}}, r"interface\.x is not a part of a state"),
    ({"interfase": {"r": (1, 2, 3)}}, "no body 'interfase'; did you mean 'interface'?"),
    (np.zeros((3, 13)), r"states has shape \(3, 13\), must be \(2, 13\)"),
    (np.zeros(26), r"states has shape \(26,\), must be \(2, 13\)"),
    (np.zeros((2, 13)), "not a unit quaternion"),
    ("here", "could not convert"),
]


@pytest.mark.parametrize(("states", "message"), BAD_STATES)
@pytest.mark.parametrize("call", ["compute", "step", "run"])
def test_states(pegs, call, states, message):
    calls = {
        "compute": lambda: pegs.compute(states),
        "step": lambda: pegs.step(1e-3, states),
        "run": lambda: pegs.run(1e-3, 1e-3, inputs=lambda t: states),
    }
    refused(pegs, message, calls[call])


def test_a_quaternion_that_is_nearly_of_length_one_is_normalised(pegs):
    exact = pegs.compute({"target": {"q": (1, 0, 0, 0)}}).wrenches
    assert np.array_equal(pegs.compute({"target": {"q": (1.0009, 0, 0, 0)}}).wrenches, exact)
    assert np.linalg.norm(pegs.states[1, 3:7]) == pytest.approx(1.0, abs=1e-15)


def test_finite_states_with_forces_that_are_not(pegs):
    fast = {"interface": {"r": (0.0, 0.0003, 0.03), "v": (1e308, 1e308, 0)}}
    refused(pegs, "not finite", pegs.compute, fast)


def test_a_rolled_back_state_has_the_same_bits(pegs):
    """By memory, and only into the Data that they came from."""
    data = pegs.data
    before, names = data.copy_state(), [v.name for v in pegs.model.variables]
    saved = pegs.save()
    data.set(names.index("step_size"), 0.5)
    assert pegs.save() != saved
    data.roll_back(before)
    assert pegs.save() == saved
    with pytest.raises(ValueError, match="belongs to another Data"):
        contactlib.Simulation(pegs.model).data.roll_back(before)


def test_a_finite_load_with_contact_forces_that_are_not():
    simulation = contactlib.Simulation(ball_and_floor(0.2).compile())
    simulation.data.set([v.name for v in simulation.model.variables].index("touch.stiffness"), 1e308)
    simulation.apply("ball", (0, 0, -1e150))
    saved = simulation.save()
    with pytest.raises(ValueError, match="body 'ball' is not finite"):
        simulation.step(1e-3)
    assert simulation.save() == saved


@pytest.mark.parametrize("dt", [0.0, -1e-3, NAN, INF])
def test_steps(pegs, dt):
    refused(pegs, "finite", pegs.step, dt)
    refused(pegs, "finite", pegs.step, dt, TOUCHING)
    refused(pegs, "must be finite and greater than zero", pegs.run, 1.0, dt)
    refused(pegs, "must be finite and greater than zero", pegs.run, dt, 1e-3)


def test_a_step_size_that_would_take_forever():
    """In a process of its own, because a failure is that it never ends."""
    script = """if True:
        import contactlib
        model = contactlib.load("peg_in_hole").compile()
        simulation = contactlib.Simulation(model)
        simulation.data.set([v.name for v in model.variables].index("step_size"), 1e-300)
        try:
            simulation.step(1.0)
        except ValueError:
            print("refused")
    """
    result = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, timeout=30, check=True)
    assert result.stdout == b"refused\n"


def test_runs(pegs):
    refused(pegs, "every = 0: must be an integer of at least 1", pegs.run, 1e-3, 1e-3, every=0)
    refused(pegs, "there is no run to plot", pegs.plot)


# ---- loads, variables, saved states --------------------------------------------------------------


def test_loads():
    simulation = contactlib.Simulation(ball_and_floor(0.0999).compile())
    for force, torque, message in [
        ((1, 2), (0, 0, 0), r"force has shape \(2,\)"),
        ((1, 2, 3, 4), (5, 6), r"force has shape \(4,\)"),
        ((1, 2, 3), (4,), r"torque has shape \(1,\)"),
        ((NAN, 0, 0), (0, 0, 0), "must be finite"),
        ((0, 0, 0), (0, INF, 0), "must be finite"),
    ]:
        refused(simulation, message, simulation.apply, "ball", force, torque)
    refused(simulation, "did you mean 'ball'?", simulation.apply, "bal", (0, 0, 1))
    with pytest.raises(ValueError, match="axes = 'bodi': must be one of world, body; did you mean 'body'"):
        simulation.apply("ball", (0, 0, 1), axes="bodi")
    refused(simulation, "body 'floor' is fixed: only free bodies", simulation.apply, "floor", (0, 0, 1))


BAD_VALUES = [
    ("interface.r[1]", NAN), ("interface.r[1]", INF), ("interface.f[1]", 0.0), ("contact.count", 1.0),
    ("pin_hole.stiffness", 0.0), ("pin_hole.stiffness", -1.0), ("pin_hole.damping", -1e-300),
    ("pin_hole.mu_static", NAN), ("step_size", 0.0), ("step_size", -1.0), ("resolve_in", 0.0),
    ("resolve_in", 1.5), ("wrench_output", 3.0),
]


@pytest.mark.parametrize(("name", "value"), BAD_VALUES)
def test_variables(pegs, name, value):
    index = [v.name for v in pegs.model.variables].index(name)
    refused(pegs, name.replace("[", r"\[").replace("]", r"\]") + " = ", pegs.data.set, index, value)


@pytest.mark.parametrize("index", [-1, 10**6])
def test_variables_that_do_not_exist(pegs, index):
    for call in (pegs.data.get, lambda i: pegs.data.set(i, 0.0), lambda i: pegs.data.set_rate(i, 0.0)):
        with pytest.raises(IndexError, match=f"variable {index} does not exist"):
            call(index)


def test_rates(pegs):
    names = [v.name for v in pegs.model.variables]
    refused(pegs, "takes no derivative", pegs.data.set_rate, names.index("interface.r[1]"), 1.0)
    for value in (NAN, INF):
        refused(pegs, "finite", pegs.data.set_rate, names.index("interface.v[1]"), value)


# ---- batches and single pairs --------------------------------------------------------------------


def test_batches(pegs):
    states = np.repeat(pegs.states[None], 5, axis=0)
    bad = states.copy()
    bad[3, 1, 3:7] *= 2
    unknown = states.copy()
    unknown[2, 0, 0] = NAN
    for value, message in [
        (bad, "state 3: the quaternion of body 'target'"),
        (unknown, "state 2: .* body 'interface' is not finite"),
        (states[0], r"states has shape \(2, 13\), must be \(N, 2, 13\)"),
        (states[:, :1], r"states has shape \(5, 1, 13\), must be \(N, 2, 13\)"),
        (states[..., :12], r"states has shape \(5, 2, 12\), must be \(N, 2, 13\)"),
    ]:
        for threads in (1, 2):
            refused(pegs, message, pegs.compute_batch, value, num_threads=threads)
    assert pegs.compute_batch(states[:0]).wrenches.shape == (0, 2, 6)


@pytest.mark.parametrize("threads", [0, MAX_THREADS + 1, 10**30])
def test_threads(pegs, threads):
    message = f"num_threads = {threads}: must be an integer from 1 to {MAX_THREADS}, or -1 for all cores"
    refused(pegs, message, pegs.compute_batch, pegs.states[None], num_threads=threads)
    with pytest.raises(ValueError, match=message):
        contactlib.Simulation(pegs.model, num_threads=threads)
    with pytest.raises(ValueError, match=message):
        contactlib.manifolds(BALL, FLOOR, ORIGIN, ORIGIN, num_threads=threads)


def test_the_most_threads_that_are_allowed(pegs):
    states = np.repeat(pegs.states[None], 1000, axis=0)
    many, one = (pegs.compute_batch(states, num_threads=n).wrenches for n in (MAX_THREADS, 1))
    assert np.array_equal(many, one)


BAD_SHAPES = [
    (contactlib.Sphere(0.0), "sphere.radius = 0.0: must be finite and greater than zero"),
    (contactlib.Sphere(-1.0), "sphere.radius = -1.0"),
    (contactlib.Sphere(NAN), "sphere.radius = nan"),
    (contactlib.Sphere(INF), "sphere.radius = inf"),
    (contactlib.Capsule(0.0, 1.0), "capsule.radius = 0.0"),
    (contactlib.Capsule(0.1, -1.0), "capsule.length = -1.0: must be finite and zero or more"),
    (contactlib.Box((1.0, 0.0, 1.0)), "box.size"),
    (contactlib.Box((1.0, 1.0)), "box.size = .*: must be three lengths"),
    (contactlib.Box((1.0, 1.0, 1e-15)), "a size of this shape is not allowed"),  # a face without area
    (contactlib.Box((1e200, 1e200, 1e200)), "a size of this shape is not allowed"),
    (contactlib.Socket(CUBE, 0.05, 0.01), "socket.radius = 0.05: the hole must be narrower than the box"),
    (contactlib.Socket(CUBE, 0.02, 0.09), "socket.size"),
    (contactlib.Socket(CUBE, 0.02, 0.05, rim="round"), "socket.rim = 'round': must be one of exact"),
    (contactlib.Socket(CUBE, 0.02, 0.05, rim_levels=0), "socket.rim_levels = 0: must be from 1 to 64"),
]


@pytest.mark.parametrize(("shape", "message"), BAD_SHAPES)
def test_shapes(shape, message):
    with pytest.raises(ValueError, match=message):
        contactlib.manifolds(shape, FLOOR, ORIGIN, ORIGIN)


@pytest.mark.parametrize(("poses", "message"), [
    ([[0, 0, 0, 1, 0, 0]], r"X_WA has shape \(1, 6\), must be \(N, 7\)"),
    ([[[0, 0, 0, 1, 0, 0, 0]]], r"X_WA has shape \(1, 1, 7\), must be \(N, 7\)"),
    ([[NAN, 0, 0, 1, 0, 0, 0]], "row 0: poses must be finite, with quaternions of length 1"),
    ([*ORIGIN, [0, 0, 0, 1, 1, 0, 0]], "row 1: poses must be finite, with quaternions of length 1"),
])
def test_poses(poses, message):
    with pytest.raises(ValueError, match=message):
        contactlib.manifolds(BALL, FLOOR, poses, ORIGIN)


def test_poses_of_different_numbers():
    with pytest.raises(ValueError, match="X_WA has 2 rows and X_WB 3: must be as many, or one for all"):
        contactlib.manifolds(BALL, FLOOR, ORIGIN * 2, ORIGIN * 3)


@pytest.mark.parametrize("field", ["count", "point", "normal", "depth", "feature"])
def test_memory_that_is_not_a_whole_earlier_result(field):
    earlier = contactlib.manifolds(BALL, FLOOR, ORIGIN * 5, ORIGIN)
    assert contactlib.manifolds(BALL, FLOOR, ORIGIN * 5, ORIGIN, out=earlier) is earlier
    cut = replace(earlier, **{field: getattr(earlier, field)[:2]})
    with pytest.raises(ValueError, match="must be a result for 5"):
        contactlib.manifolds(BALL, FLOOR, ORIGIN * 5, ORIGIN, out=cut)
    with pytest.raises(ValueError, match="out is for 5 placements"):
        contactlib.manifolds(BALL, FLOOR, ORIGIN * 4, ORIGIN, out=earlier)


def test_pairs_of_shapes_that_are_not_defined():
    with pytest.raises(ValueError, match=r"plane-sphere is not defined: use sphere-plane, with exchanged shapes"):
        contactlib.manifolds(FLOOR, BALL, ORIGIN, ORIGIN)
    with pytest.raises(ValueError, match="the pair plane-plane is not defined"):
        contactlib.manifolds(FLOOR, FLOOR, ORIGIN, ORIGIN)


def test_rims():
    for radius, Q, d, message in [
        (0.0, (1, 0, 0), (0, 0, 1), "radius = 0.0"),
        (NAN, (1, 0, 0), (0, 0, 1), "radius = nan"),
        (1.0, (1, 0, 0), (0, 0, 0), "d must not be zero"),
        (1.0, (INF, 0, 0), (0, 0, 1), "must be finite"),
        (1.0, (1, 0), (0, 0, 1), r"must both have the shape \(N, 3\)"),
    ]:
        with pytest.raises(ValueError, match=message):
            contactlib.rim_nearest(radius, Q, d)
    with pytest.raises(ValueError, match="levels = 65: must be from 1 to 64"):
        contactlib.rim_nearest_subdivision(1.0, (1, 0, 0), levels=65)


# ---- specs made in python ------------------------------------------------------------------------


@pytest.mark.parametrize(("fields", "message"), [
    ({"name": "two words"}, "scene.name = 'two words': must be a name"),
    ({"gravity": (0.0, 0.0)}, r"scene.gravity = \(0.0, 0.0\): must be 3 numbers"),
    ({"gravity": 9.81}, "scene.gravity = 9.81: must be 3 numbers"),
    ({"gravity": ("down", 0.0, 0.0)}, r"scene.gravity = \('down', 0.0, 0.0\): must be 3 numbers"),
    ({"gravity": ((0.0, 0.0), 0.0, 0.0)}, "scene.gravity = .*: must be numbers"),
    ({"max_contacts": 8.5}, "scene.max_contacts = 8.5: must be an integer"),
    ({"max_contacts": 2**40}, r"scene.max_contacts = 1099511627776: must be from -2147483648 to 2147483647"),
    ({"step_size": 0.0}, "scene.step_size = "),
    ({"step_size": NAN}, "scene.step_size = "),
    ({"resolve_in": "moon"}, "."),
    ({"laws": ()}, "no law for the materials 'pin' and 'hole'"),
    ({"resolve_in": "moon"}, "resolve_in = 'moon': must be one of world, body"),
    ({"bodies": ()}, "law 'pin_hole': no shape is made of 'pin'"),
    ({"bodies": (), "laws": ()}, "there is no body 'interface'"),
])
def test_specs(fields, message):
    with pytest.raises(ValueError, match=message):
        replace(contactlib.load("peg_in_hole"), **fields).compile()


def test_bodies_of_specs():
    spec = contactlib.load("peg_in_hole")
    interface, target = spec.bodies
    pin = interface.shapes[0]
    for change, message in [
        ({"name": "inter face"}, "body.name = 'inter face': must be a name"),
        ({"name": "target"}, "body 'target' is defined twice"),
        ({"name": "pin_hole"}, "'pin_hole' names a body and a law"),
        ({"mass": -1.0}, "'bodies'"),
        ({"state": (0.0,) * 13}, "'bodies'"),
        ({"state": (0.0,) * 12}, r"body.start = \(0.0, .*: must be 13 numbers"),
        ({"shapes": (replace(pin, shape=contactlib.Capsule(-0.1, 1.0)),)}, "body 'interface': capsule.radius"),
        ({"shapes": (replace(pin, shape=contactlib.Point(), density=1.0),)}, "body 'interface': a point has"),
        ({"shapes": (replace(pin, q=(0.0, 0.0, 0.0, 0.0)),)}, "'shapes'"),
        ({"mass": None, "inertia": None, "motion": "free"}, "body 'interface' is free: it needs mass"),
    ]:
        with pytest.raises(ValueError, match=message):
            replace(spec, bodies=(replace(interface, **change), target)).compile()
    with pytest.raises(ValueError, match=r"motion = 'fly': must be one of external"):
        spec.with_motion("fly", "interface")
    with pytest.raises(ValueError, match="no body 'interfase'; did you mean 'interface'"):
        spec.with_motion("free", "interfase")
