"""The law elastic_foundation: a pressure K e on the surfaces inside each other, against integrals by hand and sums."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import contactlib
from contactlib import pcm
from contactlib.model.foundation import modulus_of_layer
from tests.support.scenes import body, law, scene

K = 1e9  # Pa/m
PAD = {"kind": "elastic_foundation", "modulus": K, "damping": 0.0}
SIDES = np.array([0.1, 0.06, 0.04])
HALF = 0.5**0.5


def shape(kind, name="shape", **keys):
    return {"name": name, "kind": kind, "material": "a", **keys}


BOX, GROUND = shape("box", size=SIDES.tolist()), shape("plane")


def pair_scene(one, other, normal=PAD, pair=None):
    """Two bodies with these shapes; the law is that of their material, or of their pair."""
    touch = law("pad", ["a", "a"], normal)
    if pair:
        del touch["materials"]
    return contactlib.Spec.from_dict({
        "scene": {"name": "test"}, "body": [body("one", "external", one), body("other", "fixed", other)],
        "law": [touch], "pair": [{"bodies": ["one", "other"], **(pair or {})}]})


def simulation(one, other, normal=PAD):
    return contactlib.Simulation(pair_scene(one, other, normal).compile())


def state(r, rotation=None, v=(0, 0, 0), w=(0, 0, 0)):
    q = [1, 0, 0, 0] if rotation is None else rotation.as_quat()[[3, 0, 1, 2]]
    return {"one": np.concatenate([r, q, v, w])}


# ---- closed forms --------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [1e-6, 1e-4, 5e-3])
def test_a_flat_face_bears_modulus_times_area_times_depth(d):
    """K A d; the walls below the plane add K e at each of their places, K (a + b) d^2 together."""
    a, b, c = SIDES
    found = simulation([BOX], [GROUND])
    result = found.compute(state([0, 0, c / 2 - d]))
    # rounding of the position
    assert result.wrench("one")[2] == pytest.approx(K * (a * b * d + (a + b) * d**2), rel=1e-15 / d)
    assert found.energy_stored == pytest.approx(K / 2 * (a * b * d**2 + 2 * (a + b) * d**3 / 3), rel=2e-15 / d)
    contact = result.contacts[0]
    assert contact["reference_area"] == pytest.approx(a * b) and contact["depth"] == pytest.approx(d)


def test_a_tilted_face_has_the_moment_of_inertia_of_its_area():
    """K I theta, I = a^3 b/12; the walls have 6 d/a of it."""
    a, b, c = SIDES
    tilt, d = 1e-6, 1e-6
    R = Rotation.from_rotvec([0, tilt, 0])
    torque = simulation([BOX], [GROUND]).compute(state(R.apply([0, 0, c / 2]) - [0, 0, d], R)).wrench("one")[4]
    # about the middle of the face, which is c/2 tilt beside that of the box
    assert torque - K * a * b * d * c / 2 * tilt == pytest.approx(-K * a**3 * b / 12 * tilt, rel=2 * 6 * d / a)


def test_an_edge_and_a_corner():
    """An edge whose faces are at 45 degrees has M = 2 sqrt(2) L d^3/3; the corner of a cube M = 9 d^4/(3 4)."""
    L, d = 0.1, 1e-3
    cube = simulation([shape("box", size=[L] * 3)], [GROUND])
    on_edge = state([0, 0, L * HALF - d], Rotation.from_rotvec([np.pi / 4, 0, 0]))
    ends = 2 * d**3 / 3  # both end faces: K times  int (d - z) 2 z dz = d^3/3
    assert cube.compute(on_edge).wrench("one")[2] == pytest.approx(K * (np.sqrt(2) * L * d**2 + ends), rel=1e-10)
    diagonal = Rotation.align_vectors([[0, 0, -1]], [np.ones(3) / 3**0.5])[0]
    on_corner = cube.compute(state([0, 0, L * 3**0.5 / 2 - d], diagonal))
    # legs sqrt(3) d: an area of 3/2 d^2 each, with a mean of d/3 over each
    assert on_corner.wrench("one")[2] == pytest.approx(K * 3 * 1.5 * d**2 * d / 3, rel=1e-10)


def test_a_lying_capsule_has_the_line_load_of_a_foundation():
    """Johnson, Contact Mechanics, 4.3: 2/3 K a^3/R per length, a^2 = 2 R d; to d/R."""
    R, length, d = 0.02, 0.1, 1e-6
    lying = Rotation.from_rotvec([0, np.pi / 2, 0])
    found = simulation([shape("capsule", radius=R, length=length)], [GROUND]).compute(state([0, 0, R - d], lying))
    load = 2 / 3 * K * length * (2 * R * d) ** 1.5 / R
    # the caps add two half balls: K int e dA = K pi R d^2
    assert found.wrench("one")[2] == pytest.approx(load + K * np.pi * R * d**2, rel=3 * d / R)


# ---- sums over samples ---------------------------------------------------------------------------


def pieces(corners, n=400):
    """Centres, normals and areas of the hull's triangles, each divided into n^2."""
    hull = ConvexHull(corners)
    u, v = np.meshgrid(np.arange(n), np.arange(n))
    low = np.stack([u, v], -1)[u + v < n] + 1 / 3
    high = np.stack([u, v], -1)[u + v < n - 1] + 2 / 3
    weights = np.vstack([low, high]) / n
    for triangle, plane in zip(corners[hull.simplices], hull.equations, strict=True):
        a, b = triangle[1] - triangle[0], triangle[2] - triangle[0]
        yield triangle[0] + weights @ [a, b], plane[:3], np.linalg.norm(np.cross(a, b)) / 2 / n**2


