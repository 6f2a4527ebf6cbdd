"""Pairs by patterns and collision groups: which bodies they name, what decides, and what is refused."""

import itertools

import numpy as np
import pytest

import contactlib
from contactlib.model.pair_counts import count_pairs
from tests.poses import poses_rocks as rocks
from tests.support.scenes import body, law


def ball(name, material="rock", kind="sphere", **keys):
    sizes = {"sphere": {"radius": 0.1}, "plane": {}, "socket": {"size": [1.0, 1.0, 1.0], "radius": 0.2, "length": 0.3}}
    return body(name, "external", shapes=[{"name": "s", "kind": kind, "material": material, **sizes[kind]}], **keys)


def hand(name, **keys):
    """An object with two movable fingers, one with a tip of its own."""
    def stone(of):
        return [{"name": f"s_{of}", "kind": "sphere", "radius": 0.1, "material": "rock"}]

    fingers = [{"name": "left", "movable": True, "shape": stone("left")},
               {"name": "right", "movable": True, "group": [
                   {"name": "pad", "shape": stone("pad")}, {"name": "tip", "movable": True, "shape": stone("tip")}]}]
    return {"name": name, "motion": "external", "group": [{"name": "palm", "shape": stone("palm")}, *fingers], **keys}


def compiled(bodies, pairs=(), laws=None):
    return contactlib.Spec.from_dict({
        "scene": {"name": "test"}, "body": list(bodies), "law": laws or [law("touch", ["rock", "rock"], rocks.SPRING)],
        "pair": list(pairs)}).compile()


def touching(model):
    """Every two bodies that the model lets touch, by names, A first."""
    names = model.body_names
    found = (model.core.find_pair(i, k) for i, k in itertools.combinations(range(len(names)), 2))
    return {(names[a], names[b]) for a, b, _ in filter(None, found)}


def test_a_pattern_stands_for_every_two_different_objects_once():
    model = compiled([ball("rock1"), ball("rock2"), ball("floor"), ball("rock3"), ball("other")],
                     [{"bodies": ["rock*", "rock*"]}, {"bodies": ["floor", "rock[12]"]}])
    rocks_once = {("rock1", "rock2"), ("rock1", "rock3"), ("rock2", "rock3")}
    assert touching(model) == rocks_once | {("floor", "rock1"), ("floor", "rock2")}
    assert count_pairs(model.core) == (5, {1 * 12 + 1: 5})


def test_parts_of_objects():
    """A pattern without a dot is whole objects, with their movable groups; one with a dot is these groups."""
    model = compiled([hand("hand1"), hand("hand2"), ball("rock")],
                     [{"bodies": ["hand*.right", "rock"]}, {"bodies": ["hand?", "hand?"]}])
    parts = ["", ".left", ".right", ".right.tip"]
    expected = {(f"hand1{a}", f"hand2{b}") for a in parts for b in parts}
    expected |= {(f"hand{k}.right{tip}", "rock") for k in (1, 2) for tip in ("", ".tip")}
    assert touching(model) == expected


def test_named_pairs_decide_over_patterns_and_patterns_over_groups():
    groups = {"collision_groups": ["g"], "collides_with": ["g"]}
    bodies = [ball(f"rock{i}", **groups) for i in range(5)]
    hard = {"name": "hard", "normal": {**rocks.SPRING, "stiffness": 5e4}}
    laws = [law("touch", ["rock", "rock"], rocks.SPRING), hard]
    model = compiled(bodies, [{"bodies": ["rock[012]", "rock[012]"], "law": "hard"}, {"bodies": ["rock1", "rock0"]},
                              {"bodies": ["rock2", "rock1"], "collide": False}, {"bodies": ["rock3", "rock[!3]"],
                                                                                "collide": False}], laws)
    assert touching(model) == {("rock1", "rock0"), ("rock0", "rock2"), ("rock0", "rock4"), ("rock1", "rock4"),
                               ("rock2", "rock4")}
    stiff = {}
    for a, b in touching(model):
        simulation = contactlib.Simulation(model)
        states = np.array(simulation.states)
        states[:, :3] = 10.0 * np.arange(5)[:, None]
        i, k = model.body_names.index(a), model.body_names.index(b)
        states[k, :3] = states[i, :3] + [0.19, 0.0, 0.0]
        simulation.compute(states)
        stiff[a, b] = float(simulation.contacts["normal_force"][0]) / 0.01
    assert stiff[("rock0", "rock2")] == pytest.approx(5e4) and stiff[("rock1", "rock0")] == pytest.approx(1e4)
    assert stiff[("rock2", "rock4")] == pytest.approx(1e4)


def test_groups_collide_if_each_mask_contains_a_group_of_the_other():
    """All masks of three groups, against the rule of Bullet written with bits."""
    rng = np.random.default_rng(2)
    names = ["a", "b", "c"]
    bits = [(int(g), int(m)) for g, m in rng.integers(1, 8, (30, 2))]
    known = {name for g, _ in bits for k, name in enumerate(names) if g >> k & 1}
    assert known == set(names)

    def of(mask):
        return [name for k, name in enumerate(names) if mask >> k & 1]

    model = compiled([ball(f"rock{i}", collision_groups=of(g), collides_with=of(m)) for i, (g, m) in enumerate(bits)])
    expected = {(f"rock{i}", f"rock{k}") for i, k in itertools.combinations(range(30), 2)
                if bits[i][0] & bits[k][1] and bits[k][0] & bits[i][1]}
    assert touching(model) == expected and len(model.core.pairs) == 0
    assert count_pairs(model.core)[0] == len(expected)


