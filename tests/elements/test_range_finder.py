"""Range finders: rays of a body against closed forms and trimesh, in Python and in an FMU."""

from __future__ import annotations

from dataclasses import replace

import fmpy
import numpy as np
import pytest
import trimesh

import contactlib
from contactlib.elements.range_finder import RangeFinder
from contactlib.fmu.export import export_fmu
from contactlib.fmu.package.dependencies import initial_dependencies
from contactlib.model.spec import Spec
from contactlib.shapes.quaternion import rotation_matrix
from tests.support.scenes import body, scene

BALL = {"name": "ball", "kind": "sphere", "radius": 0.5, "material": "m"}
BOX = {"name": "box", "kind": "box", "size": [1.0, 2.0, 0.4], "material": "m"}


def looking(*rays: tuple[float, ...], origin: float = 0.0, **keys: object) -> Spec:
    """A sensor at the origin, a ball 3 m away along x, a box 2 m away along y, and a plane 4 m below."""
    bodies = [body("sensor", "external", [{**BALL, "radius": 0.1}], state={"r": [origin, 0, 0]}),
              body("ball", "external", [BALL], state={"r": [origin + 3.0, 0, 0]}),
              body("box", "fixed", [BOX], state={"r": [origin, 2.0, 0]}),
              body("ground", "fixed", [{"name": "top", "kind": "plane", "material": "m"}],
                   state={"r": [origin, 0, -4.0]})]
    spec = scene(bodies, [], [])
    return replace(spec, elements=(RangeFinder("lidar", rays, body="sensor", **keys),))


def measured(spec: Spec, states: dict[str, object] | None = None) -> contactlib.Simulation:
    simulation = contactlib.Simulation(spec.compile())
    simulation.compute(states)
    return simulation


def test_distances_and_normals_in_closed_form():
    lidar = measured(looking((2, 0, 0), (0, 1, 0), (0, 0, -1), (-1, 0, 0), (3, 0.4, 0))).elements["lidar"]
    across = 3.0 * 0.4 / np.hypot(3.0, 0.4)  # of the ball's middle from the last ray
    slanted = 3.0 * 3.0 / np.hypot(3.0, 0.4) - np.sqrt(0.25 - across**2)
    np.testing.assert_allclose(lidar.distance, [2.5, 1.0, 4.0, 1e3, slanted], rtol=1e-14)
    assert list(lidar.hit) == [1, 1, 1, 0, 1]
    assert list(lidar.body) == [2, 3, 4, 0, 2]
    normals = np.column_stack([lidar.normal_x, lidar.normal_y, lidar.normal_z])
    np.testing.assert_allclose(normals[:4], [[-1, 0, 0], [0, -1, 0], [0, 0, 1], [0, 0, 0]], atol=1e-15)
    spot = slanted * np.array([3.0, 0.4, 0]) / np.hypot(3.0, 0.4)
    np.testing.assert_allclose(normals[4], (spot - (3, 0, 0)) / 0.5, atol=1e-14)


def test_rays_turn_and_move_with_their_body_and_start_at_their_points():
    spec = looking((1, 0, 0), points=((0.0, 0.2, 0.0),))
    half = np.sqrt(0.5)
    simulation = measured(spec, {"sensor": {"r": (0.3, 0, 0), "q": (half, 0, 0, half)}})  # x of the sensor is y
    assert simulation.elements["lidar"].distance[0] == pytest.approx(1.0, abs=1e-12)
    assert simulation.elements["lidar"].body[0] == 3
    simulation.compute({"sensor": {"r": (0.3, 0, 0), "q": (1, 0, 0, 0)}})
    at = 2.7 - np.sqrt(0.25 - 0.2**2)  # 0.2 m beside the ball's middle
    assert simulation.elements["lidar"].distance[0] == pytest.approx(at, abs=1e-12)


def test_the_range_is_the_distance_without_a_hit_and_can_be_set():
    simulation = measured(looking((1, 0, 0), range=2.4))
    lidar = simulation.elements["lidar"]
    assert (lidar.distance[0], lidar.hit[0], lidar.body[0]) == (2.4, 0, 0)
    simulation.set("lidar.range", 2.6)
    simulation.compute()
    assert lidar.distance[0] == 2.5