@pytest.mark.parametrize("seed", range(4))
def test_a_polyhedron_on_a_box_against_a_sum(seed):
    """Force and moment of K e dA along the normals of the box, energy K/2 sum e^2 dA: 160,000 places of a triangle."""
    rng = np.random.default_rng(seed)
    corners = rng.normal(size=(12, 3))
    corners *= 0.05 / np.linalg.norm(corners, axis=1)[:, None]
    half = np.array([0.2, 0.15, 0.1])  # thicker: it has the field
    R = Rotation.random(random_state=seed)
    turned = R.apply(corners)
    r = half - [0.05, 0.04, 0.012] - turned.min(axis=0)  # over a corner of the box
    force, torque, energy = np.zeros(3), np.zeros(3), 0.0
    for x, _, area in pieces(turned):
        away = half - np.abs(x + r)
        face, e = away.argmin(axis=1), away.min(axis=1).clip(0)
        push = K * area * e[:, None] * (np.eye(3)[face] * np.sign(x + r))
        force, torque = force + push.sum(0), torque + np.cross(x, push).sum(0)
        energy += K / 2 * area * (e**2).sum()
    found = simulation([shape("polyhedron", corners=corners.tolist())], [shape("box", size=(2 * half).tolist())])
    result = found.compute(state(r, R))
    assert energy > 0.1
    np.testing.assert_allclose(result.wrench("one")[:3], force, atol=1e-3 * np.linalg.norm(force))
    np.testing.assert_allclose(result.wrench("one")[3:], torque, atol=1e-3 * 0.05 * np.linalg.norm(force))
    assert found.energy_stored == pytest.approx(energy, rel=1e-3)


def feet(count):
    """A mesh of that many blocks that stand beside each other, 40 x 40 x 20 mm."""
    corners = np.array([[x, y, z] for z in (0, 0.02) for y in (0, 0.04) for x in (0, 0.04)])
    faces = [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7],
             [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]]
    vertices = np.vstack([corners + np.array([0.1 * k, 0, 0]) for k in range(count)])
    triangles = [[v + 8 * k for v in face] for k in range(count) for face in faces]
    return shape("mesh", vertices=vertices.tolist(), triangles=triangles)


