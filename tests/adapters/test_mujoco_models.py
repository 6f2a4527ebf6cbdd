"""Geoms as shapes against MuJoCo's own distances, pairs that are switched off, and errors of the MuJoCo adapter."""

import itertools

import mujoco
import numpy as np
import pytest

from contactlib.adapters.mujoco import MujocoContact, scene_from_geoms
from contactlib.adapters.mujoco_filter import collide, switch_off

LAW = {"normal": {"kind": "kelvin_voigt", "stiffness": 1e4, "damping": 10.0}}
CUBE = " ".join(f"{x} {y} {z}" for x, y, z in itertools.product((0.1, -0.15), (0.12, -0.2), (0.3, -0.1)))
GEOMS = {
    "sphere": "size='0.2'", "capsule": "size='0.1 0.15'", "box": "size='0.2 0.1 0.15'", "cylinder": "size='0.15 0.2'",
    "ellipsoid": "size='0.2 0.1 0.15'", "plane": "size='1 1 1'", "mesh": "mesh='cube'",
}


def model_of(bodies, more=""):
    mesh = f"<asset><mesh name='cube' vertex='{CUBE}'/></asset>"
    return mujoco.MjModel.from_xml_string(f"<mujoco>{mesh}<worldbody>{bodies}</worldbody>{more}</mujoco>")


@pytest.mark.parametrize("kind", GEOMS)
def test_a_geom_has_the_depth_that_mujoco_finds(kind):
    """A ball at random places around a geom that stands askew in its body, 20 mm deep on average."""
    body = "<body name='{}'>{}<geom type='{}' {} pos='0.1 0.2 -0.1' euler='20 30 40'/></body>"
    fixed = f"<body name='it'><geom type='{kind}' {GEOMS[kind]} pos='0.1 0.2 -0.1' euler='20 30 40'/></body>"
    model = model_of((fixed if kind == "plane" else body.format("it", "<freejoint/>", kind, GEOMS[kind]))
                     + "<body name='ball'><freejoint/><geom size='0.1' mass='1'/></body>")
    data, rng, compared = mujoco.MjData(model), np.random.default_rng(4), 0
    contact = MujocoContact.from_geoms(model, [("it", "ball")], **LAW)
    for _ in range(400):
        direction = rng.normal(size=3)
        data.qpos[-7:-4] = rng.uniform(0.15, 0.35) * direction / np.linalg.norm(direction) + [0.1, 0.2, -0.1]
        if kind != "plane":
            mujoco.mju_quatIntegrate(data.qpos[3:7], rng.normal(size=3), 1.0)
        mujoco.mj_kinematics(model, data)
        distance = mujoco.mj_geomDistance(model, data, 0, 1, 1.0, None)
        contact.reset(data)
        depth = max(contact.simulation.contacts["depth"], default=0.0)
        if -0.09 < distance < -1e-3:  # the ball's centre is outside
            compared += 1
            # MuJoCo's iterations end at 1e-6, its tolerance for convex shapes
            np.testing.assert_allclose(depth, -distance, atol=2e-6)
        elif distance > 1e-3:
            assert depth == 0.0
    assert compared > 20


# ---- pairs ---------------------------------------------------------------------------------------


def random_masks(rng, model):
    model.geom_contype[:] = rng.integers(0, 4, model.ngeom)
    model.geom_conaffinity[:] = rng.integers(0, 4, model.ngeom)


@pytest.mark.parametrize("seed", range(30))
def test_exactly_the_given_pairs_are_switched_off(seed):
    rng = np.random.default_rng(seed)
    model = model_of("".join("<body><freejoint/><geom size='0.1'/></body>" for _ in range(12)))
    random_masks(rng, model)
    before = collide(model)
    pairs = [tuple(pair) for pair in rng.integers(0, 12, (rng.integers(1, 20), 2)) if pair[0] != pair[1]]
    switch_off(model, pairs)
    expected = before.copy()
    for i, j in pairs:
        expected[i, j] = expected[j, i] = False
    other = ~np.eye(12, dtype=bool)
    assert (collide(model) == expected)[other].all()
    data = mujoco.MjData(model)  # all balls are in the origin, so that all pairs that may collide do
    mujoco.mj_forward(model, data)
    found = {tuple(sorted(geoms)) for geoms in data.contact.geom.tolist()}
    assert found == {(i, j) for i, j in itertools.combinations(range(12), 2) if expected[i, j]}


def test_mujoco_keeps_the_contact_of_all_other_pairs():
    model = model_of("<geom name='floor' type='plane' size='1 1 1'/>" + "".join(
        f"<body name='{name}' pos='0 0 0.09'><freejoint/><geom size='0.1'/></body>" for name in "abc"))
    MujocoContact.from_geoms(model, [("a", "b"), ("a", "floor")], **LAW)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert sorted(map(sorted, data.contact.geom.tolist())) == [[0, 2], [0, 3], [1, 3], [2, 3]]