def test_self_collision_only_on_request():
    groups = {"collision_groups": ["g"], "collides_with": ["g"]}
    quiet = compiled([hand("hand1", **groups), hand("hand2", **groups)])
    assert all(a.split(".")[0] != b.split(".")[0] for a, b in touching(quiet)) and len(touching(quiet)) == 16
    loud = compiled([hand("hand1", self_collision=True, **groups), hand("hand2", **groups)],
                    [{"bodies": ["hand1.left", "hand1.right.tip"], "collide": False}])
    inside = {two for two in touching(loud) if two[0].split(".")[0] == two[1].split(".")[0]}
    assert inside == {("hand1", "hand1.left"), ("hand1", "hand1.right"), ("hand1", "hand1.right.tip"),
                      ("hand1.left", "hand1.right"), ("hand1.right", "hand1.right.tip")}
    assert touching(loud) - inside == touching(quiet) and count_pairs(loud.core)[0] == 21


def test_counts_are_those_of_all_pairs():
    rng = np.random.default_rng(1)
    values = rocks.tables(rocks.scattered(rng, 20, 0.5), 0.5, [*rocks.PATTERNS, ["rock3", "rock7"]])
    values["pair"].append({"bodies": ["rock1", "rock2"], "collide": False})
    values["body"][0] |= {"collision_groups": ["x"], "collides_with": ["x"]}
    model = contactlib.Spec.from_dict(values).compile()
    kinds = [[] for _ in model.body_names]
    for owner, kind in model.core.shapes:
        kinds[owner].append(kind)
    pairs, shapes = 0, {}
    for i, k in itertools.combinations(range(len(kinds)), 2):
        found = model.core.find_pair(i, k)
        pairs += found is not None
        for a in kinds[i] if found else ():
            for b in kinds[k]:
                row = min(a, b) * 12 + max(a, b)
                shapes[row] = shapes.get(row, 0) + 1
    assert count_pairs(model.core) == (pairs, shapes)
    assert pairs == 190 - 1 + 100


def test_a_model_grows_with_its_bodies():
    """400 bytes a ball, whatever the number of pairs."""
    every = [{"bodies": ["*", "*"]}]
    sizes = [len(compiled([ball(f"rock{i}") for i in range(n)], every).to_bytes()) for n in (100, 1000)]
    assert sizes[1] - sizes[0] < 900 * 450


WRONG = [
    (dict(pairs=[{"bodies": ["rok*", "floor"]}]), "'rok*' matches no object and no movable group; did you mean 'rock"),
    (dict(pairs=[{"bodies": ["rok*", "floor"]}]), "correct the pattern, or leave the pair out"),
    (dict(pairs=[{"bodies": ["rock*", "flor"]}]), "there is no body 'flor'; did you mean 'floor'?"),
    (dict(pairs=[{"bodies": ["floo?", "floor"]}]), "matches no two different objects with shapes"),
    (dict(pairs=[{"bodies": ["rock*", "*"]}, {"bodies": ["*", "floor"], "ignore": ["sphere-sphere"]}]),
     "pairs ['rock*', '*'] and ['*', 'floor']: both match 'rock1' and 'floor', with different keys; make the patterns "
     "narrower, or name these two in a pair of their own"),
    (dict(pairs=[{"bodies": ["rock*", "*"], "ignore": ["sphere-box"]}]), "ignore = 'sphere-box' matches no shapes"),
    (dict(pairs=[{"bodies": ["rock*", "*"], "law": "none_such"}]), "there is no law 'none_such'"),
    (dict(pairs=[{"bodies": ["rock*", "floor"], "law": "touch", "collide": False}]), "pair[0].collide = False: must be "
     "left out, or law and ignore must"),
    (dict(pairs=[{"bodies": ["rock*[", "floor"]}]), "must be a pattern of letters, digits, _, *, ? and [...]"),
    (dict(extra=ball("odd", "paper")), "there is no law for the materials"),
    (dict(extra=ball("odd", collision_groups=["g"])), "body 'odd' has collision_groups and no collides_with"),
    (dict(extra=ball("odd", collides_with=["g"])), "body 'odd' has collides_with and no collision_groups"),
    (dict(extra=ball("odd", collision_groups=["rocks"], collides_with=["rock"])), "body 'odd': collides_with names "
     "'rock', to which no object belongs; did you mean 'rocks'?"),
    (dict(extra=ball("odd", kind="plane"), more=ball("odd2", kind="plane")), "plane-plane is not defined"),
]


@pytest.mark.parametrize("parts, sentence", WRONG, ids=[str(k) for k in range(len(WRONG))])
def test_what_does_not_fit_is_a_sentence(parts, sentence):
    bodies = [ball("rock1"), ball("rock2"), ball("floor"), *(parts[k] for k in ("extra", "more") if k in parts)]
    with pytest.raises(ValueError) as error:
        compiled(bodies, parts.get("pairs", [{"bodies": ["*", "*"]}]))
    assert sentence in str(error.value)
