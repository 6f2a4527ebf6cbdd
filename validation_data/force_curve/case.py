"""A ball is led into a plane at 1 mm/s; law curve without damping."""

from contactlib.validation import building

CURVE = {"kind": "curve", "depth": [1e-3, 2e-3, 5e-3], "force": [10.0, 15.0, 60.0], "damping": 0.0}
RADIUS, SPEED = 0.1, 1e-3  # m, m/s


def run(runner):
    ball = building.body("ball", "external", [building.shape("sphere", radius=RADIUS)], state={"r": [0, 0, RADIUS]})
    scene = building.scene([ball, building.floor()], {"normal": CURVE}, [("ball", "floor")], step_size=0.02)
    inputs = {"ball.r[3]": lambda t: RADIUS - SPEED * t, "ball.v[3]": -SPEED}
    found = runner.run(scene, 8.0, 0.02, ["ball.f[3]"], inputs)
    return {"force": (SPEED * found["time"], found["ball.f[3]"])}