def test_flexes_still_meet_all_other_geoms():
    flex = ("<flexcomp name='cloth' type='grid' dim='2' count='3 3 1' spacing='0.1 0.1 0.1' pos='0 0 0.02' "
            "radius='0.05'>"
            "<edge equality='true'/><contact selfcollide='none'/></flexcomp>")
    model = model_of("<geom name='floor' type='plane' size='1 1 1'/>"
                     "<body name='a' pos='0 0 0.09'><freejoint/><geom size='0.1'/></body>" + flex)
    switch_off(model, [(0, 1)])
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    met = {tuple(geoms) for geoms in data.contact.geom.tolist()}
    assert (0, -1) in met and (1, -1) in met and (0, 1) not in met


# ---- errors --------------------------------------------------------------------------------------

BALLS = "".join(f"<body name='{name}'><freejoint/><geom size='0.1'/></body>" for name in "ab")


@pytest.mark.parametrize(("bodies", "pairs", "sentence"), [
    (BALLS, [("a", "c")], "the MjModel has no body and no geom 'c'; "),
    (BALLS.replace("'b'", "''"), [("a", "ball")], "the MjModel has no body and no geom 'ball'"),
    (BALLS + "<body name='c'><freejoint/><geom size='0.1' contype='0' conaffinity='0'/></body>", [("a", "c")],
     "the body 'c' of the MjModel has no geom that collides: give one a contype, or name a geom"),
    (BALLS + "<body><geom name='skin' size='0.1'/></body>", [("a", "skin")],
     "body 3 of the MjModel has no name: give it one in the MJCF"),
])
def test_geoms_that_cannot_be_taken_over(bodies, pairs, sentence):
    with pytest.raises(ValueError, match=sentence):
        scene_from_geoms(model_of(bodies), pairs, **LAW)


def test_a_height_field_is_refused_by_name():
    model = mujoco.MjModel.from_xml_string(
        "<mujoco><asset><hfield name='h' nrow='3' ncol='3' size='1 1 1 1'/></asset><worldbody>"
        f"<geom name='ground' type='hfield' hfield='h'/>{BALLS}</worldbody></mujoco>")
    with pytest.raises(ValueError, match="the geom 'ground' is of the type mjGEOM_HFIELD: must be a plane, sphere"):
        scene_from_geoms(model, [("a", "ground")], **LAW)


def test_an_explicit_pair_cannot_be_switched_off():
    bodies = BALLS.replace("<geom", "<geom name='skin'", 1).replace("<geom size", "<geom name='core' size")
    model = model_of(bodies, "<contact><pair geom1='skin' geom2='core'/></contact>")
    before = model.geom_contype.copy()
    with pytest.raises(ValueError, match=r"the MJCF has a <pair> for the geoms 'skin' and 'core'.*: remove this"):
        MujocoContact.from_geoms(model, [("a", "b")], **LAW)
    assert (model.geom_contype == before).all()


def test_more_partners_than_bits_are_refused():
    model = model_of("".join("<body><freejoint/><geom size='0.1'/></body>" for _ in range(70)))
    with pytest.raises(ValueError, match=r"the contact of MuJoCo would need .* masks, and it has 32: take fewer pairs"):
        switch_off(model, [(k, k + 1) for k in range(69)])


def test_an_external_body_that_mujoco_has_not_is_named():
    with pytest.raises(ValueError, match=r"body 'interface' of the scene 'peg_in_hole' is external, and the MjModel "
                                         r"has no body of that name: name one in bodies, such as {'interface': 'b'}"):
        MujocoContact(model_of(BALLS), "peg_in_hole")
    with pytest.raises(ValueError, match=r"bodies\['target'\] = 'aa': the MjModel has no such body; did you mean 'a'"):
        MujocoContact(model_of(BALLS), "peg_in_hole", bodies={"interface": "b", "target": "aa"})


def test_a_step_that_was_left_out_is_told():
    model = model_of(BALLS)
    data = mujoco.MjData(model)
    data.qpos[0] = 0.3
    contact = MujocoContact.from_geoms(model, [("a", "b")], **LAW)
    contact.step(data)
    contact.step(data)
    mujoco.mj_step(model, data)
    with pytest.raises(ValueError, match=r"data.time = 0.006 s: the contact is at 0.004 s: call apply"):
        contact.step(data)
    contact.reset(data)
    contact.step(data)


@pytest.mark.parametrize(("state", "options", "sentence"), [
    (np.zeros(3), {"nstep": 2}, r"initial_state has shape \(3,\), must be \(N, 2.\)"),
    (None, {}, "nstep = None: give a number of steps"),
    (None, {"control": np.zeros((1, 4, 1))}, r"control has shape \(1, 4, 1\), must be \(2, nstep, 0\)"),
])
def test_wrong_batches_are_refused(state, options, sentence):
    model = model_of(BALLS)
    contact = MujocoContact.from_geoms(model, [("a", "b")], **LAW)
    full = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    with pytest.raises(ValueError, match=sentence):
        contact.rollout(np.zeros((2, full)) if state is None else state, **options)