def test_far_from_the_world_origin_nothing_is_lost():
    lidar = measured(looking((1, 0, 0), (0, 1, 0), origin=7e6)).elements["lidar"]
    np.testing.assert_allclose(lidar.distance, [2.5, 1.0], atol=1e-9)


def test_256_rays_on_a_mesh_are_those_of_trimesh():
    rng = np.random.default_rng(4)
    bumpy = trimesh.creation.icosphere(subdivisions=3, radius=1.0)
    bumpy.vertices *= 1.0 + 0.1 * np.sin(5 * bumpy.vertices[:, :1]) * np.cos(4 * bumpy.vertices[:, 1:2])
    rock = contactlib.Mesh(bumpy.vertices, bumpy.faces)
    directions = rng.normal(size=(256, 3)) * (1, 0.3, 0.3) + (3, 0, 0)
    q = np.array([0.9, 0.1, -0.3, 0.2])
    q /= np.linalg.norm(q)
    shape = {"name": "rock", "kind": "mesh", "vertices": rock.vertices.tolist(), "triangles": rock.triangles.tolist(),
             "material": "m"}
    spec = scene([body("rock", "external", [shape], state={"r": [3.0, 0.1, 0.2], "q": q.tolist()})], [], [])
    spec = replace(spec, elements=(RangeFinder("lidar", tuple(map(tuple, directions.tolist()))),))
    lidar = measured(spec).elements["lidar"]
    R = rotation_matrix(q)
    placed = trimesh.Trimesh(bumpy.vertices @ R.T + (3.0, 0.1, 0.2), bumpy.faces, process=False)
    units = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    spots, rays, faces = placed.ray.intersects_location(np.zeros((256, 3)), units, multiple_hits=False)
    expected = np.full(256, 1e3)
    expected[rays] = np.linalg.norm(spots, axis=1)
    np.testing.assert_allclose(lidar.distance, expected, rtol=1e-9)
    assert 100 < np.sum(lidar.hit) < 256
    normals = np.column_stack([lidar.normal_x, lidar.normal_y, lidar.normal_z])
    np.testing.assert_allclose(normals[rays], placed.face_normals[faces], atol=1e-9)


def test_an_fmu_measures_the_same(tmp_path):
    path = export_fmu(looking((2, 0, 0), (3, 0.4, 0)).compile(), tmp_path / "lidar.fmu")
    names = ["lidar.distance[1]", "lidar.hit[1]", "lidar.body[2]", "lidar.normal_x[2]"]
    signal = np.array([(0.0, 3.0, 0.5), (1.0, 3.5, 0.5)],
                      dtype=[("time", float), ("ball.r[1]", float), ("ball.v[1]", float)])
    found = fmpy.simulate_fmu(str(path), stop_time=1.0, step_size=0.1, output_interval=0.1, input=signal, output=names)
    assert found["lidar.distance[1]"][-1] == pytest.approx(3.0, abs=1e-6)  # the ball moved by 0.5 m
    assert found["lidar.hit[1]"][-1] == 1 and found["lidar.body[2]"][-1] == 2


def test_its_outputs_depend_on_the_states_of_all_bodies():
    """FMI's model structure names what an output comes from: the ball's position, though the ball is not its body."""
    model = looking((1, 0, 0)).compile()
    index = {variable.name: i for i, variable in enumerate(model.variables)}
    found = {model.variables[i].name for i in initial_dependencies(model)[index["lidar.distance[1]"]]}
    assert {"sensor.r[1]", "sensor.q[2]", "ball.r[3]", "lidar.range"} <= found
    assert not any(name.startswith(("ball.f", "sensor.f")) for name in found)


@pytest.mark.parametrize(("keys", "sentence"), [
    ({"directions": ()}, "must be 1 to 256 rays"),
    ({"directions": ((0, 0, 0),)}, r"directions = \[0\.0, 0\.0, 0\.0\]: must be finite and not zero"),
    ({"points": ((0, 0, 0), (1, 0, 0))}, "must be one point, or one for each of the 1 rays"),
    ({"range": 0.0}, "range = 0.0: must be a finite number greater than 0 m"),
    ({"body": "sensr"}, "there is no such body; did you mean 'sensor'"),
])
def test_what_is_no_range_finder_is_refused(keys, sentence):
    spec = looking((1, 0, 0))
    changed = replace(spec.elements[0], **keys)
    with pytest.raises(ValueError, match=sentence):
        replace(spec, elements=(changed,)).compile()