def test_feet_of_one_shape_add_up():
    """The force of three feet is three times that of one, to rounding; the same at p = 4 would be 3^(1/2) times."""
    alone, three = (simulation([feet(n)], [GROUND]).compute(state([0, 0, -1e-4])).wrench("one")[2] for n in (1, 3))
    assert three == pytest.approx(3 * alone, rel=1e-12)
    assert alone == pytest.approx(K * (0.0016 * 1e-4 + 0.08 * 1e-8), rel=1e-9)


# ---- motion --------------------------------------------------------------------------------------


def test_an_elastic_drop_keeps_its_energy():
    """A box that falls on a corner, turns and leaves again: kinetic energy of translation and rotation, RK4."""
    R = Rotation.from_rotvec([0.3, 0.4, 0.1])
    inertia = 0.5 / 12 * np.array([SIDES[1] ** 2 + SIDES[2] ** 2, SIDES[0] ** 2 + SIDES[2] ** 2,
                                   SIDES[0] ** 2 + SIDES[1] ** 2])  # fmt: skip
    start = {"r": [0, 0, 0.06], "q": R.as_quat()[[3, 0, 1, 2]].tolist(), "v": [0, 0, -0.5]}
    parts = [body("one", "free", [BOX], mass=0.5, inertia=inertia.tolist(), state=start),
             body("other", "fixed", [GROUND])]
    found = contactlib.Simulation(scene(parts, [law("pad", ["a", "a"], PAD)], [["one", "other"]],
                                        integrator="rk4", step_size=1e-5).compile())

    def kinetic():
        _, q, v, w = np.split(found.states[0].copy(), [3, 7, 10])
        w_B = Rotation.from_quat(q[[1, 2, 3, 0]]).inv().apply(w)
        return 0.25 * v @ v + 0.5 * w_B @ (inertia * w_B)

    before, deepest = kinetic(), 0.0
    for _ in range(200):
        found.step(1e-3)
        deepest = max(deepest, found.energy_stored / before)
    assert deepest > 0.3 and found.energy_stored == 0.0
    assert kinetic() == pytest.approx(before, rel=1e-8)


def test_damping_is_a_part_of_the_pressure_and_never_pulls():
    """K/2 M'(d) (1 + lambda v) of a box on its face; faster than 1/lambda apart there is no force."""
    a, b, c = SIDES
    found = simulation([BOX], [GROUND], {**PAD, "damping": 2.0})
    d = 1e-3
    slope = 2 * a * b * d + 2 * (a + b) * d**2  # M'(d): the walls count, too
    for v in (0.1, -0.2, -0.7):
        force = found.compute(state([0, 0, c / 2 - d], v=[0, 0, -v])).wrench("one")[2]
        assert force == pytest.approx(max(0.0, K / 2 * slope * (1 + 2 * v)), rel=1e-12)


def test_the_longest_step_is_that_of_modulus_times_area():
    """2/w with w^2 = K A/m: a step of 1.1 times that is told, one of 0.9 times is not."""
    mass, d = 2.0, 1e-5
    stiffness = K * SIDES[0] * SIDES[1]
    limit = 2 / np.sqrt(stiffness / mass)
    for part, told in ((0.9, False), (1.1, True)):
        parts = [body("one", "free", [BOX], mass=mass, inertia=[0.01] * 3, state={"r": [0, 0, SIDES[2] / 2 - d]}),
                 body("other", "fixed", [GROUND])]
        found = contactlib.Simulation(scene(parts, [law("pad", ["a", "a"], PAD)], [["one", "other"]],
                                            step_size=part * limit, gravity=[0, 0, -stiffness * d / mass]).compile())
        found.step(part * limit)
        assert any("longer than the contact" in sentence for sentence in found.warnings) == told


# ---- scene files ---------------------------------------------------------------------------------


def test_a_layer_sets_the_modulus():
    rubber = {"kind": "elastic_foundation", "youngs_modulus": 5e6, "layer": 2e-3, "damping": 0}
    spec = pair_scene([BOX], [GROUND], rubber)
    assert spec.laws[0].normal_parameters == (2.5e9, 0.0) and modulus_of_layer(5e6, 2e-3) == 2.5e9
    assert spec.laws[0].sharpness == 2


