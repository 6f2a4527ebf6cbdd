"""The broad phase across bodies: its contacts are those of all pairs of bodies, one by one, however the bodies move."""

import contextlib

import numpy as np
import pytest

import contactlib
from contactlib.shapes.quaternion import product, rotate
from tests.poses import poses_rocks as rocks
from tests.support.scenes import body

HALF = 0.35


def model_of(values):
    return contactlib.Spec.from_dict(values).compile()


def placed(spec, states):
    """Shape, body, position and attitude of every shape in the world."""
    for i, part in enumerate(spec.rigid_bodies):
        r, q = states[i][:3], states[i][3:7]
        for shape in part.shapes:
            yield shape.shape, i, r + rotate(q, np.array(shape.r)), product(q, np.array(shape.q))


def bare_contacts(spec, states):
    """Pairs of bodies with the depths of their contacts, from the kernel of every two shapes, without a broad phase."""
    shapes = list(placed(spec, states))
    kinds = contactlib.shapes.shapes.SHAPES
    order = list(kinds)
    batches = {}
    for n, (a, i, *pose_a) in enumerate(shapes):
        for b, k, *pose_b in shapes[n + 1:]:
            if i == k or "plane" == a.kind == b.kind:
                continue
            swap = order.index(a.kind) > order.index(b.kind)
            one, other = ((b, pose_b), (a, pose_a)) if swap else ((a, pose_a), (b, pose_b))
            row = (i, k), np.concatenate(one[1]), np.concatenate(other[1])
            batches.setdefault((one[0], other[0]), []).append(row)
    found = []
    for (a, b), rows in batches.items():
        m = contactlib.manifolds(a, b, [row[1] for row in rows], [row[2] for row in rows])
        for (two, _, _), count, depth in zip(rows, m.count, m.depth, strict=True):
            found += [(*two, round(float(d), 9)) for d in depth[:count]]
    return sorted(found)


def contacts_of(simulation):
    c = simulation.contacts
    pairs = np.sort(np.column_stack([c["body_a"], c["body_b"]]), axis=1)
    return sorted((int(a), int(b), round(float(d), 9)) for (a, b), d in zip(pairs, c["depth"], strict=True))


def test_contacts_are_those_of_the_bare_geometry_wherever_bodies_are_put():
    """External rocks of all kinds creep, jump and fly; every evaluation is held against all pairs of shapes."""
    rng = np.random.default_rng(3)
    spec = contactlib.Spec.from_dict(rocks.tables(scattered_external(rng, 40), HALF))
    simulation = contactlib.Simulation(spec.compile())
    assert len(simulation.model.core.pairs) == 0 and simulation.model.core.pair_rules
    states, velocity = np.array(simulation.states), rng.normal(size=(40, 3))
    seen = 0
    for step in range(40):
        speed = 10.0 ** rng.uniform(-4, -1)  # grows and shrinks
        states[:40, :3] += speed * velocity
        for i in rng.integers(40, size=step % 4):  # some jump, and some far away
            states[i, :3] = rng.uniform([-HALF, -HALF, 0.0], [HALF, HALF, 2 * HALF]) * (1e4 if i % 7 == 0 else 1.0)
        simulation.compute(states)
        expected = bare_contacts(spec, states)
        assert contacts_of(simulation) == expected
        seen += len(expected)
    assert seen > 1000


def scattered_external(rng, n):
    rows = rocks.scattered(rng, n, HALF)
    return [{**row, "motion": "external"} for row in rows]


def test_bodies_that_fly_together_far_away():
    """The same rocks at 7e6 m and 8 km/s: contacts as near the origin, to the resolution of positions there."""
    rng = np.random.default_rng(4)
    spec = contactlib.Spec.from_dict(rocks.tables(scattered_external(rng, 40), HALF))
    near, away = (contactlib.Simulation(spec.compile()) for _ in range(2))
    states = np.array(near.states)
    moved = states.copy()
    for _ in range(10):
        moved[:, :3] += [8.0, 0.0, 0.0]
        shifted = moved.copy()
        shifted[:, :3] += 7e6
        near.compute(states)
        away.compute(shifted)
        here, there = contacts_of(near), contacts_of(away)
        deep = [c for c in here if c[2] > 1e-7]
        assert {c[:2] for c in deep} <= {c[:2] for c in there}
        assert {c[:2] for c in there} <= {c[:2] for c in here} | {c[:2] for c in there if c[2] < 1e-7}


