"""Height fields: volumes, heights and contacts against closed forms; the one of MJCF against MuJoCo's own rays."""

import numpy as np
import pytest

import contactlib
from contactlib import height_field
from contactlib.importers import import_model
from contactlib.model.spec import Spec

STILL = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


def grid(nx, ny, dx, dy):
    return np.meshgrid((np.arange(nx) - (nx - 1) / 2) * dx, (np.arange(ny) - (ny - 1) / 2) * dy, indexing="ij")


def test_the_volume_is_that_of_its_prisms():
    z, (dx, dy), thickness = np.random.default_rng(1).uniform(-1, 2, (6, 9)), (0.3, 0.2), 0.7
    mesh = height_field(z, (dx, dy), thickness)
    bottom = z.min() - thickness
    mean = [(z[:-1, :-1] + z[1:, :-1] + z[1:, 1:]) / 3, (z[:-1, :-1] + z[1:, 1:] + z[:-1, 1:]) / 3]
    assert mesh.closed
    assert mesh.volume == pytest.approx(sum((m - bottom).sum() * dx * dy / 2 for m in mean), rel=1e-12)


def test_rays_from_above_hit_the_heights():
    """At the points of the grid, and between two of them, where the surface is straight."""
    z, dx, dy = np.random.default_rng(2).uniform(-0.5, 0.5, (7, 5)), 0.4, 0.25
    X, Y = grid(7, 5, dx, dy)
    places = [(X[1:-1, 1:-1], Y[1:-1, 1:-1], z[1:-1, 1:-1]),
              ((X[:-1, 1:-1] + X[1:, 1:-1]) / 2, Y[:-1, 1:-1], (z[:-1, 1:-1] + z[1:, 1:-1]) / 2),
              ((X[:-1, :-1] + X[1:, 1:]) / 2, (Y[:-1, :-1] + Y[1:, 1:]) / 2, (z[:-1, :-1] + z[1:, 1:]) / 2)]
    x, y, expected = (np.concatenate([place[k].ravel() for place in places]) for k in range(3))
    origins = np.column_stack([x, y, np.full(len(x), 5.0)])
    hits = contactlib.cast_rays(height_field(z, (dx, dy), 1.0), STILL, origins, [[0.0, 0.0, -1.0]])
    np.testing.assert_allclose(5.0 - hits.distance, expected, rtol=0, atol=1e-12)


def test_a_ball_on_a_slope():
    """A flat field that leans is a plane: depth and normal in closed form, wherever the triangles meet."""
    a, b, r = 0.3, -0.2, 0.15
    X, Y = grid(21, 31, 0.1, 0.1)
    mesh = height_field(a * X + b * Y, 0.1, 1.0)
    up = np.array([-a, -b, 1.0]) / np.sqrt(1 + a * a + b * b)
    rng = np.random.default_rng(3)
    for depth in (1e-6, 1e-3, 0.02):
        spots = rng.uniform(-0.7, 0.7, (50, 2))
        centres = np.column_stack([spots, spots @ [a, b]]) + (r - depth) * up
        X_A = np.column_stack([centres, np.tile(STILL[3:], (50, 1))])
        m = contactlib.manifolds(contactlib.Sphere(r), mesh, X_A, STILL)
        assert (m.count == 1).all()
        np.testing.assert_allclose(m.depth[:, 0], depth, rtol=0, atol=1e-12)
        np.testing.assert_allclose(m.normal[:, 0], np.tile(-up, (50, 1)), rtol=0, atol=1e-9)


def test_a_ball_in_a_bowl_converges_with_the_square_of_the_spacing():
    """In the bowl z = (x^2 + y^2)/2, 1 cm deep at its lowest point, between points of the grid."""
    r, errors = 0.2, []
    for cells in (21, 41, 81):  # odd: the lowest point lies in the middle of a cell's diagonal
        spacing = 2.0 / cells
        X, Y = grid(cells + 1, cells + 1, spacing, spacing)
        mesh = height_field((X**2 + Y**2) / 2, spacing, 1.0)
        m = contactlib.manifolds(contactlib.Sphere(r), mesh, [0, 0, r - 0.01, 1, 0, 0, 0], STILL, max_contacts=64)
        errors.append(abs(m.depth[0].max() - 0.01))
    assert errors[0] < 3e-3
    assert errors[1] < errors[0] / 3 and errors[2] < errors[1] / 3