@pytest.mark.parametrize(("normal", "message"), [
    ({**PAD, "youngs_modulus": 1.0, "layer": 1.0}, r"normal\.youngs_modulus = 1\.0: is given beside modulus: give"),
    ({"kind": "elastic_foundation", "damping": 0.0}, r"normal\.modulus is missing: give modulus \(Pa/m\), or young"),
    ({"kind": "elastic_foundation", "youngs_modulus": 1.0, "damping": 0.0},
     r"normal\.layer is missing: give modulus"),
    ({"kind": "elastic_foundation", "layer": 0.0, "youngs_modulus": 1.0, "damping": 0.0}, r"normal\.layer = 0\.0"),
    ({"kind": "elastic_foundation", "damping": 0.0}, r"normal\.modulus"),
    ({"kind": "kelvin_voigt", "stiffness": 1.0, "damping": 0.0, "layer": 1.0}, r"normal\.layer is not a known key"),
])
def test_what_does_not_make_a_modulus(normal, message):
    with pytest.raises(ValueError, match=message):
        pair_scene([BOX], [GROUND], normal)


def test_another_sharpness_than_2_is_refused():
    bodies = [body("one", shapes=[BOX]), body("other", "fixed", [GROUND])]
    assert scene(bodies, [{**law("pad", ["a", "a"], PAD), "sharpness": 2}], [["one", "other"]]).laws[0].sharpness == 2
    with pytest.raises(ValueError, match=r"law 'pad'\.sharpness = 4: must be 2 with .* 'elastic_foundation'"):
        scene(bodies, [{**law("pad", ["a", "a"], PAD), "sharpness": 4}], [["one", "other"]])
    text = "ContactType pad = elastic_foundation [{ modulus=1e9 Pa/m; damping=0; %s}];"
    assert pcm.loads(text % "").laws[0].sharpness == 2
    with pytest.raises(pcm.PcmError, match=r"1:\d+: law 'pad'\.sharpness = 4: must be 2"):
        pcm.loads(text % "Sharpness=4; ")


BALL, ROUNDED = shape("sphere", radius=0.1), shape("box", size=[0.1] * 3, rounding=0.01)


@pytest.mark.parametrize("pair", [{}, {"law": "pad"}], ids=["of materials", "of the pair"])
@pytest.mark.parametrize(("one", "other", "message"), [
    (BALL, GROUND, "sphere-plane touches in points, which have no area: use shapes with faces"),
    (feet(1), BALL, "sphere-mesh touches in points"),
    (ROUNDED, shape("cylinder", radius=0.1, length=0.1),
     "box-cylinder touches in points where the box is rounded: leave out its rounding"),
    (shape("socket", size=[1.0, 1.0, 1.0], radius=0.2, length=0.3), GROUND, "socket-plane touches in points"),
    (shape("triangle", corners=[[0, 0, 0], [1, 0, 0], [0, 1, 0]]),) * 2 + ("triangle-triangle touches in points",),
])
def test_shapes_that_touch_in_points_are_refused(one, other, message, pair):
    spec = pair_scene([one], [other], pair=pair)
    with pytest.raises(ValueError, match=f"'shape' and 'shape' have the law 'pad', which is for .*{message}.*ignore"):
        spec.compile()


def test_shapes_that_are_ignored_or_have_another_law_are_not_refused():
    spec = pair_scene([BALL, {**BOX, "name": "box"}], [GROUND], pair={"law": "pad", "ignore": ["sphere-plane"]})
    assert spec.compile().core.contact_capacity > 0


def test_points_have_no_foundation():
    with pytest.raises(ValueError, match="'elastic_foundation': is a pressure, and points have no area"):
        contactlib.press_points([[0, 0, 0]], [0, 0, -1e-3, 1, *[0] * 9], PAD)