def run(values, steps=300, **keys):
    simulation = contactlib.Simulation(model_of(values), **keys)
    for _ in range(steps):
        simulation.data.advance(1e-3)
    return simulation


def bits(simulation):
    """All but the number of the pair, which names a rule or two bodies."""
    contacts = [simulation.contacts[name].tobytes() for name in simulation.contacts.dtype.names if name != "pair"]
    return b"".join([simulation.states.tobytes(), simulation.wrenches.tobytes(), *contacts])


@pytest.mark.parametrize("kinds", [1, 5])
def test_patterns_and_named_pairs_have_the_same_bits(kinds):
    rng = np.random.default_rng(5)
    falling = rocks.scattered(rng, 24, HALF, kinds)
    one = run(rocks.tables(falling, HALF), 60)
    other = run(rocks.tables(falling, HALF, rocks.named(24)), 60)
    assert len(other.model.core.pairs) == 24 * 23 // 2 + 24 * 5 and len(one.model.to_bytes()) < 20000
    assert len(one.contacts) > 0
    assert bits(one) == bits(other)


def test_groups_have_the_same_bits():
    """Groups stand behind all pairs and order bodies by their place in the scene."""
    rng = np.random.default_rng(6)
    grouped = rocks.tables(rocks.scattered(rng, 24, HALF), HALF, [])
    for each in grouped["body"]:
        wall = each["name"].startswith("wall")
        each["collision_groups"] = ["box" if wall else "rock"]
        each["collides_with"] = ["rock"] if wall else ["rock", "box"]
    names = [each["name"] for each in grouped["body"]]
    pairs = [[a, b] for i, a in enumerate(names) for b in names[i + 1:] if not a.startswith("wall")]
    plain = rocks.tables(rocks.scattered(np.random.default_rng(6), 24, HALF), HALF, pairs)
    assert bits(run(grouped)) == bits(run(plain))


def test_a_restored_run_and_threads_have_the_same_bits():
    rng = np.random.default_rng(7)
    values = rocks.tables(rocks.scattered(rng, 30, HALF), HALF)
    simulation = run(values, 100)
    saved = simulation.save()
    first = bits(advanced(simulation, 100))
    simulation.restore(saved)  # the boxes are those of a later time
    assert bits(advanced(simulation, 100)) == first
    fresh = contactlib.Simulation(simulation.model)
    fresh.restore(saved)
    assert bits(advanced(fresh, 100)) == first
    assert bits(run(values, 200, num_threads=2)) == first


def test_a_pile_has_the_bits_of_its_pairs_one_by_one_with_any_number_of_threads():
    """Near balls of one pair are evaluated together, up to 1024 at once; boxes between them divide such portions."""
    lattice = np.array([[x, y, z] for x in range(10) for y in range(10) for z in range(10)])
    stones = [rocks.rock(i, i % 97 == 50, state={"r": (0.098 * at + [0.0, 0.0, 0.05]).tolist()})
              for i, at in enumerate(lattice)]
    first = run(rocks.tables(stones, 2.0), 5)
    assert len(first.contacts) > 2500
    for threads in (2, 5):
        assert bits(run(rocks.tables(stones, 2.0), 5, num_threads=threads)) == bits(first)
    pairs = np.column_stack([first.contacts["body_a"], first.contacts["body_b"]])
    assert np.array_equal(pairs, pairs[np.lexsort((pairs[:, 1], pairs[:, 0], pairs[:, 1] >= len(stones)))])
    balls = np.all((pairs < len(stones)) & (pairs % 97 != 50), axis=1)
    assert set(map(tuple, pairs[balls].tolist())) == touching_balls(first.states[:len(stones), :3])


def touching_balls(r):
    """Pairs of balls of the pile that are nearer than their diameter, by the distances of all."""
    away = np.linalg.norm(r[:, None] - r[None], axis=2)
    is_ball = np.arange(len(r)) % 97 != 50
    return set(map(tuple, np.argwhere(np.triu((away < 0.1) & is_ball[:, None] & is_ball, 1)).tolist()))


def advanced(simulation, steps):
    for _ in range(steps):
        simulation.data.advance(1e-3)
    return simulation