@pytest.mark.parametrize("suffix", [".csv", ".npy", ""])
def test_a_scene_with_a_height_field(tmp_path, suffix):
    z = np.array([[0.0, 0.1, 0.0], [0.2, 0.3, 0.1], [0.0, 0.1, 0.0]])
    if suffix == ".csv":
        (tmp_path / "z.csv").write_text("\n".join(",".join(map(str, row)) for row in z.tolist()))
    elif suffix == ".npy":
        np.save(tmp_path / "z.npy", z)
    shape = {"name": "top", "kind": "mesh", "material": "m", "heights": f"z{suffix}" if suffix else z.tolist(),
             "spacing": [0.5, 0.4], "thickness": 1.0}
    ground = {"name": "ground", "motion": "fixed", "shape": [shape]}
    spec = Spec.from_dict({"scene": {"name": "hill"}, "body": [ground]}, folder=tmp_path)
    mesh, expected = spec.bodies[0].shapes[0].shape, height_field(z, (0.5, 0.4), 1.0)
    assert np.array_equal(mesh.vertices, expected.vertices) and np.array_equal(mesh.triangles, expected.triangles)
    spec.compile()


@pytest.mark.parametrize(("changes", "message"), [
    ({"heights": [[0.0, 1.0]]}, r"heights has shape \(1, 2\)"),
    ({"heights": [[0.0, 1.0], [0.0, float("nan")]]}, "must be a finite number"),
    ({"heights": "no.csv"}, "no.csv"),
    ({"heights": "bad.csv"}, "bad.csv: must hold a grid of heights"),
    ({"heights": "../z.csv"}, "outside"),
    ({"thickness": 0.0}, "greater than 0"),
    ({"spacing": [0.1, -0.1]}, "greater than 0"),
    ({"kind": "box"}, "only a mesh is made from heights"),
    ({"vertices": []}, "vertices"),
])
def test_what_is_no_height_field(tmp_path, changes, message):
    (tmp_path / "bad.csv").write_text("1 2\n3 x\n")
    shape = {"name": "top", "kind": "mesh", "material": "m", "heights": [[0.0, 0.1], [0.2, 0.3]], "spacing": [0.5, 0.4],
             "thickness": 1.0, **changes}
    with pytest.raises((ValueError, OSError), match=message):
        Spec.from_dict({"scene": {"name": "hill"}, "body": [{"name": "ground", "motion": "fixed", "shape": [shape]}]},
                       folder=tmp_path)


@pytest.mark.parametrize(("arguments", "message"), [
    (([[0.0, np.inf], [0.0, 0.0]], 0.1, 1.0), r"heights\[0, 1\] = inf: must be finite"),
    (([[0.0, 0.0], [0.0, 0.0]], (0.1, 0.2, 0.3), 1.0), "one or two numbers"),
    (([[0.0, 0.0], [0.0, 0.0]], np.nan, 1.0), "spacing = nan"),
    (([0.0, 0.0], 0.1, 1.0), "at least two heights in each direction"),
])
def test_arguments_that_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        height_field(*arguments)


def test_the_height_field_of_mjcf_is_that_of_mujoco(tmp_path):
    """MuJoCo's rays from above at the points of its grid and between them; and its bottom."""
    mujoco = pytest.importorskip("mujoco")
    z = np.random.default_rng(4).uniform(0, 1, (5, 7))  # rows along y
    text = f"""<mujoco><asset><hfield name="hill" nrow="5" ncol="7" size="1.5 0.8 0.6 0.4"
      elevation="{' '.join(map(str, z.ravel().tolist()))}"/></asset>
      <worldbody><geom name="ground" type="hfield" hfield="hill" pos="0.1 0.2 0.3"/></worldbody></mujoco>"""
    (tmp_path / "hill.xml").write_text(text)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    import_model(tmp_path / "hill.xml", tmp_path / "scene")
    (ground,) = contactlib.load(str(tmp_path / "scene")).bodies[0].shapes
    X, Y = grid(7, 5, 0.5, 0.4)
    x, y = (np.concatenate([G[1:-1, 1:-1].ravel(), ((G[:-1, 1:-1] + G[1:, 1:-1]) / 2).ravel()]) for G in (X, Y))
    origins = np.column_stack([x + 0.1, y + 0.2, np.full(len(x), 5.0)])
    down = np.array([0.0, 0.0, -1.0])
    found = contactlib.cast_rays(ground.shape, [*ground.r, *ground.q], origins, down[None]).distance
    hit = np.zeros(1, dtype=np.int32)
    expected = [mujoco.mj_ray(model, data, origin, down, None, 1, -1, hit) for origin in origins]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)  # MuJoCo keeps heights as single precision
    assert ground.shape.vertices[:, 2].min() == pytest.approx(-0.4)