def padding(count=12):
    """Balls far away from all others and from one another: their pairs are too many to be listed."""
    ball = {"name": "ball", "kind": "sphere", "radius": 0.05, "material": "rock", "density": 1e3}
    return [body(f"far{i}", "free", shapes=[ball], state={"r": [100.0 + i, 50.0, 10.0]}) for i in range(count)]


@pytest.mark.parametrize("options", [{}, {"step_size": "auto", "max_step_size": 2e-3}, {"integrator": "rk4"},
                                     {"coupling": "jacobi"}], ids=str)
def test_a_small_scene_has_the_bits_that_it_has_beside_many_others(options):
    """Few pairs are evaluated one by one, without boxes: the same rocks with and without the broad phase."""
    rng = np.random.default_rng(8)
    few = rocks.scattered(rng, 6, 0.15)
    if "coupling" in options:
        few[0]["motion"] = "external"
    alone = rocks.tables(few, 0.15, **options)
    beside = rocks.tables([*few, *padding()], 0.15, [*rocks.PATTERNS, ["far*", "far*"]], **options)
    one, other = run(alone, 150), run(beside, 150)
    assert len(one.contacts) and one.states[:6].tobytes() == other.states[:6].tobytes()
    for field in ("depth", "p_AC_W", "f_B_W", "z_W"):
        assert np.array_equal(one.contacts[field], other.contacts[field]), field


def bullet_scene(extra=()):
    plate = {"name": "plate", "kind": "box", "size": [1.0, 1.0, 0.002], "material": "rock"}
    wall = body("plate", "fixed", shapes=[plate])
    shots = [body(f"shot{i}", "free", shapes=[{"name": "ball", "kind": "sphere", "radius": 0.001, "material": "rock",
                                              "density": 1e3}],
                  state={"r": [0.1 * i, 0.0, 0.5 + 0.01 * i], "v": [0.0, 0.0, -v]})
             for i, v in enumerate((1.0, 20.0, 30.0))]
    values = rocks.tables([*shots, wall, *extra], 5.0, [["shot*", "plate"]], gravity=[0.0, 0.0, 0.0])
    if extra:
        values["pair"].append({"bodies": ["far*", "far*"]})
    return values


def test_a_fast_body_is_reported_as_in_a_small_scene():
    """The first pair that may have passed, with the way, the thickness and the time that the list of pairs gives."""
    with contextlib.suppress(Warning):
        one, other = run(bullet_scene(), 60), run(bullet_scene(padding(13)), 60)
    fast = [[w for w in each.warnings if "shot" in w] for each in (one, other)]
    assert fast[0] and fast[0] == fast[1]


def test_automatic_steps_see_fast_bodies():
    """The plate stops what flies at it, with the lengths of sub-steps that a small scene has."""
    values = [bullet_scene(), bullet_scene(padding(13))]
    for each in values:
        each["scene"] |= {"step_size": "auto", "max_step_size": 5e-3}
        for row in each["body"]:  # what does not move limits no step
            row.setdefault("state", {})
    one, other = (run(each, 60) for each in values)
    assert one.states[:3].tobytes() == other.states[:3].tobytes()
    assert (one.states[1:3, 9] > -0.5).all()  # without the plate -20 and -30 m/s


def test_all_bodies_in_one_place_need_more_memory_and_get_it():
    """4950 pairs of near bodies exceed the memory of 100 bodies; growing it changes no result."""
    here = [rocks.rock(i, 0, "external", state={"r": [0.0, 0.0, 0.5]}) for i in range(100)]
    simulation = contactlib.Simulation(model_of(rocks.tables(here, 5.0)))
    states = np.array(simulation.states)
    states[:100, 0] += np.arange(100) * 1e-4
    simulation.compute(states)
    sides = (simulation.contacts[side].tolist() for side in ("body_a", "body_b"))
    assert set(zip(*sides, strict=True)) == {(i, k) for i in range(100) for k in range(i + 1, 100)}


def test_worlds_are_single_runs():
    rng = np.random.default_rng(9)
    model = model_of(rocks.tables(rocks.scattered(rng, 20, HALF), HALF))
    worlds = contactlib.VectorSimulation(model, 3)
    for _ in range(50):
        worlds.step(1e-3)
    alone = contactlib.Simulation(model)
    for _ in range(50):
        alone.step(1e-3)
    for states in worlds.states:
        assert states.tobytes() == alone.states.tobytes()
